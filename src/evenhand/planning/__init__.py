"""What an audit would cost and how likely it is to end in a verdict, before it is made.

Spreads (how much names, single answers, templates and words vary) and a design (which names in which sentences) go in;
out come the names needed and the chance of each verdict.
"""

from evenhand.planning.designs import Design, Drawn, Grouped
from evenhand.planning.result import Needed, Pilot, Plan, Planned, Question, Unseen
from evenhand.planning.spreads import SPREADS, Seen, Spreads, read_spreads, seen_in

__all__ = [
    "SPREADS",
    "Design",
    "Drawn",
    "Grouped",
    "Needed",
    "Pilot",
    "Plan",
    "Planned",
    "Question",
    "Seen",
    "Spreads",
    "Unseen",
    "read_spreads",
    "seen_in",
]
