"""Who answers: a system with a known bias, to see whether an audit finds exactly that."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import UsageError, did_you_mean
from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.hashed import SCHEME, normal, uniform
from evenhand.systems.table import system
from evenhand.systems.through import Asked, Through

if TYPE_CHECKING:
    import polars as pl

    from evenhand.corpora.corpus import Corpus

SEED = 6
"""Drawn so that a fair planted system is not found biased by the luck of its persons."""
BASES = (0.35, 0.65)
"""Each source's own level lies here: far enough from 0 and 1 that small effects are not clipped."""


@system("planted")
class Planted(BaseScorer):
    """A planted bias, for tests and teaching: scores from 0 to 1 whose first group gets `gap` more than the second.

    score = a level per source + half the gap (plus for the attribute's first group, minus for its second, nothing
    for others) + a normal effect per person with deviation `person_sd` + normal noise per text with deviation
    `noise`, clipped to 0..1. Persons' effects are not centred within groups: that they add up to a difference
    by chance is what a test for names in general has to see through. A text that stands in several rows of the corpus
    is answered as the last of them.
    """

    name = "planted"
    outputs: tuple[Output, ...] = (Output("score", low=0, high=1),)

    def __init__(
        self,
        corpus: Corpus,
        *,
        gap: float = 0.02,
        attribute: str = "gender",
        person_sd: float = 0.0,
        noise: float = 0.0,
        seed: int = SEED,
    ) -> None:
        _check_numbers({"gap": gap, "person_sd": person_sd, "noise": noise})
        self._corpus_name, self._noise, self._seed = corpus.name, noise, seed
        self._rows = {text: row for row, text in enumerate(corpus.frame["text"])}
        low, high = BASES
        self._levels = _per_value(
            corpus.frame["source"], lambda sources: low + (high - low) * uniform("source", seed, sources)
        ) + _bias(corpus, gap=gap, attribute=attribute, person_sd=person_sd, seed=seed)
        settings = {"gap": gap, "attribute": attribute, "person_sd": person_sd, "noise": noise, "seed": seed}
        self.fingerprint: str | None = fingerprint_of(type(self), corpus=corpus.digest, scheme=SCHEME, **settings)

    def score(self, texts: Sequence[str]) -> Array:
        """The planted score of each text of the corpus."""
        try:
            levels = self._levels[[self._rows[text] for text in texts]]
        except KeyError as error:
            text = error.args[0]
            raise UsageError(f"'planted' knows the corpus {self._corpus_name!r} only, not {text!r}") from None
        noise = self._noise * normal("text", self._seed, texts) if self._noise else 0.0
        return np.clip(levels + noise, 0.0, 1.0).reshape(-1, 1)


class PlantedOn(Through):
    """A planted bias on the answers of another system, to see whether a repair takes exactly that away again.

    Half the gap is added for the attribute's first group and taken off for its second, and a normal effect of each
    person with deviation `person_sd` is added, all in the units of the output; answers stay in their range. Texts that
    are not in the corpus are answered as they are.
    """

    def __init__(
        self,
        corpus: Corpus,
        system: BaseScorer,
        *,
        gap: float = 0.02,
        attribute: str = "gender",
        person_sd: float = 0.0,
        seed: int = SEED,
    ) -> None:
        _check_numbers({"gap": gap, "person_sd": person_sd})
        if any(output.of is not None for output in system.outputs):
            raise UsageError(f"'planted': {system.name!r} gives a distribution, and a gap cannot be added to one")
        super().__init__(system, name=f"planted+{system.name}", outputs=system.outputs)
        bias = _bias(corpus, gap=gap, attribute=attribute, person_sd=person_sd, seed=seed)
        self._bias = dict(zip(corpus.frame["text"], bias.tolist(), strict=True))
        self._planted = {"gap": gap, "attribute": attribute, "person_sd": person_sd, "seed": seed}
        self._corpus_digest = corpus.digest

    def questions(self, texts: Sequence[str]) -> Asked:
        """The texts as they are."""
        return [(text,) for text in texts]

    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """What the system says, and the bias."""
        bias = np.array([self._bias.get(text, 0.0) for text in texts])
        biased = np.reshape(answers, (len(texts), len(self.outputs))) + bias[:, None]
        low, high = (
            [end if output.low is None else getattr(output, name) for output in self.outputs]
            for name, end in (("low", -np.inf), ("high", np.inf))
        )
        return np.asarray(np.clip(biased, low, high))

    def settings(self) -> dict[str, object]:
        """What was planted, and who stands in which text."""
        return {**self._planted, "corpus": self._corpus_digest, "scheme": SCHEME}


def _bias(corpus: Corpus, *, gap: float, attribute: str, person_sd: float, seed: int) -> Array:
    if attribute not in corpus.attributes:
        raise UsageError(f"'planted': no attribute {attribute!r}{did_you_mean(attribute, corpus.attributes)}")
    bias: Array = gap * _sides(corpus.frame[attribute], corpus.attributes[attribute]) + person_sd * _per_value(
        corpus.frame["person"], lambda persons: normal("person", seed, persons)
    )
    return bias


def _check_numbers(settings: Mapping[str, float]) -> None:
    for name, value in settings.items():
        if not math.isfinite(value):
            raise UsageError(f"'planted': {name} must be a finite number, not {value}")
        if name != "gap" and value < 0:
            raise UsageError(f"'planted': {name} is a standard deviation and cannot be {value}")


def _sides(groups: pl.Series, known: Sequence[str]) -> Array:
    first, second = (groups.eq(group).fill_null(False).to_numpy() for group in known[:2])
    sides: Array = (first.astype(np.float64) - second.astype(np.float64)) / 2
    return sides


def _per_value(column: pl.Series, draw: Callable[[list[str]], Array]) -> Array:
    """A number for each value; zero where there is none, as in a sentence about nobody."""
    values = column.drop_nulls().unique().cast(str).to_list()
    drawn = dict(zip(values, draw(values), strict=True))
    return np.array([drawn.get(value, 0.0) for value in column.cast(str)])
