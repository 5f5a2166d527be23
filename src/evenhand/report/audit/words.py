"""A finding in plain sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from evenhand.comparing.findings import Finding, Power, Sequential, Withheld
from evenhand.corpora.asked_names import MATCHED, UNMATCHED
from evenhand.report.audit.harm import harm_in_words, little_in_words

MOST_TO_ASK_FOR = 5_000
"""More names than this per group are not to be had."""
MOST_PARTS = 6
"""Of more parts than this, only those that stand out are told."""
SINGLE = "single person"
STAR = "*"
"""Marks in tables what is known for the persons tested alone."""
THESE = " (those tested alone)"
"""The same where a table stands by itself."""
"""What a reason speaks of where a group has nobody else to generalise from."""
MANY = 6
"""Of one attribute with more comparisons than this, only what stands out is told in sentences."""

MOST_NAMED = 6
"""Of more systems than this, only the first are named in one line."""

EACH = "each group − the mean of the others, in which every group counts the same"


def in_words(finding: Finding) -> str:
    """What was found: for the names tested, what it rests on, and for names like these."""
    sentences = [_tested(finding), _rests_on(finding), _alike(finding), *_parts(finding), settling(finding)]
    sentences += [_left_out(finding), _draws(finding)]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def number(value: float, *, span: float = 1.0) -> str:
    """A number with as many decimals as its scale deserves, and a real minus sign.

    >>> number(-0.01234), number(1.5, span=10), number(0.0), number(0.00011), number(1e-9)
    ('−0.012', '1.50', '0.000', '0.0001', '0.000')
    """
    decimals = 3 if span <= 2 else 2
    shown = f"{value:.{decimals}f}"
    if float(shown) == 0 and value != 0:
        # One digit more than nothing, if it is worth a look.
        finer = f"{float(f'{value:.1g}'):.{decimals + 2}f}".rstrip("0")
        shown = finer if float(finer) != 0 else f"{0:.{decimals}f}"
    return shown.replace("-", "−")


def amount(value: float, finding: Finding) -> str:
    """A gap or a score of a finding: in percentage points where it is how often something is found."""
    return (
        f"{100 * value:.1f}".replace("-0.0", "0.0").replace("-", "−")
        if finding.of_tagger
        else number(value, span=finding.span)
    )


def measured(value: float, finding: Finding) -> str:
    """The same with its unit, where it has one."""
    return f"{amount(value, finding)} points" if finding.of_tagger else amount(value, finding)


def interval_of(finding: Finding) -> str:
    """The interval for people like these, without its unit."""
    interval = finding.generalising.shown_interval
    return "undefined" if interval is None else " to ".join(amount(end, finding) for end in interval)


def for_these(finding: Finding) -> bool:
    """Whether a group has a single person, so that only sentences are a sample: an answer for these very persons.

    Where every sentence gives the same difference, there is no t, and the answer is clear all the same.
    """
    single = SINGLE in finding.undefined.get("generalising.interval", "")
    return single and (finding.t is not None or bool(finding.significant))


def interval_shown(finding: Finding, mark: str) -> str:
    """The interval for people like these; where there cannot be one, that over sentences, with a mark that says so."""
    if not for_these(finding):
        return interval_of(finding)
    return " to ".join(amount(end, finding) for end in finding.interval) + mark


def verdict_shown(finding: Finding, mark: str) -> str:
    """The verdict; where that is for these very persons alone if for anybody, what is found for them, marked."""
    higher = "higher" if finding.direction == "first_higher" else "lower"
    return short_verdict(finding) + (f"; {higher}{mark}" if for_these(finding) and finding.significant else "")


def these_alone(findings: Sequence[Finding]) -> str:
    """What the star in a table of findings means; nothing where there is none.

    >>> these_alone([])
    ''
    """
    marked = [finding for finding in findings if for_these(finding)]
    if not marked:
        return ""
    return (
        f"{STAR} A group has a single member, so nothing is known about {people_of(marked)} like these. The interval "
        f"and what follows the verdict are for those tested alone, over sentences like these."
    )


def labels(findings: Sequence[Finding]) -> dict[tuple[str, str], str]:
    """What each column is called: the system, and the output where it has several."""
    outputs = Counter(system for system, _ in {(finding.system, finding.output) for finding in findings})
    return {
        (finding.system, finding.output): finding.system
        if outputs[finding.system] == 1
        else f"{finding.system} {finding.output}"
        for finding in findings
    }


def outputs_in_words(findings: Sequence[Finding]) -> str:
    """What was scored, system by system, in the first line of every report; nothing for taggers, which score nothing.

    A name says little about which of its numbers is meant: a classifier of two classes may be scored by either.
    """
    by_system: dict[str, dict[str, None]] = {}
    for finding in findings:
        if not finding.of_tagger:
            by_system.setdefault(finding.system, {})[finding.output] = None
    named = [f"{system} ({', '.join(outputs)})" for system, outputs in by_system.items()]
    more = len(named) - MOST_NAMED
    if more > 0:
        named = [*named[:MOST_NAMED], f"{more:,} more"]
    return f"Scored: {', '.join(named)}." if named else ""


def shown_p(p: float) -> str:
    """
    >>> shown_p(1e-89), shown_p(0.0412)
    ('< 0.001', '0.041')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def level_percent(alpha: float) -> str:
    """The level of an interval, to the digit that matters.

    >>> [level_percent(alpha).split() for alpha in (0.05, 0.025, 0.05 / 3)]
    [['95', '%'], ['97.5', '%'], ['98.3', '%']]
    """
    return f"{100 * (1 - alpha):.3g}\N{NO-BREAK SPACE}%"


