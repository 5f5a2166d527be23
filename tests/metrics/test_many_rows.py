"""What is done at once for very many rows, beside the plain way: the same numbers, or rates that hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evenhand.metrics import (
    Predictions,
    group_tests,
    invariance,
    measure,
    minimum_functionality,
    quality_by,
    read_predictions_table,
)
from evenhand.metrics.behaviour import directional
from evenhand.metrics.comparisons import EQUALITY_GAP, WASSERSTEIN
from evenhand.metrics.design import Design
from evenhand.metrics.exchange import Exchange
from evenhand.metrics.fewer import bundled, some_rows
from evenhand.metrics.grids import Grid, share_above, wasserstein, wasserstein_moved, weighted
from evenhand.metrics.orders import Order, Part, Weighing
from evenhand.metrics.predictions import BETWEEN
from evenhand.metrics.table import metric_named
from evenhand.numbering import pairs_numbered
from evenhand.stats.intervals import lots
from evenhand.stats.types import Floats

CLASSES = ("bad", "good", "so so")


def random_predictions(
    *, sources: int, terms: int, held: int, seed: int, gap: float = 0.0, unperturbed: bool = False
) -> Predictions:
    """Sources with some of the terms; terms and sources differ, and so does one group if there is a gap."""
    rng = np.random.default_rng(seed)
    of_term, of_source = rng.normal(0, 0.5, terms), rng.normal(0, 0.5, sources)
    rows = [(source, term) for source in range(sources) for term in rng.permutation(terms)[:held]]
    source, term = (np.array(column) for column in zip(*rows, strict=True))
    group = np.array(["f", "m", "n"])[term % 3]
    tilt = of_term[term] + of_source[source] + gap * (group == "f")
    logits = rng.normal(0, 1, (len(rows), 3)) + tilt[:, None] * np.array([-0.5, 0.5, 0.0])
    names = [f"t{one:03d}" for one in term.tolist()]
    labels: list[str | None] = group.tolist()
    if unperturbed:
        plain = np.arange(sources)
        source, names = np.append(source, plain), [*names, *[""] * sources]
        labels = [*labels, *[None] * sources]
        logits = np.concatenate([logits, rng.normal(0, 1, (sources, 3))])
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gold = [CLASSES[one % 3] for one in source.tolist()]
    return Predictions.of(
        source=source.tolist(), group=labels, term=names, gold=gold,
        probabilities=dict(zip(CLASSES, probabilities.T, strict=True)),
    )  # fmt: skip


@pytest.mark.parametrize("spread", [3, 10_000])
def test_pairs_are_numbered_as_sorting_numbers_them(spread: int) -> None:
    rng = np.random.default_rng(spread)
    first, second = rng.integers(0, spread, (2, 200))
    pairs, of_row = pairs_numbered(first, second)
    known, place = np.unique(np.stack([first, second]), axis=1, return_inverse=True)
    assert pairs.tolist() == known.tolist()
    assert of_row.tolist() == place.reshape(-1).tolist()


def two_sets(rows: int, *, decimals: int, seed: int) -> tuple[Order, np.ndarray, Floats]:
    rng = np.random.default_rng(seed)
    order = Order(rng.normal(0, 1, rows).round(decimals))
    weights = rng.integers(0, 3, (4, rows)).astype(np.float64)
    return order, rng.integers(0, 2, rows), weights


@pytest.mark.parametrize(("decimals", "tolerance"), [(1, 1e-12), (9, 0.003)])
def test_a_grid_gives_what_the_rows_give(decimals: int, tolerance: float) -> None:
    order, column, weights = two_sets(400, decimals=decimals, seed=0)
    grid = Grid(order, 400 if decimals == 1 else 100)
    each = grid.held(np.arange(400), column, rows=400, columns=2, areas=True)
    now, before = weighted(weights, each), weighted(np.ones((1, 400)), each)
    one, other = (now.changed(lambda of, k=k: of[:, [k]]) for k in (0, 1))
    was = tuple(before.changed(lambda of, k=k: of[:, [k]]) for k in (0, 1))
    weighing, sets = Weighing(order, weights), [Part(np.flatnonzero(column == k)) for k in (0, 1)]
    assert wasserstein(grid, one, other)[:, 0] == pytest.approx(weighing.wasserstein(*sets), abs=tolerance)
    assert share_above(one, other)[:, 0] == pytest.approx(weighing.share_above(*sets), abs=tolerance)
    moved = wasserstein_moved(grid, one, other, (was[0], was[1]))[:, 0]
    assert moved == pytest.approx(weighing.wasserstein_moved(*sets), abs=max(tolerance, 0.0), rel=0.03)


def test_an_empty_set_has_no_distance_on_a_grid() -> None:
    order = Order(np.arange(4.0))
    grid = Grid(order, 4)
    held = grid.held(np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64), rows=1, columns=2, areas=True)
    first, second = (held.changed(lambda of, k=k: of[:, [k]]) for k in (0, 1))
    assert np.isnan(wasserstein(grid, first, second)).all()
    assert np.isnan(share_above(first, second)).all()


def test_lots_hold_every_cluster_once_and_are_alike() -> None:
    lot = lots(1_003, seed=1, most=100)
    assert lot is not None
    assert sorted(set(np.bincount(lot).tolist())) == [10, 11]
    assert lots(100, seed=1, most=100) is None


@pytest.fixture
def as_if_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty thousand rows are many; here, three hundred are."""
    for module in ("design", "exchange"):
        monkeypatch.setattr(f"evenhand.metrics.{module}.MOST_ORDERED", 300)
    monkeypatch.setattr("evenhand.metrics.exchange.MOST_ONE_BY_ONE", 200)
    monkeypatch.setattr("evenhand.metrics.design.MOST_RESAMPLED", 150)


