"""Systems that sample: asked several times, the mean kept, the spread told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.asking import Scores, score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import ScoringFailed, UsageError
from evenhand.systems import as_scorer
from evenhand.systems.base import Array, BaseScorer, Output
from evenhand.verbs.audit import audit

Make = Callable[..., Corpus]
LETTERS = list("abcdefghij")


class Drawing(BaseScorer):
    """Draws by number: each answer is a letter's place plus a hundredth of the draw's number."""

    name = "drawing"
    batch_size = 4
    samples = True

    def __init__(self, fingerprint: str | None = "v1", fails_at: int | None = None) -> None:
        self.outputs: tuple[Output, ...] = (Output("score", high=2), Output("flat"))
        self.fingerprint = fingerprint
        self.asked: list[tuple[str, int]] = []
        self._fails_at = fails_at

    def score(self, texts: Sequence[str]) -> Array:
        raise AssertionError("one that can draw is not merely asked")

    def draw(self, texts: Sequence[str], number: int) -> Array:
        if number == self._fails_at:
            raise ValueError("tired")
        self.asked.append((texts[0], number))
        return np.array([[LETTERS.index(text) / 10 + number / 100, 0.5] for text in texts])


def noisy(sd: float, seed: int = 0) -> Callable[[Sequence[str]], list[float]]:
    rng = np.random.default_rng(seed)
    return lambda texts: (0.5 + sd * rng.standard_normal(len(texts))).clip(0, 1).tolist()


def test_scores_are_means_and_the_spread_is_that_between_draws(make_corpus: Make, cache: Path) -> None:
    scores = score([Drawing()], make_corpus(["b", "a", "b"]), cache=cache, draws=3)
    np.testing.assert_allclose(scores.matrix, [[0.12, 0.5], [0.02, 0.5], [0.12, 0.5]], rtol=1e-12)
    assert [column.draws for column in scores.columns] == [3, 3]
    assert scores.columns[0].draw_spread == pytest.approx(0.01)  # of 0.01, 0.02, 0.03
    assert scores.columns[1].draw_spread == 0


def test_a_known_noise_is_measured(cache: Path) -> None:
    corpus = eec()
    scores = score([as_scorer(noisy(0.05), name="noisy")], corpus, cache=cache, draws=5)
    assert scores.columns[0].draw_spread == pytest.approx(0.05, rel=0.02)
    once = score([as_scorer(noisy(0.05), name="noisy")], corpus, cache=cache)
    assert scores.matrix.std() == pytest.approx(once.matrix.std() / np.sqrt(5), rel=0.05)
    assert (once.columns[0].draws, once.columns[0].draw_spread) == (1, None)


def test_the_spread_counts_every_sentence_not_every_distinct_one(make_corpus: Make, cache: Path) -> None:
    def shaky_on_a(texts: list[str]) -> list[float]:
        shaky_on_a.calls += 1  # type: ignore[attr-defined]
        return [0.4 if text == "a" and shaky_on_a.calls % 2 else 0.6 for text in texts]  # type: ignore[attr-defined]

    shaky_on_a.calls = 0  # type: ignore[attr-defined]
    system = as_scorer(shaky_on_a, outputs=["score"])
    scores = score([system], make_corpus(["a", "b", "b", "b"]), cache=cache, draws=2)
    assert scores.columns[0].draw_spread == pytest.approx(np.sqrt(0.02 / 4))


def test_draws_are_cached_apart_and_more_of_them_begin_with_those_that_are_there(
    make_corpus: Make, cache: Path
) -> None:
    corpus = make_corpus(LETTERS)
    first, more, again = Drawing(), Drawing(), Drawing()
    one = score([first], corpus, cache=cache)
    assert first.asked == [("a", 1), ("e", 1), ("i", 1)]
    score([more], corpus, cache=cache, draws=3)
    assert more.asked == [("a", 2), ("a", 3), ("e", 2), ("e", 3), ("i", 2), ("i", 3)]
    assert score([again], corpus, cache=cache).matrix.tobytes() == one.matrix.tobytes()
    score([again], corpus, cache=cache, draws=3)
    assert again.asked == []


@pytest.mark.parametrize("fingerprint", ["v1", None])
def test_a_run_that_failed_asks_only_the_missing_draws(
    make_corpus: Make, cache: Path, files_in: Callable[[Path], list[Path]], fingerprint: str | None
) -> None:
    corpus, mended = make_corpus(LETTERS), Drawing(fingerprint)
    with pytest.raises(ScoringFailed, match=r"could not score 10 of 10 .*ValueError: tired"):
        score([Drawing(fingerprint, fails_at=2)], corpus, cache=cache, draws=2)
    resumed = score([mended], corpus, cache=cache, draws=2)
    assert mended.asked == [("a", 2), ("e", 2), ("i", 2)]
    undisturbed = score([Drawing(fingerprint)], corpus, cache=cache.with_name("other"), draws=2)
    assert resumed.matrix.tobytes() == undisturbed.matrix.tobytes()
    assert bool(files_in(cache)) == (fingerprint is not None)


def test_a_mean_stays_within_the_range(make_corpus: Make, cache: Path) -> None:
    system = as_scorer(lambda texts: [0.1] * len(texts), name="tenth", outputs=[Output("score", high=0.1)])
    assert score([system], make_corpus(LETTERS), cache=cache, draws=3).matrix.max() == 0.1


def test_one_that_always_answers_the_same_is_not_asked_twice(make_corpus: Make, recorder: Any, cache: Path) -> None:
    system = recorder()
    with pytest.raises(
        UsageError, match="'recorder' always gives the same answer, so it is of no use to ask it 5 times"
    ):
        score([Drawing(), system], make_corpus(LETTERS), cache=cache, draws=5)
    with pytest.raises(UsageError, match="always gives the same answer"):
        score([recorder(samples=False)], make_corpus(LETTERS), cache=cache, draws=2)
    assert system.asked == []
    unknown = recorder(fingerprint=None)
    score([unknown], make_corpus(LETTERS), cache=cache, draws=2)
    assert len(unknown.asked) == 10


@pytest.mark.parametrize("draws", [0, -1])
def test_a_sentence_is_asked_at_least_once(make_corpus: Make, cache: Path, draws: int) -> None:
    with pytest.raises(UsageError, match=f"at least once, not {draws} times"):
        score([Drawing()], make_corpus(LETTERS), cache=cache, draws=draws)


def test_an_empty_corpus_has_no_spread(make_corpus: Make, cache: Path) -> None:
    assert score([Drawing()], make_corpus([]), cache=cache, draws=2).columns[0].draw_spread is None


def test_a_function_may_say_that_it_samples(make_corpus: Make, cache: Path) -> None:
    function = noisy(0.1)
    assert not as_scorer(function, version="1").samples  # type: ignore[attr-defined]
    function.samples = True  # type: ignore[attr-defined]
    system = as_scorer(function, version="1")
    first = score([system], make_corpus(LETTERS), cache=cache, draws=3)
    assert score([system], make_corpus(LETTERS), cache=cache, draws=3).matrix.tobytes() == first.matrix.tobytes()


def test_an_audit_tells_how_often_was_asked_and_how_far_the_draws_lie_apart(cache: Path) -> None:
    report = audit(noisy(0.05), draws=4, attributes=["gender"], cache=cache, progress=False, sample=960)
    (finding,) = report.findings
    assert finding.draws == 4
    assert finding.draw_spread == pytest.approx(0.05, rel=0.05)
    assert "draw_spread" not in finding.undefined
    assert report.provenance.settings["draws"] == 4
    (once,) = audit(noisy(0.05), attributes=["gender"], cache=cache, progress=False, sample=960).findings
    assert (once.draws, once.draw_spread, once.undefined["draw_spread"]) == (1, None, "asked once")


def test_recorded_predictions_are_not_asked_again(cache: Path) -> None:
    corpus = eec()
    scores: Scores = score([as_scorer(noisy(0.05), name="noisy")], corpus, cache=cache, draws=2)
    (finding,) = audit(scores, corpus, attributes=["gender"]).findings
    assert finding.draws == 2
    with pytest.raises(UsageError, match="recorded cannot be asked again"):
        audit(scores, corpus, draws=2)
