"""What is asked: what follows from something that never changes is made once, and kept as long as that is in use."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Made = TypeVar("Made")

_MADE: WeakKeyDictionary[object, dict[Hashable, Any]] = WeakKeyDictionary()


def once(owner: object, question: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` gives, made the first time that this is asked about the owner (a corpus, or scores).

    What is kept must not hold the owner, which would then never go away. A question begins with the name of what is
    asked for, so that nobody else asks the same.
    """
    known = _MADE.setdefault(owner, {})
    if question not in known:
        known[question] = make()
    made: Made = known[question]
    return made
