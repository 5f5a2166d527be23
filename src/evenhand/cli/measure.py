"""`evenhand measure`: fairness metrics of existing predictions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson, Overwrite, names, refuse_given, repeating, shows_results, takes_statement
from evenhand.errors import UsageError
from evenhand.files.json_text import json_text
from evenhand.printing import tell_json

if TYPE_CHECKING:
    from evenhand.cli.show import Shown
    from evenhand.measuring import MeasureSettings
    from evenhand.metrics.quality_rows import Kind
    from evenhand.results import Statement

KINDS: dict[str, Kind] = {
    "binary": "classification",
    "multiclass": "classification",
    "regression": "regression",
}
"""What a task's predictions are, where quality is asked for."""

QUALITY_TAKES = ("path", "by", "gold", "task", "cluster", "bootstrap", "level", "seed", "as_json")
"""What applies where quality is asked for."""

TASKS = ("binary", "multiclass", "regression", "ordinal", "tagging")


@shows_results
@takes_statement
def measure(
    ctx: typer.Context,
    path: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCORES_OR_PREDICTIONS",
            help="A saved audit; a table with source, group, term, gold and prob_<class> (or pred, or score); "
            "several tables, one for each model; or tags.",
        ),
    ],
    attribute: Annotated[list[str] | None, typer.Option(help="Attributes to compare. Default: all.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="Metrics by name; `evenhand metrics` lists them.")] = None,
    task: Annotated[str | None, typer.Option(help=f"Measure what is advised for a task: {', '.join(TASKS)}.")] = None,
    groups: Annotated[str | None, typer.Option(help="A,B: only these, in this order, for signed metrics.")] = None,
    background: Annotated[
        str | None, typer.Option(help="Compare each group with: everyone, rest, unperturbed, or one group by name.")
    ] = None,
    weight: Annotated[str, typer.Option(help="sources: every source counts the same; tuples: pool them.")] = "sources",
    sample: Annotated[int | None, typer.Option(help="Draw this many tuples per source, not all.")] = None,
    bootstrap: Annotated[int, typer.Option(help="Resamples for intervals; 0 for none.")] = 1000,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    relabellings: Annotated[
        int, typer.Option(help="Deals of the terms to other groups, for what a fair system would get; 0 for none.")
    ] = 500,
    alpha: Annotated[float, typer.Option(help="Significance level of the tests.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Random seed for resamples and samples.")] = 0,
    scheme: Annotated[str | None, typer.Option(help="Tagging scheme: BILOU, BIO or IOBES. Default: detected.")] = None,
    by: Annotated[
        str | None, typer.Option(help="A column of groups: show the quality for each of them, instead of metrics.")
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(help="'A < B' or 'A > B: class': B should score higher (lower) in every source."),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="For a parser's trees (.conllu): the gold trees, whose comments name groups.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="With --by: a column, such as the author, whose rows are resampled together.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for metrics.html, .json and .csv, and figures.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    *,
    statement: Statement,
    shown: Shown,
) -> None:
    """Measure predictions by group: metrics, tests and failing examples."""
    from evenhand.cli.show import show_saved
    from evenhand.measuring import MeasureSettings
    from evenhand.verbs.measure import measure as run

    if by is not None:
        refuse_given(ctx, QUALITY_TAKES, "with --by, which gives quality by group")
        if task is not None and task not in KINDS:
            raise UsageError(f"--by takes the tasks {', '.join(KINDS)}, not {task!r}")
        kind = None if task is None else KINDS[task]
        settings = MeasureSettings(seed=seed, bootstrap=bootstrap, level=level)
        if len(path) > 1:
            raise UsageError("--by takes one file of predictions")
        _show_quality(path[0], by, kind, settings, cluster, gold, as_json=as_json)
        return
    if cluster is not None:
        raise UsageError("--cluster needs --by")
    if metric and task:
        raise UsageError("give --metric or --task, not both")
    chosen = names(groups)
    settings = MeasureSettings(
        metrics=tuple(metric) if metric else _advised(task),
        groups=None if chosen is None else tuple(chosen),
        background=background,
        weight=weight,
        sample=sample,
        seed=seed,
        bootstrap=bootstrap,
        level=level,
        relabellings=relabellings,
        alpha=alpha,
        scheme=scheme,
        expectations=tuple(expect or ()),
    )
    found = run(
        path[0] if len(path) == 1 else path,
        gold=gold,
        attributes=attribute,
        settings=settings,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        statement=statement,
    )
    show_saved(found, out, shown, as_json=as_json)


def _show_quality(
    path: Path,
    by: str,
    kind: Kind | None,
    settings: MeasureSettings,
    cluster: str | None,
    gold: Path | None,
    *,
    as_json: bool,
) -> None:
    from evenhand.measuring import quality_of_file

    found = quality_of_file(path, by=by, kind=kind, settings=settings, cluster=cluster, gold=gold)
    if as_json:
        tell_json(json_text({"by": by, **found.to_dict()}, indent=2))
        return
    from evenhand.printing import console_of
    from evenhand.report.metrics.quality import print_quality

    print_quality(found, by, console_of())


def metrics(
    as_json: AsJson = False,
) -> None:
    """List the metrics: name, shape, what each looks at, its ideal value and its source."""
    from evenhand.printing import console_of
    from evenhand.report.metrics.catalogue import metrics_as_json, print_metrics

    if as_json:
        tell_json(metrics_as_json())
    else:
        print_metrics(console_of())


def _advised(task: str | None) -> tuple[str, ...] | None:
    if task is None:
        return None
    if task not in TASKS:
        raise UsageError(f"unknown task {task!r}; known: {', '.join(TASKS)}")
    from evenhand.metrics.advice import metrics_for_task

    return metrics_for_task(task)
