"""What papers printed, beside what comes out here: one module a paper, and its figures as they stand in the data."""

from evenhand.published.calibration import reproduce_calibration
from evenhand.published.checks import Check
from evenhand.published.eec import reproduce_eec
from evenhand.published.metrics import reproduce_metrics
from evenhand.published.rating import reproduce_rating

__all__ = ["Check", "reproduce_calibration", "reproduce_eec", "reproduce_metrics", "reproduce_rating"]
