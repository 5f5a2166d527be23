"""A plan: names, sources and calls that would settle an audit's questions, and the chance of each verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import polars as pl

from evenhand.files.plain import rebuild
from evenhand.planning.spreads import Spreads
from evenhand.results import Provenance, Result
from evenhand.results.result import Subject

State = Literal["planned", "no reaction seen", "all names alike"]
Spread = Literal["likely", "cautious"]
"""As the pilot saw it, or with names that vary as much as it leaves possible (four times in five, less)."""

NOT_BY_NAMES = "more names alone would not settle it: templates and words vary too much"
NOTHING_VARIES = "nothing about names varies, so there is nothing to plan from"
NAMES_WILL_DO = "names alone will do"
NOT_AT_THIS_GAP = "no number of names would decide a gap of this size at this tolerance"


@dataclass(frozen=True)
class Needed:
    """Names for each race and gender with which a gap of this size comes to a verdict as often as is asked for.

    Asked at once. Up to the size of the pool they are simulated; beyond it, they are those of the formula by which
    audits say how many more names would settle it: `by_formula`. It promises a little too much where there are few
    templates. What is None has its reason in `undefined`.
    """

    gap: float
    names: int | None
    calls: int | None
    names_cautious: int | None
    calls_cautious: int | None
    by_formula: int | None
    undefined: Mapping[str, str]


@dataclass(frozen=True)
class Planned:
    """The chance of each verdict, were this the true gap; with waves, `names` and `calls` are those expected."""

    spread: Spread
    gap: float
    names: float
    calls: float
    equivalent: float
    different: float
    open: float
    given_up: float = 0.0
    """Within `open`: stopped because names alone will not settle it."""
    saved: float | None = None
    """Against asking about all names at once that a gap of zero needs; None where no number would do."""


@dataclass(frozen=True)
class Unseen:
    """How many names, none of which makes a difference, leave at most this share of all names that may."""

    share: float
    names: int
    """For each race and gender."""
    calls: int


@dataclass(frozen=True)
class Question:
    """One comparison of one output; all sizes are shares of the range."""

    system: str | None
    """None where spreads were given."""
    output: str | None
    attribute: str
    first: str
    second: str
    first_label: str
    second_label: str
    comparisons: int
    """How many the corpus asks of the system: a difference is corrected for them."""
    state: State
    estimate: float | None
    interval: tuple[float, float] | None
    spreads: Spreads
    cautious: Spreads
    template_up_to: float | None
    """The bound for the gap from template to template that the pilot leaves possible."""
    asked: int
    """Names that the pilot asked about."""
    reacting: int
    """Those of them that are not answered like most others."""
    smallest_delta: float | None
    """The tolerance below which no number of names would show a gap of zero to be small."""
    templates_needed: int | None
    """About how many templates like these it takes, where names alone will not settle it."""
    needed: tuple[Needed, ...] = ()
    at_once: tuple[Planned, ...] = ()
    waves: tuple[Planned, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Why what is None is so, by its name."""

    def needed_at(self, gap: float) -> Needed | None:
        """What a gap of this size needs."""
        return next((one for one in self.needed if one.gap == gap), None)

    def silent_end(self, delta: float) -> Unseen:
        """Where nobody reacted, the names after which others cannot matter, even if they react by the whole range."""
        return next((one for one in self.unseen if one.share <= delta), self.unseen[-1])


@dataclass(frozen=True)
class Pilot:
    """What was asked to see how much scores vary; recorded predictions took no calls."""

    names: int
    """For each race and gender."""
    sources: int
    calls: int


@dataclass(frozen=True)
class Together:
    """All questions of a system at once: it is asked until the last of them is settled."""

    system: str | None
    gap: float
    calls: float
    settled: float
    """The chance that all of them are."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Result):
    """What an audit would take, before it is made."""

    kind: ClassVar[str] = "plan"
    file: ClassVar[str] = "plan.json"

    corpus: str
    delta: float
    alpha: float
    power: float
    cells: int
    """How many races and genders: so many names come in with each further one."""
    sources: int
    sources_in_all: int
    templates: int
    pool: int
    """How many names there are for each race and gender."""
    drawn: str
    wave_names: tuple[int, ...]
    """Names at each look of the plan in waves; those that the budget does not reach are not asked."""
    looks: int
    """How many of these the budget reaches."""
    budget: int | None
    affordable: int | None
    """Names for each race and gender, asked at once, that the budget pays for."""
    price: float | None
    draws: int
    simulated: int
    """How many systems each chance is a share of."""
    pilot: Pilot | None
    questions: tuple[Question, ...]
    together: tuple[Together, ...]

    def content(self) -> dict[str, Any]:
        """All of it."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        plain["wave_names"] = list(self.wave_names)
        return {
            **plain,
            "pilot": None if self.pilot is None else asdict(self.pilot),
            "questions": [asdict(one) for one in self.questions],
            "together": [asdict(one) for one in self.together],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from what `to_dict` gave."""
        plain = {name: values[name] for name in _PLAIN}
        plain["wave_names"] = tuple(values["wave_names"])
        pilot = values["pilot"]
        return cls(
            **plain,
            pilot=None if pilot is None else rebuild(Pilot, pilot),
            questions=tuple(rebuild(Question, one) for one in values["questions"]),
            together=tuple(rebuild(Together, one) for one in values["together"]),
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row for each question, spread, design and gap; of silent systems, one for each share that is left."""
        rows = [
            {
                "system": one.system,
                "output": one.output,
                "attribute": one.attribute,
                "first": one.first,
                "second": one.second,
                "design": design,
                **asdict(planned),
            }
            for one in self.questions
            for design, listed in (("at once", one.at_once), ("waves", one.waves))
            for planned in listed
        ]
        silent = [
            {"system": one.system, "output": one.output, "attribute": one.attribute, "first": one.first,
             "second": one.second, "design": "no reaction seen", "names": float(left.names),
             "calls": float(left.calls), "share_unseen": left.share}
            for one in self.questions
            for left in one.unseen
        ]  # fmt: skip
        alike = [
            {"system": one.system, "output": one.output, "attribute": one.attribute, "first": one.first,
             "second": one.second, "design": one.state, "gap": one.estimate}
            for one in self.questions
            if one.state == "all names alike"
        ]  # fmt: skip
        schema = {
            **dict.fromkeys(("system", "output", "attribute", "first", "second", "design", "spread"), pl.String),
            **dict.fromkeys(_NUMBERS, pl.Float64),
        }
        return pl.DataFrame([*rows, *silent, *alike], schema=schema)

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """The systems that a pilot asked, and the corpus."""
        return Subject(provenance.asked_names, provenance.corpus_names)


_PLAIN = (
    "corpus", "delta", "alpha", "power", "cells", "sources", "sources_in_all", "templates", "pool", "drawn",
    "wave_names", "looks", "budget", "affordable", "price", "draws", "simulated",
)  # fmt: skip
_NUMBERS = (
    "gap", "names", "calls", "equivalent", "different", "open", "given_up", "saved", "share_unseen",
)  # fmt: skip
