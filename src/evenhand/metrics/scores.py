"""Scoring functions φ: what is measured on a set of examples, before anything is compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evenhand.metrics.counts import Counts
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN
from evenhand.stats.types import Bools, Floats

Rows = Literal["all", "of the class", "of other classes", "with gold"]
Basis = Literal["predictions", "probabilities"]
NO_POSITIVE = "no example has the gold class {}"
NO_NEGATIVE = "every example has the gold class {}"


@dataclass(frozen=True)
class Rate:
    """φ as a share of counts: `of` gives numerator and denominator, each (…, groups, classes)."""

    name: str
    of: Callable[[Counts], tuple[Floats, Floats]]
    empty: str
    """What is missing where the denominator is zero; `{}` stands for the class."""
    per_class: bool = True
    needs_gold: bool = True
    basis: Basis = "predictions"


@dataclass(frozen=True)
class Mean:
    """φ as a weighted mean over rows: `of` gives each row's amount and weight for a class."""

    name: str
    of: Callable[[Predictions, int], tuple[Floats, Floats]]
    rows: Rows = "all"
    empty: str = "there is nothing to average"
    per_class: bool = True
    basis: Basis = "probabilities"


@dataclass(frozen=True)
class Values:
    """φ as one number per row: the set of them in a group, or each by itself when the set is one example."""

    name: str
    of: Callable[[Predictions, int], Floats]
    rows: Rows = "all"
    each: bool = False
    """Whether examples are compared one by one (A = {x}) rather than as sets."""
    nominal: bool = False
    """Whether the numbers are mere codes, of which a mean says nothing."""
    per_class: bool = True
    basis: Basis = "probabilities"


Score = Rate | Mean | Values


def chosen_rows(predictions: Predictions, rows: Rows, code: int) -> Bools:
    """Which rows a score looks at; at least one."""
    if rows == "all" or (rows == "with gold" and predictions.regression):
        return np.ones(len(predictions), dtype=np.bool_)
    if predictions.gold is None:
        raise Undefined("no gold classes are given")
    known, of_the_class = predictions.gold != UNKNOWN, predictions.gold == code
    chosen, none = {
        "with gold": (known, "no example has a gold class"),
        "of the class": (of_the_class, NO_POSITIVE),
        "of other classes": (known & ~of_the_class, NO_NEGATIVE),
    }[rows]
    if not chosen.any():
        raise Undefined(none.format(repr(predictions.classes[code])))
    return np.asarray(chosen, dtype=np.bool_)


def probability(predictions: Predictions, code: int) -> Floats:
    """The probability of a class; for regression, the score."""
    if predictions.probabilities is None:
        raise Undefined("no probabilities are given")
    return np.asarray(predictions.probabilities[:, code], dtype=np.float64)


def probability_of_gold(predictions: Predictions, code: int) -> Floats:
    """The probability of each row's own gold class (0 where it is not known; such rows are left out)."""
    if predictions.probabilities is None:
        raise Undefined("no probabilities are given")
    if predictions.regression:
        return probability(predictions, 0)
    if predictions.gold is None:
        raise Undefined("no gold classes are given")
    known = np.where(predictions.gold == UNKNOWN, 0, predictions.gold)
    return np.asarray(np.take_along_axis(predictions.probabilities, known[:, None], axis=1)[:, 0], dtype=np.float64)


def log_odds(predictions: Predictions, code: int) -> Floats:
    """log(p / (1 − p)); infinite, and so undefined, where a probability is exactly 0 or 1."""
    if predictions.regression:
        raise Undefined("regression scores have no log-odds")
    p = probability(predictions, code)
    certain = int(((p == 0) | (p == 1)).sum())
    if certain:
        raise Undefined(f"the log-odds are infinite: {certain:,} of {len(p):,} probabilities are exactly 0 or 1")
    return np.log(p) - np.log1p(-p)


def expected_label(predictions: Predictions, code: int) -> Floats:
    """Σ probability · value over the grades of a scale."""
    if predictions.values is None:
        raise Undefined("the classes are not grades of a scale; say what each counts for with `with_values`")
    if predictions.probabilities is None:
        raise Undefined("no probabilities are given")
    return predictions.probabilities @ predictions.values


def predicted_class(predictions: Predictions, code: int) -> Floats:
    """The code of the predicted class."""
    if predictions.predicted is None:
        raise Undefined("no classes are predicted")
    return predictions.predicted.astype(np.float64)


def arcs(predictions: Predictions, code: int) -> tuple[Floats, Floats]:
    """Correct arcs and all arcs of each row's dependency tree."""
    if predictions.arcs is None:
        raise Undefined("no counts of dependency arcs are given")
    return predictions.arcs[:, 0].astype(np.float64), predictions.arcs[:, 1].astype(np.float64)


def _plain_mean(of: Callable[[Predictions, int], Floats]) -> Callable[[Predictions, int], tuple[Floats, Floats]]:
    def amounts(predictions: Predictions, code: int) -> tuple[Floats, Floats]:
        values = of(predictions, code)
        return values, np.ones_like(values)

    return amounts


def _accuracy(counts: Counts) -> tuple[Floats, Floats]:
    """Over all classes at once: every row is a true positive of its class or wrong."""
    every = counts.tp + counts.fp + counts.fn + counts.negatives
    return counts.tp.sum(axis=2, keepdims=True), every[:, :, :1]


FPR = Rate("false positive rate", lambda n: (n.fp, n.fp + n.negatives), NO_NEGATIVE)
FNR = Rate("false negative rate", lambda n: (n.fn, n.fn + n.tp), NO_POSITIVE)
TPR = Rate("true positive rate", lambda n: (n.tp, n.fn + n.tp), NO_POSITIVE)
TNR = Rate("true negative rate", lambda n: (n.negatives, n.fp + n.negatives), NO_NEGATIVE)
RECALL = Rate("recall", lambda n: (n.tp, n.fn + n.tp), NO_POSITIVE)
PRECISION = Rate("precision", lambda n: (n.tp, n.tp + n.fp), "the class {} is never predicted")
F1 = Rate("F1", lambda n: (2 * n.tp, 2 * n.tp + n.fp + n.fn), "the class {} neither occurs nor is predicted")
ACCURACY = Rate("accuracy", _accuracy, "no example has a gold class", per_class=False)
SHARE_PREDICTED = Rate(
    "share predicted as the class", lambda n: n.predicted_and_examples, "there is no example", needs_gold=False
)
LAS = Mean("labelled attachment score", arcs, per_class=False, basis="predictions")
MEAN_PROBABILITY = Mean("mean p(c)", _plain_mean(probability))
MEAN_EXPECTED_LABEL = Mean("mean expected label", _plain_mean(expected_label), per_class=False)
PROBABILITIES = Values("{p(c)}", probability)
PROBABILITIES_OF_CLASS = Values("{p(c)}, gold = c", probability, rows="of the class")
PROBABILITIES_OF_OTHERS = Values("{p(c)}, gold ≠ c", probability, rows="of other classes")
EACH_PROBABILITY = Values("p(c)", probability, each=True)
EACH_PROBABILITY_OF_CLASS = Values("p(c), gold = c", probability, rows="of the class", each=True)
EACH_PROBABILITY_OF_GOLD = Values("p(gold)", probability_of_gold, rows="with gold", each=True, per_class=False)
EACH_LOG_ODDS = Values("log-odds of c", log_odds, each=True)
EACH_EXPECTED_LABEL = Values("expected label", expected_label, each=True, per_class=False)
EACH_PREDICTION = Values(
    "predicted class", predicted_class, each=True, nominal=True, per_class=False, basis="predictions"
)
