"""The difference between two runs, or between two systems of one run: what was found, ready to be shown or saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.comparing.differences import GapDifference
from evenhand.comparing.metric_differences import MeasuredDifference
from evenhand.comparing.sharing import Shared
from evenhand.files.plain import rebuild
from evenhand.results import Provenance, Result, Subject


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """How the gaps of two systems differ, and their metrics where both have any: other minus one, throughout."""

    kind: ClassVar[str] = "comparison"
    file: ClassVar[str] = "comparison.json"

    one: str
    """What the first is called: the system, or the run where several systems are compared."""
    other: str
    shared: Shared
    gaps: tuple[GapDifference, ...] = field(repr=False)
    metrics: tuple[MeasuredDifference, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        verdicts = Counter(gap.difference.verdict for gap in self.gaps)
        counted = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
        return f"<Comparison of {self.one} and {self.other}: {len(self.gaps)} differences of gaps ({counted})>"

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """Who is held against whom: the other way round, it is another comparison."""
        one, other = provenance.details["between"]
        return cls.subject_between(one, other, provenance.corpus_names)

    @staticmethod
    def subject_between(one: str, other: str, corpora: Iterable[str]) -> Subject:
        """What the comparison of these two will be about."""
        return Subject((f"{other} against {one}",), tuple(dict.fromkeys(corpora)))

    def content(self) -> dict[str, Any]:
        """`gaps`, each with the findings of both and of the difference, and `metrics` by attribute."""
        return {
            "one": self.one,
            "other": self.other,
            "shared": asdict(self.shared),
            "gaps": [gap.to_dict() for gap in self.gaps],
            "metrics": [measured.to_dict() for measured in self.metrics],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            one=values["one"],
            other=values["other"],
            shared=rebuild(Shared, values["shared"]),
            gaps=tuple(rebuild(GapDifference, gap) for gap in values["gaps"]),
            metrics=tuple(rebuild(MeasuredDifference, measured) for measured in values["metrics"]),
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row per question, its verdict first: both gaps and their difference, each with its interval."""
        frame = pl.DataFrame([_row(gap) for gap in self.gaps], infer_schema_length=None)
        first = [*frame.columns[:7], "verdict"]
        return frame.select(*first, pl.exclude(first))

    def metric_frame(self) -> pl.DataFrame:
        """One row per attribute, metric and class."""
        rows = [
            {"one_called": part.one_called, "other_called": part.other_called, "attribute": part.attribute}
            | _with_ends(asdict(difference))
            for part in self.metrics
            for difference in part.differences
        ]
        return pl.DataFrame(rows, infer_schema_length=None)


def _row(gap: GapDifference) -> dict[str, Any]:
    asked = gap.difference
    row: dict[str, Any] = {
        "one_called": gap.one_called,
        "other_called": gap.other_called,
        **{name: getattr(asked, name) for name in ("output", "attribute", "first", "second", "subset")},
    }
    for name, finding in {"one": gap.one, "other": gap.other, "difference": asked}.items():
        low, high = finding.generalising.interval or (None, None)
        row |= {name: finding.generalising.estimate, f"{name}_low": low, f"{name}_high": high}
    general = asked.generalising
    return row | {
        "p": general.p,
        "p_adjusted": general.p_adjusted,
        "delta": asked.equivalence.delta,
        "shares": gap.shares,
        "verdict": asked.verdict,
        "size": gap.size,
        "changed_sides": gap.changed_sides,
        "undefined": asked.undefined.get("generalising.interval"),
    }


def _with_ends(values: dict[str, Any]) -> dict[str, Any]:
    for name in ("interval", "deviation_interval"):
        low, high = values.pop(name) or (None, None)
        values |= {f"{name}_low": low, f"{name}_high": high}
    return values
