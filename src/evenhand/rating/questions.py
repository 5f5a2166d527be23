"""The paper's three questions, answered for the systems at hand, in per cent with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from evenhand.rating.ratings import Rating
from evenhand.stats.types import Floats

Question = Literal["human data", "human ratings", "round trip"]
Unit = Literal["%", "points", "percentage points"]
Baselines = Mapping[tuple[str | None, str | None, str, str | None], Sequence[Rating]]
"""By setting of a rating: the ratings that it is to be compared with."""
SYNTHETIC = "SD"
HUMAN = "human"
"""What systems that are people's annotations are called, alone or before a colon and their files."""
NEEDED = 0.95
"""The share of draws in which a change must be defined, for an interval to be given."""


@dataclass(frozen=True)
class Answer:
    """One question for one system in one setting.

    `human data`: the share of the largest possible rejection score on conversations less that on synthetic data without
    confounding, both by the classes that the conversations have, in points. `human ratings`: the system's share less
    that of people's annotations; with confounding, its impact less theirs, in percentage points. `round trip`: by how
    many per cent the raw score changes after it; in points of the largest possible score where it was 0 before. What is
    None has its reason in `undefined` or `no_interval`.
    """

    question: Question
    system: str
    data: str | None
    group: str | None
    attribute: str
    via: str | None
    before: float | None
    after: float | None
    change: float | None
    unit: Unit
    interval: tuple[float, float] | None
    undefined: str | None = None
    no_interval: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def answers(results: Sequence[Rating], baselines: Baselines | None = None) -> tuple[Answer, ...]:
    """Every question that the data allow.

    `baselines` has, for conversations, ratings on synthetic data by the same classes; for ratings of some sentences
    after a round trip, the rating of the same sentences before. Scores by different classes or on different sentences
    cannot be compared: that is how the paper found a round trip to raise bias that it did not raise.
    """
    known = baselines or {}
    return (*_human_data(results, known), *_human_ratings(results), *_round_trips(results, known))


def _human_data(results: Sequence[Rating], baselines: Baselines) -> Iterator[Answer]:
    for human in results:
        if human.via is not None or human.data == SYNTHETIC or human.setting not in baselines:
            continue
        synthetic = baselines[human.setting]
        for system in human.raw:
            if not synthetic:
                yield _unanswered("human data", system, human, "the synthetic data have no two of these classes")
            elif not all(system in one.raw for one in synthetic):
                yield _unanswered("human data", system, human, f"{system} was not rated on synthetic data")
            else:
                yield _in_points("human data", system, human, before=synthetic)


def _human_ratings(results: Sequence[Rating]) -> Iterator[Answer]:
    for one in results:
        people = next(filter(_is_people, one.raw), None)
        if people is None:
            continue
        for system in one.raw:
            if _is_people(system):
                continue
            if one.method == "rejection":
                yield _in_points("human ratings", system, one, before=[one], of=people)
            else:
                yield _of_impacts(system, one, people)


def _of_impacts(system: str, result: Rating, people: str) -> Answer:
    """A system's impact of deconfounding less that of people, on the same sentences."""
    theirs, own = result.raw[people], result.raw[system]
    for name, raw in ((people, theirs), (system, own)):
        if not np.isfinite(raw):
            infinite = f"the impact of {name} is X: from 0 to something else, which no number says"
            why = infinite if np.isinf(raw) else result.undefined.get(name) or "the impact is undefined"
            return _unanswered("human ratings", system, result, why, before=theirs, after=own, unit="percentage points")
    first, second = _draws(result, people), _draws(result, system)
    changes = None
    if first is not None and second is not None:
        with np.errstate(invalid="ignore"):
            changes = second - first
    return _answer("human ratings", system, result, theirs, own, own - theirs, "percentage points", changes)


def _is_people(system: str) -> bool:
    return system.partition(":")[0] == HUMAN


