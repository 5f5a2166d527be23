"""Calibrators that are fitted on what a system says to reference inputs, and applied to its answers to sentences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.repairs.calibrator import Calibrator, FittedFor, numbers
from evenhand.repairs.reference_answers import NotDefined, References, as_distribution, from_distribution, measured
from evenhand.repairs.reference_layers import NEUTRAL, NORMALISERS
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import Variable, variables
from evenhand.settings import check_choice
from evenhand.systems.base import Array

Places = npt.NDArray[np.int64]
Gaps = Mapping[str, Mapping[str, float]]
"""Numbers by variable and attribute."""


@dataclass(frozen=True, eq=False)
class FromReferences(Calibrator):
    """A calibration from what a system said to reference inputs; its subclasses say which.

    `references` are kept by variable. A variable that is not among them is corrected by those of the question that each
    sentence was asked, which the slot `asked_for` names (`emotion`); a sentence without one was asked all of them, and
    is corrected by their mean, as it was answered.
    """

    fitted_for: FittedFor
    references: Mapping[str, References]
    target: str = NEUTRAL
    normalise: str = "softmax"
    asked_for: str | None = None
    weights: Gaps | None = None
    """Of the attributes' layers, where they are averaged; None: all count alike."""
    partial: bool = False
    """Whether sentences about groups without a reference are left as they are, instead of being refused."""

    aim: ClassVar[str] = NEUTRAL
    multiplies: ClassVar[bool]
    by_ratio: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("way to normalise", self.normalise, NORMALISERS)
        for variable in self.variables:
            if self.by_ratio and set((self.weights or {}).get(variable.name, {})) != set(self.fitted_for.attributes):
                raise UsageError(f"{self.method}: there is not one weight of {variable.name!r} for each attribute")
            as_distribution(variable, np.zeros((0, len(variable.places))))  # refuses what is none
            for references in self._answers(variable).values():
                for of, layer in self._own_layers(references).items():
                    self._check(variable, layer, of)

    @classmethod
    def fit(
        cls,
        scores: Scores,
        corpus: Corpus,
        *,
        target: str | None = None,
        normalise: str = "softmax",
        asked_for: str | None = None,
        fitted_for: FittedFor | None = None,
        gaps: Gaps | None = None,
        partial: bool = False,
    ) -> Self:
        """Fit on the scores of a reference corpus (`reference_corpus`).

        `target` is neutral (published), uniform, the mean of the groups, or one group for each attribute, with commas
        between. `fitted_for` is whom it repairs, where that is not the very system that was asked the references: a
        few-shot model is asked for every emotion there, and for each sentence's own otherwise. `gaps` are those before,
        from which the ratio variants take their weights. Groups without a reference are refused, as correcting some
        groups and not others may open a gap, unless the references are said to be `partial`.
        """
        whom = FittedFor.of(scores, corpus)
        if fitted_for is not None:
            asked = fitted_for.attributes
            if partial:
                asked = {name: tuple(set(asked.get(name, ())) & set(own)) for name, own in corpus.attributes.items()}
            cls._refuse_unknown_groups(asked, corpus.attributes)
            groups = dict(corpus.attributes)
            whom = replace(fitted_for, attributes=groups, corpus=corpus.name, corpus_digest=corpus.digest)
        weights = _ratios(whom, gaps) if cls.by_ratio else None
        return cls(whom, measured(scores, corpus), target or cls.aim, normalise, asked_for, weights, partial)

    @classmethod
    def _refuse_unknown_groups(cls, asked: Mapping[str, tuple[str, ...]], known: Mapping[str, tuple[str, ...]]) -> None:
        """Raise where groups that are to be repaired have no reference, if that matters."""

    @abstractmethod
    def _own_layers(self, references: References) -> dict[str, Array]:
        """Every layer that references give, by what it is the layer of."""

    @abstractmethod
    def _layers(self, variable: Variable, rows: Rows) -> tuple[Places, Array]:
        """The rows that are corrected, and what each of them is multiplied by, or gets added: (rows, labels)."""

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers after the calibration; rows without a layer come back bit for bit."""
        after = columns.copy()
        for variable in self.variables:
            places, layer = self._layers(variable, rows)
            own = np.ix_(places, np.array(variable.places))
            before = as_distribution(variable, columns[own])
            found = NORMALISERS[self.normalise](layer * before if self.multiplies else before + layer)
            lost = np.flatnonzero(np.isnan(found).any(axis=1))
            if len(lost):
                raise EvenhandError(
                    f"{self.method}: nothing is left of the probabilities of {quoted(rows.texts[places[lost[0]]])}, "
                    "so their shares are undefined; normalise by softmax"
                )
            after[own] = from_distribution(variable, found)
        return after

    def _answers(self, variable: Variable) -> dict[str | None, References]:
        """What was said to the references, by the question that a sentence may have been asked; None: all of them."""
        if variable.name in self.references:
            return {None: self.references[variable.name]}
        if self.asked_for is None:
            raise UsageError(
                f"the references were asked for {', '.join(self.references)}, and the system to repair answers "
                f"{variable.name!r}; say which slot tells what a sentence was asked for, as in asked_for='emotion'"
            )
        found: dict[str | None, References] = dict(self.references.items())
        return found | {None: References.mean(list(self.references.values()))}

    def _asked(self, variable: Variable, rows: Rows) -> Places:
        """The place of each row's question among the answers; where it is not known, that of all of them."""
        place = {question: number for number, question in enumerate(self._answers(variable))}
        if len(place) == 1 or rows.slots is None:
            return np.full(len(rows), place[None], dtype=np.intp)
        asked = rows.slots.get(str(self.asked_for))
        if asked is None:
            raise UsageError(f"no slot {self.asked_for!r} in the corpus{did_you_mean(str(self.asked_for), rows.slots)}")
        unknown = next((question for question in asked if question not in place), None)
        if unknown is not None:
            raise UsageError(f"the references were asked for {', '.join(self.references)}, not for {unknown!r}")
        return np.array([place[question] for question in asked], dtype=np.intp)

    def _check(self, variable: Variable, layer: Array, of: str) -> None:
        labels = label_names(variable)
        if len(layer) != len(labels):
            raise UsageError(
                f"{variable.name!r} has {len(labels)} labels, and the references were answered with {len(layer)}"
            )
        if not np.isfinite(layer).all():
            label = labels[int(np.flatnonzero(~np.isfinite(layer))[0])]
            raise NotDefined(
                f"the label {label!r} has no probability after {of}, and a ratio over zero is undefined; take an "
                "additive variant, or other references"
            )

    def content(self) -> dict[str, Any]:
        """What was said to the references, and how it is used."""
        return {
            "target": self.target,
            "normalise": self.normalise,
            "asked_for": self.asked_for,
            "weights": None if self.weights is None else {name: dict(by) for name, by in self.weights.items()},
            "references": {name: one.content() for name, one in self.references.items()},
            **({"partial": True} if self.partial else {}),
        }

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        references = {str(name): References.from_content(entry) for name, entry in content["references"].items()}
        weights = content["weights"]
        if weights is not None:
            weights = {name: {one: float(numbers([by[one]])[0]) for one in by} for name, by in weights.items()}
        partial = bool(content.get("partial", False))
        how = content["target"], content["normalise"], content["asked_for"]
        return cls(fitted_for, references, *how, weights, partial)


