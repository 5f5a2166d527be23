"""Corpora, scores and results to and from pandas, Polars, Arrow and datasets; fairlearn; MLflow: the real packages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand import EvenhandError, Predictions, UsageError, audit, eec, load_corpus, score
from evenhand.interchange import (
    log_to_mlflow,
    scores_from,
    to_arrow,
    to_dataset,
    to_fairlearn,
    to_pandas,
    to_polars,
)
from evenhand.specs.resolving import resolve

FRIENDS = Path(__file__).parent / "promises" / "saved" / "friends.yaml"
CORPUS = load_corpus(FRIENDS)
WAYS: dict[str, Callable[[Any], Any]] = {"arrow": to_arrow, "pandas": to_pandas, "dataset": to_dataset}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1"}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is fetched, and nothing is told to anybody."""
    for name, value in {**OFFLINE, "HF_HOME": str(tmp_path / "hf"), "MLFLOW_ALLOW_FILE_STORE": "true"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("way", WAYS)
def test_a_corpus_comes_back_as_what_it_was(way: str) -> None:
    there = WAYS[way](CORPUS)
    back = load_corpus(there)
    assert back.digest == CORPUS.digest
    assert (back.name, back.attributes, back.labels) == (CORPUS.name, CORPUS.attributes, CORPUS.labels)


@pytest.mark.parametrize("way", WAYS)
def test_scores_come_back_as_what_they_were(way: str) -> None:
    scores = score([resolve("planted(gap=0.05, noise=0.01)", CORPUS)], CORPUS, progress=False)
    back = scores_from(WAYS[way](scores), CORPUS)
    assert np.array_equal(back.matrix, scores.matrix)
    assert back.columns == scores.columns


def table(kind: str) -> Any:
    """The bare columns of a user's own table, in each of the packages."""
    import datasets
    import pandas
    import pyarrow

    rows = CORPUS.frame.select("text", "source", "person", "gender", n=pl.lit(1)).to_dict(as_series=False)
    made: dict[str, Callable[[dict[str, Any]], Any]] = {
        "polars": pl.DataFrame,
        "lazy": pl.LazyFrame,
        "pandas": pandas.DataFrame,
        "categories": lambda given: pandas.DataFrame(given).astype({"gender": "category"}),
        "arrow": pyarrow.table,
        "batches": lambda given: pyarrow.table(given).to_reader(),
        "dataset": datasets.Dataset.from_dict,
        "chosen rows": lambda given: datasets.Dataset.from_dict(
            {name: ["x", *column] if name != "n" else [0, *column] for name, column in given.items()}
        ).select(range(1, len(CORPUS) + 1)),
    }
    return made[kind](rows)


KINDS = ("polars", "lazy", "pandas", "categories", "arrow", "batches", "dataset", "chosen rows")


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_ones_own_is_a_corpus(kind: str) -> None:
    made = load_corpus(table(kind))
    assert len(made) == len(CORPUS)
    assert made.attributes == {"gender": tuple(CORPUS.frame["gender"].unique(maintain_order=True))}
    assert made.frame["text"].to_list() == CORPUS.frame["text"].to_list()


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_it_can_be_audited_as_it_is(kind: str) -> None:
    assert audit("vader", table(kind), attributes="gender", progress=False).corpus is not None


def test_pandas_without_pyarrow_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    def refused(*_: object, **__: object) -> None:
        raise ImportError("pyarrow is not installed")

    frame = table("pandas")
    frame.loc[0, "person"] = None
    monkeypatch.setattr(pandas.DataFrame, "__arrow_c_stream__", refused)
    assert load_corpus(table("pandas")).attributes == load_corpus(table("polars")).attributes


def test_scores_that_were_made_elsewhere_are_audited() -> None:
    frame = to_pandas(CORPUS)
    frame["mine"] = [0.5 + 0.1 * (group == "female") for group in frame["gender"]]
    scores = scores_from(frame[["text", "mine"]], CORPUS, name="elsewhere")
    assert [(column.system, column.output.name) for column in scores.columns] == [("elsewhere", "mine")]
    (finding,) = audit(scores, CORPUS, attributes="gender", progress=False).findings
    assert finding.mean_difference == pytest.approx(0.1 if finding.first == "female" else -0.1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (42, "a corpus is a name, a file or a table, not int"),
        ({"train": 1}, "a table is needed, not several: name one of train"),
        (pl.DataFrame({"a": [1]}), "the table: .*text"),
    ],
)
def test_what_is_no_corpus_is_told_in_one_line(given: object, said: str) -> None:
    with pytest.raises(EvenhandError, match=said) as told:
        load_corpus(given)
    assert "/tmp" not in str(told.value)  # noqa: S108
    assert "\n" not in str(told.value)


