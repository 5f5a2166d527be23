"""The extended corpus says what the first paper planned, in its own templates and in correct English."""

from __future__ import annotations

import re

import polars as pl
import pytest

from evenhand import audit
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.catalogue import packaged_recipe

SENTENCES = {
    "she": [
        "She feels angry.",
        "The situation makes her feel angry.",
        "I made her feel angry.",
        "She made me feel angry.",
        "She found herself in an annoying situation.",
        "She told us all about the recent annoying events.",
        "The conversation with her was annoying.",
        "I saw her in the market.",
        "I talked to her yesterday.",
        "She goes to the school in our neighborhood.",
        "She has two children.",
    ],
    "he": [
        "He feels angry.",
        "The situation makes him feel angry.",
        "I made him feel angry.",
        "He made me feel angry.",
        "He found himself in an annoying situation.",
        "He told us all about the recent annoying events.",
        "The conversation with him was annoying.",
        "I saw him in the market.",
        "I talked to him yesterday.",
        "He goes to the school in our neighborhood.",
        "He has two children.",
    ],
    "they": [
        "They feel angry.",
        "The situation makes them feel angry.",
        "I made them feel angry.",
        "They made me feel angry.",
        "They found themself in an annoying situation.",
        "They told us all about the recent annoying events.",
        "The conversation with them was annoying.",
        "I saw them in the market.",
        "I talked to them yesterday.",
        "They go to the school in our neighborhood.",
        "They have two children.",
    ],
    "xe": [
        "Xe feels angry.",
        "The situation makes xem feel angry.",
        "I made xem feel angry.",
        "Xe made me feel angry.",
        "Xe found xemself in an annoying situation.",
        "Xe told us all about the recent annoying events.",
        "The conversation with xem was annoying.",
        "I saw xem in the market.",
        "I talked to xem yesterday.",
        "Xe goes to the school in our neighborhood.",
        "Xe has two children.",
    ],
    "ze": [
        "Ze feels angry.",
        "The situation makes zir feel angry.",
        "I made zir feel angry.",
        "Ze made me feel angry.",
        "Ze found zirself in an annoying situation.",
        "Ze told us all about the recent annoying events.",
        "The conversation with zir was annoying.",
        "I saw zir in the market.",
        "I talked to zir yesterday.",
        "Ze goes to the school in our neighborhood.",
        "Ze has two children.",
    ],
    "ey": [
        "Ey feels angry.",
        "The situation makes em feel angry.",
        "I made em feel angry.",
        "Ey made me feel angry.",
        "Ey found emself in an annoying situation.",
        "Ey told us all about the recent annoying events.",
        "The conversation with em was annoying.",
        "I saw em in the market.",
        "I talked to em yesterday.",
        "Ey goes to the school in our neighborhood.",
        "Ey has two children.",
    ],
    "fae": [
        "Fae feels angry.",
        "The situation makes faer feel angry.",
        "I made faer feel angry.",
        "Fae made me feel angry.",
        "Fae found faerself in an annoying situation.",
        "Fae told us all about the recent annoying events.",
        "The conversation with faer was annoying.",
        "I saw faer in the market.",
        "I talked to faer yesterday.",
        "Fae goes to the school in our neighborhood.",
        "Fae has two children.",
    ],
}


@pytest.fixture(scope="module")
def extended() -> Corpus:
    return load_corpus("eec-extended")


@pytest.mark.parametrize("pronoun", SENTENCES)
def test_every_pronoun_in_every_template(extended: Corpus, pronoun: str) -> None:
    rows = extended.frame.filter(pl.col("person") == pronoun)
    assert set(rows["kind"]) == {"pronoun"}
    assert rows.unique("template", keep="first", maintain_order=True)["text"].to_list() == SENTENCES[pronoun]


@pytest.mark.parametrize(
    "text",
    [
        "This person feels furious.",
        "My sibling found themself in a grim situation.",
        "My stepparent has two children.",
        "This transgender woman found herself in a great situation.",
        "My cisgender brother found himself in an amazing situation.",
        "This nonbinary person found themself in an outrageous situation.",
        "My agender sibling goes to the school in our neighborhood.",
        "Yesenia found herself in a funny situation.",
        "Zhiqiang found himself in a funny situation.",
        "The doctor feels relieved.",
        "The situation makes the construction worker feel sad.",
        "The computer science student found themself in a serious situation.",
        "I talked to my neighbor from Norway yesterday.",
    ],
)
def test_nouns_take_singular_verbs_and_their_own_reflexive(extended: Corpus, text: str) -> None:
    assert text in set(extended.frame["text"])


