"""Least squares over persons: by hand, against statsmodels, and against the audit's own test."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from evenhand.stats import GroupedMeans, variance_components
from evenhand.stats.regression import can_be_told_apart, clusters, curve, inflation, regressed


def _one(values: np.ndarray) -> GroupedMeans:
    """Every unit in a single group of cells: nothing but persons varies."""
    return GroupedMeans(np.asarray(values, dtype=float).reshape(len(values), 1, -1), np.ones(1))


def _line(x: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(x)), x])


def test_a_slope_by_hand() -> None:
    # x = 0, 1, 2; y = 1, 3, 2: slope 1/2, residuals −1/2, 1, −1/2; weights −1/2, 0, 1/2; leverages 5/6, 1/3, 5/6.
    # The variance is Σ (w·e)²/(1 − h) = 2 · (1/4)²/(1/6) = 3/4.
    line = regressed(
        [_one(np.array([1.0, 3.0, 2.0]))],
        _line(np.arange(3.0)),
        np.array([0.0, 1.0]),
        cluster=np.arange(3),
        scale=np.ones(1),
    )
    assert line.estimate == pytest.approx([0.5])
    assert line.variance == pytest.approx([0.75])
    # Of the two residuals with weight, one direction is left of three units and two terms.
    assert line.degrees_of_freedom == pytest.approx([1.0])


def test_two_means_are_those_of_welch() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(1, 2, size=7), rng.normal(0, 1, size=11)
    groups = np.repeat([0, 1], [7, 11])
    design = np.eye(2)[groups]
    gap = regressed(
        [_one(np.concatenate([first, second]))],
        design,
        np.array([1.0, -1.0]),
        cluster=np.arange(18),
        scale=np.ones(1),
    )
    assert gap.estimate == pytest.approx([first.mean() - second.mean()])
    assert gap.variance == pytest.approx([first.var(ddof=1) / 7 + second.var(ddof=1) / 11])


@pytest.mark.parametrize("families", [False, True])
def test_without_traits_it_is_the_audits_own_test(families: bool) -> None:
    rng = np.random.default_rng(2)
    stratum = np.repeat([0, 1, 2, 3], 12)
    coefficients = np.array([0.5, -0.5, 0.5, -0.5])
    # Families of one size: then both corrections for few families are the same.
    family = np.arange(48) // (2 if families else 1)
    means = rng.normal(size=(48, 6, 3)) + rng.normal(size=(48, 1, 3)) + rng.normal(size=(1, 6, 3))
    groupings = [GroupedMeans(means, np.full(6, 1 / 6))]
    ours = regressed(groupings, np.eye(4)[stratum], coefficients, cluster=clusters(stratum, family), scale=np.ones(3))
    known = variance_components(groupings, stratum=stratum, coefficients=coefficients, scale=np.ones(3), family=family)
    np.testing.assert_allclose(ours.estimate, known.estimate)
    np.testing.assert_allclose(ours.variance, known.variance)


@pytest.mark.parametrize("families", [False, True])
def test_persons_alone_agree_with_statsmodels(families: bool) -> None:
    rng = np.random.default_rng(3)
    n = 40
    design = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, size=n)])
    y = design @ np.array([1.0, 0.5, -0.2]) + rng.normal(size=n) * (1 + design[:, 2])
    ours = regressed([_one(y)], design, np.array([0.0, 0.0, 1.0]), cluster=np.arange(n), scale=np.ones(1))
    # Alone, the correction for leverage is HC2.
    theirs = sm.OLS(y, design).fit(cov_type="HC2")
    assert ours.estimate[0] == pytest.approx(theirs.params[2])
    assert ours.standard_error[0] == pytest.approx(theirs.bse[2])
    if families:
        # Of clusters, statsmodels has the plain sandwich, which is a little smaller; with no correction of ours either,
        # they agree: the sum over clusters of (w·e)², each residual as it is.
        family = np.arange(n) // 2
        plain = sm.OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": family, "use_correction": False})
        weights = np.linalg.pinv(design)[2]
        sums = np.bincount(family, weights=weights * plain.resid)
        assert plain.bse[2] ** 2 == pytest.approx((sums**2).sum())
        clustered = regressed([_one(y)], design, np.array([0.0, 0.0, 1.0]), cluster=family, scale=np.ones(1))
        assert plain.bse[2] < clustered.standard_error[0] < 1.25 * plain.bse[2]


def test_clusters_of_two_by_plain_algebra() -> None:
    """The correction with matrices as they are written in the paper, and degrees of freedom from all contrasts."""
    rng = np.random.default_rng(4)
    n, family = 12, np.arange(12) // 3
    design = np.column_stack([np.ones(n), rng.normal(size=n)])
    y, counts = rng.normal(size=n), np.array([0.0, 1.0])
    inverse = np.linalg.inv(design.T @ design)
    hat = design @ inverse @ design.T
    residuals, weights = y - hat @ y, design @ inverse @ counts
    variance, directions = 0.0, []
    for number in np.unique(family):
        here = family == number
        values, vectors = np.linalg.eigh(np.eye(here.sum()) - hat[np.ix_(here, here)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        adjusted = root @ weights[here]
        variance += float(adjusted @ residuals[here]) ** 2
        directions.append((np.eye(n) - hat)[:, here] @ adjusted)
    gram = np.array(directions) @ np.array(directions).T
    ours = regressed([_one(y)], design, counts, cluster=family, scale=np.ones(1))
    assert ours.variance[0] == pytest.approx(variance)
    assert ours.degrees_of_freedom[0] == pytest.approx(np.trace(gram) ** 2 / np.trace(gram @ gram))


def test_what_groups_of_cells_add() -> None:
    # The slope is 1 in one template and 3 in another, with nothing else: 2 in the mean, and its variance is that of
    # the mean of two: (1 + 1)/1/2 = 1.
    x = np.arange(4.0)
    means = np.stack([x, 3 * x], axis=1)[:, :, None]
    line = regressed(
        [GroupedMeans(means, np.array([0.5, 0.5]))],
        _line(x),
        np.array([0.0, 1.0]),
        cluster=np.arange(4),
        scale=np.ones(1),
    )
    assert line.estimate == pytest.approx([2.0])
    assert line.variance == pytest.approx([1.0])
    assert line.degrees_of_freedom == pytest.approx([1.0])


def test_what_does_not_vary_is_certain() -> None:
    line = regressed(
        [_one(np.full(5, 0.3))], _line(np.arange(5.0)), np.array([0.0, 1.0]), cluster=np.arange(5), scale=np.ones(1)
    )
    assert line.estimate.tolist() == [0.0]
    assert line.variance.tolist() == [0.0]


def test_what_cannot_be_told_apart() -> None:
    group = np.repeat([1.0, 0.0], 5)
    design = np.column_stack([group, 1 - group])
    assert can_be_told_apart(design)
    assert not can_be_told_apart(np.column_stack([design, 7 * group]))
    assert not can_be_told_apart(design[[0, 9]])


def test_inflation_grows_as_groups_drift_apart() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat([1.0, 0.0], 50)
    plain, difference = np.column_stack([group, 1 - group]), np.array([1.0, -1.0])
    noise = rng.normal(size=100)

    def cost(apart: float) -> float:
        full = np.column_stack([plain, noise + apart * group])
        return inflation(full, np.append(difference, 0.0), plain=plain, plain_counts=difference)

    assert 1 <= cost(0) < cost(1) < cost(3)
    # For two groups of one size: 1 + (distance of the means)² · n/4 / Σ of squares within.
    assert cost(0) < 1.2


def test_a_curve_is_straight_beyond_its_knots() -> None:
    knots = np.array([1.0, 2.0, 3.0, 4.0])
    beyond = curve(np.array([5.0, 6.0, 7.0, -1.0, -2.0, -3.0]), knots)
    np.testing.assert_allclose(np.diff(beyond[:3], n=2, axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(beyond[3:, 1:], 0, atol=1e-12)
    assert curve(np.arange(3.0), np.array([0.0, 1.0, 1.0, 1.0])).shape == (3, 1)


def test_a_stratum_of_one_family_counts_everybody() -> None:
    found = clusters(np.array([0, 0, 0, 1, 1, 1]), np.array([5, 5, 6, 7, 7, 7]))
    assert len(set(found[:3].tolist())) == 2
    assert len(set(found[3:].tolist())) == 3
