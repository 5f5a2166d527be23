"""`evenhand audit`: ask systems about people and say whether the person mattered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import (
    AsJson,
    BaseUrl,
    Cache,
    CorpusName,
    Draws,
    Kind,
    Outputs,
    Overwrite,
    Range,
    Sample,
    Spelling,
    SystemVersion,
    asking,
    repeating,
    stdout_kept_clean,
)


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
    subset: Annotated[
        list[str] | None, typer.Option(help="all, neutral, emotional, names, noun-phrases, or COLUMN=VALUE.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="The level of the tests.")] = 0.05,
    correction: Annotated[str, typer.Option(help="bonferroni, holm, bh or none.")] = "bonferroni",
    equivalence: Annotated[float, typer.Option(help="The tolerance, as a share of an output's range.")] = 0.01,
    sample: Sample = None,
    draws: Draws = None,
    out: Annotated[Path | None, typer.Option(help="Folder for report.html, report.json, scores and corpus.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option(help="For the sample and the permutations.")] = 0,
    range_: Range = None,
    system_version: SystemVersion = None,
    base_url: BaseUrl = None,
    outputs: Outputs = None,
    kind: Kind = None,
    cache: Cache = None,
) -> None:
    """Ask SYSTEMs the same sentences about different people and compare the scores."""
    from evenhand.cli.show import saved_in, show
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
            settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
            sample=sample,
            out=out,
            overwrite=overwrite,
            command=repeating(sys.argv),
            **asking(
                range_=range_,
                system_version=system_version,
                base_url=base_url,
                outputs=outputs,
                kind=kind,
                draws=draws,
                cache=cache,
            ),
        )
    if out is not None:
        saved_in(out, "report.html")
    show(found, as_json=as_json)
