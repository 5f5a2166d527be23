"""What is asked: a file of texts made a file of their versions, and such a file, once edited, checked and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

import polars as pl

from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.lexicon import known_labels
from evenhand.corpora.text.perturber import Perturber
from evenhand.corpora.text.validity import Validity
from evenhand.corpora.text.versions import CHANGED, ORIGINAL, SKIPPED, STATUSES, UNCHANGED, UNSURE, Version
from evenhand.corpora.text.writing import Cells, Write, writing
from evenhand.errors import EvenhandError, did_you_mean, one_line
from evenhand.files.opened import naming_its_file
from evenhand.files.rows import Row, rows_of
from evenhand.files.tables import TableFile, read_table

TEXT = "text"
KIND = "text"
"""The kind of persons of whom nothing is known but the text that they stand in: the texts are the sample."""
BY_HAND = "in the words of whoever edited it"


def columns_of(attribute: str) -> tuple[str, ...]:
    """The columns of a file of versions."""
    return ("id", "source", "text", "original", attribute, "status", "reason")


@naming_its_file
def perturb_file(
    path: Path,
    out: Path | None,
    perturber: Perturber,
    *,
    column: str = TEXT,
    advance: Callable[[int], None] = lambda count: None,
    keep: Callable[[Cells], None] | None = None,
) -> Validity:
    """Write the versions of every text of a file; nothing is written where something is wrong, or nothing changes."""
    validity = Validity(perturber.attribute, perturber.groups, perturber.couples, perturber.advice.asked)
    with nullcontext(_nowhere) if out is None else writing(out, columns_of(perturber.attribute)) as write:
        for number, row in enumerate(rows_of(path, needed=(column,), also=("id",)), start=1):
            for cells in _rows(row, number, column, perturber, validity):
                write(cells)
                if keep is not None:
                    keep(cells)
            advance(1)
        _refuse_nothing(path, validity)
    return validity


def _nowhere(cells: Cells) -> None:
    """Nothing is written."""


def _refuse_nothing(path: Path, validity: Validity) -> None:
    if not validity.texts:
        raise EvenhandError(f"{path} has no rows")
    if not validity.by_status[CHANGED]:
        counted = [f"{why} ({times:,})" for counts in validity.reasons.values() for why, times in counts.most_common(2)]
        raise EvenhandError(
            f"{path}: nothing to change for {validity.attribute} in {validity.texts:,} texts: "
            f"{one_line('; '.join(counted[:3]))}"
        )


def _rows(row: Row, number: int, column: str, perturber: Perturber, validity: Validity) -> Iterator[Cells]:
    text = row.cells[column]
    if text is not None and not isinstance(text, str):
        raise EvenhandError(f"{row.where}: column {column!r} holds {one_line(repr(text), 40)}, which is not text")
    named = row.cells.get("id")
    source = str(number if named in (None, "") else named)
    text = text or ""
    if text.strip():
        found = perturber.analysis(text)
        versions, mixed = {group: found.version(text, group) for group in perturber.groups}, found.mixed
    else:
        versions, mixed = {group: Version(text, SKIPPED, "it is empty") for group in perturber.groups}, False
    validity.count(text, versions, mixed=mixed)
    yield _cells(source, perturber.attribute, None, text, Version(text, ORIGINAL))
    for group, version in versions.items():
        yield _cells(source, perturber.attribute, group, text, version)


def _cells(source: str, attribute: str, group: str | None, original: str, version: Version) -> Cells:
    return {
        "id": f"{source}-{group or ORIGINAL}",
        "source": source,
        "text": version.text,
        "original": original,
        attribute: group,
        "status": version.status,
        "reason": version.reason or None,
    }


@naming_its_file
def check_edited(
    path: Path, out: Path | None, perturber: Perturber, *, advance: Callable[[int], None] = lambda count: None
) -> Validity:
    """Read a file of versions that a person has edited, check it row by row, and write it with its status put right."""
    columns = columns_of(perturber.attribute)
    validity = Validity(perturber.attribute, perturber.groups, perturber.couples, perturber.advice.asked)
    with nullcontext(_nowhere) if out is None else writing(out, columns) as write:
        for rows in _by_source(rows_of(path, needed=columns)):
            _check_source(rows, perturber, validity, write)
            advance(len(rows))
        _refuse_nothing(path, validity)
    return validity


def _by_source(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows that follow one another and have the same source."""
    together: list[Row] = []
    for row in rows:
        if together and row.cells["source"] != together[0].cells["source"]:
            yield together
            together = []
        together.append(row)
    if together:
        yield together


