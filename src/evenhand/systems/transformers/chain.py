"""A conditional random field over the tags of a sentence: which tag follows which, beside what each word says.

A linear chain (Lafferty, McCallum and Pereira 2001): the score of a sequence of tags is the sum of its emissions, of
what each step from tag to tag is worth, and of where it begins and ends. Sequences that are no BILOU have no chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from evenhand.errors import EvenhandError
from evenhand.schemes import OUTSIDE
from evenhand.systems.base import Array

FILE = "crf.safetensors"
"""Beside the weights of a tagger that was trained with a chain."""
NEVER = -1e4
"""What a step costs that no sequence may take; finite, as an infinity would be no number to learn with."""
PARTS = ("start", "moves", "end")

OPENING, CLOSING = ("O", "B", "U"), ("O", "L", "U")
"""Letters with which a span may begin (or none does), and those after which none is open."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chain:
    """What it is worth to begin with a tag, to go from one (row) to another (column), and to end with one."""

    start: Array
    moves: Array
    end: Array

    def likeliest(self, emissions: Array) -> Ints:
        """The sequence with the highest score (Viterbi): a tag for each row of the emissions.

        >>> Chain(np.zeros(2), np.array([[0.0, -9.0], [0.0, 0.0]]), np.zeros(2)).likeliest(
        ...     np.array([[1.0, 0.0], [0.0, 2.0]])).tolist()
        [1, 1]
        """
        best, came = self.start + emissions[0], []
        for row in emissions[1:]:
            reached = best[:, None] + self.moves
            came.append(reached.argmax(axis=0))
            best = reached.max(axis=0) + row
        tags = [int((best + self.end).argmax())]
        for before in reversed(came):
            tags.append(int(before[tags[-1]]))
        return np.array(tags[::-1], dtype=np.int64)

    def marginals(self, emissions: Array) -> Array:
        """The probability of each tag at each word, over all sequences."""
        forward = [self.start + emissions[0]]
        for row in emissions[1:]:
            forward.append(logsumexp(forward[-1][:, None] + self.moves, axis=0) + row)
        backward = [self.end]
        for row in emissions[:0:-1]:
            backward.append(logsumexp(self.moves + row + backward[-1], axis=1))
        joint = np.array(forward) + np.array(backward[::-1])
        shares: Array = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)

    def save(self, folder: Path) -> None:
        """Write it beside a model."""
        from safetensors.numpy import save_file

        save_file({name: np.ascontiguousarray(getattr(self, name)) for name in PARTS}, folder / FILE)


def read_chain(folder: Path, tags: int) -> Chain | None:
    """The chain of a tagger with so many tags; None where it was trained without."""
    path = folder / FILE
    if not path.is_file():
        return None
    from safetensors.numpy import load_file

    try:
        parts = {name: np.asarray(part, dtype=np.float64) for name, part in load_file(path).items()}
    except Exception as error:  # each damage has an error of its own, and all of them mean the same
        raise EvenhandError(f"{path} cannot be read: {type(error).__name__}") from error
    shapes = {"start": (tags,), "moves": (tags, tags), "end": (tags,)}
    found = {name: part.shape for name, part in parts.items()}
    if found != shapes or not all(np.isfinite(part).all() for part in parts.values()):
        raise EvenhandError(f"{path} is not the chain of a tagger with {tags} tags")
    return Chain(**parts)


def barriers(tags: Sequence[str]) -> Chain:
    """What BILOU forbids: zero where a step may be taken, and so little elsewhere that none is.

    >>> bars = barriers(["O", "B-LOC", "I-LOC", "L-LOC", "U-LOC"])
    >>> (bars.moves[1] == 0).astype(int).tolist(), (bars.end == 0).astype(int).tolist()
    ([0, 0, 1, 1, 0], [1, 0, 0, 1, 1])
    """
    letters = [tag[0] for tag in tags]
    may_start = [letter in OPENING for letter in letters]
    may_end = [letter in CLOSING for letter in letters]
    may_move = [[_may_follow(one, other) for other in tags] for one in tags]
    return Chain(*(np.where(np.array(may), 0.0, NEVER) for may in (may_start, may_move, may_end)))


def _may_follow(one: str, other: str) -> bool:
    if one == OUTSIDE or one[0] in CLOSING:
        return other[0] in OPENING
    return other[0] in ("I", "L") and one[2:] == other[2:]
