from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.asking.answers import checked, one_line, quoted
from evenhand.errors import BadAnswer
from evenhand.systems.base import Output

TEXTS = ["Alan feels angry.", "Tia feels angry."]
TWO = (Output("joy"), Output("fear", low=-1, high=1))


OUTSIDE = (
    r"outside its declared range 0..1; if that is right, give its bounds \(--range\), "
    "or low and high in a system file"
)


@pytest.mark.parametrize(
    "answer",
    [
        [0.25, 1],
        [[0.25], [1]],
        (0.25, 1.0),
        np.array([0.25, 1.0], dtype=np.float32),
        np.array([[0.25], [1.0]]),
        [np.float64(0.25), True],
        [Fraction(1, 4), 1],
        pl.Series([0.25, 1.0]),
        np.ma.array([0.25, 1.0], mask=[False, False]),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_numbers_in_any_wrapping_are_taken(recorder: Any, answer: Any) -> None:
    values = checked(recorder(), TEXTS, answer)
    assert values.dtype == np.float64
    assert values.tolist() == [[0.25], [1.0]]


def test_several_outputs_come_as_rows(recorder: Any) -> None:
    assert checked(recorder(outputs=TWO), TEXTS, [[0, -1], [1, 1]]).tolist() == [[0, -1], [1, 1]]


@pytest.mark.parametrize(
    ("bad", "named", "why"),
    [
        (None, "None", "the answer is missing"),
        (float("nan"), "nan", "not a finite number"),
        (float("inf"), "inf", "not a finite number"),
        (-float("inf"), "-inf", "not a finite number"),
        (
            1.2,
            "1.2",
            OUTSIDE,
        ),
        (
            -0.001,
            "-0.001",
            OUTSIDE,
        ),
        (10**400, "inf", "not a finite number"),
        ("0.5", "'0.5'", "not a number"),
        (0.5 + 0j, r"\(0.5\+0j\)", "not a number"),
        ({"label": "joy"}, "{'label': 'joy'}", "not a number"),
    ],
)
def test_a_bad_value_is_named_with_its_system_and_sentence(recorder: Any, bad: Any, named: str, why: str) -> None:
    pattern = (
        f"^system 'recorder' answered {named} for the output 'valence' to the sentence \"Tia feels angry.\": {why}$"
    )
    for answer in ([0.5, bad], [[0.5], [bad]]):
        with pytest.raises(BadAnswer, match=pattern):
            checked(recorder(), TEXTS, answer)


def test_a_bad_value_is_named_with_its_output(recorder: Any) -> None:
    with pytest.raises(BadAnswer, match=r"answered -1\.5 for the output 'fear' to the sentence .Tia"):
        checked(recorder(outputs=TWO), TEXTS, [[0, 0], [0, -1.5]])


def test_a_masked_value_is_missing(recorder: Any) -> None:
    with pytest.raises(BadAnswer, match=r'"Tia feels angry\.": the answer is missing'):
        checked(recorder(), TEXTS, np.ma.array([0.5, 0.7], mask=[False, True]))


def test_an_output_without_range_takes_every_finite_number(recorder: Any) -> None:
    system = recorder(outputs=(Output("logit", low=None, high=None, unit=1.0),))
    assert checked(system, TEXTS, [-1e300, 1e300]).tolist() == [[-1e300], [1e300]]
    with pytest.raises(BadAnswer, match="inf"):
        checked(system, TEXTS, [0, np.inf])


@pytest.mark.parametrize("answer", [[], [0.5], [0.5] * 3, np.zeros((3, 1)), [[0.1], [0.2], [0.3]], [None] * 3])
def test_a_wrong_number_of_answers_is_refused(recorder: Any, answer: Any) -> None:
    pattern = rf'gave {len(answer)} answers? to 2 sentences, the first of them "Alan feels angry\."$'
    with pytest.raises(BadAnswer, match=pattern):
        checked(recorder(), TEXTS, answer)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ([[0.1, 0.2], [0.3, 0.4]], r"answered \[0.1, 0.2\] to the sentence \"Alan"),
        ([[0.1], [0.3, 0.4]], r"answered \[0.3, 0.4\] to the sentence \"Tia"),
        ([[], []], r"answered \[\] to the sentence \"Alan"),
        (np.zeros((2, 1, 1)), r"answered \[\[0.0\]\] to the sentence \"Alan"),
        (0.5, 'answered 0.5 to 2 sentences, the first of them "Alan'),
        (None, "answered None to 2 sentences"),
        ("positive", "answered 'positive' to 2 sentences"),
        ({"Alan": 1}, "answered {'Alan': 1} to 2 sentences"),
        ((0.5 for _ in TEXTS), "answered <generator object .* to 2 sentences"),
    ],
)
def test_a_wrong_shape_is_refused(recorder: Any, answer: Any, named: str) -> None:
    with pytest.raises(BadAnswer, match=named):
        checked(recorder(), TEXTS, answer)


@pytest.mark.parametrize("answer", [[0.1, 0.2], [[0.1], [0.2]], np.zeros((2, 3))])
def test_too_few_or_too_many_outputs_are_refused(recorder: Any, answer: Any) -> None:
    with pytest.raises(BadAnswer, match=r'to the sentence "Alan feels angry."; expected 2 numbers \(joy, fear\)'):
        checked(recorder(outputs=TWO), TEXTS, answer)


def test_rounding_beyond_the_range_is_set_to_its_end(recorder: Any) -> None:
    system = recorder(outputs=(Output("valence", low=-2, high=2),))
    assert checked(system, TEXTS, [2 + 3e-9, -2 - 3e-9]).tolist() == [[2.0], [-2.0]]
    with pytest.raises(BadAnswer, match="outside"):
        checked(system, TEXTS, [2 + 5e-9, 0])


def test_what_lies_within_the_range_is_kept_bit_for_bit(recorder: Any) -> None:
    given = np.array([-0.0, np.nextafter(1, 0)])
    assert checked(recorder(), TEXTS, given).tobytes() == given.tobytes()


def test_the_systems_own_array_is_not_shared(recorder: Any) -> None:
    given = np.array([[0.1], [0.2]])
    values = checked(recorder(), TEXTS, given)
    given[:] = 9
    assert values.tolist() == [[0.1], [0.2]]


def test_messages_stay_on_one_short_line(recorder: Any) -> None:
    with pytest.raises(BadAnswer) as caught:
        checked(recorder(), ["line\nline " * 200], ["answer\n" * 200])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert len(quoted("x" * 1000)) <= 202
    assert one_line(" a\n b ") == "a b"
