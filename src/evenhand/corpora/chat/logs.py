"""Conversations as they were logged: a file of any shape, read into one utterance a row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.tables import TableFile, likely_separator

PUBLISHED = {
    "conversation": "C_num",
    "speaker": "UB",
    "gender": "User_gender",
    "original": "Original",
    "prefix": "Enhancement",
    "text": "Text",
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
}
"""What a column of a log may be."""

NO_PREFIX = "No enhancement"
"""What the published data have in the rows of the chatbot."""


def read_log(
    path: Path | str,
    *,
    study: str | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
) -> pl.DataFrame:
    """Read a log (csv, tsv, txt, jsonl or parquet) into one utterance a row, in the order of the file.

    `columns` says where the file has what, as in `{"conversation": "session", "text": "message"}`; what it leaves out
    is looked for under the published names (C_num, UB, User_gender, Original, Enhancement, Text) or under its own
    (conversation, speaker, gender, text). Logs with a column for each speaker have `user` and `chatbot` instead of
    `speaker` and `text`; in one row, the user speaks first. `separator` stands between cells; where none is given,
    the header tells (`|`, `;`, `,` or a tab).

    The result has the columns `study` (the file's name unless given), `conversation`, `speaker`, `gender`, `original`,
    `prefix`, `text`, `rows` (the rows of the log that an utterance is made of), `file` and `line`. Speakers and genders
    are as the log has them; cells may be null.
    """
    path = Path(path)
    if separator is not None and len(separator) != 1:
        raise UsageError(f"the separator must be one character, not {separator!r}")
    file = TableFile(path, cell_separator=separator or likely_separator(path))
    found = _found(file, columns or {})
    frame = file.frame.with_columns(pl.Series("", file.lines()).alias("\0line"))
    cells = _both(frame, found) if "user" in found else _part(frame, found)
    return cells.select(
        pl.lit(study or path.stem).alias("study"),
        *("conversation", "speaker", "gender", "original", "prefix", "text"),
        pl.concat_list(pl.int_range(pl.len())).alias("rows"),
        pl.lit(str(path)).alias("file"),
        "line",
    )


def _found(file: TableFile, columns: Mapping[str, str]) -> dict[str, str]:
    """Which column has which role; every one of them is there."""
    there = file.frame.columns
    for role, column in columns.items():
        if role not in ROLES:
            raise UsageError(f"a log has no {role!r} to map{did_you_mean(role, ROLES)}")
        if column not in there:
            raise EvenhandError(f"{file.path}: no column {column!r} ({ROLES[role]}){did_you_mean(column, there)}")
    known = PUBLISHED if {"C_num", "UB"} <= set(there) else {role: role for role in ROLES}
    spelled = {column.strip().lower(): column for column in there}
    found = {role: spelled[name.lower()] for role, name in known.items() if name.lower() in spelled} | dict(columns)
    if {"user", "chatbot"} <= set(columns) or not {"speaker"} & set(found):
        found = {role: column for role, column in found.items() if role not in ("speaker", "text", "original")}
        needed = ["conversation", "user", "chatbot"]
    else:
        found = {role: column for role, column in found.items() if role not in ("user", "chatbot")}
        needed = ["conversation", "original" if "original" in found else "text"]
    for role in needed:
        if role not in found:
            instead = " (or speaker and text)" if role in ("user", "chatbot") else ""
            raise EvenhandError(
                f"{file.path}: no column for {role!r}{instead}: {ROLES[role]}; say which it is, as in {role}=COLUMN; "
                f"it has {', '.join(there)}"
            )
    return found


def _both(frame: pl.DataFrame, found: Mapping[str, str]) -> pl.DataFrame:
    """A log with a column for each speaker, as a log with one for both."""
    common = {role: column for role, column in found.items() if role not in ("user", "chatbot")}
    parts = [_part(frame, common | {"text": found[who], "\0says": who}) for who in ("user", "chatbot")]
    cells = pl.concat(parts).sort("line", maintain_order=True)
    # Of a row, only what somebody says; of a row in which nobody does, one cell, so that it is told as a null row.
    silent = pl.col("text").is_null()
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
    return frame.select(
        conversation=cell("conversation").str.strip_suffix(".0"),
        speaker=speaker,
        gender=cell("gender"),
        original=original,
        prefix=prefix,
        text=spoken,
        line="\0line",
    )


def _without(text: pl.Expr, prefix: pl.Expr) -> pl.Expr:
    prefixed = text.str.starts_with(prefix).fill_null(False)
    return pl.when(prefixed).then(text.str.slice(prefix.str.len_chars())).otherwise(text)
