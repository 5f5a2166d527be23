"""`evenhand drift`: what a round trip through another language does to the sentences of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.corpora import Corpus
    from evenhand.translation import Drift


def drift(
    translator: Annotated[
        str,
        typer.Argument(help="es, apertium:eng-spa, argos:en-da, hf:EN_DA,hf:DA_EN, or a .yaml file that describes it."),
    ],
    corpus: Annotated[str, typer.Option(help="A corpus by name, or a .yaml, .csv, .jsonl or .parquet file.")] = "eec",
    spelling: Annotated[str | None, typer.Option(help="The spelling of the corpus, where it has several.")] = None,
    sample: Annotated[int | None, typer.Option(help="At most so many sentences, drawn as whole sources.")] = None,
    seed: Annotated[int, typer.Option(help="For the sample.")] = 0,
    even: Annotated[bool, typer.Option("--even", help="Leave out uneven sentences too, not only broken ones.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for drift.json, sentences.csv and kept.parquet, what is left."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Folder for translations (else EVENHAND_CACHE_DIR).")] = None,
) -> None:
    """Send a corpus through another language and back, and see who gets lost on the way."""
    import json

    from evenhand.cli.options import stdout_kept_clean
    from evenhand.corpora import load_corpus
    from evenhand.files import check_writable
    from evenhand.report.drift import drift_values, print_drift
    from evenhand.specs import resolve_trip
    from evenhand.translation import drift as measure

    if out is not None:
        check_writable(out)
    with stdout_kept_clean():
        asked = load_corpus(corpus, spelling=spelling)
        asked = asked if sample is None else asked.sample(sample, seed=seed)
        found = measure(asked, resolve_trip(translator, cache=cache))
    values = json.dumps(drift_values(found, even=even), indent=2, ensure_ascii=False, allow_nan=False)
    if out is not None:
        _save(out, found, asked, values, even=even)
    if as_json:
        typer.echo(values)
        return
    from rich.console import Console

    print_drift(found, Console(), even=even)


def _save(out: Path, found: Drift, corpus: Corpus, values: str, *, even: bool) -> None:
    from evenhand.errors import EvenhandError
    from evenhand.files import write_whole
    from evenhand.tables import write_table

    write_whole(out / "drift.json", f"{values}\n".encode())
    write_table(found.rows, out / "sentences.csv")
    try:
        found.kept(corpus, even=even).save(out / "kept.parquet")
    except EvenhandError as error:
        typer.echo(f"saved in {out}; {error}, so that there is no kept.parquet", err=True)
        return
    left = out / "kept.parquet"
    typer.echo(f"saved in {out}; to compare what is left: evenhand audit SYSTEM --corpus {left}", err=True)
