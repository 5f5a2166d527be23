"""`evenhand annotate`: sheets for people to fill in, and how far they agree."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import repeating
from evenhand.errors import UsageError


def annotate(
    corpus: Annotated[
        str | None, typer.Argument(metavar="CORPUS", help="A corpus by name or file, or chat:LOG for conversations.")
    ] = None,
    annotators: Annotated[int | None, typer.Option(help="How many people label each text (3).")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the sheets and the instructions; with --check, for the agreement.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For the order of the texts, another in each sheet (0).")] = None,
    check: Annotated[
        str | None, typer.Option(metavar="DIR", help="Say how far the annotators of a folder (or FILE,FILE) agree.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --check: print JSON, and nothing else.")] = False,
) -> None:
    """Write sheets for annotators of a CORPUS, who label each text −1, 0 or 1; or check what they wrote."""
    if check is not None:
        if annotators is not None or seed is not None:
            raise UsageError("--annotators and --seed are for new sheets; --check reads those that are filled in")
        _check(check, corpus, out, as_json=as_json)
        return
    if as_json:
        raise UsageError("--json goes with --check; sheets are files")
    if corpus is None or out is None:
        raise UsageError("name a corpus and a folder, as in `evenhand annotate eec --out sheets`, or use --check DIR")
    from evenhand.annotating import write_sheets

    sheets = write_sheets(corpus, out, annotators=3 if annotators is None else annotators, seed=seed or 0)
    typer.echo(f"{out}: {len(sheets)} sheets and instructions.md; once they are filled in, ask human:{out}")


def _check(address: str, corpus: str | None, out: Path | None, *, as_json: bool) -> None:
    from evenhand.annotating import check_sheets
    from evenhand.cli.show import saved_in, show
    from evenhand.corpora import load_corpus
    from evenhand.files.whole import check_writable

    if out is not None:
        check_writable(out)
    asked = None if corpus is None else load_corpus(corpus)
    found = check_sheets(address, corpus=asked, command=repeating(sys.argv))
    if out is not None:
        found.save(out)
        saved_in(out, "agreement.html")
    show(found, as_json=as_json)
