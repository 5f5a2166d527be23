"""Learning a chain of tags together with the transformer below it; the error is how unlikely right sequences are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenhand.systems.transformers.chain import PARTS, Chain, barriers
from evenhand.systems.transformers.torch_import import import_torch

FASTER, FASTEST = 100.0, 0.05
"""A chain begins with nothing and has few numbers, so it learns faster than the transformer, but only up to this."""


class ChainLayer:
    """The weights of a chain, as tensors that learn; steps that BILOU forbids stay forbidden."""

    def __init__(self, tags: Sequence[str], device: Any = "cpu") -> None:
        torch = import_torch()
        bars = barriers(tags)
        self._bars = {name: torch.tensor(getattr(bars, name), dtype=torch.float32, device=device) for name in PARTS}
        self._learned = {name: torch.zeros_like(bar, requires_grad=True) for name, bar in self._bars.items()}

    @property
    def parameters(self) -> list[Any]:
        """What is learned."""
        return list(self._learned.values())

    def rate(self, of_the_rest: float) -> float:
        """Its learning rate."""
        return max(of_the_rest, min(FASTEST, FASTER * of_the_rest))

    def chain(self) -> Chain:
        """What was learned, as numbers."""
        parts = {name: self._whole(name).detach().cpu().double().numpy() for name in PARTS}
        return Chain(**{name: np.array(part) for name, part in parts.items()})

    def error(self, emissions: Any, wanted: Any, there: Any) -> Any:
        """Of each sentence the negative log-likelihood of its tags.

        `emissions` is (sentences, words, tags), `wanted` (sentences, words), and `there` says which words are no
        padding; every sentence has its words first, and one at least.
        """
        return self._normaliser(emissions, there) - self._score(emissions, wanted, there)

    def _whole(self, name: str) -> Any:
        return self._learned[name] + self._bars[name]

    def _score(self, emissions: Any, wanted: Any, there: Any) -> Any:
        torch = import_torch()
        known = wanted * there
        words = emissions.gather(2, known[:, :, None])[:, :, 0] * there
        steps = self._whole("moves")[known[:, :-1], known[:, 1:]] * there[:, 1:]
        last = known.gather(1, there.sum(dim=1, keepdim=True) - 1)[:, 0]
        ends = self._whole("start")[known[:, 0]] + self._whole("end")[last]
        return torch.sum(words, dim=1) + torch.sum(steps, dim=1) + ends

    def _normaliser(self, emissions: Any, there: Any) -> Any:
        """The logarithm of the sum over all sequences."""
        torch = import_torch()
        moves = self._whole("moves")
        total = self._whole("start") + emissions[:, 0]
        for place in range(1, emissions.shape[1]):
            further = torch.logsumexp(total[:, :, None] + moves, dim=1) + emissions[:, place]
            total = torch.where(there[:, place, None].bool(), further, total)
        return torch.logsumexp(total + self._whole("end"), dim=1)