def interval_levels(findings: Iterable[Finding]) -> str:
    """From which level to which the intervals are, except beside “equivalent”; empty where there are no others."""
    shown = (one.generalising.shown_level for one in findings if one.verdict != "equivalent")
    levels = sorted({level for level in shown if level is not None})
    return " to ".join(dict.fromkeys(level_percent(1 - level) for level in (*levels[:1], *levels[-1:])))


def short_p(finding: Finding) -> str:
    """The published test's adjusted p, or that there is nothing to test."""
    return "identical" if finding.direction == "none" and finding.delta_spread == 0 else shown_p(finding.p_adjusted)


def short_verdict(finding: Finding) -> str:
    """The verdict, with the tolerance where it speaks of one, that the gap differs by part where it does, and that the
    system is too weak for it to say much."""
    more = differs_by(finding) + (", too weak" if finding.says_little else "")
    if finding.verdict != "equivalent":
        return f"{finding.verdict}{more}"
    return f"equivalent ±{amount(finding.equivalence.delta, finding)}{more}"


def differs_by(finding: Finding) -> str:
    return f", differs by {listed(_called(name) for name in finding.differing)}" if finding.differing else ""


def _called(column: str) -> str:
    return column.replace("_", " ")


def listed(names: Iterable[str], last: str = "and") -> str:
    """
    >>> listed(["gender", "race", "age"]), listed(["gender"])
    ('gender, race and age', 'gender')
    """
    *others, end = list(names)
    return f"{', '.join(others)} {last} {end}" if others else end


def several_comparisons(findings: Iterable[Finding]) -> set[str]:
    """The attributes with more than one comparison, whose groups must be named."""
    pairs = {(finding.attribute, finding.first, finding.second) for finding in findings}
    return {attribute for attribute, number in Counter(attribute for attribute, *_ in pairs).items() if number > 1}


def groups_in_words(findings: Sequence[Finding]) -> str:
    """Which group is first: `gender: women − men; race: X − Y`, or whose groups the rows name."""
    many = dict.fromkeys(finding.attribute for finding in findings if finding.rest)
    several = several_comparisons(findings)
    pairs = {finding.attribute: _sides(finding) for finding in findings}
    alike = [f"{name}: {pair}" for name, pair in pairs.items() if name not in {*several, *many}]
    if many:
        alike.append(f"{', '.join(many)}: {EACH}")
    return "; ".join(alike) or (f"groups of {next(iter(pairs))}" if len(pairs) == 1 else "as named")


