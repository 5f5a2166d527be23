"""What is asked: `a` or `an` before words that changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import Edit


def article_edits(text: Text, edits: Iterable[Edit]) -> list[Edit]:
    """`a` or `an` before each word that changed, where that asks for the other one."""
    by_start = {one.start: one for one in edits}
    found = []
    for place, token in enumerate(text.tokens):
        if token.lower not in ("a", "an") or place + 1 >= len(text) or not text.joined(place):
            continue
        following = text.tokens[place + 1]
        edit = by_start.get(following.start)
        if edit is None or not edit.words:
            continue
        right = article(edit.words)
        if right != token.lower:
            found.append(
                Edit(
                    token.start,
                    token.end,
                    in_case_of(right, token.text if len(token.text) > 1 or not text.shouted else "AN"),
                )
            )
    return found


@cache
def article(words: str) -> str:
    """`a` or `an`, by the rules of English."""
    from evenhand.corpora.language import language

    if words[:1].isdigit():
        return "an" if words.startswith("8") or re.match(r"1[18](?!\d)", words) else "a"
    return language("en").article(words)
