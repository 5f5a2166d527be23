"""Several models side by side: the rows that both have, differences as the library has them, and correlations."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from typer.testing import CliRunner

import evenhand
from evenhand import MeasureSettings, UsageError, measure
from evenhand.cli.app import app
from evenhand.errors import EvenhandError
from evenhand.measuring import Metrics
from evenhand.measuring.compared import furthest_value
from evenhand.measuring.models import same_rows
from evenhand.metrics import Predictions
from evenhand.metrics.differences import metric_differences
from evenhand.metrics.measurements import Measurement
from evenhand.metrics.reading import read_predictions_table

TERMS = {"old": ["elder", "senior"], "young": ["teen", "kid"]}
FAST = MeasureSettings(bootstrap=100, relabellings=0, metrics=("cf_gap", "tpr_gap", "pos_avg_eg", "avg_gf"))


def write(folder: Path, name: str, gap: float, *, seed: int = 0, sources: int = 12) -> Path:
    rng = np.random.default_rng(seed)
    rows = [
        {"source": f"s{source}", "group": group, "term": term, "gold": "good" if source % 2 else "bad",
         "prob_good": float(np.clip(0.4 + 0.1 * (source % 3) + gap * (group == "young") + rng.normal(0, 0.03), 0, 1))}
        for source in range(sources) for group, terms in TERMS.items() for term in terms
    ]  # fmt: skip
    frame = pl.DataFrame(rows).with_columns(prob_bad=1 - pl.col("prob_good"))
    path = folder / f"{name}.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    gaps = {"fair": 0.0, "some": 0.15, "much": 0.3, "most": 0.45}
    return [write(folder, name, gap, seed=place) for place, (name, gap) in enumerate(gaps.items())]


@pytest.fixture(scope="module")
def found(paths: list[Path]) -> Metrics:
    return measure(paths, settings=FAST)


def test_every_model_is_measured_as_it_is_alone(found: Metrics, paths: list[Path]) -> None:
    assert [result.system for result in found.results] == ["fair", "some", "much", "most"]
    alone = measure(paths[2], settings=FAST)
    assert found.results[2].measurements.to_dict() == alone.results[0].measurements.to_dict()
    assert alone.models == alone.correlations == ()


def test_differences_are_the_librarys_against_the_first(found: Metrics, paths: list[Path]) -> None:
    assert [(pair.one, pair.other) for pair in found.models] == [("fair", "some"), ("fair", "much"), ("fair", "most")]
    one, other = read_predictions_table(paths[0]), read_predictions_table(paths[3])
    assert found.models[2].differences == tuple(metric_differences(one, other, FAST.metrics, seed=0, bootstrap=100))
    gap = next(one for one in found.models[2].differences if (one.metric, one.label) == ("cf_gap", "good"))
    assert gap.change == "further"
    assert gap.interval is not None
    assert gap.interval[0] > 0.3


def test_correlations_are_spearmans_over_models_by_distance_from_the_ideal(found: Metrics) -> None:
    by_pair = {(one.label, one.one, one.other): one for one in found.correlations}
    one = by_pair["good", "cf_gap", "avg_gf"]
    values = [[result.measurements[name]["good"].value for result in found.results] for name in ("cf_gap", "avg_gf")]
    assert one.correlation == pytest.approx(stats.spearmanr(*values).statistic)
    assert one.cases == 4
    # The mean over two groups that mirror each other is zero up to rounding; what counts is how far each of them is.
    of_vector = by_pair["good", "cf_gap", "pos_avg_eg"].correlation
    assert of_vector is not None
    assert of_vector > 0.9  # it can be no more than a half, which two models reach
    assert furthest_value("pos_avg_eg", Measurement(0.0, by_group={"a": 0.2, "b": -0.3})) == -0.3


def test_too_few_models_are_not_correlated(paths: list[Path]) -> None:
    assert measure(paths[:3], settings=FAST).correlations == ()


def test_it_is_saved_and_shown_whole(found: Metrics, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found.save(tmp_path / "out", figures=False)
    again = Metrics.load(tmp_path / "out")
    assert again.to_json() == found.to_json()
    assert again.to_html() == found.to_html()
    assert "Models side by side" in found.to_html()
    assert "most against fair, group (48 rows that both have)" in found.to_html()
    found.show(width=160)
    shown = capsys.readouterr().out
    assert "some against fair, group (48 rows that both have)" in shown
    assert "further away" in shown


def test_rows_are_matched_by_source_group_and_term_in_any_order(paths: list[Path]) -> None:
    one, other = (read_predictions_table(path) for path in paths[:2])
    shuffled = other.select(np.random.default_rng(1).permutation(len(other))[: len(other) - 5])
    first, second = same_rows(one, shuffled)
    assert len(first) == len(second) == len(one) - 5
    assert (first.sources, first.groups, first.terms) == (second.sources, second.groups, second.terms)
    keys = {(other.sources[s], other.groups[g], t): p for s, g, t, p in zip(
        other.source, other.group, other.terms, other.probabilities, strict=True)}  # fmt: skip
    for source, group, term, said in zip(first.source, first.group, first.terms, second.probabilities, strict=True):
        np.testing.assert_array_equal(keys[first.sources[source], first.groups[group], term], said)


def test_what_cannot_be_compared_is_said_and_the_rest_is_measured(paths: list[Path], tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    pl.read_csv(paths[0]).select("source", "group", "term", score=pl.col("prob_good")).write_csv(scores)
    found = measure([paths[0], scores], settings=MeasureSettings(bootstrap=20, relabellings=0))
    assert found.models == ()
    assert found.left_out == ("fair and scores, group, are not compared: one predicts classes, the other gives scores",)
    other = replace(read_predictions_table(paths[1]), sources=tuple(f"x{place}" for place in range(12)))
    with pytest.raises(EvenhandError, match="share no row"):
        same_rows(read_predictions_table(paths[0]), other)
    turned = Predictions.of(
        source=["a"], group=["old"], term=["x"], gold=["bad"], probabilities={"bad": [0.5], "good": [0.5]}
    )
    with pytest.raises(EvenhandError, match="gold classes differ"):
        same_rows(turned, replace(turned, gold=np.array([1])))


def test_bad_input_is_one_clear_line(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "fair.csv").write_bytes(paths[0].read_bytes())
    for given, message in (
        ([paths[0], tmp_path / "fair.csv"], "two of the files are called 'fair'"),
        ([paths[0], tmp_path / "none.csv"], "is no file"),
        ([paths[0], tmp_path], "is a folder"),
        ([], "at least one file"),
    ):
        with pytest.raises(UsageError, match=message):
            measure(given, settings=FAST)
    done = CliRunner().invoke(app, ["measure", str(paths[0]), str(paths[1]), "--by", "group"])
    assert isinstance(done.exception, UsageError)


def test_people_type_it(paths: list[Path]) -> None:
    fast = ["--bootstrap", "20", "--relabellings", "0", "--metric", "cf_gap"]
    done = CliRunner().invoke(app, ["measure", *map(str, paths), *fast, "--json"])
    assert done.exit_code == 0, done.output
    values = json.loads(done.stdout)
    assert [pair["other"] for pair in values["models"]] == ["some", "much", "most"]
    sizes = [result["metrics"]["cf_gap"]["good"]["value"] for result in values["results"]]
    assert all(one < other for one, other in pairwise(sizes))


def test_the_systems_of_a_saved_audit_stand_side_by_side(tmp_path: Path) -> None:
    def kind(texts: list[str]) -> list[list[float]]:
        return [[0.2, 0.3, 0.5] for _ in texts]

    def ageist(texts: list[str]) -> list[list[float]]:
        return [[0.6, 0.3, 0.1] if "elder" in text else [0.2, 0.3, 0.5] for text in texts]

    for system in (kind, ageist):
        system.outputs = [  # type: ignore[attr-defined]
            evenhand.Output(name, kind="probability", of="classes") for name in ("negative", "neutral", "positive")
        ]
    corpus = evenhand.load_corpus("identity").narrowed(["age"]).sample(240)
    report = evenhand.audit([kind, ageist], corpus, attributes="age", progress=False, cache=tmp_path / "cache")
    report.save(tmp_path / "out")
    found = measure(tmp_path / "out", settings=MeasureSettings(bootstrap=20, relabellings=0, metrics=("cf_gap",)))
    (pair,) = found.models
    assert (pair.one, pair.other, pair.attribute) == ("kind", "ageist", "age")
    assert all((one.difference or 0.0) >= 0 for one in pair.differences)
