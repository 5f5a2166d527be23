"""What to do about each verdict, as commands that run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding, Sequential
from evenhand.comparing.sequential import WAVES, is_hopeless
from evenhand.comparing.signals import key_of
from evenhand.contrasts import CROSS
from evenhand.contrasts.contrast import TEXTS
from evenhand.corpora import corpus_names
from evenhand.corpora.asked_names import BOTH, MATCHED, PER_CELL, UNMATCHED
from evenhand.corpora.known_names import is_race
from evenhand.corpora.names import first_names
from evenhand.report.audit.harm import undeclared
from evenhand.report.audit.naming import people_of
from evenhand.report.audit.settling import money
from evenhand.report.audit.terms import terms_of
from evenhand.report.common.commands import Option, Typed, joined
from evenhand.report.common.steps import Step

DEFAULT = "eec"
SAVED = "my-audit"
"""Where a step saves an audit that another step reads."""
VERSIONS = "versions.csv"
"""Where a step saves the versions of texts that another step reads."""
MOST_REPAIRS = 3
OTHER_NAMES = {"eec": "identity-names", "identity-names": "eec", "eec-extended": "identity-names"}
"""Where to find other names of the same groups; from the EEC, more of them: 58 a gender, 28 of each race."""
TAKES_NAMES = ("eec", "eec-extended", "identity-names")
"""Corpora whose people names of the pool can stand for."""
ABOUT_NAMES = ("--names", "--strength", "--until-settled", "--waves", "--budget", "--max-cost", "--price", "--out")
NAMED = {"gender", "race"}
"""What names of the pool tell."""
UNTIL_SETTLED: Option = ("--until-settled", None)
ALL_AT_ONCE = ("holm", "bh")
"""Corrections that need all p-values at once, which waves do not have."""
LIMITS = ("--budget", "--max-cost")
NOT_BY_NAMES = "names alone will not settle it"
ALWAYS_MATCHED, WEAKEST = 160, 0.80
"""So many names of each cell can be matched at this strength, whatever the races."""
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
        *_names_alike(typed, audit),
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
    if typed.given("--text"):
        yield _repair_on_texts(typed)
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


def _repair_on_texts(typed: Typed) -> Step:
    """Repairs need the versions in a file."""
    about = [(name, value) for name, value in typed.options if name in ("--attribute", "--column")]
    save = joined("perturb", typed.given("--text"), [*about, ("--out", VERSIONS)])
    repairs = [typed.about_the_system("repair", one, [("--corpus", VERSIONS)]) for one in typed.subjects[:MOST_REPAIRS]]
    return Step(DIFFERENT, "See how far the gap can be closed on your texts, and at what cost", (save, *repairs))


def _repair(typed: Typed, system: str, attributes: Sequence[str]) -> str:
    return _about_one(typed, "repair", system, [("--attribute", name) for name in attributes])


def _about_one(typed: Typed, verb: str, system: str, also: Sequence[Option]) -> str:
    """A command about one of the systems; what was said of others is left out, as it would be refused."""
    if len(typed.subjects) == 1:
        return typed.about_the_system(verb, system, also)
    kept = [option for option in typed.options if option[0] in ("--corpus", "--spelling", "--sample")]
    return joined(verb, [system], [*kept, *also])


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
    if any(one.sequential for one in findings):
        return _further(typed, findings, audit)
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
    if all(is_hopeless(one) for one in findings):
        return [*without, _each_template(typed, audit)]
    if "names" in audit.provenance.settings:
        return [*without, *_until_settled(typed, audit)]
    return [*without, *(_until_settled(typed, audit) or _more_people(typed, audit, UNSURE))]


def _each_template(typed: Typed, audit: Audit) -> Step:
    called = people_of(audit.findings)
    text = f"More {called} will not help, as templates and words vary too much; look at each template on the page of"
    return Step(UNSURE, text, (typed.saved_in(SAVED)[0],))


def _until_settled(typed: Typed, audit: Audit) -> list[Step]:
    """Names of the pool, until it is known: for systems that can be asked, on sentences that take names."""
    settings, about = audit.provenance.settings, {part for one in audit.findings for part in one.attribute.split(CROSS)}
    drawn = settings.get("names")
    takes_names = drawn is not None or audit.provenance.corpora[0].name in TAKES_NAMES
    if not takes_names or typed.recorded or not about <= NAMED:
        return []
    without = ["--spelling", *(["--correction"] if settings["correction"] in ALL_AT_ONCE else [])]
    if drawn is None:
        text = "This corpus has too few names; ask about more and more of them until it is known"
        return [Step(UNSURE, text, (typed.again(without=without, also=[UNTIL_SETTLED]),))]
    if drawn["per_cell"] >= WAVES[-1]:
        return []
    text = "These were too few names; ask anew about more and more of them until it is known"
    # With the same seed these names would be looked at again, and nobody has paid for the first look.
    also = [("--names", MATCHED)] if drawn["drawn"] == MATCHED else []
    seed = str(settings["seed"] + 1)
    again = typed.again(without=[*without, "--names"], seed=seed, also=[*also, UNTIL_SETTLED])
    return [Step(UNSURE, text, (again,))]


def _further(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """What would settle a question that waves of names left open."""
    ended = {one.sequential.stopped for one in findings if one.sequential is not None}
    if NOT_BY_NAMES in ended:
        return [_each_template(typed, audit), *_templates_that_would(typed, findings, audit)]
    if "budget" in ended:
        return [_more_money(typed, findings, audit.provenance.settings["waves"]["names"])]
    return _other_names(typed, findings, audit)


def _templates_that_would(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """A plan from the first wave, whose answers are kept, says about how many templates would settle it."""
    ended = [one for one in findings if one.sequential is not None and one.sequential.stopped == NOT_BY_NAMES]
    by_system: dict[str, dict[str, None]] = {}
    for one in ended:
        system = typed.subjects[0] if len(typed.subjects) == 1 else one.system
        by_system.setdefault(system, {})[one.attribute] = None
    part = any(typed.given(name) for name in PART_OF_IT) or any(CROSS in one.attribute for one in ended)
    if audit.corpus is None or part or not set(by_system) <= set(typed.subjects):
        return []
    settings = audit.provenance.settings
    pilot = len(first_names(audit.corpus, settings["waves"]["names"][0])) * settings["draws"]
    asked: list[Option] = [("--draws", given) for given in typed.given("--draws")]
    asked += [("--names", drawn) for drawn in _ways_to_draw(typed)]
    asked += [("--strength", given) for given in typed.given("--strength")]
    asked += [("--delta", given) for given in typed.given("--equivalence")]
    asked.append(("--pilot", str(pilot)))
    plans = [
        _about_one(typed, "plan", system, [*(("--attribute", name) for name in names), *asked])
        for system, names in by_system.items()
    ]
    return [Step(UNSURE, "See about how many templates like these would settle it", tuple(plans[:MOST_REPAIRS]))]


def _ways_to_draw(typed: Typed) -> list[str]:
    """The words that were given with --names, without a number."""
    drawn = [part.strip() for given in typed.given("--names") for part in given.replace(" ", COMMA).split(COMMA)]
    return [part for part in drawn if part and not part.isdecimal()]


def _other_names(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """More names, where there are any, in an order of their own: looks that are added to others were not paid for."""
    needed = [one.power.persons_needed for one in findings]
    if audit.provenance.settings["waves"]["names"][-1] >= WAVES[-1] or not any(needed):
        return []
    seed = audit.provenance.settings["seed"] + 1
    text = "Ask anew about more names; a new seed, because more looks at the same names would have to be paid for"
    also: list[Option] = [("--names", part) for part in _ways_to_draw(typed)]
    also.append(UNTIL_SETTLED)
    again = typed.again(without=["--waves", "--names", "--until-settled"], seed=str(seed), also=also)
    return [Step(UNSURE, text, (again,))]


def _more_money(typed: Typed, findings: Sequence[Finding], waves: Sequence[int]) -> Step:
    """What the next wave takes, and the one that should decide: every name stands in the same sentences."""
    ended = [(one, one.sequential) for one in findings if one.sequential and one.sequential.stopped == "budget"]
    deciding = max(_wave_that_decides(one, path, waves) for one, path in ended)
    # Systems that ask others may take more calls for a name than those beside them.
    path = max((path for _, path in ended), key=lambda path: path.calls / path.looks[-1].names)
    following = _next_wave(path, waves)
    told = [_taken(path, following, "the next wave")]
    told += [_taken(path, deciding, "the one that should decide")] if deciding > following else []
    text = f"The budget ended it, and what was asked is kept; {'; '.join(told)}"
    budget = str(math.ceil(path.calls * deciding / path.looks[-1].names))
    return Step(UNSURE, text, (typed.again(without=list(LIMITS), also=[("--budget", budget)]),))


def _next_wave(path: Sequential, waves: Sequence[int]) -> int:
    return next(names for names in waves if names > path.looks[-1].names)


def _wave_that_decides(finding: Finding, path: Sequential, waves: Sequence[int]) -> int:
    """The first wave with the names that would decide four times in five if the gap is zero; else the next one."""
    power, asked = finding.power, path.looks[-1].names
    following = _next_wave(path, waves)
    if power.persons_needed is None or not power.vary_per_group:
        return following
    needed = asked * power.persons_needed / power.vary_per_group
    return next((names for names in waves if names >= max(needed, following)), waves[-1])


def _taken(path: Sequential, names: int, called: str) -> str:
    calls = math.ceil(path.calls * names / path.looks[-1].names) - path.calls
    cost = money(calls, path, ", at a cost of ")
    return f"{called} ({names} names for each race and gender) takes {calls:,} more calls{cost}"


def _other_words(typed: Typed, findings: Sequence[Finding], audit: Audit) -> list[Step]:
    """Where nobody made a difference, others may: a corpus with other words for the same groups, where there is one."""
    text = "Names that were not asked about may still make a difference; ask about others"
    again = _elsewhere(typed, findings, audit)
    verdict = "no reaction seen"
    if {"names", "waves"} & set(audit.provenance.settings):
        phrases = typed.again(without=[*ABOUT_NAMES, "--attribute", "--corpus"], also=[("--corpus", "noun-phrases")])
        return [Step(verdict, "No name made a difference; ask about noun phrases, such as my sister, too", (phrases,))]
    return _more_people(typed, audit, verdict) if again is None else [Step(verdict, text, (again,))]


def _names_alike(typed: Typed, audit: Audit) -> list[Step]:
    """Names that are as common, old and long as each other, where a gap was looked at between names that are not."""
    shown = {key_of(one) for one in audit.findings if one.verdict in ("higher", "lower")}
    unlike = [one for one in audit.signals if one.as_drawn.interval is not None and is_race(one.first)]
    settings = audit.provenance.settings
    drawn = settings.get("names")
    if typed.recorded or not unlike or (drawn and drawn["drawn"] != UNMATCHED):
        return []
    if drawn is None:
        hidden = [one for one in unlike if one.adjusted is None and key_of(one) in shown]
        if not hidden or audit.provenance.corpora[0].name not in TAKES_NAMES:
            return []
        text = "These names cannot tell a group from how common its names are; ask about names that can"
        again = typed.again(without=["--spelling", *PART_OF_IT], names=f"{PER_CELL} {BOTH}")
        return [Step(DIFFERENT, text, (again,))]
    text = "Ask about names that are as common, old and long as each other, too"
    # The pool holds fewer names that can be matched, above all strong ones.
    most = ALWAYS_MATCHED if drawn["strength"] <= WEAKEST else PER_CELL
    kept = MATCHED if "waves" in settings else f"{min(drawn['per_cell'], most)} {BOTH}"
    return [Step("names", text, (typed.again(names=kept),))]


def _elsewhere(typed: Typed, findings: Sequence[Finding], audit: Audit) -> str | None:
    """The same audit with other names of the same groups; None where no packaged corpus has any."""
    name = OTHER_NAMES.get(audit.provenance.corpora[0].name)
    about = list(dict.fromkeys(part for one in findings for part in one.attribute.split(CROSS)))
    if name is None or typed.recorded or audit.of_taggers or not {*about} <= NAMED:
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
    if called == TEXTS:
        return [Step(verdict, "Add more texts, and audit them again", (typed.again(),))]
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
    gaps = f"{100 * share:.3g} {terms_of(findings).of_range}"
    text = f"If gaps of up to {gaps} do not matter for your use, raise the tolerance"
    return [Step(UNSURE, text, (typed.again(equivalence=f"{share:g}"),))]


def _stricter(typed: Typed, findings: Sequence[Finding]) -> Step:
    share = max(finding.equivalence.delta / finding.span for finding in findings)
    text = f"It only means within ±{100 * share:.3g} {terms_of(findings).of_range}; for a stricter tolerance"
    return Step("equivalent", text, (typed.again(equivalence=f"{share / 2:.3g}"),))


def _doing_its_job(typed: Typed) -> Step:
    text = "See on a page what it makes of each word; verdicts say little of a system that does not follow the words"
    again, _ = typed.saved_in(SAVED)
    return Step(WEAK, text, (again,))


def _compared(typed: Typed, audit: Audit) -> list[Step]:
    """Two systems on the same sentences: whose gap is larger is a question of its own."""
    systems = list(dict.fromkeys(finding.system for finding in audit.findings))
    if len(systems) < 2 or audit.of_taggers:
        return []
    save, folder = typed.saved_in(SAVED)
    one, other = (f"{folder}#{system}" for system in systems[:2])
    text = "Verdicts of two systems cannot be subtracted; compare their gaps"
    return [Step("two systems", text, (save, joined("compare", [one, other], [])))]


def rounded_up(value: float) -> float:
    """
    >>> rounded_up(0.03712), rounded_up(0.2)
    (0.038, 0.2)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.2g}")
