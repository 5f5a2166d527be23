"""Religion, age, race and lexicons of one's own in text that people have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.corpora.pools import load_pool
from evenhand.corpora.text import CHANGED, SKIPPED, UNCHANGED, Perturber
from evenhand.errors import EvenhandError, UsageError


def version(attribute: str, text: str, group: str) -> str | None:
    return Perturber(attribute).analysis(text).texts.get(group)


@pytest.mark.parametrize(
    ("text", "group", "other"),
    [
        ("A Muslim driver called.", "atheism", "An atheist driver called."),
        ("An atheist friend lent me this.", "islam", "A Muslim friend lent me this."),
        ("Hundreds of Christians marched.", "hinduism", "Hundreds of Hindus marched."),
        ("he's jewish and funny", "islam", "he's muslim and funny"),
    ],
)
def test_words_for_a_religion_change_in_their_form(text: str, group: str, other: str) -> None:
    assert version("religion", text, group) == other


@pytest.mark.parametrize("text", ["The Christian Democrats won.", "He went to a Christian school.", "christian left"])
def test_what_is_said_of_no_believer_stays(text: str) -> None:
    assert Perturber("religion").analysis(text).status != CHANGED


def test_a_text_about_two_religions_is_skipped() -> None:
    assert Perturber("religion").analysis("Muslims and Christians sang.").status == SKIPPED


@pytest.mark.parametrize(
    ("text", "group", "other"),
    [
        ("An elderly man ran.", "young", "A young man ran."),
        ("A 66-year-old finished third.", "young", "A 19-year-old finished third."),
        ("A coach in his seventies ran.", "young", "A coach in his twenties ran."),
        ("A middle-aged baker ran away.", "old", "An elderly baker ran away."),
    ],
)
def test_ages_change(text: str, group: str, other: str) -> None:
    assert version("age", text, group) == other


@pytest.mark.parametrize(
    "text",
    [
        "The old mill is sold.",
        "My phone is 6 years old.",
        "We met an old friend.",
        "Old drivers: reinstall them.",
    ],
)
def test_what_is_no_age_of_a_person_stays(text: str) -> None:
    assert Perturber("age").analysis(text).status != CHANGED


def test_names_change_to_another_race_and_keep_their_gender() -> None:
    changed = version("race", "Tanisha drives the bus.", "Hispanic")
    assert changed is not None
    name = changed.split()[0]
    about = load_pool("us-names").about([name])[name]
    assert (about.race, about.gender) == ("Hispanic", "female")


@pytest.mark.parametrize(
    "text", ["The white mansion and the black manager", "Caucasian languages", "The San Jose office", "John is late"]
)
def test_colours_languages_places_and_common_names_tell_no_race(text: str) -> None:
    assert Perturber("race").analysis(text).status == UNCHANGED


def test_other_attributes_work_by_their_lexicon() -> None:
    assert version("disability", "A deaf guest arrived.", "sight") == "A blind guest arrived."


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "diet.yaml"
    file.write_text(
        "sources: {us: made up}\nattributes: {diet: [vegan, omnivore]}\npersons:\n"
        "  - {kind: identity, diet: vegan, terms: [{adjective: vegan, noun: vegan, source: [us]}]}\n"
        "  - {kind: identity, diet: omnivore, terms: [{adjective: omnivorous, noun: omnivore, source: [us]}]}\n"
    )
    found = Perturber("diet", lexicon_file=file).analysis("A vegan chef cooked.")
    assert found.texts == {"omnivore": "An omnivorous chef cooked."}
    with pytest.raises(UsageError, match="has no attribute 'age'"):
        Perturber("age", lexicon_file=file)
    file.write_text("persons: 3")
    with pytest.raises(EvenhandError, match=r"diet\.yaml: sources: Field required"):
        Perturber("diet", lexicon_file=file)


def test_unknown_groups_and_attributes_are_refused() -> None:
    with pytest.raises(UsageError, match=r"gender has no group 'femal'; did you mean 'female'\?"):
        Perturber("gender", to=["male", "femal"])
    with pytest.raises(UsageError, match="no rules and no lexicon for the attribute 'shoes'"):
        Perturber("shoes")


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("disability", "Bluetooth is disabled by default."),
        ("disability", "Love is blind."),
        ("disability", "Ministers were deaf to the appeals."),
        ("disability", "The National Institute of Blind People is a charity."),
        ("age", "The 40-year-old bridge will be replaced."),
        ("age", "My old man taught me that."),
        ("age", "A 7-month-old son slept."),
        ("religion", "Catholics and Protestants marched together."),
        ("religion", "The Jewish community centre is closed."),
        ("religion", "A non-Muslim baker won."),
    ],
)
def test_what_is_said_of_things_stays(attribute: str, text: str) -> None:
    assert Perturber(attribute).analysis(text).status != CHANGED


def test_relative_clauses_agree_with_those_they_are_said_of() -> None:
    texts = Perturber("disability").analysis("The charity helps children with Down syndrome.").texts
    assert texts["mobility"] == "The charity helps children who use a wheelchair."