def _round_trips(results: Sequence[Rating], baselines: Baselines) -> Iterator[Answer]:
    before = {one.setting: one for one in results if one.via is None}
    for after in (one for one in results if one.via is not None):
        whole = before.get((*after.setting[:3], None))
        for original in baselines.get(after.setting, () if whole is None else (whole,)):
            for system in after.raw:
                if system in original.raw:
                    yield _trip(system, original, after)


def _trip(system: str, before: Rating, after: Rating) -> Answer:
    old, new = before.raw[system], after.raw[system]
    if not np.isfinite(old) or not np.isfinite(new):
        why = before.undefined.get(system) or after.undefined.get(system) or "a raw score is undefined"
        return _unanswered("round trip", system, after, why, before=old, after=new, unit="%")
    if old == 0 and before.method == "rejection":
        return _in_points("round trip", system, after, before=[before])
    if old == 0 and new != 0:
        why = "the impact was 0 before, so there is no share of it to speak of"
        return _unanswered("round trip", system, after, why, before=old, after=new, unit="%")
    # The same persons and words were drawn for both, as they are the same sentences.
    first, second = _draws(before, system), _draws(after, system)
    changes = None
    if first is not None and second is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = np.where(second == first, 0.0, 100 * (second - first) / first)
    change = 100 * (new - old) / old if old else 0.0
    return _answer("round trip", system, after, old, new, change, "%", changes)


def _in_points(
    question: Question, system: str, result: Rating, *, before: Sequence[Rating], of: str | None = None
) -> Answer:
    old, new = _share(before, of or system), _share([result], system)
    if old is None or new is None:
        return _unanswered(question, system, result, "nothing could be compared", before=old, after=new)
    first, second = _shares_drawn(before, of or system), _shares_drawn([result], system)
    changes = None if first is None or second is None else second - first
    return _answer(question, system, result, old, new, new - old, "points", changes)


def _answer(
    question: Question,
    system: str,
    result: Rating,
    old: float,
    new: float,
    change: float,
    unit: Unit,
    changes: Floats | None,
) -> Answer:
    interval, why = _interval(changes)
    return Answer(question, system, *result.setting, old, new, change, unit, interval, no_interval=why)


def _unanswered(
    question: Question,
    system: str,
    result: Rating,
    why: str,
    *,
    before: float | None = None,
    after: float | None = None,
    unit: Unit = "points",
) -> Answer:
    values = _finite(before), _finite(after)
    return Answer(question, system, *result.setting, *values, None, unit, None, undefined=why)


def _share(results: Sequence[Rating], system: str) -> float | None:
    """The raw score in per cent of the largest that these comparisons allow; None where there were none."""
    largest = sum(_largest(one, system) for one in results)
    return 100 * float(np.nansum([one.raw[system] for one in results])) / largest if largest else None


def _shares_drawn(results: Sequence[Rating], system: str) -> Floats | None:
    drawn = [draws for one in results if (draws := _draws(one, system)) is not None]
    if len(drawn) < len(results):
        return None
    total: Floats = np.sum(drawn, axis=0)
    return 100 * total / sum(_largest(one, system) for one in results)


def _largest(result: Rating, system: str) -> float:
    made = [test for test in result.tests if test.system == system and test.degrees_of_freedom is not None]
    return len(made) * result.largest_per_test


def _draws(result: Rating, system: str) -> Floats | None:
    return None if result.uncertainty is None else result.uncertainty.draws[system]


def _interval(changes: Floats | None) -> tuple[tuple[float, float] | None, str | None]:
    """Where the middle 95 % of the changes lie, or why nobody can say."""
    if changes is None:
        return None, "nothing was drawn again"
    known = changes[np.isfinite(changes)]
    if len(known) < NEEDED * len(changes):
        return None, f"the change is undefined in {1 - len(known) / len(changes):.0%} of the draws"
    low, high = np.quantile(known, [0.025, 0.975])
    return (float(low), float(high)), None


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
