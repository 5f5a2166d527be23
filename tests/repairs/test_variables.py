"""What is repaired: which columns belong together, how they are read, and how they are moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.repairs.variables import variables
from evenhand.systems.base import Output

LABELS = tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in (1, 2, 3))
WORDS = tuple(Output(name, kind="probability", of="class") for name in ("good", "bad"))
GLAD = Output("glad", kind="probability")
JOY = Output("joy", low=-1, high=1)
HEAT = Output("heat", low=None, high=None, unit=10.0)


def test_columns_of_one_distribution_belong_together_wherever_they_stand() -> None:
    found = variables([LABELS[0], JOY, LABELS[1], GLAD, LABELS[2], *WORDS])
    assert [(one.name, one.places) for one in found] == [
        ("mood", (0, 2, 4)),
        ("joy", (1,)),
        ("glad", (3,)),
        ("class", (5, 6)),
    ]
    assert [one.is_distribution for one in found] == [True, False, False, True]


def test_a_score_named_like_a_distribution_is_not_part_of_it() -> None:
    found = variables([Output("mood"), *LABELS])
    assert [(one.name, one.places) for one in found] == [("mood", (0,)), ("mood (distribution)", (1, 2, 3))]
    assert [one.readings[0].name for one in found] == ["mood", "mood (distribution)"]


def test_a_distribution_over_numbers_is_read_as_the_expected_one() -> None:
    (mood,) = variables(LABELS)
    assert mood.read(np.array([[0.2, 0.3, 0.5]])) == pytest.approx(np.array([[0.2 * 1 + 0.3 * 2 + 0.5 * 3]]))
    (reading,) = mood.readings
    assert (reading.name, reading.low, reading.high, reading.of) == ("mood", 1.0, 3.0, None)


def test_labels_that_are_no_numbers_are_read_one_by_one() -> None:
    (kind,) = variables(WORDS)
    assert kind.values is None
    assert kind.readings == WORDS
    assert kind.read(np.array([[0.2, 0.8]])).tolist() == [[0.2, 0.8]]


def test_moves_by_hand() -> None:
    joy, heat, glad, mood = variables([JOY, HEAT, GLAD, *LABELS])
    moved = joy.moved(np.array([[0.5], [0.9], [-0.9]]), np.array([[0.2], [0.2], [-0.2]]))
    assert moved == pytest.approx(np.array([[0.7], [1.0], [-1.0]]))  # within its range
    assert heat.moved(np.array([[99.0]]), np.array([[3.0]])).tolist() == [[102.0]]  # which has none
    # Odds of 1 : 1, tripled.
    assert glad.moved(np.array([[0.5]]), np.array([[np.log(3)]])) == pytest.approx(np.array([[0.75]]))
    # 0.2 : 0.3 : 0.5, the first doubled, is 0.4 : 0.3 : 0.5 of 1.2.
    doubled = mood.moved(np.array([[0.2, 0.3, 0.5]]), np.array([[np.log(2), 0.0, 0.0]]))
    assert doubled == pytest.approx(np.array([[0.4, 0.3, 0.5]]) / 1.2)


def test_a_probability_in_per_cent_is_moved_as_a_score() -> None:
    (rain,) = variables([Output("rain", low=0, high=100, kind="probability")])
    assert rain.moved(np.array([[40.0], [95.0]]), np.full((2, 1), 10.0)).tolist() == [[50.0], [100.0]]


def test_certain_answers_stay_finite() -> None:
    glad, mood = variables([GLAD, *LABELS])
    assert np.isfinite(glad.spread_out(np.array([[0.0], [1.0]]))).all()
    moved = glad.moved(np.array([[0.0], [1.0]]), np.array([[1.0], [-1.0]]))
    assert moved == pytest.approx(np.array([[0.0], [1.0]]), abs=1e-9)
    moved = mood.moved(np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, -1.0, 0.5]]))
    assert moved == pytest.approx(np.array([[0.0, 0.0, 1.0]]), abs=1e-9)


@given(arrays(float, (6, 3), elements=st.floats(1e-6, 1)), arrays(float, (6, 3), elements=st.floats(-5, 5)))
def test_distributions_stay_distributions_and_rows_that_do_not_move_keep_every_bit(raw: object, shift: object) -> None:
    (mood,) = variables(LABELS)
    columns = np.asarray(raw) / np.asarray(raw).sum(axis=1, keepdims=True)
    shifts = np.array(shift)
    shifts[::2] = 0.0
    moved = mood.moved(columns, shifts)
    assert (moved >= 0).all()
    assert moved.sum(axis=1) == pytest.approx(np.ones(6))
    assert (moved[::2] == columns[::2]).all()
    back = mood.moved(moved, -shifts)
    assert back == pytest.approx(columns, rel=1e-6)


@given(arrays(float, (5, 1), elements=st.floats(0, 1)), st.floats(-3, 3))
def test_one_shift_never_moves_answers_past_each_other(raw: object, shift: float) -> None:
    (glad,) = variables([GLAD])
    columns = np.sort(np.asarray(raw), axis=0)
    assert (np.diff(glad.moved(columns, np.full((5, 1), shift)), axis=0) >= -1e-12).all()
