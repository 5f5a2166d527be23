"""The words of a text, as the systems that are trained on words see them."""

from __future__ import annotations

import re

WORD = r"(?u)\w+(?:['’]\w+)*|[^\w\s]"
"""A run of letters, digits and underscores, with apostrophes inside; other signs, such as ! or an emoji, one by one."""

_FOUND = re.compile(WORD)


def words(text: str) -> list[str]:
    """The words and signs of a text, in lower case.

    >>> words("My sister doesn't feel #angry :)")
    ['my', 'sister', "doesn't", 'feel', '#', 'angry', ':', ')']
    """
    return _FOUND.findall(text.lower())