def short_comparisons(findings: Sequence[Finding]) -> list[str]:
    """What each finding compares, in as few words as tell it from the others: `gender`, or `race: X − Y, neutral`.

    Where all findings are about one attribute, its name is left out.
    """
    alone = len({finding.attribute for finding in findings}) == 1
    short = {name: short_labels(findings, name) for name in several_comparisons(findings)}
    only_rest = all(finding.rest for finding in findings)
    return [
        _short_comparison(one, short.get(one.attribute), "" if alone else f"{one.attribute}: ", only_rest=only_rest)
        for one in findings
    ]


def _short_comparison(finding: Finding, short: dict[str, str] | None, about: str, *, only_rest: bool) -> str:
    if short is None:
        return finding.attribute + _subset(finding)
    if finding.rest:
        group = f"{about}{short[finding.first_label]}"
        return f"{group}{_subset(finding)}" if only_rest else f"{group} − the others{_subset(finding)}"
    return f"{about}{short[finding.first_label]} − {short[finding.second_label]}{_subset(finding)}"


def short_labels(findings: Sequence[Finding], attribute: str) -> dict[str, str]:
    """By label of a group, the words that tell it from the other groups of the attribute."""
    mine = [finding for finding in findings if finding.attribute == attribute]
    labels = [one.first_label for one in mine] + [one.second_label for one in mine if not one.rest]
    return without_shared_words(labels)


def without_shared_words(labels: Iterable[str]) -> dict[str, str]:
    """Labels without the words that all of them begin or end with; each keeps one word at least.

    >>> without_shared_words(["people from the North", "people from the far West"])
    {'people from the North': 'North', 'people from the far West': 'far West'}
    """
    words = {label: label.split() for label in labels}
    spare = min(map(len, words.values())) - 1
    start = _shared([split[:spare] for split in words.values()])
    end = _shared([split[::-1][: spare - start] for split in words.values()])
    return {label: " ".join(split[start : len(split) - end]) for label, split in words.items()}


def _shared(rows: Sequence[Sequence[str]]) -> int:
    """How many first words are the same in all of them."""
    columns = enumerate(zip(*rows, strict=False))
    return next((place for place, column in columns if len(set(column)) > 1), min(map(len, rows)))


def comparison_name(finding: Finding) -> str:
    """What is compared, such as `gender: women − men` or `race: X − Y, neutral`."""
    return f"{finding.attribute}: {_sides(finding)}{_subset(finding)}"


def who(finding: Finding) -> str:
    """System, output and subset."""
    of_names = " names" if finding.subset in (MATCHED, UNMATCHED) else ""
    subset = [] if finding.subset == "all" else [f"on {finding.subset}{of_names}"]
    about = " ".join(subset if finding.of_tagger else [finding.output, *subset])
    return f"{finding.system} ({about})" if about else finding.system


def people(finding: Finding) -> str:
    """What the persons of a finding are called: `names`, or `people` where not all are names."""
    return "people" if finding.persons_called == "persons" else finding.persons_called


def people_of(findings: Iterable[Finding]) -> str:
    """`names` where all findings are about names, else `people`."""
    called = {people(finding) for finding in findings}
    return called.pop() if len(called) == 1 else "people"


def others_like_these(findings: Sequence[Finding]) -> str:
    """What the general answers are about; a single template says nothing about others."""
    if people_of(findings) == "texts":
        return "texts like these"
    if findings and all(finding.generalising.n_templates == 1 for finding in findings):
        return f"{people_of(findings)} and words like these, in this one template"
    return f"{people_of(findings)}, templates and words like these"


def _sides(finding: Finding) -> str:
    return f"{finding.first_label} − {finding.second_label}"


def _subset(finding: Finding) -> str:
    return "" if finding.subset == "all" else f", {finding.subset}"


def _labelled(finding: Finding) -> bool:
    """Whether the corpus says what to call the groups; a table of a user's own may have code names only."""
    if finding.rest:
        return finding.first_label != finding.first
    return (finding.first_label, finding.second_label) != (finding.first, finding.second)


def sentences(finding: Finding, label: str) -> str:
    """Sentences about women, or with women's names; groups that have no label go by their names in the data."""
    if not _labelled(finding):
        return f"sentences of {label}" if _is_rest(finding, label) else f"sentences of the group {label}"
    return f"sentences {'with' if finding.persons_called == 'names' else 'about'} {label}"


