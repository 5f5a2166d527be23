"""Asking once more without those that failed: what the others have answered just now is taken as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_LEFT_OUT: ContextVar[Mapping[str, str] | None] = ContextVar("left_out", default=None)


def left_out() -> Mapping[str, str]:
    """The systems that failed and are left out of what is made now, and why they failed."""
    return _LEFT_OUT.get() or {}


@contextmanager
def without(failed: Mapping[str, str]) -> Iterator[None]:
    """A block that asks the others once more: their answers are kept, so that hardly anybody is asked."""
    token = _LEFT_OUT.set(failed)
    try:
        yield
    finally:
        _LEFT_OUT.reset(token)
