"""Ratings as a whole: the shape of the report, orders, levels, several settings, and how sure they are."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Scores
from evenhand.asking.scores import Column
from evenhand.corpora import causal
from evenhand.errors import EvenhandError, UsageError
from evenhand.published.rating_figures import published_scores
from evenhand.rating import Ratings, RejectionSettings, complete_order, long_form, partial_order, rate_scores
from evenhand.systems import Output


def scores_of(group: str) -> pl.DataFrame:
    return published_scores().filter(pl.col("group") == group)


def noisy(*, systems: int = 3, persons: int = 6, seed: int = 0) -> pl.DataFrame:
    """Systems with noise of their own and nothing else, on two datasets."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{system}", dataset, gender, f"{gender} {person}", emotion, word)
        for system in range(systems)
        for dataset in ("E3", "E4")
        for gender in ("male", "female", "NA")
        for person in range(persons)
        for emotion, words in (("negative", ("grim", "depressing")), ("positive", ("happy",)))
        for word in words[: 1 if dataset == "E3" else 2]
        for _ in range(2)
    ]
    names = ["system", "dataset", "gender", "person", "emotion", "emotion_word"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return frame.with_columns(sentiment=pl.Series(rng.normal(size=frame.height)))


def test_the_json_has_its_shape() -> None:
    report = rate_scores(scores_of("Group-1"), attributes=["gender"], bootstrap=20)
    content = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert {"results", "overall", "settings", "answers", "notes", "provenance"} <= set(content)
    (result,) = content["results"]
    shape = {"data", "group", "attribute", "via", "tests", "raw", "impact", "partial_order", "ratings"}
    assert shape <= set(result)
    assert (result["group"], result["attribute"], result["via"]) == ("Group-1", "gender", None)
    first = result["tests"][0]
    assert {"system", "dataset", "pair", "t", "degrees_of_freedom", "rejected"} <= set(first)
    assert (first["system"], first["dataset"], first["pair"]) == ("S_b", "E1", ["NA", "male"])
    assert first["rejected"] == [False, False, False]
    assert result["raw"] == {"S_b": 24.0, "S_r": 8.4, "S_t": 0.0, "S_d": 0.0, "S_g": 4.0}
    assert result["partial_order"] == [["S_t", 0.0], ["S_d", 0.0], ["S_g", 4.0], ["S_r", 8.4], ["S_b", 24.0]]
    assert result["ratings"] == content["overall"] == {"S_b": 3, "S_r": 1, "S_t": 1, "S_d": 1, "S_g": 1}
    assert result["among_these"] == {"S_b": 3, "S_r": 2, "S_t": 1, "S_d": 1, "S_g": 1}
    assert result["reference"] == dict.fromkeys(("S_b", "S_r", "S_t", "S_d", "S_g"), 24.0)
    assert result["expected"] == 7.95
    assert set(result["expected_by_system"]["S_b"]) >= {"mean", "low", "high", "p", "relabellings", "smallest_p"}
    assert result["impact"] == {}
    assert content["settings"]["preset"] == "stated"
    assert content["settings"]["overall"] == "worst"


def test_the_json_of_impacts() -> None:
    report = rate_scores(scores_of("Group-2"), attributes=["gender"], confounders=["gender"], bootstrap=0)
    (result,) = json.loads(report.to_json())["results"]
    assert result["tests"] == []
    assert result["impact"]["S_b"]["E4"]["negative"] == {
        "observed": pytest.approx(0.4),
        "adjusted": pytest.approx(-1 / 3),
        "impact": pytest.approx(550 / 3),
        "undefined": None,
    }
    assert result["impact"]["S_b"]["E3"]["positive"]["undefined"] == "female never met a positive word"
    assert set(result["partial"]) == {"S_b", "S_r", "S_t", "S_d", "S_g"}
    assert result["expected"] is None


def test_attributes_alone_and_crossed() -> None:
    report = rate_scores(
        scores_of("Group-3"), attributes=["gender", "race", "race+gender"], preset="published", bootstrap=0
    )
    assert [result.raw["S_b"] for result in report.results] == [23, 23, 69]
    assert [result.raw["S_r"] for result in report.results] == [7.5, 7.2, 16.1]
    crossed = {name for test in report.results[2].tests for name in test.pair}
    assert "African American female" in crossed
    assert len(crossed) == 5


def test_data_groups_and_languages_are_rated_apart() -> None:
    frame = noisy()
    settings = [("SD", "Group-1", None), ("SD", "Group-1", "es"), ("HD", "User", None)]
    parts = [
        frame.with_columns(data=pl.lit(data), group=pl.lit(group), via=pl.lit(via, dtype=pl.String))
        for data, group, via in settings
    ]
    report = rate_scores(pl.concat(parts), attributes=["gender"], bootstrap=0)
    assert [(result.data, result.group, result.via) for result in report.results] == settings
    alone = rate_scores(frame, attributes=["gender"], bootstrap=0).results[0]
    assert all(result.raw == alone.raw for result in report.results)


def report_of(*levels: dict[str, float], overall: str = "worst") -> Ratings:
    frames = []
    for place, gaps in enumerate(levels):
        for system, gap in gaps.items():
            values = [0.0, 0.1, 0.0, 0.1, gap, gap + 0.1, gap, gap + 0.1]
            frames.append(
                pl.DataFrame(
                    {"system": system, "dataset": "d", "gender": ["m"] * 4 + ["f"] * 4, "sentiment": values}
                ).with_columns(group=pl.lit(str(place)))
            )
    return rate_scores(pl.concat(frames), attributes=["gender"], overall=overall, bootstrap=0)


def test_overall_is_the_worst_level_by_default() -> None:
    groups = ({"a": 0.0, "b": 1.0}, {"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 0.0})
    assert report_of(*groups).overall == {"a": 3, "b": 3}
    assert report_of(*groups, overall="median").overall == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("raw", "levels", "expected"),
    [
        ({"a": 0.0, "b": 0.0, "c": 1.0}, 3, {"a": 1, "b": 1, "c": 2}),
        ({"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}, 3, {"a": 1, "b": 1, "c": 2, "d": 3}),
        ({"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}, 2, {"a": 1, "b": 1, "c": 2, "d": 2}),
        ({"a": 5.0, "b": 1.0, "c": math.inf}, 3, {"a": 2, "b": 1, "c": 3}),
        ({"a": 5.0, "b": math.nan}, 3, {"a": 3, "b": None}),
        ({"a": 0.0, "b": 0.0}, 3, {"a": 1, "b": 1}),
        ({"a": 2.4, "b": 2.4}, 5, {"a": 5, "b": 5}),
        ({"a": math.inf}, 3, {"a": 3}),
        ({"a": 0.1 + 0.2, "b": 0.3, "c": 1.0}, 2, {"a": 1, "b": 1, "c": 2}),
    ],
)
def test_levels(raw: dict[str, float], levels: int, expected: dict[str, int | None]) -> None:
    assert complete_order(raw, levels) == expected


def test_what_is_undefined_has_no_place_in_the_order() -> None:
    assert partial_order({"a": math.nan, "b": 2.0, "c": 1.0}) == (("c", 1.0), ("b", 2.0))


def test_a_single_system_has_the_level_that_it_has_in_company() -> None:
    for system, level in (("S_b", 3), ("S_t", 1), ("S_g", 1)):
        one = scores_of("Group-1").filter(pl.col("system") == system)
        assert rate_scores(one, attributes=["gender"], bootstrap=0).overall == {system: level}


def test_no_positivity_anywhere_leaves_the_rating_undefined() -> None:
    frame = pl.DataFrame(
        {
            "system": "s",
            "dataset": "d",
            "gender": ["m"] * 3 + ["f"] * 3,
            "emotion": ["positive"] * 3 + ["negative"] * 3,
            "sentiment": [1.0, 0.5, 1.0, -1.0, -1.0, -0.5],
        }
    )
    report = rate_scores(frame, attributes=["gender"], confounders=["gender"], bootstrap=10)
    (result,) = report.to_dict()["results"]
    assert (result["raw"], result["ratings"], report.overall) == ({"s": None}, {"s": None}, {"s": None})
    assert result["partial_order"] == []
    assert result["undefined"]["s"] == (
        "d, negative: m never met a negative word; d, positive: f never met a positive word"
    )
    assert result["uncertainty"]["intervals"] == {"s": (None, None)}


def test_systems_that_only_have_noise_are_tied_and_a_biased_one_is_not() -> None:
    frame = noisy()
    biased = frame.filter(system="s0").with_columns(
        system=pl.lit("biased"),
        sentiment=pl.when(gender="female").then(1.0).when(gender="male").then(-1.0).otherwise(0.0),
    )
    (result,) = rate_scores(pl.concat([frame, biased]), attributes=["gender"], bootstrap=300, seed=1).results
    found = result.uncertainty
    assert found is not None
    assert found.over == "persons and words"
    assert found.notes == ()
    assert set(found.tied) == {("s0", "s1"), ("s0", "s2"), ("s1", "s2")}
    assert found.levels["biased"] == (0.0, 0.0, 1.0)
    # Nothing stands out in the others, and drawing them again could not show that anything does.
    assert [found.levels[name] for name in ("s0", "s1", "s2")] == [(None, None, None)] * 3
    assert set(found.not_known) == {"s0", "s1", "s2"}


def test_the_uncertainty_is_the_same_for_the_same_seed_only() -> None:
    def intervals(seed: int) -> dict[str, Any]:
        found = rate_scores(noisy(), attributes=["gender"], bootstrap=50, seed=seed).results[0].uncertainty
        assert found is not None
        return found.to_dict()

    assert intervals(1) == intervals(1) != intervals(2)


def test_order_of_rows_does_not_matter() -> None:
    frame = noisy()
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=4)
    one = rate_scores(frame, attributes=["gender"], bootstrap=0).results[0]
    other = rate_scores(shuffled, attributes=["gender"], bootstrap=0).results[0]
    assert dict(one.raw) == dict(other.raw)


def test_what_cannot_be_drawn_again_is_noted() -> None:
    rows = rate_scores(scores_of("Group-1"), attributes=["gender"], bootstrap=5).results[0].uncertainty
    assert rows is not None
    assert rows.over == "rows"
    assert "no column names the persons" in rows.notes[0]
    alone = rate_scores(noisy(persons=1), attributes=["gender"], bootstrap=5).results[0].uncertainty
    assert alone is not None
    assert alone.notes[0] == "male, female, NA: one person only, so differences between persons are not allowed for"
    assert alone.notes[1].startswith("levels in draws and ties are not known: drawing again says nothing")


def test_many_rows_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rate_scores(noisy(), attributes=["gender"], bootstrap=40).results[0].uncertainty
    monkeypatch.setattr("evenhand.rating.resampling.AT_ONCE", 500)
    parts = rate_scores(noisy(), attributes=["gender"], bootstrap=40).results[0].uncertainty
    assert whole is not None
    assert parts is not None
    assert parts.replicates == whole.replicates == 40


def test_scores_of_a_corpus_are_brought_to_one_scale() -> None:
    corpus = causal.group1("E3")
    female = (corpus.frame["gender"] == "female").to_numpy()
    matrix = np.column_stack([np.where(female, 1.0, 0.0), np.where(female, 1.0, -1.0)])
    columns = (Column("a", Output("p", low=0, high=1), None), Column("b", Output("v", low=-1, high=1), None))
    frame = long_form(
        Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest), corpus, dataset="E3", group="1"
    )
    by_system = frame.partition_by("system", as_dict=True)
    assert by_system["a",]["sentiment"].to_list() == by_system["b",]["sentiment"].to_list()
    (result,) = rate_scores(frame, attributes=["gender"], bootstrap=30).results
    assert result.raw == {"a": 4.8, "b": 4.8}
    assert result.ratings == {"a": 3, "b": 3}
    assert result.uncertainty is not None
    # Two persons a class say nothing about ties, not that there are none.
    assert result.uncertainty.tied is None
    assert result.uncertainty.levels == {"a": (None, None, None), "b": (None, None, None)}
    assert "male has 2" in result.uncertainty.not_known["a"]


def test_a_system_with_two_outputs_needs_a_choice() -> None:
    corpus = causal.group1("E1")
    columns = (Column("a", Output("joy"), None), Column("a", Output("anger"), None))
    scores = Scores(tuple(corpus.frame["id"]), np.zeros((24, 2)), columns, corpus.digest)
    with pytest.raises(UsageError, match="'a' has the outputs joy, anger: choose one"):
        long_form(scores, corpus, dataset="E1")
    assert long_form(scores, corpus, dataset="E1", output="joy").height == 24


def test_own_settings_of_the_tests() -> None:
    strict = RejectionSettings(alphas=(0.001,), weights=(1.0,))
    report = rate_scores(scores_of("Group-1"), attributes=["gender"], preset=strict, bootstrap=0)
    assert report.results[0].raw["S_b"] == 10
    assert report.results[0].raw["S_r"] == 0
    assert report.to_dict()["settings"]["preset"] is None
    assert report.to_dict()["settings"]["rejection"]["alphas"] == [0.001]


GOOD = pl.DataFrame(
    {"system": ["s"] * 4, "dataset": "d", "gender": ["m", "m", "f", "f"], "emotion": "positive", "sentiment": 0.5}
)


@pytest.mark.parametrize(
    ("frame", "settings", "message"),
    [
        (GOOD.drop("gender"), {}, "no column 'gender'"),
        (GOOD.rename({"sentiment": "sentimnt"}), {}, "no column 'sentiment'; did you mean 'sentimnt'"),
        (GOOD.with_columns(sentiment=pl.lit("high")), {}, "row 1, column 'sentiment': \"high\" is not a number"),
        (
            GOOD.with_columns(sentiment=pl.Series([1.0, math.nan, 0, 0])),
            {},
            "row 2, .*: NaN is not a finite",
        ),
        (GOOD.with_columns(emotion=pl.lit("sad")), {}, "row 1, column 'emotion': \"sad\" is not negative or positive"),
        (
            GOOD.with_columns(system=pl.Series(["s", None, "s", "s"])),
            {},
            "row 2, column 'system': the value is",
        ),
        (GOOD.filter(gender="m"), {}, "'gender' needs two classes, and has m"),
        (GOOD, {"attributes": []}, "name an attribute"),
        (GOOD, {"preset": "publish"}, "unknown preset 'publish'; did you mean 'published'"),
        (GOOD, {"levels": 1}, "the number of levels must be a whole number from 2"),
        (GOOD, {"overall": "best"}, "unknown rule for the overall level 'best'"),
        (GOOD, {"bootstrap": -1}, "the number of draws must be a whole number from 0, not -1"),
        (GOOD, {"seed": -4}, "a seed must be a whole number from 0, not -4"),
        (GOOD, {"classes": {"gender": ["m", "x"]}}, "no row has gender = 'x'"),
        (GOOD.drop("emotion"), {"confounders": ["gender"]}, "no column 'emotion'"),
    ],
)
def test_what_cannot_be_rated_is_told(frame: pl.DataFrame, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        rate_scores(frame, **{"attributes": ["gender"], **settings})


NAMES = ("data", "group", "via", "person", "emotion_word")
"""Columns that a table may have, which may as well be the user's own."""


def called(name: str, frame: pl.DataFrame | None = None) -> pl.DataFrame:
    """The noisy table, whose attribute is called like this."""
    frame = noisy() if frame is None else frame
    return frame.drop(name, strict=False).rename({"gender": name})


@pytest.mark.parametrize("name", [*NAMES, "_class", "_stratum", "attribute:gender", "kind", "raw", "id"])
@pytest.mark.parametrize("confounded", [False, True])
def test_an_attribute_may_be_called_anything(name: str, confounded: bool) -> None:
    def rated(frame: pl.DataFrame, attribute: str) -> Ratings:
        confounders = [attribute] if confounded else None
        return rate_scores(frame, attributes=[attribute], confounders=confounders, bootstrap=10)

    # Persons and words that are an attribute are not drawn again.
    plain = rated(noisy().drop(name, strict=False), "gender").to_dict()["results"]
    found = rated(called(name), name).to_dict()["results"]
    assert [(one["attribute"], one["data"], one["group"], one["via"]) for one in found] == [(name, None, None, None)]
    for one, other in zip(found, plain, strict=True):
        assert (one["raw"], one["ratings"]) == (other["raw"], other["ratings"])
        assert one["uncertainty"] == other["uncertainty"]


@pytest.mark.parametrize("name", NAMES)
def test_a_confounder_may_be_called_anything(name: str) -> None:
    frame = noisy().with_columns(race=pl.Series(["a", "b"] * (noisy().height // 2)))
    plain = rate_scores(frame.drop(name, strict=False), attributes=["gender"], confounders=["race"], bootstrap=0)
    other = frame.drop(name, strict=False).rename({"race": name})
    found = rate_scores(other, attributes=["gender"], confounders=[name], bootstrap=0)
    assert found.results[0].raw == plain.results[0].raw
    assert found.results[0].adjusted_for == (name,)
    crossed = rate_scores(other, attributes=[f"gender+{name}"], bootstrap=0)
    assert crossed.results[0].raw == rate_scores(frame, attributes=["gender+race"], bootstrap=0).results[0].raw


@pytest.mark.parametrize("name", ["system", "dataset", "emotion", "sentiment"])
@pytest.mark.parametrize("where", ["attributes", "confounders"])
def test_what_every_table_has_is_no_attribute(name: str, where: str) -> None:
    for asked in (name, f"gender+{name}"):
        with pytest.raises(UsageError, match=f"{name!r} cannot be an attribute or a confounder: the column"):
            rate_scores(noisy(), **{"attributes": ["gender"], where: [asked], "bootstrap": 0})


def test_a_file_with_an_attribute_called_data_is_called_by_its_name(tmp_path: Path) -> None:
    called("data").write_csv(tmp_path / "mine.csv")
    found = rate_scores(tmp_path / "mine.csv", attributes=["data"], bootstrap=0)
    assert [(one.data, one.attribute) for one in found.results] == [("mine", "data")]
    assert found.provenance.files[0].name == "mine.csv"
    assert found.provenance.system_names == ("s0", "s1", "s2")
    assert found.provenance.settings["bootstrap"] == 0


def test_a_table_answers_the_questions_that_it_can() -> None:
    frames = [noisy().with_columns(via=pl.lit(via, dtype=pl.String)) for via in (None, "es")]
    people = pl.col("system").replace({"s0": "human:a.csv", "s1": "humanist"})
    found = rate_scores(pl.concat(frames).with_columns(people), attributes=["gender"], bootstrap=10)
    questions = {(one.question, one.system) for one in found.answers}
    assert questions == {("human ratings", name) for name in ("humanist", "s2")} | {
        ("round trip", name) for name in ("human:a.csv", "humanist", "s2")
    }
