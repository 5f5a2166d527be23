"""`evenhand annotate`: sheets for people to fill in, and how far they agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evenhand.errors import UsageError


def annotate(
    corpus: Annotated[
        str | None, typer.Argument(metavar="CORPUS", help="A corpus by name or file, or chat:LOG for conversations.")
    ] = None,
    annotators: Annotated[int, typer.Option(help="How many people label each text.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Folder for the sheets and the instructions.")] = None,
    seed: Annotated[int, typer.Option(help="For the order of the texts, another in each sheet.")] = 0,
    check: Annotated[
        str | None, typer.Option(metavar="DIR", help="Say how far the annotators of a folder (or FILE,FILE) agree.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --check: print JSON, and nothing else.")] = False,
) -> None:
    """Write sheets for annotators of a CORPUS, who label each text −1, 0 or 1; or check what they wrote."""
    if check is not None:
        _check(check, corpus, as_json=as_json)
        return
    if corpus is None or out is None:
        raise UsageError("name a corpus and a folder, as in `evenhand annotate eec --out sheets`, or use --check DIR")
    from evenhand.annotating import write_sheets

    sheets = write_sheets(corpus, out, annotators=annotators, seed=seed)
    typer.echo(f"{out}: {len(sheets)} sheets and instructions.md; once they are filled in, ask human:{out}")


def _check(address: str, corpus: str | None, *, as_json: bool) -> None:
    from evenhand.annotating import check_sheets
    from evenhand.corpora import load_corpus

    found = check_sheets(address, corpus=None if corpus is None else load_corpus(corpus))
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
        return
    from rich.console import Console

    from evenhand.report.agreement import print_sheets

    print_sheets(found, Console())
