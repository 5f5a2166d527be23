"""What settings may be, checked in one place: levels, counts, seeds and choices."""

from __future__ import annotations

import math
from collections.abc import Iterable

from evenhand.errors import UsageError, did_you_mean


def check_alpha(alpha: float) -> None:
    """The level of tests lies between 0 and 0.5."""
    check_between("alpha", alpha, 0.0, 0.5)


def check_level(level: float) -> None:
    """The confidence level of intervals lies between 0.5 and 1."""
    check_between("the confidence level", level, 0.5, 1.0)


def check_between(name: str, value: float, low: float, high: float) -> None:
    """A number strictly between two others.

    >>> check_between("alpha", 7, 0, 0.5)
    Traceback (most recent call last):
    evenhand.errors.UsageError: alpha must lie between 0 and 0.5, not 7
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low < value < high:
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, not {value!r}")


def check_count(name: str, value: int, *, least: int = 0) -> None:
    """A whole number, not below the least that makes sense."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be a whole number from {least}, not {value!r}")


def check_seed(seed: int) -> None:
    """Seeds are whole numbers from 0."""
    check_count("a seed", seed)


def check_choice(name: str, value: str, known: Iterable[str]) -> None:
    """One of the names that are known."""
    known = list(known)
    if value not in known:
        raise UsageError(f"unknown {name} {value!r}{did_you_mean(str(value), known)}")


def check_least(name: str, value: float, least: float = 0.0) -> None:
    """A number that is not below the least that makes sense."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < math.inf:
        raise UsageError(f"{name} must be a number from {least:g}, not {value!r}")


def check_range(low: float, high: float) -> None:
    """The ends of a range, the lower first."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"a range needs two numbers, the lower first, not {low:g} and {high:g}")
