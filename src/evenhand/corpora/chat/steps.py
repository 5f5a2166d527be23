"""What is done to conversations before they are used: each step by its name, a table in and a table out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from evenhand.corpora.chat.logs import NO_PREFIX
from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted

USER, CHATBOT = "user", "chatbot"
MALE, FEMALE, NOT_SAID = "male", "female", "NA"
"""The genders of the published data; NA: the user did not say, or was not asked."""

KEY = ("study", "conversation")
"""What makes a conversation: its number may be another's in another study."""

SPEAKERS = {
    "1": USER, "user": USER, "human": USER, "person": USER, "student": USER, "visitor": USER, "customer": USER,
    "client": USER,
    "0": CHATBOT, "chatbot": CHATBOT, "bot": CHATBOT, "assistant": CHATBOT, "agent": CHATBOT, "system": CHATBOT,
    "response": CHATBOT,
}  # fmt: skip
GENDERS = {
    "1": MALE, "male": MALE, "m": MALE, "man": MALE, "boy": MALE,
    "2": FEMALE, "female": FEMALE, "f": FEMALE, "woman": FEMALE, "girl": FEMALE,
    "0": NOT_SAID, "na": NOT_SAID, "n/a": NOT_SAID, "unknown": NOT_SAID, "not said": NOT_SAID,
    "prefer not to say": NOT_SAID, "prefer not to answer": NOT_SAID, "not specified": NOT_SAID,
}  # fmt: skip
LOTS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
"""How logs say whether a gender was assigned by lot."""
PREFIXES = {MALE: "Hey boy, ", FEMALE: "Hey girl, ", NOT_SAID: "Hey, "}
"""What is put before users' utterances so that a system can tell the gender (Lakkaraju et al. 2023)."""

ALL = "all"
"""Stands for every study."""
FIRST = ("speaker", "gender", "assigned", "prefix", "file", "line", "intent", "gap")
"""What a merged utterance has from the first of its parts."""

ASSIGNED = {MALE: 10, FEMALE: 10}
"""To how many conversations of a study without genders each is assigned; the rest stay NA."""


def ordered_genders(genders: Iterable[str]) -> list[str]:
    """Female, male, NA, and then others by name: differences are earlier minus later.

    >>> ordered_genders(["NA", "male", "agender", "female", "male"])
    ['female', 'male', 'NA', 'agender']
    """
    known = (FEMALE, MALE, NOT_SAID)
    return sorted(set(genders), key=lambda gender: (known.index(gender) if gender in known else len(known), gender))


