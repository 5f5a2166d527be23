"""Values of options, read from what people type."""

from __future__ import annotations

from evenhand.errors import UsageError


def bounds(text: str | None) -> tuple[float, float] | None:
    """`LOW,HIGH` as two numbers.

    >>> bounds("-1,1"), bounds(None)
    ((-1.0, 1.0), None)
    """
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"--range {text!r}: give two numbers, as in --range -1,1") from error
    if not low < high:
        raise UsageError(f"--range {text!r}: the first number must be below the second")
    return low, high
