"""Per-sentence weights: how much of a group's layer each sentence gets is learned from the sentence without its person.

Huang, Wang and Zhang end on the idea of a model that predicts the weight of each calibration layer for each sentence.
Here it is a ridge regression of the gap in a sentence on its words, its slots (the emotion, where it is known) and the
system's own score; cross-fitting decides how much of it is believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.numbering import numbered
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator, numbers
from evenhand.repairs.cells import balanced_weights, of_kind, parted
from evenhand.repairs.features import Vocabulary, folds, without_person
from evenhand.repairs.layers import Layer, Layers, sum_of_shifts
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import Variable, variables
from evenhand.stats import ROUNDING
from evenhand.systems.base import Array

PENALTIES = tuple(10.0**power for power in range(-1, 5))
"""How strongly coefficients are held back; leaving out one sentence at a time decides."""

FEWEST = 10
"""Sentences (sources) from which something may be learned about sentences."""


@dataclass(frozen=True)
class Learned:
    """What a sentence says about its gap, beyond the gap of all sentences: for one layer."""

    variable: str
    attribute: str
    kind: str
    groups: tuple[str, ...]
    blend: float
    """How much of it is believed, 0 to 1: the share of the squared error that it takes away where it was not fitted."""
    words: Vocabulary
    centre: Array
    scale: Array
    """Of the system's own score (one for each column), on the scale on which corrections add up."""
    coefficients: Array
    """(words and columns, groups times columns)."""
    intercept: Array
    ends: tuple[Array, Array]
    """The lowest and the highest prediction for the sentences that it was fitted on: none goes beyond."""

    def residual(self, texts: Sequence[frozenset[str]], level: Array) -> Array:
        """How far each group lies from where all sentences together would put it: (rows, groups, columns)."""
        features = np.hstack([self.words.features(texts), (level - self.centre) / self.scale])
        predicted = np.clip(features @ self.coefficients + self.intercept, *self.ends)
        # Words that were never seen say nothing: the fewer are known, the nearer to the gap of all sentences.
        known = self.words.known(texts)[:, None]
        return np.asarray(known * predicted).reshape(len(texts), len(self.groups), len(self.centre))


@calibrator("sentence-weights")
@dataclass(frozen=True, eq=False)
class SentenceWeights(Calibrator):
    """Group layers, by sentence: weight · (layer + blend · what the sentence says beyond it).

    Where the sentence says nothing that holds on other sentences, the blend is zero and the layers alone are left.
    """

    fitted_for: FittedFor
    groups: Layers
    learned: tuple[Learned, ...]

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus, *, attributes: Sequence[str] | None = None) -> Self:
        """Fit the layers, and for each that deserves a weight what sentences add to it."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        layers = Layers.fit(scores, corpus, attributes=attributes)
        rows = Rows.of(corpus)
        learned = []
        for variable in variables([column.output for column in scores.columns]):
            spread = variable.spread_out(scores.matrix[:, list(variable.places)])
            own = [layer for layer in layers.layers if layer.variable == variable.name and layer.deserved]
            with threadpool_limits(limits=1):  # over matrices this small, threads mostly wait for each other
                found = [_learned(layer, spread, rows, corpus.groupings) for layer in own]
            learned += [one for one in found if one is not None]
        return cls(FittedFor.of(scores, corpus), layers, tuple(learned))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers less the layers of the groups that each row belongs to, as the sentence weighs them."""
        after = columns.copy()
        texts = without_person(rows) if self.learned else []
        for variable in self.variables:
            own = list(variable.places)
            layers = [layer for layer in self.groups.layers if layer.variable == variable.name]
            shift = sum_of_shifts(layers, rows, len(own))
            for layer in layers:
                shift += self._of_sentences(layer, columns[:, own], rows, texts, variable)
            after[:, own] = variable.moved(columns[:, own], shift)
        return after

    def _of_sentences(
        self, layer: Layer, columns: Array, rows: Rows, texts: Sequence[frozenset[str]], variable: Variable
    ) -> Array:
        shift = np.zeros_like(columns)
        own_key = (layer.variable, layer.attribute, layer.kind)
        learned = next((one for one in self.learned if (one.variable, one.attribute, one.kind) == own_key), None)
        labels = rows.groups.get(layer.attribute)
        if learned is None or labels is None or not layer.weight * learned.blend:
            return shift
        for place, group in enumerate(learned.groups):
            own = np.flatnonzero((labels == group) & of_kind(rows, layer.kind))
            level = variable.spread_out(columns[own]) - layer.far[group]
            residual = learned.residual([texts[row] for row in own.tolist()], level)[:, place]
            shift[own] = -layer.weight * learned.blend * residual
        return shift

    def content(self) -> dict[str, Any]:
        """The layers and what sentences add; the words stand by their coefficients."""
        return {**self.groups.content(), "learned": [_to_json(one) for one in self.learned]}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        learned = tuple(_from_json(entry) for entry in content["learned"])
        return cls(fitted_for, Layers.from_content(fitted_for, content), learned)


@dataclass(frozen=True, eq=False)
class _Gaps:
    """By source: its words, its values of the columns to fold by, its level, and how far each group lies from it."""

    texts: list[frozenset[str]]
    folded_by: dict[str, list[object]]
    level: Array
    far: Array


