"""A system that is asked after a round trip, and the translations that are kept on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand
from evenhand.asking import score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError
from evenhand.systems import Array, BaseScorer, Output, Scorer, build_system
from evenhand.translation import Apertium, Dictionary, RoundTrip, ThereAndBack, Translator

CHILD = Path(__file__).with_name("child.py")


class Length(BaseScorer):
    """The length of a text; remembers what it was asked."""

    name = "length"
    outputs: tuple[Output, ...] = (Output("length", low=0, high=1000),)

    def __init__(self, *, fingerprint: str | None = "v1", batch_size: int = 3) -> None:
        self.fingerprint = fingerprint
        self.batch_size = batch_size
        self.asked: list[list[str]] = []

    def score(self, texts: Sequence[str]) -> Array:
        self.asked.append(list(texts))
        return np.array([[float(len(text))] for text in texts])


def corpus_of(texts: Sequence[str], make_corpus: Callable[..., Corpus]) -> Corpus:
    return make_corpus([("s", f"p{number}", text, "female") for number, text in enumerate(texts)])


# A system like any other


def test_it_is_a_scorer_with_the_outputs_of_its_system(latin: Dictionary) -> None:
    trip = RoundTrip(Length(), ThereAndBack(latin, via="la"))
    assert isinstance(trip, Scorer)
    assert trip.outputs == Length.outputs
    assert trip.name == "roundtrip:dictionary(en-la)+length"
    assert trip.score([]).shape == (0, 1)


def test_the_system_hears_what_came_home(latin: Dictionary) -> None:
    system = Length()
    trip = RoundTrip(system, ThereAndBack(latin))
    answers = trip.score(["He is sad.", "I saw him.", "Ebony is sad.", ""])
    assert system.asked == [["", "Ebony is sad.", "I saw her."], ["She is sad."]]
    assert answers[:, 0].tolist() == [11, 10, 13, 0]


def test_what_the_system_says_of_itself_holds_after_a_round_trip_too(latin: Dictionary) -> None:
    class Talkative(Length):
        def remarks(self) -> tuple[str, ...]:
            return ("I only count letters",)

        def tokenise(self, text: str) -> list[str]:
            return list(text)

    trip = RoundTrip(Talkative(), ThereAndBack(latin))
    assert trip.remarks() == ("I only count letters",)
    assert trip.tokenise("Tia") == ["T", "i", "a"]


def test_a_text_that_comes_home_as_another_shares_its_answer(
    latin: Dictionary, make_corpus: Callable[..., Corpus]
) -> None:
    system, twin = Length(), Length()
    corpus = corpus_of(["He is sad.", "She is sad."], make_corpus)
    once, again = RoundTrip(system, ThereAndBack(latin)), RoundTrip(twin, ThereAndBack(latin))
    again.name = "again"
    score([once, again], corpus)
    assert system.asked == [["She is sad."]]
    assert twin.asked == []


def test_the_fingerprint_is_of_system_and_both_translators(recorder: Any, latin: Dictionary) -> None:
    prints = [
        RoundTrip(Length(), ThereAndBack(recorder())).fingerprint,
        RoundTrip(Length(fingerprint="v2"), ThereAndBack(recorder())).fingerprint,
        RoundTrip(Length(), ThereAndBack(recorder(fingerprint="v2"))).fingerprint,
        RoundTrip(Length(), ThereAndBack(latin)).fingerprint,
        RoundTrip(Length(), ThereAndBack(latin, latin.back())).fingerprint,
    ]
    assert len({*prints[:4]}) == 4
    assert prints[3] == prints[4]
    assert RoundTrip(Length(fingerprint=None), ThereAndBack(recorder())).fingerprint is None
    assert RoundTrip(Length(), ThereAndBack(recorder(fingerprint=None))).fingerprint is None


def test_a_way_back_must_lead_back(latin: Dictionary) -> None:
    with pytest.raises(UsageError, match=r"goes from en to la, but .* from en to la; that is not the way back"):
        ThereAndBack(latin, latin)
    with pytest.raises(UsageError, match="goes to la, not to es"):
        RoundTrip(Length(), ThereAndBack(latin, via="es"))


def test_a_translator_that_knows_no_way_back_asks_for_one(latin: Dictionary) -> None:
    class OneWay:
        name, source, target, fingerprint, batch_size = "one-way", "en", "la", "v1", 8

        def translate(self, texts: Sequence[str]) -> list[str]:
            return latin.translate(texts)

    assert isinstance(OneWay(), Translator)
    with pytest.raises(UsageError, match="'one-way' does not know its way back"):
        RoundTrip(Length(), ThereAndBack(OneWay()))
    assert RoundTrip(Length(), ThereAndBack(OneWay(), latin.back())).score(["He is sad."]).tolist() == [[11]]


def test_an_answer_that_cannot_be_used_is_said_of_the_system_and_of_what_it_heard(
    latin: Dictionary, make_corpus: Callable[..., Corpus]
) -> None:
    class Silent(Length):
        def score(self, texts: Sequence[str]) -> Any:
            return [None for _ in texts]

    with pytest.raises(BadAnswer, match=r"system 'length' answered None .* \"She is sad.\""):
        score([RoundTrip(Silent(), ThereAndBack(latin))], corpus_of(["He is sad."], make_corpus))


def test_a_system_that_draws_is_told_for_the_so_manieth_time(latin: Dictionary) -> None:
    class Drawing(Length):
        samples = True

        def draw(self, texts: Sequence[str], number: int) -> Array:
            return self.score(texts) + number

    trip = RoundTrip(Drawing(), ThereAndBack(latin))
    assert trip.samples
    assert trip.draw(["He."], 7).tolist() == [[11]]


@pytest.mark.parametrize(
    ("said", "message"),
    [(["one"], "gave 1 translations of 2 texts"), (["one", None], "answered None, which is not a text")],
)
def test_what_is_no_translation_is_refused(said: list[Any], message: str) -> None:
    class Broken(Dictionary):
        def translate(self, texts: Sequence[str]) -> list[str]:
            return said

    with pytest.raises(BadAnswer, match=message):
        RoundTrip(Length(), ThereAndBack(Broken({}, source="en", target="la"))).score(["a", "b"])


# What is kept


def test_what_was_translated_once_is_not_asked_for_again(recorder: Any) -> None:
    texts = ["one", "two", "three", "two", " ", "", "four", "five"]
    first = recorder()
    assert [journey.home for journey in ThereAndBack(first).journeys(texts)] == texts
    assert first.given == [["one", "two", "three", "four"], ["five"]]
    again = recorder()
    assert [journey.abroad for journey in ThereAndBack(again).journeys([*texts, "six"])][:2] == ["eno", "owt"]
    assert again.given == [["six"]]
    other = recorder(fingerprint="v2")
    ThereAndBack(other).journeys(texts)
    assert other.given == first.given


def test_a_translator_that_fails_half_way_loses_nothing(recorder: Any, make_corpus: Callable[..., Corpus]) -> None:
    texts = [f"text {number}" for number in range(10)]
    corpus = corpus_of(texts, make_corpus)
    failing = recorder(fails_on="text 5")
    system = Length(batch_size=100)
    with pytest.raises(ScoringFailed, match=r"could not be asked: .*the line is busy"):
        score([RoundTrip(system, ThereAndBack(failing))], corpus)
    mended = recorder()
    scores = score([RoundTrip(system, ThereAndBack(mended))], corpus)
    assert scores.matrix[:, 0].tolist() == [6.0] * 10


def test_what_came_before_the_failure_is_kept(recorder: Any) -> None:
    texts = [f"text {number}" for number in range(10)]
    with pytest.raises(ValueError, match="busy"):
        ThereAndBack(recorder(fails_on="text 5")).journeys(texts)
    mended = recorder()
    ThereAndBack(mended).journeys(texts)
    assert mended.given == [["text 4", "text 5", "text 8", "text 9"]]


def test_nobody_vouches_for_a_translator_without_fingerprint(
    recorder: Any, own_cache: Path, make_corpus: Callable[..., Corpus]
) -> None:
    """What it said serves to finish what was begun, and is dropped when that is done."""
    texts = [f"text {number}" for number in range(10)]
    corpus = corpus_of(texts, make_corpus)
    with pytest.raises(ScoringFailed, match="busy"):
        score([RoundTrip(Length(), ThereAndBack(recorder(fingerprint=None, fails_on="text 5")))], corpus)
    assert list(own_cache.rglob("*.answers"))
    mended = recorder(fingerprint=None)
    score([RoundTrip(Length(), ThereAndBack(mended))], corpus)
    # A few are asked for again, to see whether it is still the same translator.
    assert mended.given == [[*texts[:4], "text 6", "text 7"], ["text 4", "text 5", "text 8", "text 9"]]
    assert not list((own_cache / "translating").rglob("*.answers"))
    afresh = recorder(fingerprint=None)
    score([RoundTrip(Length(), ThereAndBack(afresh))], corpus)
    assert sum(map(len, afresh.given)) == 10


def test_a_translator_that_has_changed_is_asked_for_all_again(
    recorder: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"text {number}" for number in range(10)]
    with pytest.raises(ValueError, match="busy"):
        ThereAndBack(recorder(fingerprint=None, fails_on="text 5")).journeys(texts)
    changed = recorder(fingerprint=None)
    monkeypatch.setattr(changed, "each", lambda given: enumerate(text.upper() for text in given))
    journeys = ThereAndBack(changed).journeys(texts)
    assert [journey.abroad for journey in journeys] == [text.upper() for text in texts]
    assert "translates differently than before" in caplog.text


def test_the_cache_may_lie_elsewhere(recorder: Any, tmp_path: Path, own_cache: Path) -> None:
    ThereAndBack(recorder(), cache=tmp_path / "here").journeys(["one"])
    assert list((tmp_path / "here" / "translations").rglob("*.answers"))
    assert not list(own_cache.rglob("*.answers"))


def test_a_cache_that_cannot_be_written_is_told_before_anything_is_asked(recorder: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    asked = recorder()
    with pytest.raises(EvenhandError, match="cannot write to the cache"):
        ThereAndBack(asked, cache=tmp_path / "file").journeys(["one"])
    assert asked.given == []


def test_both_ways_show_their_progress(recorder: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ThereAndBack(recorder(), progress=True).journeys(["one", "two", "one"])
    assert capsys.readouterr().err.count("2/2") >= 2


@pytest.mark.slow
def test_a_kill_costs_no_more_than_the_text_under_way(tmp_path: Path) -> None:
    log, cache = tmp_path / "log", tmp_path / "cache"

    def start(delay: float) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, str(CHILD), str(cache), str(log), str(delay)])

    killed = start(0.05)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and (not log.exists() or len(log.read_text().splitlines()) < 10):
            time.sleep(0.01)
    finally:
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
    before = log.read_text().splitlines()
    assert 10 <= len(before) < 40
    assert start(0).wait() == 0
    after = log.read_text().splitlines()[len(before) :]
    assert sorted({*before, *after}) == [f"text {number:02}" for number in range(40)]
    assert len(before) + len(after) <= 41


# The real thing


def test_a_second_run_starts_no_process(
    apertium: Apertium, monkeypatch: pytest.MonkeyPatch, make_corpus: Callable[..., Corpus]
) -> None:
    corpus = corpus_of(["She feels angry.", "He feels angry.", "This woman feels sad."], make_corpus)
    first = score([RoundTrip(Length(fingerprint="other"), ThereAndBack(apertium))], corpus)
    known = Apertium("eng-spa"), Apertium("spa-eng")
    monkeypatch.delattr(subprocess, "Popen")
    again = score([RoundTrip(Length(), ThereAndBack(*known))], corpus)
    assert again.matrix.tolist() == first.matrix.tolist() == [[15], [15], [21]]


def test_one_process_a_batch_and_way(
    apertium: Apertium, monkeypatch: pytest.MonkeyPatch, make_corpus: Callable[..., Corpus]
) -> None:
    started: list[Any] = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **named: started.append(args) or real(*args, **named))
    trip = RoundTrip(build_system("vader"), ThereAndBack(apertium, apertium.back()))
    started.clear()
    score([trip], corpus_of([f"She saw {number} dogs." for number in range(200)], make_corpus))
    assert len(started) == 2


@pytest.mark.slow
def test_an_audit_before_and_after(apertium: Apertium) -> None:
    """VADER hears something else after the round trip, and still makes no difference but for Tia."""
    report = evenhand.audit(
        ["vader", "roundtrip:apertium:eng-spa+vader"], eec().sample(1500, seed=3), attributes=["gender"], progress=False
    )
    before, after = report.findings
    assert (before.system, after.system) == ("vader", "roundtrip:apertium:eng-spa+vader")
    assert report.scores is not None
    assert abs(report.scores.matrix[:, 0] - report.scores.matrix[:, 1]).max() > 0.1
    assert after.verdict == "equivalent"
