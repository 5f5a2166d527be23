"""A process of its own that scores a corpus, for the tests that kill it, fill its disk or run two at once."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking import scored
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError
from evenhand.systems.base import Array, BaseScorer, Output


class Slow(BaseScorer):
    """Notes each batch in a log as it is asked; its numbers depend on the whole batch, and on the draw."""

    name = "slow"
    samples = True
    outputs: tuple[Output, ...] = (Output("valence"), Output("arousal", low=-1, high=1))

    def __init__(self, log: Path, *, delay: float, fingerprint: str | None, batch_size: int) -> None:
        self.fingerprint = fingerprint
        self.batch_size = batch_size
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._delay = delay

    def score(self, texts: Sequence[str]) -> Array:
        return self.draw(texts, 1)

    def draw(self, texts: Sequence[str], number: int) -> Array:
        os.write(self._log, f"{texts[0]}{'' if number == 1 else f' ({number})'}\n".encode())
        time.sleep(self._delay)
        whole = "|".join([*texts, *([] if number == 1 else [str(number)])])
        digests = [hashlib.sha256(f"{text}|{whole}".encode()).digest() for text in texts]
        return np.array([[digest[0] / 255, digest[1] / 255] for digest in digests])


def texts(sentences: int) -> list[str]:
    """The sentences, in an order that is not the plan's, some of them twice."""
    return [f"Person {(number * 7) % sentences:05} feels angry." for number in range(sentences + 5)]


def corpus(sentences: int) -> Corpus:
    lines = texts(sentences)
    ids = [f"s{number}" for number in range(len(lines))]
    return Corpus(
        frame=pl.DataFrame({"id": ids, "text": lines, "source": "source", "person": ids}), name="child", attributes={}
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    for folder in ("--cache", "--out", "--log"):
        parser.add_argument(folder, type=Path, required=True)
    parser.add_argument("--sentences", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--fingerprint", default=None)
    parser.add_argument("--draws", type=int, default=1)
    chosen = parser.parse_args()
    system = Slow(chosen.log, delay=chosen.delay, fingerprint=chosen.fingerprint, batch_size=chosen.batch)
    try:
        with scored([system], corpus(chosen.sentences), cache=chosen.cache, draws=chosen.draws) as scores:
            scores.save(chosen.out)
    except EvenhandError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
