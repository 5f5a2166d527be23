"""What to do about each verdict, as commands that run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.comparing.verdicts import NOT_BY_PERSONS_ALONE
from evenhand.contrasts import CROSS
from evenhand.corpora import corpus_names
from evenhand.report.audit.harm import undeclared
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.words import people_of
from evenhand.report.common.commands import Option, Typed, joined
from evenhand.report.common.steps import Step

DEFAULT = "eec"
SAVED = "my-audit"
"""Where a step saves an audit that another step reads."""
MOST_REPAIRS = 3
OTHER_NAMES = {"eec": "identity-names", "identity-names": "eec", "eec-extended": "identity-names"}
"""Where to find other names of the same groups; from the EEC, more of them: 58 a gender, 28 of each race."""
WIDEST = 0.2
"""No larger gap is suggested as one that may not matter, as a share of the range."""
DIFFERENT, UNSURE, WEAK = "higher or lower", "cannot tell", "does not do its job"
COMMA = ","
"""Stands between the conditions of a subset, so that no value can hold one."""
PART_OF_IT = ("--sample", "--subset", "--without")
"""Options that leave sentences out."""


def next_steps(audit: Audit) -> list[Step]:
    """A step for each verdict that was found; none where no command was typed, as systems made in Python have none."""
    if audit.provenance.command is None:
        return []
    typed = Typed.read(audit.provenance.command)
    different = [one for one in audit.findings if one.verdict in ("higher", "lower")]
    unsure = [one for one in audit.findings if one.verdict == UNSURE and one.withheld is None]
    hanging = [one for one in audit.findings if one.withheld is not None]
    weak = [one for one in audit.findings if one.does_its_job is False]
    equivalent = [one for one in audit.findings if one.verdict == "equivalent" and not one.says_little]
    silent = [one for one in audit.findings if one.verdict == "no reaction seen" and not one.says_little]
    return [
        *(_repairs(typed, different, audit) if different else []),
        *_hanging(typed, hanging),
        *(_decisions(typed, unsure, audit) if unsure else []),
        *_wider(typed, [*unsure, *hanging]),
        *([_stricter(typed, equivalent)] if equivalent else []),
        *(_other_words(typed, silent, audit) if silent else []),
        *([_doing_its_job(typed)] if weak else []),
        *_compared(typed, audit),
    ]


def _repairs(typed: Typed, findings: Sequence[Finding], audit: Audit) -> Iterator[Step]:
    """Repair where it can be; of taggers, which nobody repairs here, the template that adds most to the gap."""
    unknown = undeclared(findings)
    if unknown and not typed.given("--high-is"):
        text = f"Say whether a high {unknown[0]} is good, bad or neither for the person, to be told who is worse off"
        yield Step(DIFFERENT, text, (typed.again(high_is="bad"),))
    if audit.of_taggers:
        largest = next((one.rests_on.templates[0] for one in findings if one.rests_on.templates), None)
        if largest is not None and COMMA not in largest.label:
            text = f"Look at the template that adds most to the gap, “{largest.label}”"
            yield Step(DIFFERENT, text, (_alone(typed, "template", largest.label),))
        return
    by_system: dict[str, dict[str, None]] = {}
    for finding in findings:
        system = typed.subjects[0] if len(typed.subjects) == 1 else finding.system
        if system in typed.subjects:
            by_system.setdefault(system, {}).update(dict.fromkeys(finding.attribute.split(CROSS)))
    commands = [_repair(typed, system, list(names)) for system, names in by_system.items()]
    if commands:
        text = "See how far the gap can be closed, and at what cost"
        yield Step(DIFFERENT, text, tuple(commands[:MOST_REPAIRS]))


def _repair(typed: Typed, system: str, attributes: Sequence[str]) -> str:
    """One of the systems; what was said of others is left out, as it would be refused."""
    also: list[Option] = [("--attribute", name) for name in attributes]
    if len(typed.subjects) == 1:
        return typed.about_the_system("repair", system, also)
    kept = [option for option in typed.options if option[0] in ("--corpus", "--spelling", "--sample")]
    return joined("repair", [system], [*kept, *also])


def _hanging(typed: Typed, findings: Sequence[Finding]) -> Iterator[Step]:
    """What a verdict hangs on, looked at and left out."""
    for (kind, label), verdict in {
        (one.withheld.kind, one.withheld.label): one.withheld.verdict for one in findings if one.withheld is not None
    }.items():
        who = label if kind == "person" else f"the {kind} “{label}”"
        labels = label.split(", ") if kind == "person" else [label]
        yield Step(UNSURE, f"“{verdict}” hangs on {who}; see what is left without", (_left_out(typed, labels),))
        if kind != "person" and COMMA not in label:
            yield Step(UNSURE, f"See {who} alone", (_alone(typed, kind, label),))


def _left_out(typed: Typed, labels: Sequence[str]) -> str:
    """The same without these persons or templates, besides those that were left out already."""
    return typed.again(also=[("--without", label) for label in labels])


def _alone(typed: Typed, column: str, value: str) -> str:
    """The same on the sentences of one template only."""
    return typed.again(subset=f"{column}={value}")


def _decisions(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    part = [name for name in PART_OF_IT if typed.given(name)]
    if part:
        what = "a sample" if part[0] == "--sample" else "a part of the corpus"
        return [Step(UNSURE, f"This was {what}; ask about all sentences", (typed.again(without=part),))]
    alone = dict.fromkeys(one.rests_on.person for one in findings if one.rests_on.alone and one.rests_on.person)
    without = [
        Step(UNSURE, f"{who} alone accounts for the gap; see what is left without", (_left_out(typed, [who]),))
        for who in alone
        if who is not None
    ]
    return [*without, *_more_names(typed, findings, audit), *_more_people(typed, audit, UNSURE)]


def _other_words(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """Where nobody made a difference, others may: a corpus with other words for the same groups, where there is one."""
    text = "Names that were not asked about may still make a difference; ask about others"
    again = _elsewhere(typed, findings, audit)
    verdict = "no reaction seen"
    return _more_people(typed, audit, verdict) if again is None else [Step(verdict, text, (again,))]


def _more_names(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """From the EEC, a corpus with more names of the same groups, where more of them can settle it."""
    asked = [one for one in findings if one.undefined.get("power.persons_needed") != NOT_BY_PERSONS_ALONE]
    if not asked or audit.provenance.corpora[0].name != DEFAULT:
        return []
    again = _elsewhere(typed, asked, audit)
    return [] if again is None else [Step(UNSURE, "Ask about more names of these groups", (again,))]


def _elsewhere(typed: Typed, findings: Sequence[Finding], audit: Audit) -> str | None:
    """The same audit with other names of the same groups; None where no packaged corpus has any."""
    name = OTHER_NAMES.get(audit.provenance.corpora[0].name)
    about = list(dict.fromkeys(part for one in findings for part in one.attribute.split(CROSS)))
    if name is None or typed.recorded or audit.of_taggers or not {*about} <= {"gender", "race"}:
        return None
    # A few-shot task may ask each sentence for its own emotion, which other corpora do not have.
    return typed.again(
        corpus=name,
        without=["--spelling", "--attribute", *PART_OF_IT],
        also=[("--attribute", one) for one in about],
    )


def _more_people(typed: Typed, audit: Audit, verdict: str) -> list[Step]:
    """Copies can be made of the corpora that come with Evenhand; who brought another one adds to that."""
    name = next(iter(typed.given("--corpus")), DEFAULT)
    called = people_of(audit.findings)
    if name not in corpus_names():
        then = "predict on it, and audit it again" if typed.recorded else "and audit it again"
        return [Step(verdict, f"Add {called} of each group to every source of {name}, {then}", (typed.again(),))]
    spelling = [option for option in typed.options if option[0] == "--spelling"]
    # A table has no place for tokens and their tags.
    own = f"my-{name}.parquet" if audit.of_taggers else f"my-{name}.csv"
    copy = joined("corpus export", [name], [*spelling, ("--out", own)])
    again = typed.again(without=["--spelling"], corpus=own)
    then = "predict on the copy, and audit it" if typed.recorded else "and audit the copy"
    text = f"Copy the corpus, add {called} of each group to every source, {then}"
    return [Step(verdict, text, (copy,) if typed.recorded else (copy, again))]


def _wider(typed: Typed, findings: Sequence[Finding]) -> list[Step]:
    """The smallest tolerance within which all of these gaps are shown to lie."""
    steady = [(finding.equivalence.steady_bound, finding.span) for finding in findings]
    bounds = [bound / span for bound, span in steady if bound is not None]
    if not bounds or max(bounds) > WIDEST or any(typed.given(name) for name in PART_OF_IT):
        return []
    share = rounded_up(max(bounds))
    text = (
        f"If gaps of up to {100 * share:.3g} {terms_of(findings).drawn} do not matter for your use, raise the tolerance"
    )
    return [Step(UNSURE, text, (typed.again(equivalence=f"{share:g}"),))]


def _stricter(typed: Typed, findings: Sequence[Finding]) -> Step:
    share = max(finding.equivalence.delta / finding.span for finding in findings)
    text = f"It only means within ±{100 * share:.3g} {terms_of(findings).drawn}; for a stricter tolerance"
    return Step("equivalent", text, (typed.again(equivalence=f"{share / 2:.3g}"),))


def _doing_its_job(typed: Typed) -> Step:
    text = "See on a page what it makes of each word; verdicts say little of a system that does not follow the words"
    return Step(WEAK, text, (typed.again(also=[("--out", SAVED)]),))


def _compared(typed: Typed, audit: Audit) -> list[Step]:
    """Two systems on the same sentences: whose gap is larger is a question of its own."""
    systems = list(dict.fromkeys(finding.system for finding in audit.findings))
    if len(systems) < 2 or audit.of_taggers:
        return []
    one, other = (f"{SAVED}#{system}" for system in systems[:2])
    save = typed.again(also=[("--out", SAVED)])
    text = "Verdicts of two systems cannot be subtracted; compare their gaps"
    return [Step("two systems", text, (save, joined("compare", [one, other], [])))]


def rounded_up(value: float) -> float:
    """
    >>> rounded_up(0.03712), rounded_up(0.2)
    (0.038, 0.2)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.2g}")
