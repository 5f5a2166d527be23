"""Rating systems through a causal lens: diagrams, rejection scores, deconfounding, orders and levels."""

from evenhand.rating.deconfounding import Impact
from evenhand.rating.diagram import Diagram, chat_diagram, rating_diagram
from evenhand.rating.orders import Uncertainty, complete_order, partial_order
from evenhand.rating.ratings import Rating, RatingSettings
from evenhand.rating.rejection import PRESETS, PairTest, RejectionSettings
from evenhand.rating.result import Ratings, rate_scores
from evenhand.rating.table import long_form

__all__ = [
    "PRESETS",
    "Diagram",
    "Impact",
    "PairTest",
    "Rating",
    "RatingSettings",
    "Ratings",
    "RejectionSettings",
    "Uncertainty",
    "chat_diagram",
    "complete_order",
    "long_form",
    "partial_order",
    "rate_scores",
    "rating_diagram",
]
