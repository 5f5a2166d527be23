"""What is asked of taggers: a sentence as tokens, the right tag of each, and where the person stands among them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evenhand.errors import EvenhandError, UsageError
from evenhand.schemes import BILOU, stretched

PLACE = re.compile(r"\{[^{}]*\}")
TOKEN = re.compile(r"\w+(?:[-.]\w+)*|['’]s\b|[^\w\s]")


def tokens_of(text: str) -> list[str]:
    """Words; marks and the possessive stand alone.

    >>> tokens_of("Peru's well-known writers met, at last.")
    ['Peru', "'s", 'well-known', 'writers', 'met', ',', 'at', 'last', '.']
    """
    return TOKEN.findall(text)


@dataclass(frozen=True)
class TaggedTemplate:
    """A sentence with one place, and a BILOU tag for each of its tokens; the place counts as one token.

    >>> template = TaggedTemplate("{person} is far from home.", "U-LOC O O O O O")
    >>> template.filled("South Africa is far from home.")["tags"]
    ['B-LOC', 'L-LOC', 'O', 'O', 'O', 'O', 'O']
    """

    text: str
    tags: str

    def __post_init__(self) -> None:
        places = PLACE.findall(self.text)
        if len(places) != 1:
            raise EvenhandError(f"a tagged template has one place, and {self.text!r} has {len(places)}")
        given, needed = len(self.tags.split()), self._slot + 1 + len(tokens_of(self._around[1]))
        if given != needed:
            raise EvenhandError(f"the template {self.text!r} has {needed} tokens and {given} tags")
        try:
            misfits = BILOU.read(self.tags.split()).misfits
        except UsageError as error:
            raise EvenhandError(f"the template {self.text!r}: {error}") from error
        if misfits:
            raise EvenhandError(f"the template {self.text!r}: its tags are not BILOU at token {misfits[0] + 1}")

    @property
    def _around(self) -> tuple[str, str]:
        before, after = PLACE.split(self.text)
        return before, after

    @property
    def _slot(self) -> int:
        return len(tokens_of(self._around[0]))

    def filled(self, sentence: str) -> dict[str, list[str] | list[int]]:
        """Tokens, tags and the person's tokens of a sentence that was made from this template.

        The person's words are what stands in the place, capitalised or not: everything else is as long as before.
        """
        before, after = (len(part) for part in self._around)
        words = sentence[before : len(sentence) - after].split()
        tokens = [*tokens_of(sentence[:before]), *words, *tokens_of(sentence[len(sentence) - after :])]
        tags = stretched(self.tags.split(), self._slot, len(words))
        return {"tokens": tokens, "tags": tags, "slot_span": [self._slot, self._slot + len(words)]}
