"""Which of two ways to go on a language model finds likelier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evenhand.errors import UsageError
from evenhand.systems.base import Array
from evenhand.systems.few_shot.likelihood import Likelier
from evenhand.systems.few_shot.models import LabelModel


class Gives(LabelModel):
    """A model that gives two labels these masses, and keeps what it was asked."""

    name = "gives"
    fingerprint = None

    def __init__(self, *masses: float) -> None:
        self.given, self.asked = masses, list[object]()

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        self.asked.append((prefix, list(endings), list(labels)))
        if not self.given:
            raise UsageError("the one begins as the other does")
        return np.array([self.given])


@pytest.mark.parametrize(
    ("masses", "told"),
    [((4e-9, 1e-9), True), ((1e-9, 4e-9), False), ((3e-9, 2e-9), None), ((0.0, 0.0), None), ((1e-300, 0.0), True)],
)
def test_one_way_is_preferred_where_it_is_twice_as_likely(masses: tuple[float, float], told: bool | None) -> None:
    assert Likelier(Gives(*masses)).prefers_first("They saw ", "his dog", "him dog") is told


def test_the_space_goes_with_the_word_and_what_is_not_ascii_is_left_out() -> None:
    model = Gives(0.2, 0.1)
    Likelier(model).prefers_first("proud of ", "his fr 🥹", "him fr 🥹")
    assert model.asked == [("", ["\nproud of"], [" his fr ", " him fr "])]


def test_what_the_model_cannot_compare_is_not_told() -> None:
    assert Likelier(Gives()).prefers_first("a ", "b", "c") is None
