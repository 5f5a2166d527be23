"""What to do about each verdict, as commands that run."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import CROSS
from evenhand.corpora import corpus_names
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.words import people_of

OWN_COPY = "my-corpus.csv"
ABOUT_THE_SYSTEM = ("--base-url", "--corpus", "--range", "--sample", "--spelling", "--system-version")
"""Options that a repair shares with the audit that led to it."""
MOST_REPAIRS = 3


@dataclass(frozen=True)
class Step:
    """What a verdict calls for, and the commands that do it, in order."""

    verdict: str
    text: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Typed:
    """A command as it was typed: what it is about, and its options, each of which has a value."""

    subjects: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, command: str) -> Self:
        """Take `evenhand VERB SUBJECT... --option VALUE` apart.

        >>> Typed.read("evenhand audit vader --range=-1,1 --sample 480")
        Typed(subjects=('vader',), options=(('--range', '-1,1'), ('--sample', '480')))
        """
        subjects, options = [], []
        words = iter(shlex.split(command)[2:])
        for word in words:
            name, equals, value = word.partition("=")
            if word.startswith("--"):
                options.append((name, value if equals else next(words, "")))
            else:
                subjects.append(word)
        return cls(tuple(subjects), tuple(options))

    def audit(self, *, without: Sequence[str] = (), **changed: str) -> str:
        """The same audit, without some options and with others.

        >>> Typed(("vader",), (("--sample", "480"), ("--corpus", "eec"))).audit(without=["--sample"], equivalence="0.2")
        'evenhand audit vader --corpus eec --equivalence 0.2'
        """
        new = {f"--{name}": value for name, value in changed.items()}
        kept = [(name, value) for name, value in self.options if name not in {*new, *without}]
        return _joined("audit", self.subjects, [*kept, *new.items()])

    def repair(self, subject: str, attributes: Sequence[str]) -> str:
        """Repair one of its systems."""
        kept = [(name, value) for name, value in self.options if name in ABOUT_THE_SYSTEM]
        return _joined("repair", [subject], [*kept, *(("--attribute", name) for name in attributes)])


def next_steps(audit: Audit) -> list[Step]:
    """A step for each verdict that was found; none where no command was typed, as systems made in Python have none."""
    if audit.provenance.command is None:
        return []
    typed = Typed.read(audit.provenance.command)
    found = {
        verdicts: [finding for finding in audit.findings if finding.verdict in verdicts]
        for verdicts in (("higher", "lower"), ("cannot tell",), ("equivalent",))
    }
    different, unsure, equivalent = found.values()
    return [
        *(_repairs(typed, different) if different and not audit.of_taggers else []),
        *(_decisions(typed, unsure, audit) if unsure else []),
        *([_stricter(typed, equivalent)] if equivalent else []),
    ]


def _repairs(typed: Typed, findings: Sequence[Finding]) -> list[Step]:
    """Systems go by the names they were typed with; one that was typed alone may have given itself another."""
    by_system: dict[str, dict[str, None]] = {}
    for finding in findings:
        system = typed.subjects[0] if len(typed.subjects) == 1 else finding.system
        if system in typed.subjects:
            by_system.setdefault(system, {}).update(dict.fromkeys(finding.attribute.split(CROSS)))
    commands = [typed.repair(system, list(names)) for system, names in by_system.items()]
    text = "See how far the gap can be closed, and at what cost"
    return [Step("higher or lower", text, tuple(commands[:MOST_REPAIRS]))] if commands else []


def _decisions(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    if audit.provenance.settings.get("sample") is not None:
        whole = typed.audit(without=["--sample"])
        return [Step("cannot tell", "This was a sample; ask about all sentences", (whole,))]
    return [*_more_people(typed, audit), *_wider(typed, findings)]


def _more_people(typed: Typed, audit: Audit) -> list[Step]:
    """Copies can be made of the corpora that come with Evenhand; who brought another one knows how to add to it."""
    name = audit.provenance.corpora[0].name
    if name not in corpus_names():
        return []
    spelling = [option for option in typed.options if option[0] == "--spelling"]
    copy = _joined("corpus export", [name], [*spelling, ("--out", OWN_COPY)])
    again = typed.audit(without=["--spelling"], corpus=OWN_COPY)
    text = f"Copy the corpus, add {people_of(audit.findings)} of each group to every source, and audit the copy"
    return [Step("cannot tell", text, (copy, again))]


def _wider(typed: Typed, findings: Sequence[Finding]) -> list[Step]:
    """The smallest tolerance within which all of these gaps are shown to lie."""
    bounds = [finding.equivalence.bound / finding.span for finding in findings if finding.equivalence.bound is not None]
    if not bounds or max(bounds) >= 1:
        return []
    share = _rounded_up(max(bounds))
    text = (
        f"If gaps of up to {100 * share:.3g} {terms_of(findings).drawn} do not matter for your use, raise the tolerance"
    )
    return [Step("cannot tell", text, (typed.audit(equivalence=f"{share:g}"),))]


def _stricter(typed: Typed, findings: Sequence[Finding]) -> Step:
    share = max(finding.equivalence.delta / finding.span for finding in findings)
    text = f"It only means within ±{100 * share:.3g} {terms_of(findings).drawn}; for a stricter tolerance"
    return Step("equivalent", text, (typed.audit(equivalence=f"{share / 2:.3g}"),))


def _rounded_up(value: float) -> float:
    """
    >>> _rounded_up(0.03712), _rounded_up(0.2)
    (0.038, 0.2)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.2g}")


def _joined(verb: str, subjects: Sequence[str], options: Sequence[tuple[str, str]]) -> str:
    given = [word for name, value in options for word in (name, value)]
    return " ".join(["evenhand", verb, shlex.join([*subjects, *given])])
