"""The terminal that results are printed on."""

from __future__ import annotations

from rich.console import Console


def console_of(width: int | None = None) -> Console:
    """Standard output, as wide as the terminal unless a width is given."""
    return Console(width=width)
