"""People made nonbinary: singular they with its verbs, words without a gender, and what cannot be told."""

from __future__ import annotations

import pytest

from evenhand.corpora.pools import load_pool
from evenhand.corpora.text import CHANGED, SKIPPED, UNSURE, Perturber
from evenhand.corpora.text.versions import Version
from evenhand.errors import UsageError

NEUTRAL = Perturber("gender", to=["female", "male", "nonbinary"])


def version(text: str) -> Version:
    return dict(NEUTRAL.versions(text))["nonbinary"]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("She says she's tired and that the car is hers.", "They say they're tired and that the car is theirs."),
        ("He doesn't smoke and has never missed his train.", "They don't smoke and have never missed their train."),
        ("He's been ill; he's going home.", "They've been ill; they're going home."),
        ("Does she know? Isn't she here?", "Do they know? Aren't they here?"),
        ("She sings and dances. She never goes out.", "They sing and dance. They never go out."),
        ("She keeps the books and walks the dog.", "They keep the books and walk the dog."),
        ("He worked hard and was promoted.", "They worked hard and were promoted."),
        ("The waitress was kind; she lent us her pen.", "The server was kind; they lent us their pen."),
        ("Mr Patel blamed himself.", "Mx Patel blamed themself."),
        ("SHE'S HERE", "THEY'RE HERE"),
        ("An uncle of mine? No, a policeman.", ""),
    ],
)
def test_verbs_agree_with_they(text: str, other: str) -> None:
    found = version(text)
    if other:
        assert (found.text, found.status) == (other, CHANGED)
    else:
        assert (found.status, found.reason) == (SKIPPED, "no word without a gender is known for “uncle”")


def test_a_name_becomes_one_that_both_genders_bear() -> None:
    name = version("Emma lost her keys.").text.removesuffix(" lost their keys.")
    share = load_pool("us-names").about([name])[name].sex_share
    assert share is not None
    assert share < 0.75


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("Maria and her husband left.", SKIPPED, "would not tell which"),
        ("She told them to go.", UNSURE, "“them” may be other people"),
        ("She lives alone and walks with one stick.", UNSURE, "“walks” may be a verb or a noun"),
        ("She's finished her work.", UNSURE, "“has finished”"),
    ],
)
def test_what_they_would_blur_is_left_with_a_reason(text: str, status: str, why: str) -> None:
    found = version(text)
    assert (found.text, found.status) == (text, status)
    assert why in found.reason


def test_nobody_is_made_nonbinary_without_being_asked() -> None:
    assert Perturber("gender").groups == ("female", "male")
    with pytest.raises(UsageError, match="did you mean 'nonbinary'"):
        Perturber("gender", to=["female", "non-binary"])
