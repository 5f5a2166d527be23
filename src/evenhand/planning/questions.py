"""One question planned: how many names settle it, and the chance of each verdict by names, at once and in waves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.comparing.sequential import Waves
from evenhand.comparing.settings import Settings
from evenhand.planning.chances import InWaves, Judge, Level, in_waves, shares
from evenhand.planning.designs import Design
from evenhand.planning.result import (
    NAMES_WILL_DO,
    NOT_AT_THIS_GAP,
    NOT_BY_NAMES,
    NOTHING_VARIES,
    Needed,
    Planned,
    Question,
    Spread,
    Together,
    Unseen,
)
from evenhand.planning.simulation import expected_variances, reached
from evenhand.planning.spreads import Spreads
from evenhand.stats import persons_to_settle
from evenhand.stats.power import largest_error

SYSTEMS = 2_000
"""So many are simulated for each question: a chance is then known to about 2 points of a hundred."""
GRID = (5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320)
"""Names at which the chances of asking at once are worked out."""
UNSEEN = (0.05, 0.02, 0.01)
"""Shares of names that may react although none of those asked did."""
FIRST, FEWEST = 5, 10
"""Names at the first look, and the fewest at the last."""
LOOKED_AT = 1.25
"""Waves need more names in the end than asking at once, as each look is paid for."""
HALF = 0.5
"""The part of the variance that templates may take up where more of them are asked for."""


@dataclass(frozen=True)
class Goal:
    """What a plan is made for."""

    settings: Settings
    power: float
    gaps: tuple[float, ...]
    draws: int = 1

    @property
    def delta(self) -> float:
        """The tolerance."""
        return self.settings.equivalence

    def level(self, comparisons: int) -> Level:
        """What a single look may spend."""
        corrected = comparisons if self.settings.correction == "bonferroni" else 1
        return Level(self.settings.alpha / corrected, self.settings.one_sided_alpha)


def planned(
    question: Question,
    design: Design,
    goal: Goal,
    *,
    grid: Sequence[int],
    seed: Sequence[int],
    systems: int = SYSTEMS,
) -> Question:
    """The question with the chances of asking at once and the names that it needs; of silent systems, what they leave
    unseen."""
    if question.state == "no reaction seen":
        return replace(question, unseen=_unseen(design, goal), undefined=_why(question, NOTHING_VARIES))
    if question.state != "planned":
        return replace(question, undefined=_why(question, NOTHING_VARIES))
    level = goal.level(question.comparisons)
    _, rest = expected_variances(design, question.spreads)
    gaps = _gaps(question, goal)
    formulas = {
        called: [_by_formula(spreads, gap, design, goal, level) for gap in gaps] for called, spreads in _both(question)
    }
    wanted = [names for listed in formulas.values() for names in listed[:1] if names is not None]
    sizes = sorted({size for size in [*grid, *wanted] if 2 <= size <= design.most})
    rows = _at_once(question, design, goal, gaps, sizes, seed=seed, systems=systems)
    needs = []
    for place, gap in enumerate(gaps):
        found = {
            called: _reached_by([row for row in rows if (row.spread, row.gap) == (called, gap)], goal, listed[place])
            for called, listed in formulas.items()
        }
        cautious = found.get("cautious", found["likely"])
        needs.append(_needed(gap, found["likely"], cautious, formulas["likely"][place], design, goal))
    templates = None if needs[0].names is not None else _templates(design, rest, goal, level)
    return replace(
        question,
        needed=tuple(needs),
        at_once=tuple(rows),
        smallest_delta=goal.delta * math.sqrt(rest) / _largest(0.0, goal, level),
        templates_needed=templates,
        undefined=_why(question, NAMES_WILL_DO) if templates is None else question.undefined,
    )


def _why(question: Question, why: str) -> Mapping[str, str]:
    """The reasons with that of what only some plans have."""
    known = ("smallest_delta", "templates_needed") if why == NOTHING_VARIES else ("templates_needed",)
    return {**question.undefined, **dict.fromkeys(known, why)}


def _both(question: Question) -> list[tuple[Spread, Spreads]]:
    """As it is likely to be, and as it may be where that is any different."""
    cautious: list[tuple[Spread, Spreads]] = [("cautious", question.cautious)]
    return [("likely", question.spreads), *(cautious if question.cautious != question.spreads else [])]


def _gaps(question: Question, goal: Goal) -> list[float]:
    """Those that are asked for, and the one that the pilot saw."""
    seen = [] if question.estimate is None else [question.estimate]
    return list(dict.fromkeys([*goal.gaps, *seen]))


def _at_once(
    question: Question,
    design: Design,
    goal: Goal,
    gaps: Sequence[float],
    sizes: Sequence[int],
    *,
    seed: Sequence[int],
    systems: int,
) -> list[Planned]:
    judge = Judge(goal.level(question.comparisons), delta=goal.delta)
    rows = []
    for number, (called, spreads) in enumerate(_both(question)):
        rng = np.random.default_rng([*seed, number])
        for one in reached(design, spreads, sizes, systems=systems, rng=rng):
            calls = design.calls(one.names) * goal.draws
            rows += [
                Planned(called, gap, float(one.names), float(calls), **shares(judge.verdicts(one, gap))) for gap in gaps
            ]
    return rows


def _reached_by(rows: Sequence[Planned], goal: Goal, by_formula: int | None) -> int | None:
    """The fewest names with which a verdict on a gap is as likely as is asked for; between those that were simulated,
    on a line by the logarithm. What the pool does not reach is left to the formula; None where no number would do."""
    before: tuple[float, float] | None = None
    for row in rows:
        chance = verdict_chance(row, goal.delta)
        if chance >= goal.power:
            if before is None or row.names - before[0] <= 1:
                return round(row.names)
            names, low = before
            share = (goal.power - low) / (chance - low)
            return math.ceil(math.exp(math.log(names) + share * math.log(row.names / names)) - 1e-9)
        before = row.names, chance
    beyond = by_formula is not None and (not rows or by_formula >= rows[-1].names)
    return by_formula if beyond else None


def verdict_chance(row: Planned, delta: float) -> float:
    """The chance of the verdict that is right: that a gap of zero is small, that one of δ or more is there, and of one
    between them whichever is likelier."""
    if row.gap == 0:
        return row.equivalent
    return row.different if abs(row.gap) >= delta else max(row.equivalent, row.different)


def _largest(gap: float, goal: Goal, level: Level) -> float:
    return float(
        largest_error(
            np.array([gap]),
            np.array([goal.delta]),
            alpha=level.small,
            test_alpha=level.different,
            power=goal.power,
        )[0]
    )


def _needed(
    gap: float, likely: int | None, cautious: int | None, by_formula: int | None, design: Design, goal: Goal
) -> Needed:
    why = NOT_BY_NAMES if gap == 0 else NOT_AT_THIS_GAP
    calls = [None if one is None else design.calls(one) * goal.draws for one in (likely, cautious)]
    found = {
        "names": likely,
        "calls": calls[0],
        "names_cautious": cautious,
        "calls_cautious": calls[1],
        "by_formula": by_formula,
    }
    return Needed(gap, **found, undefined={name: why for name, value in found.items() if value is None})


def _by_formula(spreads: Spreads, gap: float, design: Design, goal: Goal, level: Level) -> int | None:
    """For each race and gender; None where no number would do."""
    per_group = len(design.coefficients) / design.groups
    persons, rest = expected_variances(design, spreads)
    needed = persons_to_settle(
        np.array([persons]),
        np.array([rest]),
        delta=np.array([goal.delta]),
        per_group=per_group,
        alpha=level.small,
        gap=np.array([gap]),
        test_alpha=level.different,
        groups=design.groups,
        power=goal.power,
    )[0]
    return None if math.isnan(needed) else max(math.ceil(needed / per_group - 1e-9), 2)


def _templates(design: Design, rest: float, goal: Goal, level: Level) -> int:
    """With so many like these, templates and words take up half of what the interval may vary by."""
    fits = HALF * _largest(0.0, goal, level) ** 2
    return max(math.ceil(len(design.groupings[0].weights) * rest / fits), len(design.groupings[0].weights) + 1)


def _unseen(design: Design, goal: Goal) -> tuple[Unseen, ...]:
    """Of n names none of whom reacts, up to 1 − α^(1/n) of all may; with a share of δ, they cannot matter."""
    per_group = len(design.coefficients) / design.groups
    found = []
    for share in sorted({*UNSEEN, min(goal.delta, UNSEEN[0])}, reverse=True):
        names = math.ceil(math.log(goal.settings.one_sided_alpha) / math.log1p(-share) / per_group - 1e-9)
        found.append(Unseen(share, names, design.calls(names) * goal.draws))
    return tuple(found)


def chosen_waves(questions: Sequence[Question], goal: Goal, pool: int) -> tuple[int, ...]:
    """Twice as many names at each look, up to what the most demanding question is likely to need and a quarter more,
    within the pool; of systems that may turn out not to react, up to where nobody else can matter."""
    known = [names for one in questions if (names := _first_need(one)) is not None]
    silent = [one.silent_end(goal.delta).names for one in questions if one.unseen]
    most = min(max(FEWEST, *(math.ceil(LOOKED_AT * number) for number in known), *silent, FEWEST), pool)
    halved = [math.ceil(most / 2**times) for times in range(1, most.bit_length())]
    looks = {FIRST, *(size for size in halved if size > FIRST), math.ceil(0.75 * most), most}
    return tuple(size for size in sorted(looks) if min(FIRST, most) <= size <= most)


def _first_need(question: Question) -> int | None:
    """What a gap of zero needs, or the first that any number of names would settle."""
    return next((one.names_cautious or one.names for one in question.needed if one.names is not None), None)


@dataclass(frozen=True)
class Chances:
    """A question with its chances in waves, and by gap how each system came out."""

    question: Question
    paths: Mapping[float, InWaves]


def with_waves(
    question: Question,
    design: Design,
    goal: Goal,
    *,
    waves: Waves,
    paid: int,
    seed: Sequence[int],
    systems: int = SYSTEMS,
) -> Chances:
    """The chance of each verdict at each gap, asked in waves of which the budget pays for so many."""
    if question.state != "planned":
        return Chances(question, {})
    gaps = [one.gap for one in question.needed]
    at_zero = question.needed[0].calls
    looks = waves.looks(goal.settings, comparisons=question.comparisons)[:paid]
    judges = [Judge(Level.of(look, _corrected(goal, question)), delta=goal.delta) for look in looks]
    asked = waves.names[:paid]
    rows: list[Planned] = []
    paths: dict[float, InWaves] = {}
    for number, (called, spreads) in enumerate(_both(question)):
        rng = np.random.default_rng([*seed, number])
        at_looks = list(reached(design, spreads, asked, systems=systems, rng=rng))
        for gap in gaps:
            came = in_waves(at_looks, judges, gap)
            rows.append(_of_waves(called, gap, came, asked, design, goal, at_zero))
            if called == "likely":
                paths[gap] = came
    return Chances(replace(question, waves=tuple(rows)), paths)


def _corrected(goal: Goal, question: Question) -> int:
    return question.comparisons if goal.settings.correction == "bonferroni" else 1


def _of_waves(
    called: Spread,
    gap: float,
    came: InWaves,
    asked: Sequence[int],
    design: Design,
    goal: Goal,
    at_zero: int | None,
) -> Planned:
    names = float(np.array(asked, dtype=np.float64)[came.last].mean())
    calls = design.calls(1) * goal.draws * names
    return Planned(
        spread=called,
        gap=gap,
        names=names,
        calls=calls,
        equivalent=came.equivalent,
        different=came.different,
        open=came.open,
        given_up=came.given_up,
        saved=None if at_zero is None else 1 - calls / at_zero,
    )


def together(
    found: Sequence[Chances], gaps: Sequence[float], asked: Sequence[int], calls_each: int
) -> tuple[Together, ...]:
    """By system, what it takes to settle all of its questions; each is simulated by itself, as if they had nothing to
    do with each other."""
    systems = dict.fromkeys(one.question.system for one in found if one.paths)
    rows = []
    for system in systems:
        mine = [one.paths for one in found if one.question.system == system and one.paths]
        for gap in gaps:
            last = np.max([paths[gap].last for paths in mine], axis=0)
            calls = calls_each * float(np.array(asked, dtype=np.float64)[last].mean())
            settled = math.prod(1 - paths[gap].open for paths in mine)
            rows.append(Together(system, gap, calls, settled))
    return tuple(rows)
