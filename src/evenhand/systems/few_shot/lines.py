"""Lines through a model: what it reads of prompts and labels after their common beginning, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evenhand.systems.base import Array
from evenhand.systems.few_shot.label_tokens import LabelTokens, Tokens

Wanted = tuple[tuple[Tokens, tuple[int, ...]], ...]
"""Beginnings of labels, each with the tokens that some label goes on with."""


@dataclass(frozen=True)
class Row:
    """One line through the model: what it reads after the common beginning."""

    place: int
    """Of the prompt among all."""
    tokens: Tokens
    first: int
    """Where the prompt's last token stands: after it labels begin, and after the next ones they go on."""
    wanted: Wanted
    line: int = 0
    """Which of the prompt's lines it is."""


@dataclass(frozen=True)
class Lines:
    """The lines of some prompts, and by what they are put in order."""

    rows: list[Row]
    lengths: list[int]
    texts: list[str]

    @classmethod
    def of(cls, prompts: Sequence[LabelTokens], before: int) -> Lines:
        """All lines of these prompts, without what stands before them."""
        rows = [
            Row(place, one.prompt[before:] + path, len(one.prompt) - before - 1, wanted, line)
            for place, one in enumerate(prompts)
            for line, (path, wanted) in enumerate(_lines(one.chains))
        ]
        return cls(rows, [len(row.tokens) for row in rows], [" ".join(map(str, row.tokens)) for row in rows])


class Asked:
    """Prompts with their labels, as tokens, and the tokens of the prefix that all of them begin with."""

    def __init__(self, prompts: Sequence[LabelTokens], shared: Tokens) -> None:
        self.prompts = prompts
        self.shared = shared
        self._after = len(shared), Lines.of(prompts, len(shared))

    def after(self, before: int) -> Lines:
        """What goes through the model after so many tokens."""
        known, lines = self._after
        return lines if known == before else Lines.of(self.prompts, before)


class Later:
    """What prompts are cut into, found out when there is time for it, or when it is wanted."""

    def __init__(self, cut: Callable[[], Asked]) -> None:
        self._cut = cut
        self._future: Future[Asked] = Future()

    def do(self) -> None:
        """Do it now, unless that is done; what it raises is for those who want it."""
        if self._future.done():
            return
        try:
            self._future.set_result(self._cut())
        except Exception as error:
            self._future.set_exception(error)

    def result(self) -> Asked:
        """What came of it."""
        self.do()
        return self._future.result()


def masses_of(chains: Sequence[tuple[Tokens, ...]], rows: Sequence[Row], numbers: Array) -> Array:
    """For each prompt its labels' probabilities, from those of the tokens that its rows wanted, one after the other.

    Each is the product along the label's tokens. Prompts whose labels are cut up alike are worked out together.
    """
    counts = np.fromiter((_wanted_by(row.wanted) for row in rows), np.int64, len(rows))
    lines = np.fromiter((row.line for row in rows), np.int64, len(rows))
    begins = np.zeros((len(chains), lines.max() + 1), dtype=np.int64)
    begins[np.fromiter((row.place for row in rows), np.int64, len(rows)), lines] = np.cumsum(counts) - counts
    alike: dict[tuple[Tokens, ...], list[int]] = {}
    for place, one in enumerate(chains):
        alike.setdefault(one, []).append(place)
    masses: Array = np.ones((len(chains), len(chains[0])))
    for one, places in alike.items():
        for label, factors in enumerate(_factors(one)):
            for line, offset in factors:
                masses[places, label] *= numbers[begins[places, line] + offset]
    return masses


@lru_cache(maxsize=64)
def _wanted_by(wanted: Wanted) -> int:
    return sum(len(following) for _, following in wanted)


@lru_cache(maxsize=64)
def _factors(chains: tuple[Tokens, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each label, where its tokens' probabilities stand: in which line, and how far behind its beginning."""
    slots: dict[tuple[Tokens, int], tuple[int, int]] = {}
    for line, (_, wanted) in enumerate(_lines(chains)):
        asked = ((stem, token) for stem, following in wanted for token in following)
        slots |= {slot: (line, offset) for offset, slot in enumerate(asked)}
    return tuple(tuple(slots[one[:place], one[place]] for place in range(len(one))) for one in chains)


@lru_cache(maxsize=64)
def _lines(chains: tuple[Tokens, ...]) -> tuple[tuple[Tokens, Wanted], ...]:
    """The stems that no other stem extends, and what is wanted to know along each: its line passes all the others."""
    asked = LabelTokens((), chains)
    stems = asked.stems
    paths = [one for one in stems if not any(other != one and other[: len(one)] == one for other in stems)]
    return tuple(
        (path, tuple((path[:end], asked.following(path[:end])) for end in range(len(path) + 1))) for path in paths
    )
