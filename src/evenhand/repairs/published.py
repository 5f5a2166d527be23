"""Calibration as published: layers that carry what a bare identity gets to what nobody in particular gets.

p̂ is what a system says to the bare identities of a group, ĥ what it says to a neutral person: means of distributions
over labels. A group's layer is the diagonal matrix W = diag(ĥ / p̂), or the vector b = ĥ − p̂. Huang, Wang and Zhang
describe W without printing it; contextual calibration is that of Zhao, Wallace, Feng, Klein and Singh (2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.numbering import placed
from evenhand.repairs.calibrator import FittedFor, calibrator
from evenhand.repairs.from_references import FromReferences, Gaps, Places, label_names
from evenhand.repairs.reference_answers import NotDefined, References
from evenhand.repairs.reference_layers import UNIFORM, all_layers, group_layers, mean_layer
from evenhand.repairs.rows import Labels, Rows
from evenhand.repairs.variables import Variable
from evenhand.systems.base import Array

BASELINE = "baseline"
"""What the answers before any calibration are called."""


class ByGroup(FromReferences):
    """Layers of the groups that somebody belongs to; who belongs to none that the references name is left alone."""

    averages: ClassVar[bool] = False

    @classmethod
    def _refuse_unknown_groups(cls, asked: Mapping[str, tuple[str, ...]], known: Mapping[str, tuple[str, ...]]) -> None:
        if not asked.keys() & known.keys():
            raise NotDefined(f"the references are about {', '.join(known)}, and the corpus about {', '.join(asked)}")
        for attribute, groups in known.items():
            for group in asked.get(attribute, ()):
                if group not in groups:
                    raise NotDefined(_no_input(attribute, group, groups))

    def _own_layers(self, references: References) -> dict[str, Array]:
        return {
            f"the identity {group!r} ({attribute})": layer
            for attribute in references.groups
            for group, layer in self._of(attribute, references).items()
        }

    def _of(self, attribute: str, references: References) -> dict[str, Array]:
        return group_layers(attribute, references, self.target, multiplies=self.multiplies)

    def _layers(self, variable: Variable, rows: Rows) -> tuple[Places, Array]:
        answers = list(self._answers(variable).values())
        known = {name: tuple(by_group) for name, by_group in answers[0].groups.items() if name in rows.groups}
        codes = [
            placed(rows.groups[name], groups) if self.partial else _codes(rows.groups[name], name, groups)
            for name, groups in known.items()
        ]
        there = np.array([code >= 0 for code in codes], dtype=bool).reshape(len(known), len(rows))
        places = np.flatnonzero(there.any(axis=0))
        asked = self._asked(variable, rows)[places]
        parts = np.zeros((len(known), len(places), len(label_names(variable))))
        for number, (name, code) in enumerate(zip(known, codes, strict=True)):
            table = np.array([list(self._of(name, one).values()) for one in answers])
            parts[number] = table[asked, code[places]]
        if not self.averages:
            return places, all_layers(parts, there[:, places], multiplies=self.multiplies)
        weights = [1.0 if self.weights is None else self.weights[variable.name][name] for name in known]
        return places, mean_layer(parts, there[:, places], weights)


@calibrator("multiplicative")
class Multiplicative(ByGroup):
    """q = softmax(W_r W_g p)."""

    multiplies = True


@calibrator("multiplicative-mean")
class MultiplicativeMean(ByGroup):
    """q = softmax(½ (W_r + W_g) p)."""

    multiplies = True
    averages = True


@calibrator("multiplicative-ratio")
class MultiplicativeRatio(MultiplicativeMean):
    """q = softmax((w_r W_r + w_g W_g) p), with the weights that the authors thought of instead of ½.

    They name the ratio of the gaps by race and by gender before calibration, and do not say more; it is read here as
    w_r = |gap_r| / (|gap_r| + |gap_g|).
    """

    by_ratio = True


@calibrator("additive")
class Additive(ByGroup):
    """q = softmax(p + b_r + b_g)."""

    multiplies = False


@calibrator("additive-mean")
class AdditiveMean(ByGroup):
    """q = softmax(p + ½ (b_r + b_g))."""

    multiplies = False
    averages = True


@calibrator("additive-ratio")
class AdditiveRatio(AdditiveMean):
    """q = softmax(p + w_r b_r + w_g b_g), with weights as in `multiplicative-ratio`."""

    by_ratio = True


@calibrator("contextual")
class Contextual(FromReferences):
    """q = softmax(W p), W = diag(p̂)⁻¹, where p̂ is what is said to inputs without content.

    It knows no identities: all sentences are calibrated, also those without a person.
    """

    aim = UNIFORM
    multiplies = True

    def __post_init__(self) -> None:
        if self.target != UNIFORM:
            raise UsageError(f"contextual calibration aims at equal probabilities (uniform), not at {self.target!r}")
        super().__post_init__()

    def _own_layers(self, references: References) -> dict[str, Array]:
        if references.content_free is None:
            raise NotDefined("the references have no input without content; give content_free")
        with np.errstate(divide="ignore", over="ignore"):
            return {"inputs without content": 1 / references.content_free}

    def _layers(self, variable: Variable, rows: Rows) -> tuple[Places, Array]:
        table = [layer for one in self._answers(variable).values() for layer in self._own_layers(one).values()]
        return np.arange(len(rows)), np.array(table)[self._asked(variable, rows)]


VARIANTS: dict[str, type[FromReferences]] = {
    variant.method: variant
    for variant in (
        Multiplicative, MultiplicativeMean, Additive, AdditiveMean, MultiplicativeRatio, AdditiveRatio, Contextual,
    )
}  # fmt: skip
"""The four of the paper, its authors' idea for weights, and the calibration that it started from."""


