"""`evenhand explain`: where the gaps of a system come from."""

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
    bounds,
    repeating,
    shows_results,
)

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown


@shows_results
@asks_systems
def explain(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="As for `evenhand audit`; one system.")],
    corpus: CorpusName = "eec",
    spelling: Spelling = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="Gaps to explain, as in race+gender. Default: all attributes.")
    ] = None,
    train: Annotated[
        list[Path] | None,
        typer.Option(help="The files that svm:MODEL or embedding:FOLDER was trained on. May be repeated."),
    ] = None,
    text_column: Annotated[str | None, typer.Option(help="Their column of texts, as in training.")] = None,
    score_column: Annotated[str | None, typer.Option(help="Their column of scores, as in training.")] = None,
    train_range: Annotated[
        str | None, typer.Option(metavar="LOW,HIGH", help="Range of their scores, as in training.")
    ] = None,
    group_by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="A column of theirs that sorts the texts into groups.")
    ] = None,
    training: Annotated[
        bool,
        typer.Option("--training/--no-training", help="Train again without groups of texts, or only look at words."),
    ] = True,
    sample: Sample = None,
    alpha: Alpha = 0.05,
    seed: Annotated[int, typer.Option(help="For the sample.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for explanation.html, explanation.json, tables and figures.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    *,
    how: AskOptions,
    shown: Shown,
) -> None:
    """Say which words, and which training texts, the gaps of SYSTEM come from."""
    train_ends = bounds(train_range, "--train-range")
    from evenhand.cli.show import show_saved
    from evenhand.comparing import Settings
    from evenhand.corpora import load_corpus
    from evenhand.verbs.explain import explain as run

    found = run(
        system,
        load_corpus(corpus, spelling=spelling),
        attributes=attribute,
        settings=Settings(alpha=alpha, seed=seed),
        sample=sample,
        training=training,
        train=train or (),
        text_column=text_column,
        score_column=score_column,
        train_range=train_ends,
        group_by=group_by,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        **how,
    )
    show_saved(found, out, shown, as_json=as_json)
