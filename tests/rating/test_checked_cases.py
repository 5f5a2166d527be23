"""Cases recomputed from the paper's own result files: every t, verdict, score, adjusted mean, impact and level."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.rating import Rating, complete_order, partial_order, rate_scores

DATA = Path(__file__).parent / "data"
EMOTIONS = ("negative", "positive")


def cases(name: str) -> dict[str, dict[str, Any]]:
    content = json.loads((DATA / f"causal_{name}.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in content["cases"]}


WRS, DIE, LEVELS = cases("wrs"), cases("die"), cases("rating")
PRESETS = {"published": "published", "stated": "stated"}


def rejection_frame(case: dict[str, Any]) -> pl.DataFrame:
    rows = [
        (system, dataset, group, value)
        for system, found in case["systems"].items()
        for dataset, part in found["sets"].items()
        for group, values in part["sentiment"].items()
        for value in values
    ]
    return pl.DataFrame(rows, schema=["system", "dataset", "class", "sentiment"], orient="row")


def impact_frame(case: dict[str, Any]) -> pl.DataFrame:
    rows = [
        (system, dataset, str(z), EMOTIONS[x], float(y))
        for system, found in case["systems"].items()
        for dataset, part in found.items()
        if "rows" in part
        for z, x, y in part["rows"]
    ]
    return pl.DataFrame(rows, schema=["system", "dataset", "class", "emotion", "sentiment"], orient="row")


def rejected(case: dict[str, Any], preset: str) -> Rating:
    return rate_scores(rejection_frame(case), attributes=["class"], preset=preset, bootstrap=0).results[0]


@pytest.mark.parametrize("case", WRS)
@pytest.mark.parametrize(("preset", "t_key"), [("published", "t_abs"), ("stated", "t_abs_without_eps")])
def test_every_t_and_verdict(case: str, preset: str, t_key: str) -> None:
    found = {(test.system, test.dataset, frozenset(test.pair)): test for test in rejected(WRS[case], preset).tests}
    seen = 0
    for system, by_set in WRS[case]["systems"].items():
        for dataset, part in by_set["sets"].items():
            for pair in part["pairs"]:
                test = found[system, dataset, frozenset(map(str, pair["pair"]))]
                assert test.t == (None if pair[t_key] is None else pytest.approx(pair[t_key], rel=1e-6, abs=1e-6))
                assert (test.undefined is None) == (test.t is not None)
                assert test.degrees_of_freedom == pair["dof"]
                assert list(test.rejected) == pair[f"reject_as_{preset}"]
                seen += 1
    assert seen == len(found)


@pytest.mark.parametrize("case", WRS)
def test_rejection_scores_orders_and_levels(case: str) -> None:
    expected = WRS[case]["expected"]
    published, stated = rejected(WRS[case], "published"), rejected(WRS[case], "stated")
    assert dict(published.raw) == expected["wrs_as_published"]
    assert dict(stated.raw) == expected["wrs_as_stated"]
    assert [system for system, _ in published.partial_order] == expected["order_as_published"]
    assert dict(published.among_these) == expected["ratings_L3_distinct_5systems"]
    assert dict(stated.among_these) == expected["ratings_L3_distinct_as_stated"]
    with_people = {**published.raw, "Sh": 0.0}
    assert complete_order(with_people, 3) == expected["ratings_L3_distinct_with_Sh0"]


@pytest.mark.parametrize("case", WRS)
def test_recomputed_scores_are_the_printed_ones(case: str) -> None:
    printed = WRS[case]["published"]["scores"]
    for system, score in rejected(WRS[case], "published").raw.items():
        assert score == printed[system]


@pytest.mark.parametrize("case", DIE)
@pytest.mark.parametrize(("supported_only", "key"), [(False, "eq1"), (True, "renormalised")])
def test_every_adjusted_mean_and_impact(case: str, supported_only: bool, key: str) -> None:
    found = rate_scores(
        impact_frame(DIE[case]),
        attributes=["class"],
        confounders=["class"],
        supported_only=supported_only,
        bootstrap=0,
    ).results[0]
    assert found.adjusted_for == ("class",)
    undefined = 0
    for system, by_set in DIE[case]["systems"].items():
        for dataset, part in by_set.items():
            if "rows" not in part:
                continue
            for place, emotion in enumerate(EMOTIONS):
                cell = found.impact[system][dataset][emotion]
                assert cell.observed == pytest.approx(part["obs"][place], rel=1e-8)
                for value, expected in ((cell.adjusted, part[f"do_{key}"]), (cell.impact, part[f"die_{key}"])):
                    said = expected[place]
                    assert value == (None if said is None else pytest.approx(said, rel=1e-8, abs=1e-12))
                never = part["classes_without_x"][place]
                if never and not supported_only:
                    undefined += 1
                    assert cell.undefined == "; ".join(f"{z} never met a {emotion} word" for z in never)
                assert (cell.undefined is None) == (cell.impact is not None)
    assert undefined == (0 if supported_only else {"SD/Group-2": 10, "SD/Group-4": 15}[case])
    assert set(found.partial) == (set() if supported_only else set(DIE[case]["systems"]))


@pytest.mark.parametrize("case", DIE)
def test_largest_impacts_and_levels_over_the_supported_classes(case: str) -> None:
    expected = DIE[case]["expected"]
    report = rate_scores(
        impact_frame(DIE[case]), attributes=["class"], confounders=["class"], supported_only=True, bootstrap=0
    )
    found = report.results[0].to_dict()
    for system, score in expected["group_max_die_renormalised"].items():
        assert found["raw"][system] == (None if score is None else pytest.approx(score, rel=1e-8))
        assert (system in found["undefined"]) == (score is None)
    assert found["among_these"] == expected["ratings_L3_distinct"]


def test_an_x_stands_above_all_other_scores() -> None:
    found = rate_scores(
        impact_frame(DIE["SD/Group-4"]), attributes=["class"], confounders=["class"], supported_only=True, bootstrap=0
    ).results[0]
    assert found.partial_order[-1][0] == "Sg"
    assert found.to_dict()["partial_order"][-1] == ["Sg", None]
    assert found.undefined["Sg"].startswith("E4, positive: X")


@pytest.mark.parametrize("case", LEVELS)
def test_levels_of_printed_scores(case: str) -> None:
    row = LEVELS[case]
    raw = {name: float("inf") if score is None else float(score) for name, score in row["scores"].items()}
    assert complete_order(raw, row["L"]) == row["distinct"]
    scores = [score for _, score in partial_order(raw)]
    assert scores == sorted(scores)
