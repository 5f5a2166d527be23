"""Corpora, scores and results to and from what others use; each package is imported where it is asked for."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
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
    import inspect_ai
    import pandas
    import polars
    import pyarrow
    from fairlearn.metrics import MetricFrame

Thing = Corpus | Scores | Result
EXTRA = "interchange"
MOST_METRICS = 1_000
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w%])")
TEMPLATE = (
    "How positive is the feeling in this text, from {low} (most negative) to {high} (most positive)? Answer with one "
    "number and nothing else.\n\n{text}"
)


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


def to_inspect(corpus: Corpus, *, template: str = TEMPLATE, low: float = 0.0, high: float = 1.0) -> inspect_ai.Task:
    """A task of `inspect_ai` that asks a model for a number about each text of a corpus, with its groups as metadata.

    `template` has `{text}` in it, and may have `{low}` and `{high}`. An answer that holds no number within these bounds
    is undefined, never 0. `scores_from_inspect` reads the log of a run.
    """
    try:
        from inspect_ai import Task
        from inspect_ai.dataset import MemoryDataset, Sample
        from inspect_ai.scorer import Score, Target, grouped, mean, scorer, stderr
        from inspect_ai.solver import TaskState, generate
    except ModuleNotFoundError as error:
        raise UsageError("to_inspect() needs inspect_ai: pip install inspect-ai") from error
    if "{text}" not in template:
        raise UsageError("the template of a task needs {text}, where each text goes")

    def number() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            value = _number_in(state.output.completion, low, high)
            return Score(value=float("nan") if value is None else value, answer=state.output.completion)

        return score

    scored = scorer(metrics=[*(grouped(mean(), one) for one in corpus.attributes), stderr()])
    asked = {"{low}": f"{low:g}", "{high}": f"{high:g}"}
    for name, value in asked.items():
        template = template.replace(name, value)
    samples = [
        Sample(
            id=str(row["id"]),
            input=template.replace("{text}", row["text"]),
            metadata={one: row[one] or "" for one in ("source", "person", *corpus.attributes)},
        )
        for row in corpus.frame.iter_rows(named=True)
    ]
    about = {"evenhand": {"corpus": corpus.name, "digest": corpus.digest, "low": low, "high": high}}
    return Task(
        dataset=MemoryDataset(samples, name=corpus.name),
        solver=generate(),
        scorer=scored(number)(),
        name=corpus.name,
        metadata=about,
    )


def scores_from_inspect(log: Any, corpus: Corpus, *, name: str | None = None) -> Scores:
    """The scores in the log of a task that `to_inspect` made: an `EvalLog`, or the file it was written to.

    Where a text was asked several times, its answers are averaged. A text without a number that could be read has no
    score, and such logs are refused with the first of them.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError as error:
        raise UsageError("scores_from_inspect() needs inspect_ai: pip install inspect-ai") from error
    import polars as pl

    read = read_eval_log(str(log)) if isinstance(log, str | Path) else log
    about = (read.eval.metadata or {}).get("evenhand", {})
    if about.get("digest") != corpus.digest:
        raise UsageError(
            f"the log is of another corpus than {corpus.name!r}, or of a task that to_inspect() did not make"
        )
    rows = [
        {"id": str(one.id), "number": value.value}
        for one in read.samples or ()
        for value in (one.scores or {}).values()
    ]
    unread = next(
        (one["id"] for one in rows if not isinstance(one["number"], float | int) or one["number"] != one["number"]),
        None,
    )
    if unread is not None:
        raise UsageError(f"the answer about {unread!r} holds no number from {about['low']:g} to {about['high']:g}")
    if not rows:
        raise UsageError(f"the log has no scored samples (status: {read.status})")
    table = (
        pl.DataFrame(rows).with_columns(pl.col("number").cast(pl.Float64)).group_by("id", maintain_order=True).mean()
    )
    return scores_from(table, corpus, name=name or read.eval.model, low=about["low"], high=about["high"])


def _number_in(answer: str, low: float, high: float) -> float | None:
    """The only number of an answer, if it has one and that lies within the bounds.

    >>> _number_in("I'd say 0.7.", 0, 1), _number_in("Between 2 and 3", 1, 5), _number_in("7", 1, 5)
    (0.7, None, None)
    """
    found = NUMBER.findall(answer)
    if len(found) != 1 or not low <= float(found[0]) <= high:
        return None
    return float(found[0])


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
