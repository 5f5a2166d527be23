"""Predictions that several tests measure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.metrics import Predictions

Random = Callable[..., Predictions]


@pytest.fixture
def worked() -> Predictions:
    """Two sources, two groups, small enough for pen and paper.

    p(pos): source s1 (gold pos) A .9 .6, B .4, unperturbed .8; source s2 (gold neg) A .2 .7, B .3, unperturbed .1.
    """
    pos = [0.9, 0.6, 0.4, 0.8, 0.2, 0.7, 0.3, 0.1]
    return Predictions.of(
        source=["s1"] * 4 + ["s2"] * 4,
        group=["A", "A", "B", None] * 2,
        term=["a1", "a2", "b1", None] * 2,
        gold=["pos"] * 4 + ["neg"] * 4,
        probabilities={"neg": [1 - p for p in pos], "pos": pos},
        arcs=[(3, 4), (2, 4), (1, 2), (0, 0)] + [(0, 0)] * 4,
    ).with_values({"neg": -1, "pos": 1})


@pytest.fixture
def counted() -> Predictions:
    """Three groups with round counts. tp, fp, fn, tn of class 1: A 3 1 1 3, B 2 2 2 2, C 4 3 0 1."""
    rows = []
    for group, tp, fp, fn, tn in (("A", 3, 1, 1, 3), ("B", 2, 2, 2, 2), ("C", 4, 3, 0, 1)):
        for gold, predicted, number in ((1, 1, tp), (0, 1, fp), (1, 0, fn), (0, 0, tn)):
            rows += [(group, gold, predicted)] * number
    groups, gold, predicted = zip(*rows, strict=True)
    return Predictions.of(source=range(len(rows)), group=groups, gold=gold, predicted=predicted)


@pytest.fixture
def random_predictions() -> Random:
    """Predictions at random: every source with every group, and an unperturbed sentence."""

    def make(
        *,
        groups: int = 3,
        terms: tuple[int, ...] = (2, 3, 1),
        classes: int = 3,
        sources: int = 9,
        seed: int = 0,
        unperturbed: bool = True,
        extreme: bool = False,
    ) -> Predictions:
        rng = np.random.default_rng(seed)
        cells = [(f"g{code}", f"t{code}.{term}") for code in range(groups) for term in range(terms[code % len(terms)])]
        cells += [(None, "")] if unperturbed else []
        rows = sources * len(cells)
        matrix = rng.dirichlet(np.ones(classes), size=rows)
        if extreme:
            matrix = np.eye(classes)[matrix.argmax(axis=1)]
        names = [f"c{code}" for code in range(classes)]
        arcs = rng.integers(1, 9, size=rows)
        return Predictions.of(
            source=[f"s{source}" for source in range(sources) for _ in cells],
            group=[group for _ in range(sources) for group, _ in cells],
            term=[term for _ in range(sources) for _, term in cells],
            gold=[names[source % classes] for source in range(sources) for _ in cells],
            probabilities=dict(zip(names, matrix.T, strict=True)),
            arcs=list(zip(rng.integers(0, arcs + 1).tolist(), arcs.tolist(), strict=True)),
        ).with_values({name: float(code) for code, name in enumerate(names)})

    return make
