"""What is compared where a repair is judged: the gaps before and after, on sentences that it was not fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.contrasts import Contrast, Ints
from evenhand.corpora import Corpus
from evenhand.repair.evidence import readings
from evenhand.repair.gaps import EVERYBODY, Strata, comparison, kinds_of
from evenhand.repair.outcomes import Estimate, Looked
from evenhand.repair.variables import Variable
from evenhand.scoring import Column, Scores
from evenhand.stats import Components
from evenhand.systems.base import Array


@dataclass(frozen=True)
class Question:
    """What is compared: two groups of one attribute, among some persons."""

    attribute: str
    first: str
    second: str
    scope: str


def questions(corpus: Corpus, attributes: Sequence[str]) -> Iterator[Question]:
    """All pairs of groups, among everybody and among each kind of persons that is there."""
    for attribute in attributes:
        kinds = kinds_of(corpus, attribute)
        for first, second in combinations(corpus.attributes[attribute], 2):
            for scope in dict.fromkeys((EVERYBODY, *kinds)):
                yield Question(attribute, first, second, scope)


def whole_gap(scores: Scores, corpus: Corpus, variable: Variable, question: Question) -> list[Estimate] | str:
    """The gap in the whole corpus as an audit finds it, for each reading of a variable; or why there is none."""
    made = comparison(corpus, question.attribute, (question.first, question.second), question.scope)
    return made if isinstance(made, str) else _estimates(made.components(readings(scores, variable)))


def looked_at(
    scores: Scores,
    corpus: Corpus,
    afters: Sequence[Array],
    variable: Variable,
    question: Question,
    fold: Ints | None = None,
) -> list[list[Looked]] | None:
    """A gap before and after each method, by reading and method; None where the groups cannot be compared here.

    `fold` tells which sentences were held out together. Persons of different folds were repaired by different fits,
    which sets the folds apart and says nothing about how persons vary: they are compared within their fold.
    """
    made = comparison(corpus, question.attribute, (question.first, question.second), question.scope)
    if isinstance(made, str):
        return None
    read, own = readings(scores, variable), list(variable.places)
    both = [read.matrix, *(variable.read(after[:, own]) for after in afters)]
    strata = None if fold is None else _within_folds(made.contrast, fold)
    found = _estimates(made.components(_side_by_side(read, both), strata))
    width, methods = read.matrix.shape[1], len(afters)
    return [
        [
            _looked(found[place], found[place + number * width], found[place + (number + methods) * width])
            for number in range(1, methods + 1)
        ]
        for place in range(width)
    ]


def _side_by_side(read: Scores, both: Sequence[Array]) -> Scores:
    """Before, after, and their sums: the variance of a sum tells how before and after vary together."""
    table = np.hstack([*both, *(both[0] + after for after in both[1:])])
    columns = tuple(
        Column(f"{place}", replace(read.columns[place % len(read.columns)].output, of=None, value=None), None)
        for place in range(table.shape[1])
    )
    return Scores(read.ids, table, columns, read.corpus_digest)


def _looked(before: Estimate, after: Estimate, both: Estimate) -> Looked:
    return Looked(before, after, (both.variance - before.variance - after.variance) / 2)


def _estimates(parts: Components) -> list[Estimate]:
    return [
        Estimate(float(estimate), float(variance), None if np.isnan(freedom) else float(freedom))
        for estimate, variance, freedom in zip(parts.estimate, parts.variance, parts.degrees_of_freedom, strict=True)
    ]


def _within_folds(made: Contrast, fold: Ints) -> Strata | None:
    """Strata parted by fold; None where a unit stands in several folds, or would be alone in its own."""
    unit, _, sentence, _ = made.entries
    folds = int(fold.max()) + 1
    lowest, highest = np.full(len(made.units), folds), np.full(len(made.units), -1)
    np.minimum.at(lowest, unit, fold[sentence])
    np.maximum.at(highest, unit, fold[sentence])
    if (lowest != highest).any():
        return None
    keys, finer = np.unique(made.stratum * folds + lowest, return_inverse=True)
    sizes, whole = np.bincount(finer), keys // folds
    if sizes.min() < 2:
        return None
    return Strata(finer, made.coefficients[whole] * sizes / made.stratum_sizes[whole], made.pairs[whole])