def label_names(variable: Variable) -> list[str]:
    """What the columns of its distribution stand for."""
    return [output.name for output in variable.outputs] if variable.is_distribution else ["low", "high"]


def _ratios(fitted_for: FittedFor, gaps: Gaps | None) -> dict[str, dict[str, float]]:
    """Each attribute's share of the gaps before calibration."""
    if gaps is None:
        raise NotDefined("weights by the ratio of the gaps need the gaps before calibration; see baseline_gaps")
    return {variable.name: _ratio(variable.name, fitted_for, gaps) for variable in variables(fitted_for.outputs)}


def _ratio(variable: str, fitted_for: FittedFor, gaps: Gaps) -> dict[str, float]:
    known = gaps.get(variable, {})
    lacking = [attribute for attribute in fitted_for.attributes if not np.isfinite(known.get(attribute, np.nan))]
    if lacking:
        raise NotDefined(f"no gap of {variable!r} is known for {', '.join(lacking)}, so their ratio is undefined")
    sizes = {attribute: abs(known[attribute]) for attribute in fitted_for.attributes}
    if not sum(sizes.values()):
        raise NotDefined(f"the gaps of {variable!r} are all zero, so their ratio is undefined")
    return {attribute: size / sum(sizes.values()) for attribute, size in sizes.items()}
