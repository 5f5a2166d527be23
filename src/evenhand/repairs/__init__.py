"""Repair: calibrators that are fitted on scores, judged on what they have not seen, and wrapped around systems."""

from evenhand.repairs.alignment import Alignment
from evenhand.repairs.averaging import Averaging
from evenhand.repairs.calibrator import Calibrator, FittedFor, load_calibrator
from evenhand.repairs.layers import Layers
from evenhand.repairs.neutral import Neutral
from evenhand.repairs.paired_means import baseline_gaps, evaluate
from evenhand.repairs.published import VARIANTS, fit_published
from evenhand.repairs.references import reference_corpus
from evenhand.repairs.repaired import repaired
from evenhand.repairs.sentence_weights import SentenceWeights
from evenhand.repairs.terms import Terms
from evenhand.repairs.wrapping import cost_of

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
    "baseline_gaps",
    "cost_of",
    "evaluate",
    "fit_published",
    "load_calibrator",
    "reference_corpus",
    "repaired",
]
