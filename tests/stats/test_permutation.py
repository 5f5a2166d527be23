"""The permutation test agrees with counting all relabellings."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from evenhand.stats import permutation_p

RNG_SEED = 3


def permute(means: np.ndarray, weights: np.ndarray, block: np.ndarray) -> float:
    rng = np.random.default_rng(RNG_SEED)
    return float(permutation_p(means[:, None], weights, block=block, scale=np.ones(1), rng=rng, draws=40_000)[0])


def test_flipped_signs_agree_with_counting() -> None:
    differences = np.array([0.5, 0.2, 0.9, -0.1, 0.4, 0.3])
    weights = np.full(6, 1 / 6)
    observed = abs(differences.mean())
    exact = np.mean([abs(np.dot(signs, differences)) / 6 >= observed - 1e-12 for signs in product((1, -1), repeat=6)])
    assert permute(differences, weights, np.full(6, -1)) == pytest.approx(exact, abs=0.005)


def test_traded_labels_agree_with_counting() -> None:
    means = np.array([0.9, 0.8, 0.4, 0.1, 0.3, 0.35])
    weights = np.array([1 / 3] * 3 + [-1 / 3] * 3)
    observed = abs(weights @ means)
    gaps = []
    for first in combinations(range(6), 3):
        rest = [i for i in range(6) if i not in first]
        gaps.append(abs(means[list(first)].mean() - means[rest].mean()))
    exact = np.mean([gap >= observed - 1e-12 for gap in gaps])
    assert permute(means, weights, np.zeros(6, dtype=np.int64)) == pytest.approx(exact, abs=0.01)


def test_labels_never_leave_their_block() -> None:
    # All of the gap is between blocks, so no relabelling within them changes it.
    means = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    weights = np.array([0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5])
    assert permute(means, weights, np.repeat([0, 1], 4)) == 1


def test_identical_persons_give_one() -> None:
    assert permute(np.full(4, 0.3), np.array([0.5, 0.5, -0.5, -0.5]), np.zeros(4, dtype=np.int64)) == 1
