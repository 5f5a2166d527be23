"""Asking: batches, cache, resume and progress; systems and a corpus in, `Scores` out."""

from evenhand.scoring.engine import score, scored
from evenhand.scoring.scores import Column, Scores

__all__ = ["Column", "Scores", "score", "scored"]
