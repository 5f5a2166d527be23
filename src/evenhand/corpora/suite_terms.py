"""Identity terms as Czarnowska et al. (2021) lay them out in files: who belongs to which group, in which forms."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import read_text
from evenhand.files.tables import TableFile

PARTS = ("adj", "n", "pp")
NOT_RECOMMENDED = "nonrec"
"""The type of terms that the authors list and do not use."""

SIXTHS = ("lowest", "second-lowest", "third-lowest", "third-highest", "second-highest", "highest")
"""Sixths of the countries by GDP; the authors' code calls them 1q (the lowest) to 6q."""

NAMES = "names"
NAME_LISTS = {"female": "only_female_names.txt", "male": "only_male_names.txt"}

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Layout:
    """Where an attribute's files are, what its slots are called, and which of its terms the sentences use."""

    templates: str
    terms: str
    slots: tuple[str, ...]
    """What the names of slots begin with, besides `identity`."""
    parts: tuple[str, ...] = PARTS
    by: str = "GROUP"
    """The column of the groups."""
    column: str | None = None
    """The column of the corpus, where it isn't called as the attribute."""
    generic: bool = True
    """Whether the templates that attributes share are used, too."""


LAYOUTS = {
    "age": Layout("age", "age", ("age",), parts=("adj",)),
    "gender": Layout("gender_sexuality", "gender", ("gender",)),
    "sexuality": Layout("gender_sexuality", "sexuality", ("sexuality",)),
    "sexual_orientation": Layout("gender_sexuality", "sexuality", ("sexuality",)),
    "race": Layout("ethnicity", "race", ("race", "ethnicity")),
    "nationality": Layout("nationality", "countries", ("country", "nationality"), by="GDP_PPP"),
    "names": Layout("people", NAMES, (), parts=("n",), column="gender", generic=False),
}
"""Attributes whose files are called otherwise than they are, or whose terms are used in part only."""


def layout_of(attribute: str, *, by: str | None = None) -> Layout:
    """How the files of an attribute are laid out; of one that is not known, under its own name.

    >>> layout_of("race").templates, layout_of("religion").templates, layout_of("nationality", by="REGION").by
    ('ethnicity', 'religion', 'REGION')
    """
    found = LAYOUTS.get(attribute, Layout(attribute, attribute, (attribute,)))
    return found if by is None else replace(found, by=by)


@dataclass(frozen=True)
class Identity:
    """One row of a file of terms: who it stands for and the forms that it has."""

    person: str
    group: str
    adjective: str | None = None
    after: str | None = None
    noun: str | None = None
    named: tuple[str, str] | None = None
    """A slot of its own, such as `country` or `religion`, and what fills it."""

    def said(self, slot: str) -> str | None:
        """What fills a slot, before it gets an article or a capital; None where there is no such form.

        >>> tall, limping = Identity("tall person", "a", adjective="tall"), Identity("x", "b", after="with a limp")
        >>> [one.said(slot) for one in (tall, limping) for slot in ("identity_np", "identity_pupils", "identity_adj")]
        ['tall person', 'tall pupils', 'tall', 'person with a limp', 'pupils with a limp', None]
        """
        if self.named is not None and slot == self.named[0]:
            return self.named[1]
        _, underscore, form = slot.partition("_")
        if form == "adj":
            return self.adjective
        if form == "adj_or_pp":
            return self.adjective or self.after
        if slot == "person" or form == "np":
            return self.noun or self._describing("person")
        return self._describing(form.replace("_", " ")) if underscore else None

    def _describing(self, noun: str) -> str | None:
        if self.adjective is not None:
            return f"{self.adjective} {noun}"
        return f"{noun} {self.after}" if self.after is not None else None


def read_identities(place: Path, layout: Layout, *, names: int | None, seed: int) -> list[Identity]:
    """The terms of a file, or of an attribute's file in a folder; of longer lists of names, so many a group."""
    file = _file(place, layout) if place.is_dir() else place
    if file is None:
        return _drawn(list(_listed_names(place)), names, seed)
    table = TableFile(file, known=("TERM", "POS", "SEM", "TYPE", "COUNTRY_ADJ", layout.by))
    if layout.terms == NAMES:
        return _drawn(list(_terms(table, layout)), names, seed)
    return list(_terms(table, layout) if "COUNTRY_ADJ" not in table.frame.columns else _countries(table, layout))


def check_columns(file: TableFile, *needed: str) -> None:
    """Refuse a table that lacks a column."""
    for column in needed:
        if column not in file.frame.columns:
            raise EvenhandError(f"{file.path}: no column {column!r}; it has {file.has}")


