"""There and back: a translator that looks up word by word, for tests and for teaching."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evenhand.systems.base import fingerprint_of
from evenhand.translation.base import code


class Dictionary:
    """Replaces words, or phrases, that stand in a dictionary; all else stays as it is.

    A capital that begins a word is kept. Going back, a word that several were turned into becomes the first of them:
    so does a bias come in.

    >>> there = Dictionary({"she": "ille", "he": "ille", "sad": "tristis"}, source="en", target="la")
    >>> there.translate(["She is sad."]), there.back().translate(["Ille is tristis."])
    (['Ille is tristis.'], ['She is sad.'])
    """

    batch_size = 1024

    def __init__(self, words: Mapping[str, str], *, source: str, target: str) -> None:
        self.name = f"dictionary({source}-{target})"
        self.source, self.target = code(source), code(target)
        self._words = {word.lower(): said for word, said in words.items()}
        longest_first = sorted(map(re.escape, self._words), key=len, reverse=True)
        self._any = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first) or '(?!)'})(?!\w)", re.IGNORECASE)
        self.fingerprint: str | None = fingerprint_of(type(self), words=list(self._words.items()), to=self.target)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Each text with its words replaced."""
        return [self._any.sub(self._said, text) for text in texts]

    def back(self) -> Dictionary:
        """The same dictionary read from right to left."""
        turned: dict[str, str] = {}
        for word, said in self._words.items():
            turned.setdefault(said.lower(), word)
        return Dictionary(turned, source=self.target, target=self.source)

    def _said(self, match: re.Match[str]) -> str:
        said = self._words[match[0].lower()]
        return said[:1].upper() + said[1:] if match[0][:1].isupper() else said
