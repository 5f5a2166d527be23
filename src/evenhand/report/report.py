"""Findings and where they come from, ready to be shown, saved and loaded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from evenhand.comparing.ability import Ability
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, MissingExtra, UsageError
from evenhand.files import write_together, write_whole
from evenhand.findings import Finding
from evenhand.measuring import MeasurementReport
from evenhand.report.details import Details
from evenhand.report.measured import save_measurements
from evenhand.report.notebook import notebook_table
from evenhand.report.words import in_words
from evenhand.scoring import Scores

if TYPE_CHECKING:
    import pandas

REPORT_FILE = "report.json"
SCORES_FILE = "scores.parquet"
CORPUS_FILE = "corpus.parquet"
PAGE_FILE = "report.html"


@dataclass(frozen=True, eq=False)
class Report:
    """What an audit found. `scores` is None for a report that was loaded without them."""

    findings: tuple[Finding, ...]
    provenance: dict[str, Any]
    scores: Scores | None = field(default=None, repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    measurements: MeasurementReport | None = field(default=None, repr=False)
    """Metrics of classifiers, where the corpus has gold labels."""
    abilities: tuple[Ability, ...] = field(default=(), repr=False)
    """Whether the systems are able at all, where the corpus has emotion words."""
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """What systems themselves say about their scores, by system."""

    def __repr__(self) -> str:
        verdicts = Counter(finding.verdict for finding in self.findings)
        counted = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
        return f"<Report: {len(self.findings)} findings ({counted})>"

    def __str__(self) -> str:
        return "\n".join(in_words(finding) for finding in self.findings)

    @cached_property
    def details(self) -> Details | None:
        """What pictures are drawn from; None for a report without its scores."""
        if self.scores is None or self.corpus is None:
            return None
        return Details(self.corpus, self.scores, self.findings)

    def to_html(self) -> str:
        """The page: one self-contained file."""
        from evenhand.report.page import to_html

        return to_html(self)

    def _repr_html_(self) -> str:
        return notebook_table(self.findings)

    def frame(self) -> pl.DataFrame:
        """One row per finding, the nested parts in columns such as `generalising_p`."""
        return pl.DataFrame([_flat(finding) for finding in self.findings], infer_schema_length=None)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as `frame`, for pandas (which must be installed)."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingExtra("to_pandas()", "pandas") from error

        return pandas.DataFrame(self.frame().to_dict(as_series=False))

    def to_dict(self) -> dict[str, Any]:
        """Plain values: `findings` and `provenance`, between them what else is known."""
        between: dict[str, Any] = {}
        if self.abilities:
            between["abilities"] = [ability.to_dict() for ability in self.abilities]
        if self.remarks:
            between["remarks"] = {system: list(remarks) for system, remarks in self.remarks.items()}
        if self.measurements is not None:
            between["measurements"] = self.measurements.to_dict()
        return {"findings": [finding.to_dict() for finding in self.findings], **between, "provenance": self.provenance}

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity: what is undefined is null, with its reason beside it."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, folder: str | Path) -> None:
        """Write `report.json`, `report.html` and, where they are known, `scores.parquet` and `corpus.parquet`.

        All or none: a report never stands beside scores of another audit.
        """
        folder = Path(folder)
        contents = {folder / PAGE_FILE: self.to_html().encode(), folder / REPORT_FILE: f"{self.to_json()}\n".encode()}
        if self.scores is not None:
            contents[folder / SCORES_FILE] = self.scores.to_bytes()
        if self.corpus is not None:
            contents[folder / CORPUS_FILE] = self.corpus.to_bytes()
        write_together(contents)
        if self.measurements is not None:
            save_measurements(self.measurements, folder)

    def save_page(self, folder: Path) -> Path:
        """Write `report.html`."""
        path = folder / PAGE_FILE
        write_whole(path, self.to_html().encode())
        return path

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a saved report, with its scores where they were kept."""
        folder = Path(folder)
        path = folder / REPORT_FILE
        if not path.is_file():
            raise UsageError(f"{folder} holds no {REPORT_FILE}; `evenhand audit ... --out {folder}` makes one")
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            findings = tuple(Finding.from_dict(values) for values in content["findings"])
            provenance = content["provenance"]
            abilities = tuple(Ability.from_dict(values) for values in content.get("abilities", ()))
            remarks = {system: tuple(said) for system, said in content.get("remarks", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvenhandError(f"{path} is not a report of this version: {error}") from error
        scores, corpus = folder / SCORES_FILE, folder / CORPUS_FILE
        return cls(
            findings,
            provenance,
            Scores.load(scores) if scores.is_file() else None,
            Corpus.load(corpus) if corpus.is_file() else None,
            abilities=abilities,
            remarks=remarks,
        )


def _flat(finding: Finding) -> dict[str, Any]:
    values = finding.to_dict()
    for part in ("generalising", "equivalence", "power"):
        values |= {f"{part}_{name}": value for name, value in values.pop(part).items()}
    values["generalising_left_out"] = ", ".join(values["generalising_left_out"])
    rests_on = values.pop("rests_on")
    values |= {"rests_on": rests_on["person"], "without": rests_on["without"]}
    for name in ("range", "interval", "generalising_interval"):
        low, high = values.pop(name) or (None, None)
        values |= {f"{name}_low": low, f"{name}_high": high}
    values["undefined"] = "; ".join(f"{name}: {reason}" for name, reason in values["undefined"].items())
    return values
