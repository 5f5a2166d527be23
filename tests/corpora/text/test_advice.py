"""Who is asked where rules are unsure: the tagger first, the referee where the two disagree, and else nobody."""

from __future__ import annotations

import pytest

from evenhand.corpora.text import CHANGED, UNSURE, Perturber
from evenhand.corpora.text.advice import Advice, Word
from evenhand.corpora.text.tokens import tokens_of

UNTOLD = "I watched her present to the board."
"""Rules cannot tell whether she presents, or has a present."""
TOLD = "Her boss fired her."


class Tells:
    """A tagger that gives `her` one tag wherever it stands."""

    name = "tells"

    def __init__(self, tag: str, **tags: str) -> None:
        self.tags, self.asked = {"her": tag, **tags}, 0

    def words(self, text: str) -> list[Word]:
        self.asked += 1
        return [Word(one.start, one.end, self.tags.get(one.lower, "NN")) for one in tokens_of(text)]


class Prefers:
    """A referee that prefers the first way, the second, or none."""

    name = "prefers"

    def __init__(self, first: bool | None) -> None:
        self.first = first
        self.asked: list[tuple[str, str, str]] = []

    def prefers_first(self, before: str, first: str, second: str) -> bool | None:
        self.asked.append((before, first, second))
        return self.first


def analysed(text: str, tagger: Tells | None = None, referee: Prefers | None = None) -> tuple[str, str, list[str]]:
    found = Perturber("gender", advice=Advice(tagger, referee)).analysis(text)
    return found.status, found.reason, list(found.texts.values())


def test_alone_the_rules_say_that_they_are_unsure() -> None:
    assert analysed(UNTOLD)[0] == UNSURE


def test_the_tagger_tells_what_rules_cannot() -> None:
    status, reason, texts = analysed(UNTOLD, Tells("PRP"))
    assert (status, texts) == (CHANGED, ["I watched him present to the board."])
    assert reason == "“her” as the tagger reads it"


def test_a_tagger_alone_is_not_believed_that_somebody_owns_what_follows() -> None:
    assert analysed(UNTOLD, Tells("PRP$"))[0] == UNSURE


@pytest.mark.parametrize(("tag", "first"), [("PRP", True), ("PRP$", False), ("PRP$", True)])
def test_the_referee_tells_what_rules_cannot_whatever_the_tagger_says(tag: str, first: bool) -> None:
    status, reason, texts = analysed(UNTOLD, Tells(tag), Prefers(first))
    assert (status, reason) == (CHANGED, "“her” as the referee reads it")
    assert texts == [f"I watched {'his' if first else 'him'} present to the board."]


def test_what_rules_and_tagger_agree_on_is_not_told_by_anybody_else() -> None:
    referee = Prefers(None)
    status, reason, texts = analysed("They saw her.", Tells("PRP"), referee)
    assert (status, reason, texts, referee.asked) == (CHANGED, "", ["They saw him."], [])


def test_where_they_disagree_nobody_is_believed_without_a_referee() -> None:
    status, reason, _ = analysed("They saw her dog bark.", Tells("PRP"))
    assert status == UNSURE
    assert reason == "rules and the tagger read “her dog” in two ways"


def test_where_they_disagree_the_referee_may_side_with_the_rules() -> None:
    referee = Prefers(True)
    status, reason, texts = analysed("They saw her dog bark.", Tells("PRP"), referee)
    assert (status, texts, reason) == (CHANGED, ["They saw his dog bark."], "“her” as the referee reads it")
    assert referee.asked == [("They saw ", "his dog bark.", "him dog bark.")]


@pytest.mark.parametrize("first", [False, None])
def test_rules_that_both_contradict_are_not_believed(first: bool | None) -> None:
    assert analysed("They saw her dog bark.", Tells("PRP"), Prefers(first))[0] == UNSURE


def test_a_referee_that_cannot_tell_leaves_it_unsure() -> None:
    assert analysed(UNTOLD, None, Prefers(None))[0] == UNSURE
    assert analysed(UNTOLD, None, Prefers(False))[2] == ["I watched him present to the board."]


def test_what_rules_tell_for_certain_is_asked_of_nobody() -> None:
    tagger = Tells("PRP$")
    assert analysed("He lost his keys.", tagger)[2] == ["She lost her keys."]
    assert tagger.asked == 0


@pytest.mark.parametrize(
    ("tag", "accepted"), [("VBZ", "They sing well and dance."), ("NNS", "They sing well and dances.")]
)
def test_a_tagger_tells_verbs_from_nouns_behind_singular_they(tag: str, accepted: str) -> None:
    rules = Perturber("gender", to=["female", "nonbinary"])
    assert dict(rules.versions("She sings well and dances."))["nonbinary"].status == UNSURE
    asked = Perturber("gender", to=["female", "nonbinary"], advice=Advice(Tells("PRP", dances=tag)))
    assert dict(asked.versions("She sings well and dances."))["nonbinary"].text == accepted
