"""`evenhand repair`: close the gaps of a system, and say what holds on persons, templates and words that are new."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    Alpha,
    AsJson,
    CorpusName,
    Overwrite,
    Sample,
    Spelling,
    asks_systems,
    repeating,
    shows_results,
    takes_statement_of_tolerance,
)
from evenhand.printing import say

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown
    from evenhand.results import Statement


@shows_results
@takes_statement_of_tolerance
@asks_systems
def repair(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="As for `evenhand audit`; one system.")],
    corpus: CorpusName = "eec",
    spelling: Spelling = None,
    attribute: Annotated[list[str] | None, typer.Option(help="What to repair; default: all attributes.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="layers, terms, alignment, averaging, additive …; default: all.")
    ] = None,
    sample: Sample = None,
    repetitions: Annotated[int, typer.Option(help="How often persons, templates and words are halved anew.")] = 5,
    gold: Annotated[
        Path | None,
        typer.Option(help="Texts that people rated (columns text, gold, or as in the task): quality before and after."),
    ] = None,
    references: Annotated[
        str, typer.Option(help="Inputs for the published variants: phrases (as published), identity, or a .yaml file.")
    ] = "phrases",
    target: Annotated[
        str, typer.Option(help="Where published variants carry groups to: neutral, uniform, mean, or a group.")
    ] = "neutral",
    normalise: Annotated[str, typer.Option(help="softmax (as published) or sum.")] = "softmax",
    alpha: Alpha = 0.05,
    equivalence: Annotated[
        float, typer.Option(help="The gap in one emotion that does not count, as a share of an output's range.")
    ] = 0.01,
    seed: Annotated[int, typer.Option(help="For the sample and the halves.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for repair.html, repair.json and the calibrators.")] = None,
    as_json: AsJson = False,
    overwrite: Overwrite = False,
    *,
    how: AskOptions,
    statement: Statement,
    shown: Shown,
) -> None:
    """Repair SYSTEM in several ways, and judge each on what it was not fitted on."""
    from evenhand.cli.show import show_saved
    from evenhand.corpora import load_corpus
    from evenhand.repairs.result import CALIBRATORS
    from evenhand.repairs.workshop import RepairSettings
    from evenhand.verbs.repair import repair as run

    settings = RepairSettings(
        methods=tuple(method) if method else None,
        repetitions=repetitions,
        seed=seed,
        alpha=alpha,
        references=references,
        target=target,
        normalise=normalise,
        equivalence=equivalence,
    )
    found = run(
        system,
        load_corpus(corpus, spelling=spelling),
        attributes=attribute,
        sample=sample,
        settings=settings,
        gold=gold,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        statement=statement,
        **how,
    )
    if out is not None:
        say(f"calibrators are in {out / CALIBRATORS}")
    show_saved(found, out, shown, as_json=as_json)
    if out is None and found.advised is not None:
        say(f"to use it, save it: {repeating(sys.argv)} --out repaired")
