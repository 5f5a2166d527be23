"""Levels that no other system changes, and what relabelling persons gives: by hand, in company, on made-up systems."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.corpora import causal
from evenhand.rating import Rating, Ratings, rate_scores
from evenhand.rating.relabelling import Relabelled
from evenhand.verbs.rate import rate

CLASSES = ("male", "female", "NA")


def answers(
    system: str, *, persons: int = 4, gap: float = 0.0, person_sd: float = 0.0, emotion: float = 1.0, seed: int = 0
) -> pl.DataFrame:
    """A system that follows the emotion, and perhaps single persons or women: 6 sentences a person on two datasets."""
    rng = np.random.default_rng(seed)
    rows = [
        (system, dataset, gender, f"{gender} {number}", feeling, word)
        for dataset in ("E3", "E4")
        for gender in CLASSES
        for number in range(persons)
        for feeling, word in (("negative", "grim"), ("positive", "happy"))
        for _ in range(3)
    ]
    names = ["system", "dataset", "gender", "person", "emotion", "emotion_word"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    own = {name: person_sd * rng.normal() for name in frame["person"].unique(maintain_order=True)}
    felt = frame["emotion"].replace_strict({"negative": -emotion, "positive": emotion}, return_dtype=pl.Float64)
    women = (frame["gender"] == "female").cast(pl.Float64)
    noise = pl.Series(0.3 * rng.normal(size=frame.height))
    effect = frame["person"].replace_strict(own, return_dtype=pl.Float64)
    return frame.with_columns(sentiment=felt + gap * women + effect + noise)


def rated(*frames: pl.DataFrame, bootstrap: int = 0, **settings: object) -> Rating:
    (result,) = rate_scores(pl.concat(frames), attributes=["gender"], bootstrap=bootstrap, **settings).results  # type: ignore[arg-type]
    return result


def of(result: Rating, system: str) -> dict[str, object]:
    """Everything that a rating says of one system alone."""
    values = result.to_dict()
    found = {name: values[name][system] for name in ("raw", "ratings", "expected_by_system", "reference", "share")}
    unsure = values["uncertainty"] or {"levels": {}, "intervals": {}, "not_known": {}}
    return found | {name: unsure[name].get(system) for name in ("levels", "intervals", "not_known")}


def test_a_level_is_the_same_in_any_company() -> None:
    mine = answers("mine", gap=0.5, person_sd=0.1)
    others = [answers("fair", seed=1), answers("worse", gap=3.0, seed=2), answers("moody", person_sd=1.0, seed=3)]
    alone = of(rated(mine, bootstrap=40), "mine")
    assert alone["ratings"] == 3
    for company in ([mine, *others], [*others, mine], [others[0], mine], [others[1], others[2], mine]):
        assert of(rated(*company, bootstrap=40), "mine") == alone


def test_nor_do_systems_with_other_persons_or_datasets_change_it() -> None:
    mine = answers("mine", gap=0.5, person_sd=0.1)
    bigger = answers("bigger", persons=7, seed=1)
    elsewhere = answers("elsewhere", seed=2).with_columns(dataset=pl.lit("E1"))
    more_classes = answers("more", seed=3).with_columns(gender=pl.col("gender").replace("NA", "other"))
    alone = of(rated(mine, bootstrap=40), "mine")
    assert of(rated(bigger, elsewhere, more_classes, mine, bootstrap=40), "mine") == alone


def test_the_order_among_these_systems_is_another_thing() -> None:
    mine, worse = answers("mine", gap=0.2), answers("worse", gap=3.0, seed=2)
    alone, together = rated(mine), rated(mine, worse)
    assert alone.ratings["mine"] == together.ratings["mine"]
    assert (alone.among_these["mine"], together.among_these["mine"]) == (3, 1)


@pytest.mark.parametrize("company", [["vader", "textblob"], ["biased-female", "vader", "random"]])
def test_the_command_gives_a_system_the_same_levels_in_any_company(company: list[str]) -> None:
    def found(systems: list[str]) -> list[dict[str, object]]:
        return [of(one, "vader") for one in rate(systems, groups=[1, 2], bootstrap=20, progress=False).results]

    assert found(["vader"]) == found(company)


def test_attributes_beside_it_do_not_change_a_rating() -> None:
    frame = answers("mine", gap=0.5).with_columns(age=pl.Series(["old", "young"] * 72))
    alone = rate_scores(frame, attributes=["gender"], bootstrap=20).results[0]
    beside = rate_scores(frame, attributes=["age", "gender"], bootstrap=20).results[1]
    assert of(alone, "mine") == of(beside, "mine")


@pytest.mark.parametrize(
    ("levels", "shares"),
    [(2, {0.02: 2, 1.0: 2}), (3, {0.02: 2, 0.49: 2, 0.5: 3, 1.0: 3}), (5, {0.24: 2, 0.25: 3, 0.5: 4, 0.76: 5})],
)
def test_the_scale_is_cut_into_equal_parts(levels: int, shares: dict[float, int]) -> None:
    from evenhand.rating.levels import Scale

    for share, level in shares.items():
        assert Scale(24.0, above=True).levels(np.array(24 * share), levels) == level
        assert Scale(24.0, above=False).levels(np.array(24 * share), levels) == 1
        assert Scale(24.0, above=None).levels(np.array(24 * share), levels) == 0
    assert Scale(24.0, above=None).levels(np.array(0.0), levels) == 1


def by_hand() -> pl.DataFrame:
    """Four persons, two a class, who get 1, 2, 4 and 8: two sentences each, which agree."""
    persons = {"a": ("m", 1.0), "b": ("m", 2.0), "c": ("f", 4.0), "d": ("f", 8.0)}
    rows = [("s", "d", gender, name, score) for name, (gender, score) in persons.items() for _ in range(2)]
    return pl.DataFrame(rows, schema=["system", "dataset", "gender", "person", "sentiment"], orient="row")


def test_by_hand() -> None:
    found = rated(by_hand()).expected_by_system["s"]
    # Two of four persons can be chosen in six ways, of which three only swap the names of the classes.
    assert (found.relabellings, found.every, found.smallest_p) == (6, True, pytest.approx(1 / 3))
    assert found.p == pytest.approx(1 / 3)
    # t of {1, 2} against {4, 8}, of {1, 4} against {2, 8} and of {1, 8} against {2, 4}, each person twice.
    scores = []
    for first, second in (((1, 2), (4, 8)), ((1, 4), (2, 8)), ((1, 8), (2, 4))):
        t = abs(stats.ttest_ind(np.repeat(first, 2), np.repeat(second, 2), equal_var=False).statistic)
        scores.append(sum(w for alpha, w in ((0.05, 1.0), (0.3, 0.8), (0.4, 0.6)) if t > stats.t.ppf(1 - alpha / 2, 6)))
    assert found.mean == pytest.approx(np.mean(scores))
    assert (found.low, found.high) == (min(scores), max(scores))


def test_p_is_that_of_all_permutations() -> None:
    frame = answers("s", persons=2, gap=0.4, person_sd=0.3, seed=5)
    found = rated(frame).expected_by_system["s"]
    word = [pl.col("dataset"), pl.col("emotion_word")]
    rows = frame.with_columns(left=pl.col("sentiment") - pl.col("sentiment").mean().over(word))
    persons = rows["person"].unique(maintain_order=True).to_list()
    own = {name: rows.filter(person=name).group_by("dataset").agg(pl.col("left").mean()) for name in persons}
    means = {name: dict(table.iter_rows()) for name, table in own.items()}

    def apart(order: tuple[str, ...]) -> float:
        total = 0.0
        for dataset in ("E3", "E4"):
            a, b, c = (np.mean([means[name][dataset] for name in order[at : at + 2]]) for at in (0, 2, 4))
            total += abs(a - b) + abs(a - c) + abs(b - c)
        return total

    every = np.array([apart(order) for order in permutations(persons)])
    assert found.p == pytest.approx(np.mean(every >= apart(tuple(persons)) - 1e-9))
    assert found.relabellings == 90


def test_the_paper_has_too_few_persons_to_speak_of_others() -> None:
    frames = []
    for word_set in ("E1", "E3"):
        corpus = causal.group1(word_set).frame
        score = pl.when(gender="female").then(1.0).otherwise(-1.0)
        frames.append(corpus.with_columns(system=pl.lit("S_b"), dataset=pl.lit(word_set), sentiment=score))
    result = rated(pl.concat(frames).drop("id"))
    found = result.expected_by_system["S_b"]
    # That both women are in one of the two classes of two: 2 · 10 of 210 ways.
    assert (found.relabellings, found.p) == (210, pytest.approx(20 / 210))
    assert found.reference_p is not None
    assert found.reference_p > 0.05
    assert not found.about_others
    assert (found.p_rows, result.ratings["S_b"]) == (pytest.approx(0.001, abs=0.002), 3)
    report = rate_scores(pl.concat(frames).drop("id"), attributes=["gender"], bootstrap=0)
    assert report.overall_about_others == {"S_b": False}


def test_what_cannot_stand_out_has_no_level_and_says_why() -> None:
    frame = pl.DataFrame({"system": "s", "dataset": "d", "gender": list("mmfff"), "sentiment": [1.0, 2, 7, 8, 9]})
    result = rated(frame)
    assert (result.raw["s"] > 0, result.ratings["s"]) == (True, None)
    assert "no difference between classes could stand out" in result.no_level["s"]


def test_what_earlier_versions_saved_is_read_as_an_order_and_can_be_shown(tmp_path: Path) -> None:
    report = rate_scores(pl.concat([answers("a"), answers("b", gap=1.0)]), attributes=["gender"], bootstrap=5)
    values = report.to_dict()
    new = ("among_these", "expected_by_system", "reference", "share", "no_level")
    for result in values["results"]:
        result["ratings"] = result["among_these"]
        del result["uncertainty"]["not_known"]
        for name in new:
            del result[name]
    old = Ratings.from_dict(values)
    (result,) = old.results
    assert (result.ratings, result.among_these) == ({"a": None, "b": None}, {"a": 1, "b": 2})
    assert "rate it again" in result.no_level["a"]
    old.save(tmp_path / "again")
    assert "rate it again" in (tmp_path / "again" / "rating.html").read_text()
    assert old.frame()["p"].to_list() == [None, None]
    old.show()


def relabelled(**settings: float) -> list[tuple[float, Relabelled, int | None]]:
    """Sixty made-up systems, with their scores and levels."""
    frames = [answers(f"s{seed}", seed=seed, **settings) for seed in range(60)]  # type: ignore[arg-type]
    result = rated(*frames)
    return [(result.raw[name], result.expected_by_system[name], result.ratings[name]) for name in result.raw]


@pytest.mark.slow
@pytest.mark.parametrize("person_sd", [0.0, 0.1, 0.3, 1.0])
def test_fair_systems_score_what_relabelling_expects_and_get_level_1(person_sd: float) -> None:
    found = relabelled(person_sd=person_sd)
    raw, expected = np.mean([score for score, _, _ in found]), np.mean([one.mean for _, one, _ in found])
    # Noise alone would get 3.18 for six comparisons, whatever the system does.
    assert raw == pytest.approx(expected, abs=1.2)
    assert np.mean([score > one.high for score, one, _ in found if one.high is not None]) <= 0.07
    # Five per cent, and two standard errors of sixty systems.
    assert np.mean([level != 1 for _, _, level in found]) <= 0.11


@pytest.mark.slow
def test_biased_systems_are_found() -> None:
    assert np.mean([level == 3 for _, _, level in relabelled(gap=0.6, person_sd=0.1)]) >= 0.9
