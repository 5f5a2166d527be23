"""Asking in waves: what each look may spend, what it saw, and when a question is settled.

Looking several times and stopping when one likes what one sees finds gaps that are not there. So each look spends a
part of the error rate (`stats/spending.py`), and its interval holds the gap at that look and at all others at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, Self

from scipy import special

from evenhand.comparing.findings import Finding, Interval, LookSeen, Sequential
from evenhand.comparing.settings import LookSettings, Settings
from evenhand.comparing.verdicts import NOT_AT_THIS_GAP, NOT_BY_PERSONS_ALONE
from evenhand.errors import UsageError
from evenhand.settings import check_count, check_least
from evenhand.stats import spent_levels

WAVES = (5, 10, 20, 40, 80, 160, 320)
Stopped = Literal["settled", "last wave", "budget", "names alone will not settle it"]
ANSWERS = ("equivalent", "higher", "lower")
"""Verdicts that end a question. *No reaction seen* does once it is seen in so many names that others can't matter."""
FEWEST_TO_GIVE_UP = 20
"""Names per cell below which nobody can tell yet how much templates and words vary."""
PLAIN = ("bonferroni", "none")
"""Corrections that need no other p-values: questions are settled at different looks."""


@dataclass(frozen=True)
class Waves:
    """How many names of each cell are asked about at each look, and how much that may cost."""

    names: tuple[int, ...] = WAVES
    budget: int | None = None
    """The most calls for one system: a wave that would exceed it is not asked."""
    price: float | None = None
    """Money for one call."""
    beyond: bool = False
    """Whether a gap that is shown is asked about on, until it is shown to be larger or smaller than the tolerance."""

    def __post_init__(self) -> None:
        for number in self.names:
            check_count("waves: the number of names", number)
        if not self.names:
            raise UsageError("waves: give at least one number of names, as in 5,10,20")
        if min(self.names) < 2 or any(one >= other for one, other in zip(self.names, self.names[1:], strict=False)):
            given = ",".join(map(str, self.names))
            raise UsageError(f"waves are {given}: give growing numbers of names, from 2 on, as in 5,10,20,40")
        if self.budget is not None:
            check_count("the budget, a number of calls,", self.budget, least=1)
        if self.price is not None:
            check_least("the price of a call", self.price)

    def upto(self, most: int) -> Self:
        """The same waves, the last of which brings so many names.

        >>> Waves((5, 10, 20)).upto(15).names
        (5, 10, 15)
        """
        return replace(self, names=(*(names for names in self.names if names < most), most))

    def check(self, settings: Settings) -> None:
        """Refuse corrections that need all p-values at once."""
        if settings.correction not in PLAIN:
            raise UsageError(
                f"the correction {settings.correction!r} needs the p-values of all questions at once, and questions "
                "asked in waves are settled one by one: use bonferroni"
            )

    def check_budget(self, first: int) -> None:
        """Refuse a budget that does not pay for the first wave, which takes so many calls."""
        if self.budget is not None and first > self.budget:
            costs = "" if self.price is None else f" ({first * self.price:,.2f} at {self.price:g} a call)"
            raise UsageError(
                f"the budget of {self.budget:,} calls is too small: the first wave, {self.names[0]} names for each "
                f"race and gender, takes {first:,} calls{costs}"
            )

    def looks(self, settings: Settings, *, comparisons: int) -> list[LookSettings]:
        """What each look may spend, with so many comparisons asked of the system."""
        corrected = comparisons if settings.correction == "bonferroni" else 1
        shares = [names / self.names[-1] for names in self.names]
        different = spent_levels(settings.alpha / corrected, shares)
        small = spent_levels(settings.alpha, shares, two_sided=False)
        plain = {name: value for name, value in asdict(settings).items() if name != "alpha"}
        return [
            LookSettings(**plain, alpha=one * corrected, small_alpha=other, whole_alpha=settings.alpha)
            for one, other in zip(different, small, strict=True)
        ]