@dataclass(frozen=True)
class Fitted:
    """Every variant that could be fitted, and why the others could not."""

    calibrators: Mapping[str, FromReferences]
    undefined: Mapping[str, str]

    def versions(self, scores: Scores, corpus: Corpus) -> dict[str, Scores]:
        """The scores of a corpus before calibration and after each variant."""
        return {BASELINE: scores, **{name: one.apply(scores, corpus) for name, one in self.calibrators.items()}}


def fit_published(
    scores: Scores,
    corpus: Corpus,
    *,
    target: str | None = None,
    normalise: str = "softmax",
    asked_for: str | None = None,
    fitted_for: FittedFor | None = None,
    gaps: Gaps | None = None,
    partial: bool = False,
) -> Fitted:
    """Fit every variant on the scores of a reference corpus; settings are those of `FromReferences.fit`.

    Contextual calibration has a target of its own.
    """
    found: dict[str, FromReferences] = {}
    undefined: dict[str, str] = {}
    for name, variant in VARIANTS.items():
        aim = None if variant.aim == UNIFORM else target
        try:
            found[name] = variant.fit(
                scores, corpus, target=aim, normalise=normalise, asked_for=asked_for, fitted_for=fitted_for, gaps=gaps,
                partial=partial,
            )  # fmt: skip
        except NotDefined as error:
            undefined[name] = str(error)
    return Fitted(found, undefined)


def _codes(labels: Labels, attribute: str, groups: tuple[str, ...]) -> Places:
    """The place of each row's group; −1 for none."""
    unknown = next((label for label in labels if label not in (None, *groups)), None)
    if unknown is not None:
        raise UsageError(_no_input(attribute, unknown, groups))
    return placed(labels, groups)


def _no_input(attribute: str, group: str, known: tuple[str, ...]) -> str:
    # To correct some groups and not others would make a gap, not close one.
    return (
        f"the references have no input for {attribute} {group!r}; they know {', '.join(known)}. Take references that "
        "have one (identity knows every group of the corpus identity), or write partial: true into a file of your own "
        "to leave such sentences as they are"
    )
