"""What a repair needs again and again is made once: contrasts by corpus and question, directories, fits, scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand import Corpus, RepairSettings, Scores, eec, repair
from evenhand.contrasts import declare
from evenhand.corpora.persons import Directory
from evenhand.repairs import layers

SPLITS, HALVES, QUESTIONS = 3, 2, 4
"""Persons, templates and words are halved; gender among everybody, pairs and names, and race, are asked about."""


def test_a_repair_makes_each_contrast_directory_and_fit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[tuple[Any, ...]] = Counter()
    copies: list[str] = []
    build, entered, fitted, checked = declare.build, Directory._entered, layers._fitted, Scores.__post_init__

    def building(corpus: Corpus, attribute: str, first: str, second: str, subset: str, side: Any) -> Any:
        made["contrast", corpus.digest, attribute, first, second, subset] += 1
        return build(corpus, attribute, first, second, subset, side)

    def entering(corpus: Corpus, code: str | None) -> Any:
        made["directory", corpus.digest] += 1
        return entered(corpus, code)

    def fitting(scores: Scores, corpus: Corpus, *rest: Any) -> Any:
        made["fit", corpus.digest] += 1
        return fitted(scores, corpus, *rest)

    def checking(scores: Scores) -> None:
        given = scores.matrix
        checked(scores)
        if not np.shares_memory(given, scores.matrix):
            copies.append(scores.columns[0].name)

    monkeypatch.setattr(declare, "build", building)
    monkeypatch.setattr(Directory, "_entered", entering)
    monkeypatch.setattr(layers, "_fitted", fitting)
    monkeypatch.setattr(Scores, "__post_init__", checking)
    repair("vader", replace(eec()), settings=RepairSettings(repetitions=1), progress=False)

    corpora = 1 + SPLITS * HALVES
    by_kind = Counter(kind for kind, *_ in made)
    assert set(made.values()) == {1}
    # The bare phrases of the published variants are a corpus too, of which no gap is asked.
    assert by_kind == {"contrast": QUESTIONS * corpora, "directory": corpora + 1, "fit": corpora}
    assert len(copies) <= 3, "of the answers about the corpus, about neutral persons and about bare phrases"
