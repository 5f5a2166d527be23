"""The words that differ between two sentences."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

Marks = list[tuple[str, bool]]
"""A text in pieces, each with whether it differs from another text."""
WORDS = re.compile(r"\w+|\W")


def marked(text: str, other: str) -> Marks:
    """A text in pieces, the words marked that another one does not have in their place.

    >>> marked("She likes her dog.", "He likes his dog.")
    [('She', True), (' likes ', False), ('her', True), (' dog.', False)]
    """
    mine, theirs = WORDS.findall(text), WORDS.findall(other)
    found: Marks = []
    for kind, begin, end, _, _ in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        piece = "".join(mine[begin:end])
        if piece:
            found.append((piece, kind != "equal"))
    return found
