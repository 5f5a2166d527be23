"""What looks may cost: levels against other ways to compute them, and intervals that hold however often one looks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from evenhand.stats.spending import anytime_radius, spent_levels

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)
UNEVEN = tuple(names / 80 for names in (5, 10, 20, 40, 80))
CORRECTED = 0.05 / 194


def test_five_equal_looks() -> None:
    """The published thresholds for spending α·t are 2.58, 2.49, 2.41, 2.34 and 2.28 (Kim and DeMets 1987)."""
    two_sided, one_sided = spent_levels(0.05, FIVE), spent_levels(0.05, FIVE, two_sided=False)
    assert np.round(-special.ndtri(np.array(two_sided) / 2), 2).tolist() == [2.58, 2.49, 2.41, 2.34, 2.28]
    assert two_sided == pytest.approx([0.0100, 0.0127, 0.0159, 0.0193, 0.0229], abs=5e-5)
    assert one_sided == pytest.approx([0.0100, 0.0132, 0.0170, 0.0210, 0.0252], abs=5e-5)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("alpha", [0.05, CORRECTED])
def test_the_first_look_costs_its_share_and_a_single_one_costs_all(alpha: float, two_sided: bool) -> None:
    assert spent_levels(alpha, FIVE, two_sided=two_sided)[0] == pytest.approx(alpha / 5, rel=1e-9)
    assert spent_levels(alpha, UNEVEN, two_sided=two_sided)[0] == pytest.approx(alpha / 16, rel=1e-9)
    assert spent_levels(alpha, (1.0,), two_sided=two_sided) == (alpha,)


def spent_by_normal_integrals(levels: tuple[float, ...], shares: tuple[float, ...], *, two_sided: bool) -> np.ndarray:
    """How likely one has crossed by each look: probabilities of boxes of the multivariate normal distribution."""
    times = np.array(shares)
    correlation = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    limits = -special.ndtri(np.array(levels) / (2 if two_sided else 1))
    spent = []
    for k in range(1, len(shares) + 1):
        inside = stats.multivariate_normal.cdf(
            limits[:k],
            lower_limit=-limits[:k] if two_sided else np.full(k, -np.inf),
            mean=np.zeros(k),
            cov=correlation[:k, :k],
            rng=np.random.default_rng(3),
            maxpts=400_000,
            abseps=1e-7,
            releps=1e-7,
        )
        spent.append(1 - float(np.squeeze(inside)))
    return np.array(spent)


PLANS = [(0.5, 1.0), (0.3, 0.35, 1.0), FIVE, UNEVEN]


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("shares", PLANS)
def test_what_is_spent_grows_with_the_share(shares: tuple[float, ...], two_sided: bool) -> None:
    spent = spent_by_normal_integrals(spent_levels(0.05, shares, two_sided=two_sided), shares, two_sided=two_sided)
    assert spent == pytest.approx(0.05 * np.array(shares), abs=2e-5)


def spent_on_a_grid(levels: tuple[float, ...], shares: tuple[float, ...], *, two_sided: bool) -> np.ndarray:
    """The same by the trapezoidal rule on one even grid: normal integrals take samples, too few for tiny levels."""
    grid = np.linspace(-9, 9, 2_401)
    width, mass, spent, before = grid[1] - grid[0], None, [], 0.0
    for level, share in zip(levels, shares, strict=True):
        density = stats.norm.pdf(grid[:, None] - grid[None, :], scale=(share - before) ** 0.5)
        mass = stats.norm.pdf(grid, scale=share**0.5) if mass is None else density @ (mass * width)
        limit = -special.ndtri(level / (1 + two_sided)) * share**0.5
        inside = (np.abs(grid) if two_sided else grid) <= limit
        # The cell that the limit parts counts as far as the limit reaches into it.
        part = (limit - grid[inside][-1]) / width - 0.5
        kept = np.where(inside, mass, 0.0)
        kept[np.flatnonzero(inside)[-1]] *= 1 + part
        if two_sided:
            kept[np.flatnonzero(inside)[0]] *= 1 + part
        mass, before = kept, share
        spent.append(1 - float(kept.sum() * width))
    return np.array(spent)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("shares", PLANS)
def test_tiny_levels_are_spent_to_the_last_digit_that_matters(shares: tuple[float, ...], two_sided: bool) -> None:
    levels = spent_levels(CORRECTED, shares, two_sided=two_sided)
    spent = spent_on_a_grid(levels, shares, two_sided=two_sided)
    # The grid itself is off by 6e-8 at the first look, whose level is known exactly (see above).
    assert spent == pytest.approx(CORRECTED * np.array(shares), rel=2e-3, abs=1e-7)


@pytest.mark.parametrize("two_sided", [True, False])
def test_what_is_spent_over_twenty_uneven_looks_by_walking(two_sided: bool) -> None:
    rng = np.random.default_rng(20)
    shares = np.cumsum(np.arange(1, 21)) / 210
    limits = -special.ndtri(np.array(spent_levels(0.05, shares.tolist(), two_sided=two_sided)) / (1 + two_sided))
    walks = 200_000
    place, crossed = np.zeros(walks), np.zeros(walks, dtype=bool)
    for share, step, limit in zip(shares, np.diff(shares, prepend=0.0), limits, strict=True):
        place += rng.normal(0, step**0.5, walks)
        crossed |= (np.abs(place) if two_sided else place) > limit * share**0.5
        assert crossed.mean() == pytest.approx(0.05 * share, abs=4 * (0.05 / walks) ** 0.5)


def test_two_looks_by_a_double_integral() -> None:
    """By plain quadrature of one variable: with two looks there is nothing to recur on."""
    first, second = spent_levels(CORRECTED, (0.4, 1.0))
    limit, last = -special.ndtri(first / 2) * 0.4**0.5, -special.ndtri(second / 2)
    places = np.linspace(-limit, limit, 20_001)
    crossing = special.ndtr((places - last) / 0.6**0.5) + special.ndtr((-places - last) / 0.6**0.5)
    density = np.exp(-(places**2) / 0.8) / np.sqrt(0.8 * np.pi)
    assert np.trapezoid(crossing * density, places) == pytest.approx(0.6 * CORRECTED, rel=1e-6)


@pytest.mark.parametrize("looks", [2, 5, 20])
def test_levels_are_made_once(looks: int) -> None:
    shares = tuple((np.arange(1, looks + 1) / looks).tolist())
    assert spent_levels(CORRECTED, list(shares)) is spent_levels(CORRECTED, shares)


@pytest.mark.parametrize(("alpha", "shares", "message"), [
    (0.0, FIVE, "alpha"),
    (1.0, FIVE, "alpha"),
    (float("nan"), FIVE, "alpha"),
    (0.05, (), "end with 1"),
    (0.05, (0.2, 0.9), "end with 1"),
    (0.05, (0.0, 1.0), "must grow"),
    (0.05, (0.5, 0.5, 1.0), "must grow"),
    (0.05, (0.6, 0.5, 1.0), "must grow"),
    (0.05, (0.5, float("nan"), 1.0), "must grow"),
])  # fmt: skip
def test_plans_that_are_none(alpha: float, shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        spent_levels(alpha, shares)


def test_the_radius_by_hand() -> None:
    """n = 20, α = .05, c² = 8: q = (.02/28)^(1/20) = .6962; s·√(.3038·28 / (.6962·28 − 8)) = .8601 s."""
    q = (0.0025 * 8 / 28) ** (1 / 20)
    expected = 0.03 * np.sqrt((1 - q) * 28 / (q * 28 - 8))
    assert anytime_radius(np.array([0.0009]), 20, alpha=0.05) == pytest.approx([expected])


def test_the_radius_is_infinite_with_few_blocks_and_undefined_without_variance() -> None:
    variance = np.array([1.0, 1.0, 0.0, np.nan])
    radius = anytime_radius(variance, np.array([5, 100, 100, 100]), alpha=0.05)
    assert np.isinf(radius[0])
    assert 0 < radius[1] < 0.5
    assert np.isnan(radius[2:]).all()
    assert np.isnan(anytime_radius(np.zeros(1), 3, alpha=0.05)).all()


def test_the_radius_shrinks_with_blocks_and_grows_with_confidence() -> None:
    blocks = np.arange(10, 5_000)
    radius = anytime_radius(np.ones(len(blocks)), blocks, alpha=0.05)
    assert (np.diff(radius[np.isfinite(radius)]) < 0).all()
    assert (anytime_radius(np.ones(len(blocks)), blocks, alpha=0.01)[20:] > radius[20:]).all()


@pytest.mark.parametrize(("n", "alpha", "c2"), [(0, 0.05, 8.0), (5, 0.0, 8.0), (5, 1.0, 8.0), (5, 0.05, 0.0)])
def test_radii_that_are_none(n: int, alpha: float, c2: float) -> None:
    with pytest.raises(ValueError, match=r"block|alpha|c2"):
        anytime_radius(np.ones(1), n, alpha=alpha, c2=c2)


@pytest.mark.parametrize(("alpha", "c2"), [(0.05, 8.0), (0.1, 8.0), (0.05, 1.0), (0.05, 40.0)])
def test_the_radius_holds_at_every_number_of_blocks_at_once(alpha: float, c2: float) -> None:
    rng = np.random.default_rng(5)
    blocks = rng.normal(3, 2, size=(400, 4_000))
    n = np.arange(1, 401)[:, None]
    mean = np.cumsum(blocks, axis=0) / n
    variance = np.cumsum((blocks - 3) ** 2, axis=0) / n - (mean - 3) ** 2
    radius = anytime_radius(variance[1:], n[1:], alpha=alpha, c2=c2)
    assert (np.abs(mean[1:] - 3) <= radius).all(axis=0).mean() >= 1 - alpha
