"""Studies of many systems: all submissions through all comparisons at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from evenhand.comparing.settings import Settings
from evenhand.corpora import Corpus
from evenhand.findings import Finding
from evenhand.scoring import Scores
from evenhand.studies.against import Against, find_baseline
from evenhand.studies.descriptors import DescriptorGap, descriptor_gaps
from evenhand.studies.entries import Descriptors, Problem
from evenhand.studies.examination import Examination
from evenhand.studies.gold import Gold
from evenhand.studies.quality import Quality, qualities
from evenhand.studies.reading import Submission, Submissions
from evenhand.studies.statements import Statement, statements
from evenhand.studies.tables import Table, general_group, published_group


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
        """Plain values; findings without what they rest on, which the submission's page shows."""
        return {
            "system": self.system,
            "dimension": self.dimension,
            "file": self.file,
            **asdict(self.quality),
            "about": {name: list(values) for name, values in self.about.items()},
            "findings": {table: _brief(finding) for table, finding in self.findings.items()},
            "against_baseline": {table: asdict(one) for table, one in self.against.items()},
        }


@dataclass(frozen=True, eq=False)
class Study:
    """What was found about many systems."""

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
    scores: Scores = field(repr=False)
    corpus: Corpus = field(repr=False)
    provenance: dict[str, Any] = field(default_factory=dict, repr=False)

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "systems": [one.to_dict() for one in self.submissions],
            "assessments": self.assessments,
            "threshold": self.threshold,
            "generalising_threshold": self.generalising_threshold,
            "general_tables": {name: _every_cell(table) for name, table in self.general_tables.items()},
            "corrections": {
                correction: {name: table.corrections[correction] for name, table in self.tables.items()}
                for correction in next(iter(self.tables.values())).corrections
            },
            "statements": [asdict(one) for one in self.statements],
            "descriptors": [asdict(one) for one in self.descriptors],
            "baseline": self.baseline,
            "problems": [asdict(one) for one in self.problems],
            "provenance": self.provenance,
        }

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity: what is undefined is null, with its reason beside it."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)


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
        generalising_threshold=examination.family.general.threshold,
        settings=settings,
        scores=submissions.scores,
        corpus=corpus,
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


def _brief(finding: Finding) -> dict[str, Any]:
    values = finding.to_dict()
    for name in ("system", "output", "rests_on", "draws", "draw_spread"):
        values.pop(name)
    values["undefined"] = {
        name: why for name, why in values["undefined"].items() if not name.startswith(("rests_on", "draw"))
    }
    values["group"], values["general_group"] = published_group(finding), general_group(finding)
    return values


def _every_cell(table: Table) -> dict[str, Any]:
    return {dimension: {group: asdict(row) for group, row in rows.items()} for dimension, rows in table.rows.items()}
