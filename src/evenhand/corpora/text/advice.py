"""What is asked: what a tagger and a language model say of a word that rules read in two ways, and who is believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evenhand.corpora.text.roles import Unclear, other_pronoun
from evenhand.corpora.text.tokens import Text

READINGS = {"her": ("his", "him"), "his": ("her", "hers")}
"""What stands for a pronoun where it owns what follows, and where it does not (`fired her`, `is his`)."""
OWNED, ALONE = "PRP$", "PRP"
"""The tags of the two; no tagger of ours tells `his` from `his`."""
BY_TAGGER, BY_REFEREE = "tagger", "referee"


class Word(NamedTuple):
    """A word as a tagger has it: where it stands, and its part of speech."""

    start: int
    end: int
    tag: str


class WordTagger(Protocol):
    """Tells parts of speech, as the Penn Treebank calls them."""

    name: str

    def words(self, text: str) -> Sequence[Word]:
        """The words of a text."""
        ...


class Referee(Protocol):
    """Tells which of two ways to go on with a text is likelier."""

    name: str

    def prefers_first(self, before: str, first: str, second: str) -> bool | None:
        """Whether the first is likelier; None where they are too close, or it cannot be asked."""
        ...


class Advice:
    """Rules first, a tagger second, a referee where these disagree; nobody is asked what rules tell for sure."""

    def __init__(self, tagger: WordTagger | None = None, referee: Referee | None = None) -> None:
        self.tagger, self.referee = tagger, referee
        self._read: tuple[str, dict[int, Word]] = "", {}

    @property
    def asked(self) -> dict[str, str]:
        """Who is asked, by name."""
        named = {BY_TAGGER: self.tagger, BY_REFEREE: self.referee}
        return {role: one.name for role, one in named.items() if one is not None}

    def tag(self, text: Text, place: int) -> str:
        """The part of speech of a word; empty where nobody tells."""
        word = self._word(text, place)
        return word.tag if word else ""

    def pronoun(self, text: Text, place: int) -> tuple[str, str]:
        """The pronoun of the other gender in the same role, and who told it if not rules; `Unclear` where nobody can.

        >>> Advice().pronoun(Text("lost his keys"), 1)
        ('her', '')
        """
        doubt = None
        try:
            ruled = other_pronoun(text, place)
        except Unclear as error:
            ruled, doubt = "", error
        readings = READINGS.get(text.lower(place))
        if readings is None or (self.tagger is None and self.referee is None):
            if doubt is not None:
                raise doubt
            return ruled, ""
        tagged = self._tagged(text, place, readings)
        if ruled and tagged in ("", ruled):
            return ruled, ""
        referred = self._referred(text, place, readings)
        if ruled and referred == ruled:
            return ruled, BY_REFEREE
        if not ruled and referred:
            return referred, BY_REFEREE
        # Taggers see an owner wherever one may be, so that what rules do not tell needs another witness for it.
        if not ruled and self.referee is None and tagged == readings[1]:
            return tagged, BY_TAGGER
        raise doubt or Unclear(f"rules and the tagger read “{text.lower(place)} {text.lower(place + 1)}” in two ways")

    def _tagged(self, text: Text, place: int, readings: tuple[str, str]) -> str:
        if text.lower(place) == "his":
            return ""
        return {OWNED: readings[0], ALONE: readings[1]}.get(self.tag(text, place), "")

    def _referred(self, text: Text, place: int, readings: tuple[str, str]) -> str:
        if self.referee is None:
            return ""
        token = text.tokens[place]
        before, behind = text.text[: token.start], _rest_of_sentence(text, place)
        told = self.referee.prefers_first(before, *(one + behind for one in readings))
        return "" if told is None else readings[0 if told else 1]

    def _word(self, text: Text, place: int) -> Word | None:
        if self.tagger is None or not 0 <= place < len(text):
            return None
        if self._read[0] != text.text:
            self._read = text.text, {one.start: one for one in self.tagger.words(text.text)}
        return self._read[1].get(text.tokens[place].start)


NO_ADVICE = Advice()
MOST_WORDS = 8


def _rest_of_sentence(text: Text, place: int) -> str:
    """What stands behind a word, to the end of its sentence and for some words at most."""
    last = place
    while last + 1 < min(len(text), place + MOST_WORDS + 1) and not text.starts_sentence(last + 1):
        last += 1
    end = text.tokens[last].end + len(text.gap(last).rstrip()) if last + 1 == len(text) else text.tokens[last].end
    return text.text[text.tokens[place].end : end]