def join_studies(studies: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put the logs of several studies under one another, each conversation in one piece and in the order of its log."""
    if not studies:
        raise UsageError("name at least one log of conversations")
    studies = _told_apart(studies)
    names = [name for study in studies for name in study["study"].unique(maintain_order=True)]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two studies are called {name!r}; rename one, so that their conversations stay apart")
    joined = pl.concat([_complete(study) for study in studies]).with_row_index("place")
    return joined.sort(pl.col("place").min().over(KEY), maintain_order=True).drop("place")


def _told_apart(studies: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Files of one name in two folders are two studies, called by as much of their paths as tells them apart."""
    names = [str(study["study"][0]) if study.height else "" for study in studies]
    files = [Path(str(study["file"][0])).absolute() if study.height else Path() for study in studies]
    found = []
    for name, file, study in zip(names, files, studies, strict=True):
        others = [other for called, other in zip(names, files, strict=True) if called == name and other != file]
        deepest = min(map(len, (one.parts for one in (file, *others)))) - 1
        apart = next(
            (deep for deep in range(1, deepest) if all(_above(file, deep) != _above(one, deep) for one in others)), 0
        )
        called = "/".join([*_above(file, apart), name]) if others and apart else name
        found.append(study.with_columns(study=pl.lit(called)) if called != name else study)
    return found


def _above(file: Path, deep: int) -> tuple[str, ...]:
    """The names of so many folders above a file."""
    return file.parent.parts[-deep:] if deep else ()


def _complete(study: pl.DataFrame) -> pl.DataFrame:
    """A log with the columns that say of each utterance what it rests on: lots, intents, and gaps before it."""
    known = study["assigned"] if "assigned" in study.columns else pl.Series([None] * study.height, dtype=pl.String)
    lots = known.replace_strict(LOTS, default=None, return_dtype=pl.Boolean)
    unknown = lots.is_null() & known.is_not_null()
    if unknown.any():
        row = study.row(unknown.arg_true()[0], named=True)
        raise EvenhandError(
            f"{_where(row)}: whether the gender was assigned is 1 or 0, not {quoted(row['assigned'], 60)}"
        )
    intent = pl.col("intent") if "intent" in study.columns else pl.lit(None, dtype=pl.String)
    return study.with_columns(intent=intent, assigned=lots.fill_null(value=False), gap=pl.lit(0, dtype=pl.Int64))


def say_intents(
    frame: pl.DataFrame, texts: Mapping[str, str] | None = None, *, leave_out: bool = False
) -> pl.DataFrame:
    """Give words to utterances of which the log has only the intent, or leave these out.

    `texts` says what stands for which (`{"/greet": "Hi"}`); others get the intent's name in plain words (`greet`). What
    is left out still parts what was said before from what was said after it.
    """
    only = pl.col("intent").is_not_null() & pl.col("original").is_null()
    if leave_out:
        return frame.with_columns(gap=only.cast(pl.Int64).cum_sum().over(KEY)).filter(~only)
    spoken = [
        None if intent is None else (texts or {}).get(intent) or words_of_intent(intent) for intent in frame["intent"]
    ]
    words = pl.Series("words", spoken, dtype=pl.String)
    said = frame.with_columns(words, only=only)
    prefixed = pl.col("prefix").fill_null("") + pl.col("words")
    return said.with_columns(
        original=pl.when("only").then("words").otherwise("original"),
        text=pl.when("only").then(prefixed).otherwise("text"),
        intent=pl.when("only").then("intent"),
    ).drop("words", "only")


def words_of_intent(intent: str) -> str:
    """
    >>> words_of_intent("/greet"), words_of_intent("helpfulness_3"), words_of_intent("/ask_price{\\"item\\": 1}")
    ('greet', 'helpfulness', 'ask price')
    """
    name = re.sub(r"\{.*\}$|_\d+$", "", intent.removeprefix("/"), flags=re.DOTALL)
    return name.replace("_", " ").strip() or intent


def declare_assigned(frame: pl.DataFrame, studies: Sequence[str] = ()) -> pl.DataFrame:
    """Mark the genders of these studies (or of `all`) as assigned by lot, whatever the log says of them."""
    known = frame["study"].unique(maintain_order=True).to_list()
    for name in studies:
        if name not in (ALL, *known):
            raise UsageError(f"no study {name!r} whose genders were assigned{did_you_mean(name, known)}")
    lots = pl.lit(value=True) if ALL in studies else pl.col("study").is_in(list(studies))
    return frame.with_columns(assigned=pl.col("assigned") | lots)


def recognise_prefixes(frame: pl.DataFrame) -> pl.DataFrame:
    """Find the gender prefixes in logs without a column for them: where all that men or women say begins with theirs.

    Some published files have them in the text. A greeting of a user's own is none: not everything begins with it.
    """
    parts = [_with_found_prefixes(study) for study in frame.partition_by("study", maintain_order=True)]
    return pl.concat(parts) if parts else frame


def _with_found_prefixes(study: pl.DataFrame) -> pl.DataFrame:
    users = study.filter(pl.col("speaker") == USER)
    told = users.filter(pl.col("gender").is_in([MALE, FEMALE]))
    own = pl.col("gender").replace_strict(PREFIXES, default=None, return_dtype=pl.String)
    begins = pl.col("text").str.starts_with(own.str.strip_chars_end())
    if (
        study["prefix"].is_not_null().any()
        or told.is_empty()
        or not told.select(begins.fill_null(value=False).all()).item()
    ):
        return study
    there = (pl.col("speaker") == USER) & begins.fill_null(value=False)
    rest = pl.col("text").str.slice(own.str.strip_chars_end().str.len_chars()).str.strip_chars_start()
    found = study.with_columns(
        prefix=pl.when(there).then(own).otherwise("prefix"), original=pl.when(there).then(rest).otherwise("original")
    )
    return found.with_columns(text=pl.when(there).then(pl.col("prefix") + pl.col("original")).otherwise("text"))


def drop_null_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows without a conversation, a speaker or a text; an unknown gender is no reason."""
    return frame.drop_nulls(["conversation", "speaker", "original"])


def code_speakers(frame: pl.DataFrame, codes: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Say who speaks, user or chatbot, whatever the log calls them; `codes` adds to the spellings that are known."""
    known = SPEAKERS | {spelled.lower(): speaker for spelled, speaker in (codes or {}).items()}
    for speaker in known.values():
        if speaker not in (USER, CHATBOT):
            raise UsageError(f"a speaker is {USER!r} or {CHATBOT!r}, not {speaker!r}")
    return _coded(frame, "speaker", known)


def code_genders(frame: pl.DataFrame, codes: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Give each conversation its user's gender, also in the chatbot's rows; NA where the log has none.

    `codes` adds to the spellings that are known, and may name further genders.
    """
    known = GENDERS | {spelled.lower(): gender for spelled, gender in (codes or {}).items()}
    coded = _coded(frame, "gender", known)
    several = coded["gender"].ne_missing(coded.select(pl.col("gender").drop_nulls().first().over(KEY))["gender"])
    several &= coded["gender"].is_not_null()
    if several.any():
        row = coded.row(several.arg_true()[0], named=True)
        raise EvenhandError(
            f"{_where(row)}: conversation {row['conversation']!r} is {row['gender']!r} here and another gender before; "
            "a conversation has one user"
        )
    return coded.with_columns(gender=pl.col("gender").drop_nulls().first().over(KEY).fill_null(NOT_SAID))


def assign_proxies(frame: pl.DataFrame, counts: Mapping[str, int] | None = None, *, seed: int = 0) -> pl.DataFrame:
    """In studies that know no user's gender, give whole conversations one by lot; the rest stay NA.

    `counts` says how many conversations get which gender (10 male, 10 female). The column `assigned` is then true in
    all rows of such a study. Studies in which somebody's gender is known, or whose texts have prefixes, stay as
    they are.
    """
    wanted = dict(ASSIGNED if counts is None else counts)
    draw = np.random.default_rng(seed)
    parts = []
    for study in frame.partition_by("study", maintain_order=True):
        # What says itself to be assigned is: a lot may be to have no gender.
        lots = bool(study["assigned"].any())
        if set(study["gender"]) != {NOT_SAID} or study["prefix"].is_not_null().any() or lots:
            parts.append(study)
            continue
        conversations = study["conversation"].unique(maintain_order=True).to_list()
        if sum(wanted.values()) > len(conversations):
            asked = ", ".join(f"{count} {gender}" for gender, count in wanted.items())
            fewer = max(1, len(conversations) // (len(wanted) + 1))
            raise UsageError(
                f"study {study['study'][0]!r} has {len(conversations)} conversations, too few for {asked}; "
                f"say how many, as in {' '.join(f'--assign {gender}={fewer}' for gender in wanted)}"
            )
        genders = [gender for gender, count in wanted.items() for _ in range(count)]
        order = draw.permutation(len(conversations))[: len(genders)]
        drawn = {conversations[place]: gender for place, gender in zip(order, genders, strict=True)}
        gender = pl.col("conversation").replace_strict(drawn, default=NOT_SAID, return_dtype=pl.String)
        parts.append(study.with_columns(gender=gender, assigned=pl.lit(True)))
    return pl.concat(parts)


def drop_single_classes(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out a gender that only one conversation has: nothing could be said about it.

    Genders that users stated and those that were assigned count apart, as they are compared apart.
    """
    conversations = pl.struct(KEY).n_unique().over("gender", "assigned")
    kept = frame.filter(conversations > 1)
    if kept.is_empty():
        raise EvenhandError("no gender has two conversations: there is nothing to compare")
    return kept


def add_prefixes(frame: pl.DataFrame, prefixes: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Put the gender before each utterance of a user, as in `Hey boy, `; what has a prefix keeps it."""
    wanted = PREFIXES if prefixes is None else prefixes
    lacking = [gender for gender in frame["gender"].unique(maintain_order=True) if gender not in wanted]
    if lacking:
        raise UsageError(f"no prefix for the gender {lacking[0]!r}; give one, as in {lacking[0]}='Hey, '")
    new = (pl.col("speaker") == USER) & pl.col("prefix").is_null()
    prefix = pl.col("gender").replace_strict(dict(wanted), return_dtype=pl.String)
    return frame.with_columns(
        prefix=pl.when(new).then(prefix).otherwise("prefix"),
        text=pl.when(new).then(prefix + pl.col("text")).otherwise("text"),
    )


def merge_runs(frame: pl.DataFrame) -> pl.DataFrame:
    """Make one utterance of what a speaker says without interruption, within one conversation; one prefix is enough."""
    changed = (pl.col("speaker") != pl.col("speaker").shift(1)).fill_null(True)
    if "gap" in frame.columns:
        changed |= (pl.col("gap") != pl.col("gap").shift(1)).fill_null(True)
    numbered = frame.with_columns(changed.cum_sum().over(KEY).alias("run"))
    plain = (pl.col("text") == pl.col("prefix").fill_null("") + pl.col("original")).all()
    same = pl.col("prefix").n_unique() == 1
    once = pl.col("prefix").first().fill_null("") + pl.col("original").str.join(" ")
    merged = numbered.group_by(*KEY, "run", maintain_order=True).agg(
        pl.col(*(name for name in FIRST if name in frame.columns)).first(),
        pl.col("original").str.join(" "),
        text=pl.when(plain & same).then(once).otherwise(pl.col("text").str.join(" ")),
        rows=pl.col("rows").explode(),
    )
    return merged.select(frame.columns)


def check_borders(before: pl.DataFrame, after: pl.DataFrame) -> None:
    """Refuse a step that joined utterances across a border: of two conversations, of two speakers, or not neighbours.

    (The published data have fourteen such utterances, eight of them made of two users' words of different gender.)
    """
    old = _numbered(before).rename({"place": "old_place", "conversation": "old_conversation", "speaker": "old_speaker"})
    new = _numbered(after).join(old, on=["study", "row"], how="left")
    if new.select("study", "row").is_duplicated().any() or new["old_place"].null_count():
        raise EvenhandError("a step made utterances of rows that it did not have, or used a row twice")
    facts = new.group_by("place", maintain_order=True).agg(
        crossed=(pl.col("old_conversation") != pl.col("conversation")).any(),
        speakers=pl.col("old_speaker").n_unique(),
        gaps=pl.col("old_place").unique().sort().diff().max().fill_null(1) - 1,
        order=(pl.col("old_place").diff().fill_null(0) >= 0).all(),
    )
    for what, bad in {
        "joins two conversations": facts["crossed"],
        "joins two speakers": facts["speakers"] > 1,
        "joins utterances that do not follow one another": (facts["gaps"] > 0) | ~facts["order"],
    }.items():
        if bad.any():
            row = after.row(bad.arg_true()[0], named=True)
            raise EvenhandError(f"{_where(row)}: the utterance {quoted(row['text'], 60)} {what}")


def as_published(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of the published data: C_num, UB, User_gender, Original, Enhancement, Text; where genders were
    assigned, also Assigned."""
    codes = {NOT_SAID: 0, MALE: 1, FEMALE: 2}
    other = [gender for gender in frame["gender"].unique() if gender not in codes]
    if other:
        raise UsageError(f"the published format has no code for the gender {other[0]!r}")
    lots = {"Assigned": pl.col("assigned").cast(pl.Int64)} if frame["assigned"].any() else {}
    return frame.select(
        C_num=_conversation_numbers(frame),
        UB=(pl.col("speaker") == USER).cast(pl.Int64),
        User_gender=pl.col("gender").replace_strict(codes, return_dtype=pl.Int64),
        Original="original",
        Enhancement=pl.col("prefix").fill_null(NO_PREFIX),
        Text="text",
        **lots,
    )


def _conversation_numbers(frame: pl.DataFrame) -> pl.Series:
    numbers = {key: place for place, key in enumerate(frame.select(KEY).unique(maintain_order=True).iter_rows(), 1)}
    return pl.Series([numbers[key] for key in frame.select(KEY).iter_rows()], dtype=pl.Int64)


def _coded(frame: pl.DataFrame, column: str, codes: Mapping[str, str]) -> pl.DataFrame:
    cells = frame[column].str.to_lowercase().str.strip_suffix(".0")
    coded = cells.replace_strict(dict(codes), default=None, return_dtype=pl.String)
    unknown = coded.is_null() & cells.is_not_null()
    if unknown.any():
        row = frame.row(unknown.arg_true()[0], named=True)
        _refuse_code(row, column, sorted(set(codes.values())))
    return frame.with_columns(coded.alias(column))


def _refuse_code(row: Mapping[str, object], column: str, classes: Sequence[str]) -> NoReturn:
    cell = str(row[column])
    raise EvenhandError(
        f"{_where(row)}: unknown {column} {quoted(cell, 60)}; say what it is, as in {cell}={classes[0]} "
        f"(one of {', '.join(classes)})"
    )


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    places = frame.select(pl.int_range(pl.len()).alias("place"), *KEY, "speaker", pl.col("rows").alias("row"))
    return places.explode("row", empty_as_null=True)


def _where(row: Mapping[str, object]) -> str:
    return f"{row['file']}, line {row['line']}"
