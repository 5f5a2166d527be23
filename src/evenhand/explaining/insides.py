"""A linear model seen from inside: the words that carry its gaps and, where they are known, its training texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.asking.progress import progress_bars
from evenhand.contrasts import Contrast, Floats
from evenhand.explaining.result import GroupEffect, Question, TextInfluence, WordShare
from evenhand.explaining.text_groups import GroupsOfTexts, WordsInTexts
from evenhand.explaining.training import Group, Taught, chance_of_training, feature_gap, group_effects, strongest_texts
from evenhand.explaining.words import difference_of_features, word_shares
from evenhand.results import Note
from evenhand.systems.trained.linear import Linear

SURE = 12
"""The intervals of so many words of a gap are computed."""
TEXTS = 20
"""So many training texts are kept for each gap, the strongest."""


class Insides:
    """What the model of one output shows about its gaps; more once it is known what it learned from."""

    def __init__(
        self, linear: Linear, gaps: Sequence[tuple[Question, Contrast]], sentences: Sequence[str], *, alpha: float
    ) -> None:
        self.groups: list[GroupEffect] = []
        self.texts: list[TextInfluence] = []
        self.notes: list[Note] = []
        self._linear = linear
        self._contrasts = [contrast for _, contrast in gaps]
        self._sentences = sentences
        self._alpha = alpha
        self._features = linear.features(sentences)
        self.questions = [
            replace(question, raw=feature_gap(contrast, self._features, linear)) for question, contrast in gaps
        ]
        self._shares = [self._shares_of(question, contrast) for question, contrast in gaps]

    @property
    def words(self) -> list[WordShare]:
        """The words that carry the gaps, gap by gap."""
        return [share for shares in self._shares for share in shares]

    def learned_from(self, taught: Taught, *, progress: bool | None) -> None:
        """Look into its training texts as well, and train it again without some of them."""
        aparts = [difference_of_features(contrast, self._features) for contrast in self._contrasts]
        influences = [taught.influences(apart) for apart in aparts]
        for place, each in enumerate(influences):
            raw = feature_gap(self._contrasts[place], self._features, self._linear)
            interval = chance_of_training(raw, each)
            self.questions[place] = replace(self.questions[place], training_interval=interval)
            self.texts += strongest_texts(self.questions[place], taught, each, TEXTS)
        counted = WordsInTexts(taught, self._sentences)
        for place, apart in enumerate(aparts):
            told = counted.told(self._shares[place])
            self._shares[place] = [*self._with_chance(told[:SURE], taught, apart), *told[SURE:]]
        groups = self._groups(taught, counted)
        asked = list(zip(self.questions, self._contrasts, influences, strict=True))
        with progress_bars(progress) as bar:
            advance = bar(f"trained again ({self._linear.output})", len(groups) + 1, 0)
            self.groups += group_effects(taught, groups, asked, self._features, alpha=self._alpha, advance=advance)

    def _shares_of(self, question: Question, contrast: Contrast) -> list[WordShare]:
        if self._linear.words is None:
            return []
        shares, beyond = word_shares(question, contrast, self._linear, self._features)
        if beyond:
            self.notes.append(Note(question.attribute, f"words beyond those listed add {beyond:.6f} together"))
        return shares

    def _with_chance(self, shares: Sequence[WordShare], taught: Taught, apart: Floats) -> list[WordShare]:
        """The shares with where they would lie had other texts been learned from."""
        places = {word: place for place, word in enumerate(self._linear.words or ())}
        found = []
        for share in shares:
            only, place = np.zeros_like(apart), places[share.word]
            only[place] = apart[place]
            level = 1 - self._alpha / len(shares)
            interval = chance_of_training(share.share, taught.influences(only), level=level)
            found.append(replace(share, interval=interval))
        return found

    def _groups(self, taught: Taught, counted: WordsInTexts) -> list[Group]:
        made = GroupsOfTexts(taught, counted)
        for number, (question, contrast) in enumerate(zip(self.questions, self._contrasts, strict=True)):
            made.add_sides(number, question, difference_of_features(contrast, counted.of_sentences))
            made.add_words(number, self._shares[number])
        made.add_columns(taught.columns)
        groups = made.that_can_go()
        self.notes += made.notes
        return groups
