"""`evenhand audit`: ask systems about people and say whether the person mattered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import Overwrite, bounds, names, repeating, stdout_kept_clean


def audit(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            help="vader, svr, file:PATH, py:package.module:callable, hf:MODEL, a URL …; see `evenhand systems`.",
        ),
    ],
    corpus: Annotated[
        str, typer.Option(help="A corpus by name, a .yaml, .csv, .jsonl or .parquet file, or suite:FOLDER#attribute.")
    ] = "eec",
    spelling: Annotated[str | None, typer.Option(help="The spelling of the corpus, where it has several.")] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="What to compare by; crossed as in race+gender. Default: all.")
    ] = None,
    subset: Annotated[
        list[str] | None, typer.Option(help="all, neutral, emotional, names, noun-phrases, or COLUMN=VALUE.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="The level of the tests.")] = 0.05,
    correction: Annotated[str, typer.Option(help="bonferroni, holm, bh or none.")] = "bonferroni",
    equivalence: Annotated[float, typer.Option(help="The tolerance, as a share of an output's range.")] = 0.01,
    sample: Annotated[int | None, typer.Option(help="At most so many sentences, drawn as whole sources.")] = None,
    draws: Annotated[int, typer.Option(help="How often to ask systems that sample; their means are compared.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for report.html, report.json, scores and corpus.")] = None,
    overwrite: Overwrite = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
    seed: Annotated[int, typer.Option(help="For the sample and the permutations.")] = 0,
    range_: Annotated[
        str | None,
        typer.Option("--range", metavar="LOW,HIGH", help="The range of scores that declare none (else 0,1)."),
    ] = None,
    system_version: Annotated[
        str | None, typer.Option(help="Names the version of py: systems, so that their answers may be cached.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the server of openai:MODEL listens (else OPENAI_BASE_URL).")
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME", help="Names for the numbers of py: systems, columns of file:PATH."),
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="What those are: score, probability, ordinal or class (else found out).")
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder for answers (else EVENHAND_CACHE_DIR).")] = None,
) -> None:
    """Ask SYSTEMs the same sentences about different people and compare the scores."""
    from evenhand.auditing import audit as run
    from evenhand.cli.show import show
    from evenhand.comparing import Settings
    from evenhand.corpora import load_corpus

    asked = load_corpus(corpus, spelling=spelling)
    with stdout_kept_clean():
        found = run(
            systems,
            asked,
            attributes=attribute,
            subsets=subset or ["all"],
            settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
            sample=sample,
            draws=draws,
            bounds=bounds(range_),
            version=system_version,
            base_url=base_url,
            outputs=names(outputs),
            kind=kind,
            cache=cache,
            out=out,
            overwrite=overwrite,
            command=repeating(sys.argv),
        )
    if out is not None:
        typer.echo(f"saved in {out}: open {out / 'report.html'}, or `evenhand report {out}`", err=True)
    show(found, as_json=as_json)
