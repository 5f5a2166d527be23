"""Who answers: AFINN, lists of English and Danish words rated from -5 to 5, summed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system

WORD_SCALE = 10.0
"""From the worst word (-5) to the best (5): the whole way for one word, which is what separates two such sentences."""


@system("afinn", extra="lexicon")
class Afinn(BaseScorer):
    """AFINN's sum of word ratings (English); each word counts from -5 to 5, the sum has no bounds.

    Its unit is 10, the width of the scale on which the words were rated, so that "1 %" is a tenth of a rating step
    whatever the length of the text. Nielsen 2011.
    """

    name = "afinn"
    outputs: tuple[Output, ...] = (Output("valence", low=None, high=None, unit=WORD_SCALE, high_is="good"),)
    language = "en"
    emoticons = False

    def __init__(self) -> None:
        self._sum = _analyser(self.language, emoticons=self.emoticons)
        self.fingerprint: str | None = fingerprint_of(type(self), "afinn")

    def score(self, texts: Sequence[str]) -> Array:
        """The sum of the ratings of each text's words."""
        return np.array([self._sum(text) for text in texts], dtype=np.float64).reshape(-1, 1)


@system("afinn-emoticons", extra="lexicon")
class AfinnEmoticons(Afinn):
    """AFINN's English words and emoticons: `:-)` counts 2, `:-(` -2. Without emoticons in a text it is `afinn`."""

    name = "afinn-emoticons"
    emoticons = True


@system("afinn-da", extra="lexicon")
class AfinnDanish(Afinn):
    """AFINN's Danish word list (3,552 words), summed as the English one is. For Danish corpora of your own."""

    name = "afinn-da"
    language = "da"


def _analyser(language: str, *, emoticons: bool) -> Callable[[str], float]:
    # The package (0.1, of 2016) has '\w' in a plain string and calls codecs.open: newer Pythons warn about both. Its
    # answers are not touched by either, nobody here can act on it, and under -W error it could not be imported.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*invalid escape sequence")
        warnings.filterwarnings("ignore", message=r"codecs\.open\(\) is deprecated", category=DeprecationWarning)
        from afinn import Afinn as Lexicon

        analyser: Callable[[str], float] = Lexicon(language=language, emoticons=emoticons).score
    return analyser
