"""Generalised fairness metrics: predictions in, one table of metrics, values by group and class out."""

from evenhand.metrics import comparisons, metric, scores
from evenhand.metrics.counts import Counts, count
from evenhand.metrics.measurements import Measurement, Measurements
from evenhand.metrics.measuring import measure
from evenhand.metrics.metric import Metric, OwnMetric
from evenhand.metrics.outside import pi_by_pair
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.reading import read_predictions_table
from evenhand.metrics.table import METRICS, metric_named

__all__ = [
    "METRICS",
    "Counts",
    "Measurement",
    "Measurements",
    "Metric",
    "OwnMetric",
    "Predictions",
    "comparisons",
    "count",
    "measure",
    "metric",
    "metric_named",
    "pi_by_pair",
    "read_predictions_table",
    "scores",
]
