"""Asking: batches, cache, resume and progress; systems and a corpus in, `Scores` or `Tags` out."""

from evenhand.asking.engine import score, score_as, scored, tagged
from evenhand.asking.scores import Column, Drawn, Scores, read_only
from evenhand.asking.tags import TagColumn, Tags

__all__ = ["Column", "Drawn", "Scores", "TagColumn", "Tags", "read_only", "score", "score_as", "scored", "tagged"]
