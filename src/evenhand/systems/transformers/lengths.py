"""Batches by length: texts of like length share a batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def by_length(texts: Sequence[str], lengths: Sequence[int], at_once: int) -> Iterator[list[int]]:
    """The places of the texts, `at_once` at a time, shortest first.

    Equal lengths are ordered by their text, so that the same texts in another order share the same batches.

    >>> list(by_length(["long one", "b", "a"], [2, 1, 1], 2))
    [[2, 1], [0]]
    """
    order = sorted(range(len(texts)), key=lambda place: (lengths[place], texts[place]))
    for start in range(0, len(order), at_once):
        yield order[start : start + at_once]
