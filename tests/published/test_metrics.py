"""The paper about generalised metrics beside what follows from definitions and from its design."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import UsageError
from evenhand.published import Check
from evenhand.published.metrics import PREDICTIONS, Between, _largest_sd, _printed_cells, _widest_mean, content
from evenhand.verbs.reproduce import reproduce

PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checks() -> tuple[Check, ...]:
    return reproduce("metrics")


def find(checks: tuple[Check, ...], claim: str, where: str) -> Check:
    (found,) = (check for check in checks if (check.claim, check.where) == (claim, where))
    return found


def test_the_shipped_figures_are_those_of_the_paper() -> None:
    first, second = (content()["figure_1"][model]["rows"] for model in ("SemEval-2", "SemEval-3"))
    assert list(content()["attributes"]) == [
        "age", "disability", "gender", "nationality", "race", "religion", "sexuality",
    ]  # fmt: skip
    assert [about["groups"] for about in content()["attributes"].values()] == [3, 13, 8, 6, 6, 10, 5]
    assert {len(row) for rows in (first, second) for row in rows.values()} == {7}
    assert (first["fned"][1], second["fped"][5], second["pert_sr"][1]) == ("0.800", "0.481", "0.346")
    assert content()["table_7"]["SemEval-3"]["disability"] == 2.89e-44
    cells = _printed_cells()
    assert {where: len(found) for where, found in cells.items()} == {
        "figure 1a": 49, "figure 1c": 77, "figure 1b": 49, "figure 1d": 77, "figure 2a": 77, "figure 2b": 23,
        "figure 2c": 69, "figure 2d": 21, "figure 3": 54, "figure 3, below": 6, "table 5": 3, "table 7": 16,
    }  # fmt: skip


def test_whatever_differs_has_an_erratum_and_nothing_else_has(checks: tuple[Check, ...]) -> None:
    for check in checks:
        assert bool(check.errata) == (check.outcome == "differs"), check
    assert {one.partition(":")[0] for check in checks for one in check.errata} == set(content()["errata"])


def test_normalised_metrics_follow_from_the_number_of_groups(checks: tuple[Check, ...]) -> None:
    # FNED of disability, 0.800 over thirteen groups, and 0.326 times 13 over its 78 pairs.
    assert find(checks, "SemEval-2, disability: fned_normalised", "figure 1c").here == "0.0615 to 0.0616"
    check = find(checks, "SemEval-2, disability: disparity_score_normalised", "figure 1c")
    assert (check.printed, check.here, check.outcome) == ("0.054", "0.0542 to 0.0544", "reproduced")
    assert find(checks, "SemEval-2, age: PertSS is two thirds of PertSR, as there are three groups", "figure 1a").here


def test_what_two_figures_print_differently_is_told(checks: tuple[Check, ...]) -> None:
    check = find(checks, "fned: the same in figure 1d", "figure 2c")
    assert (check.printed, check.here, check.outcome) == ("0.615", "0.487", "differs")
    assert find(checks, "fned: the same in figure 1c", "figure 2a").outcome == "reproduced"


def test_every_printed_number_follows_or_needs_data_and_none_does_both(checks: tuple[Check, ...]) -> None:
    needed = [check for check in checks if check.outcome == "needs data"]
    assert {check.needs for check in needed} == {PREDICTIONS}
    assert all(check.here is None for check in needed)
    # Of Figure 1 three normalised rows in two models, PertSS in two classes, and once more with three groups;
    # of Figures 2 and 3 what is accumulated, and the second of two groups but for a ratio of zero to zero.
    followed = 7 * 3 * 2 + 7 + 1 + (5 + 5 + 5 + 5 + 6) + (8 + 8)
    assert sum(map(len, _printed_cells().values())) == 521 == len(needed) + followed


@given(st.lists(st.floats(0, 1), min_size=2, max_size=13))
def test_the_bounds_that_ranges_put_on_deviations_hold(values: list[float]) -> None:
    numbers, groups = np.array(values), len(values)
    wide = float(np.ptp(numbers))
    pairs = float(np.mean([abs(one - other) for one, other in combinations(values, 2)]))
    assert pairs <= _widest_mean(groups) * wide + 1e-9
    assert wide / np.sqrt(2 * groups) - 1e-9 <= numbers.std() <= _largest_sd(groups) * wide + 1e-9
    if groups == 3:
        assert pairs == pytest.approx(2 / 3 * wide)


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    assert Between.of("0.012").meets(Between.of("0.035").times(1 / 3))
    assert not Between.of("0.013").meets(Between.of("0.035").times(1 / 3))
    assert Between.of("-0.027").size == Between(0.0265, 0.0275)
    assert Between.of("-0.000").size == Between(0.0, 0.0005)


def test_the_page_counts_what_the_command_counts(checks: tuple[Check, ...]) -> None:
    done = CliRunner().invoke(app, ["reproduce", "metrics", "--json"])
    assert done.exit_code == 0
    values = json.loads(done.stdout)
    assert values["counts"] == dict(Counter(check.outcome for check in checks))
    said = ", ".join(f"{values['counts'][one]} {one}" for one in ("reproduced", "differs", "needs data"))
    assert f"**{said}**" in PAGE
    for erratum in content()["errata"]:
        assert re.search(rf"\| {erratum}\b", PAGE)


def test_it_needs_nothing_of_the_user() -> None:
    with pytest.raises(UsageError, match="recomputed from figures that are shipped"):
        reproduce("metrics", gold="x")
    with pytest.raises(UsageError, match="did you mean 'metrics'"):
        reproduce("metric")
