"""Linear models seen from inside: a score is an intercept and a sum of weights over the features of a text, clipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evenhand.systems.base import Array


@dataclass(frozen=True, eq=False)
class Linear:
    """One output of a linear model: before it is clipped to `low`..`high`, it is `intercept + features @ weights`."""

    output: str
    features: Callable[[Sequence[str]], Any]
    """A matrix with one row a text: sparse with a column a word, or dense with a column a number of the vector."""
    words: tuple[str, ...] | None
    """What the features are, where they are words."""
    weights: Array
    intercept: float
    low: float
    high: float
    solver: Solver

    @property
    def span(self) -> float:
        """The width of the scale."""
        return self.high - self.low

    def raw(self, features: Any) -> Array:
        """The scores before they are clipped."""
        scores: Array = np.asarray(features @ self.weights) + self.intercept
        return scores


@dataclass(frozen=True)
class Solver:
    """How the weights were learned: least squares with an L2 penalty, of which `penalty` is the weight.

    What is minimised is penalty · |w|² + Σ max(0, |y − ŷ| − epsilon)², on a scale from 0 to 1. `constant` is the
    feature that the intercept belongs to where it is penalised like a weight; None where it is free.
    """

    penalty: float
    epsilon: float
    constant: float | None
    fit: Callable[[Any, Array], tuple[Array, float]]
    """Weights and intercept on a scale from 0 to 1, from features and scores: the training itself."""


@runtime_checkable
class HasLinear(Protocol):
    """A system that can be seen from inside."""

    def linear(self) -> tuple[Linear, ...]:
        """A view of each output that is linear."""


def words_linear(output: str, pipeline: Any, low: float, high: float) -> Linear:
    """A pipeline of a vectoriser of words and a `LinearSVR` with a squared loss."""
    vectoriser, regressor = pipeline
    settings = regressor.get_params()
    return Linear(
        output,
        vectoriser.transform,
        tuple(vectoriser.get_feature_names_out()),
        (high - low) * np.asarray(regressor.coef_, dtype=np.float64).ravel(),
        low + (high - low) * float(np.ravel(regressor.intercept_)[0]),
        low,
        high,
        # scikit-learn weighs the errors: ½|w|² + C Σ loss, which has the same minimum.
        Solver(0.5 / settings["C"], settings["epsilon"], settings["intercept_scaling"], _fitted_svr(settings)),
    )


def _fitted_svr(settings: dict[str, Any]) -> Callable[[Any, Array], tuple[Array, float]]:
    def fit(features: Any, scores: Array) -> tuple[Array, float]:
        from sklearn.svm import LinearSVR

        found = LinearSVR(**settings).fit(features, scores)
        return np.asarray(found.coef_).ravel(), float(np.ravel(found.intercept_)[0])

    return fit


def ridge_linear(
    output: str, features: Callable[[Sequence[str]], Any], weights: Array, intercept: float, alpha: float
) -> Linear:
    """A ridge regression on vectors, from 0 to 1."""

    def fit(vectors: Any, scores: Array) -> tuple[Array, float]:
        from sklearn.linear_model import Ridge

        found = Ridge(alpha=alpha).fit(vectors, scores)
        return np.asarray(found.coef_).ravel(), float(found.intercept_)

    return Linear(output, features, None, weights, intercept, 0.0, 1.0, Solver(alpha, 0.0, None, fit))
