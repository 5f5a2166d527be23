"""Generalised fairness metrics: predictions in, one table of metrics, values by group and class out."""

from evenhand.metrics import comparisons, metric, scores
from evenhand.metrics.advice import Answers, advise
from evenhand.metrics.behaviour import directional, invariance, minimum_functionality
from evenhand.metrics.counts import Counts, count
from evenhand.metrics.measurements import Measurement, Measurements
from evenhand.metrics.measuring import measure
from evenhand.metrics.metric import Metric, OwnMetric
from evenhand.metrics.outside import pi_by_pair
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.quality import quality_by
from evenhand.metrics.reading import read_predictions_table
from evenhand.metrics.table import METRICS, metric_named
from evenhand.metrics.testing import group_tests

__all__ = [
    "METRICS",
    "Answers",
    "Counts",
    "Measurement",
    "Measurements",
    "Metric",
    "OwnMetric",
    "Predictions",
    "advise",
    "comparisons",
    "count",
    "directional",
    "group_tests",
    "invariance",
    "measure",
    "metric",
    "metric_named",
    "minimum_functionality",
    "pi_by_pair",
    "quality_by",
    "read_predictions_table",
    "scores",
]