BY_ROWS = (
    "avg_gf",
    "avg_gf_tc",
    "avg_eg",
    "bpsn_auc",
    "tpr_gap",
    "cf_gap",
    "pert_sr",
    "avg_if",
    "pi",
    "label_flip_rate",
)


def test_many_rows_have_the_same_values_and_nearly_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    predictions = random_predictions(sources=600, terms=18, held=6, seed=3, gap=0.8)
    plain = measure(predictions, BY_ROWS, bootstrap=600, relabellings=0)
    for module in ("design", "exchange"):
        monkeypatch.setattr(f"evenhand.metrics.{module}.MOST_ORDERED", 300)
    monkeypatch.setattr("evenhand.metrics.design.MOST_RESAMPLED", 150)
    many = measure(predictions, BY_ROWS, bootstrap=600, relabellings=0)
    for name, label, one in plain:
        other = many[name][label]
        assert other.value == pytest.approx(one.value, abs=1e-12), name
        assert other.by_group == pytest.approx(one.by_group, abs=1e-12), name
        assert one.interval is not None
        assert other.interval is not None
        widths = [interval[1] - interval[0] for interval in (one.interval, other.interval)]
        assert math.log(widths[1] / widths[0]) == pytest.approx(0.0, abs=0.25), (name, label)


@pytest.mark.usefixtures("as_if_many")
def test_deals_of_some_rows_find_no_bias_where_there_is_none() -> None:
    p = []
    for seed in range(30):
        predictions = random_predictions(sources=120, terms=12, held=6, seed=seed)
        found = measure(predictions, ["cf_gap", "avg_gf", "avg_eg"], relabellings=99)
        p.append([found[name]["good"].p_for_these_sources for name in ("cf_gap", "avg_gf", "avg_eg")])
    assert (np.array(p, dtype=np.float64) <= 0.05).mean(axis=0).max() <= 0.2  # of 30: six at most, where 1.5 are due


@pytest.mark.usefixtures("as_if_many")
def test_deals_of_some_rows_find_bias_where_there_is_some() -> None:
    predictions = random_predictions(sources=200, terms=24, held=6, seed=5, gap=4.0)
    found = measure(predictions, ["cf_gap", "avg_gf", "pi"], relabellings=99)
    for name in ("cf_gap", "avg_gf"):
        one = found[name]["good"]
        assert one.p_for_these_sources == 0.01
        assert one.excess is not None
        assert one.excess > 0


@pytest.mark.parametrize("name", ["avg_gf", "avg_eg", "neg_avg_eg", "bpsn_auc", "bnsp_auc"])
def test_deals_on_a_grid_are_those_of_the_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange = Exchange(Design(random_predictions(sources=80, terms=12, held=6, seed=2)), draws=20)
    plain = exchange.values(metric_named(name), 1)
    monkeypatch.setattr("evenhand.metrics.design.MOST_ORDERED", 300)
    coarse = Exchange(Design(random_predictions(sources=80, terms=12, held=6, seed=2)), draws=20)
    assert coarse.values(metric_named(name), 1) == pytest.approx(plain, abs=0.002)


