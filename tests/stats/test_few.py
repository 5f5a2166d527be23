"""Where few react: by hand, against another implementation, and how often such a gap is falsely called small."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare
from evenhand.corpora.names import with_names
from evenhand.stats.few import few_reactions_bound
from evenhand.systems.base import Output

EACH = 40
STRATUM = np.repeat([0, 1], EACH)
DIFFERENCE = np.array([1.0, -1.0])


def bound(means: np.ndarray, *, asked: np.ndarray | None = None, alpha: float = 0.05) -> float:
    estimate = means[:EACH].mean() - means[EACH:].mean()
    (found,) = few_reactions_bound(
        np.array([estimate]),
        means[:, None],
        stratum=STRATUM,
        coefficients=DIFFERENCE,
        asked=np.ones(2 * EACH, dtype=bool) if asked is None else asked,
        scale=np.ones(1),
        alpha=alpha,
    )
    return float(found)


def reacting(first: int, second: int = 0, by: float = 0.2) -> np.ndarray:
    """So many of each side react by as much."""
    means = np.full(2 * EACH, 0.5)
    means[:first] += by
    means[EACH : EACH + second] += by
    return means


@pytest.mark.parametrize("seen", [1, 2, 5])
def test_one_side_has_the_exact_bound_of_its_share(seen: int) -> None:
    most = stats.binomtest(seen, EACH, alternative="less").proportion_ci(0.95, method="exact").high
    assert bound(reacting(seen)) == pytest.approx(0.2 * most)


def test_two_sides_are_put_together_by_their_squares() -> None:
    def excess(seen: int) -> float:
        high = stats.binomtest(seen, EACH, alternative="less").proportion_ci(0.95, method="exact").high
        return float(0.2 * (high - seen / EACH))

    assert bound(reacting(3, 2)) == pytest.approx(0.2 / EACH + np.hypot(excess(3), excess(2)))


def test_it_says_nothing_where_nobody_stands_out() -> None:
    assert bound(reacting(0)) == 0
    assert bound(np.random.default_rng(4).normal(0.5, 0.03, 2 * EACH)) == 0
    asked = STRATUM == 1
    assert bound(reacting(2), asked=asked) == 0


def test_a_small_stir_among_the_others_hides_nobody() -> None:
    means = reacting(2) + np.random.default_rng(5).normal(0, 0.001, 2 * EACH)
    assert bound(means) == pytest.approx(bound(reacting(2)), rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("stir", [0.0, 0.0005])
def test_a_lexicon_that_reacts_to_one_name_is_not_called_equivalent(stir: float) -> None:
    """It knows 5 % of one group's names, and the gap is as large as the tolerance. By the names' standard deviation
    alone, about one in ten of such systems was called equivalent after it had reacted to somebody."""
    corpus, systems = with_names("eec", per_cell=30, seed=2).sample(120 * 4, seed=2), 120
    rng = np.random.default_rng(11)
    person = corpus.frame["person"].rank("dense").to_numpy().astype(int) - 1
    black = corpus.frame["race"].to_numpy() == corpus.attributes["race"][0]
    knows = black[:, None] & (rng.random((person.max() + 1, systems)) < 0.05)[person]
    matrix = 0.3 + 0.2 * knows + rng.normal(0, stir, (person.max() + 1, systems))[person]
    columns = tuple(Column(f"system {number}", Output("score", low=0, high=1), None) for number in range(systems))
    scores = Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)
    settings = Settings(permutations=1, equivalence=0.01)
    found = compare(scores, corpus, attributes=["race"], settings=settings).findings
    wrong = [one.verdict == "equivalent" and seen for one, seen in zip(found, knows.any(axis=0), strict=True)]
    assert np.mean(wrong) <= 0.02
