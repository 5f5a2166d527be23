"""`evenhand plan`: what an audit would take, before it is made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    Alpha,
    AsJson,
    Budget,
    MaxCost,
    NameDraw,
    Overwrite,
    Price,
    Strength,
    WaveSizes,
    asks_systems,
    repeating,
    shows_results,
    wave_sizes,
)
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown


@shows_results
@asks_systems
def plan(
    systems: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SYSTEM]...", help="Systems to ask in a pilot; see `evenhand systems`."),
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", metavar="SYSTEM", help="A system, named as an option.")
    ] = None,
    corpus: Annotated[str, typer.Option(help="A corpus whose sentences take names, or a recipe (.yaml).")] = "eec",
    attribute: Annotated[list[str] | None, typer.Option(help="What to compare by: gender, race. Default: all.")] = None,
    delta: Annotated[float, typer.Option(help="The tolerance, as a share of an output's range.")] = 0.01,
    gap: Annotated[
        list[float] | None,
        typer.Option(help="A gap to plan for, as a share of the range, besides 0, δ/2, δ, 2δ and the pilot's."),
    ] = None,
    spread: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER,…",
            help="How much scores vary, as shares of the range, instead of a pilot: names, noise, name-template, "
            "template, word.",
        ),
    ] = None,
    pilot: Annotated[int | None, typer.Option(help="At most so many calls for each system. [default: 200]")] = None,
    power: Annotated[float, typer.Option(help="The chance of a verdict to plan for.")] = 0.8,
    alpha: Alpha = 0.05,
    names: NameDraw = None,
    strength: Strength = None,
    waves: WaveSizes = None,
    budget: Budget = None,
    price: Price = None,
    max_cost: MaxCost = None,
    out: Annotated[Path | None, typer.Option(help="Folder for plan.html, plan.json and plan.csv.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option(help="For the draw of names and the simulation.")] = 0,
    *,
    how: AskOptions,
    shown: Shown,
) -> None:
    """Say how many names, sentences and calls an audit of SYSTEMs takes, and how likely each verdict is."""
    from evenhand.cli.audit import affordable
    from evenhand.cli.show import found_by, show_saved
    from evenhand.comparing import Settings
    from evenhand.corpora.asked_names import read_names
    from evenhand.planning import read_spreads
    from evenhand.settings import check_equivalence
    from evenhand.verbs.plan import plan as run

    check_equivalence(delta, "--delta, a share of the range,")
    if any(part.strip().isdecimal() for one in names or [] for part in one.split(",")):
        raise UsageError("--names: give matched or unmatched; how many names it takes is what the plan finds out")
    drawn = None if names is None and strength is None else read_names(names or [], strength=strength)
    found = found_by(
        run,
        [*(systems or []), *(system or [])],
        corpus,
        spreads=None if spread is None else read_spreads(spread),
        attributes=attribute,
        gaps=gap or (),
        power=power,
        pilot=pilot,
        settings=Settings(alpha=alpha, equivalence=delta, seed=seed),
        names=drawn,
        waves=None if waves is None else wave_sizes(waves),
        budget=affordable(budget, price, max_cost),
        price=price,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        **how,
    )
    show_saved(found, out, shown, as_json=as_json)
