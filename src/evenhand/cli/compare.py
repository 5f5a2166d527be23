"""`evenhand compare`: the difference between two saved runs, or between two systems of one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import Alpha, AsJson, Correction, Overwrite, Pairs, Subset, repeating, shows_results

if TYPE_CHECKING:
    from evenhand.cli.show import Shown

RUN = "What `evenhand audit --out RUN` wrote; RUN#SYSTEM (or RUN#SYSTEM/OUTPUT) where it holds several."


@shows_results
def compare(
    one: Annotated[str, typer.Argument(metavar="RUN", help=RUN)],
    other: Annotated[str, typer.Argument(metavar="RUN", help="The run to compare with it, likewise.")],
    attribute: Annotated[
        list[str] | None, typer.Option(help="Attributes to compare, as in race+gender. Default: those both runs asked.")
    ] = None,
    subset: Subset = None,
    pairs: Pairs = False,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
    equivalence: Annotated[
        float, typer.Option(help="The difference that is too small to matter, as a share of the range.")
    ] = 0.01,
    seed: Annotated[int, typer.Option(help="For the resamples and the permutations.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for comparison.html, comparison.json, tables and the figure.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    *,
    shown: Shown,
) -> None:
    """Compare the gaps and metrics of two saved runs, paired by person and sentence: the second RUN minus the first."""
    from evenhand.cli.show import show_saved
    from evenhand.comparing import Settings
    from evenhand.verbs.compare import compare as run

    found = run(
        one,
        other,
        attributes=attribute,
        subsets=subset or ["all"],
        pairs=pairs,
        settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
    )
    show_saved(found, out, shown, as_json=as_json)
