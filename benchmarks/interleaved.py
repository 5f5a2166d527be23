"""Contenders timed in turn within one run: a machine that is busy is busy for all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

Row = tuple[str, str, str, str]


def timed(contenders: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each contender and round: all of them take part in each round, one after the other."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratio_row(what: str, slow: list[float], fast: list[float], *, texts: int, goal: float) -> Row:
    """How many times as fast one of two contenders was: the median over rounds."""
    ratio = statistics.median(a / b for a, b in zip(slow, fast, strict=True))
    rates = [texts / statistics.median(seconds) for seconds in (fast, slow)]
    measured = f"{ratio:.1f} × ({rates[0]:.1f}/s against {rates[1]:.1f}/s)"
    return what, measured, f">= {goal:g} ×", "yes" if ratio >= goal else "no"
