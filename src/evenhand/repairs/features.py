"""What a sentence says without its person: its words and its slots, as features; and folds that keep values whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from evenhand.repairs.rows import Rows
from evenhand.systems.base import Array

WORD = re.compile(r"\w+(?:['’]\w+)*")
MOST_WORDS = 1000
"""The most common words are learned from, at most so many."""

FOLDS = 5
SLOT = "="
"""Parts a slot from its value; no word holds it."""

SAID = ("emotion",)
"""Slots that say what a sentence is about, where the corpus knows it."""


@dataclass(frozen=True)
class Vocabulary:
    """The words whose presence is a feature."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[frozenset[str]]) -> Vocabulary:
        """The words that stand in two texts or more; of one that stands in a single text nothing can be learned."""
        counts = Counter(word for text in texts for word in text)
        common = sorted((-count, word) for word, count in counts.items() if count > 1)
        return cls(tuple(sorted(word for _, word in common[:MOST_WORDS])))

    def features(self, texts: Sequence[frozenset[str]]) -> Array:
        """One where a word stands in a text, else zero.

        >>> Vocabulary(("angry", "sad")).features([frozenset({"sad"})]).tolist()
        [[0.0, 1.0]]
        """
        place = {word: number for number, word in enumerate(self.words)}
        table = np.zeros((len(texts), len(self.words)))
        for row, text in enumerate(texts):
            table[row, [place[word] for word in text if word in place]] = 1.0
        return table

    def known(self, texts: Sequence[frozenset[str]]) -> Array:
        """How much of each text is known: the share of its words that are among these, zero without words; all of it
        where one of its slots is.

        >>> known = Vocabulary(("emotion=joy", "sad")).known
        >>> known([frozenset({"sad", "feels"}), frozenset({"feels", "glad", "emotion=joy"}), frozenset()]).tolist()
        [0.5, 1.0, 0.0]
        """
        own = set(self.words)
        slots = {word for word in own if SLOT in word}
        return np.array([1.0 if text & slots else len(text & own) / max(len(text), 1) for text in texts])


def without_person(rows: Rows) -> list[frozenset[str]]:
    """The words of each text less those that name the person, and its slots as words like `emotion=joy`."""
    terms = rows.persons if rows.terms is None else rows.terms
    said = [] if rows.slots is None else [(slot, rows.slots[slot]) for slot in SAID if slot in rows.slots]
    found = []
    for row, (text, term) in enumerate(zip(rows.texts, terms, strict=True)):
        words = words_besides(text, term or rows.persons[row] or "")
        slots = {f"{slot}{SLOT}{labels[row]}" for slot, labels in said if labels[row] is not None}
        found.append(words | slots if slots else words)
    return found


@lru_cache(maxsize=2**16)
def words_besides(text: str, term: str) -> frozenset[str]:
    """The words of a text, in lower case, less one occurrence of a term.

    >>> sorted(words_besides("My sister feels angry.", "my sister"))
    ['angry', 'feels']
    """
    rest = re.sub(rf"(?<!\w){re.escape(term)}(?!\w)", " ", text, count=1, flags=re.IGNORECASE) if term else text
    return frozenset(word.lower() for word in WORD.findall(rest))


def folds(values: Iterable[object], *, seed: int = 0) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Rows seen and rows unseen, fold by fold: rows of one value stay together, and each row is unseen once.

    Which values go together does not depend on the order of the rows.

    >>> [(seen.tolist(), unseen.tolist()) for seen, unseen in folds(["a", "b", "a"])]
    [([1], [0, 2]), ([0, 2], [1])]
    """
    labels, number = np.unique([str(value) for value in values], return_inverse=True)
    if len(labels) < 2:
        return
    fold = np.random.default_rng(seed).permutation(np.arange(len(labels)) % FOLDS)[number]
    for one in np.unique(fold):
        yield np.flatnonzero(fold != one), np.flatnonzero(fold == one)
