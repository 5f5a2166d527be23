"""What holds for every metric of the table, whatever it measures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenhand.metrics import METRICS, Measurements, Metric, Predictions, comparisons, measure, metric
from evenhand.metrics.comparisons import Among, Between, OfSets

Random = Callable[..., Predictions]
NAMES = tuple(METRICS)
SIGNED_PAIR = ("g0", "g1")


def measured(predictions: Predictions, name: str, **settings: object) -> Measurements:
    """One metric, with two groups in order where it needs them."""
    groups = SIGNED_PAIR if METRICS[name].two_groups else None
    return measure(predictions, [name], groups=groups, **settings)  # type: ignore[arg-type]


def same(first: Measurements, second: Measurements, *, rename: dict[str, str] | None = None) -> None:
    """Equal values and parts, up to rounding."""
    for name, label, one in first:
        other = second[name][label]
        assert one.value is not None, (name, label, one.undefined)
        assert other.value == pytest.approx(one.value, abs=1e-12)
        for group, part in one.by_group.items():
            assert other.by_group[(rename or {}).get(group, group)] == pytest.approx(part, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_does_not_matter(name: str, random_predictions: Random) -> None:
    predictions = random_predictions()
    shuffled = predictions.select(np.random.default_rng(1).permutation(len(predictions)))
    same(measured(predictions, name), measured(shuffled, name))


@pytest.mark.parametrize("name", NAMES)
def test_names_of_groups_do_not_matter(name: str, random_predictions: Random) -> None:
    predictions = random_predictions()
    names = {"g0": "zulu", "g1": "mike", "g2": "alpha"}
    renamed = replace(predictions, groups=tuple(names[group] for group in predictions.groups))
    groups = ("zulu", "mike") if METRICS[name].two_groups else None
    same(measured(predictions, name), measure(renamed, [name], groups=groups), rename=names)


@pytest.mark.parametrize("extreme", [False, True])
@pytest.mark.parametrize("groups", [2, 3, 7, 12])
def test_values_stay_in_their_range_for_any_number_of_groups(
    groups: int, extreme: bool, random_predictions: Random
) -> None:
    for seed in range(3):
        predictions = random_predictions(groups=groups, terms=(2, 1), seed=seed, extreme=extreme)
        found = [*measure(predictions), *measure(predictions, groups=SIGNED_PAIR)]
        assert any(measurement.value is not None for _, _, measurement in found)
        for name, _, measurement in found:
            low, high = METRICS[name].range
            if name.startswith("expected_label") or measurement.value is None:
                continue
            assert low is None or measurement.value >= low - 1e-12, name
            assert high is None or measurement.value <= high + 1e-12, name


def with_identical_groups(predictions: Predictions, groups: int) -> Predictions:
    """The rows of the first group, once for each group."""
    own = predictions.select(predictions.group == 0)
    rows = np.tile(np.arange(len(own)), groups)
    copied = own.select(rows)
    return replace(
        copied,
        groups=tuple(f"g{code}" for code in range(groups)),
        group=np.repeat(np.arange(groups), len(own)),
    )


# A perfect model has an AUC of 1, equal groups have not; and what is equal has no background sentence to differ from.
IDEAL_FOR_EQUALS = [
    name for name in NAMES if METRICS[name].shape != "own" and METRICS[name].background != "unperturbed"
]


@pytest.mark.parametrize("name", IDEAL_FOR_EQUALS)
def test_identical_groups_give_the_ideal_value(name: str, random_predictions: Random) -> None:
    terms = (1,) if METRICS[name].counterfactual else (3,)
    predictions = random_predictions(groups=1, terms=terms, sources=30, unperturbed=False)
    for _, _, measurement in measured(with_identical_groups(predictions, 4), name):
        assert measurement.value == pytest.approx(METRICS[name].ideal, abs=1e-12), measurement.undefined


def test_identical_groups_of_several_terms_differ_between_terms() -> None:
    predictions = Predictions.of(source=["s"] * 4, group=["A", "A", "B", "B"], score=[0.2, 0.8, 0.2, 0.8])
    assert measure(predictions, ["cf_gap"])["cf_gap"]["score"].value == pytest.approx(0.3)
    assert measure(predictions, ["avg_if"])["avg_if"]["score"].value == 0.0


def with_all_groups_twice(predictions: Predictions) -> Predictions:
    rows = np.tile(np.arange(len(predictions)), 2)
    doubled = predictions.select(rows)
    code = predictions.group
    second = np.where(code < 0, code, code + len(predictions.groups))
    names = (*predictions.groups, *(f"{group} again" for group in predictions.groups))
    return replace(doubled, groups=names, group=np.concatenate([code, second]))


@pytest.mark.parametrize("name", ["fped_normalised", "fned_normalised", "avg_gf"])
def test_doubling_every_group_leaves_normalised_metrics_against_everyone(name: str, random_predictions: Random) -> None:
    predictions = random_predictions(sources=30)
    same(measure(predictions, [name]), measure(with_all_groups_twice(predictions), [name]))


@pytest.mark.parametrize("name", ["fped", "fned"])
def test_doubling_every_group_doubles_what_is_not_normalised(name: str, random_predictions: Random) -> None:
    predictions = random_predictions(sources=30)
    once, twice = measure(predictions, [name]), measure(with_all_groups_twice(predictions), [name])
    for _, label, measurement in once:
        assert twice[name][label].value == pytest.approx(2 * measurement.value)


def test_doubling_one_group_changes_a_mean_over_pairs() -> None:
    scores = [0.1, 0.3, 0.3]
    two = Predictions.of(source=["s"] * 2, group=["A", "B"], score=scores[:2])
    three = Predictions.of(source=["s"] * 3, group=["A", "B", "C"], score=scores)
    assert measure(two, ["cf_gap"])["cf_gap"]["score"].value == pytest.approx(0.2)
    assert measure(three, ["cf_gap"])["cf_gap"]["score"].value == pytest.approx(0.4 / 3)


@pytest.mark.parametrize("name", ["disparity_score", "disparity_score_normalised"])
def test_the_disparity_score_is_divided_by_groups_and_its_starred_version_by_pairs(
    name: str, random_predictions: Random
) -> None:
    found = measure(random_predictions(groups=5, sources=30), [name])[name]["c0"]
    f1 = np.array(list((found.scores or {}).values()))
    total = np.abs(f1[:, None] - f1)[np.triu_indices(5, 1)].sum()
    assert found.value == pytest.approx(total / (5 if name == "disparity_score" else 10))


def plainly(row: Metric) -> Metric:
    """The same metric without any closed form."""
    if isinstance(row.d, Between):
        return replace(row, d=replace(row.d, expected_pairs=None))
    if isinstance(row.d, OfSets):
        return replace(row, d=replace(row.d, weighted=None, expected_pairs=None))
    return replace(row, d=replace(row.d, expected_tuples=None))


@pytest.mark.parametrize("name", [name for name, row in METRICS.items() if isinstance(row, Metric)])
def test_closed_forms_agree_with_the_definitions(name: str, random_predictions: Random) -> None:
    predictions = random_predictions(groups=4)
    row = METRICS[name]
    assert isinstance(row, Metric)
    groups = SIGNED_PAIR if row.two_groups else None
    same(measured(predictions, name), measure(predictions, [plainly(row)], groups=groups))


def test_some_closed_forms_are_there_to_agree() -> None:
    assert comparisons.ABSOLUTE.expected_pairs is not None
    assert comparisons.WASSERSTEIN.weighted is not None
    assert comparisons.SPREAD.expected_tuples is not None
    assert isinstance(comparisons.DEVIATION, Among)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_describes_itself(name: str) -> None:
    row = METRICS[name]
    assert row.symbol
    assert row.source
    assert row.notion
    assert row.definition
    assert row.basis in ("predictions", "probabilities")
    assert row.shape in ("PCM", "BCM", "VBCM", "MCM", "own")
    low, high = row.range
    assert low is None or low <= row.ideal
    assert high is None or row.ideal <= high
    assert not (row.range == (0.0, 1.0) and row.signed and row.two_groups)


def test_the_page_of_metrics_names_them_all() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name, row in METRICS.items():
        assert f"| `{name}` | {row.symbol} |" in page, name
        assert row.source in page, name


def test_all_is_plain_json(random_predictions: Random) -> None:
    found = measure(random_predictions(), bootstrap=5)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(plain["metrics"]) == set(METRICS)
    for by_class in plain["metrics"].values():
        for entry in by_class.values():
            assert {"value", "by_group", "interval", "undefined"} <= set(entry)
            assert entry["value"] is not None or entry["undefined"]
            assert entry["value"] is not None or entry["interval"] is None
            assert set(entry["by_group"]) == {"g0", "g1", "g2"}
    assert set(plain["metrics"]["pert_ss"]) == {"all"}
    assert set(plain["metrics"]["cf_gap"]) == {"c0", "c1", "c2"}


def test_normalisers() -> None:
    assert [metric.one(5), metric.groups(5), metric.pairs(5)] == [1, 5, 10]


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    header = "source,group,term,gold,prob_negative,prob_positive"
    rows = [f"s{number},{group},{group}1,positive,0.{number},0.{9 - number}" for number in (1, 2) for group in "AB"]
    (tmp_path / "predictions.csv").write_text("\n".join([header, *rows]))
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 3
    exec(compile("\n".join(examples), "metrics.md", "exec"), {})  # noqa: S102
