"""Training texts: which of them carry a gap, and what is left of it where a model is trained without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse, special

from evenhand.contrasts import Contrast, Floats
from evenhand.explaining.result import GroupEffect, Interval, Question, Role, TextInfluence
from evenhand.explaining.words import difference_of_features
from evenhand.stats.correlation import pearson
from evenhand.stats.types import Bools
from evenhand.systems.trained.linear import Linear

FEWEST = 10
"""From fewer texts, it cannot be told whether they pull a gap one way or by chance."""
FOLDS = 5
MANY = 5_000
"""From so many texts on, one held-out fifth says as much as five."""
LEFT_OVER = 20
"""A group without which fewer texts than this are left cannot be taken away."""
ROUNDING = 1e-12
"""Changes below this share of the range are rounding."""


@dataclass(frozen=True, eq=False)
class Taught:
    """What a model learned from: texts, their scores from 0 to 1, and its features of them.

    `columns` sort the texts into groups, such as where they come from.
    """

    texts: Sequence[str]
    scores: Floats
    features: Any
    linear: Linear
    source: str
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @staticmethod
    def _scaled(one: Linear) -> Linear:
        """A model on the scale from 0 to 1."""
        span = one.span
        return replace(one, weights=one.weights / span, intercept=(one.intercept - one.low) / span, low=0.0, high=1.0)

    def _shrunk(self, error: Floats) -> Floats:
        """Errors, less what costs nothing."""
        shrunk: Floats = np.sign(error) * np.maximum(np.abs(error) - self.linear.solver.epsilon, 0.0)
        return shrunk

    @cached_property
    def predicted(self) -> Floats:
        """What the model says of its own training texts, before clipping, from 0 to 1."""
        return self._scaled(self.linear).raw(self.features)

    @cached_property
    def pulls(self) -> Floats:
        """How hard each text pulls at the weights: its error, less what costs nothing."""
        return self._shrunk(self.scores - self.predicted)

    def influences(self, apart: Floats) -> Floats:
        """By how much `apart @ weights` changes without each text, to first order, on the output's scale.

        The influence function (Koh and Liang 2017): −apart · H⁻¹ x · pull, where H is the curvature of what training
        minimises. It is exact to first order, and additive: a group's influence is the sum of its texts'.
        """
        found: Floats = -self.pulls * self._along(apart)
        return found

    def parts_of_change(self, group: Bools, without: Linear, apart: Floats) -> Floats:
        """What each text of a group has in the change that it makes to be trained `without` them.

        With squared errors, the change is exactly −Σ apart · H⁻¹ x · e, where e is the error of the model without the
        group on its texts. As that model has not seen them, their errors are a sample, whatever they did to the other.
        """
        own = self._scaled(without)
        error = self.scores[group] - own.raw(self.features[np.flatnonzero(group)])
        found: Floats = -self._shrunk(error) * self._along(apart)[group]
        return found

    def _along(self, apart: Floats) -> Floats:
        """What a unit of each text's error adds to the gap, on the output's scale; asked of each group."""
        key = apart.tobytes()
        if key not in self._known:
            solver = self.linear.solver
            active = np.abs(self.pulls) > 0 if solver.epsilon else np.ones(len(self.scores), dtype=bool)
            direction = _solved(self.features, apart, active, solver.penalty, solver.constant)
            self._known[key] = _along(self.features, direction, active, solver.constant) * self.linear.span
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, Floats]:
        return {}

    def without(self, group: Bools) -> Linear:
        """The model, trained again without a group of texts."""
        return self._fitted(~group)

    def _fitted(self, kept: Bools) -> Linear:
        weights, intercept = self.linear.solver.fit(self.features[np.flatnonzero(kept)], self.scores[kept])
        one = self.linear
        return replace(one, weights=weights * one.span, intercept=one.low + one.span * intercept)

    def quality(self, group: Bools) -> float | None:
        """The correlation of scores with predictions for held-out texts, learned from the other folds without a group.

        All texts of the held-out folds are predicted, those of the group too, so that groups can be compared.
        """
        from sklearn.model_selection import KFold

        folds = list(KFold(FOLDS, shuffle=True, random_state=0).split(self.scores))
        folds = folds[:1] if len(self.scores) >= MANY else folds
        known, given = [], []
        for _, unseen in folds:
            seen = ~group
            seen[unseen] = False
            if seen.sum() < 2:
                return None
            model = self._fitted(seen)
            predicted = np.clip(model.raw(self.features[unseen]), model.low, model.high)
            known.append(self.scores[unseen])
            given.append(predicted)
        r = float(pearson(np.concatenate(given)[:, None], np.concatenate(known))[0])
        return None if np.isnan(r) else r


def _solved(features: Any, apart: Floats, active: Bools, penalty: float, constant: float | None) -> Floats:
    """The curvature's inverse times `apart`; where the intercept is a weight, its number stands last."""
    rows = np.flatnonzero(active)
    if constant is None:
        centred = features[rows] - features[rows].mean(axis=0)
        curvature = centred.T @ centred + penalty * np.eye(features.shape[1])
        direct: Floats = np.linalg.solve(curvature, apart)
        return direct
    from scipy.sparse.linalg import LinearOperator, cg

    wide = _wide(features[rows], constant)
    operator = LinearOperator((wide.shape[1],) * 2, matvec=lambda v: wide.T @ (wide @ v) + penalty * v, dtype=float)
    found, _ = cg(operator, np.append(apart, 0.0), rtol=1e-10, maxiter=5_000)
    return np.asarray(found)


