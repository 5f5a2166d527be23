"""Who answers: a scorer of somebody else's making, which has what it needs and maybe not what is optional."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.systems.base import Array, BaseScorer, BaseSystem, Scorer

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

SHARED = ("name", "fingerprint", "batch_size", "samples", "resume_key", "draw", "remarks")


def adopted(given: Scorer) -> BaseScorer:
    """The scorer as one that has all parts: itself, or wrapped."""
    return given if isinstance(given, BaseScorer) else Adopted(given)


class Adopted(BaseScorer):
    """Has what the given scorer has, and the defaults for what it lacks."""

    def __init__(self, given: Scorer) -> None:
        self.given = given
        take_over(self, given, (*SHARED, "outputs", "tokenise"))

    def score(self, texts: Sequence[str]) -> Array:
        """What it answers."""
        return self.given.score(texts)

    def with_corpus(self, corpus: Corpus) -> BaseScorer:
        """The same system, told of another corpus where it can be."""
        told = getattr(self.given, "with_corpus", None)
        return self if told is None else adopted(told(corpus))


def take_over(system: BaseSystem, given: object, parts: Sequence[str]) -> None:
    """Give a system those of the parts that an object has."""
    for part in parts:
        if hasattr(given, part):
            setattr(system, part, getattr(given, part))