def _is_rest(finding: Finding, label: str) -> bool:
    return bool(finding.rest) and label == finding.second_label


def _tested(finding: Finding) -> str:
    tested = f"for the {people(finding)} tested"
    gap = measured(abs(finding.mean_difference), finding)
    unsure = "" if finding.significant else f"; that is not significant (p {shown_p(finding.p_adjusted)})"
    if finding.interaction:
        return f"{who(finding)}: {finding.first_label} and {finding.second_label} differ by {gap} {tested}{unsure}"
    return _found(finding, gap, f"{tested}{unsure}") if finding.of_tagger else _scored(finding, gap, tested, unsure)


def _scored(finding: Finding, gap: str, tested: str, unsure: str) -> str:
    first, second = (sentences(finding, label) for label in (finding.first_label, finding.second_label))
    if finding.direction == "none":
        # Groups are compared by their means where nobody has a counterpart: equal means need not be equal scores.
        exact = finding.delta_spread == 0 and not finding.generalising.standard_error
        same = "exactly the same scores" if exact else "the same scores on average,"
        return f"{who(finding)} gives {first} and the same {second} {same} {tested}"
    word = "higher" if finding.direction == "first_higher" else "lower"
    return f"{who(finding)} scores {first} {gap} {word} than the same {second}, {tested}{unsure}"


def _found(finding: Finding, gap: str, tested: str) -> str:
    first, second = (
        label if _labelled(finding) or _is_rest(finding, label) else f"{people(finding)} of the group {label}"
        for label in (finding.first_label, finding.second_label)
    )
    if finding.direction == "none":
        return f"{who(finding)} finds {first} as often as {second} in the same sentences, {tested}"
    return f"{who(finding)} finds {first} {gap} {_often(finding.direction == 'first_higher')} than {second}, {tested}"


def _often(more: bool) -> str:
    return "more often" if more else "less often"


def _rests_on(finding: Finding) -> str:
    evidence = finding.rests_on
    if not evidence.alone or evidence.without is None:
        return ""
    without = measured(evidence.without, finding)
    return f"{evidence.person} alone accounts for it: without {evidence.person} the gap is {without}"


def _parts(finding: Finding) -> list[str]:
    """By which kinds of sentences the gap differs, and what it is in each."""
    return [_by_part(finding, column) for column in finding.differing]


def _by_part(finding: Finding, column: str) -> str:
    parts = [part for part in finding.parts if part.grouping == column]
    shown = parts if len(parts) <= MOST_PARTS else [part for part in parts if part.significant]
    gaps: dict[str, list[str]] = {}
    for part in sorted(shown, key=lambda part: -part.gap):
        gaps.setdefault(f"{'+' if part.gap > 0 else ''}{measured(part.gap, finding)}", []).append(part.level)
    told = ", ".join(f"{gap} on {listed(levels)}" for gap, levels in gaps.items())
    lead = "But the gap differs" if finding.verdict == "equivalent" else "The gap differs"
    return f"{lead} by {_called(column)}: {told}"


def _alike(finding: Finding) -> str:
    """For names like these: the verdict, with its interval."""
    interval = finding.generalising.shown_interval
    lead = f"For {people(finding)} like these{_in_one_template(finding)}: "
    if finding.verdict == "no reaction seen":
        return f"{lead}{_no_reaction(finding)}{little_in_words(finding)}"
    if interval is None:
        of_shown = finding.undefined.get("generalising.shown_interval", "it has no interval")
        why = finding.undefined.get("generalising.interval", of_shown)
        return f"{lead}cannot tell, because {why}{_over_sentences(finding)}"
    low, high = amount(interval[0], finding), measured(interval[1], finding)
    between = f"the gap is {high}" if high.startswith(low) else f"the gap is between {low} and {high}"
    if finding.verdict == "equivalent":
        within = f"equivalent within ±{measured(finding.equivalence.delta, finding)}"
        return f"{lead}{within} ({between}){unless(finding)}{little_in_words(finding)}"
    if finding.withheld is not None:
        return f"{lead}cannot tell ({between}). {_withheld(finding, finding.withheld)}"
    if finding.verdict == "cannot tell":
        plain = finding.generalising.interval or interval
        alone = (plain[0] > 0 or plain[1] < 0) and interval[0] <= 0 <= interval[1]
        count = finding.generalising.comparisons
        corrected = f"; significant alone, not after correcting for {count} comparisons" if alone else ""
        return f"{lead}cannot tell (the gap could be anywhere from {low} to {high}{corrected})"
    verdict = f"found {_often(finding.verdict == 'higher')}" if finding.of_tagger else finding.verdict
    return f"{lead}{verdict} ({between}){harm_in_words(finding)}"


