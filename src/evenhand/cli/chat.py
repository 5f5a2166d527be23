"""`evenhand chat`: conversations made ready, counted, and compared by the user's gender."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import (
    FLAGS,
    AsJson,
    BaseUrl,
    Cache,
    Draws,
    Kind,
    Outputs,
    Overwrite,
    Range,
    SystemVersion,
    asking,
    repeating,
    stdout_kept_clean,
)
from evenhand.errors import UsageError

PAIRS = "May be repeated."


def chat(
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG...", help="Logs of one or more studies (csv, tsv, jsonl, parquet), or `example`."),
    ],
    system: Annotated[list[str] | None, typer.Option(help=f"Also ask this system. {PAIRS}")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=COLUMN", help=f"Where a log has what, as in conversation=session. {PAIRS}"),
    ] = None,
    separator: Annotated[str | None, typer.Option(help="Between cells, where the header does not tell.")] = None,
    speaker: Annotated[
        list[str] | None, typer.Option(metavar="CELL=user|chatbot", help=f"Who a log means by what. {PAIRS}")
    ] = None,
    gender: Annotated[
        list[str] | None, typer.Option(metavar="CELL=GENDER", help=f"Which gender a log means by what. {PAIRS}")
    ] = None,
    assign: Annotated[
        list[str] | None,
        typer.Option(metavar="GENDER=NUMBER", help="For studies without genders; else male=10 and female=10."),
    ] = None,
    range_: Range = None,
    seed: Annotated[int, typer.Option(help="For assigned genders and permutations.")] = 0,
    system_version: SystemVersion = None,
    base_url: BaseUrl = None,
    outputs: Outputs = None,
    kind: Kind = None,
    draws: Draws = None,
    cache: Cache = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for chat.html, chat.json, tables, charts and conversations.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Say what is in conversations, and whether the user's gender changes what is said and how systems score it."""
    columns, speakers, genders = (_pairs(given) for given in (column, speaker, gender))
    counts = _numbers(assign)
    how = asking(
        range_=range_,
        system_version=system_version,
        base_url=base_url,
        outputs=outputs,
        kind=kind,
        draws=draws,
        cache=cache,
    )
    if how and not system:
        given = FLAGS[next(iter(how))]
        raise UsageError(f"{given} is for systems that are asked: name one with --system NAME")
    from evenhand.cli.show import saved_in, show
    from evenhand.verbs.chat import examine_chat

    with stdout_kept_clean():
        found = examine_chat(
            logs, systems=system or (), columns=columns, separator=separator, speakers=speakers, genders=genders,
            assign=counts, seed=seed, out=out, overwrite=overwrite, command=repeating(sys.argv), **how,
        )  # fmt: skip
    if out is not None:
        saved_in(out, "chat.html")
    show(found, as_json=as_json)


def _pairs(given: Sequence[str] | None) -> dict[str, str]:
    """`KEY=VALUE` as a mapping.

    >>> _pairs(["text=message", "conversation=session"])
    {'text': 'message', 'conversation': 'session'}
    """
    parted = [one.partition("=") for one in given or ()]
    for key, equals, value in parted:
        if not (key and equals and value):
            raise UsageError(f"{key + equals + value!r} does not read as KEY=VALUE")
    return {key: value for key, _, value in parted}


def _numbers(given: Sequence[str] | None) -> dict[str, int] | None:
    if not given:
        return None
    pairs = _pairs(given)
    for key, value in pairs.items():
        if not value.isdigit():
            raise UsageError(f"--assign {key}={value}: {value!r} is not a number of conversations")
    return {key: int(value) for key, value in pairs.items()}
