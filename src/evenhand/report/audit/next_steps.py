"""What to do about each verdict, as commands that run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import CROSS
from evenhand.corpora import corpus_names
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.words import people_of
from evenhand.report.common.commands import Typed, joined

DEFAULT = "eec"
MOST_REPAIRS = 3
OTHER_NAMES = {"eec": "identity-names", "identity-names": "eec"}
"""Where to find other names of the same groups."""
WIDEST = 0.2
"""No larger gap is suggested as one that may not matter, as a share of the range."""


@dataclass(frozen=True)
class Step:
    """What a verdict calls for, and the commands that do it, in order."""

    verdict: str
    text: str
    commands: tuple[str, ...]


def next_steps(audit: Audit) -> list[Step]:
    """A step for each verdict that was found; none where no command was typed, as systems made in Python have none."""
    if audit.provenance.command is None:
        return []
    typed = Typed.read(audit.provenance.command)
    found = {
        verdicts: [finding for finding in audit.findings if finding.verdict in verdicts]
        for verdicts in (("higher", "lower"), ("cannot tell",), ("equivalent",), ("no reaction seen",))
    }
    different, unsure, equivalent, silent = found.values()
    return [
        *(_repairs(typed, different) if different and not audit.of_taggers else []),
        *(_decisions(typed, unsure, audit) if unsure else []),
        *([_stricter(typed, equivalent)] if equivalent else []),
        *(_other_words(typed, silent, audit) if silent else []),
    ]


def _other_words(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """Where nobody made a difference, others may: a corpus with other words for the same groups, where there is one."""
    name = OTHER_NAMES.get(audit.provenance.corpora[0].name)
    recorded = any(subject.startswith("file:") for subject in typed.subjects)
    if name is None or recorded or not {finding.attribute for finding in findings} <= {"gender", "race"}:
        return []
    text = "Names that were not asked about may still make a difference; ask about others"
    again = typed.audit(corpus=name, without=["--spelling", "--subset", "--sample"])
    return [Step("no reaction seen", text, (again,))]


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
    name = dict(typed.options).get("--corpus", DEFAULT)
    if name not in corpus_names():
        return []
    spelling, own = [option for option in typed.options if option[0] == "--spelling"], f"my-{name}.csv"
    copy = joined("corpus export", [name], [*spelling, ("--out", own)])
    again = typed.audit(without=["--spelling"], corpus=own)
    recorded = any(subject.startswith("file:") for subject in typed.subjects)
    then = "predict on the copy, and audit it" if recorded else "and audit the copy"
    text = f"Copy the corpus, add {people_of(audit.findings)} of each group to every source, {then}"
    return [Step("cannot tell", text, (copy,) if recorded else (copy, again))]


def _wider(typed: Typed, findings: Sequence[Finding]) -> list[Step]:
    """The smallest tolerance within which all of these gaps are shown to lie."""
    steady = [(finding.equivalence.steady_bound, finding.span) for finding in findings]
    bounds = [bound / span for bound, span in steady if bound is not None]
    if not bounds or max(bounds) > WIDEST:
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
