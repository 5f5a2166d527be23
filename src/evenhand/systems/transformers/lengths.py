"""Batches by length: texts of like length share a batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def by_length(
    texts: Sequence[str], lengths: Iterable[int], at_once: int | None, *, room: int | None = None
) -> Iterator[list[int]]:
    """The places of the texts, shortest first: at most `at_once` at a time, and as many as fit into `room` tokens.

    What fits is counted with padding. A text that is longer than the room goes alone. Equal lengths are ordered by
    their text, so that the same texts in another order share the same batches.

    >>> list(by_length(["long one", "b", "a"], [2, 1, 1], 2))
    [[2, 1], [0]]
    >>> list(by_length(["a", "b", "c c", "d d d d d"], [1, 1, 2, 5], None, room=4))
    [[0, 1], [2], [3]]
    """
    batch: list[int] = []
    known = list(map(int, lengths))
    # By text, then by length: each keeps the order of the one before, and texts that come sorted cost nothing.
    for place in sorted(sorted(range(len(texts)), key=texts.__getitem__), key=known.__getitem__):
        crowded = room is not None and (len(batch) + 1) * known[place] > room
        if batch and (crowded or len(batch) == at_once):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
