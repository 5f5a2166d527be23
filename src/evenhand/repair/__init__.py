"""Repair: calibrators that are fitted on scores, judged on what they have not seen, and wrapped around systems."""

from evenhand.repair.alignment import Alignment
from evenhand.repair.averaging import Averaging
from evenhand.repair.calibrator import Calibrator, FittedFor, load_calibrator
from evenhand.repair.layers import Layers
from evenhand.repair.neutral import Neutral
from evenhand.repair.published import VARIANTS
from evenhand.repair.repaired import repaired
from evenhand.repair.sentence_weights import SentenceWeights
from evenhand.repair.terms import Terms

__all__ = [
    "VARIANTS",
    "Alignment",
    "Averaging",
    "Calibrator",
    "FittedFor",
    "Layers",
    "Neutral",
    "SentenceWeights",
    "Terms",
    "load_calibrator",
    "repaired",
]
