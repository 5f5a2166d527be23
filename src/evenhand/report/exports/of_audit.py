"""An audit as an account: its verdicts with their conditions, its plan, and what went otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import CROSS
from evenhand.errors import so_many
from evenhand.report.audit import decisions, path
from evenhand.report.audit.ability import ability_in_words
from evenhand.report.audit.amounts import amount, interval_of, measured, short_p, shown_p
from evenhand.report.audit.many import told_all
from evenhand.report.audit.naming import comparison_name, groups_in_words, labels, others_like_these, people_of, who
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.report.exports.account import (
    ELSEWHERE,
    NOT_PEOPLE,
    NOT_STATED,
    Account,
    Evaluation,
    Facts,
    Request,
    Row,
    Sentence,
    Table,
    Track,
    common_deviations,
    corpora_in_words,
    sentence,
    tolerance_deviations,
    tolerance_facts,
)

Outputs = Mapping[tuple[str, str], str]
"""What each output of a system is called: the system, where it is the only one."""
HEADINGS = ("comparison", "gap", "interval", "verdict")
IN_FULL = ("comparison", "n", "gap", "interval", "level", "tolerance", "p, like these", "p, tested", "verdict")
PLANNED = {
    "t": "published test",
    "generalising.p": "test for others like those tested",
    "generalising.shown_interval": "interval",
    "equivalence.equivalent": "test of equivalence",
}
"""What every comparison was to have, by the name under which a finding says that it is undefined."""
NEITHER = "Neither “cannot tell” nor “no reaction seen” means that people are treated alike."
TESTS = (
    "Verdicts: the generalising test over people, templates and words, two-sided; equivalence by two one-sided tests. "
    "Beside it, the published paired t-test, which speaks only for those tested."
)


def of_audit(request: Request, audit: Audit) -> Account:
    """What every format says of an audit."""
    systems = request.chosen(finding.system for finding in audit.findings)
    audit = of_systems(audit, systems)
    findings = audit.findings
    called, named = people_of(findings), labels(findings)
    return Account(
        request=request,
        title=f"Audit of {', '.join(systems)}",
        question=terms_of(findings).question.format(people=called),
        task="token-classification" if audit.of_taggers else "text-classification",
        corpus=_corpus(audit),
        systems=systems,
        main=Table((*_units(findings, HEADINGS),), "lrrl", tuple(_row(finding, named) for finding in findings)),
        every=Table(
            (*_units(findings, IN_FULL),), "lrrrrrrrl", tuple(_full_row(finding, named) for finding in findings)
        ),
        reading=_reading(audit),
        words=tuple(one for system in systems for one in _words(of_systems(audit, [system]), system)),
        in_full=(
            *(Sentence(finding.system, in_words(finding), finding.verdict) for finding in findings),
            *(Sentence(one.system, decisions.in_words(one, about)) for one, about in decisions.with_findings(audit)),
        ),
        warnings=tuple(Sentence(one.system, ability_in_words(one)) for one in audit.abilities if one.weak is not False),
        limits=(*_not_tested(audit), NOT_PEOPLE, ELSEWHERE),
        plan=_plan(audit),
        deviations=tuple(_deviations(audit)),
        evaluations=tuple(_evaluation(finding, named) for finding in findings),
    )


def _words(audit: Audit, system: str) -> list[Sentence]:
    """What one system does to scores, and to decisions where a threshold makes decisions of them."""
    found = [Sentence(system, one.text, one.verdict) for one in told_all(audit.findings)]
    return [*found, *(Sentence(system, text) for text in decisions.told(audit))]


def of_systems(audit: Audit, systems: Sequence[str]) -> Audit:
    """The part of an audit that is about some systems; notes about none of them are about all."""
    others = {finding.system for finding in audit.findings} - set(systems)
    return replace(
        audit,
        findings=tuple(one for one in audit.findings if one.system not in others),
        abilities=tuple(one for one in audit.abilities if one.system not in others),
        decisions=tuple(one for one in audit.decisions if one.system not in others),
        selection_rates=tuple(one for one in audit.selection_rates if one.system not in others),
        notes=tuple(note for note in audit.notes if note.about not in others),
    )


def _corpus(audit: Audit) -> tuple[str, str]:
    (used,), corpus = audit.provenance.corpora, audit.corpus
    return used.name, corpus.about.title if corpus is not None and corpus.about.title else used.name


def _units(findings: Sequence[Finding], headings: Sequence[str]) -> list[str]:
    terms = terms_of(findings)
    return [terms.heading(text) if text in ("gap", "interval", "tolerance") else text for text in headings]


def _compared(finding: Finding, named: Outputs) -> str:
    """The comparison, and the output where the system has several."""
    label = named[finding.system, finding.output]
    return comparison_name(finding) if label == finding.system else f"{comparison_name(finding)} ({finding.output})"


def _row(finding: Finding, named: Outputs) -> Row:
    percent = 100 / finding.span
    interval = finding.generalising.shown_interval
    track = Track(
        finding.mean_difference * percent,
        None if interval is None else (interval[0] * percent, interval[1] * percent),
        finding.equivalence.delta * percent,
    )
    cells = (
        _compared(finding, named),
        amount(finding.mean_difference, finding),
        interval_of(finding),
        _verdict(finding),
    )
    return Row(finding.system, cells, finding.verdict, track)


def _full_row(finding: Finding, named: Outputs) -> Row:
    level, p = finding.generalising.shown_level, finding.generalising.p_adjusted
    cells = (
        _compared(finding, named),
        f"{finding.n:,}",
        amount(finding.mean_difference, finding),
        interval_of(finding),
        "undefined" if level is None else f"{100 * level:.4g} %",
        f"±{amount(finding.equivalence.delta, finding)}",
        "undefined" if p is None else shown_p(p),
        short_p(finding),
        _verdict(finding),
    )
    return Row(finding.system, cells, finding.verdict)


def _verdict(finding: Finding) -> str:
    """In short, with what it hangs on."""
    if finding.verdict == "equivalent":
        return f"{short_verdict(finding)}, with a condition"
    if finding.withheld is not None:
        return f"{short_verdict(finding)} (“{finding.withheld.verdict}” withheld: hangs on {finding.withheld.label})"
    return short_verdict(finding)


def _reading(audit: Audit) -> tuple[str, ...]:
    findings, terms = audit.findings, terms_of(audit.findings)
    counts = sorted({finding.generalising.comparisons for finding in findings})
    corrected = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    return (
        f"Gap: {terms.difference[:1].lower()}{terms.difference[1:]} ({groups_in_words(findings)}), {terms.own_units}. "
        f"The interval is the one that the verdict was taken from, for {others_like_these(findings)}. "
        f"It is corrected for the comparisons that the corpus asks of each system ({corrected}); “equivalent” "
        f"is each claim's own, at {100 * audit.provenance.settings['alpha']:g} %.",
        *_looks(audit),
        NEITHER,
    )


def _looks(audit: Audit) -> list[str]:
    """That it was looked at more than once, how often, and what was paid for that."""
    asked = path.in_waves(audit.findings)
    if not asked:
        return []
    told = "; ".join(
        f"{who(finding)}, {finding.attribute}: {so_many(len(one.looks), 'look')}, the last at {one.looks[-1].names} "
        f"names, {one.calls:,} calls, ended by: {path.ENDED[one.stopped]}"
        for finding, one in asked
    )
    return [
        f"The names for each race and gender were asked about in waves, and looked at after each: {told}. The level "
        "was shared out among all planned looks; verdicts and intervals hold for whoever stops at any of them."
    ]


def _not_tested(audit: Audit) -> list[str]:
    """What the corpus has and nobody compared, what it does not have, and what it cannot say."""
    compared = {name for finding in audit.findings for name in finding.attribute.split(CROSS)}
    found = []
    asked = {} if audit.corpus is None else audit.corpus.whole or audit.corpus.attributes
    others = [name for name in asked if name not in compared]
    if others:
        found.append(f"Not compared, though the corpus asks about it: {', '.join(others)}.")
    found.append(
        f"Compared: {groups_in_words(audit.findings)}. Other groups, and words for these groups that the corpus does "
        "not have, were not tested."
    )
    subsets = list(dict.fromkeys(finding.subset for finding in audit.findings))
    if subsets != ["all"]:
        found.append(f"Parts of the corpus that were compared: {', '.join(subsets)}.")
    return [*found, *(audit.corpus.about.limits if audit.corpus is not None else ())]


def _plan(audit: Audit) -> Facts:
    settings, findings = audit.provenance.settings, audit.findings
    deltas = {f"{who(one)} ±{measured(one.equivalence.delta, one)}": None for one in findings}
    family = sorted({one.generalising.comparisons for one in findings})
    return (
        ("Question", terms_of(findings).question.format(people=people_of(findings))),
        ("Corpus", "; ".join(corpora_in_words(audit.provenance))),
        ("Comparisons", "; ".join(dict.fromkeys(comparison_name(one) for one in findings))),
        ("Tests", TESTS),
        ("Significance level", f"{settings['alpha']:g}"),
        (
            "Correction",
            f"{settings['correction']}, for the comparisons that the corpus asks of a system: "
            f"{' to '.join(str(count) for count in dict.fromkeys((family[0], family[-1])))}",
        ),
        ("Tolerance", f"±{100 * settings['equivalence']:g} % of an output's range: {', '.join(deltas)}"),
        *tolerance_facts(audit.provenance.statement),
        ("A high value is, for the person", ", ".join(dict.fromkeys(_meaning(one) for one in findings))),
        ("Thresholds of decisions", ", ".join(map(str, settings.get("thresholds") or ())) or "none"),
        *_plan_of_looks(audit),
        ("Sample", "none" if settings.get("sample") is None else f"{settings['sample']:,} sentences"),
        ("Draws", f"{settings.get('draws') or 1}"),
        ("Seed", f"{settings['seed']}"),
    )


def _plan_of_looks(audit: Audit) -> Facts:
    waves = audit.provenance.settings.get("waves")
    if waves is None:
        return ()
    names = ", ".join(map(str, waves["names"]))
    budget = "" if waves["budget"] is None else f"; at most {waves['budget']:,} calls for each system"
    return (
        ("Looks", f"after {names} names for each race and gender, until every question of a system is settled{budget}"),
    )


def _meaning(finding: Finding) -> str:
    """What a high value of an output means for the person it is about."""
    return f"{who(finding)}: {finding.high_is or NOT_STATED}"


def _deviations(audit: Audit) -> list[str]:
    found = tolerance_deviations(audit.provenance.statement)
    found += common_deviations(audit)
    for finding in audit.findings:
        found += [f"{who(finding)}, {comparison_name(finding)}: {text}" for text in _of_a_finding(finding)]
    if audit.measurements is not None:
        found += [f"Left out of the metrics: {sentence(line)}" for line in audit.measurements.left_out]
    return found


def _of_a_finding(finding: Finding) -> list[str]:
    found = []
    if finding.withheld is not None:
        found.append(
            f"the verdict “{finding.withheld.verdict}” was withheld, because it hangs on the {finding.withheld.kind} "
            f"“{finding.withheld.label}”."
        )
    if finding.generalising.left_out:
        missing = finding.generalising.left_out
        found.append(f"{len(missing)} left out of the answer for others like them: {', '.join(missing)}.")
    missing_parts: dict[str, list[str]] = {}
    for name, called in PLANNED.items():
        if name in finding.undefined:
            missing_parts.setdefault(finding.undefined[name], []).append(called)
    found += [f"no {' and no '.join(parts)}: {sentence(reason)}" for reason, parts in missing_parts.items()]
    return found


def _evaluation(finding: Finding, named: Outputs) -> Evaluation:
    interval = finding.generalising.shown_interval
    return Evaluation(
        finding.system,
        "mean_difference",
        f"gap, {_compared(finding, named)}",
        finding.mean_difference,
        {
            "verdict": short_verdict(finding),
            "interval": None if interval is None else list(interval),
            "level": finding.generalising.shown_level,
            "tolerance": finding.equivalence.delta,
        },
    )
