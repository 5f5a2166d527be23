"""`evenhand rate`: rate systems through a causal lens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.rating import RatingReport


def rate(
    scores: Annotated[
        Path | None,
        typer.Option(help="A table of what others have scored: system, dataset, <attributes>, emotion, sentiment."),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="A protected attribute, a column of the table; crossed as in race+gender.")
    ] = None,
    confounder: Annotated[
        list[str] | None,
        typer.Option(help="What may decide which emotion a person meets: rates by deconfounding, else by rejections."),
    ] = None,
    levels: Annotated[int, typer.Option(help="How many levels the complete order has.")] = 3,
    preset: Annotated[str, typer.Option(help="Of the tests: stated (as the paper's text) or published.")] = "stated",
    supported_only: Annotated[
        bool, typer.Option("--supported-only", help="Adjust over the classes that met an emotion, if some never did.")
    ] = False,
    overall: Annotated[str, typer.Option(help="How several ratings become one: worst or median.")] = "worst",
    bootstrap: Annotated[int, typer.Option(help="How often persons and words are drawn again; 0: never.")] = 1000,
    seed: Annotated[int, typer.Option(help="For those draws.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
) -> None:
    """Rate systems for bias: raw scores, a partial order, and levels from 1 (least biased)."""
    if scores is None:
        raise UsageError("name a table of scores: --scores FILE")
    from evenhand.rating import rate as run
    from evenhand.rating import read_scores

    if not attribute:
        raise UsageError("name an attribute to rate by: --attribute gender")
    table = read_scores(scores, attributes=attribute, confounders=confounder or ())
    report = run(
        table,
        attributes=attribute,
        confounders=confounder,
        levels=levels,
        preset=preset,
        supported_only=supported_only,
        overall=overall,
        bootstrap=bootstrap,
        seed=seed,
    )
    _show(report, as_json=as_json)


def _show(report: RatingReport, *, as_json: bool) -> None:
    if as_json:
        typer.echo(report.to_json())
        return
    from rich.console import Console

    from evenhand.report.rating import print_ratings

    print_ratings(report, Console())