def _check_source(rows: list[Row], perturber: Perturber, validity: Validity, write: Write) -> None:
    attribute, original = perturber.attribute, str(rows[0].cells["original"] or "")
    found, seen = perturber.analysis(original), set[str | None]()
    versions: dict[str, Version] = {}
    for where, cells in rows:
        group = None if cells[attribute] in (None, "") else str(cells[attribute])
        status = str(cells["status"])
        text, said = str(cells["text"] or ""), str(cells["original"] or "")
        if status not in STATUSES:
            raise EvenhandError(
                f"{where}: status {status!r}{did_you_mean(status, STATUSES)}; known: {', '.join(STATUSES)}"
            )
        if said != original:
            raise EvenhandError(
                f"{where}: the column 'original' differs within the source {cells['source']!r}; edit only 'text'"
            )
        if (status == ORIGINAL) != (group is None) or (group is None and text != original):
            raise EvenhandError(
                f"{where}: the untouched sentence has no group, the status original and its text as it was; "
                "edit the others"
            )
        if group is not None and group not in perturber.known:
            raise EvenhandError(f"{where}: {attribute} has no group {group!r}{did_you_mean(group, perturber.known)}")
        if group in seen:
            raise EvenhandError(
                f"{where}: the source {cells['source']!r} has {group or 'the untouched sentence'} twice"
            )
        if original.strip() and not text.strip():
            raise EvenhandError(f"{where}: the text is empty; to leave a version out, put the original there")
        seen.add(group)
        version = (
            Version(text, ORIGINAL)
            if group is None
            else _as_edited(text, original, found.version(original, group), validity)
        )
        if group is not None:
            versions[group] = version
        write(_cells(str(cells["source"]), attribute, group, original, version))
    if None not in seen or not versions:
        raise EvenhandError(
            f"{rows[0].where}: the source {rows[0].cells['source']!r} needs its untouched sentence and a version"
        )
    validity.count(original, versions, mixed=found.mixed)


def _as_edited(text: str, original: str, ruled: Version, validity: Validity) -> Version:
    if text == ruled.text:
        return ruled
    validity.edited += 1
    return Version(text, UNCHANGED if text == original else CHANGED, BY_HAND)


def is_perturbed(path: Path) -> bool:
    """Whether a table has the columns of a file of versions."""
    return {"source", "text", "original", "status", "reason"} <= set(read_table(path).columns)


@naming_its_file
def read_perturbed(path: Path) -> Corpus:
    """The corpus of a file of versions."""
    file = TableFile(path)
    columns = columns_of("")
    file.refuse_unread(*columns)
    for column in filter(None, columns):
        if column not in file.frame.columns:
            raise EvenhandError(f"{path}: no column {column!r}{did_you_mean(column, file.frame.columns)}")
    (attribute, *more) = [one for one in file.frame.columns if one not in columns] or [""]
    if not attribute or more:
        raise EvenhandError(
            f"{path}: a file of versions has one column for its attribute, after 'original'; it has {file.has}"
        )
    return text_corpus(file.frame.cast(pl.String), attribute, name=path.stem, title=path.name)


@naming_its_file
def corpus_of_texts(
    path: Path, perturber: Perturber, *, column: str = TEXT, advance: Callable[[int], None] = lambda count: None
) -> tuple[Corpus, Validity]:
    """The corpus of the texts of a file with their versions, and what became of them."""
    rows: list[Cells] = []
    validity = perturb_file(path, None, perturber, column=column, advance=advance, keep=rows.append)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns_of(perturber.attribute), pl.String))
    made = text_corpus(frame, perturber.attribute, name=path.stem, title=path.name, asked=validity.asked)
    return made, validity


def text_corpus(
    frame: pl.DataFrame, attribute: str, *, name: str, title: str, asked: Mapping[str, str] | None = None
) -> Corpus:
    """Texts that have a changed version, with all their versions; the untouched sentence belongs to no group."""
    settled = pl.col("status").is_in([SKIPPED, UNSURE]).any().over("source")
    changed = (pl.col("status") == CHANGED).any().over("source")
    kept = frame.filter(changed & ~settled)
    groups = tuple(str(one) for one in kept[attribute].drop_nulls().unique(maintain_order=True))
    if len(groups) < 2:
        raise EvenhandError(f"{title}: no text has a version of two groups of {attribute}; see the column 'reason'")
    made = kept.select(
        "id",
        "text",
        "source",
        person=pl.col("source"),
        term=pl.lit(None, dtype=pl.String),
        kind=pl.lit(KIND),
        pair=pl.lit(None, dtype=pl.String),
        role=pl.lit(None, dtype=pl.String),
    ).with_columns(kept[attribute], kept["original"])
    told = ", ".join(f"the {role} {who}" for role, who in (asked or {}).items())
    about = About(
        title=f"{title}, with {attribute} changed",
        source=f"texts of {title}" + (f"; where rules were unsure: {told}" if told else ""),
        limits=(
            f"it speaks for texts like the {made['source'].n_unique():,} (of {frame['source'].n_unique():,}) of "
            f"{title} in which {attribute} could be changed, and not for the others",
        ),
    )
    return Corpus(made, name, {attribute: groups}, about=about, labels=known_labels(attribute, groups), language="en")
