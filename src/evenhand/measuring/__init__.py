"""Scores of a labelled corpus, tags, or predictions on disk → metrics, tests and failures, by system and attribute."""

from evenhand.measuring.compared import MetricCorrelation, ModelDifference
from evenhand.measuring.measured import measured, measured_tags
from evenhand.measuring.on_disk import (
    measure_file,
    measure_files,
    measure_parses,
    quality_of_file,
    subject_of_file,
    subject_of_files,
)
from evenhand.measuring.result import Measured, MeasureSettings, Metrics
from evenhand.measuring.scores import LABEL, measure_scores, predictions_of
from evenhand.measuring.tags import measure_taggers

__all__ = [
    "LABEL",
    "MeasureSettings",
    "Measured",
    "MetricCorrelation",
    "Metrics",
    "ModelDifference",
    "measure_file",
    "measure_files",
    "measure_parses",
    "measure_scores",
    "measure_taggers",
    "measured",
    "measured_tags",
    "predictions_of",
    "quality_of_file",
    "subject_of_file",
    "subject_of_files",
]
