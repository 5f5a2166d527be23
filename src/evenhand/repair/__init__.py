"""Repair: calibrators that are fitted on scores, judged on what they have not seen, and wrapped around systems."""

from evenhand.repair.calibrator import Calibrator, FittedFor, load_calibrator
from evenhand.repair.layers import Layers
from evenhand.repair.terms import Terms

__all__ = ["Calibrator", "FittedFor", "Layers", "Terms", "load_calibrator"]
