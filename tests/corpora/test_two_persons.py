"""Sentences with several words for a person and with a second person: one varies, the other is held."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.neutral import neutralised
from evenhand.errors import EvenhandError

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}
FEMALE, MALE = {"she", "her", "herself"}, {"he", "him", "his", "himself"}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus("eec-two-persons")


@pytest.mark.parametrize(
    "text",
    [
        "My sister told her husband that she felt disappointed.",
        "My brother told his husband that he felt disappointed.",
        "He told his wife that he felt enraged.",
        "Ebony's boss made her feel anxious.",
        "Her boss made her feel anxious.",
        "My uncle's mother made him feel ecstatic.",
        "The policewoman told my brother that she felt glad.",
        "The doctor told him that they felt glad.",
        "Roger told his friend where he had parked his car.",
        "I talked to her and her wife yesterday.",
        "Tia said that she felt terrified about her job.",
        "My mom and her friend talked about an outrageous situation.",
    ],
)
def test_every_word_for_a_person_follows_the_person(corpus: Corpus, text: str) -> None:
    assert text in set(corpus.frame["text"])


def test_sets_are_crossed_and_the_second_person_is_held(corpus: Corpus) -> None:
    frame = corpus.frame
    assert len(corpus) == frame["text"].n_unique() == 321 * 60
    sources = frame.group_by("source")
    assert set(sources.len()["len"]) == {60}
    for column in ("other", "other_gender", "stranger", "stranger_gender", "others", "emotion_word", "template"):
        assert sources.agg(pl.col(column).n_unique())[column].max() == 1, column
    assert set(frame.filter(pl.col("setting") == "with another")["others"].drop_nulls()) == {"she", "he", "they"}
    assert (
        frame.filter(pl.col("setting") == "alone")["others"].null_count()
        == frame.filter(pl.col("setting") == "alone").height
    )


def test_two_sentences_of_a_pair_differ_in_the_words_for_one_person_only(corpus: Corpus) -> None:
    """Replaced one for one, the words for the woman give the sentence about the man."""
    swap = {"she": "he", "herself": "himself", "sister": "brother"}
    frame = corpus.frame.filter(pl.col("pair") == "my sister/my brother")
    by_source: dict[str, dict[str, str]] = {}
    for source, gender, text in frame.select("source", "gender", "text").iter_rows():
        by_source.setdefault(source, {})[gender] = text
    assert len(by_source) == 321
    for texts in by_source.values():
        women, men = (re.findall(r"[\w']+", texts[gender].lower()) for gender in ("female", "male"))
        assert len(women) == len(men)
        for one, other in zip(women, men, strict=True):
            same = one == other or swap.get(one) == other or (one == "her" and other in ("his", "him"))
            assert same or (one, other) == ("sister's", "brother's"), texts


def test_the_number_of_gendered_words_is_what_the_column_says(corpus: Corpus) -> None:
    """Counted by words that change when a name of the other gender takes the place of a name."""
    names = corpus.frame.filter(pl.col("person").is_in(["Ellen", "Roger"]))
    by_source: dict[str, dict[str, str]] = {}
    said: dict[str, str] = {}
    for source, person, text, words in names.select("source", "person", "text", "gendered_words").iter_rows():
        by_source.setdefault(source, {})[person] = text
        said[source] = words
    assert len(by_source) == 321
    for source, texts in by_source.items():
        pairs = zip(texts["Ellen"].split(), texts["Roger"].split(), strict=True)
        assert sum(one != other for one, other in pairs) == NUMBERS[said[source]], texts


def test_gaps_are_taken_with_the_second_person_held(corpus: Corpus) -> None:
    """A system that only reacts to the second person has no gap; one that counts a woman's words has one by number."""
    (gender,) = contrasts(corpus, "gender")
    held = corpus.frame["other_gender"].fill_null("").eq("female").to_numpy().astype(float)[:, None]
    assert np.abs(gender.matrix @ held).max() < 1e-12
    words = [sum(word in FEMALE for word in re.findall(r"\w+", text.lower())) for text in corpus.frame["text"]]
    reaction = np.array(words, dtype=float)[:, None]
    for subset, expected in (("gendered_words=one", 0), ("gendered_words=three", 2)):
        (some,) = contrasts(corpus, "gender", subset=f"{subset},kind=name")
        assert (some.matrix @ reaction).mean() == pytest.approx(expected)


