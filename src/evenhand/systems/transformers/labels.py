"""What a classifier's labels become: outputs with names, or one expected value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.errors import UsageError, did_you_mean
from evenhand.systems.base import Array


def chosen(labels: Sequence[str], wanted: object, *, exclusive: bool, name: str) -> dict[str, str]:
    """Which labels become outputs, and what those are called.

    `wanted` maps labels to names of outputs, or lists labels, or is None: all then, though of two labels that exclude
    each other only the second, as the first mirrors it and would count twice in a correction for many tests.

    >>> chosen(["NEGATIVE", "POSITIVE"], None, exclusive=True, name="hf:x")
    {'POSITIVE': 'POSITIVE'}
    >>> chosen(["NEGATIVE", "POSITIVE"], {"NEGATIVE": "gloom"}, exclusive=True, name="hf:x")
    {'NEGATIVE': 'gloom'}
    """
    if wanted is None:
        return {label: label for label in (labels[1:] if exclusive and len(labels) == 2 else labels)}
    if isinstance(wanted, Mapping):
        named = {str(label): str(output) for label, output in wanted.items()}
    elif isinstance(wanted, Sequence) and not isinstance(wanted, str):
        named = {str(label): str(label) for label in wanted}
    else:
        named = {}
    if not named:
        raise UsageError(f"{name!r}: outputs must map labels to names of outputs, or list labels, not {wanted!r}")
    _refuse_unknown(named, labels, name)
    return named


def left_aside(labels: Sequence[str], scored: Sequence[str]) -> tuple[str, ...]:
    """That of two labels which exclude each other only one is scored, in a sentence; nothing where there is no such.

    >>> left_aside(["POS", "NEG"], ["NEG"])
    ('of its classes POS and NEG only p(NEG) is scored, as the other mirrors it; the setting outputs chooses another',)
    """
    if len(labels) != 2 or len(scored) != 1:
        return ()
    (one,) = scored
    return (
        f"of its classes {labels[0]} and {labels[1]} only p({one}) is scored, as the other mirrors it; the setting "
        "outputs chooses another",
    )


def values_of(labels: Sequence[str], given: object, *, name: str) -> Array:
    """The value of each label, in the order of the labels; every label needs one, since each takes part in the mean.

    >>> values_of(["low", "high"], {"high": 1, "low": 0}, name="hf:x").tolist()
    [0.0, 1.0]
    """
    if not isinstance(given, Mapping) or not all(_is_number(value) for value in given.values()):
        raise UsageError(f"{name!r}: labels must give a number for each label, not {given!r}")
    values = {str(label): float(value) for label, value in given.items()}
    _refuse_unknown(values, labels, name)
    without = [label for label in labels if label not in values]
    if without:
        raise UsageError(f"{name!r}: labels gives no value for {', '.join(map(repr, without))}")
    if len(set(values.values())) < 2:
        raise UsageError(f"{name!r}: labels gives all labels the same value")
    return np.array([values[label] for label in labels])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _refuse_unknown(given: Mapping[str, object], labels: Sequence[str], name: str) -> None:
    for label in given:
        if label not in labels:
            raise UsageError(f"{name!r} has no label {label!r}{did_you_mean(label, labels)}")