def _along(features: Any, direction: Floats, active: Bools, constant: float | None) -> Floats:
    if constant is None:
        return np.asarray((features - features[np.flatnonzero(active)].mean(axis=0)) @ direction)
    return np.asarray(_wide(features, constant) @ direction)


def _wide(features: Any, constant: float) -> Any:
    column = sparse.csr_array(np.full((features.shape[0], 1), constant))
    return sparse.hstack([sparse.csr_array(features.astype(np.float64)), column]).tocsr()


def chance_of_training(value: float, influences: Floats, *, level: float = 0.95) -> Interval:
    """Where a gap (or a part of it) would lie had other texts been drawn to learn from: the infinitesimal jackknife."""
    z = float(special.ndtri((1 + level) / 2))
    half = z * float(np.sqrt(np.square(influences - influences.mean()).sum()))
    return value - half, value + half


def strongest_texts(question: Question, taught: Taught, influences: Floats, most: int) -> list[TextInfluence]:
    """The texts without which the gap would change most, the strongest first."""
    low, span = taught.linear.low, taught.linear.span
    order = np.lexsort((np.array(taught.texts), -np.abs(influences)))[:most]
    return [
        TextInfluence(
            question.output,
            question.attribute,
            question.first,
            question.second,
            text=taught.texts[place],
            score=low + span * float(taught.scores[place]),
            predicted=low + span * float(np.clip(taught.predicted[place], 0, 1)),
            influence=float(influences[place]),
        )
        for place in order
        if abs(influences[place]) > ROUNDING * span
    ]


@dataclass(frozen=True, eq=False)
class Group:
    """Training texts that are taken away together, and the gaps that this is asked of: their places; None is all."""

    name: str
    texts: Bools
    asked: tuple[int, ...] | None = None
    picked_from: int = 1
    """Among how many groups it was picked because it looked strong: what is corrected for."""


def group_effects(
    taught: Taught,
    groups: Sequence[Group],
    questions: Sequence[tuple[Question, Contrast, Floats]],
    features: Any,
    *,
    alpha: float,
    advance: Any,
) -> list[GroupEffect]:
    """The gaps without each group: to first order with an interval, and of a model that is trained again.

    `questions` come with the influences of all texts; `features` are those of the corpus's sentences.
    """
    nobody = np.zeros(len(taught.scores), dtype=bool)
    whole = taught.quality(nobody)
    advance(1)
    asked = _comparisons(groups, len(questions))
    found = []
    for group in groups:
        model = taught.without(group.texts)
        quality = taught.quality(group.texts)
        scores = np.clip(model.raw(features), model.low, model.high)
        for place, (question, contrast, influences) in enumerate(questions):
            if group.asked is not None and place not in group.asked:
                continue
            parts = taught.parts_of_change(group.texts, model, difference_of_features(contrast, features))
            change = feature_gap(contrast, features, model) - feature_gap(contrast, features, taught.linear)
            interval, why = _sampled(change, parts, level=1 - alpha / max(asked, 1))
            found.append(
                GroupEffect(
                    question.output,
                    question.attribute,
                    question.first,
                    question.second,
                    group=group.name,
                    texts=int(group.texts.sum()),
                    left=float(contrast.operator @ scores),
                    change=change,
                    interval=interval,
                    influence=float(influences[group.texts].sum()),
                    role=_role(feature_gap(contrast, features, taught.linear), change, interval),
                    pearson=quality,
                    whole_pearson=whole,
                    undefined=why,
                )
            )
        advance(1)
    return found


def _comparisons(groups: Sequence[Group], questions: int) -> int:
    """How many comparisons were made; of groups that were picked as the strongest, those they were picked from."""
    return sum(group.picked_from * (questions if group.asked is None else len(group.asked)) for group in groups)


def _sampled(change: float, parts: Floats, *, level: float) -> tuple[Interval | None, str | None]:
    """The interval of a change that is the sum of what each text has in it, with the texts as a sample."""
    n = len(parts)
    if n < FEWEST:
        return None, f"{n} texts are too few to tell whether they pull the gap one way, or by chance"
    half = float(special.stdtrit(n - 1, (1 + level) / 2) * np.sqrt(n) * parts.std(ddof=1))
    return (change - half, change + half), None


def _role(gap: float, change: float, interval: Interval | None) -> Role:
    """Whether the gap shrinks without the texts or grows, where the interval shows that it changes at all."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "cannot tell"
    return "carries" if abs(gap + change) < abs(gap) else "masks"


def feature_gap(contrast: Contrast, features: Any, linear: Linear) -> float:
    """The gap before clipping."""
    return float(difference_of_features(contrast, features) @ linear.weights)