def _over_sentences(finding: Finding) -> str:
    """Where persons are no sample, the sentences are: the answer for these very persons, over sentences like these."""
    if not for_these(finding):
        return ""
    low, high = finding.interval
    held = f"{amount(low, finding)} to {measured(high, finding)}"
    lead = f". For the {people(finding)} tested, over sentences like these: "
    if not finding.significant:
        return f"{lead}cannot tell (alone, the gap could be anywhere from {held})"
    higher = "higher" if finding.direction == "first_higher" else "lower"
    if finding.t is None:
        return f"{lead}{higher} (the gap is {amount(low, finding)} in every one of them)"
    return f"{lead}{higher} (the gap is {held}, for this comparison alone)"


def settling(finding: Finding, what: str = "gap") -> str:
    """What would decide where nobody can tell yet, of a gap or of a difference between two."""
    if finding.verdict != "cannot tell" or finding.generalising.interval is None or finding.withheld is not None:
        return ""
    if finding.power.persons_needed is None:
        reason = finding.undefined.get("power.persons_needed", "").replace("persons", people(finding))
        return reason[:1].upper() + reason[1:]
    return _more_needed(finding.power, finding.power.persons_needed, what=what, path=finding.sequential)


def _more_needed(power: Power, needed: int, *, what: str, path: Sequential | None) -> str:
    """How many more there would have to be, if what is asked about is zero and if it is as estimated."""
    called = "people" if power.vary == "persons" else power.vary
    more = math.ceil(needed - power.vary_per_group)
    if more <= 0:
        return ""
    if more > MOST_TO_ASK_FOR:
        return f"This corpus is far too small to decide at this tolerance, and so is any list of {called}"
    alone = f", if you look at the {called} alone" if power.alone else ""
    few = f"{power.vary_per_group:,.0f} {called} per group are too few"
    if path is not None and path.stopped == "last wave":
        return _planned_anew(power, needed, few, path)
    small = "This corpus is too small" if path is None else few
    text = (
        f"{small} to decide: if the {what} is zero, about {more:,} more {called} per group{_calls(power, path, more)} "
        f"would decide four times in five{alone}"
    )
    if power.needed_at_gap is None:
        return f"{text}; if it is as large as it looks, no number would at this tolerance"
    at_gap = math.ceil(power.needed_at_gap - power.vary_per_group)
    if at_gap <= 0:
        return text
    more_at_gap = f"{at_gap:,} more{_calls(power, path, at_gap)}" if at_gap <= MOST_TO_ASK_FOR else "far more"
    return f"{text}; if it is as large as it looks, {more_at_gap}"


def _planned_anew(power: Power, needed: float, few: str, path: Sequential) -> str:
    """Where the looks of a plan have spent its level: how large another audit would have to be."""
    text = (
        f"{few} to decide. Another audit, of about {math.ceil(needed):,} {power.vary} per group"
        f"{_calls(power, path, math.ceil(needed), '')}, would decide four times in five if the gap is zero"
    )
    at_gap = power.needed_at_gap
    if at_gap is None:
        return f"{text}; if it is as large as it looks, no number would at this tolerance"
    if at_gap <= needed:
        return text
    many = f"{math.ceil(at_gap):,}" if at_gap <= MOST_TO_ASK_FOR else "far more"
    return f"{text}; if it is as large as it looks, it takes {many}"


