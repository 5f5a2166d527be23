"""`evenhand perturb`: texts that people have written, about people of other groups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson, Referee, Tagger
from evenhand.printing import say, tell_json


def perturb(
    texts: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A .csv, .tsv, .jsonl or .parquet file with a text in each row."),
    ] = None,
    attribute: Annotated[
        str, typer.Option(help="gender, race, religion, age, disability …, or one of --lexicon.")
    ] = "gender",
    out: Annotated[Path | None, typer.Option(help="File for the versions: .csv, .tsv, .jsonl or .parquet.")] = None,
    column: Annotated[str, typer.Option(help="The column that holds the texts.")] = "text",
    to: Annotated[
        str | None,
        typer.Option(
            metavar="GROUP,…", help="The groups to write versions for. Default: all; for gender, female and male."
        ),
    ] = None,
    couples: Annotated[
        str, typer.Option(help="Texts about women and men: keep (everybody swaps, couples stay as they are) or skip.")
    ] = "keep",
    lexicon: Annotated[
        Path | None, typer.Option(help="A lexicon of your own (.yaml), for any attribute in it.")
    ] = None,
    edited: Annotated[
        Path | None, typer.Option(help="Instead of FILE, versions that you have edited: check them.")
    ] = None,
    tagger: Tagger = None,
    referee: Referee = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that --out names.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write each text of FILE about people of other groups, and say what was changed, skipped and unsure."""
    import json

    from evenhand.report.perturb import show_validity
    from evenhand.verbs.perturb import perturb as run

    found = run(
        texts,
        out,
        attribute=attribute,
        column=column,
        to=None if to is None else [one.strip() for one in to.split(",")],
        couples=couples,  # type: ignore[arg-type]  # checked where it is used
        lexicon=lexicon,
        edited=edited,
        tagger=tagger,
        referee=referee,
        overwrite=overwrite,
    )
    if out is not None:
        say(f"written to {out}")
    if as_json:
        tell_json(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    else:
        show_validity(found)