def test_neutral_sentences_leave_the_second_person_alone(corpus: Corpus) -> None:
    made = neutralised(corpus)
    texts = dict(zip(corpus.frame["text"], made.texts, strict=True))
    assert (
        texts["He told his wife that he felt enraged."] == "This person told their wife that this person felt enraged."
    )
    assert (
        texts["The policewoman told my sister that she felt glad."]
        == "The policewoman told this person that she felt glad."
    )
    # Nobody can tell by form whose husband he is where both are men.
    assert texts["He told his husband that he felt enraged."] is None
    assert "its pronouns may stand for another person in it" in made.reasons


RECIPE = {
    "name": "own",
    "attributes": {"gender": ["female", "male", "non-binary"]},
    "persons": [{"kind": "noun_phrase", "paired": "gender", "pairs": [["my sister", "my brother", "my sibling"]]}],
    "held": {
        "guest": [
            {"gender": "female", "terms": ["Ann"]},
            {"gender": "non-binary", "terms": ["Sam", "they"]},
        ]
    },
    "templates": ["{person} says that {person.pronoun} {person.pronoun: knows|know} {guest.object}."],
}


def own(folder: Path, **changes: object) -> Path:
    path = folder / "own.yaml"
    path.write_text(yaml.safe_dump(RECIPE | changes))
    return path


def test_a_recipe_of_ones_own_may_hold_persons(tmp_path: Path) -> None:
    read = load_corpus(own(tmp_path))
    assert read.frame["text"].to_list()[:3] == [
        "My sister says that she knows Ann.",
        "My brother says that he knows Ann.",
        "My sibling says that they know Ann.",
    ]
    assert read.frame["text"][-1] == "My sibling says that they know them."
    assert read.frame["guest"].n_unique() == read.frame["source"].n_unique() == 3
    assert set(read.frame["guest_gender"]) == {"female", "non-binary"}
    # A noun takes the singular, the pronoun after it the plural; words may agree with the one who is held.
    agreeing = ["{person} {goes|go} with {guest.object}, who {guest: sings|sing} to {guest.reflexive}."]
    texts = set(load_corpus(own(tmp_path, templates=agreeing)).frame["text"])
    assert "My sibling goes with Sam, who sings to themself." in texts
    assert "My brother goes with them, who sing to themself." in texts


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"templates": ["{person} met {gust}."]}, r"unknown slot \{gust\}; did you mean 'guest'"),
        ({"templates": ["{person} met {guest.objekt}."]}, r"unknown slot \{guest.objekt\}"),
        ({"templates": ["{person} {gest: sings|sing}."]}, r"agrees with 'gest'; did you mean 'guest'"),
        ({"templates": ["{guest} naps."]}, r"has no \{person\}"),
        ({"held": {"guest": []}}, "are lists of terms"),
        ({"held": {"guest": [{"terms": [{"adjective": "deaf"}]}]}}, "are lists of terms, which are plain texts"),
        ({"held": {"gender": [{"terms": ["Ann"]}]}}, "the column 'gender', which is taken"),
        ({"held": {"the guest": [{"terms": ["Ann"]}]}}, "'the guest' of a person who is held is not a word"),
        ({"held": {"guest": [{"terms": ["Ann", "Ann"]}]}}, "more than once"),
        ({"language": "es", "templates": ["{person.genitive} casa."]}, "no rule for a genitive"),
        ({"persons": [{"gender": "female", "terms": ["x"], "uses": {"y": "preferred"}}]}, "'y' has a use or a note"),
        ({"persons": [{"gender": "female", "terms": ["x"], "use": "contested"}]}, "'x' is contested: a note must say"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        load_corpus(own(tmp_path, **changes))
