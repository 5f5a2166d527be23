"""Repair: calibrators that are fitted on scores, judged on what they have not seen, and wrapped around systems."""

from evenhand.repairs.alignment import Alignment
from evenhand.repairs.averaging import Averaging
from evenhand.repairs.calibrator import Calibrator, FittedFor, load_calibrator
from evenhand.repairs.layers import Layers
from evenhand.repairs.neutral import Neutral
from evenhand.repairs.published import VARIANTS
from evenhand.repairs.repaired import repaired
from evenhand.repairs.sentence_weights import SentenceWeights
from evenhand.repairs.terms import Terms

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
