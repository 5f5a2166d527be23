"""How work that takes long is shown: rooms below say with what."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Working = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Shows how far work of that name and so many steps is; gives what counts them."""


def silent(name: str, steps: int) -> AbstractContextManager[Callable[[], None]]:
    """Shows nothing."""
    return nullcontext(lambda: None)
