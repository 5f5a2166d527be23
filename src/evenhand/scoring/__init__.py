"""Asking: batches, cache, resume and progress; systems and a corpus in, `Scores` out."""

from evenhand.scoring.engine import score, scored
from evenhand.scoring.scores import Column, Scores, read_only

__all__ = ["Column", "Scores", "read_only", "score", "scored"]
