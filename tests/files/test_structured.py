"""The one door for YAML and JSON: what cannot be used is refused with its place, in one line."""

from __future__ import annotations

import pytest
from fuzzing import in_time

from evenhand.errors import EvenhandError
from evenhand.files.structured import DEEPEST, json_values, yaml_values

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": {"b": [1, NaN]}}', "x.json: a.b.1: NaN is not a JSON number"),
        ('{"a": -Infinity}', "x.json: a: -Infinity is not a JSON number"),
        ('{"a": 1e999}', "x.json: a: Infinity is not a finite number"),
        ('{"a": ' + "9" * 5_000 + "}", "x.json: a: a whole number of 5,000 digits; those of 64 bits are read"),
        ('{"a": 9223372036854775808}', "x.json: a: a whole number of 19 digits; those of 64 bits are read"),
        ('{"a": "\\ud800"}', "x.json: a: a text with half of a surrogate pair, which is no character"),
        ('{"\\udfff": 1}', "x.json: a key cannot be read: a text with half of a surrogate pair"),
        ('{"a": {"b": 1, "b": 2}}', "x.json: a: the key 'b' stands there twice"),
        ("[" * 100_000, "x.json: nested too deep, more than 100 levels"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "x.json: nested too deep, more than 100 levels"),
        ("{", "x.json: not JSON, or damaged: "),
        ("", "x.json: not JSON, or damaged: "),
        (b"\xff\xfe", "x.json: not UTF-8"),
    ],
)
def test_json_that_cannot_be_used(text: str | bytes, said: str) -> None:
    with in_time(10), pytest.raises(EvenhandError) as told:
        json_values(text, "x.json")
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "x.yaml, line 7: more than 5,000,000 values, counting aliases"),
        ("a: &a [*a]", "x.yaml, line 1: the alias *a refers to itself"),
        ("[" * 100_000, "x.yaml, line 1: nested too deep, more than 100 levels"),
        ("- " * 100_000, "x.yaml, line 1: nested too deep, more than 100 levels"),
        ("a: 1\nb: 2\na: 3", "x.yaml, line 3: not valid YAML: the key 'a' stands there twice"),
        ("a: .nan", "x.yaml: a: NaN is not a finite number"),
        ("a: -.inf", "x.yaml: a: Infinity is not a finite number"),
        ("a: " + "9" * 5_000, "x.yaml: a: a whole number of 5,000 digits"),
        ("a: !!binary aGVsbG8=", "could not determine a constructor for the tag"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor for the tag"),
        ("a: !!set {b, c}", "could not determine a constructor for the tag"),
        ("? [a, b]\n: 1", "x.yaml, line 1: not valid YAML: found unhashable key"),
        ("\na: !!int x", "x.yaml, line 2: not valid YAML: 'x' does not fit its type"),
        ("a: *nobody", "x.yaml, line 1: not valid YAML: found undefined alias"),
        ("a: [1\nb: 2", "x.yaml, line 2: not valid YAML: did not find expected"),
        ("--- a\n--- b", "x.yaml, line 2: not valid YAML: but found another document"),
    ],
)
def test_yaml_that_cannot_be_used(text: str, said: str) -> None:
    with in_time(20), pytest.raises(EvenhandError) as told:
        yaml_values(text, "x.yaml")
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_dates_stay_texts_and_merged_keys_may_be_given_again() -> None:
    assert yaml_values("version: 2024-05-01", "x.yaml") == {"version": "2024-05-01"}
    assert yaml_values("a: &a {b: 1, c: 2}\nd: {<<: *a, b: 3}", "x.yaml")["d"] == {"b": 3, "c": 2}


def test_what_is_nested_as_deep_as_may_be_is_read() -> None:
    deep = "[" * (DEEPEST - 1) + "1" + "]" * (DEEPEST - 1)
    assert json_values(deep, "x.json") == yaml_values(deep, "x.yaml")
