"""What a system says to reference inputs: distributions over labels, averaged by what the inputs are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.repairs.calibrator import numbers
from evenhand.repairs.references import COLUMN, CONTENT_FREE, IDENTITY, NEUTRAL
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array


class NotDefined(UsageError):
    """What was said does not allow for a calibration: a ratio over zero, or nothing to aim at."""


@dataclass(frozen=True, eq=False)
class References:
    """What a system says, on average, to each kind of reference input: a distribution over labels each."""

    groups: Mapping[str, Mapping[str, Array]]
    """By attribute and group: p̂."""
    neutral: Array | None = None
    """ĥ; None where no neutral input was asked about."""
    content_free: Array | None = None

    @classmethod
    def mean(cls, ones: Sequence[References]) -> References:
        """What it says to several questions, on average."""
        first = ones[0]
        groups = {
            attribute: {group: np.mean([one.groups[attribute][group] for one in ones], axis=0) for group in by_group}
            for attribute, by_group in first.groups.items()
        }
        return cls(groups, _mean([one.neutral for one in ones]), _mean([one.content_free for one in ones]))

    def content(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "groups": {
                attribute: {group: found.tolist() for group, found in by_group.items()}
                for attribute, by_group in self.groups.items()
            },
            "neutral": None if self.neutral is None else self.neutral.tolist(),
            "content_free": None if self.content_free is None else self.content_free.tolist(),
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> References:
        """Read what `content` gave."""
        groups = {
            str(attribute): {str(group): numbers(found) for group, found in by_group.items()}
            for attribute, by_group in content["groups"].items()
        }
        neutral, empty = content["neutral"], content["content_free"]
        return cls(groups, None if neutral is None else numbers(neutral), None if empty is None else numbers(empty))


def _mean(found: Sequence[Array | None]) -> Array | None:
    known = [one for one in found if one is not None]
    return np.asarray(np.mean(known, axis=0)) if known else None


def measured(scores: Scores, corpus: Corpus) -> dict[str, References]:
    """By variable, what one system says to the inputs of a reference corpus; inputs of one kind are averaged."""
    if COLUMN not in corpus.frame.columns:
        raise UsageError(
            f"the corpus {corpus.name!r} holds no references: no column {COLUMN!r}; take reference_corpus()"
        )
    if scores.corpus_digest != corpus.digest:
        raise UsageError(f"these scores are not those of the references {corpus.name!r}")
    return {
        variable.name: _references(as_distribution(variable, scores.matrix[:, list(variable.places)]), corpus)
        for variable in variables([column.output for column in scores.columns])
    }


def _references(distributions: Array, corpus: Corpus) -> References:
    role = corpus.frame[COLUMN]

    def mean(rows: pl.Series) -> Array | None:
        return _mean(list(distributions[rows.fill_null(False).to_numpy()]))

    found = {
        attribute: {group: mean((role == IDENTITY) & (corpus.frame[attribute] == group)) for group in groups}
        for attribute, groups in corpus.attributes.items()
    }
    known = {
        attribute: {group: one for group, one in by_group.items() if one is not None}
        for attribute, by_group in found.items()
    }
    return References(known, mean(role == NEUTRAL), mean(role == CONTENT_FREE))


def as_distribution(variable: Variable, columns: Array) -> Array:
    """The probabilities of labels: its columns, or for a single bounded score those of two labels, low and high.

    A score at the share u of its range counts as (1 − u, u): the expected label is the score again.
    """
    if variable.is_distribution:
        return columns
    output = variable.outputs[0]
    if output.low is None or output.kind == "class":
        what = "names a class" if output.kind == "class" else "has no bounds"
        raise NotDefined(
            f"the output {output.name!r} {what}, so it cannot be read as a distribution over labels; the calibrations "
            "of the paper need one"
        )
    place = (columns[:, 0] - output.low) / output.span
    return np.stack([1 - place, place], axis=1)


def from_distribution(variable: Variable, distributions: Array) -> Array:
    """Back from `as_distribution`."""
    if variable.is_distribution:
        return distributions
    output = variable.outputs[0]
    low: float = output.low or 0.0
    # Rounding must not carry a score beyond its range.
    return np.clip(low + output.span * distributions[:, 1:], output.low, output.high)
