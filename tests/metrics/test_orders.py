"""Sets of weighted numbers against each other, beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.metrics.orders import Order, Part, Weighing

NUMBERS = np.random.default_rng(0).normal(size=40).round(1)
FIRST = Part(np.flatnonzero(np.arange(40) % 3 == 0))
REST = Part(np.arange(40), FIRST.members)
"""All without the first set."""


def weightings() -> list[np.ndarray]:
    """Whole weights, as in a bootstrap, and others; several of each, which ask the same sets."""
    rng = np.random.default_rng(1)
    whole = rng.multinomial(40, np.full(40, 1 / 40), size=3).astype(np.float64)
    return [whole[:2], rng.uniform(0.1, 2, (2, 40)), whole[2:]]


@pytest.mark.parametrize("weights", weightings())
@pytest.mark.parametrize(("first", "second"), [(FIRST, REST), (REST, FIRST), (FIRST, Part(np.arange(40)))])
def test_distances_and_shares_are_those_of_the_definition(first: Part, second: Part, weights: np.ndarray) -> None:
    order = Order(NUMBERS)
    weighing = Weighing(order, weights)
    distances, above = weighing.wasserstein(first, second), weighing.share_above(first, second)
    for number, own in enumerate(weights):
        one, other = (order.numbers[part.places] for part in (first, second))
        mine, theirs = own[first.places], own[second.places]
        assert distances[number] == pytest.approx(stats.wasserstein_distance(one, other, mine, theirs))
        wins = (other[None, :] > one[:, None]) + (other[None, :] == one[:, None]) / 2
        assert above[number] == pytest.approx(mine @ wins @ theirs / (mine.sum() * theirs.sum()))


def test_nothing_moves_where_all_weigh_the_same() -> None:
    order, first = Order(NUMBERS), Part(FIRST.members)
    assert Weighing(order, np.full((2, 40), 3.0)).wasserstein_moved(first, REST) == pytest.approx([0, 0], abs=1e-12)
    (weights,) = weightings()[2:]
    moved = Weighing(order, weights).wasserstein_moved(first, REST)
    apart, plain = (Weighing(order, own).between(first, REST) for own in (weights, np.ones((1, 40))))
    assert moved == pytest.approx(np.abs(apart - plain) @ order.steps)


def test_sets_of_two_orders_do_not_mix() -> None:
    shorter, part = Order(NUMBERS[:20]), Part(np.arange(0, 20, 2))
    other = Part(np.arange(1, 20, 2))
    for order in (Order(NUMBERS), shorter, Order(NUMBERS)):
        found = Weighing(order, np.ones((1, len(order.numbers)))).share_above(part, other)
        one, two = order.numbers[part.members], order.numbers[other.members]
        wins = (two[None, :] > one[:, None]) + (two[None, :] == one[:, None]) / 2
        assert found == pytest.approx([wins.mean()])
