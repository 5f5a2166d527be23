"""Any system: the words whose swap moves the score most, people's and those of the other slots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.contrasts import Floats, Ints, group_label
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Strings
from evenhand.explaining.result import Swap
from evenhand.numbering import numbered
from evenhand.stats.effects import crossed_effects
from evenhand.stats.types import Bools

PERSON = "person"


def swaps(scores: Scores, corpus: Corpus, *, attributes: Sequence[str], alpha: float = 0.05) -> tuple[Swap, ...]:
    """What each word does in the place of the others that stand there, by output and kind, the largest first.

    A person is compared with all others in the same source; a word of another slot with those in the same template, for
    the same person. Intervals take templates and words (for words: templates and people) as samples, and are corrected
    (Bonferroni) for all words of their kind.
    """
    values = scores.select(Strings(corpus.frame["id"])).matrix
    columns = [column for column in corpus.groupings if column != "template"]
    found = _of_kind(scores, values, corpus, PERSON, "source", corpus.groupings or ("source",), attributes, alpha)
    if "template" in corpus.frame.columns:
        for column in columns:
            found += _of_kind(scores, values, corpus, column, "template", ("template", PERSON), (), alpha)
    return tuple(found)


def _of_kind(
    scores: Scores,
    values: Floats,
    corpus: Corpus,
    kind: str,
    place: str,
    sampled: Sequence[str],
    attributes: Sequence[str],
    alpha: float,
) -> list[Swap]:
    """The words in one column; `place` is what two sentences must share for one word to stand for the other."""
    design = [*dict.fromkeys([kind, place, *sampled, *([] if kind == PERSON else [PERSON])])]
    rows = corpus.frame.select(design).with_row_index("row").drop_nulls([kind, place])
    cell_columns = [place] if kind == PERSON else [place, PERSON]
    groups = {word: _groups(corpus, word, attributes) for word in rows[kind].unique()} if kind == PERSON else {}
    found: list[Swap] = []
    means = _means(rows, values, kind, cell_columns)
    if means is None:
        return found
    words, cell_rows, there, value = means
    labels = corpus.frame[cell_rows]
    codes = {column: _codes(labels, column) for column in sampled}
    others = there.sum(axis=0) - there
    usable = (there > 0) & (others > 0)
    for column_place, column in enumerate(scores.columns):
        if column.output.of is not None:
            continue
        mine = value[:, :, column_place]
        rest = (mine * there).sum(axis=0) - mine * there
        apart = mine - np.divide(rest, others, out=np.zeros_like(rest), where=others > 0)
        asked = [number for number in range(len(words)) if usable[number].any()]
        made = [
            _swap(column.output.name, kind, words[number], groups.get(words[number], ()), apart[number], usable[number],
                  list(codes.values()), level=1 - alpha / max(len(asked), 1))
            for number in asked
        ]  # fmt: skip
        found += sorted(made, key=lambda one: (-abs(one.effect), one.word))
    return found


def _means(
    rows: pl.DataFrame, values: Floats, kind: str, cell_columns: Sequence[str]
) -> tuple[list[str], list[int], Ints, Floats] | None:
    """The mean score of each word in each cell, how many sentences it rests on, and a sentence of each cell."""
    if rows[kind].n_unique() < 2:
        return None
    words = sorted(rows[kind].cast(str).unique())
    number = {word: place for place, word in enumerate(words)}
    word = np.array([number[one] for one in rows[kind].cast(str)])
    cell = numbered(list(rows.select(cell_columns).iter_rows()))
    cells = int(cell.max()) + 1
    row = rows["row"].to_numpy()
    counts = np.zeros((len(words), cells), dtype=np.int64)
    sums = np.zeros((len(words), cells, values.shape[1]))
    np.add.at(counts, (word, cell), 1)
    np.add.at(sums, (word, cell), values[row])
    first = np.zeros(cells, dtype=np.int64)
    first[cell[::-1]] = row[::-1]
    means = sums / np.maximum(counts, 1)[:, :, None]
    return words, first.tolist(), (counts > 0).astype(np.int64), means


def _swap(
    output: str,
    kind: str,
    word: str,
    groups: tuple[str, ...],
    apart: Floats,
    usable: Bools,
    codes: Sequence[Ints],
    *,
    level: float,
) -> Swap:
    effects = crossed_effects(apart[usable][:, None], [numbered(one[usable].tolist()) for one in codes])
    low, high = (float(end[0]) for end in effects.interval(level))
    told = not np.isnan(low)
    why = None if told else "it stands in one place only"
    interval = (low, high) if told else None
    return Swap(output, kind, word, groups, float(effects.estimate[0]), interval, int(usable.sum()), why)


def _codes(labels: pl.DataFrame, column: str) -> Ints:
    """The group of each cell; a null is a group of its own."""
    given = labels[column].to_list()
    return numbered([f"({place})" if label is None else str(label) for place, label in enumerate(given)])


def _groups(corpus: Corpus, person: str, attributes: Sequence[str]) -> tuple[str, ...]:
    """What people call the groups of a person."""
    mine = corpus.frame.filter(pl.col(PERSON) == person)
    plain = dict.fromkeys(part for attribute in attributes for part in attribute.split("+"))
    found = []
    for attribute in plain:
        said = mine[attribute].drop_nulls().unique()
        if len(said) == 1:
            found.append(group_label(corpus, attribute, said[0], called="") or str(said[0]))
    return tuple(found)
