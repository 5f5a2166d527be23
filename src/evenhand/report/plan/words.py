"""A plan in words: what settles each question, what it costs, and how likely that is."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.planning.result import Needed, Plan, Planned, Question, Unseen
from evenhand.report.common.plain import Listing

EACH = "for each race and gender"
READING = (
    "Each row says: if the true gap is this large, how many names (for each race and gender), asked at once, bring the "
    "right verdict with a chance of {power}; in brackets, if names vary as much as the pilot leaves possible. On "
    "the right, the same gap asked in waves of {waves} names: how many calls that takes on average, and the chance of "
    "each verdict. Chances are shares of {simulated:,} simulated systems, accurate to about 2 points, for names whose "
    "reactions follow a normal distribution."
)
MARGIN = (
    "Verdicts are taken as in an audit: corrected for all comparisons that the corpus asks of the system, and given "
    "only where they hold without any one name or template."
)
FEW = "The pilot asked about {names} names {each} in {sources} sentences ({calls}), so spreads are known roughly."


def percent(share: float) -> str:
    """A size as a share of the range.

    >>> percent(0.005), percent(0), percent(-0.0123)
    ('0.5 %', '0', '−1.23 %')
    """
    if share == 0:
        return "0"
    return f"{100 * share:.3g} %".replace("-", "−")


def chance(share: float) -> str:
    """A chance.

    >>> chance(0.8), chance(0.0), chance(0.9999), chance(0.0004)
    ('80 %', '0 %', '> 99 %', '< 1 %')
    """
    if 0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def calls(plan: Plan, number: float) -> str:
    """So many calls, and what they cost where that is known."""
    money = "" if plan.price is None else f" costing {number * plan.price:,.2f}"
    return f"{number:,.0f} calls{money}"


def about(question: Question, plan: Plan) -> str:
    """What a question asks: whose gap, and between whom."""
    gap = f"{question.attribute.replace('_', ' ')} ({question.first_label} − {question.second_label})"
    return gap if question.system is None else f"{called(question, plan)}, {gap}"


def in_short(question: Question, plan: Plan) -> str:
    """The same in as few words as tell it from the others of the plan."""
    mine = question.system, question.output, question.attribute
    alone = [(one.system, one.output, one.attribute) for one in plan.questions].count(mine) == 1
    gap = question.attribute.replace("_", " ") if alone else f"{question.first_label} − {question.second_label}"
    several = len({(one.system, one.output) for one in plan.questions}) > 1
    return f"{called(question, plan)}, {gap}" if several else gap


def called(question: Question, plan: Plan) -> str:
    """The system, with its output where it has several."""
    outputs = {one.output for one in plan.questions if one.system == question.system}
    return str(question.system) if len(outputs) == 1 else f"{question.system} ({question.output})"


def title(plan: Plan) -> str:
    """What the plan is for."""
    systems = list(dict.fromkeys(one.system for one in plan.questions if one.system))
    what = ", ".join(systems) if systems else "given spreads"
    return f"Plan for {what} on {plan.corpus}, ±{percent(plan.delta)}"


def summary(plan: Plan) -> str:
    """In one line, what settles all of it."""
    planned = [one for one in plan.questions if one.needed]
    settled = [one.needed[0].names for one in planned]
    most = [names for names in settled if names is not None]
    parts = []
    if most:
        number = max(most)
        parts.append(f"{number} names {EACH} for {len(most)} of {len(plan.questions)} questions")
    if len(most) < len(planned):
        parts.append(f"names alone will not settle {len(planned) - len(most)}")
    silent = sum(one.state == "no reaction seen" for one in plan.questions)
    alike = sum(one.state == "all names alike" for one in plan.questions)
    parts += [f"{silent} without any reaction"] if silent else []
    parts += [f"{alike} where all names of a group are alike"] if alike else []
    return f"±{percent(plan.delta)}: {'; '.join(parts)}"


def sentences(plan: Plan) -> list[str]:
    """The answer for each question, then for each system with several, and what the budget pays for."""
    silent = [one for one in plan.questions if one.state == "no reaction seen"]
    alike: dict[tuple[str, tuple[Unseen, ...]], list[Question]] = {}
    for one in silent:
        alike.setdefault((called(one, plan), one.unseen), []).append(one)
    said = [_answer(one, plan) for one in plan.questions if one not in silent]
    return [*said, *(_silent(listed, plan) for listed in alike.values()), *_together(plan)]


def _answer(question: Question, plan: Plan) -> str:
    lead = about(question, plan)
    if question.state == "all names alike":
        return (
            f"{lead}: all {question.asked} names are treated alike within their group, and the gap was "
            f"{percent(question.estimate or 0.0)} of the range. There is no spread to plan from; the first wave "
            f"({plan.wave_names[0]} names {EACH}) shows whether further names differ."
        )
    need = question.needed[0]
    first = _at_zero(need, plan) if need.names is not None else _hopeless(question, plan)
    further = [*_as_seen(question, plan), *_in_waves(question, plan), *_within_budget(question, plan)]
    return " ".join([f"{lead}: {first}", *further])


def _as_seen(question: Question, plan: Plan) -> list[str]:
    """The gap that the pilot saw, and what it would take if that is the true one."""
    if question.estimate is None or question.interval is None:
        return []
    low, high = (percent(end) for end in question.interval)
    need = question.needed_at(question.estimate)
    would = (
        "no number of names would decide it" if need is None or need.names is None else f"{need.names:,} names would do"
    )
    what = "The pilot" if plan.pilot is not None else "What was recorded"
    return [
        f"{what} saw a gap of {percent(question.estimate)} (from {low} to {high}); if that is the true gap, {would}."
    ]


def _at_zero(need: Needed, plan: Plan) -> str:
    said = (
        f"if there is no gap, {need.names:,} names {EACH} ({calls(plan, need.calls or 0)}) show with a chance of "
        f"{chance(plan.power)} that it is within ±{percent(plan.delta)}"
    )
    if need.names_cautious is None:
        said += "; if names vary as much as the pilot leaves possible, no number of names would"
    elif need.names_cautious != need.names:
        said += (
            f"; if names vary as much as the pilot leaves possible, it takes {need.names_cautious:,} "
            f"({calls(plan, need.calls_cautious or 0)})"
        )
    most = max(need.names or 0, need.names_cautious or 0)
    return f"{said}.{_too_many(most, plan)}"


def _too_many(names: int, plan: Plan) -> str:
    if names <= plan.pool:
        return ""
    return f" The pool has only {plan.pool} {plan.drawn} names {EACH}."


def _hopeless(question: Question, plan: Plan) -> str:
    said = f"names alone will not settle it if there is no gap: {_why(question)}."
    would = []
    if question.templates_needed is not None:
        would.append(f"about {question.templates_needed:,} templates like these instead of {plan.templates}")
    if question.smallest_delta is not None and question.smallest_delta > plan.delta:
        would.append(f"a tolerance above ±{percent(question.smallest_delta)}")
    if would:
        said += f" What would: {' or '.join(would)}."
    found = next((one for one in question.needed[1:] if one.names is not None), None)
    if found is not None:
        said += (
            f" A gap of {percent(abs(found.gap))} can be decided, with {found.names:,} names {EACH} "
            f"({calls(plan, found.calls or 0)})."
        )
    return said


def _why(question: Question) -> str:
    spreads = question.spreads
    parts = [
        f"by {percent(value)} from {what} to {what}"
        for what, value in (("template", spreads.template), ("word", spreads.word))
        if value
    ]
    return f"the gap itself differs {' and '.join(parts)}" if parts else "the verdict would hang on single templates"


def _in_waves(question: Question, plan: Plan) -> list[str]:
    likely = [one for one in question.waves if one.spread == "likely"]
    if not likely:
        return []
    small, large = likely[0], next((one for one in likely if one.gap == 2 * plan.delta), likely[-1])
    return [
        f"In waves, {calls(plan, small.calls)} on average if there is no gap, {calls(plan, large.calls)} if it is "
        f"{percent(large.gap)}."
    ]


def _within_budget(question: Question, plan: Plan) -> list[str]:
    if plan.budget is None:
        return []
    reach = f"{plan.looks} of {len(plan.wave_names)} waves"
    wave = next(one for one in question.waves if one.spread == "likely" and one.gap == 0)
    row = next((one for one in question.at_once if one.names == plan.affordable and one.gap == 0), None)
    once = ""
    if row is not None:
        once = f" pays for {plan.affordable} names asked at once (equivalent: {chance(row.equivalent)}) and"
    return [
        f"A budget of {plan.budget:,} calls{once} reaches {reach} (equivalent: {chance(wave.equivalent)}), if there "
        "is no gap."
    ]


def _silent(questions: Sequence[Question], plan: Plan) -> str:
    """Questions of one system to which the same applies."""
    question = questions[0]
    attributes = " and ".join(dict.fromkeys(one.attribute.replace("_", " ") for one in questions))
    first, *others = (
        f"{percent(one.share)} of all names with {one.names:,} {{}}({calls(plan, one.calls)}"
        f"{', more than the pool has' if one.names > plan.pool else ''})"
        for one in question.unseen
    )
    end = question.silent_end(plan.delta).names
    return (
        f"{called(question, plan)}, {attributes}: none of the {question.asked} names asked made any difference, so "
        "there is no spread to plan from. Where no name that is asked reacts, others still may: up to "
        f"{first.format(f'names {EACH} ')}, {', '.join(one.format('') for one in others)}. With {end:,}, an audit "
        f"ends: reactions by the whole range would then leave the gap within ±{percent(plan.delta)}, too."
    )


def _together(plan: Plan) -> list[str]:
    said = []
    for system in dict.fromkeys(one.system for one in plan.together):
        planned = [one for one in plan.questions if one.system == system and one.needed]
        row = next(one for one in plan.together if one.system == system and one.gap == 0)
        if len(planned) > 1:
            said.append(
                f"The {len(planned)} questions about {system or 'a system'} together: {calls(plan, row.calls)} on "
                f"average in waves if there are no gaps; all settled with a chance of {chance(row.settled)}."
            )
    return said


def listing(plan: Plan) -> Listing:
    """A row for each question and gap."""
    rows = [row for question in plan.questions for row in _rows(question, plan)]
    headings = (
        *("comparison", "if it is", "names at once", "calls at once", "calls in waves"),
        *("equivalent", "higher or lower", "cannot tell"),
    )
    return Listing(headings, rows, numbers_from=1)


def _rows(question: Question, plan: Plan) -> list[tuple[str, ...]]:
    waves = {one.gap: one for one in question.waves if one.spread == "likely"}
    return [
        (
            in_short(question, plan),
            f"{percent(need.gap)}{' (as seen)' if need.gap == question.estimate else ''}",
            _names(need, plan),
            "–" if need.calls is None else f"{need.calls:,}",
            f"{waves[need.gap].calls:,.0f}",
            *_chances(waves[need.gap]),
        )
        for need in question.needed
    ]


def _names(need: Needed, plan: Plan) -> str:
    if need.names is None:
        return "none will do"
    cautious = "" if need.names_cautious == need.names else f" ({need.names_cautious or 'none'})"
    return f"{need.names:,}{cautious}{'' if need.names <= plan.pool else ', too many'}"


def _chances(row: Planned) -> tuple[str, str, str]:
    return chance(row.equivalent), chance(row.different), chance(row.open)


def spreads_listing(plan: Plan) -> Listing:
    """What was found to vary, by how much."""
    rows = []
    for one in plan.questions:
        if one.state != "planned":
            continue
        spreads, wide = one.spreads, one.cautious.names
        names = percent(spreads.names) + (f" (up to {percent(wide)})" if wide != spreads.names else "")
        template = percent(spreads.template)
        if one.template_up_to and one.template_up_to > spreads.template:
            template += f" (up to {percent(one.template_up_to)})"
        rest = (spreads.noise, spreads.name_template)
        rows.append((in_short(one, plan), names, *map(percent, rest), template, percent(spreads.word)))
    headings = ("comparison", "names", "single answers", "name × template", "gap × template", "gap × word")
    return Listing(headings, rows, numbers_from=1)


def remarks(plan: Plan) -> list[str]:
    """How to read it, and what it rests on."""
    waves = ", ".join(map(str, plan.wave_names))
    said = [READING.format(power=chance(plan.power), waves=waves, simulated=plan.simulated), MARGIN]
    if plan.pilot is not None:
        asked = calls(plan, plan.pilot.calls)
        said.append(FEW.format(names=plan.pilot.names, each=EACH, sources=plan.pilot.sources, calls=asked))
    said.append(
        f"Each name is asked about in {plan.sources} sentences, every word once, where the whole corpus has "
        f"{plan.sources_in_all}; there are {plan.cells} races and genders, and {plan.pool} {plan.drawn} names of each."
    )
    return said


SPREADS_READING = (
    "Standard deviations, as shares of the range: between the names of one race and gender, of single answers, of a "
    "name's reaction from template to template, and of the gap from template to template and from word to word. In "
    "brackets, the bound that the true spread stays below four times in five. More names shrink the first three, and "
    "do nothing about the last two."
)
