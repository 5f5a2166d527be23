"""What an audit found: findings, metrics where there is gold, and whether the systems do their job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.asking import Scores, Tags
from evenhand.comparing.ability import Ability
from evenhand.comparing.answered import by_sentences
from evenhand.comparing.decisions import Decision, SelectionRate, decide
from evenhand.comparing.findings import Finding
from evenhand.comparing.signals import Signal, signals
from evenhand.comparing.thresholds import Threshold, read_thresholds
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.measuring import Metrics
from evenhand.results import Result
from evenhand.results.note import by_subject
from evenhand.results.rendering import Files
from evenhand.results.result import CORPUS_FILE, SCORES_FILE, TAGS_FILE, attached, saved_bytes

FIRST_COLUMNS = (
    *("system", "output", "attribute", "first", "second", "subset", "verdict", "mean_difference"),
    *("generalising_shown_interval_low", "generalising_shown_interval_high"),
)
"""What people look for stands first in the table."""


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """What an audit found. `scores` is None for one that was loaded without them."""

    kind: ClassVar[str] = "audit"
    file: ClassVar[str] = "report.json"
    companions: ClassVar[tuple[str, ...]] = (Metrics.file,)

    findings: tuple[Finding, ...]
    scores: Scores | None = field(default=None, repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    measurements: Metrics | None = field(default=None, repr=False)
    """Metrics of classifiers and taggers, where the corpus has gold labels."""
    abilities: tuple[Ability, ...] = field(default=(), repr=False)
    """Whether the systems do their job, where the corpus has emotion words."""
    tags: Tags | None = field(default=None, repr=False)
    """What taggers said, where it is they who were asked; the scores are then whether they found each entity."""
    decisions: tuple[Decision, ...] = field(default=(), repr=False)
    """What thresholds make of the scores, where any were given: a row for each comparison and threshold."""
    selection_rates: tuple[SelectionRate, ...] = field(default=(), repr=False)
    """How often each group is selected, and each crossing of groups."""
    signals: tuple[Signal, ...] = field(default=(), repr=False)
    """How gaps go with what names are like, where people are called by names that the pool knows."""

    def __repr__(self) -> str:
        verdicts = Counter(finding.verdict for finding in self.findings)
        counted = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
        return f"<Audit: {len(self.findings)} findings ({counted})>"

    def frame(self) -> pl.DataFrame:
        """One row per finding, what was found first, the nested parts in columns such as `generalising_p`."""
        frame = pl.DataFrame([finding.flat() for finding in self.findings], infer_schema_length=None)
        first = [name for name in FIRST_COLUMNS if name in frame.columns]
        return frame.select(*first, pl.exclude(first))

    def content(self) -> dict[str, Any]:
        """`findings`, and what else is known; of taggers, the metrics stand at the top as well."""
        content: dict[str, Any] = {"findings": [finding.to_dict() for finding in self.findings]}
        if self.decisions:
            content["decisions"] = [decision.to_dict() for decision in self.decisions]
            content["selection_rates"] = [rate.to_dict() for rate in self.selection_rates]
        if self.signals:
            content["signals"] = [signal.to_dict() for signal in self.signals]
        if self.abilities:
            content["abilities"] = [ability.to_dict() for ability in self.abilities]
        remarks = by_subject(self.notes)
        if remarks:
            content["remarks"] = remarks
        if self.measurements is not None:
            content["measurements"] = self.measurements.to_dict()
            if self.of_taggers:
                content |= self.measurements.content()
        return content

    def decision_frame(self) -> pl.DataFrame:
        """One row per comparison and threshold, the nested parts in columns such as `first_rate_low`."""
        return pl.DataFrame([decision.flat() for decision in self.decisions], infer_schema_length=None)

    def rate_frame(self) -> pl.DataFrame:
        """One row per group and threshold: how often its sentences are selected."""
        return pl.DataFrame([rate.flat() for rate in self.selection_rates], infer_schema_length=None)

    def signal_frame(self) -> pl.DataFrame:
        """One row per gap between names, the nested parts in columns such as `adjusted_value`; traits side by side."""
        return pl.DataFrame([signal.flat() for signal in self.signals], infer_schema_length=None)

    def with_signals(self) -> Self:
        """The same audit, with how its gaps go with what names are like; from scores and corpus, nobody is asked."""
        if self.scores is None or self.corpus is None:
            raise UsageError("this audit was saved without scores and corpus, which this needs: audit again")
        alpha = self.provenance.settings["alpha"]
        found = [
            signal
            for scores, corpus in by_sentences(self.scores, self.corpus)
            for signal in signals(_about(scores, self.findings), scores, corpus, alpha=alpha)
        ]
        return replace(self, signals=tuple(found))

    def decided(self, thresholds: Threshold | str | Iterable[Threshold | str]) -> Self:
        """The same audit with other thresholds, from the scores that it holds; nobody is asked again.

        A threshold is a number, which selects scores that reach it, or `"median"`, which selects those above the median
        of the output's own scores.
        """
        if self.scores is None or self.corpus is None:
            raise UsageError("this audit was saved without scores and corpus, which thresholds need: audit again")
        asked = read_thresholds(thresholds)
        alpha = self.provenance.settings["alpha"]
        made = [
            decide(_about(scores, self.findings), scores, corpus, thresholds=asked, alpha=alpha)
            for scores, corpus in by_sentences(self.scores, self.corpus)
        ]
        settings = {**self.provenance.settings, "thresholds": list(asked)}
        provenance = replace(self.provenance, settings=settings)
        decisions = tuple(decision for found in made for decision in found.decisions)
        rates = tuple(rate for found in made for rate in found.rates)
        return replace(self, decisions=decisions, selection_rates=rates, provenance=provenance)

    def to_dict(self) -> dict[str, Any]:
        """Like any result; of taggers, whose audits once were metrics, the corpus is a name as it is there."""
        values = super().to_dict()
        if self.of_taggers:
            values["provenance"]["corpus"] = self.provenance.corpora[0].name
        return values

    @property
    def of_taggers(self) -> bool:
        """Whether taggers were asked: findings are then about how often they find an entity."""
        return any(finding.of_tagger for finding in self.findings)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild an audit, with its scores and its corpus where they were kept."""
        measured = values.get("measurements")
        return cls(
            findings=tuple(Finding.from_dict(finding) for finding in values["findings"]),
            scores=attached(Scores, folder, SCORES_FILE),
            corpus=attached(Corpus, folder, CORPUS_FILE),
            measurements=None if measured is None else Metrics.from_dict(measured),
            abilities=tuple(Ability.from_dict(ability) for ability in values.get("abilities", ())),
            tags=attached(Tags, folder, TAGS_FILE),
            decisions=tuple(Decision.from_dict(decision) for decision in values.get("decisions", ())),
            selection_rates=tuple(SelectionRate.from_dict(rate) for rate in values.get("selection_rates", ())),
            signals=tuple(Signal.from_dict(signal) for signal in values.get("signals", ())),
            **cls.common({"notes": _remarks(values), **values}),
        )

    def attachments(self) -> Files:
        """The scores, the corpus and the tags, where there are any."""
        known = {SCORES_FILE: self.scores, CORPUS_FILE: self.corpus, TAGS_FILE: self.tags}
        return saved_bytes(known)


def _about(scores: Scores, findings: Iterable[Finding]) -> list[Finding]:
    """The findings about these systems."""
    systems = {column.system for column in scores.columns}
    return [finding for finding in findings if finding.system in systems]


def _remarks(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What earlier versions, which had no notes, saved as remarks of systems."""
    remarks = values.get("remarks", {}).items()
    return [{"about": system, "text": text} for system, texts in remarks for text in texts]
