"""What the tests of scoring share: tiny corpora, and systems that remember what they were asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.corpora.corpus import Corpus
from evenhand.systems.base import BaseScorer, Output


def _corpus(texts: Sequence[str], ids: Sequence[str] | None = None) -> Corpus:
    frame = pl.DataFrame(
        {
            "id": list(ids) if ids is not None else [f"s{number}" for number in range(len(texts))],
            "text": pl.Series(list(texts), dtype=pl.String),
            "source": ["source"] * len(texts),
            "person": [f"p{number}" for number in range(len(texts))],
        }
    )
    return Corpus(frame=frame, name="tiny", attributes={})


class Recorder(BaseScorer):
    """Answers with a number made from the text and from its whole batch, as transformers do; remembers the batches."""

    def __init__(self, name: str = "recorder", **settings: Any) -> None:
        self.name = name
        self.outputs: tuple[Output, ...] = (Output("valence"),)
        self.fingerprint: str | None = "v1"
        self.batch_size = 2
        self.answer: Callable[[list[str]], Any] | None = None
        self.fails_on: tuple[str, ...] = ()
        self.__dict__.update(settings)
        self.asked: list[list[str]] = []

    def score(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        if any(text in self.fails_on for text in texts):
            raise ValueError("cannot\nread this")
        if self.answer is not None:
            return self.answer(list(texts))
        return np.array([[_number(text, texts, output.name) for output in self.outputs] for text in texts])


def _number(text: str, texts: Sequence[str], salt: str) -> float:
    content = "\x00".join([salt, text, *texts]).encode()
    return int.from_bytes(hashlib.sha256(content).digest()[:6], "big") / 2**48


@pytest.fixture
def make_corpus() -> Callable[..., Corpus]:
    return _corpus


@pytest.fixture
def recorder() -> type[Recorder]:
    return Recorder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def files_in() -> Callable[[Path], list[Path]]:
    def files(folder: Path) -> list[Path]:
        return sorted(path for path in folder.rglob("*") if path.is_file())

    return files
