"""Two checked cases, with two and with three classes: every value and every group's part to nine digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.metrics import Measurements, Predictions, measure

CASES = {
    path.stem: json.loads(path.read_text()) for path in sorted((Path(__file__).parent / "data").glob("gfm_*.json"))
}


def predictions(case: dict[str, Any]) -> Predictions:
    source, group, term, gold, probabilities = zip(*case["rows"], strict=True)
    columns = {str(code): column for code, column in enumerate(zip(*probabilities, strict=True))}
    return Predictions.of(source=source, group=group, term=term, gold=gold, probabilities=columns)


MEASURED = {name: measure(predictions(case)) for name, case in CASES.items()}
CHECKED = [(name, metric) for name, case in CASES.items() for metric in case["expected"]]


def test_both_cases_are_there() -> None:
    assert set(CASES) == {"gfm_two_classes", "gfm_three_classes"}


@pytest.mark.parametrize(("case", "metric"), CHECKED)
def test_values_and_groups(case: str, metric: str) -> None:
    found: Measurements = MEASURED[case]
    for label, expected in CASES[case]["expected"][metric].items():
        measured = found[metric][label]
        assert measured.value == pytest.approx(expected["value"], abs=1e-9)
        for group, value in expected["by_group"].items():
            assert measured.by_group[group] == pytest.approx(value, abs=1e-9)
        assert measured.error is None


@pytest.mark.parametrize("case", CASES)
def test_pooled_tuples_weigh_the_same_where_every_source_has_as_many(case: str) -> None:
    pooled = measure(predictions(CASES[case]), ["cf_gap", "pert_sd", "pert_sr"], weight="tuples")
    for name, label, measured in pooled:
        assert measured.value == pytest.approx(MEASURED[case][name][label].value, abs=1e-12)


def test_the_second_definition_of_the_parity_gap_has_another_name() -> None:
    found = MEASURED["gfm_two_classes"]
    assert found["parity_gap"]["1"].value == pytest.approx(0.1388888888888889)
    assert found["accuracy_gap"]["all"].value == pytest.approx(0.0277777777777778)
