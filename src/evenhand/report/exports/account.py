"""Exports: what a result has to say to those who must answer for it, the same whatever the format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from evenhand.errors import UsageError, did_you_mean, so_many
from evenhand.report.common.commands import Typed
from evenhand.report.common.provenance import stated
from evenhand.results import FileUsed, Provenance, Result, Statement

Facts = tuple[tuple[str, str], ...]
NOT_STATED = "not stated"
ELSEWHERE = (
    "A difference shows that the system reacts to who a text is about. It does not show why, and its absence does not "
    "show that people are treated alike elsewhere."
)
NOT_PEOPLE = (
    "Words that stand for a group are not people: a gap between names is no gap between applicants, customers or users."
)
"""What no test of this kind can show."""


@dataclass(frozen=True)
class Request:
    """What is to be exported: a result, one of its systems or all, and the files that it was saved in."""

    result: Result
    system: str | None = None
    files: tuple[FileUsed, ...] = ()

    @property
    def provenance(self) -> Provenance:
        """Where the result comes from."""
        return self.result.provenance

    @property
    def statement(self) -> Statement:
        """What was said about it."""
        return self.result.provenance.statement

    def chosen(self, systems: Iterable[str]) -> tuple[str, ...]:
        """The systems that are asked for, of those that there are."""
        known = tuple(dict.fromkeys(systems))
        if self.system is None:
            return known
        if self.system not in known:
            raise UsageError(f"the result has no system {self.system!r}{did_you_mean(self.system, known)}")
        return (self.system,)


@dataclass(frozen=True)
class Track:
    """A gap as a small picture: in per cent of the range, with its interval and the tolerance."""

    value: float
    interval: tuple[float, float] | None
    tolerance: float


@dataclass(frozen=True)
class Row:
    """One result: the system, the cells of a table below its headings, and how it is drawn."""

    system: str
    cells: tuple[str, ...]
    verdict: str = ""
    track: Track | None = None


@dataclass(frozen=True)
class Table:
    """Results with their headings; `alignment` has an l or r for each column."""

    headings: tuple[str, ...]
    alignment: str
    rows: tuple[Row, ...]

    def of(self, system: str) -> Table:
        """The rows of one system."""
        return Table(self.headings, self.alignment, tuple(row for row in self.rows if row.system == system))


@dataclass(frozen=True)
class Sentence:
    """What was found, in words: about a system, or about all of them."""

    system: str | None
    text: str
    verdict: str = ""


@dataclass(frozen=True)
class Evaluation:
    """A number as the metadata of a model card has it."""

    system: str
    metric: str
    name: str
    value: float
    args: Mapping[str, Any]


@dataclass(frozen=True)
class Account:
    """What every format is made from."""

    request: Request
    title: str
    question: str
    task: str
    """The kind of task by the name that model cards have for it."""
    corpus: tuple[str, str]
    """The name of what was asked about, and its title."""
    systems: tuple[str, ...]
    main: Table
    """What a reader should see first."""
    every: Table
    """All results."""
    reading: tuple[str, ...]
    """How to read the table."""
    words: tuple[Sentence, ...]
    """What was found, as it is told to a reader."""
    in_full: tuple[Sentence, ...]
    """Every result in words."""
    warnings: tuple[Sentence, ...]
    """What makes the results mean less than they say."""
    limits: tuple[str, ...]
    plan: Facts
    deviations: tuple[str, ...]
    evaluations: tuple[Evaluation, ...] = ()

    @property
    def statement(self) -> Statement:
        """What was said about the test."""
        return self.request.statement

    @property
    def provenance(self) -> Provenance:
        """Where it comes from."""
        return self.request.provenance

    def about(self, system: str, sentences: Sequence[Sentence]) -> list[str]:
        """The sentences about a system, and those about all."""
        return [one.text for one in sentences if one.system in (None, system)]


def said(provenance: Provenance) -> list[tuple[str, str]]:
    """What was stated; the model version is the one by which the system was asked, where no other is stated."""
    found, version = stated(provenance.statement), version_asked(provenance)
    if provenance.statement.model_version is None and version is not None:
        found.append(("Model version", f"{version} (named with --system-version)"))
    return found


def version_asked(provenance: Provenance) -> str | None:
    """What `--system-version` named."""
    if provenance.settings.get("version") is not None:
        return str(provenance.settings["version"])
    options = () if provenance.command is None else Typed.read(provenance.command).options
    return dict(options).get("--system-version")


def corpora_in_words(provenance: Provenance) -> list[str]:
    """What was asked about, with its size and version."""
    return [f"{one.name}, version {one.version}, {so_many(one.sentences, 'sentence')}" for one in provenance.corpora]


def environment(provenance: Provenance) -> Facts:
    """The versions that numbers depend on."""
    packages = [(name, version) for name, version in provenance.packages.items()]
    return (("Python", provenance.python or "not recorded"), *packages, ("Operating system", "not recorded"))


def digests(request: Request) -> Facts:
    """What identifies the corpora, the systems and the files, to the last digit."""
    about = request.provenance
    found = [(f"Corpus {one.name}", f"{one.digest} (sentences {one.sentences_digest})") for one in about.corpora]
    found += [
        (f"System {one.system}, output {one.output}", one.fingerprint or "none: nobody can tell whether it has changed")
        for one in about.systems
    ]
    found += [(f"File that was read: {one.name}", f"SHA-256 {one.sha256}") for one in about.files]
    found += [(f"File that was saved: {one.name}", f"SHA-256 {one.sha256}") for one in request.files]
    return tuple(found)


def common_deviations(result: Result) -> list[str]:
    """What every kind of result may have: a sample, notes, and what was only said afterwards."""
    statement, found = result.provenance.statement, []
    if statement.later:
        names = ", ".join(name.replace("_", " ") for name in statement.later)
        found.append(f"Said when this record was made, not with the test: {names}.")
    if result.provenance.settings.get("sample") is not None:
        found.append(f"Only a sample was used ({result.provenance.settings['sample']:,}), not all that there is.")
    found += [f"Noted while testing: {note}" for note in result.notes]
    return found


def sentence(text: str) -> str:
    """With a capital letter, and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def tolerance_facts(statement: Statement) -> Facts:
    """When and why the tolerance was set, as far as somebody says so."""
    return (
        ("Tolerance set on", _set_on(statement)),
        ("Reason for the tolerance", statement.tolerance_reason or NOT_STATED),
    )


def _set_on(statement: Statement) -> str:
    if statement.tolerance_set_on is None:
        return NOT_STATED
    return f"{statement.tolerance_set_on}, as stated; Evenhand reads no clock and cannot check it"


def tolerance_deviations(statement: Statement) -> list[str]:
    """What keeps the record from showing that the tolerance came before the results."""
    if statement.tolerance_set_on is None:
        return [
            "Nobody has stated when the tolerance was set; the record does not show that it came before the results."
        ]
    if statement.date is None:
        return ["The date of the test is not stated; the record does not show that the tolerance came before it."]
    tested, settled = date.fromisoformat(statement.date), date.fromisoformat(statement.tolerance_set_on)
    if settled > tested:
        return [f"The tolerance was set on {settled}, after the test of {tested}."]
    return ["The tolerance was set on the day of the test; which came first is not shown."] if settled == tested else []
