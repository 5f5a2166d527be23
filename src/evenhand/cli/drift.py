"""`evenhand drift`: what a round trip through another language does to the sentences of a corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson, CorpusName, Overwrite, Sample, Spelling, repeating, stdout_kept_clean
from evenhand.errors import UsageError


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
) -> None:
    """Send a corpus through another language and back, and see who gets lost on the way."""
    from evenhand.cli.show import show_saved
    from evenhand.corpora import load_corpus
    from evenhand.results import Subject, check_out
    from evenhand.settings import check_seed
    from evenhand.specs.resolving import resolve_trip
    from evenhand.translation import Drift
    from evenhand.translation import drift as measure

    if seed is not None:
        check_seed(seed)
        if sample is None:
            raise UsageError("--seed is for a sample: give --sample too")
    with stdout_kept_clean():
        asked = load_corpus(corpus, spelling=spelling)
        asked = asked if sample is None else asked.sample(sample, seed=seed or 0)
        if out is not None:
            check_out(out, Drift, Subject(corpora=(asked.name,)), overwrite=overwrite)
        found = measure(asked, resolve_trip(translator, cache=cache), even=even, command=repeating(sys.argv))
    if out is not None:
        found.save(out, overwrite=overwrite)
    show_saved(found, out, as_json=as_json)
