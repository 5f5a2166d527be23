"""Repairs around systems: what all of them share, and what they cost."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evenhand.asking.cache import cache_root, store_for
from evenhand.asking.plan import make_plan
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, BaseScorer, Output
from evenhand.systems.few_shot import FewShot, expected, most_likely
from evenhand.systems.few_shot.few_shot import DISTRIBUTION, LIKELY
from evenhand.systems.through import Through

Bools = npt.NDArray[np.bool_]


class Wrapped(Through):
    """A system with a repair around it; its outputs are those of the system.

    A few-shot classifier is asked for the distribution over its labels, whatever reading of it was asked for: the
    distribution is repaired, and read afterwards.
    """

    def __init__(self, system: BaseScorer, *, how: str, inner: BaseScorer | None = None) -> None:
        super().__init__(inner or distributed(system), name=f"repaired:{how}+{system.name}", outputs=system.outputs)

    @abstractmethod
    def named(self, texts: Sequence[str]) -> Bools:
        """Which texts are about somebody whom the repair knows; the others keep their scores."""

    @abstractmethod
    def repaired(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The repaired answer for each text, as the inner system's outputs declare."""

    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The repaired answers, read as was asked for."""
        return read_as(self.outputs, self.inner.outputs, self.repaired(texts, answers))

    def settings(self) -> dict[str, object]:
        """Which of the inner system's answers are given."""
        return {"outputs": self.outputs}


def distributed(system: BaseScorer) -> BaseScorer:
    """The system that gives the distribution over labels, where a reading of one was asked for; else as it is."""
    if isinstance(system, FewShot):
        return system.reading(DISTRIBUTION)
    if isinstance(system, Wrapped):
        whole = copy(system)
        whole.outputs = system.inner.outputs
        return whole
    return system


def read_as(wanted: Sequence[Output], given: Sequence[Output], columns: Array) -> Array:
    """Columns of the outputs that are given as those that are wanted: themselves, or readings of a distribution."""
    if list(wanted) == list(given):
        return columns
    place = {output.name: where for where, output in enumerate(given)}
    found = {variable.name: variable for variable in variables(given) if variable.is_distribution}

    def column(name: str) -> Array:
        if name in place:
            return columns[:, place[name]]
        variable = found[name.removesuffix(f".{LIKELY}")]
        values = np.arange(float(len(variable.places))) if variable.values is None else variable.values
        reading = expected if name == variable.name else most_likely
        return reading(columns[:, list(variable.places)], values)

    return np.column_stack([column(output.name) for output in wanted])


@dataclass(frozen=True)
class Cost:
    """What it takes to answer some texts: questions to the system inside."""

    texts: int
    questions: int
    """One text at a time, each with all of its questions."""
    distinct: int
    """Together, each question once."""
    cached: int
    """How many of those are in the cache already."""

    @property
    def calls_per_sentence(self) -> float | None:
        """Questions a text, when each comes by itself; None without texts."""
        return self.questions / self.texts if self.texts else None


def cost_of(system: BaseScorer, texts: Sequence[str], *, cache: Path | None = None) -> Cost:
    """What it costs to ask a system about these texts, all the way down to the system that does not ask another."""
    distinct = sorted(set(texts))
    single = {text: len(_questions(system, [text])) for text in distinct}
    asked, innermost = _questions(system, distinct), _innermost(system)
    plan = make_plan(asked, innermost.batch_size)
    store = store_for(innermost, plan, cache_root(cache))
    width = len(innermost.outputs)
    kept = [len(b.texts) for b in plan.batches if store.read(b.key, (len(b.texts), width)) is not None]
    return Cost(len(texts), sum(single[text] for text in texts), len(plan.texts), sum(kept))


def _innermost(system: BaseScorer) -> BaseScorer:
    while isinstance(system, Through):
        system = system.inner
    return system


def _questions(system: BaseScorer, texts: Sequence[str]) -> list[str]:
    asked = list(texts)
    while isinstance(system, Through):
        asked = list(dict.fromkeys(chain.from_iterable(system.questions(asked))))
        system = system.inner
    return asked
