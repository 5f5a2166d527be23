"""Layers: what carries a group's answers to a target, several of them as one, and how probabilities come out again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand.errors import UsageError, did_you_mean
from evenhand.repairs.reference_answers import NotDefined, References
from evenhand.systems.base import Array

NEUTRAL, UNIFORM, MEAN = "neutral", "uniform", "mean"
TARGETS = (NEUTRAL, UNIFORM, MEAN)
"""What groups are carried to, besides a group for each attribute, such as `male,European American`."""

Bools = npt.NDArray[np.bool_]


def target_of(attribute: str, references: References, target: str) -> Array:
    """The distribution that every group of an attribute is carried to."""
    groups = references.groups[attribute]
    if target == NEUTRAL:
        if references.neutral is None:
            raise NotDefined("the references have no neutral input to aim at; give one, or another target")
        return references.neutral
    if target == MEAN:
        return np.asarray(np.mean(list(groups.values()), axis=0))
    if target == UNIFORM:
        labels = len(next(iter(groups.values())))
        return np.full(labels, 1 / labels)
    return _one_group(attribute, references, target)


def _one_group(attribute: str, references: References, target: str) -> Array:
    refuse_unknown_target(target, references.groups)
    groups = references.groups[attribute]
    return next(groups[name] for name in _named(target) if name in groups)


def refuse_unknown_target(target: str, attributes: Mapping[str, Collection[str]]) -> None:
    """Raise if a target is none of those above and does not name one group of each attribute either."""
    if target in TARGETS:
        return
    everybody = [group for groups in attributes.values() for group in groups]
    for name in _named(target):
        if name not in everybody:
            raise UsageError(f"unknown target {name!r}{did_you_mean(name, [*TARGETS, *everybody])}")
    for attribute, groups in attributes.items():
        chosen = [name for name in _named(target) if name in groups]
        if len(chosen) != 1:
            known = ", ".join(groups)
            raise UsageError(f"the target {target!r} names {len(chosen)} groups of {attribute}; name one of {known}")


def _named(target: str) -> list[str]:
    return [name.strip() for name in target.split(",")]


def group_layers(attribute: str, references: References, target: str, *, multiplies: bool) -> dict[str, Array]:
    """The layer of each group of an attribute: W as its diagonal, h / p̂, or b = h − p̂; not finite where p̂ is zero."""
    aim = target_of(attribute, references, target)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return {
            group: aim / found if multiplies else aim - found for group, found in references.groups[attribute].items()
        }


def all_layers(parts: Array, there: Bools, *, multiplies: bool) -> Array:
    """Layers (attributes, rows, labels) one after the other, where a row has them: W_r W_g, or b_r + b_g."""
    mask = there[:, :, None]
    together: Array = np.where(mask, parts, 1.0).prod(axis=0) if multiplies else np.where(mask, parts, 0.0).sum(axis=0)
    return together


def mean_layer(parts: Array, there: Bools, weights: Sequence[float]) -> Array:
    """The weighted mean of the layers that a row has; a layer that stands alone counts whole.

    Also one of weight zero, as it does with any weight above zero: the weights only say what layers count beside each
    other.
    """
    counts = np.asarray(weights)[:, None] * there
    counts = np.where(counts.sum(axis=0) == 0, there, counts)
    shares = counts / counts.sum(axis=0)
    together: Array = (shares[:, :, None] * parts).sum(axis=0)
    return together


def softmax(values: Array) -> Array:
    """The published way to make numbers probabilities again; it keeps their order.

    Numbers from 0 to 1 are flattened: who was certain of one of five labels gives it a probability of 0.40 afterwards.

    >>> softmax(np.array([[0.0, 0.0, 0.0, 0.0, 1.0]])).round(3).tolist()
    [[0.149, 0.149, 0.149, 0.149, 0.405]]
    """
    return np.asarray(special.softmax(values, axis=1))


def shares(values: Array) -> Array:
    """Shares of the sum; what is below zero counts as nothing. NaN where nothing is left: undefined is not zero.

    >>> shares(np.array([[0.25, 0.75, -0.1], [0.0, 0.0, 0.0]])).tolist()
    [[0.25, 0.75, 0.0], [nan, nan, nan]]
    """
    kept = np.maximum(values, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    found: Array = np.divide(kept, total, out=np.full(kept.shape, np.nan), where=total > 0)
    return found


NORMALISERS: dict[str, Callable[[Array], Array]] = {"softmax": softmax, "sum": shares}
