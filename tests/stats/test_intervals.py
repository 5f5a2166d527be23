"""Wilson's interval is scipy's; clusters are drawn whole; intervals cover what they should."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.intervals import cluster_draws, percentile_interval, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (103, 288)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_is_scipys(k: int, n: int, level: float) -> None:
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert wilson(k / n, n, level=level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        wilson(0.5, 0)


def test_clusters_are_drawn_whole_and_seeded() -> None:
    cluster = np.array([0, 0, 1, 2, 2, 2])
    draws = np.concatenate(list(cluster_draws(cluster, resamples=500, seed=1)))
    assert draws.shape == (500, 6)
    assert (draws[:, 0] == draws[:, 1]).all()
    assert (draws[:, 3] == draws[:, 5]).all()
    assert (draws[:, [0, 2, 3]].sum(axis=1) == 3).all()
    again = np.concatenate(list(cluster_draws(cluster, resamples=500, seed=1)))
    assert (draws == again).all()
    assert (draws != np.concatenate(list(cluster_draws(cluster, resamples=500, seed=2)))).any()


def test_strata_keep_their_number_of_clusters() -> None:
    cluster, stratum = np.arange(10), np.repeat([0, 1], [3, 7])
    draws = np.concatenate(list(cluster_draws(cluster, stratum=stratum, resamples=200, seed=0)))
    assert (draws[:, :3].sum(axis=1) == 3).all()
    assert (draws[:, 3:].sum(axis=1) == 7).all()


def test_pieces_do_not_change_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.stats.intervals.AT_ONCE", 40)
    pieces = list(cluster_draws(np.arange(10), resamples=11, seed=0))
    assert [len(piece) for piece in pieces] == [4, 4, 3]


def test_an_interval_needs_resamples_with_a_value() -> None:
    values = np.arange(100.0)
    assert percentile_interval(values) == pytest.approx((2.475, 96.525))
    values[:6] = np.nan
    assert percentile_interval(values) is None
    assert percentile_interval(np.full(3, np.nan)) is None


@pytest.mark.slow
def test_the_bootstrap_over_clusters_covers_the_mean_where_rows_of_a_cluster_are_alike() -> None:
    rng = np.random.default_rng(9)
    cluster = np.repeat(np.arange(40), 10)
    by_cluster = by_row = 0
    for seed in range(300):
        values = rng.normal(size=40)[cluster] + 0.2 * rng.normal(size=400)
        for clusters, counted in ((cluster, "cluster"), (np.arange(400), "row")):
            draws = np.concatenate(list(cluster_draws(clusters, resamples=400, seed=seed)))
            low, high = percentile_interval(draws @ values / draws.sum(axis=1))
            by_cluster += (low <= 0 <= high) and counted == "cluster"
            by_row += (low <= 0 <= high) and counted == "row"
    assert by_cluster / 300 >= 0.90
    assert by_row / 300 <= 0.60
