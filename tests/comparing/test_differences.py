"""Differences between two systems: name effects cancel out, sizes are judged as sizes, and errors stay below 5 %."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings
from evenhand.comparing.differences import GapDifference, gap_differences
from evenhand.comparing.general import general_gap
from evenhand.comparing.sharing import Paired
from evenhand.contrasts import contrast
from evenhand.corpora import Corpus, eec
from evenhand.stats import Components
from evenhand.systems import Output

FRAME = eec().frame
SYSTEMS = 1_000


def small(first: int, second: int, sources: int = 3) -> Corpus:
    """So many persons of each group, each in every source; sources are the only sample besides."""
    persons = [("a", number) for number in range(first)] + [("b", number) for number in range(second)]
    rows = [
        {"id": f"{group}{n}-{source}", "text": f"{group}{n} in {source}", "source": f"s{source}"}
        | {"person": f"{group}{n}", "group": group}
        for source in range(sources)
        for group, n in persons
    ]
    return Corpus(pl.DataFrame(rows), "small", {"group": ("a", "b")})


def scores(corpus: Corpus, values: np.ndarray, name: str, output: Output | None = None) -> Scores:
    columns = (Column(name, output or Output("score"), None),)
    return Scores(tuple(corpus.frame["id"]), values.reshape(len(corpus), 1), columns, corpus.digest)


def difference(
    corpus: Corpus, one: np.ndarray, other: np.ndarray, attribute: str = "group", **settings: object
) -> GapDifference:
    parts = scores(corpus, one, "one"), scores(corpus, other, "other")
    paired = Paired(*parts, *parts, "one", "other", shares=False)
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return gap_differences([paired], corpus, attributes=[attribute], subsets=["all"], settings=chosen).found[0]


def by_person(corpus: Corpus, effects: dict[str, float]) -> np.ndarray:
    return np.array([effects[person] for person in corpus.frame["person"]])


def test_a_difference_computed_by_hand() -> None:
    """Persons differ by 0.1, 0.3 and 0.0, 0.1: 0.2 − 0.05 = 0.15. Shared variance (0.02 + 0.005) / 2 = 0.0125; the
    first group's own, 0.02, is larger, so the variance is 0.02/2 + 0.0125/2 = 0.01625. The two persons of the second
    group lie closer together, so there is one degree of freedom. What both systems do to names is far larger."""
    corpus = small(2, 2)
    names = by_person(corpus, {"a0": 0.9, "a1": -0.7, "b0": 0.2, "b1": -0.5})
    change = by_person(corpus, {"a0": 0.1, "a1": 0.3, "b0": 0.0, "b1": 0.1})
    general = difference(corpus, names, names + change).difference.generalising
    assert general.estimate == pytest.approx(0.15)
    assert general.standard_error == pytest.approx(0.01625**0.5)
    assert general.df == pytest.approx(1)
    assert general.p == pytest.approx(2 * stats.t.sf(0.15 / 0.01625**0.5, 1))
    margin = stats.t.ppf(0.975, 1) * 0.01625**0.5
    assert general.interval == pytest.approx((0.15 - margin, 0.15 + margin))


def test_it_is_welchs_test_of_the_persons_changes() -> None:
    corpus, rng = small(9, 12), np.random.default_rng(3)
    persons = corpus.frame["person"].unique(maintain_order=True).to_list()
    change = {
        person: float(rng.normal(0.02 * (person[0] == "a"), 0.03 if person[0] == "a" else 0.01)) for person in persons
    }
    names = rng.normal(size=len(corpus))
    general = difference(corpus, names, names + by_person(corpus, change)).difference.generalising
    sides = [[value for person, value in change.items() if person[0] == side] for side in "ab"]
    welch = stats.ttest_ind(*sides, equal_var=False)
    assert general.p == pytest.approx(welch.pvalue)
    assert general.interval == pytest.approx(tuple(welch.confidence_interval(0.95)))


def test_the_difference_is_that_of_the_gaps() -> None:
    rng = np.random.default_rng(5)
    found = difference(eec(), rng.normal(size=len(FRAME)), rng.normal(size=len(FRAME)), "gender")
    one, other, both = (part.generalising.estimate for part in (found.one, found.other, found.difference))
    assert one is not None
    assert other is not None
    assert both == pytest.approx(other - one)
    assert found.difference.mean_difference == pytest.approx(found.other.mean_difference - found.one.mean_difference)


def test_names_that_both_treat_alike_drop_out() -> None:
    """Tia is odd in both systems, so that neither gap is known; their difference is, exactly."""
    tia = 0.3 * where("person", "Tia")
    change = 0.02 * where("race", "African American")
    found = difference(eec(), tia, tia + change, "race")
    assert found.one.verdict == "cannot tell"
    assert found.difference.verdict == "higher"
    assert found.difference.generalising.interval == pytest.approx((0.02, 0.02))


def where(column: str, value: str) -> np.ndarray:
    return (FRAME[column] == value).fill_null(False).to_numpy().astype(float)


@pytest.mark.parametrize(("one", "other", "size", "changed"), [
    (0.05, 0.02, "smaller", False),
    (0.02, 0.05, "larger", False),
    (-0.05, -0.02, "smaller", False),
    (-0.02, -0.05, "larger", False),
    (0.05, -0.02, "smaller", True),
    (0.02, -0.05, "larger", True),
    (0.05, -0.05, "cannot tell", True),
    (0.0, 0.05, "larger", False),
])  # fmt: skip
def test_whether_a_gap_shrank_is_a_question_about_sizes(one: float, other: float, size: str, changed: bool) -> None:
    corpus, rng = small(8, 8), np.random.default_rng(7)
    side = (corpus.frame["group"] == "a").to_numpy().astype(float)
    noise = rng.normal(scale=0.001, size=(2, len(corpus)))
    found = difference(corpus, one * side + noise[0], other * side + noise[1])
    assert (found.size, found.changed_sides) == (size, changed)
    assert found.difference.verdict == ("higher" if other > one else "lower")


def test_where_the_gaps_own_side_is_unknown_its_size_is_not_claimed() -> None:
    corpus, rng = small(8, 8), np.random.default_rng(9)
    side = (corpus.frame["group"] == "a").to_numpy().astype(float)
    names = by_person(corpus, {person: float(rng.normal(scale=0.3)) for person in sorted(set(corpus.frame["person"]))})
    found = difference(corpus, names, names + 0.05 * side + rng.normal(scale=0.001, size=len(corpus)))
    assert found.difference.verdict == "higher"
    assert found.size == "cannot tell"


def test_equal_systems_are_equivalent_and_nothing_is_claimed() -> None:
    values = np.random.default_rng(1).normal(size=len(FRAME))
    found = difference(eec(), values, values, "gender")
    assert (found.difference.verdict, found.size, found.changed_sides) == ("no reaction seen", "cannot tell", False)
    assert found.difference.generalising.interval is None


def test_what_cannot_be_generalised_is_undefined_with_a_reason() -> None:
    corpus = small(1, 4)
    found = difference(corpus, np.arange(len(corpus)) / 100, np.zeros(len(corpus)))
    assert found.difference.generalising.estimate is None
    assert "single person" in found.difference.undefined["generalising.interval"]
    assert (found.difference.verdict, found.size) == ("cannot tell", "cannot tell")


def test_every_question_is_corrected_for_all_questions_about_differences() -> None:
    rng = np.random.default_rng(4)
    parts = [scores(eec(), rng.normal(size=len(FRAME)), name) for name in ("one", "other")]
    paired = Paired(*parts, *parts, "one", "other", shares=False)
    found = gap_differences([paired], eec(), attributes=["gender", "race"], subsets=["all"], settings=Settings())
    assert found.family["assessments"] == 2
    for gap in found.found:
        general = gap.difference.generalising
        assert general.p is not None
        assert general.p_adjusted == pytest.approx(min(1, 2 * general.p))


# How often it errs: pairs of systems on the real design; their names vary strongly, partly alike and partly not.


def codes(column: str) -> np.ndarray:
    filled = FRAME[column].fill_null(FRAME["source"])
    return filled.rank("dense").to_numpy().astype(np.int64) - 1


def pairs(attribute: str, gaps: tuple[float, float], seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, len(attribute)])
    person, template = codes("person"), codes("template")

    def effects(where: np.ndarray, sd: float) -> np.ndarray:
        return rng.normal(scale=sd, size=(where.max() + 1, SYSTEMS))[where]

    groups = eec().attributes[attribute]
    labels = FRAME[attribute].to_numpy()
    side = ((labels == groups[0]).astype(float) - (labels == groups[1]))[:, None] / 2
    both = effects(person, 0.05) + side * effects(template, 0.02)
    own = [
        rng.normal(scale=0.05, size=(len(FRAME), SYSTEMS)) + effects(person, 0.01) + side * effects(template, 0.01)
        for _ in range(2)
    ]
    one, other = (both + part + gap * side for part, gap in zip(own, gaps, strict=True))
    return one, other


def generalised(attribute: str, numbers: np.ndarray) -> Components:
    return general_gap(contrast(eec(), attribute), numbers, scale=np.ones(numbers.shape[1]))


@cache
def judged(attribute: str, gaps: tuple[float, float], seed: int) -> dict[str, Components]:
    one, other = pairs(attribute, gaps, seed)
    numbers = {"one": one, "other": other, "difference": other - one, "sum": other + one}
    return {name: generalised(attribute, part) for name, part in numbers.items()}


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_false_alarms_are_rare_where_gaps_are_equal_and_names_vary_strongly(attribute: str) -> None:
    alarms = [judged(attribute, (0.03, 0.03), seed)["difference"].p() < 0.05 for seed in (1, 2)]
    assert np.mean(alarms) <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_intervals_cover_the_true_difference(attribute: str) -> None:
    inside = []
    for seed in (1, 2):
        low, high = judged(attribute, (0.03, 0.01), seed)["difference"].interval(0.95)
        inside.append((low <= -0.02) & (high >= -0.02))
    assert np.mean(inside) >= 0.935


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_pairing_finds_what_two_separate_intervals_cannot(attribute: str) -> None:
    found = judged(attribute, (0.03, 0.01), 1)
    paired = np.mean(found["difference"].p() < 0.05)
    one, other = found["one"], found["other"]
    apart = (one.estimate - other.estimate) / np.sqrt(one.variance + other.variance)
    separate = np.mean(np.abs(apart) > 1.96)
    (low, _), (_, high) = one.interval(0.95), other.interval(0.95)
    assert paired >= 0.6
    assert separate <= 0.25
    assert np.mean(high < low) <= 0.05, "intervals that do not overlap"


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [(0.06, -0.06), (0.06, 0.06), (0.0, 0.0)])
def test_sizes_that_are_equal_are_rarely_called_different(gaps: tuple[float, float]) -> None:
    found = judged("gender", gaps, 3)
    both = (found["difference"].p() < 0.05) & (found["sum"].p() < 0.05)
    assert np.mean(both) <= 0.065


@pytest.mark.slow
def test_the_simulated_test_is_the_one_that_comparisons_use() -> None:
    one, other = (values[:, 0] for values in pairs("race", (0.03, 0.01), 1))
    found = difference(eec(), one, other, "race").difference.generalising
    assert found.p == pytest.approx(float(judged("race", (0.03, 0.01), 1)["difference"].p()[0]))
