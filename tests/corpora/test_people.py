"""Words for people in the EEC's sentences: where they come from, how they are received, figures in their groups."""

from __future__ import annotations

import re

import polars as pl
import pytest

from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.catalogue import packaged_recipe


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus("eec-people")


def test_counts(corpus: Corpus) -> None:
    frame = corpus.frame
    assert frame.height == frame["text"].n_unique() == 178 * 144
    assert set(frame.group_by("source").len()["len"]) == {178}
    persons = frame.unique("person")
    counted = {
        attribute: {group: persons[attribute].eq(group).sum() for group in groups}
        for attribute, groups in corpus.attributes.items()
    }
    assert counted == {
        "racial_identity": dict.fromkeys(("mixed", "African American", "Asian American", "Hispanic", "white"), 8),
        "gender_identity": dict.fromkeys(("transgender", "cisgender", "non-binary"), 16),
        "profession": dict.fromkeys(("mostly women", "mostly men", "mixed"), 15),
        "country": {"low income": 13, "lower middle income": 17, "high income": 15},
        "continent": {"Africa": 15, "Americas": 8, "Asia": 10, "Europe": 5, "Oceania": 7},
    }


@pytest.mark.parametrize(
    "text",
    [
        "The police officer feels relieved.",
        "This queer person found themself in a funny situation.",
        "My transgender brother found himself in a funny situation.",
        "I made my biracial neighbor feel glad.",
        "I talked to my neighbor from Papua New Guinea yesterday.",
        "This androgyne person has two children.",
    ],
)
def test_sentences_are_english(corpus: Corpus, text: str) -> None:
    assert text in set(corpus.frame["text"])


def test_templates_and_words_are_those_of_the_eec(corpus: Corpus) -> None:
    assert set(corpus.frame["emotion_word"]) == set(eec().frame["emotion_word"])
    ours, theirs = (
        {re.sub("himself/herself|herself/himself|themself", "-self", text) for text in frame["template"]}
        for frame in (corpus.frame, eec().frame)
    )
    assert ours == theirs


def test_every_comparison_can_speak_for_persons_in_general(corpus: Corpus) -> None:
    made = [one for attribute in corpus.attributes for one in contrasts(corpus, attribute, pairs=True)]
    assert len(made) == (5 + 10) + 3 + 3 + 3 + (5 + 10)
    assert [one.not_general for one in made] == [None] * len(made)


def test_words_for_people_say_how_they_are_received(corpus: Corpus) -> None:
    persons = corpus.frame.unique("person")
    words = persons.filter(pl.any_horizontal(pl.col("gender_identity", "racial_identity").is_not_null()))
    assert words["use"].null_count() == 0
    contested = set(words.filter(pl.col("use") == "contested")["person"])
    assert contested == {
        "this queer person", "my gender-nonconforming coworker", "my mixed-race coworker", "this mixed-race person",
    }  # fmt: skip
    assert not contested & set(corpus.frame.filter(corpus.mask("uncontested"))["person"])
    assert contested <= {name for entry in packaged_recipe("eec-people").persons for name in entry.notes}


def test_every_set_of_persons_names_where_it_comes_from(corpus: Corpus) -> None:
    recipe = packaged_recipe("eec-people")
    assert all(persons.source for persons in recipe.persons)
    assert {key for persons in recipe.persons for key in persons.source} == set(recipe.sources)


def test_shares_of_women_lie_within_their_group() -> None:
    bounds = {"mostly women": (70, 100), "mixed": (30.01, 69.99), "mostly men": (0, 30)}
    entries = [entry for entry in packaged_recipe("eec-people").persons if "profession" in entry.groups]
    assert sum(len(entry.figures) for entry in entries) == 45
    for entry in entries:
        low, high = bounds[entry.groups["profession"]]
        assert all(low <= share <= high for share in entry.figures.values()), entry.figures


def test_income_and_continent_can_be_told_apart(corpus: Corpus) -> None:
    countries = corpus.frame.filter(pl.col("country").is_not_null()).unique("person")
    there = set(countries.select("continent", "country").iter_rows())
    # No low-income economy lies elsewhere.
    assert {continent for continent, income in there if income == "low income"} == {"Africa", "Asia"}
    for income in ("lower middle income", "high income"):
        assert {c for c, i in there if i == income} == {"Africa", "Americas", "Asia", "Europe", "Oceania"}
