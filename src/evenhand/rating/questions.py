"""The paper's three questions, answered for the systems at hand, in per cent with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from evenhand.rating.ratings import Rating, RatingReport
from evenhand.stats.types import Floats

Question = Literal["human data", "human ratings", "round trip"]
SYNTHETIC = "SD"
HUMAN = "human"
"""How systems that are people's annotations begin."""


@dataclass(frozen=True)
class Answer:
    """One question for one system in one setting.

    `human data`: the share of the largest possible rejection score on conversations less that on synthetic data without
    confounding, in points. `human ratings`: the system's share less that of people's annotations. `round trip`: by how
    many per cent the raw score changes after it; in points of the largest possible score where it was 0 before.
    """

    question: Question
    system: str
    setting: str
    before: float | None
    after: float | None
    change: float | None
    unit: Literal["%", "points"]
    interval: tuple[float, float] | None
    undefined: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def answers(report: RatingReport) -> tuple[Answer, ...]:
    """Every question that the data allow."""
    return (*_human_data(report), *_human_ratings(report), *_round_trips(report))


def _human_data(report: RatingReport) -> Iterator[Answer]:
    plain = [one for one in report.results if one.method == "rejection" and one.via is None]
    synthetic = [one for one in plain if one.data == SYNTHETIC and one.attribute == "gender"]
    for human in (one for one in plain if one.data != SYNTHETIC):
        for system in human.raw:
            if synthetic and all(system in one.raw for one in synthetic):
                yield _in_points("human data", system, _where(human), synthetic, [human])


def _human_ratings(report: RatingReport) -> Iterator[Answer]:
    for one in report.results:
        people = next((system for system in one.raw if system.startswith(HUMAN)), None)
        if one.method != "rejection" or people is None:
            continue
        for system in one.raw:
            if system != people:
                yield _in_points("human ratings", system, _where(one), [one], [one], of=people)


def _round_trips(report: RatingReport) -> Iterator[Answer]:
    before = {(one.data, one.group, one.attribute): one for one in report.results if one.via is None}
    for after in (one for one in report.results if one.via is not None):
        original = before.get((after.data, after.group, after.attribute))
        if original is None:
            continue
        for system in after.raw:
            if system in original.raw:
                yield _trip(system, original, after)


def _trip(system: str, before: Rating, after: Rating) -> Answer:
    old, new = before.raw[system], after.raw[system]
    where = _where(after)
    if not np.isfinite(old) or not np.isfinite(new):
        why = before.undefined.get(system) or after.undefined.get(system) or "a raw score is undefined"
        return Answer("round trip", system, where, _finite(old), _finite(new), None, "%", None, why)
    if old == 0:
        if before.method == "rejection":
            return _in_points("round trip", system, where, [before], [after])
        why_not = None if new == 0 else "the impact was 0 before, so there is no share of it to speak of"
        return Answer("round trip", system, where, old, new, 0.0 if new == 0 else None, "%", None, why_not)
    first, second = _draws(before, system), _draws(after, system)
    interval = None
    if first is not None and second is not None and len(first) == len(second):
        # The same persons and words were drawn for both, as they are the same sentences.
        with np.errstate(divide="ignore", invalid="ignore"):
            interval = _ends(100 * (second - first) / first)
    return Answer("round trip", system, where, old, new, 100 * (new - old) / old, "%", interval)


def _in_points(
    question: Question,
    system: str,
    where: str,
    before: Sequence[Rating],
    after: Sequence[Rating],
    *,
    of: str | None = None,
) -> Answer:
    old, new = _share(before, of or system), _share(after, system)
    first, second = _shares_drawn(before, of or system), _shares_drawn(after, system)
    interval = None
    if first is not None and second is not None:
        size = min(len(first), len(second))
        interval = _ends(second[:size] - first[:size])
    return Answer(question, system, where, old, new, new - old, "points", interval)


def _share(results: Sequence[Rating], system: str) -> float:
    """The raw score in per cent of the largest that these comparisons allow."""
    return 100 * sum(one.raw[system] for one in results) / sum(_largest(one, system) for one in results)


def _shares_drawn(results: Sequence[Rating], system: str) -> Floats | None:
    drawn = [_draws(one, system) for one in results]
    known = [draws for draws in drawn if draws is not None]
    if len(known) < len(drawn):
        return None
    size = min(len(draws) for draws in known)
    total: Floats = np.sum([draws[:size] for draws in known], axis=0)
    return 100 * total / sum(_largest(one, system) for one in results)


def _largest(result: Rating, system: str) -> float:
    made = [test for test in result.tests if test.system == system and test.degrees_of_freedom is not None]
    return len(made) * result.largest_per_test


def _draws(result: Rating, system: str) -> Floats | None:
    return None if result.uncertainty is None else result.uncertainty.draws[system]


def _ends(values: Floats) -> tuple[float, float] | None:
    known = values[np.isfinite(values)]
    if len(known) < 0.95 * len(values):
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def _where(result: Rating) -> str:
    parts = (result.data, result.group, result.attribute, result.via and f"via {result.via}")
    return ", ".join(part for part in parts if part)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
