"""What the tests of translation share: a real Apertium where there is one, and translators that remember their work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import polars as pl
import pytest

from evenhand.corpora.corpus import Corpus
from evenhand.translation import Apertium, Dictionary
from evenhand.translation.apertium import directions


@pytest.fixture(scope="session")
def apertium() -> Apertium:
    """English to Spanish; only tests that ask for it are skipped where there is none."""
    if not {"eng-spa", "spa-eng"} <= set(directions()):
        pytest.skip("no Apertium for English and Spanish here; `make test` installs it where apt is")
    return Apertium("eng-spa")


class Recorder:
    """Translates by turning letters round; remembers what it was given, and fails at texts that it is told."""

    source, target = "en", "xx"

    def __init__(self, *, fingerprint: str | None = "v1", fails_on: str | None = None, batch_size: int = 4) -> None:
        self.name = "recorder"
        self.fingerprint = fingerprint
        self.fails_on = fails_on
        self.batch_size = batch_size
        self.given: list[list[str]] = []

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        self.given.append(list(texts))
        for place in reversed(range(len(texts))):
            if texts[place] == self.fails_on:
                raise ValueError("the line is\nbusy")
            yield place, texts[place][::-1]

    def translate(self, texts: Sequence[str]) -> list[str]:
        said = dict(self.each(texts))
        return [said[place] for place in range(len(texts))]

    def back(self) -> Recorder:
        """The same the other way, so that everything comes home as it went."""
        other = Recorder(fingerprint=None if self.fingerprint is None else "back", batch_size=self.batch_size)
        other.source, other.target = self.target, self.source
        return other


@pytest.fixture
def recorder() -> type[Recorder]:
    return Recorder


def _corpus(rows: Sequence[tuple[str, str, str, str | None]], **columns: Sequence[str | None]) -> Corpus:
    """Rows of source, person, text and gender; the person is also the term."""
    frame = pl.DataFrame(
        {
            "id": [f"s{number}" for number in range(len(rows))],
            "text": [text for _, _, text, _ in rows],
            "source": [source for source, *_ in rows],
            "person": [person for _, person, *_ in rows],
            "term": [person for _, person, *_ in rows],
            "gender": [gender for *_, gender in rows],
            **columns,
        }
    )
    groups = tuple(frame["gender"].drop_nulls().unique(maintain_order=True))
    return Corpus(frame=frame, name="tiny", attributes={"gender": groups})


@pytest.fixture
def make_corpus() -> Callable[..., Corpus]:
    return _corpus


@pytest.fixture
def latin() -> Dictionary:
    """She and he become one, and come home as she; a son is lost for good, and a party comes to nothing."""
    words = {"she": "illa", "he": "illa", "her": "illam", "him": "illam", "my son": "puer", "sad": "tristis"}
    return Dictionary(words, source="en", target="la")