def test_bundles_stay_in_their_group_and_are_alike() -> None:
    finer = random_predictions(sources=300, terms=90, held=3, seed=0).by_term()
    together = bundled(finer, most=30, seed=0)
    assert len(together.groups) == 30
    for old, new in zip(finer.group.tolist(), together.group.tolist(), strict=True):
        assert finer.groups[old].split(BETWEEN)[0] == together.groups[new].split(BETWEEN)[0]
    sizes = {name: set() for name in together.groups}
    for old, new in zip(finer.group.tolist(), together.group.tolist(), strict=True):
        sizes[together.groups[new]].add(old)
    assert {len(terms) for terms in sizes.values()} == {3}


def test_some_rows_are_whole_sources_or_whole_terms() -> None:
    many = random_predictions(sources=400, terms=12, held=6, seed=0)
    some = some_rows(many, 600, seed=0)
    assert len(some) == 600
    assert np.bincount(some.source).tolist() == [6] * 100
    large = random_predictions(sources=10, terms=300, held=300, seed=0, unperturbed=True)
    fewer = some_rows(large, 600, seed=0)
    assert set(np.bincount(fewer.source).tolist()) == {61}  # sixty terms and the unperturbed sentence
    assert np.bincount(fewer.group[fewer.group >= 0]).tolist() == [200, 200, 200]


def by_definition(predictions: Predictions) -> dict[str, float]:
    """By source, the share of tuples that are not all predicted the same, one by one."""
    shares = {}
    assert predictions.predicted is not None
    for code, name in enumerate(predictions.sources):
        rows = predictions.source == code
        groups = [predictions.predicted[rows & (predictions.group == one)] for one in set(predictions.group[rows])]
        if len(groups) > 1:
            tuples = list(product(*groups))
            shares[name] = sum(len(set(one)) > 1 for one in tuples) / len(tuples)
    return shares


