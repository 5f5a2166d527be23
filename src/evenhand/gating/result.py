"""What a gate found: a row for each limit, what each gave, and whether all of them let the release pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import polars as pl

from evenhand.comparing.findings import Interval, SentencePair
from evenhand.files.plain import rebuild
from evenhand.results import Provenance, Result, Subject

Outcome = Literal["passes", "fails", "cannot tell"]
Question = Literal["gap", "selection difference", "impact ratio", "baseline", "answers"]
OUTCOMES: tuple[Outcome, ...] = ("fails", "cannot tell", "passes")


@dataclass(frozen=True)
class Item:
    """One limit, held against one finding. Gaps are first minus second, in the output's own units."""

    question: Question
    """`baseline` is about how much larger the gap is than there, `answers` about a system that gave none."""
    corpus: str
    system: str
    output: str
    attribute: str
    subset: str
    first_label: str
    second_label: str
    outcome: Outcome
    blocks: bool
    """Whether it keeps the gate shut."""
    reason: str
    estimate: float | None = None
    interval: Interval | None = None
    """The one that the outcome was taken from, for people, templates and words like these."""
    limit: float | None = None
    """The most that is allowed, either way; of impact ratios, the least."""
    span: float = 1.0
    """The width of the output's range, or its unit."""
    threshold: float | None = None
    verdict: str | None = None
    """That of the audit."""
    does_its_job: bool | None = None
    """None where that is not known."""
    unseen_share: float | None = None
    """Up to this share of people who were not asked about could react in some way that was not seen …"""
    unseen_reaction: float | None = None
    """… and the gap stays within the limit unless they do so by more than this."""
    worst: tuple[SentencePair, ...] = ()
    """The pairs of sentences with the largest differences."""

    def flat(self) -> dict[str, Any]:
        """One row of a table, without the sentences."""
        values = asdict(self)
        del values["worst"]
        low, high = values.pop("interval") or (None, None)
        return values | {"low": low, "high": high}


@dataclass(frozen=True, eq=False)
class Check(Result):
    """What a gate found, and whether it is passed."""

    kind: ClassVar[str] = "check"
    file: ClassVar[str] = "check.json"

    items: tuple[Item, ...] = field(repr=False)
    baseline: str | None = None
    """What the gaps were held against."""

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """The systems and corpora as they were named."""
        given, asked = (tuple(provenance.details.get(name, ())) for name in ("given", "asked"))
        return Subject(given, asked)

    @property
    def passed(self) -> bool:
        """Whether nothing keeps the gate shut."""
        return not self.blocking

    @property
    def blocking(self) -> tuple[Item, ...]:
        """What keeps the gate shut."""
        return tuple(item for item in self.items if item.blocks)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items have which outcome."""
        counted = Counter(item.outcome for item in self.items)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    def content(self) -> dict[str, Any]:
        """`passed`, how many `outcomes` of each kind, and the `items`."""
        return {
            "passed": self.passed,
            "outcomes": {outcome.replace(" ", "_"): count for outcome, count in self.outcomes.items()},
            "baseline": self.baseline,
            "items": [asdict(item) for item in self.items],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            items=tuple(rebuild(Item, item) for item in values["items"]),
            baseline=values["baseline"],
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row per limit and finding."""
        return pl.DataFrame([item.flat() for item in self.items], infer_schema_length=None)
