"""What is asked: the data files of real text, read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from evenhand.corpora.text.tokens import Text, tokens_of


@cache
def text_data(name: str) -> Mapping[str, Any]:
    """The content of a data file about real text."""
    file = files("evenhand") / "data" / "text" / f"{name}.yaml"
    # This loader makes nothing but texts, lists and mappings: `on` and `no` are words here.
    content: Mapping[str, Any] = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
    return content


def word_list(name: str) -> frozenset[str]:
    """A list of words by which sentences are read."""
    return frozenset(text_data("words")[name])


class Phrases:
    """Phrases by their first word, to find the longest that begins at a word of a text.

    >>> Phrases(["oh man", "man of the match"]).length(Text("Oh man, rain"), 0)
    2
    """

    def __init__(self, phrases: Iterable[str], *, as_written: bool = False) -> None:
        self.as_written = as_written
        self.by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            words = tuple(one.text if as_written else one.lower for one in tokens_of(phrase))
            if words:
                self.by_first.setdefault(words[0].lower(), []).append(words)
        for known in self.by_first.values():
            known.sort(key=len, reverse=True)

    def length(self, text: Text, place: int) -> int:
        """How many words of a text are a phrase that begins at a place; 0 where none does."""
        for words in self.by_first.get(text.lower(place), ()):
            there = text.tokens[place : place + len(words)]
            said = tuple(one.text if self.as_written else one.lower for one in there)
            if said == words and not any(
                set(text.gap(place + k)) & set(".!?\n") - {"."} for k in range(len(words) - 1)
            ):
                return len(words)
        return 0
