"""Findings and where they come from, ready to be shown, saved and loaded."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from evenhand.errors import EvenhandError, UsageError
from evenhand.files import write_whole
from evenhand.findings import Finding
from evenhand.report.words import in_words
from evenhand.scoring import Scores

if TYPE_CHECKING:
    import pandas

REPORT_FILE = "report.json"
SCORES_FILE = "scores.parquet"


@dataclass(frozen=True, eq=False)
class Report:
    """What an audit found. `scores` is None for a report that was loaded without them."""

    findings: tuple[Finding, ...]
    provenance: dict[str, Any]
    scores: Scores | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        verdicts = Counter(finding.verdict for finding in self.findings)
        counted = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
        return f"<Report: {len(self.findings)} findings ({counted})>"

    def __str__(self) -> str:
        return "\n".join(in_words(finding) for finding in self.findings)

    def frame(self) -> pl.DataFrame:
        """One row per finding, the nested parts in columns such as `generalising_p`."""
        return pl.DataFrame([_flat(finding) for finding in self.findings], infer_schema_length=None)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as `frame`, for pandas (which must be installed)."""
        import pandas

        return pandas.DataFrame(self.frame().to_dict(as_series=False))

    def to_dict(self) -> dict[str, Any]:
        """Plain values: `findings` and `provenance`."""
        return {"findings": [finding.to_dict() for finding in self.findings], "provenance": self.provenance}

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity: what is undefined is null, with its reason beside it."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, folder: Path) -> None:
        """Write `report.json` and, if there are scores, `scores.parquet`."""
        if self.scores is not None:
            self.scores.save(folder / SCORES_FILE)
        write_whole(folder / REPORT_FILE, f"{self.to_json()}\n".encode())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a saved report, with its scores where they were kept."""
        path = folder / REPORT_FILE
        if not path.is_file():
            raise UsageError(f"{folder} holds no {REPORT_FILE}; `evenhand audit ... --out {folder}` makes one")
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            findings = tuple(Finding.from_dict(values) for values in content["findings"])
            provenance = content["provenance"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvenhandError(f"{path} is not a report of this version: {error}") from error
        scores = folder / SCORES_FILE
        return cls(findings, provenance, Scores.load(scores) if scores.is_file() else None)


def _flat(finding: Finding) -> dict[str, Any]:
    values = finding.to_dict()
    for part in ("generalising", "equivalence", "power"):
        values |= {f"{part}_{name}": value for name, value in values.pop(part).items()}
    rests_on = values.pop("rests_on")
    values |= {"rests_on": rests_on["person"], "without": rests_on["without"]}
    for name in ("range", "interval", "generalising_interval"):
        low, high = values.pop(name) or (None, None)
        values |= {f"{name}_low": low, f"{name}_high": high}
    values["undefined"] = "; ".join(f"{name}: {reason}" for name, reason in values["undefined"].items())
    return values