@pytest.mark.parametrize("bits", [60, 0])
@pytest.mark.parametrize("seed", range(3))
def test_changed_tuples_are_counted_as_drawn_up(seed: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.metrics.behaviour.SURE_BITS", bits)
    predictions = random_predictions(sources=30, terms=9, held=5, seed=seed, unperturbed=True)
    found, shares = invariance(predictions), by_definition(predictions)
    assert found.rate == pytest.approx(np.mean(list(shares.values())), abs=1e-12)
    assert {one.source: one.share for one in found.failures} == pytest.approx({k: v for k, v in shares.items() if v})
    assert found.failures[:2] == tuple(found.failures)[:2]


def test_failures_are_counted_row_by_row() -> None:
    predictions = random_predictions(sources=30, terms=9, held=5, seed=1)
    assert predictions.predicted is not None
    assert predictions.gold is not None
    wrong = predictions.predicted != predictions.gold
    found = minimum_functionality(predictions)
    assert (found.failing, found.cases) == (int(wrong.sum()), 150)
    rows = sorted(example.row for one in found.failures for example in one.examples)
    assert rows == np.flatnonzero(wrong).tolist()


def jaccard(predictions: Predictions, code: int) -> float:
    """By definition: the mean over groups of the mean distance over terms."""
    assert predictions.predicted is not None
    plain = {predictions.source[row]: row for row in np.flatnonzero(predictions.group < 0).tolist()}
    by_group = []
    for group in range(len(predictions.groups)):
        distances = []
        for term in sorted({predictions.terms[row] for row in np.flatnonzero(predictions.group == group).tolist()}):
            rows = [row for row in np.flatnonzero(predictions.group == group) if predictions.terms[row] == term]
            after = {predictions.source[row] for row in rows if predictions.predicted[row] == code}
            there = {predictions.source[row] for row in rows}
            before = {one for one in there if predictions.predicted[plain[one]] == code}
            if after | before:
                distances.append(1 - len(after & before) / len(after | before))
        by_group.append(np.mean(distances))
    return float(np.mean(by_group))


def test_label_distances_are_those_of_the_definition() -> None:
    predictions = random_predictions(sources=40, terms=9, held=5, seed=4, unperturbed=True)
    found = measure(predictions, ["label_distance"])["label_distance"]
    for code, label in enumerate(CLASSES):
        assert found[label].value == pytest.approx(jaccard(predictions, code), abs=1e-12)


@pytest.mark.parametrize("kind", ["regression", "classification"])
@pytest.mark.parametrize("clustered", [False, True])
def test_quality_of_many_rows_has_nearly_the_same_intervals(
    kind: str, clustered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(0, 1, 3_000)
    said = 0.6 * gold + rng.normal(0, 0.7, 3_000)
    if kind == "classification":
        gold, said = (gold > 0).astype(int), (said > 0).astype(int)
    group = np.array(["a", "b", "c"])[rng.integers(0, 3, 3_000)].tolist()
    cluster = rng.integers(0, 700, 3_000).tolist() if clustered else None
    asked = {"kind": kind, "cluster": cluster, "resamples": 600}
    plain = quality_by(group, gold.tolist(), said.tolist(), **asked)  # type: ignore[arg-type]
    monkeypatch.setattr("evenhand.metrics.quality.MOST_ORDERED", 1_000)
    monkeypatch.setattr("evenhand.metrics.quality_lots.MOST_RESAMPLED", 600)
    many = quality_by(group, gold.tolist(), said.tolist(), **asked)  # type: ignore[arg-type]
    for one, other in zip((plain["a"], plain.overall), (many["a"], many.overall), strict=True):
        for name, estimate in one.measures.items():
            same = other.measures[name]
            assert same.value == estimate.value
            assert same.interval is not None
            assert estimate.interval is not None
            widths = [interval[1] - interval[0] for interval in (estimate.interval, same.interval)]
            assert math.log(widths[1] / widths[0]) == pytest.approx(0.0, abs=0.25), name


def test_comparisons_of_sets_have_a_way_on_a_grid() -> None:
    assert WASSERSTEIN.on_grid is not None
    assert EQUALITY_GAP.on_grid is not None


def uneven(seed: int) -> Predictions:
    """Sources with three to eight of nine terms."""
    whole = random_predictions(sources=25, terms=9, held=8, seed=seed)
    return whole.select(np.arange(len(whole)) % 8 < 3 + whole.source % 6)


@pytest.mark.parametrize("name", ["avg_if", "pert_sr", "label_flip_rate", "invariance_failure_rate", "cf_gap", "pi"])
def test_deals_of_uneven_sources_are_those_one_by_one(name: str) -> None:
    exchange = Exchange(Design(uneven(7)), draws=30)
    metric = metric_named(name)
    assert exchange.values(metric, 1) == pytest.approx(exchange.one_by_one(metric, 1), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("by", "sign"), [(0.0, 1), (0.1, 1), (-0.1, -1)])
def test_expectations_are_counted_pair_by_pair(seed: int, by: float, sign: int) -> None:
    rng = np.random.default_rng(seed)
    source, group = rng.integers(0, 12, 80), rng.integers(0, 3, 80)
    score = rng.normal(0, 1, 80).round(1)  # with ties
    predictions = Predictions.of(source=source.tolist(), group=np.array(["a", "b", "c"])[group].tolist(), score=score)
    found = directional(predictions, "a", "b", expect="rise" if sign > 0 else "fall", by=by)
    cases, failing = 0, {}
    for one in sorted(set(source.tolist())):
        pairs = list(product(*(np.flatnonzero((source == one) & (group == code)).tolist() for code in (0, 1))))
        wrong = [pair for pair in pairs if sign * (score[pair[1]] - score[pair[0]]) < by - 1e-9]
        cases += len(pairs)
        if wrong:
            failing[str(one)] = len(wrong) / len(pairs)
            worst = max(pairs, key=lambda pair: (sign * (score[pair[0]] - score[pair[1]]), -pair[0], -pair[1]))
            example = next(failure for failure in found.failures if failure.source == str(one)).examples
            assert tuple(each.row for each in example) == worst
    assert found.cases == cases
    assert {one.source: one.share for one in found.failures} == pytest.approx(failing)


class Counted:
    """What is said of work that is under way: for each kind how many steps were announced and done."""

    def __init__(self) -> None:
        self.announced: dict[str, int] = {}
        self.done: dict[str, int] = {}

    @contextmanager
    def __call__(self, name: str, steps: int) -> Iterator[Callable[[], None]]:
        self.announced[name] = steps
        self.done[name] = 0

        def advance() -> None:
            self.done[name] += 1

        yield advance


def test_reading_metrics_and_tests_tell_how_far_they_are(tmp_path: Path) -> None:
    rows = [
        f"{source},{group},{group}{number},good,0.{number}" for source in "ab" for group in "fm" for number in (2, 4)
    ]
    path = tmp_path / "said.csv"
    path.write_text("\n".join(["source,group,term,gold,prob_good", *rows]).replace("prob_good", "score"))
    working = Counted()
    predictions = read_predictions_table(path, working)
    group_tests(predictions, working=working)
    measure(predictions, ["avg_gf", "cf_gap"], working=working)
    assert working.announced == working.done == {"reading said.csv": 4, "tests": 1, "metrics": 2}
