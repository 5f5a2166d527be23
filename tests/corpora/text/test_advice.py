"""Who is asked where rules are unsure: the tagger first, the referee where the two disagree, and else nobody."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evenhand.corpora.text import CHANGED, UNSURE, Perturber
from evenhand.corpora.text.advice import Advice, Word
from evenhand.corpora.text.tokens import tokens_of

UNTOLD = "I watched her present to the board."
"""Rules cannot tell whether she presents, or has a present."""
TOLD = "Her boss fired her."


class Tells:
    """A tagger that gives `her` one tag wherever it stands, and takes chosen words for people's names."""

    name = "tells"

    def __init__(self, tag: str, *, people: Sequence[str] = (), **tags: str) -> None:
        self.tags, self.people, self.asked = {"her": tag, **tags}, people, 0

    def words(self, text: str) -> list[Word]:
        self.asked += 1
        return [
            Word(one.start, one.end, self.tags.get(one.lower, "NN"), "PERSON" if one.text in self.people else "")
            for one in tokens_of(text)
        ]


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


@pytest.mark.parametrize(("tag", "word"), [("PRP", "him"), ("PRP$", "his")])
def test_the_tagger_tells_what_rules_cannot(tag: str, word: str) -> None:
    status, reason, texts = analysed(UNTOLD, Tells(tag))
    assert (status, texts) == (CHANGED, [f"I watched {word} present to the board."])
    assert reason == "“her” as the tagger reads it"


def test_what_rules_and_tagger_agree_on_is_not_told_by_anybody_else() -> None:
    referee = Prefers(None)
    status, reason, texts = analysed("They saw her.", Tells("PRP"), referee)
    assert (status, reason, texts, referee.asked) == (CHANGED, "", ["They saw him."], [])


def test_where_they_disagree_nobody_is_believed_without_a_referee() -> None:
    status, reason, _ = analysed("They saw her dog bark.", Tells("PRP"))
    assert status == UNSURE
    assert reason == "rules and the tagger read “her dog” in two ways"


@pytest.mark.parametrize(("first", "word"), [(True, "his"), (False, "him")])
def test_where_they_disagree_the_referee_decides(first: bool, word: str) -> None:
    referee = Prefers(first)
    status, reason, texts = analysed("They saw her dog bark.", Tells("PRP"), referee)
    assert (status, texts, reason) == (CHANGED, [f"They saw {word} dog bark."], "“her” as the referee reads it")
    assert referee.asked == [("They saw ", "his dog bark.", "him dog bark.")]


def test_a_tagger_that_the_referee_contradicts_is_not_believed() -> None:
    assert analysed(UNTOLD, Tells("PRP"), Prefers(True))[0] == UNSURE


def test_a_referee_that_cannot_tell_leaves_it_unsure() -> None:
    assert analysed(UNTOLD, None, Prefers(None))[0] == UNSURE
    assert analysed(UNTOLD, None, Prefers(False))[2] == ["I watched him present to the board."]


def test_what_rules_tell_for_certain_is_asked_of_nobody() -> None:
    tagger = Tells("PRP$")
    assert analysed("He lost his keys.", tagger)[2] == ["She lost her keys."]
    assert tagger.asked == 0


def test_a_name_that_is_a_word_is_somebody_where_the_tagger_says_so() -> None:
    text = "Joy and my sister came."
    assert analysed(text)[0] == UNSURE
    status, reason, texts = analysed(text, Tells("PRP", people=["Joy"]))
    assert (status, reason) == (CHANGED, "“Joy” as the tagger reads it")
    assert texts[0].endswith(" and my brother came.")
    assert "Joy" not in texts[0]


@pytest.mark.parametrize(
    ("tag", "accepted"), [("VBZ", "They sing well and dance."), ("NNS", "They sing well and dances.")]
)
def test_a_tagger_tells_verbs_from_nouns_behind_singular_they(tag: str, accepted: str) -> None:
    rules = Perturber("gender", to=["female", "nonbinary"])
    assert dict(rules.versions("She sings well and dances."))["nonbinary"].status == UNSURE
    asked = Perturber("gender", to=["female", "nonbinary"], advice=Advice(Tells("PRP", dances=tag)))
    assert dict(asked.versions("She sings well and dances."))["nonbinary"].text == accepted
