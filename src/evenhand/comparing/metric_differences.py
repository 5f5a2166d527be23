"""How the metrics of two systems differ: predictions rebuilt from their scores, measured on the same resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.comparing.settings import Settings
from evenhand.comparing.sharing import Paired
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError
from evenhand.measuring import LABEL, predictions_of
from evenhand.metrics import Predictions
from evenhand.metrics.differences import MetricDifference, metric_differences
from evenhand.results import Note
from evenhand.systems.base import FOUND

RESAMPLES = 500


@dataclass(frozen=True)
class MeasuredDifference:
    """All metrics of two systems by one attribute."""

    one_called: str
    other_called: str
    attribute: str
    rows: int
    differences: tuple[MetricDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def measured_differences(
    pairs: Sequence[Paired], corpus: Corpus, *, attributes: Sequence[str], settings: Settings
) -> tuple[list[MeasuredDifference], list[Note]]:
    """The metrics of all pairs by every attribute; what cannot be compared is noted, with the reason."""
    found: list[MeasuredDifference] = []
    notes: list[Note] = []
    for pair in pairs:
        if any(column.output.kind == FOUND for column in pair.one.columns):
            if attributes:
                about = f"{pair.one_called}, {pair.other_called}"
                notes.append(Note(about, "metrics of taggers are not compared, only how often entities are found"))
            continue
        for attribute in attributes:
            try:
                found += _of_pair(pair, corpus, attribute, settings)
            except EvenhandError as error:
                about = f"{pair.one_called}, {pair.other_called}, {attribute}"
                notes.append(Note(about, f"metrics cannot be compared: {error}"))
    return found, notes


def _of_pair(pair: Paired, corpus: Corpus, attribute: str, settings: Settings) -> list[MeasuredDifference]:
    found = []
    for one, other, suffix in _same_rows(pair, corpus, attribute):
        differences = metric_differences(one, other, seed=settings.seed, bootstrap=RESAMPLES, level=1 - settings.alpha)
        one_called, other_called = (f"{name}{suffix}" for name in (pair.one_called, pair.other_called))
        found.append(MeasuredDifference(one_called, other_called, attribute, len(one), tuple(differences)))
    return found


def _same_rows(pair: Paired, corpus: Corpus, attribute: str) -> list[tuple[Predictions, Predictions, str]]:
    """The predictions of both; rows whose gold class one of the systems does not have are left out of both."""
    one = _predictions(pair.all_of_one, pair.one, corpus, attribute)
    other = _predictions(pair.all_of_other, pair.other, corpus, attribute)
    if one[0].regression != other[0].regression:
        raise EvenhandError("one system predicts classes, the other gives scores")
    unknown = {label for made in (one, other) for label, _ in made[0].dropped}
    if unknown:
        known = (corpus.frame[LABEL].is_null() | ~corpus.frame[LABEL].is_in(sorted(unknown))).to_numpy()
        return _same_rows(*_kept(pair, corpus, known), attribute)
    outputs = [column.output.name for column in pair.one.columns]
    suffixes = [f" {output}" for output in outputs] if len(one) > 1 else [""]
    return list(zip(one, other, suffixes, strict=True))


def _predictions(everything: Scores, chosen: Scores, corpus: Corpus, attribute: str) -> list[Predictions]:
    """A classifier's predictions of all its classes, or each of the chosen scores by itself."""
    made = [predictions for _, predictions in predictions_of(everything, corpus, attribute)]
    if not made[0].regression:
        return made
    return [predictions for _, predictions in predictions_of(chosen, corpus, attribute)]


def _kept(pair: Paired, corpus: Corpus, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[Paired, Corpus]:
    frame = corpus.frame.filter(pl.Series(rows))
    ids = frame["id"].to_list()
    parts = ("one", "other", "all_of_one", "all_of_other")
    kept = replace(pair, **{name: getattr(pair, name).select(ids) for name in parts})
    return kept, replace(corpus, frame=frame)
