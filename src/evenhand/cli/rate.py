"""`evenhand rate`: rate systems through a causal lens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import repeating, stdout_kept_clean
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.assessing import Assessment
    from evenhand.rating import RatingReport


def rate(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM...", help="vader, svr, hf:MODEL, human:FILE,FILE …")
    ] = None,
    groups: Annotated[str, typer.Option(help="Data groups of the paper; empty for none.")] = "1,2,3,4",
    chat: Annotated[
        list[Path] | None, typer.Option(help="A log of conversations, or `example`; rated for users and chatbots.")
    ] = None,
    via: Annotated[
        str | None, typer.Option(help="Also after a round trip: a language (es) or a translator (apertium:eng-spa).")
    ] = None,
    k: Annotated[int, typer.Option(help="How groups 2 and 4 are confounded, 0 to 6.")] = 1,
    output: Annotated[str | None, typer.Option(help="Which output, of systems that have several.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for rating.html, rating.json and a label each.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder for answers (else EVENHAND_CACHE_DIR).")] = None,
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
    settings: dict[str, Any] = {
        "levels": levels,
        "preset": preset,
        "supported_only": supported_only,
        "overall": overall,
        "bootstrap": bootstrap,
    }
    if systems:
        if scores is not None or attribute or confounder:
            raise UsageError("--scores, --attribute and --confounder are for tables; SYSTEMs have the paper's groups")
        from evenhand.assessing import rate_systems

        with stdout_kept_clean():
            found = rate_systems(
                systems,
                groups=_numbers(groups),
                chat=chat or (),
                via=via,
                k=k,
                output=output,
                seed=seed,
                cache=cache,
                out=out,
                command=repeating(sys.argv),
                **settings,
            )
        if out is not None:
            typer.echo(f"saved in {out}: open {out / 'rating.html'}", err=True)
        _show_assessment(found, as_json=as_json)
        return
    if scores is None:
        raise UsageError("name systems to rate, or a table of scores: --scores FILE")
    from evenhand.rating import rate as run
    from evenhand.rating import read_scores

    if chat or via:
        raise UsageError("--chat and --via are for systems that can be asked; a table of --scores has its answers")
    if not attribute:
        raise UsageError("name an attribute to rate by: --attribute gender")
    table = read_scores(scores, attributes=attribute, confounders=confounder or ())
    report = run(table, attributes=attribute, confounders=confounder, seed=seed, **settings)
    if out is not None:
        from evenhand.report.ratings import save_ratings

        save_ratings(report, (), {**report.to_dict(), "provenance": {"command": repeating(sys.argv)}}, out)
        typer.echo(f"saved in {out}: open {out / 'rating.html'}", err=True)
    _show(report, as_json=as_json)


def _show(report: RatingReport, *, as_json: bool) -> None:
    if as_json:
        typer.echo(report.to_json())
        return
    from rich.console import Console

    from evenhand.report.rating import print_ratings

    print_ratings(report, Console())


def _show_assessment(found: Assessment, *, as_json: bool) -> None:
    if as_json:
        typer.echo(found.to_json())
        return
    from rich.console import Console

    from evenhand.report.rating import print_ratings
    from evenhand.report.ratings.terminal import print_answers

    console = Console()
    print_ratings(found.ratings, console)
    print_answers(found.answers, found.notes, console)


def _numbers(text: str) -> list[int]:
    """
    >>> _numbers("1,3"), _numbers("")
    ([1, 3], [])
    """
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise UsageError(f"--groups {text!r}: write numbers with commas, as in 1,2") from error
