"""Which sentences each system was asked about: in waves, systems stop at different ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.asking import Scores
from evenhand.asking.scores import read_only
from evenhand.corpora import Corpus
from evenhand.stats.types import Bools


def side_by_side(parts: list[Scores], corpus: Corpus) -> Scores:
    """Scores of several systems about parts of one corpus; what a system was not asked is NaN."""
    place = {id_: row for row, id_ in enumerate(corpus.frame["id"])}
    matrix = np.full((len(corpus), sum(len(part.columns) for part in parts)), np.nan)
    first = 0
    for part in parts:
        rows = np.array([place[id_] for id_ in part.ids], dtype=np.intp)
        matrix[rows, first : first + len(part.columns)] = part.matrix
        first += len(part.columns)
    columns = tuple(column for part in parts for column in part.columns)
    return Scores(tuple(corpus.frame["id"]), read_only(matrix), columns, corpus.digest)


def by_sentences(scores: Scores, corpus: Corpus) -> list[tuple[Scores, Corpus]]:
    """Systems that were asked about the same sentences, with these sentences: one pair unless asked in waves."""
    unasked = np.isnan(scores.matrix)
    if not unasked.any():
        return [(scores, corpus)]
    together: dict[bytes, list[int]] = {}
    for number in range(unasked.shape[1]):
        together.setdefault(unasked[:, number].tobytes(), []).append(number)
    return [_part(scores.pick(numbers), corpus, ~unasked[:, numbers[0]]) for numbers in together.values()]


def in_common(scores: Scores, corpus: Corpus) -> tuple[Scores, Corpus]:
    """All systems, on the sentences that all of them were asked about."""
    asked: Bools = np.logical_not(np.isnan(scores.matrix).any(axis=1))
    return (scores, corpus) if asked.all() else _part(scores, corpus, asked)


def _part(scores: Scores, corpus: Corpus, rows: Bools) -> tuple[Scores, Corpus]:
    if rows.all():
        return scores, corpus
    frame = corpus.frame.filter(rows)
    part = replace(corpus, frame=frame, drawn_from=corpus.drawn_from or corpus.digest)
    return Scores(tuple(frame["id"]), read_only(scores.matrix[rows]), scores.columns, part.digest), part