def _learned(layer: Layer, spread: Array, rows: Rows, groupings: Sequence[str]) -> Learned | None:
    groups = tuple(layer.far)
    gaps = _gaps(layer, groups, spread, rows, groupings)
    if len(gaps.texts) < FEWEST:
        return None
    every = np.arange(len(gaps.texts))
    blend = min((_better(gaps, values) for values in gaps.folded_by.values()), default=0.0)
    if not blend:
        return None
    words, centre, scale, ridge = _fitted(gaps, every)
    features = np.hstack([words.features(gaps.texts), (gaps.level - centre) / scale])
    inside = features @ ridge[0] + ridge[1]
    ends = inside.min(axis=0), inside.max(axis=0)
    return Learned(
        layer.variable, layer.attribute, layer.kind, groups, blend, words, centre, scale, ridge[0], ridge[1], ends
    )


def _gaps(layer: Layer, groups: Sequence[str], spread: Array, rows: Rows, groupings: Sequence[str]) -> _Gaps:
    weights = balanced_weights(rows, layer.attribute, layer.kind)
    used = np.flatnonzero(weights > 0)
    assert rows.sources is not None and rows.slots is not None  # noqa: S101, PT018 - those of a corpus have them
    source = numbered(rows.sources[used])
    number = int(source.max(initial=-1)) + 1
    means = np.full((number, len(groups), spread.shape[1]), np.nan)
    for place, group in enumerate(groups):
        mine = rows.groups[layer.attribute][used] == group
        total = np.bincount(source[mine], weights=weights[used][mine], minlength=number)
        for column in range(spread.shape[1]):
            sums = np.bincount(source[mine], weights=(weights[used] * spread[used, column])[mine], minlength=number)
            np.divide(sums, total, out=means[:, place, column], where=total > 0)
    whole = np.flatnonzero(np.isfinite(means).all(axis=(1, 2)))
    level = means[whole].mean(axis=1)
    texts = without_person(rows)
    of_source = parted(source)
    shared = [_shared([texts[row] for row in used[of_source[one]]]) for one in whole]
    columns = {name: rows.slots[name] for name in groupings if name in rows.slots} or {"source": rows.sources}
    return _Gaps(
        shared,
        {
            name: [_value(labels, rows.sources, used[of_source[one][0]]) for one in whole]
            for name, labels in columns.items()
        },
        level,
        (means[whole] - level[:, None, :]).reshape(len(whole), -1),
    )


def _value(labels: Any, sources: Any, row: int) -> object:
    """Without a word, a sentence is a word of its own."""
    return ("source", sources[row]) if labels[row] is None else labels[row]


def _shared(texts: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words that most versions of a sentence share; those that go with the person (himself) are not among them."""
    words = {word for text in set(texts) for word in text}
    return frozenset(word for word in words if 2 * sum(word in text for text in texts) > len(texts))


def _better(gaps: _Gaps, values: Sequence[object]) -> float:
    """The share of the squared error of the constant gap that the prediction takes away, on what it has not seen."""
    constant, predicted = 0.0, 0.0
    for seen, unseen in folds(values):
        if len(seen) < FEWEST:
            return 0.0
        words, centre, scale, (coefficients, intercept) = _fitted(gaps, seen)
        texts = [gaps.texts[row] for row in unseen]
        features = np.hstack([words.features(texts), (gaps.level[unseen] - centre) / scale])
        ahead = words.known(texts)[:, None] * (features @ coefficients + intercept)
        left = gaps.far[unseen] - gaps.far[seen].mean(axis=0)
        constant += float((left**2).sum())
        predicted += float(((left - ahead) ** 2).sum())
    rounding = ROUNDING * float(np.abs(gaps.level).max()) * np.sqrt(gaps.far.size)
    return max(0.0, 1 - predicted / constant) if constant > rounding**2 else 0.0


def _fitted(gaps: _Gaps, rows: Any) -> tuple[Vocabulary, Array, Array, tuple[Array, Array]]:
    """Words, centre and scale of the level, and the ridge regression: coefficients and intercept."""
    from sklearn.linear_model import RidgeCV

    texts = [gaps.texts[row] for row in rows]
    words = Vocabulary.of(texts)
    centre = gaps.level[rows].mean(axis=0)
    deviation = gaps.level[rows].std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    features = np.hstack([words.features(texts), (gaps.level[rows] - centre) / scale])
    wanted = gaps.far[rows] - gaps.far[rows].mean(axis=0)
    ridge = RidgeCV(alphas=PENALTIES).fit(features, wanted)
    return words, centre, scale, (np.atleast_2d(ridge.coef_).T, np.atleast_1d(ridge.intercept_))


def _to_json(one: Learned) -> dict[str, Any]:
    words = len(one.words.words)
    return {
        "variable": one.variable,
        "attribute": one.attribute,
        "kind": one.kind,
        "groups": list(one.groups),
        "blend": one.blend,
        "words": {word: row.tolist() for word, row in zip(one.words.words, one.coefficients[:words], strict=True)},
        "level": one.coefficients[words:].tolist(),
        "centre": one.centre.tolist(),
        "scale": one.scale.tolist(),
        "intercept": one.intercept.tolist(),
        "ends": [end.tolist() for end in one.ends],
    }


def _from_json(entry: Mapping[str, Any]) -> Learned:
    rows = [*entry["words"].values(), *entry["level"]]
    coefficients = np.array([numbers(row) for row in rows])
    low, high = (numbers(end) for end in entry["ends"])
    return Learned(
        entry["variable"],
        entry["attribute"],
        entry["kind"],
        tuple(entry["groups"]),
        float(entry["blend"]),
        Vocabulary(tuple(entry["words"])),
        numbers(entry["centre"]),
        numbers(entry["scale"]),
        coefficients,
        numbers(entry["intercept"]),
        (low, high),
    )
