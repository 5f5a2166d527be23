"""`evenhand rate`: rate systems through a causal lens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import (
    FLAGS,
    AsJson,
    Overwrite,
    asks_systems,
    repeating,
    shows_results,
    takes_statement,
)
from evenhand.errors import UsageError
from evenhand.settings import short, whole_number

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown
    from evenhand.results import Statement

ALL_GROUPS = "1,2,3,4"
TABLES = "for tables of scores alone; systems are rated on the data groups and on conversations"
SYSTEMS = "for systems that can be asked; a table of --scores has its answers"


@shows_results
@takes_statement
@asks_systems
def rate(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM...", help="vader, svr, hf:MODEL, human:FILE,FILE …")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help=f"Data groups of the paper, empty for none ({ALL_GROUPS}).")
    ] = None,
    chat: Annotated[
        list[Path] | None, typer.Option(help="A log of conversations, or `example`; rated for users and chatbots.")
    ] = None,
    via: Annotated[
        list[str] | None,
        typer.Option(
            help="Also after a round trip: a language (es) or a translator (apertium:eng-spa). May be repeated."
        ),
    ] = None,
    k: Annotated[int | None, typer.Option(help="How groups 2 and 4 are confounded, 0 to 6 (1).")] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            help="How their words are drawn: complete (every class meets every emotion) or published (by chance "
            "alone); as the preset says, if not given."
        ),
    ] = None,
    output: Annotated[str | None, typer.Option(help="Which output, of systems that have several.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for rating.html, rating.json and a label each.")] = None,
    overwrite: Overwrite = False,
    scores: Annotated[
        Path | None,
        typer.Option(
            help="A table of what others have scored: system, dataset, <attributes>, emotion, sentiment; or a folder "
            "with a file for each group and system."
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help="What paths, columns and codes of a folder of scores mean (as in the authors' files)."),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="A protected attribute, a column of the table; crossed as in race+gender.")
    ] = None,
    confounder: Annotated[
        list[str] | None,
        typer.Option(help="What may decide which emotion a person meets: rates by deconfounding, else by rejections."),
    ] = None,
    levels: Annotated[int, typer.Option(help="How many levels there are.")] = 3,
    preset: Annotated[
        str, typer.Option(help="Of tests and draws: stated (as the paper's text) or published (as its numbers).")
    ] = "stated",
    confidence: Annotated[
        str | None, typer.Option(metavar="PERCENT,...", help="Confidence levels of the tests (95,70,60).")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="WEIGHT,...", help="What a rejection at each level counts (1,0.8,0.6).")
    ] = None,
    supported_only: Annotated[
        bool, typer.Option("--supported-only", help="Adjust over the classes that met an emotion, if some never did.")
    ] = False,
    overall: Annotated[str, typer.Option(help="How several ratings become one: worst or median.")] = "worst",
    bootstrap: Annotated[int, typer.Option(help="How often persons and words are drawn again; 0: never.")] = 1000,
    seed: Annotated[int, typer.Option(help="For those draws, and for relabelling.")] = 0,
    as_json: AsJson = False,
    *,
    how: AskOptions,
    statement: Statement,
    shown: Shown,
) -> None:
    """Rate systems for bias: raw scores, their order, and levels from 1 that do not depend on the other systems."""
    from evenhand.cli.show import found_by, show_saved

    common: dict[str, Any] = {
        "levels": levels,
        "supported_only": supported_only,
        "overall": overall,
        "bootstrap": bootstrap,
        "preset": preset,
        "confidence": _listed("--confidence", confidence),
        "weights": _listed("--weights", weights),
        "seed": seed,
        "out": out,
        "overwrite": overwrite,
        "command": repeating(sys.argv),
        "statement": statement,
    }
    if systems:
        tabled = {"--scores": scores, "--mapping": mapping, "--attribute": attribute, "--confounder": confounder}
        _refuse(tabled, TABLES)
        from evenhand.verbs.rate import rate as rate_systems

        found = found_by(
            rate_systems,
            systems,
            groups=numbers_of(ALL_GROUPS if groups is None else groups),
            chat=chat or (),
            via=via or (),
            k=k,
            draw=draw,
            output=output,
            **common,
            **how,
        )
    elif scores is None:
        raise UsageError("name systems to rate, or a table of scores: --scores FILE")
    else:
        asked = {"--groups": groups, "--chat": chat, "--via": via, "--k": k, "--draw": draw, "--output": output}
        _refuse(asked, SYSTEMS)
        _refuse({FLAGS[name]: value for name, value in how.items()}, SYSTEMS)
        if not attribute and not scores.is_dir():
            raise UsageError("name an attribute to rate by: --attribute gender")
        if supported_only and not confounder and not scores.is_dir():
            raise UsageError("--supported-only is for deconfounding: give a --confounder")
        from evenhand.rating import rate_scores

        found = rate_scores(
            scores,
            attributes=attribute or (),
            confounders=confounder,
            mapping=mapping,
            **common,
        )
    show_saved(found, out, shown, as_json=as_json)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Say which options do not apply, if any was given."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise UsageError(f"{' and '.join(given)}: {why}")


def numbers_of(text: str) -> list[int]:
    """
    >>> numbers_of("1,3"), numbers_of("")
    ([1, 3], [])
    """
    try:
        return [whole_number(part, "--groups") for part in text.split(",") if part.strip()]
    except UsageError as error:
        raise UsageError(f"{error}; write numbers with commas, as in 1,2") from error


def _listed(option: str, text: str | None) -> list[float] | None:
    """
    >>> _listed("--confidence", "95,70"), _listed("--confidence", None)
    ([95.0, 70.0], None)
    """
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise UsageError(f"{option} {short(text)!r}: write numbers with commas, as in 95,70,60") from error
