"""Who answers: nobody; numbers drawn blindly, the system without bias and without use."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.hashed import SCHEME, uniform
from evenhand.systems.table import system


@system("random")
class RandomUniform(BaseScorer):
    """A uniform random number from -1 to 1 for each text (S_r), the same one whenever the seed and the text are."""

    name = "random"
    outputs: tuple[Output, ...] = (Output("score", low=-1, high=1),)

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed
        self.fingerprint: str | None = fingerprint_of(type(self), seed=seed, scheme=SCHEME)

    def score(self, texts: Sequence[str]) -> Array:
        """A number for each text, from a hash of the seed and the text."""
        return (2 * uniform("random", self._seed, texts) - 1).reshape(-1, 1)
