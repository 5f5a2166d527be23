"""`evenhand chat`: conversations made ready, counted, and compared by the user's gender."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import FLAGS, AsJson, Overwrite, asks_systems, repeating, shows_results
from evenhand.errors import UsageError
from evenhand.settings import check_count, whole_number

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown

PAIRS = "May be repeated."


@shows_results
@asks_systems
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
    assigned: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STUDY", help=f"The genders in this log were assigned by lot; `all` for all logs. {PAIRS}"
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="original|text", help="Count words in the original, or in the whole text if it holds more."
        ),
    ] = None,
    intent: Annotated[
        list[str] | None,
        typer.Option(metavar="INTENT=WORDS", help=f"What was said where a row has only an intent (its name). {PAIRS}"),
    ] = None,
    leave_out_intents: Annotated[
        bool, typer.Option("--leave-out-intents", help="Leave out rows that have only an intent.")
    ] = False,
    ends: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What ends a conversation in a raw log: “Conversation ended”."),
    ] = None,
    first_row_only: Annotated[
        bool, typer.Option("--first-row-only", help="Conversation and gender stand in its first row alone.")
    ] = False,
    seed: Annotated[int, typer.Option(help="For assigned genders and permutations.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for chat.html, chat.json, tables, charts and conversations.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    *,
    how: AskOptions,
    shown: Shown,
) -> None:
    """Say what is in conversations, and whether the user's gender changes what is said and how systems score it."""
    columns, speakers, genders = (_pairs(given) for given in (column, speaker, gender))
    counts = _numbers(assign)
    if how and not system:
        given = FLAGS[next(iter(how))]
        raise UsageError(f"{given} is for systems that are asked: name one with --system NAME")
    from evenhand.cli.show import found_by, show_saved
    from evenhand.verbs.chat import chat as examine_chat

    found = found_by(examine_chat,
        logs, systems=system or (), columns=columns, separator=separator, speakers=speakers, genders=genders,
        assign=counts, assigned=assigned or (), intents=_pairs(intent), leave_out_intents=leave_out_intents,
        words=words, ends=ends, first_row_only=first_row_only, seed=seed, out=out, overwrite=overwrite,
        command=repeating(sys.argv), **how,
    )  # fmt: skip
    show_saved(found, out, shown, as_json=as_json)


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
    found = {key: whole_number(value, f"--assign {key}") for key, value in pairs.items()}
    for key, value in found.items():
        check_count(f"--assign {key}, a number of conversations,", value)
    return found
