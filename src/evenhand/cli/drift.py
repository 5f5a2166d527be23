"""`evenhand drift`: what a round trip through another language does to the sentences of a corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson, CorpusName, Overwrite, Sample, Spelling, repeating, shows_results
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.cli.show import Shown


@shows_results
def drift(
    translator: Annotated[
        str,
        typer.Argument(help="es, apertium:eng-spa, argos:en-da, hf:EN_DA,hf:DA_EN, or a .yaml file that describes it."),
    ],
    corpus: CorpusName = "eec",
    spelling: Spelling = None,
    sample: Sample = None,
    seed: Annotated[int | None, typer.Option(help="For the sample (0).")] = None,
    even: Annotated[bool, typer.Option("--even", help="Leave out uneven sentences too, not only broken ones.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for drift.html, drift.json, sentences.csv and kept.parquet, what is left."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    cache: Annotated[Path | None, typer.Option(help="Folder for translations (else EVENHAND_CACHE_DIR).")] = None,
    *,
    shown: Shown,
) -> None:
    """Send a corpus through another language and back, and see who gets lost on the way."""
    from evenhand.cli.show import show_saved
    from evenhand.corpora import load_corpus
    from evenhand.verbs.drift import drift as run

    if seed is not None and sample is None:
        raise UsageError("--seed is for a sample: give --sample too")
    found = run(
        translator,
        load_corpus(corpus, spelling=spelling),
        sample=sample,
        seed=seed,
        even=even,
        cache=cache,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
    )
    show_saved(found, out, shown, as_json=as_json)
