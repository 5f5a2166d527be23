"""Trying a sentence: every version is scored as the system scores it, and nothing else is ever run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evenhand.corpora import eec
from evenhand.errors import UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import BaseScorer
from evenhand.web.trying import Trials, usual_systems


@pytest.fixture
def trials() -> Iterator[Trials]:
    made = Trials(["vader", "nrc"])
    yield made
    made.close()


def test_every_version_gets_the_score_that_the_system_gives_it(trials: Trials) -> None:
    found = trials.tried("Mohammed is a gay man who feels angry.", "vader")
    vader = resolve("vader", eec())
    assert isinstance(vader, BaseScorer)
    assert [one.attribute for one in found.found] == ["gender", "sexual_orientation"]
    for about in found.found:
        texts = [one.text for one in about.versions]
        scores = [one.scores[0] for one in about.versions]
        assert scores == pytest.approx(vader.score(texts)[:, 0].tolist())
        assert about.spreads[0] == pytest.approx(max(scores) - min(scores))
        assert [one.text for one in about.versions if one.own] == [found.text]


def test_a_system_of_several_outputs_shows_them_all(trials: Trials) -> None:
    found = trials.tried("My sister feels angry.", "nrc")
    assert [one.name for one in found.outputs] == ["anger", "fear", "joy", "sadness"]
    assert {len(one.scores) for about in found.found for one in about.versions} == {4}


def test_a_sentence_about_nobody_says_why_there_are_no_versions(trials: Trials) -> None:
    found = trials.tried("The sky is blue.", "vader")
    assert found.found == ()
    assert dict(found.not_found)["gender"] == "nobody of a known group is mentioned"


@pytest.mark.parametrize(
    "system", ["textblob", "py:os:system", "hf:somebody/model", "http://127.0.0.1:1/", "vader(x=1)", "", "../vader"]
)
def test_only_what_was_allowed_is_ever_run(trials: Trials, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr("evenhand.web.trying.resolve", lambda *_: pytest.fail("it is made"))
    with pytest.raises(UsageError, match="was not allowed when the explorer was started; allowed: vader, nrc"):
        trials.tried("My sister feels angry.", system)


@pytest.mark.parametrize(
    ("text", "message"), [("  \n ", "type a sentence"), ("a " * 1500, "may have 2,000 characters")]
)
def test_what_is_no_sentence_is_refused(trials: Trials, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        trials.tried(text, "vader")


def test_the_usual_systems_are_the_lexicons_that_are_installed() -> None:
    assert usual_systems() == ("vader", "textblob", "afinn", "nrc")


def test_nothing_that_was_typed_is_left_behind() -> None:
    trials = Trials(["vader"])
    folder = trials._folder
    trials.tried("My sister feels angry.", "vader")
    trials.close()
    assert not folder.exists()
