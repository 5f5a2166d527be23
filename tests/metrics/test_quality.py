"""Quality by group agrees with scipy and scikit-learn; its intervals follow clusters; what is undefined says why."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import write_table
from evenhand.metrics.quality import MEASURES, REST, quality_by, read_quality_table

RNG = np.random.default_rng(5)
N = 90
GROUP = np.repeat(["women", "men", "others"], 30)
GOLD = np.round(RNG.uniform(size=N), 1)
SAID = np.round(GOLD + RNG.normal(0, np.repeat([0.1, 0.3, 0.2], 30)), 2)
CLASS = RNG.choice(["joy", "anger", "fear"], size=N)
GUESS = np.where(RNG.random(N) < np.repeat([0.9, 0.5, 0.7], 30), CLASS, RNG.choice(["joy", "anger", "none"], size=N))


def test_numbers_are_scipys_and_scikit_learns() -> None:
    found = quality_by(GROUP, GOLD, SAID, resamples=10)
    for name in ("women", "men", "others"):
        rows = np.equal(GROUP, name)
        measures = found[name].measures
        assert measures["pearson"].value == pytest.approx(stats.pearsonr(GOLD[rows], SAID[rows]).statistic)
        assert measures["spearman"].value == pytest.approx(stats.spearmanr(GOLD[rows], SAID[rows]).statistic)
        assert measures["mae"].value == pytest.approx(mean_absolute_error(GOLD[rows], SAID[rows]))
        assert measures["mean_error"].value == pytest.approx((SAID - GOLD)[rows].mean())
        assert found[name].rows == found[name].clusters == 30
    assert found.overall.measures["pearson"].value == pytest.approx(stats.pearsonr(GOLD, SAID).statistic)


def test_classes_are_scikit_learns() -> None:
    found = quality_by(GROUP, CLASS, GUESS, kind="classification", resamples=10)
    for name in ("women", "men", "others"):
        rows = np.equal(GROUP, name)
        measures = found[name].measures
        assert measures["accuracy"].value == pytest.approx(accuracy_score(CLASS[rows], GUESS[rows]))
        expected = f1_score(CLASS[rows], GUESS[rows], average="macro", zero_division=0)
        assert measures["macro_f1"].value == pytest.approx(expected)


def test_by_hand() -> None:
    # Errors of a: .1, −.3; of b: .2, .2. Accuracy of a: 1 of 2.
    found = quality_by(["a", "a", "b", "b"], [0.5, 0.6, 0.1, 0.3], [0.6, 0.3, 0.3, 0.5], resamples=5)
    assert found["a"].measures["mae"].value == pytest.approx(0.2)
    assert found["a"].measures["mean_error"].value == pytest.approx(-0.1)
    assert found["b"].measures["mean_error"].value == pytest.approx(0.2)
    assert found["b"].measures["pearson"].value == pytest.approx(1)
    assert found.difference("a", "b").measures["mean_error"].value == pytest.approx(-0.3)
    classes = quality_by(["a", "a", "b"], ["x", "y", "y"], ["x", "x", "y"], kind="classification", resamples=5)
    assert classes["a"].measures["accuracy"].value == 0.5
    # x: one right, one too many: 2/3; y: missed: 0.
    assert classes["a"].measures["macro_f1"].value == pytest.approx(1 / 3)


def test_pairs_or_the_rest() -> None:
    pairs = quality_by(GROUP, GOLD, SAID, resamples=10)
    assert [(one.first, one.second) for one in pairs.differences] == [
        ("men", "others"), ("men", "women"), ("others", "women"),
    ]  # fmt: skip
    rest = quality_by(GROUP, GOLD, SAID, against="rest", resamples=10)
    one = rest.difference("men")
    assert one.second == REST
    others = GROUP != "men"
    expected = (
        stats.pearsonr(GOLD[~others], SAID[~others]).statistic - stats.pearsonr(GOLD[others], SAID[others]).statistic
    )
    assert one.measures["pearson"].value == pytest.approx(expected)
    with pytest.raises(UsageError, match="there are men − others"):
        pairs.difference("women", "men")


def test_groups_may_be_chosen_and_ordered() -> None:
    found = quality_by(GROUP, GOLD, SAID, groups=["women", "men"], resamples=10)
    assert list(found.by_group) == ["women", "men"]
    assert [(one.first, one.second) for one in found.differences] == [("women", "men")]
    assert found.overall.rows == 60
    with pytest.raises(UsageError, match="did you mean 'women'"):
        quality_by(GROUP, GOLD, SAID, groups=["woman"])


def test_the_bootstrap_is_that_of_tables_written_out() -> None:
    """Rows are drawn within their group; the spread of the resamples is that of a plain loop."""
    found = quality_by(GROUP, GOLD, SAID, resamples=3000, seed=2)
    rng = np.random.default_rng(0)
    gold, said = GOLD[GROUP == "men"], SAID[GROUP == "men"]
    draws = [rng.integers(0, 30, 30) for _ in range(3000)]
    for name, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        plain = np.quantile([of(gold[rows], said[rows]).statistic for rows in draws], [0.025, 0.975])
        assert found["men"].measures[name].interval == pytest.approx(tuple(plain), abs=0.02)


def test_intervals_are_seeded_and_do_not_depend_on_the_order_of_rows() -> None:
    author = [f"a{place // 3}" for place in range(N)]
    order = np.random.default_rng(3).permutation(N)
    for cluster in (None, author):
        forth = quality_by(GROUP, GOLD, SAID, cluster=cluster, resamples=100)
        shuffled = quality_by(
            GROUP[order], GOLD[order], SAID[order],
            cluster=None if cluster is None else [author[place] for place in order], resamples=100,
        )  # fmt: skip
        assert forth.to_dict() == shuffled.to_dict()
        other = quality_by(GROUP, GOLD, SAID, cluster=cluster, resamples=100, seed=1)
        assert other["men"].measures["mae"].interval != forth["men"].measures["mae"].interval


def test_texts_of_one_author_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    author = np.repeat(np.arange(40), 25)
    group = np.repeat(["a", "b"], 500)
    gold = rng.normal(size=1000)
    said = gold + rng.normal(size=40)[author]
    alone, together = (
        quality_by(group, gold, said, cluster=cluster, resamples=400).difference("a", "b").measures["mean_error"]
        for cluster in (None, author)
    )
    assert together.value == pytest.approx(alone.value)
    assert np.diff(together.interval)[0] > 3 * np.diff(alone.interval)[0]


def test_sources_that_groups_share_pair_the_differences() -> None:
    """The same texts about both groups: what a text adds to both falls out of the difference."""
    rng = np.random.default_rng(0)
    source = np.tile(np.arange(100), 2)
    group = np.repeat(["a", "b"], 100)
    gold = rng.normal(size=100)[source]
    said = gold + rng.normal(size=100)[source] + 0.1 * rng.normal(size=200)
    paired = quality_by(group, gold, said, cluster=source, resamples=400).difference("a", "b").measures["mean_error"]
    apart = quality_by(group, gold, said, resamples=400).difference("a", "b").measures["mean_error"]
    assert np.diff(paired.interval)[0] < 0.3 * np.diff(apart.interval)[0]


def test_rows_without_a_group_are_left_out_and_counted() -> None:
    group = ["a", "a", None, "b", "", float("nan")]
    found = quality_by(group, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.1, 0.3, 9, 0.5, 9, 9], resamples=10)
    assert found.left_out == 3
    assert found.overall.rows == 3


def test_what_is_undefined_says_why() -> None:
    found = quality_by(["a", "a", "b", "c", "c"], [0.1, 0.1, 0.3, 0.4, 0.5], [0.2, 0.3, 0.4, 0.5, 0.1], resamples=50)
    flat, alone = found["a"].measures["pearson"], found["b"].measures["mae"]
    assert flat.value is None
    assert "does not vary" in flat.undefined["value"]
    assert alone.value == pytest.approx(0.1)
    assert alone.interval is None
    assert "one row" in alone.undefined["interval"]
    # Two rows: half of the resamples hold one of them twice, and have no correlation.
    two = found["c"].measures["pearson"]
    assert two.value == pytest.approx(-1)
    assert two.undefined["interval"] == "too many resamples have no value"
    assert found.difference("a", "c").measures["pearson"].value is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_group_has_no_differences() -> None:
    for against in ("pairs", "rest"):
        assert quality_by(["a"] * 5, range(5), range(5), against=against, resamples=10).differences == ()


@pytest.mark.parametrize(("columns", "settings", "said"), [
    ((["a"], [1, 2], [1]), {}, "gold has 2 entries where group has 1"),
    ((["a"], ["x"], [1]), {}, "gold holds something that is not a number"),
    ((["a", "a"], [1, 2], [1, float("nan")]), {}, "predicted, row 2: not a finite number"),
    ((["a", "a"], ["x", None], ["x", "x"]), {"kind": "classification"}, "gold, row 2: the value is missing"),
    ((["a", "a"], [1, 2], [1, 2]), {"cluster": ["x", ""]}, "cluster, row 2: the value is missing"),
    (([None], [1], [1]), {}, "no row has a group"),
    ((["a"], [1], [1]), {"kind": "ordinal"}, "unknown kind 'ordinal'"),
    ((["a"], [1], [1]), {"against": "all"}, "unknown comparison 'all'"),
    ((["a"], [1], [1]), {"level": 95}, "level must lie between"),
])  # fmt: skip
def test_wrong_input_is_refused(columns: tuple[list[object], ...], settings: dict[str, object], said: str) -> None:
    with pytest.raises(EvenhandError, match=said):
        quality_by(*columns, **settings)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_table_gives_the_same(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"gender": GROUP, "rated": GOLD, "score": SAID, "author": [f"a{n // 2}" for n in range(N)]})
    write_table(frame, tmp_path / f"texts{ending}")
    found = read_quality_table(
        tmp_path / f"texts{ending}", by="gender", gold="rated", predicted="score", cluster="author", resamples=20
    )
    assert found == quality_by(GROUP, GOLD, SAID, cluster=frame["author"].to_list(), resamples=20)


def test_a_table_of_classes(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"by": GROUP, "gold": CLASS, "predicted": GUESS}), tmp_path / "t.csv")
    found = read_quality_table(tmp_path / "t.csv", by="by", kind="classification", against="rest", resamples=20)
    assert found == quality_by(GROUP, CLASS, GUESS, kind="classification", against="rest", resamples=20)


def test_series_of_pandas_and_polars_are_columns_too() -> None:
    plain = quality_by(GROUP, GOLD, SAID, resamples=20)
    for make in (pl.Series, lambda values: pd.Series(values, index=range(1000, 1000 + N))):
        assert quality_by(make(GROUP), make(GOLD), make(SAID), resamples=20) == plain


@pytest.mark.parametrize(("text", "settings", "said"), [
    ("g,gold,predicted\na,1,2\n", {"by": "group"}, "no column 'group'"),
    ("group,gold,predicted\na,1,2\nb,x,2\n", {}, r"line 3, column 'gold': \"x\" is not a number"),
    ("group,gold,predicted\na,1,2\nb,1,\n", {}, "line 3, column 'predicted': the value is missing"),
    ("group,gold,predicted\na,1,2\nb,1,inf\n", {}, "line 3, column 'predicted'"),
])  # fmt: skip
def test_what_is_wrong_in_a_table_is_named_with_its_line(
    tmp_path: Path, text: str, settings: dict[str, str], said: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(EvenhandError, match=said):
        read_quality_table(tmp_path / "t.csv", **({"by": "group"} | settings))


def test_rows_of_a_table_without_a_group_need_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("group,gold,predicted\na,1,2\n,x,\na,3,5\n")
    assert read_quality_table(tmp_path / "t.csv", by="group", resamples=5).left_out == 1


def test_all_measures_are_there() -> None:
    assert tuple(quality_by(GROUP, GOLD, SAID, resamples=5).overall.measures) == MEASURES["regression"]
    found = quality_by(GROUP, CLASS, GUESS, kind="classification", resamples=5)
    assert tuple(found.overall.measures) == MEASURES["classification"]


@pytest.mark.slow
def test_intervals_cover_the_true_difference() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(300):
        gold = rng.normal(size=200)
        said = gold + rng.normal(0, 1, 200) + np.repeat([0.5, 0.0], 100)
        found = quality_by(np.repeat(["a", "b"], 100), gold, said, resamples=400, seed=seed)
        low, high = found.difference("a", "b").measures["mean_error"].interval
        covered += low <= 0.5 <= high
    assert 0.91 <= covered / 300 <= 0.98
