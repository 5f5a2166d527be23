"""`evenhand corpus`: list the corpora, describe one, write its sentences to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import Spelling
from evenhand.printing import tell

app = typer.Typer(no_args_is_help=True, help="List, describe and export corpora.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a corpus, or a file.")]


@app.command("list")
def list_() -> None:
    """List the corpora that come with Evenhand."""
    from evenhand.corpora import corpus_names, load_corpus

    for name in corpus_names():
        corpus = load_corpus(name)
        tell(f"{name}  {corpus.about.title}: {len(corpus):,} sentences, {', '.join(corpus.attributes)}")


@app.command()
def show(name: Name, spelling: Spelling = None) -> None:
    """Describe a corpus: size, groups, examples, how its sentences were chosen, licence and source."""
    from evenhand.corpora import load_corpus
    from evenhand.report.corpus import describe

    tell(*describe(load_corpus(name, spelling=spelling)).split("\n"))


@app.command()
def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="File to write: .csv, .tsv, .jsonl or .parquet.")],
    spelling: Spelling = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file with other content.")] = False,
) -> None:
    """Write a corpus as a table."""
    from evenhand.corpora import load_corpus
    from evenhand.files.tables import write_table

    corpus = load_corpus(name, spelling=spelling)
    write_table(corpus.frame, out, overwrite=overwrite)
    tell(f"{out}: {len(corpus):,} sentences")


@app.command()
def names(
    name: Name,
    out: Annotated[
        Path | None, typer.Option(help="A page (.html), a picture (.svg, .png) or a table (.csv, .jsonl, .parquet).")
    ] = None,
    spelling: Spelling = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file with other content.")] = False,
) -> None:
    """Show how strong, common and old a signal each first name of a corpus is."""
    from evenhand.corpora import load_corpus
    from evenhand.report.names import print_names, write_names

    corpus = load_corpus(name, spelling=spelling)
    if out is None:
        print_names(corpus)
        return
    written = write_names(corpus, out, overwrite=overwrite)
    tell(f"{out}: {written:,} names")
