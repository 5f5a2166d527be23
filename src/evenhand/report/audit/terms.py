"""How an audit speaks of its answers: scores, or how often a tagger finds what it is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.comparing.findings import Finding


@dataclass(frozen=True)
class Terms:
    """What the legends, headings and axes of an audit say."""

    question: str
    difference: str
    """What a gap is the difference of."""
    of_many: str
    """The same where each group is compared with all others."""
    unit: str
    """The unit of gaps in tables; empty where that is the output's own."""
    own_units: str
    of_range: str
    """The unit of shares of the range."""
    answer: str
    """What heads a column of single answers."""
    answers: str
    """What an effect size compares a gap with the spread of."""
    higher: str
    heat_title: str
    heat: str

    def heading(self, text: str) -> str:
        """The heading of a column of gaps, with their unit."""
        return f"{text}, {self.unit}" if self.unit else text


OF_SCORES = Terms(
    question="Does the score change when only the person changes?",
    difference="The mean score of the first group minus that of the second",
    of_many="A group's mean score minus the mean of the other groups",
    unit="",
    own_units="in the output's own units",
    of_range="% of the range",
    answer="score",
    answers="the system's mean scores",
    higher="The first group is scored higher (lower)",
    heat_title="Who is scored differently, and where",
    heat="Each cell: a person's mean score in a template minus the median score of all people in the same sentences, "
    "{unit}. A row of one colour is a person the system reacts to.",
)
OF_TAGS = Terms(
    question="Does the tagger find {people} of every group equally often in the same sentences?",
    difference="How often the first group is found minus how often the second is",
    of_many="How often a group is found minus how often the other groups are on average",
    unit="points",
    own_units="in percentage points",
    of_range="percentage points",
    answer="found, %",
    answers="how often the tagger finds anybody, taken",
    higher="The first group is found more (less) often",
    heat_title="Who is found more or less often, and where",
    heat="Each cell: how often one of the {people} is found in a template minus the median of all of them in the same "
    "sentences, {unit}. A row of one colour is one that the tagger treats differently.",
)


def terms_of(findings: Sequence[Finding]) -> Terms:
    """Taggers are never audited together with scorers."""
    return OF_TAGS if any(finding.of_tagger for finding in findings) else OF_SCORES
