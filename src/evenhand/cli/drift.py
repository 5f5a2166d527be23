"""`evenhand drift`: what a round trip through another language does to the sentences of a corpus."""

from __future__ import annotations

import shlex
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
    from evenhand.cli.show import saved_in, show
    from evenhand.corpora import load_corpus
    from evenhand.files.whole import check_writable
    from evenhand.settings import check_seed
    from evenhand.specs.resolving import resolve_trip
    from evenhand.translation import drift as measure
    from evenhand.translation.drift import KEPT_FILE

    if seed is not None:
        check_seed(seed)
        if sample is None:
            raise UsageError("--seed is for a sample: give --sample too")
    if out is not None:
        check_writable(out)
    with stdout_kept_clean():
        asked = load_corpus(corpus, spelling=spelling)
        asked = asked if sample is None else asked.sample(sample, seed=seed or 0)
        found = measure(asked, resolve_trip(translator, cache=cache), even=even, command=repeating(sys.argv))
    if out is not None:
        kept = out / KEPT_FILE
        left = (
            f"to compare what is left: evenhand audit SYSTEM --corpus {shlex.quote(str(kept))}"
            if kept in found.save(out, overwrite=overwrite)
            else f"no two groups are left without what the round trip broke, so there is no {KEPT_FILE}"
        )
        saved_in(out, "drift.html")
        typer.echo(left, err=True)
    show(found, as_json=as_json)