def test_several_splits_are_refused_by_their_names() -> None:
    import datasets

    with pytest.raises(UsageError, match="name one of train, test"):
        load_corpus(datasets.DatasetDict({"train": table("dataset"), "test": table("dataset")}))


def test_results_are_tables_too() -> None:
    found = audit("planted(gap=0.05)", CORPUS, progress=False)
    assert to_arrow(found).num_rows == to_pandas(found).shape[0] == to_dataset(found).num_rows == len(found.findings)
    assert to_polars(found).equals(found.frame())
    assert to_arrow(found).column("verdict").to_pylist() == [one.verdict for one in found.findings]


def test_fairlearn_finds_the_rates_that_are_counted_by_hand() -> None:
    from fairlearn.metrics import selection_rate

    predictions = Predictions.of(
        source=["s", "s", "t", "t", "t"],
        group=["x", "y", "x", "y", None],
        term=["a", "b", "a", "b", ""],
        gold=["yes", "yes", "no", "no", "no"],
        predicted=["yes", "no", "yes", "no", "yes"],
    )
    frame = to_fairlearn(predictions, lambda gold, told: selection_rate(gold, told, pos_label="yes"))
    assert frame.by_group.to_dict() == {"x": 1.0, "y": 0.0}
    assert (frame.overall, frame.difference()) == (0.5, 1.0)


@pytest.mark.slow
def test_mlflow_keeps_numbers_json_and_page(tmp_path: Path) -> None:
    """In a process of its own, as MLflow starts threads and warns."""
    code = f"""
import mlflow
from evenhand import audit
from evenhand.interchange import log_to_mlflow
mlflow.set_tracking_uri({(tmp_path / "runs").as_uri()!r})
found = audit("planted(gap=0.05)", {str(FRIENDS)!r}, attributes="gender", progress=False)
try:
    log_to_mlflow(found)
except Exception as error:
    print(error)
with mlflow.start_run() as run:
    log_to_mlflow(found)
kept = mlflow.get_run(run.info.run_id).data
print(kept.tags["evenhand.kind"], kept.tags["evenhand.systems"])
print([value for name, value in kept.metrics.items() if name.endswith("gender.female.male.mean_difference")])
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused, tags, gap = done.stdout.splitlines()
    assert "no run of MLflow is under way" in refused
    assert tags == "audit planted(gap=0.05)"
    assert json.loads(gap) == [pytest.approx(0.05)]
    kept = {path.name for path in (tmp_path / "runs").rglob("evenhand/*")}
    assert kept == {"report.json", "audit.html"}


def test_nothing_is_imported_until_it_is_asked_for() -> None:
    heavy = "{'pandas', 'pyarrow', 'datasets', 'fairlearn', 'mlflow'}"
    code = f"import sys, evenhand.interchange; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_published_corpus_survives_the_way(tmp_path: Path) -> None:
    assert load_corpus(to_arrow(eec())).digest == eec().digest
    with pytest.raises(UsageError, match="MLflow is under way"):
        log_to_mlflow(audit("planted(gap=0.05)", CORPUS, progress=False))


def test_what_the_page_shows_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for MLflow, which runs above in a process of its own."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parent.parent / "docs" / "interchange.md").read_text(encoding="utf-8")
    tables, fairlearn, mlflow = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    for code in (tables, fairlearn):
        exec(compile(code, "interchange.md", "exec"), {})  # noqa: S102
    assert "log_to_mlflow" in mlflow
