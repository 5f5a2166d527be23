"""Scores of a labelled corpus, tags, or predictions on disk → metrics, tests and failures, by system and attribute."""

from evenhand.measuring.measured import measured, measured_tags
from evenhand.measuring.on_disk import measure_file, quality_of_file, subject_of_file
from evenhand.measuring.result import Measured, MeasureSettings, Metrics
from evenhand.measuring.scores import LABEL, measure_scores, predictions_of
from evenhand.measuring.tags import measure_taggers

__all__ = [
    "LABEL",
    "MeasureSettings",
    "Measured",
    "Metrics",
    "measure_file",
    "measure_scores",
    "measure_taggers",
    "measured",
    "measured_tags",
    "predictions_of",
    "quality_of_file",
    "subject_of_file",
]
