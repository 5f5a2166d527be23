"""There and back: translators, round trips, and what gets lost on the way."""

# Importing an adapter enters it into the table; the packages that it calls are imported on use only.
from evenhand.translation import argos, hf  # noqa: F401
from evenhand.translation.apertium import Apertium, direction_via
from evenhand.translation.base import TRANSLATORS, Translator, build_translator, translator
from evenhand.translation.dictionary import Dictionary
from evenhand.translation.drift import Counts, Drift, LeftOut, drift
from evenhand.translation.round_trip import Journey, RoundTrip, ThereAndBack
from evenhand.translation.service import Service

__all__ = [
    "TRANSLATORS",
    "Apertium",
    "Counts",
    "Dictionary",
    "Drift",
    "Journey",
    "LeftOut",
    "RoundTrip",
    "Service",
    "ThereAndBack",
    "Translator",
    "build_translator",
    "direction_via",
    "drift",
    "translator",
]
