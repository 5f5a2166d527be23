"""What is compared where a repair is judged: the gaps before and after, on sentences that it was not fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.asking import Scores
from evenhand.comparing.general import Strata, general_gap, scale_of
from evenhand.contrasts import EVERYBODY, REST, Contrast, Ints, general_contrast, kinds_of, side_labels, sides_asked
from evenhand.corpora import Corpus
from evenhand.repairs.estimates import Estimate, estimates_of
from evenhand.repairs.evidence import readings
from evenhand.repairs.outcomes import Looked
from evenhand.repairs.parts import PartEstimate, part_gaps
from evenhand.repairs.splits import PERSONS
from evenhand.repairs.variables import Variable
from evenhand.stats import Components
from evenhand.systems.base import Array


@dataclass(frozen=True)
class Question:
    """What is compared: two groups of one attribute, or one and the rest, among some persons."""

    attribute: str
    first: str
    second: str
    scope: str
    against_rest: bool = False


def questions(corpus: Corpus, attributes: Sequence[str]) -> Iterator[Question]:
    """What an audit compares, among everybody and among each kind of persons that is there."""
    for attribute in attributes:
        kinds = kinds_of(corpus, attribute)
        for first, second in sides_asked(corpus, attribute):
            for scope in dict.fromkeys((EVERYBODY, *kinds)):
                yield Question(attribute, first, second, scope, against_rest=second == REST)


def labels(corpus: Corpus, question: Question) -> tuple[str, str]:
    """What the two groups are called where people read of them."""
    made = _made(corpus, question)
    return (question.first, question.second) if isinstance(made, str) else side_labels(made, corpus)


def _made(corpus: Corpus, question: Question) -> Contrast | str:
    """The comparison that speaks for persons in general, or why there is none."""
    sides = question.first, question.second
    return general_contrast(corpus, question.attribute, sides, question.scope, rest=question.against_rest)


def whole_gap(scores: Scores, corpus: Corpus, variable: Variable, question: Question) -> list[Estimate] | str:
    """The gap in the whole corpus as an audit finds it, for each reading of a variable; or why there is none."""
    made = _made(corpus, question)
    if isinstance(made, str):
        return made
    read = readings(scores, variable)
    return estimates_of(general_gap(made, read.matrix, scale=scale_of(read.matrix, read.spans)), made)


def whole_parts(scores: Scores, corpus: Corpus, variable: Variable, question: Question) -> list[list[PartEstimate]]:
    """The gap in the whole corpus by part, for each reading of a variable."""
    return [by_method[0] for by_method in parts_at(scores, corpus, [scores.matrix], variable, question) or []]


def parts_at(
    scores: Scores,
    corpus: Corpus,
    afters: Sequence[Array],
    variable: Variable,
    question: Question,
    fold: Ints | None = None,
) -> list[list[list[PartEstimate]]] | None:
    """The gap after each method by part, by reading and method; None where the groups cannot be compared here."""
    made = _made(corpus, question)
    if isinstance(made, str):
        return None
    spans, own = readings(scores, variable).spans, list(variable.places)
    table = np.hstack([variable.read(after[:, own]) for after in afters])
    scale = scale_of(table, np.tile(spans, len(afters)))
    found = part_gaps(made, table, scale=scale, strata=None if fold is None else _within_folds(made, fold))
    width = len(spans)
    return [[found[place + number * width] for number in range(len(afters))] for place in range(width)]


def looked_at(
    scores: Scores,
    corpus: Corpus,
    afters: Sequence[Array],
    variable: Variable,
    question: Question,
    fold: Ints | None = None,
    *,
    new: str = PERSONS,
) -> list[list[Looked]] | None:
    """A gap before and after each method, by reading and method; None where the groups cannot be compared here.

    `fold` tells which sentences were held out together. Persons of different folds were repaired by different fits,
    which sets the folds apart and says nothing about how persons vary: they are compared within their fold. `new` is
    what the fits had not seen.
    """
    made = _made(corpus, question)
    if isinstance(made, str):
        return None
    read, own = readings(scores, variable), list(variable.places)
    both = [read.matrix, *(variable.read(after[:, own]) for after in afters)]
    # Before, after, and their sums: the variance of a sum tells how before and after vary together.
    table = np.hstack([*both, *(both[0] + after for after in both[1:])])
    width, methods = read.matrix.shape[1], len(afters)
    scale = scale_of(table, np.tile(read.spans, 1 + 2 * methods))
    strata = None if fold is None else _within_folds(made, fold)
    parts = general_gap(made, table, scale=scale, strata=strata)
    found, by_new = estimates_of(parts, made), _by_what_is_new(parts, made, new)
    return [
        [
            _looked(
                found[place],
                found[place + number * width],
                found[place + (number + methods) * width],
                float(by_new[place + number * width]),
            )
            for number in range(1, methods + 1)
        ]
        for place in range(width)
    ]


def _looked(before: Estimate, after: Estimate, both: Estimate, by_what_is_new: float) -> Looked:
    return Looked(before, after, (both.variance - before.variance - after.variance) / 2, by_what_is_new)


def _by_what_is_new(parts: Components, made: Contrast, new: str) -> Array:
    """What each gap would vary by if persons, or the values of one column, were drawn anew; all of its variance where
    that column is not told apart here."""
    rows = {column: row for row, column in enumerate((PERSONS, *made.sampled_columns))}
    return parts.drawn_anew[rows[new]] if new in rows else parts.variance


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
    counts = made.coefficients[whole] * sizes / made.stratum_sizes[whole]
    return Strata(finer, counts, made.pairs[whole], None if made.in_rest is None else made.in_rest[whole])
