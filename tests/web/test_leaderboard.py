"""Leaderboards: the intervals are right, and what they do not tell apart is a tie."""

from __future__ import annotations

import io
import re

import numpy as np
import polars as pl
import pytest
from scipy import stats
from starlette.testclient import TestClient

from evenhand.report.explorer.leaderboard import places, size_interval, spearman_interval
from evenhand.web.index import Entry


@pytest.mark.parametrize("rho", [0.2, 0.7])
def test_the_interval_of_spearman_holds_the_truth_as_often_as_it_says(rho: float) -> None:
    """For normal scores, Spearman's correlation is 6/π · asin(r/2) of Pearson's."""
    rng, n, held = np.random.default_rng(0), 100, 0
    truth = 6 / np.pi * np.arcsin(rho / 2)
    for _ in range(400):
        one = rng.normal(size=n)
        other = rho * one + np.sqrt(1 - rho**2) * rng.normal(size=n)
        interval = spearman_interval(float(stats.spearmanr(one, other).statistic), n)
        assert interval is not None
        held += interval[0] <= truth <= interval[1]
    assert 0.92 <= held / 400 <= 0.98


def test_there_is_no_interval_where_nothing_is_known() -> None:
    assert spearman_interval(0.5, 3) is None
    assert spearman_interval(1.0, 100) is None


def test_who_is_not_told_apart_is_tied() -> None:
    assert places([(0.1, 0.9)] * 3) == [(1, 3)] * 3
    assert places([(0.8, 0.9), (0.1, 0.2)]) == [(1, 1), (2, 2)]
    assert places([None, (0.8, 0.9)]) == [None, (1, 1)]
    assert places([(0.5, 0.6), (0.55, 0.7), (0.65, 0.8)]) == [(2, 3), (1, 3), (1, 2)]


def test_a_gap_is_as_large_on_either_side() -> None:
    assert size_interval((-0.03, -0.01)) == size_interval((0.01, 0.03)) == (0.01, 0.03)
    assert size_interval((-0.01, 0.03)) == (0.0, 0.03)
    assert size_interval(None) is None


def test_a_study_shows_quality_beside_bias(client: TestClient, entries: dict[str, Entry]) -> None:
    asked = {"dimension": "anger", "table": "gender"}
    base = f"/api/results/{entries['study'].id}/leaderboard"
    board = client.get(base, params=asked).json()
    assert [one["system"] for one in board] == ["a", "b", "c"]  # noise was planted in this order
    for one in board:
        low, high = one["spearman_interval"]
        assert low < one["spearman"] < high
        assert one["gap"] == pytest.approx(2.0, abs=0.01)  # per cent; planted
    assert {tuple(one["bias_places"]) for one in board} == {(1, 3)}  # the same gap: nobody is ahead
    table = pl.read_csv(io.BytesIO(client.get(f"{base}.csv", params=asked).content), infer_schema=False)
    assert table["bias_place"].to_list() == ["1–3"] * 3
    page = client.get(f"/results/{entries['study'].id}", params=asked).text
    assert re.findall(r'<td class="number place">(.*?)</td>', page) == table["quality_place"].to_list()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"dimension": "angst", "table": "gender"}, "did you mean 'anger'"),
        ({"dimension": "anger", "table": "x"}, "no comparison"),
    ],
)
def test_what_a_study_does_not_have_is_told(
    client: TestClient, entries: dict[str, Entry], asked: dict[str, str], message: str
) -> None:
    for path in ("/api/results/{}/leaderboard", "/results/{}"):
        answer = client.get(path.format(entries["study"].id), params=asked)
        assert answer.status_code == 422
        assert message in answer.text.replace("&#39;", "'")
    audit = client.get(f"/api/results/{entries['both'].id}/leaderboard", params=asked)
    assert "leaderboards are made of studies" in audit.json()["detail"]
