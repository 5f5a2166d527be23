"""What is asked: sentences that people have written, and the same sentences about people of another group."""

from evenhand.corpora.text.perturber import Perturber
from evenhand.corpora.text.versions import CHANGED, ORIGINAL, SKIPPED, STATUSES, UNCHANGED, UNSURE, Analysis, Version

__all__ = ["CHANGED", "ORIGINAL", "SKIPPED", "STATUSES", "UNCHANGED", "UNSURE", "Analysis", "Perturber", "Version"]