def _calls(power: Power, path: Sequential | None, more: int, word: str = "more ") -> str:
    """What so many more would take, where it was asked in waves: every name stands in the same sentences."""
    if path is None or not power.vary_per_group:
        return ""
    calls = math.ceil(path.calls * more / power.vary_per_group)
    return f" ({calls:,} {word}calls{money(calls, path, ', at a cost of ')})"


def money(calls: int, path: Sequential, lead: str = "") -> str:
    """What calls cost, where it is known."""
    return "" if path.price is None else f"{lead}{calls * path.price:,.2f}"


def _in_one_template(finding: Finding) -> str:
    """One template says nothing about others."""
    return ", in this one template" if finding.generalising.n_templates == 1 else ""


def _no_reaction(finding: Finding) -> str:
    small = measured(finding.equivalence.delta, finding)
    share = finding.equivalence.unseen_share or 0.0
    seen = (
        f"no reaction seen. None of those tested changes a score, but up to {_small_percent(share)} % of others could; "
    )
    if finding.range is not None and (finding.equivalence.unseen_reaction or 0.0) >= finding.span:
        return f"{seen}even if they did so by the whole range, the gap would stay within ±{small}"
    return f"{seen}the gap stays within ±{small} unless these react by more than {_reaction(finding)}"


def _small_percent(share: float) -> str:
    """Below one per cent, rounding to whole numbers would say too little."""
    return f"{100 * share:.0f}" if share >= 0.01 else f"{100 * share:.1f}"


def unless(finding: Finding, react: str = "react") -> str:
    """What would undo an equivalence, as the end of its sentence: names that react as none of those tested does."""
    if finding.equivalence.unseen_share is None:  # audits saved by earlier versions do not say what others could do
        return ""
    share = f"up to {100 * finding.equivalence.unseen_share:.0f} %"
    return f", unless other {people(finding)} ({share}) {react} by {_reaction(finding)} more than those tested"


def unless_of_many(findings: Sequence[Finding], react: str = "react") -> str:
    """What would undo the equivalences among these, in one sentence; nothing where there are none."""
    small = [one for one in findings if one.verdict == "equivalent" and one.equivalence.unseen_share is not None]
    if not small:
        return ""
    shares = sorted(100 * (one.equivalence.unseen_share or 0.0) for one in small)
    reactions = sorted(one.equivalence.unseen_reaction or 0.0 for one in small)
    others = f"other {people(small[0])} (up to {_from_to([f'{share:.0f}' for share in shares])} % of a group's)"
    by = _from_to([measured(reaction, small[0]) for reaction in reactions])
    return f"“Equivalent” holds unless {others} {react} by {by} more than those tested"


def _from_to(sorted_numbers: Sequence[str]) -> str:
    low, high = sorted_numbers[0], sorted_numbers[-1]
    return low if low == high else f"{low} to {high}"


def _reaction(finding: Finding) -> str:
    return measured(finding.equivalence.unseen_reaction or 0.0, finding)


def _withheld(finding: Finding, withheld: Withheld) -> str:
    """Which verdict is not given, and on whom it hangs."""
    verdict, without = f"“{withheld.verdict}”", "without them" if _are_several(withheld) else "without it"
    gap = f"the gap is {measured(withheld.gap, finding)} ({withheld.without})"
    return f"It would be {verdict}, but that hangs on {hangs_on(finding, withheld)}: {without} {gap}"


def hangs_on(finding: Finding, withheld: Withheld) -> str:
    """A name, the names of one family, or a template."""
    if withheld.kind != "person":
        return f"the {withheld.kind} “{withheld.label}”"
    if _are_several(withheld):
        return f"{people(finding)} of one spelling family ({withheld.label})"
    return withheld.label


def _are_several(withheld: Withheld) -> bool:
    """Persons are left out with all whose names are spelt alike."""
    return withheld.kind == "person" and ", " in withheld.label


def _draws(finding: Finding) -> str:
    if finding.draw_spread is None:
        return ""
    apart = measured(finding.draw_spread, finding)
    return f"Each sentence was asked {finding.draws} times; its answers vary by {apart} (standard deviation)"


def _left_out(finding: Finding) -> str:
    missing = finding.generalising.left_out
    if not missing:
        return ""
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return f"The answer for {people(finding)} like these leaves out {len(missing)} of them ({some})"
