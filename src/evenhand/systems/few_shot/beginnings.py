"""What all prompts begin with: the model reads it once, and many prompts go on from there."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.systems.few_shot.label_tokens import Tokens


@dataclass(frozen=True)
class Computed:
    """The tokens that all prompts begin with, and the keys and values that the model made of them.

    Prompts go on `beside` them where the model's attention allows that, else each from a copy.
    """

    tokens: Tokens
    past: Any
    beside: bool = False

    def from_copies(self, real: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """What lets the model go on, in rows of which these places are tokens."""
        mask = np.pad(real.astype(np.int64), ((0, 0), (len(self.tokens), 0)), constant_values=1)
        if self.past is None:
            return {"attention_mask": mask, "use_cache": False}
        past = copy.deepcopy(self.past)  # the model adds to what it is given
        past.batch_repeat_interleave(len(real))
        return {"attention_mask": mask, "use_cache": True, "past_key_values": past}

    def from_beside(self, real: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The same, for attention that knows of the beginning."""
        places = len(self.tokens) + np.arange(real.shape[1])
        return {"position_ids": np.broadcast_to(places, real.shape).copy(), "use_cache": False}

    @property
    def bytes_a_token(self) -> float:
        """What each row keeps of a token; 0 where it keeps nothing, or that is not known."""
        if self.past is None or self.beside:
            return 0.0
        layers = getattr(self.past, "layers", ())
        parts = (getattr(layer, name, None) for layer in layers for name in ("keys", "values"))
        return float(sum(getattr(part, "nbytes", 0) for part in parts)) / len(self.tokens)


def shareable(past: Any) -> bool:
    """Whether what was computed once can be repeated for many prompts; what recurrent models keep cannot."""
    try:
        copy.deepcopy(past).batch_repeat_interleave(2)
    except (AttributeError, NotImplementedError):
        return False
    return True
