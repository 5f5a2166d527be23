"""Groups of training texts that may carry a gap: with words for one side, with one strong word, or of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.contrasts import Floats
from evenhand.errors import UsageError
from evenhand.explaining.result import Question, WordShare
from evenhand.explaining.training import FEWEST, LEFT_OVER, Group, Taught
from evenhand.explaining.words import LEAST
from evenhand.results import Note
from evenhand.stats.types import Bools
from evenhand.systems.trained.words import WORD

TOP_WORDS = 3
"""So many words of each gap are tried as groups of training texts."""
MOST_VALUES = 12
"""A column with more values than this does not sort the texts into groups."""
NAMED = 4
"""So many of its words stand in a group's name."""


class WordsInTexts:
    """Which words stand in which training texts: the model's own words or, if it has none, those of the sentences."""

    def __init__(self, taught: Taught, sentences: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        self._taught = taught
        if taught.linear.words is None:
            vectoriser = CountVectorizer(binary=True, token_pattern=WORD).fit(sentences)
            self.words = tuple(vectoriser.get_feature_names_out())
            self._of_texts = vectoriser.transform(taught.texts).tocsc()
            self.of_sentences = vectoriser.transform(sentences)
        else:
            self.words = taught.linear.words
            self._of_texts, self.of_sentences = taught.features.tocsc(), taught.linear.features(sentences)
        self._place = {word: number for number, word in enumerate(self.words)}

    def having(self, words: Sequence[str]) -> Bools:
        """Which texts have one of these words."""
        places = [self._place[word] for word in words if word in self._place]
        return np.asarray(np.asarray((self._of_texts[:, places] > 0).sum(axis=1)).ravel() > 0)

    def told(self, shares: Sequence[WordShare]) -> list[WordShare]:
        """The shares with how many texts have the word, and what these score on average."""
        low, span = self._taught.linear.low, self._taught.linear.span
        found = []
        for share in shares:
            there = self.having([share.word])
            n = int(there.sum())
            mean = low + span * float(self._taught.scores[there].mean()) if n else None
            found.append(replace(share, texts=n, mean=mean))
        return found


class GroupsOfTexts:
    """The groups of training texts that are taken away, each once, with the gaps that it is asked of."""

    def __init__(self, taught: Taught, counted: WordsInTexts) -> None:
        self.notes: list[Note] = []
        self._taught = taught
        self._counted = counted
        self._made: dict[str, Group] = {}

    def add_sides(self, number: int, question: Question, apart: Floats) -> None:
        """Texts with words that one side of a gap has more often; `apart` says by how much more the first has each."""
        words = self._counted.words
        for sign, label in ((1, question.first_label), (-1, question.second_label)):
            own = [words[place] for place in np.flatnonzero(sign * apart > LEAST)]
            texts = self._counted.having(own)
            if not texts.any():
                said = f"no training text has a word that only sentences about {label} have"
                self.notes.append(Note(None, said))
                continue
            often = sorted(own, key=lambda word: (-self._counted.having([word]).sum(), word))[:NAMED]
            self._add(f"texts with words for {label} ({', '.join(often)}, …)", texts, number)

    def add_words(self, number: int, shares: Sequence[WordShare]) -> None:
        """Texts with one of the words that add most to a gap."""
        candidates = [one for one in shares if (one.texts or 0) >= FEWEST]
        tried = candidates[:TOP_WORDS]
        for share in tried:
            picked_from = -(-len(candidates) // len(tried))
            self._add(f"texts with “{share.word}”", self._counted.having([share.word]), number, picked_from)

    def add_columns(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Texts with one value of a column, asked of all gaps."""
        for column, labels in columns.items():
            values = sorted(set(labels))
            if len(values) > MOST_VALUES:
                raise UsageError(
                    f"the column {column!r} has {len(values):,} values; at most {MOST_VALUES} sort texts into groups"
                )
            given = np.array(labels, dtype=object)
            for value in values:
                name = f"{column}: {value}"
                self._made[name] = Group(name, np.asarray(given == value, dtype=bool))

    def that_can_go(self) -> list[Group]:
        """Those without which enough is left to learn from; the others are noted."""
        return [group for group in self._made.values() if self._can_go(group)]

    def _add(self, name: str, texts: Bools, number: int, picked_from: int = 1) -> None:
        before = self._made.get(name)
        asked = (*(before.asked or ()), number) if before else (number,)
        picked = max(picked_from, before.picked_from if before else 1)
        self._made[name] = Group(name, texts, asked, picked)

    def _can_go(self, group: Group) -> bool:
        kept = self._taught.scores[~group.texts]
        if len(kept) >= LEFT_OVER and np.ptp(kept) > 0:
            return True
        said = f"{group.name}: too little is left to learn from without them ({len(kept):,} texts)"
        self.notes.append(Note(None, said))
        return False
