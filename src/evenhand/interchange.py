"""Corpora, scores and results to and from what others use; each package is imported where it is asked for."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.asking import Scores
from evenhand.asking.recorded import read_predictions
from evenhand.asking.scores import METADATA as OF_SCORES
from evenhand.corpora import Corpus
from evenhand.corpora.corpus import METADATA as OF_CORPORA
from evenhand.errors import MissingExtra, UsageError
from evenhand.files.frames import table_file
from evenhand.metrics import Predictions
from evenhand.results import Result

if TYPE_CHECKING:
    import datasets
    import pandas
    import polars
    import pyarrow
    from fairlearn.metrics import MetricFrame

Thing = Corpus | Scores | Result
EXTRA = "interchange"
MOST_METRICS = 1_000


def scores_from(table: Any, corpus: Corpus, **mapping: Any) -> Scores:
    """The scores in a table of pandas, Polars, Arrow or `datasets`: a column `text` or `id`, and one for each output.

    `mapping` is that of prediction files (`name`, `low`, `high`, `outputs`, `kind` ...). Scores that were handed out by
    `to_arrow`, `to_pandas` or `to_dataset` come back as what they were.

    >>> import polars as pl
    >>> from evenhand import eec
    >>> frame = eec().frame.select("text", score=pl.lit(0.5))
    >>> scores_from(frame, eec(), name="flat").columns[0].name
    'flat/score'
    """
    with table_file(table) as path:
        return read_predictions(path, corpus, **mapping)


def to_polars(thing: Thing) -> polars.DataFrame:
    """The rows alone; `save` keeps the rest too."""
    return thing.frame if isinstance(thing, Corpus) else thing.frame()


def to_arrow(thing: Thing) -> pyarrow.Table:
    """An Arrow table; of corpora and scores, the schema holds what is needed to have them back."""
    try:
        import pyarrow  # noqa: F401 - for its absence to be told
    except ModuleNotFoundError as error:
        raise MissingExtra("to_arrow()", EXTRA) from error
    return to_polars(thing).to_arrow().replace_schema_metadata(dict(_metadata(thing)))


def to_pandas(thing: Thing) -> pandas.DataFrame:
    """A pandas frame; of corpora and scores, its `attrs` hold what is needed to have them back."""
    if isinstance(thing, Result):
        return thing.to_pandas()
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise MissingExtra("to_pandas()", "pandas") from error
    frame = pandas.DataFrame(to_polars(thing).to_dict(as_series=False))
    frame.attrs.update(_metadata(thing))
    return frame


def to_dataset(thing: Thing) -> datasets.Dataset:
    """A dataset of Hugging Face's library; nothing is fetched or uploaded."""
    try:
        import datasets
    except ModuleNotFoundError as error:
        raise MissingExtra("to_dataset()", EXTRA) from error
    about = "".join(f"{key}:{value}" for key, value in _metadata(thing).items())
    rows = to_polars(thing).to_dict(as_series=False)
    return datasets.Dataset.from_dict(rows, info=datasets.DatasetInfo(description=about))


def to_fairlearn(predictions: Predictions, metrics: Any) -> MetricFrame:
    """Fairlearn's `MetricFrame` of predictions with gold labels, by group; the sentences of no group are left out.

    `metrics` are what `MetricFrame` takes: a function of gold and predicted labels, or several by name.
    """
    try:
        from fairlearn.metrics import MetricFrame
    except ModuleNotFoundError as error:
        raise MissingExtra("to_fairlearn()", EXTRA) from error
    if predictions.gold is None or predictions.predicted is None:
        raise UsageError(
            "a MetricFrame needs the gold and the predicted class of each row; these predictions lack them"
        )
    rows = [
        (predictions.classes[gold], predictions.classes[told], predictions.groups[group])
        for gold, told, group in zip(
            predictions.gold.tolist(), predictions.predicted.tolist(), predictions.group.tolist(), strict=True
        )
        if group >= 0 and gold >= 0
    ]
    if not rows:
        raise UsageError("no row of these predictions has a group and a gold class")
    gold, told, groups = (list(column) for column in zip(*rows, strict=True))
    return MetricFrame(metrics=metrics, y_true=gold, y_pred=told, sensitive_features={"group": groups})


def log_to_mlflow(result: Result) -> None:
    """Log a result to the run of MLflow that is under way: numbers as metrics, the result as JSON, page and provenance.

    What is undefined is no metric. Metrics are called `SYSTEM.OUTPUT.ATTRIBUTE.COLUMN`, as far as a row has these.
    """
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise MissingExtra("log_to_mlflow()", EXTRA) from error
    if mlflow.active_run() is None:
        raise UsageError("no run of MLflow is under way: log within `with mlflow.start_run():`")
    mlflow.log_metrics(_numbers(result))
    about = result.provenance
    said = {"evenhand.kind": result.kind, "evenhand.systems": ", ".join(about.system_names)}
    said |= {"evenhand.corpora": ", ".join(one.name for one in about.corpora)}
    said |= {"evenhand.digest": ", ".join(one.digest for one in about.corpora)}
    mlflow.set_tags({key: value[:4_000] for key, value in said.items() if value})
    mlflow.log_text(f"{result.to_json()}\n", f"evenhand/{result.file}")
    mlflow.log_text(result.to_html(), f"evenhand/{result.kind}.html")


def _numbers(result: Result) -> dict[str, float]:
    """The numbers of the main table, by what their rows are about."""
    found: dict[str, float] = {}
    for number, row in enumerate(result.frame().iter_rows(named=True)):
        keys = ("corpus", "system", "output", "attribute", "first", "second", "subset", "question", "metric")
        parts = [str(row[key]) for key in keys if isinstance(row.get(key), str) and row[key] != "all"]
        for name, value in row.items():
            if isinstance(value, float | int) and not isinstance(value, bool) and value == value:
                called = _called(".".join([*(parts or [str(number)]), name]))
                found[called if called not in found else f"{called}.{number}"] = float(value)
    if len(found) > MOST_METRICS:
        raise UsageError(f"{len(found):,} numbers are too many to log; log those of a narrower result")
    return found


def _called(name: str) -> str:
    """A name that MLflow takes."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_-. /") else "_" for sign in name)[:250]


def _metadata(thing: Thing) -> Mapping[str, str]:
    """What is saved beside the rows of a corpus or of scores."""
    import polars as pl

    key = {Corpus: OF_CORPORA, Scores: OF_SCORES}.get(type(thing))
    if key is None or isinstance(thing, Result):
        return {}
    return {key: pl.read_parquet_metadata(io.BytesIO(thing.to_bytes()))[key]}
