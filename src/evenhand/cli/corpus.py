"""`evenhand corpus`: what the corpora are, and their sentences as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="List, show and export corpora.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A corpus by name, or a file.")]
Spelling = Annotated[str | None, typer.Option(help="The spelling, where the corpus has several.")]


@app.command("list")
def list_() -> None:
    """The corpora that come with Evenhand."""
    from evenhand.corpora import corpus_names, load_corpus

    for name in corpus_names():
        corpus = load_corpus(name)
        typer.echo(f"{name}  {corpus.about.title}: {len(corpus):,} sentences, {', '.join(corpus.attributes)}")


@app.command()
def show(name: Name, spelling: Spelling = None) -> None:
    """Size, groups, examples, how the sentences were chosen, licence and source."""
    from evenhand.corpora import load_corpus
    from evenhand.report.corpus import describe

    typer.echo(describe(load_corpus(name, spelling=spelling)))


@app.command()
def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="The file: .csv, .tsv, .jsonl or .parquet.")],
    spelling: Spelling = None,
) -> None:
    """Write a corpus as a table."""
    from evenhand.corpora import load_corpus
    from evenhand.tables import write_table

    corpus = load_corpus(name, spelling=spelling)
    write_table(corpus.frame, out)
    typer.echo(f"{out}: {len(corpus):,} sentences")
