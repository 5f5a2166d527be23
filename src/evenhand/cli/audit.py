"""`evenhand audit`: ask systems about people and say whether the person mattered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    Alpha,
    AsJson,
    CorpusName,
    Correction,
    Overwrite,
    Pairs,
    Sample,
    Spelling,
    Subset,
    Thresholds,
    asks_systems,
    repeating,
    stdout_kept_clean,
    takes_statement_of_tolerance,
)

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.results import Statement


@takes_statement_of_tolerance
@asks_systems
def audit(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            help="vader, svr, file:PATH, py:package.module:callable, hf:MODEL, a URL …; see `evenhand systems`.",
        ),
    ],
    corpus: CorpusName = "eec",
    spelling: Spelling = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="What to compare by; crossed as in race+gender. Default: all.")
    ] = None,
    subset: Subset = None,
    pairs: Pairs = False,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
    equivalence: Annotated[float, typer.Option(help="The tolerance, as a share of an output's range.")] = 0.01,
    threshold: Thresholds = None,
    sample: Sample = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Leave out a person, a pair (she/he) or a template.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for report.html, report.json, scores and corpus.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option(help="For the sample and the permutations.")] = 0,
    *,
    how: AskOptions,
    statement: Statement,
) -> None:
    """Ask SYSTEMs the same sentences about different people and compare the scores."""
    from evenhand.cli.show import show_saved
    from evenhand.comparing import Settings
    from evenhand.corpora import load_corpus
    from evenhand.verbs.audit import audit as run

    asked = load_corpus(corpus, spelling=spelling)
    with stdout_kept_clean():
        found = run(
            systems,
            asked,
            attributes=attribute,
            subsets=subset or ["all"],
            pairs=pairs,
            settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
            thresholds=threshold,
            sample=sample,
            without=without or (),
            out=out,
            overwrite=overwrite,
            command=repeating(sys.argv),
            statement=statement,
            **how,
        )
    show_saved(found, out, as_json=as_json)
