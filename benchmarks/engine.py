"""What the scoring engine costs, measured side by side with calling the same system on the same batches."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking import score
from evenhand.asking.plan import make_plan
from evenhand.corpora.corpus import Corpus
from evenhand.systems.base import Array, Output, Scorer

SENTENCES = 8_640
MICROSECONDS_GOAL = 15.0
SHARE_GOAL = 0.10

Row = tuple[str, str, str, str]


class Instant:
    """Answers at once."""

    name = "instant"
    outputs: tuple[Output, ...] = (Output("valence"),)
    fingerprint: str | None = "instant"
    batch_size = 64

    def score(self, texts: Sequence[str]) -> Array:
        return np.full((len(texts), 1), 0.5)


class Millisecond(Instant):
    """Takes a millisecond a sentence, by working rather than sleeping, as a small model does."""

    name = "millisecond"
    fingerprint: str | None = "millisecond"

    def __init__(self, batch_size: int) -> None:
        self.batch_size = batch_size

    def score(self, texts: Sequence[str]) -> Array:
        until = time.perf_counter() + 0.001 * len(texts)
        while time.perf_counter() < until:
            pass
        return super().score(texts)


def run() -> list[Row]:
    """The rows of the table: what, measured, goal, whether it holds."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / str(number) for number in count())
        extra, _ = _extra_and_direct(Instant(), SENTENCES, lambda: next(fresh), repeats=9)
        shares = [_share(Millisecond(batch_size), lambda: next(fresh)) for batch_size in (64, 1)]
        warm = next(fresh)
        score([Instant()], _corpus(SENTENCES), cache=warm)
        warm_extra, _ = _extra_and_direct(Instant(), SENTENCES, lambda: warm, repeats=9)
    return [
        _in_microseconds("engine, cold cache, instant system", extra),
        _in_microseconds("engine, warm cache", warm_extra),
        _as_share("engine, system of 1 ms a sentence, batches of 64", shares[0]),
        _as_share("engine, system of 1 ms a sentence, asked one by one", shares[1]),
    ]


def _extra_and_direct(
    system: Scorer, sentences: int, cache: Callable[[], Path], *, repeats: int
) -> tuple[float, float]:
    """Median seconds that the engine adds, and median seconds of the system alone, taken in turns."""
    extra, direct = [], []
    batches = [list(batch.texts) for batch in make_plan(_corpus(sentences).frame["text"], system.batch_size).batches]
    for _ in range(repeats):
        corpus = _corpus(sentences)  # a new one each time, as its digest is part of the engine's work
        began = time.perf_counter()
        for batch in batches:
            system.score(batch)
        between = time.perf_counter()
        score([system], corpus, cache=cache(), progress=False)
        ended = time.perf_counter()
        direct.append(between - began)
        extra.append((ended - between) - (between - began))
    return statistics.median(extra), statistics.median(direct)


def _share(system: Scorer, cache: Callable[[], Path]) -> float:
    extra, direct = _extra_and_direct(system, SENTENCES // 8, cache, repeats=3)
    return extra / direct


def _as_share(what: str, share: float) -> Row:
    return what, f"{share:+.1%}", f"<= {SHARE_GOAL:.0%}", _holds(share <= SHARE_GOAL)


def _in_microseconds(what: str, seconds: float) -> Row:
    cost = seconds / SENTENCES * 1e6
    return what, f"{cost:.1f} µs a sentence", f"<= {MICROSECONDS_GOAL:.0f} µs", _holds(cost <= MICROSECONDS_GOAL)


def _holds(good: bool) -> str:
    return "yes" if good else "NO"


def _corpus(sentences: int) -> Corpus:
    numbers = range(sentences)
    frame = pl.DataFrame(
        {
            "id": [f"s{number}" for number in numbers],
            "text": [f"Person {number} told us all about the recent depressing events." for number in numbers],
            "source": [f"source {number // 60}" for number in numbers],
            "person": [f"person {number % 60}" for number in numbers],
            "gender": [("female", "male")[number % 2] for number in numbers],
        }
    )
    return Corpus(frame=frame, name="benchmark", attributes={"gender": ("female", "male")})


if __name__ == "__main__":
    for row in run():
        print(*row, sep=" | ")
