from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, ScoringFailed
from evenhand.systems.base import Array, Output
from evenhand.systems.through import Through

Make = Callable[..., Corpus]


class BothWays(Through):
    """Asks about a text and about its mirror image, and answers with the mean."""

    def __init__(self, inner: Any, *, scale: float = 1.0) -> None:
        super().__init__(inner, name="both ways", outputs=(Output("mean"),))
        self._scale = scale

    def questions(self, texts: Sequence[str]) -> list[tuple[str, str]]:
        return [(text, text[::-1]) for text in texts]

    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        assert len(texts) == len(answers)
        return self._scale * np.array([part.mean(axis=0) for part in answers])

    def settings(self) -> dict[str, object]:
        return {"scale": self._scale}


def first_letter(texts: list[str]) -> list[float]:
    return [ord(text[0]) / 200 for text in texts]


def test_the_inner_system_is_asked_each_question_once_and_the_answers_are_read(
    make_corpus: Make, recorder: Any, cache: Path
) -> None:
    inner = recorder(answer=first_letter)
    scores = score([BothWays(inner)], make_corpus(["ad", "da", "bc"]), cache=cache)
    assert inner.asked == [["ad", "bc"], ["cb", "da"]]
    expected = [(ord("a") + ord("d")) / 400, (ord("a") + ord("d")) / 400, (ord("b") + ord("c")) / 400]
    assert scores.matrix[:, 0].tolist() == pytest.approx(expected, abs=1e-15)
    assert [column.name for column in scores.columns] == ["both ways/mean"]


def test_answers_are_kept_as_the_inner_system_gave_them(make_corpus: Make, recorder: Any, cache: Path) -> None:
    corpus = make_corpus(["ad", "da", "bc", "cb"])
    score([BothWays(recorder(answer=first_letter))], corpus, cache=cache)
    again, plain = recorder(answer=first_letter), recorder(answer=first_letter)
    halved = score([BothWays(again, scale=0.5)], corpus, cache=cache)
    score([plain], corpus, cache=cache)
    assert again.asked == plain.asked == []
    assert halved.matrix[0, 0] == pytest.approx((ord("a") + ord("d")) / 800)


def test_asked_without_a_cache_it_says_the_same(make_corpus: Make, recorder: Any, cache: Path) -> None:
    texts = ["ad", "da", "bc"]
    system = BothWays(recorder(answer=first_letter))
    assert system.score(texts).tolist() == score([system], make_corpus(texts), cache=cache).matrix.tolist()


def test_one_may_ask_another(make_corpus: Make, recorder: Any, cache: Path) -> None:
    inner = recorder(answer=first_letter)
    scores = score([BothWays(BothWays(inner), scale=0.5)], make_corpus(["ad", "bc"]), cache=cache)
    assert sum(map(len, inner.asked)) == 4
    assert scores.matrix[0, 0] == pytest.approx((ord("a") + ord("d")) / 800)


def test_its_fingerprint_is_that_of_both(recorder: Any) -> None:
    one, other = BothWays(recorder()), BothWays(recorder(), scale=0.5)
    assert one.fingerprint == BothWays(recorder()).fingerprint
    assert len({one.fingerprint, other.fingerprint, BothWays(recorder(fingerprint="v2")).fingerprint}) == 3
    assert BothWays(recorder(fingerprint=None)).fingerprint is None


def test_a_failure_of_the_inner_system_is_told(make_corpus: Make, recorder: Any, cache: Path) -> None:
    def fails(texts: list[str]) -> list[float]:
        if "cb" in texts:
            raise RuntimeError("no idea")
        return first_letter(texts)

    with pytest.raises(ScoringFailed, match="no idea"):
        score([BothWays(recorder(answer=fails))], make_corpus(["ad", "bc"]), cache=cache)


def test_what_is_read_must_lie_in_the_range(make_corpus: Make, recorder: Any, cache: Path) -> None:
    with pytest.raises(BadAnswer, match="both ways"):
        score([BothWays(recorder(answer=first_letter), scale=9)], make_corpus(["ad"]), cache=cache)


def test_draws_of_the_inner_system_are_read_one_by_one(make_corpus: Make, recorder: Any, cache: Path) -> None:
    inner = recorder(fingerprint=None)
    inner.samples = True
    inner.draw = lambda texts, number: [[number / 10] for _ in texts]
    scores = score([BothWays(inner)], make_corpus(["ad", "bc"]), cache=cache, draws=3)
    assert scores.matrix[:, 0].tolist() == pytest.approx([0.2, 0.2])
    assert scores.columns[0].draws == 3
    assert scores.columns[0].draw_spread == pytest.approx(0.1)
