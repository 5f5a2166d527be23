"""Conversations as they were logged: a file of any shape, read into one utterance a row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from evenhand.corpora.chat.raw import LINE, NUMBER, read_raw
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.opened import naming_its_file
from evenhand.files.tables import TableFile
from evenhand.settings import check_separator

PUBLISHED = {
    "conversation": "C_num",
    "speaker": "UB",
    "gender": "User_gender",
    "original": "Original",
    "prefix": "Enhancement",
    "text": "Text",
    "assigned": "Assigned",
}
"""What the columns are called in the data of Lakkaraju et al. (2023)."""

ROLES = {
    "conversation": "which conversation a row belongs to",
    "speaker": "who says it",
    "gender": "the user's gender",
    "text": "what is said",
    "original": "what is said, without the prefix",
    "prefix": "what was put before it to tell the gender",
    "user": "what the user says, in logs with a column for each speaker",
    "chatbot": "what the chatbot answers, in such logs",
    "intent": "what the chatbot took the user to mean",
    "assigned": "whether the gender was assigned by lot (1), not stated by the user (0)",
}
"""What a column of a log may be."""

ALSO_CALLED = {
    "conversation_id": "conversation",
    "user_input": "user",
    "bot_reply": "chatbot",
    "user_intent": "intent",
}
"""Other names that logs have for these columns."""

RAGGED = "cells where the header has"
"""What is said of a line that has more or fewer cells than the header."""
WHOLE = ("original", "text")
"""The columns in which words may be counted: what is said without the prefix, or all of it."""

PAYLOAD = re.compile(r"/\S+|\w+_\d+")
"""What a log has where a user pressed a button: the name of an intent (/greet), or an answer's (helpfulness_3)."""

CHATBOTS = ("0", "chatbot", "bot", "assistant", "agent", "system", "response")
"""What logs call chatbots."""

NO_PREFIX = "No enhancement"
"""What the published data have in the rows of the chatbot."""


@naming_its_file
def read_log(
    path: Path | str,
    *,
    study: str | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    words: str | None = None,
    ends: str | None = None,
    first_row_only: bool = False,
) -> pl.DataFrame:
    """Read a log (csv, tsv, txt, jsonl or parquet) into one utterance a row, in the order of the file.

    `columns` says where the file has what, as in `{"conversation": "session", "text": "message"}`; what it leaves out
    is looked for under the published names (C_num, UB, User_gender, Original, Enhancement, Text) or under its own
    (conversation, speaker, gender, text). Logs with a column for each speaker have `user` and `chatbot` instead of
    `speaker` and `text`; in one row, the user speaks first. `separator` stands between cells; where none is given,
    the header tells (`|`, `;`, `,` or a tab).

    `words` says which column holds what was said: `original`, or `text` where `original` is only a piece of it; then
    the original is the text without its prefixes. `ends` is what ends a conversation in a raw log (see `read_raw`).
    With `first_row_only`, conversation and gender stand in the first row of each conversation alone, and each such row
    begins a new one.

    The result has the columns `study` (the file's name unless given), `conversation`, `speaker`, `gender`, `original`,
    `prefix`, `text`, `rows` (the rows of the log that an utterance is made of), `file` and `line`; where the log has a
    column for it, also `assigned` (whether the gender is a lot) and `intent` (where there is only that of what a user
    said). Speakers and genders are as the log has them; cells may be null.
    """
    path = Path(path)
    check_separator(separator)
    if words not in (None, *WHOLE):
        raise UsageError(f"words are counted in 'original' or 'text', not in {words!r}")
    if ends is not None and not ends.strip():
        raise UsageError("what ends a conversation must be a text, not an empty one")
    if ends is None:
        file = TableFile(path, cell_separator=separator)
        _refuse_raw(file)
        file.refuse_unread(*(columns or {}).values())
        has = file.has
        frame = file.frame.with_columns(pl.Series("", file.lines()).alias(LINE), pl.lit("0").alias(NUMBER))
    else:
        frame = read_raw(path, separator=separator, ends=ends).frame
        has = ", ".join(frame.columns[:-2])
    found = _found(path, frame.columns[:-2], columns or {}, raw=ends is not None, has=has)
    if first_row_only:
        frame = _filled_down(frame, found)
    cells = _both(frame, found) if "user" in found else _part(frame, found)
    if ends is not None:
        cells = _apart(cells)
    if words == "text":
        cells = cells.with_columns(original=_without_prefixes(cells))
    return cells.select(
        pl.lit(study or path.stem).alias("study"),
        *("conversation", "speaker", "gender", "original", "prefix", "text"),
        pl.concat_list(pl.int_range(pl.len())).alias("rows"),
        pl.lit(str(path)).alias("file"),
        "line",
        *(role for role in ("assigned", "intent") if role in found),
    )


def _refuse_raw(file: TableFile) -> None:
    """A file whose lines have fewer cells than its header may be a raw log: say how those are read."""
    try:
        _ = file.frame
    except UsageError:
        raise
    except EvenhandError as error:
        if RAGGED in str(error):
            raise EvenhandError(
                f"{error}; a raw log is read with --ends TEXT, what ends a conversation in it"
            ) from error
        raise


