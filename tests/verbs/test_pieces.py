"""Persons whom a tokeniser cannot spell, or cannot tell from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from evenhand.asking.scores import Array
from evenhand.corpora import Corpus
from evenhand.systems import BaseScorer, Output
from evenhand.verbs.audit import audit
from evenhand.verbs.pieces import all_pieces, unspelled


class Spelling(BaseScorer):
    """Knows some words whole, folds accents, and has no piece for the rest."""

    name = "spelling"
    outputs = (Output("score", low=0, high=1),)
    known = ("Ann", "Jose", "my", "sister")

    @property
    def fingerprint(self) -> str | None:
        return None

    def score(self, texts: Sequence[str]) -> Array:
        return np.full((len(texts), 1), 0.5)

    def tokenise(self, text: str) -> list[str]:
        return [folded if (folded := word.replace("é", "e")) in self.known else "[UNK]" for word in text.split()]


def corpus(*persons: str) -> Corpus:
    rows = [
        {
            "id": f"{source}-{person}",
            "text": f"{person} is {source}.",
            "source": source,
            "person": person,
            "term": person,
            "kind": "name",
            "gender": "female" if number % 2 else "male",
        }
        for source in ("here", "there")
        for number, person in enumerate(persons)
    ]
    return Corpus(frame=pl.DataFrame(rows), name="tiny", attributes={"gender": ("female", "male")})


def test_pieces_are_counted() -> None:
    assert all_pieces([Spelling()], corpus("Ann", "my sister")) == {"spelling": {"Ann": 1, "my sister": 2}}


def test_names_without_a_piece_are_told_and_names_that_look_the_same() -> None:
    notes = unspelled([Spelling()], corpus("Ann", "Xi", "José", "Jose", "Ngozi"))
    assert [note.about for note in notes] == ["spelling", "spelling"]
    assert "cannot spell 2 persons of 5 (Ngozi, Xi)" in notes[0].text
    assert "cannot treat them differently: Jose, José" in notes[1].text


def test_nothing_is_said_where_all_can_be_spelled_or_nothing_is_known() -> None:
    assert unspelled([Spelling()], corpus("Ann", "Jose")) == ()
    silent = Spelling()
    silent.tokenise = lambda text: None  # type: ignore[method-assign,assignment,return-value]
    assert unspelled([silent], corpus("Xi", "Ngozi")) == ()


@pytest.mark.parametrize("persons", [("Ann", "Xi", "Jose", "Ngozi")])
def test_an_audit_says_so(persons: tuple[str, ...]) -> None:
    report = audit(Spelling(), corpus(*persons), progress=False, cache=None)
    assert any("cannot spell 2 persons of 4" in note.text for note in report.notes)
