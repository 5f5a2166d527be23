"""The one writer of results' JSON: no number can make it fail, and none that JSON lacks gets into it."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.files.json_text import json_text
from evenhand.files.plain import refuse_constant

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def without_strange_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_strange_numbers(one) for key, one in value.items() if key != "undefined"}
    return [without_strange_numbers(one) for one in value] if isinstance(value, list) else value


def without_reasons(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_reasons(one) for key, one in value.items() if key != "undefined"}
    return [without_reasons(one) for one in value] if isinstance(value, list) else value


@given(VALUES, st.sampled_from([None, 1]))
def test_whatever_the_numbers_are_it_is_json_and_nothing_else_changes(values: Any, indent: int | None) -> None:
    read = json.loads(json_text(values, indent=indent), parse_constant=refuse_constant)
    assert without_reasons(read) == without_strange_numbers(values)


def test_what_is_finite_is_written_as_ever() -> None:
    values = {"p": 0.1, "é": [1, (2.5, None)], "undefined": None}
    assert json_text(values) == json.dumps(values, indent=1, ensure_ascii=False)
    assert json_text(values, indent=None, compact=True) == '{"p":0.1,"é":[1,[2.5,null]],"undefined":null}'


def test_a_number_that_is_lost_has_its_reason_and_its_place(caplog: pytest.LogCaptureFixture) -> None:
    test = {"statistic": 1.0, "p": math.nan, "effect": -math.inf, "undefined": None}
    with caplog.at_level(logging.WARNING):
        read = json.loads(json_text({"tests": [test], "mean": math.inf}))
    assert read["tests"][0]["p"] is None
    assert read["tests"][0]["undefined"] == "p is not a finite number (nan); effect is not a finite number (-inf)"
    assert "tests.0.p (nan) and 2 more" in caplog.text


def test_a_reason_that_is_there_stays() -> None:
    assert json.loads(json_text({"p": math.nan, "undefined": "too few"}))["undefined"] == "too few"