def _filled_down(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    """A row with a conversation begins one; those below belong to it, and its gender is theirs."""
    began = pl.col(found["conversation"]).is_not_null()
    number = began.cum_sum()
    gender = [pl.col(found["gender"]).first().over(number)] if "gender" in found else []
    often = pl.col(found["conversation"]).is_duplicated() & began
    # One name for two conversations: the same person came twice.
    named = (
        pl.when(often)
        .then(pl.concat_str(found["conversation"], number, separator="#"))
        .otherwise(found["conversation"])
    )
    return frame.with_columns(named.forward_fill().alias(found["conversation"]), *gender)


def _apart(cells: pl.DataFrame) -> pl.DataFrame:
    """Conversations of a raw log, apart where one ended, whatever their ids."""
    number = pl.col(NUMBER)
    ids = pl.col("conversation").fill_null("")
    named = pl.when(ids == "").then(number).otherwise(pl.concat_str(ids, number, separator="#"))
    several = number.n_unique().over("conversation") > 1
    return cells.with_columns(conversation=pl.when((ids == "") | several).then(named).otherwise("conversation"))


def _without_prefixes(cells: pl.DataFrame) -> pl.Series:
    """What is said without any of its prefixes: merged utterances may have one before each part."""
    parts = [
        text if text is None or prefix is None else text.replace(prefix, "").strip() or text
        for text, prefix in cells.select("text", "prefix").iter_rows()
    ]
    return pl.Series("original", parts, dtype=pl.String)


def _found(path: Path, there: Sequence[str], columns: Mapping[str, str], *, raw: bool, has: str) -> dict[str, str]:
    """Which column has which role; every one of them is there."""
    for role, column in columns.items():
        if role not in ROLES:
            raise UsageError(f"a log has no {role!r} to map{did_you_mean(role, ROLES)}")
        if column not in there:
            raise EvenhandError(f"{path}: no column {column!r} ({ROLES[role]}){did_you_mean(column, there)}")
    known = {role: role for role in ROLES}
    spelled = {column.strip().lower(): column for column in there}
    if {"c_num", "ub"} <= set(spelled):
        known = PUBLISHED
    spelled = {ALSO_CALLED[name]: column for name, column in spelled.items() if name in ALSO_CALLED} | spelled
    found = {role: spelled[name.lower()] for role, name in known.items() if name.lower() in spelled} | dict(columns)
    if {"user", "chatbot"} <= set(columns) or not {"speaker"} & set(found):
        found = {role: column for role, column in found.items() if role not in ("speaker", "text", "original")}
        needed = ["conversation", "user", "chatbot"]
    else:
        found = {role: column for role, column in found.items() if role not in ("user", "chatbot")}
        needed = ["conversation", "original" if "original" in found else "text"]
    for role in needed:
        if role not in found and not (raw and role == "conversation"):
            instead = " (or speaker and text)" if role in ("user", "chatbot") else ""
            raise EvenhandError(
                f"{path}: no column for {role!r}{instead}: {ROLES[role]}; "
                f"say which it is, as in --column {role}=COLUMN; it has {has}"
            )
    return found


def _both(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    """A log with a column for each speaker, as a log with one for both."""
    common = {role: column for role, column in found.items() if role not in ("user", "chatbot")}
    parts = [_part(frame, common | {"text": found[who], "\0says": who}) for who in ("user", "chatbot")]
    cells = pl.concat(parts).sort("line", maintain_order=True)
    # Of a row, only what somebody says; of a row in which nobody does, one cell, so that it is told as a null row.
    silent = pl.col("text").is_null() & pl.col("intent").is_null()
    return cells.filter(~silent | (silent.all().over("line") & (pl.col("speaker") == "user")))


def _part(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    def cell(role: str) -> pl.Expr:
        if role not in found:
            return pl.lit(None, dtype=pl.String)
        text = pl.col(found[role]).cast(pl.String).str.strip_chars()
        return pl.when(text != "").then(text)

    speaker = pl.lit(found["\0says"]) if "\0says" in found else cell("speaker")
    # Without its space, which a file may have lost, a prefix would run into what follows.
    prefix = pl.when(cell("prefix") != NO_PREFIX).then(cell("prefix") + pl.lit(" "))
    spoken = cell("text") if "text" in found else prefix.fill_null("") + cell("original")
    original = cell("original") if "original" in found else _without(spoken, prefix)
    # In a row of the chatbot, an intent is about what the user said before.
    users = speaker == "user" if "\0says" in found else ~speaker.str.to_lowercase().is_in(CHATBOTS)
    pressed = original.str.contains(f"^({PAYLOAD.pattern})$") if "intent" in found else pl.lit(value=False)
    only = (
        pl.when(users & pressed).then(original).when(users & original.is_null()).then(cell("intent"))
        if "intent" in found
        else pl.lit(None, dtype=pl.String)
    )
    original, spoken = (pl.when(users & pressed).then(None).otherwise(one) for one in (original, spoken))
    return frame.select(
        conversation=cell("conversation").str.strip_suffix(".0"),
        speaker=speaker,
        gender=cell("gender"),
        assigned=cell("assigned").str.to_lowercase().str.strip_suffix(".0"),
        original=original,
        prefix=prefix,
        text=spoken,
        intent=only,
        line=LINE,
        **{NUMBER: pl.col(NUMBER)},
    )


def _without(text: pl.Expr, prefix: pl.Expr) -> pl.Expr:
    prefixed = text.str.starts_with(prefix).fill_null(False)
    return pl.when(prefixed).then(text.str.slice(prefix.str.len_chars())).otherwise(text)
