"""The paper's pairs of means: the same template and emotion word about two groups, each averaged over its persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from scipy import sparse

from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.numbering import numbered

CELL = ("template", "emotion_word")
MINUEND = {"gender": "female", "race": "European American"}
"""The group that comes first in the paper's differences; by race it is not the first of the corpus `eec`."""


@dataclass(frozen=True, eq=False)
class Pairing:
    """Pairs of means that differ in one attribute only: first group minus second.

    A pair holds a template, an emotion word and the groups of all other attributes fixed. Persons of whom another
    attribute is not known are a pairing of their own, as the paper's sentences without names, which have no race.
    """

    attribute: str
    first: str
    second: str
    first_label: str
    """What the first group is called where people read of it."""
    second_label: str
    among: str
    """Whom it is about, where the attribute has several pairings: `with names`, `without names`; else empty."""
    others_known: int
    """How many of the other attributes are known of everybody here."""
    differences: sparse.csr_array
    """(pairs, sentences): times the scores, the difference of each pair."""
    cells: sparse.csr_array
    """(cells, sentences): times the scores, the mean of each template and word over both groups."""

    @property
    def question(self) -> str:
        """What is compared, such as `gender, with names`."""
        return ", ".join(part for part in (self.attribute, self.among) if part)

    @property
    def n(self) -> int:
        """The number of pairs."""
        return int(self.differences.shape[0])


def pairings(corpus: Corpus, *, minuend: Mapping[str, str] = MINUEND, neutral_too: bool = False) -> tuple[Pairing, ...]:
    """The pairs of means of a corpus, for each attribute and each two of its groups.

    `minuend` names the group that comes first, by attribute; otherwise the corpus's order counts. The emotional
    sentences are compared, those with an emotion word; with `neutral_too` the others as well.
    """
    lacking = [column for column in CELL if column not in corpus.frame.columns]
    if lacking:
        raise UsageError(f"the corpus {corpus.name!r} has no column {lacking[0]!r}, which pairs of means are made by")
    frame = corpus.frame.with_row_index("row")
    if not neutral_too:
        frame = frame.filter(pl.col("emotion_word").is_not_null())
    return tuple(one for attribute in corpus.attributes for one in _of_attribute(corpus, frame, attribute, minuend))


def _of_attribute(corpus: Corpus, frame: pl.DataFrame, attribute: str, minuend: Mapping[str, str]) -> Iterator[Pairing]:
    others = [name for name in corpus.attributes if name != attribute]
    groups = sorted(corpus.attributes[attribute], key=lambda group: group != minuend.get(attribute))
    for first, second in combinations(groups, 2):
        asked = frame.filter(pl.col(attribute).is_in([first, second]))
        parts = _by_what_is_known(asked, others) if asked.height else []
        made = [(part, _pairing(part, attribute, (first, second), others, len(corpus))) for part in parts]
        kept = [(part, one) for part, one in made if one.n]
        for among, (part, one) in zip(_told_apart([part for part, _ in kept], others), kept, strict=True):
            called = corpus.labels_of(attribute, among=part)
            labels = [called.get(group, group) for group in (first, second)]
            yield replace(one, among=among, first_label=labels[0], second_label=labels[1])


def _by_what_is_known(frame: pl.DataFrame, others: Sequence[str]) -> list[pl.DataFrame]:
    """Apart by which of the other attributes are known: in the `eec`, names have a race and noun phrases have none."""
    if not others:
        return [frame]
    flags = {f"{name} is known": pl.col(name).is_not_null() for name in others}
    parts = frame.with_columns(**flags).partition_by(list(flags), maintain_order=True)
    return [part.drop(list(flags)) for part in parts]


def _pairing(
    frame: pl.DataFrame, attribute: str, groups: tuple[str, str], others: Sequence[str], sentences: int
) -> Pairing:
    pair = numbered(frame.select(*CELL, *others).iter_rows())
    side = (frame[attribute] == groups[1]).to_numpy().astype(np.intp)
    counts = np.zeros((pair.max() + 1, 2), dtype=np.intp)
    np.add.at(counts, (pair, side), 1)
    whole = np.flatnonzero((counts > 0).all(axis=1))
    place = np.full(len(counts), -1)
    place[whole] = np.arange(len(whole))
    mine = place[pair] >= 0
    frame, pair, side = frame.filter(mine), pair[mine], side[mine]
    rows = frame["row"].to_numpy()
    shares = np.where(side == 0, 1.0, -1.0) / counts[pair, side]
    differences = sparse.csr_array((shares, (place[pair], rows)), shape=(len(whole), sentences))
    cell = numbered(frame.select(CELL).iter_rows())
    sizes = np.bincount(cell)
    cells = sparse.csr_array((1 / sizes[cell], (cell, rows)), shape=(len(sizes), sentences))
    known = sum(frame[name].null_count() == 0 for name in others)
    return Pairing(attribute, *groups, *groups, "", known, differences, cells)


def _told_apart(parts: Sequence[pl.DataFrame], others: Sequence[str]) -> list[str]:
    """A few words for each part: by names, as the paper does, or by the attributes that are known."""
    if len(parts) == 1:
        return [""]
    kinds = [set(part["kind"]) if "kind" in part.columns else {None} for part in parts]
    if len(parts) == 2 and {"name"} in kinds and any("name" not in one for one in kinds):
        return ["with names" if one == {"name"} else "without names" for one in kinds]
    known = [[name for name in others if part[name].null_count() == 0] for part in parts]
    return [f"with {' and '.join(names)}" if names else f"without {' and '.join(others)}" for names in known]
