"""What is asked: which words stand for people, by a list and by their endings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from evenhand.corpora.text.data import text_data


@cache
def people() -> frozenset[str]:
    """Nouns for people."""
    return frozenset(text_data("identity")["people"])


@cache
def _endings() -> tuple[tuple[str, ...], frozenset[str]]:
    data: Mapping[str, list[str]] = text_data("identity")
    return tuple(data["endings"]), frozenset(data["not_people"])


@cache
def is_person(word: str) -> bool:
    """Whether a word stands for people, by a list and by its ending.

    >>> is_person("baker"), is_person("prayer"), is_person("mill")
    (True, False, False)
    """
    endings, others = _endings()
    if word in people():
        return True
    return len(word) > 4 and word.endswith(endings) and word not in others and not word.endswith(("ness", "less"))
