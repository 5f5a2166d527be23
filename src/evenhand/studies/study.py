"""Studies of many systems: all submissions through all comparisons at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.asking import Scores
from evenhand.comparing.decisions import Decision
from evenhand.comparing.findings import Finding
from evenhand.comparing.settings import Settings
from evenhand.comparing.thresholds import Threshold, read_thresholds
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.files.plain import rebuild
from evenhand.results import Note, Provenance, Result, Subject
from evenhand.results.rendering import Files
from evenhand.results.result import CORPUS_FILE, SCORES_FILE, attached, saved_bytes
from evenhand.studies.against import Against, find_baseline
from evenhand.studies.decisions import Downstream, decide_all, downstream
from evenhand.studies.descriptors import DescriptorGap, descriptor_gaps
from evenhand.studies.entries import Descriptors, Problem
from evenhand.studies.examination import Examination
from evenhand.studies.gold import Gold
from evenhand.studies.quality import Quality, qualities
from evenhand.studies.reading import Submission, Submissions
from evenhand.studies.statements import Statement, statements
from evenhand.studies.tables import Table, general_group, published_group

FIRST_COLUMNS = (
    *("system", "dimension", "table", "rank", "spearman", "verdict", "mean_difference"),
    *("generalising_shown_interval_low", "generalising_shown_interval_high"),
)
"""What people look for stands first in the table."""


@dataclass(frozen=True)
class Examined:
    """One submission: how good it is, and what was found."""

    system: str
    dimension: str
    file: str
    quality: Quality
    findings: Mapping[str, Finding]
    """By table."""
    against: Mapping[str, Against]
    """By table, beside the baseline; empty without one."""
    about: Mapping[str, Sequence[str]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "system": self.system,
            "dimension": self.dimension,
            "file": self.file,
            **asdict(self.quality),
            "about": {name: list(values) for name, values in self.about.items()},
            "findings": {table: _with_groups(finding) for table, finding in self.findings.items()},
            "against_baseline": {table: asdict(one) for table, one in self.against.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            values["system"],
            values["dimension"],
            values["file"],
            rebuild(Quality, values),
            {table: Finding.from_dict(finding) for table, finding in values["findings"].items()},
            {table: rebuild(Against, one) for table, one in values["against_baseline"].items()},
            {name: tuple(texts) for name, texts in values["about"].items()},
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row for each table: quality, finding, and how it stands to the baseline."""
        lead = {"system": self.system, "dimension": self.dimension}
        lead |= {name: getattr(self.quality, name) for name in ("rank", "pearson", "spearman")}
        about = {f"about_{name}": "; ".join(texts) for name, texts in self.about.items()}
        return [
            {**lead, "table": table, **_with_groups(finding, finding.flat()), **self._beside(table), **about}
            for table, finding in self.findings.items()
        ]

    def _beside(self, table: str) -> dict[str, Any]:
        beside = self.against.get(table)
        names = ("change", "effect", "general_effect")
        return {f"baseline_{name}": None if beside is None else getattr(beside, name) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """What was found about many systems. `scores` and `corpus` are None for one that was loaded without them."""

    kind: ClassVar[str] = "study"
    file: ClassVar[str] = "study.json"

    submissions: tuple[Examined, ...]
    tables: Mapping[str, Table]
    """As published."""
    general_tables: Mapping[str, Table]
    """By the test that speaks for persons, templates and words in general."""
    statements: tuple[Statement, ...]
    descriptors: tuple[DescriptorGap, ...]
    baseline: str | None
    problems: tuple[Problem, ...]
    assessments: int
    """Submissions × comparisons on the full corpus."""
    threshold: float
    generalising_threshold: float
    settings: Settings
    scores: Scores | None = field(default=None, repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    decisions: tuple[Decision, ...] = ()
    """What thresholds make of the scores, where any were given: a row for each submission, comparison and threshold."""

    @cached_property
    def downstream(self) -> tuple[Downstream, ...]:
        """The decisions summed up over the submissions of each dimension."""
        return downstream(self.decisions)

    def decisions_of(self, one: Examined) -> list[Decision]:
        """Those of one submission."""
        return [made for made in self.decisions if (made.system, made.output) == (one.system, one.dimension)]

    def decided(self, thresholds: Threshold | str | Iterable[Threshold | str]) -> Self:
        """The same study with other thresholds: numbers, or `"median"` for that of each submission's own scores."""
        corpus, scores = self.drawn_from
        asked = read_thresholds(thresholds)
        questions = [
            one
            for table in self.full()
            for one in contrasts(corpus, table.attribute)
            if (one.first, one.second) == (table.first, table.second) and not one.interaction
        ]
        made = decide_all(questions, scores, corpus, thresholds=asked, alpha=self.settings.alpha)
        provenance = replace(self.provenance, settings={**self.provenance.settings, "thresholds": list(asked)})
        return replace(self, decisions=made, provenance=provenance)

    def decisions_frame(self) -> pl.DataFrame:
        """One row per submission, comparison and threshold, the nested parts in columns such as `first_rate_low`."""
        return pl.DataFrame([one.flat() for one in self.decisions], infer_schema_length=None)

    def __repr__(self) -> str:
        left_out = sum(problem.left_out for problem in self.problems)
        return f"<Study: submissions: {len(self.submissions)}, files left out: {left_out}; {', '.join(self.tables)}>"

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that were submitted to, in order."""
        return tuple(dict.fromkeys(one.dimension for one in self.submissions))

    @cached_property
    def has_ranks(self) -> bool:
        """Whether anything is known about quality."""
        return any(one.quality.rank is not None for one in self.submissions)

    def of(self, dimension: str) -> list[Examined]:
        """A dimension's submissions, the best first, those without a rank last and by name."""
        members = [one for one in self.submissions if one.dimension == dimension]
        return sorted(members, key=lambda one: (one.quality.rank or len(members) + 1, one.system))

    def full(self, attribute: str | None = None) -> list[Table]:
        """The tables on all sentences (of an attribute)."""
        return [t for t in self.tables.values() if t.subset == "all" and attribute in (None, t.attribute)]

    @property
    def drawn_from(self) -> tuple[Corpus, Scores]:
        """What pages and figures are drawn from."""
        if self.corpus is None or self.scores is None:
            raise UsageError("this study was saved without its scores and corpus, so there is nothing to draw")
        return self.corpus, self.scores

    def frame(self) -> pl.DataFrame:
        """One row per submission and table, what was found first."""
        frame = pl.DataFrame([row for one in self.submissions for row in one.rows()], infer_schema_length=None)
        first = [name for name in FIRST_COLUMNS if name in frame.columns]
        return frame.select(*first, pl.exclude(first))

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """The corpus: submissions come and go while a task runs."""
        return Subject(corpora=provenance.corpus_names)

    def content(self) -> dict[str, Any]:
        """The published tables first, then every system, then what is said of all of them."""
        return {
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "systems": [one.to_dict() for one in self.submissions],
            "assessments": self.assessments,
            "threshold": self.threshold,
            "generalising_threshold": self.generalising_threshold,
            "general_tables": {name: table.to_dict() for name, table in self.general_tables.items()},
            "comparisons": {name: table.comparison() for name, table in self.tables.items()},
            "corrections": {
                correction: {name: table.corrections[correction] for name, table in self.tables.items()}
                for correction in next(iter(self.tables.values())).corrections
            },
            "statements": [asdict(one) for one in self.statements],
            "descriptors": [asdict(one) for one in self.descriptors],
            "baseline": self.baseline,
            "problems": [asdict(one) for one in self.problems],
            "settings": asdict(self.settings),
            "decisions": [one.to_dict() for one in self.decisions],
            "downstream": [asdict(one) for one in self.downstream],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild a study, with its scores and its corpus where they were kept."""
        compared = values["comparisons"]
        by_correction = {
            name: {correction: counts[name] for correction, counts in values["corrections"].items()}
            for name in compared
        }
        return cls(
            submissions=tuple(Examined.from_dict(one) for one in values["systems"]),
            tables={
                name: Table.from_dict(name, cells, compared[name], by_correction[name])
                for name, cells in values["tables"].items()
            },
            general_tables={
                name: Table.from_dict(name, cells, compared[name], {})
                for name, cells in values["general_tables"].items()
            },
            statements=tuple(rebuild(Statement, one) for one in values["statements"]),
            descriptors=tuple(rebuild(DescriptorGap, one) for one in values["descriptors"]),
            problems=tuple(rebuild(Problem, one) for one in values["problems"]),
            settings=rebuild(Settings, values["settings"]),
            scores=attached(Scores, folder, SCORES_FILE),
            corpus=attached(Corpus, folder, CORPUS_FILE),
            decisions=tuple(Decision.from_dict(one) for one in values.get("decisions", ())),
            **{name: values[name] for name in ("baseline", "assessments", "threshold", "generalising_threshold")},
            **cls.common(values),
        )

    def attachments(self) -> Files:
        """The scores and the corpus, where they are known."""
        return saved_bytes({SCORES_FILE: self.scores, CORPUS_FILE: self.corpus})


def examine(
    submissions: Submissions,
    corpus: Corpus,
    *,
    gold: Mapping[str, Gold] | None = None,
    settings: Settings | None = None,
    attributes: Sequence[str] | None = None,
    baseline: str | None = None,
    about: Descriptors | None = None,
    evidence: bool = True,
) -> Study:
    """Test every submission on every comparison; the family of the correction is that of the full corpus."""
    settings, about = settings or Settings(), about or {}
    beside = find_baseline(baseline, [member.system for member in submissions.members])
    examination = Examination(submissions, corpus, settings, attributes or list(corpus.attributes), evidence=evidence)
    members = submissions.members
    quality = qualities(members, gold or {})
    compared = examination.against(beside) if beside else {}
    examined = tuple(
        Examined(
            member.system,
            member.dimension,
            member.file,
            quality[place],
            {name: found[place] for name, found in examination.found.items() if place in found},
            {name: found[place] for name, found in compared.items() if place in found},
            about.get(member.system, {}),
        )
        for place, member in enumerate(members)
    )
    full = {name: found for name, found in examination.found.items() if examination.questions[name].subset == "all"}
    return Study(
        submissions=examined,
        tables=examination.tables(published_group),
        general_tables=examination.tables(general_group),
        statements=statements(
            {name: examination.by_dimension(name) for name in full},
            {(one.system, one.dimension): one.quality for one in examined},
        ),
        descriptors=descriptor_gaps(_shares(full, members), about, alpha=settings.alpha),
        baseline=beside,
        problems=submissions.problems,
        assessments=examination.family.size,
        threshold=examination.family.published.threshold,
        generalising_threshold=examination.family.over_all.threshold,
        settings=settings,
        scores=submissions.scores,
        corpus=corpus,
        notes=tuple(Note(problem.file, problem.message) for problem in submissions.problems),
    )


def _shares(
    found: Mapping[str, Mapping[int, Finding]], members: Sequence[Submission]
) -> dict[str, dict[str, list[float]]]:
    """By comparison and system: the gaps of its dimensions, as shares of the range."""
    gaps: dict[str, dict[str, list[float]]] = {}
    for name, findings in found.items():
        for place, finding in findings.items():
            by_system = gaps.setdefault(name, {})
            by_system.setdefault(members[place].system, []).append(finding.mean_difference / finding.span)
    return gaps


def _with_groups(finding: Finding, values: dict[str, Any] | None = None) -> dict[str, Any]:
    """The finding's plain values, and the groups of both tables that it belongs to."""
    groups = {"group": published_group(finding), "general_group": general_group(finding)}
    return {**(finding.to_dict() if values is None else values), **groups}