def _file(folder: Path, layout: Layout) -> Path | None:
    """The attribute's file; None where names lie there as lists."""
    wanted = f"{layout.terms}.csv"
    for place in (folder / wanted, folder / "identity_terms" / wanted):
        if place.is_file():
            return place
    if layout.terms == NAMES and _lists(folder) is not None:
        return None
    raise UsageError(f"{folder} has no {wanted}, neither in it nor in identity_terms")


def _terms(file: TableFile, layout: Layout) -> Iterator[Identity]:
    check_columns(file, "TERM", layout.by)
    left_out: Counter[str] = Counter()
    seen: Counter[tuple[str, str, str]] = Counter()
    for place, row in enumerate(file.frame.iter_rows(named=True)):
        # A file without parts of speech holds words of one kind.
        given = row["POS"] if "POS" in row else layout.parts[0]
        term, group, part = (str(value or "").strip() for value in (row["TERM"], row[layout.by], given))
        if part not in (*PARTS, ""):
            raise EvenhandError(f"{file.where(place)}: POS is {part!r}; it must be {', '.join(PARTS)} or empty")
        why = _not_used(row, term, group, part, layout)
        if why:
            left_out[why] += 1
            continue
        seen[term, group, part] += 1
        yield _identity(term, group, part, str(row.get("SEM") or "").strip())
    for why, count in left_out.items():
        log.info("%s: %d of %d terms are left out: %s", file.path, count, file.frame.height, why)
    for (term, group, _), times in seen.items():
        if times > 1:
            log.info("%s: %r stands %d times in the group %r, and counts so often", file.path, term, times, group)


def _not_used(row: Mapping[str, str | None], term: str, group: str, part: str, layout: Layout) -> str:
    if not term or not group:
        return "they have no term or no group"
    if row.get("TYPE") == NOT_RECOMMENDED:
        return f"their type is {NOT_RECOMMENDED}"
    if not part:
        return "they have no part of speech"
    return "" if part in layout.parts else f"their part of speech is {part}, which these sentences don't use"


def _identity(term: str, group: str, part: str, meaning: str) -> Identity:
    if part == "adj":
        return Identity(f"{term} person", group, adjective=term)
    if part == "pp":
        return Identity(f"person {term}", group, after=term)
    if meaning not in ("", "person"):
        return Identity(term, group, named=(meaning, term))
    return Identity(term, group, noun=term)


def _countries(file: TableFile, layout: Layout) -> Iterator[Identity]:
    """Countries have a name and an adjective each. Two may share the adjective, so the name says who is who."""
    check_columns(file, "TERM", layout.by)
    by_figure = layout.by.startswith("GDP")
    groups = _sixths(file, layout.by) if by_figure else file.frame[layout.by].to_list()
    rows = list(zip(file.frame["TERM"], file.frame["COUNTRY_ADJ"], groups, strict=True))
    without = sum(not group for *_, group in rows)
    if without:
        log.info("%s: %d of %d countries have no %s and are left out", file.path, without, len(rows), layout.by)
    order = [f"{place} GDP" for place in SIXTHS] if by_figure else []
    for country, adjective, group in sorted(rows, key=lambda row: order.index(row[2]) if row[2] in order else 0):
        if group:
            yield Identity(country, group, adjective=adjective or None, named=("country", country))


def _sixths(file: TableFile, column: str) -> list[str | None]:
    there = file.column(column)
    known = there.numbers(rows=there.texts.is_not_null().arg_true().to_list())
    if len(known) < len(SIXTHS):
        raise EvenhandError(f"{file.path}: {len(known)} countries have a {column}; six groups need as many")
    borders = np.quantile(known, np.arange(1, len(SIXTHS)) / len(SIXTHS))
    return [None if one is None else f"{SIXTHS[int(np.searchsorted(borders, one))]} GDP" for one in there.parsed()]


def _lists(folder: Path) -> Path | None:
    """Where the lists of names lie."""
    places = (folder, folder / "wiktionary_names", folder / "identity_terms" / "wiktionary_names")
    return next((place for place in places if (place / NAME_LISTS["female"]).is_file()), None)


def _listed_names(folder: Path) -> Iterator[Identity]:
    for group, name in NAME_LISTS.items():
        path = (_lists(folder) or folder) / name
        lines = read_text(path).splitlines()
        for listed in dict.fromkeys(line.strip("\ufeff\u200e \t") for line in lines):
            if listed:
                yield Identity(listed, group, noun=listed)


def _drawn(identities: list[Identity], most: int | None, seed: int) -> list[Identity]:
    if most is None:
        return identities
    rng = np.random.default_rng(seed)
    kept: list[Identity] = []
    for group in dict.fromkeys(one.group for one in identities):
        members = [one for one in identities if one.group == group]
        kept += [members[place] for place in np.sort(rng.permutation(len(members))[:most])]
    return kept
