"""Per-term corrections: what each person's own name or word adds, partially pooled within their group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator, numbers
from evenhand.repairs.evidence import attributes_in
from evenhand.repairs.layers import Layers, sum_of_shifts
from evenhand.repairs.own_parts import Own, own_parts
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array


@calibrator("terms")
@dataclass(frozen=True, eq=False)
class Terms(Calibrator):
    """Corrections by person, partially pooled: share · the person's own + (1 − share) · that of the groups.

    A person who was not seen gets the correction of the groups.
    """

    fitted_for: FittedFor
    groups: Layers
    own: tuple[Own, ...]

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus, *, attributes: Sequence[str] | None = None) -> Self:
        """Fit the layers of the groups, and each person's own part."""
        found = variables([column.output for column in scores.columns])
        own = [own_parts(scores, corpus, variable, attributes_in(corpus, attributes)) for variable in found]
        return cls(FittedFor.of(scores, corpus), Layers.fit(scores, corpus, attributes=attributes), tuple(own))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers less each person's pooled correction."""
        after = columns.copy()
        for variable, own in zip(self.variables, self.own, strict=True):
            places = list(variable.places)
            of_groups = [layer for layer in self.groups.layers if layer.variable == variable.name]
            shift = sum_of_shifts(of_groups, rows, len(places))
            for person, far in own.far.items():
                share = own.share[person]
                if share:
                    where = rows.persons == person
                    shift[where] = (1 - share) * shift[where] - share * far
            after[:, places] = variable.moved(columns[:, places], shift)
        return after

    def content(self) -> dict[str, Any]:
        """The layers and the persons' own parts."""
        own = [
            {"variable": one.variable, "far": {p: far.tolist() for p, far in one.far.items()}, "share": dict(one.share)}
            for one in self.own
        ]
        return {**self.groups.content(), "own": own}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        own = tuple(
            Own(
                entry["variable"],
                {str(person): numbers(far) for person, far in entry["far"].items()},
                {str(person): float(share) for person, share in entry["share"].items()},
            )
            for entry in content["own"]
        )
        return cls(fitted_for, Layers.from_content(fitted_for, content), own)