def seen(finding: Finding, look: LookSettings, names: int) -> LookSeen:
    """What one look says about a question; the interval is the repeated one."""
    return LookSeen(names, finding.generalising.estimate, repeated_interval(finding, look), finding.verdict)


def repeated_interval(finding: Finding, look: LookSettings) -> Interval | None:
    """estimate ± t·SE at what the look may spend on a difference; None where the finding has no interval either."""
    general = finding.generalising
    if general.interval is None or general.estimate is None or general.standard_error is None or general.df is None:
        return None
    level = look.alpha / general.comparisons if look.correction == "bonferroni" else look.alpha
    margin = float(special.stdtrit(general.df, 1 - level / 2)) * general.standard_error
    return general.estimate - margin, general.estimate + margin


def is_hopeless(finding: Finding) -> bool:
    """Whether more names would settle neither that the gap is small nor that it is there."""
    why = finding.undefined
    return (
        finding.verdict == "cannot tell"
        and why.get("power.persons_needed") == NOT_BY_PERSONS_ALONE
        and why.get("power.needed_at_gap") == NOT_AT_THIS_GAP
    )


def lies_beyond(finding: Finding, interval: Interval | None) -> bool:
    """Whether all of an interval lies outside the tolerance."""
    delta = finding.equivalence.delta
    return interval is not None and (interval[0] > delta or interval[1] < -delta)


def is_answered(finding: Finding, *, beyond: bool = False) -> bool:
    """Whether no further name is needed; `beyond`: to know whether a gap lies within the tolerance or beyond it.

    Where no name makes a difference, s = 1 − α^(1/n) of all names may, and every further name makes that less. It is
    enough when even reactions by the whole range (or by the unit of an output that has none) would leave the gap
    within the tolerance. How many names that takes is known before anybody is asked, so looking at earlier waves costs
    nothing here.
    """
    if finding.verdict == "no reaction seen":
        reaction = finding.equivalence.unseen_reaction
        return reaction is not None and reaction >= finding.span
    if beyond and finding.verdict in ("higher", "lower"):
        return lies_beyond(finding, finding.generalising.shown_interval)
    return finding.verdict in ANSWERS


@dataclass(frozen=True)
class Question:
    """One question about a system as it is asked wave by wave."""

    finding: Finding
    """As it stood when it was settled, or at the last look."""
    looks: tuple[LookSeen, ...]
    hopeless: int = 0
    """How many looks in a row said that names alone will not settle it."""
    beyond: bool = False

    @property
    def stopped(self) -> Stopped | None:
        """Why it is asked no further; None while it is."""
        if is_answered(self.finding, beyond=self.beyond):
            return "settled"
        return "names alone will not settle it" if self.hopeless > 1 else None

    @classmethod
    def first(cls, finding: Finding, look: LookSettings, names: int, *, beyond: bool = False) -> Self:
        """After the first look."""
        return cls(finding, (seen(finding, look, names),), beyond=beyond)

    def looked(self, finding: Finding, look: LookSettings, names: int) -> Question:
        """The same after one more look; what is settled stays as it was."""
        if self.stopped:
            return self
        given_up = names >= FEWEST_TO_GIVE_UP and is_hopeless(finding)
        looks, hopeless = (*self.looks, seen(finding, look, names)), self.hopeless + 1 if given_up else 0
        return Question(finding, looks, hopeless, self.beyond)

    def told(self, *, calls: int, calls_at_once: int, calls_fixed: int, ended: Stopped, price: float | None) -> Finding:
        """The finding with the path to it."""
        path = Sequential(
            looks=self.looks,
            calls=calls,
            calls_fixed=calls_fixed,
            stopped=self.stopped or ended,
            calls_at_once=calls_at_once,
            price=price,
        )
        return replace(self.finding, sequential=path)


def looked(
    questions: Sequence[Question], findings: Sequence[Finding], look: LookSettings, names: int, *, beyond: bool = False
) -> list[Question]:
    """All questions after one more look."""
    if not questions:
        return [Question.first(finding, look, names, beyond=beyond) for finding in findings]
    return [question.looked(finding, look, names) for question, finding in zip(questions, findings, strict=True)]