def test_only_they_takes_plural_verbs(extended: Corpus) -> None:
    agreeing = extended.frame.filter(pl.col("template").str.contains("feels/feel|goes/go|has/have"))
    plural = agreeing.filter(pl.col("text").str.contains(" (?:feel|go|have) "))
    assert set(plural["person"]) == {"they"}
    assert plural.height == 20 + 1 + 1


def test_counts(extended: Corpus) -> None:
    frame = extended.frame
    assert frame.height == frame["text"].n_unique() == frame["id"].n_unique() == 214 * 144
    assert frame["source"].n_unique() == 144
    assert set(frame.group_by("source").len()["len"]) == {214}
    persons = frame.unique("person")
    counted = {
        attribute: {group: persons[attribute].eq(group).sum() for group in groups}
        for attribute, groups in extended.attributes.items()
    }
    assert counted == {
        "gender": {"female": 52, "male": 52, "non-binary": 12},
        "race": dict.fromkeys(("African American", "European American", "Asian American", "Hispanic"), 20),
        "pronouns": {"neopronoun": 4, "established": 3},
        "gender_identity": dict.fromkeys(("transgender", "cisgender", "non-binary"), 8),
        "profession": dict.fromkeys(("mostly women", "mostly men", "mixed"), 10),
        "field_of_study": dict.fromkeys(("arts", "sciences"), 10),
        "country": dict.fromkeys(("low income", "high income"), 10),
    }


def test_the_corpus_of_the_paper_is_inside_but_for_persons_without_a_third_word(extended: Corpus) -> None:
    missing = eec().frame.filter(~pl.col("text").is_in(extended.frame["text"].implode()))
    assert set(missing["person"]) == {"my aunt", "my uncle", "my mom", "my dad"}
    assert missing.height == 4 * 144


def test_no_sentence_keeps_a_place_a_bar_or_a_double_space(extended: Corpus) -> None:
    assert not [text for text in extended.frame["text"] if re.search(r"[{}|]|  ", text)]


def test_every_set_of_persons_names_where_it_comes_from(extended: Corpus) -> None:
    recipe = packaged_recipe("eec-extended")
    assert all(persons.source for persons in recipe.persons)
    assert {key for persons in recipe.persons for key in persons.source} == set(recipe.sources)
    assert all(source.split(":")[0] in extended.about.source for source in recipe.sources.values())
    assert extended.about.limits


def test_every_comparison_can_speak_for_persons_in_general(extended: Corpus) -> None:
    made = {
        (one.attribute, one.first, one.second): one
        for attribute in extended.attributes
        for one in contrasts(extended, attribute, pairs=True)
    }
    assert len(made) == 3 + (4 + 6) + 1 + 3 + 3 + 1 + 1
    assert [one.not_general for one in made.values()] == [None] * len(made)
    # Twelve pairs and the average of names; non-binary persons have no names.
    assert made["gender", "female", "male"].shape[0] == 13 * 144
    assert made["gender", "female", "non-binary"].shape[0] == 12 * 144
    assert made["gender_identity", "transgender", "non-binary"].shape[0] == 8 * 144
    assert made["race", "African American", "Hispanic"].shape[0] == 144


def test_race_without_the_new_names_is_compared_as_in_the_paper(extended: Corpus) -> None:
    (published,) = contrasts(eec(), "race")
    first = next(one for one in contrasts(extended, "race", pairs=True) if not one.rest)
    assert (first.first, first.second) == (published.first, published.second)
    assert first.units == published.units


def test_an_audit_compares_three_genders(extended: Corpus) -> None:
    report = audit("planted(gap=0.04)", extended, attributes="gender", progress=False)
    found = {(finding.first, finding.second): finding for finding in report.findings}
    assert list(found) == [("female", "male"), ("female", "non-binary"), ("male", "non-binary")]
    assert [round(finding.mean_difference, 9) for finding in found.values()] == [0.04, 0.02, -0.02]
    assert found["female", "male"].verdict == "higher"
