"""Groups are called by labels where people read of them; their code names stay what they are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml

from evenhand.contrasts import contrast, contrasts, side_labels
from evenhand.corpora import Corpus, corpus_names, eec, load_corpus
from evenhand.corpora.causal import group3
from evenhand.corpora.chat.corpus import chat_corpus
from evenhand.corpora.corpus import METADATA
from evenhand.corpora.recipe import read_recipe
from evenhand.errors import EvenhandError
from evenhand.files.tables import TableFile
from evenhand.repairs.held_out import labels, questions
from evenhand.repairs.pairings import pairings


@pytest.mark.parametrize("name", corpus_names())
def test_every_group_of_every_corpus_has_a_label(name: str) -> None:
    corpus = load_corpus(name)
    for attribute, groups in corpus.attributes.items():
        labels = corpus.labels[attribute]
        assert list(labels) == list(groups)
        assert len(set(labels.values())) == len(groups)


def test_labels_survive_saving_and_change_no_digest(tmp_path: Path) -> None:
    bare = replace(eec(), labels={})
    assert bare.digest == eec().digest
    eec().save(tmp_path / "corpus.parquet")
    loaded = Corpus.load(tmp_path / "corpus.parquet")
    assert loaded.labels == eec().labels
    assert loaded.labels["gender"]["female"] == "women"
    assert loaded.frame.columns == eec().frame.columns


def test_a_corpus_saved_without_labels_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.parquet"
    eec().save(path)
    design = json.loads(TableFile(path).metadata[METADATA])
    del design["labels"]
    eec().frame.write_parquet(path, metadata={METADATA: json.dumps(design)})
    assert Corpus.load(path).labels == {}


@pytest.mark.parametrize(
    ("corpus", "attribute", "labels"),
    [
        ("eec", "gender", ("women", "men")),
        ("eec", "race", ("African American names", "European American names")),
        ("identity-names", "gender", ("women's names", "men's names")),
        ("identity", "age", ("young people", "adults")),
        ("eec", "race+gender", ("African American women's names", "African American men's names")),
    ],
)
def test_labels_fit_what_is_compared(corpus: str, attribute: str, labels: tuple[str, str]) -> None:
    made = load_corpus(corpus)
    assert side_labels(contrast(made, attribute), made) == labels


def test_the_sides_of_an_interaction_are_gaps() -> None:
    both = contrasts(eec(), "race+gender")[-1]
    assert side_labels(both, eec()) == ("the race gap among women's names", "the race gap among men's names")
    unlabelled = replace(eec(), labels={})
    assert side_labels(both, unlabelled) == ("race gap (female)", "race gap (male)")


def test_groups_without_a_label_go_by_their_code_names() -> None:
    half = replace(eec(), labels={"gender": {"female": "women"}})
    assert side_labels(contrast(half, "gender"), half) == ("female", "male")
    crossed = contrast(half, "race+gender")
    assert side_labels(crossed, half) == ("African American female", "African American male")


def test_a_recipe_may_label_only_groups_it_has(tmp_path: Path) -> None:
    recipe = {
        "name": "hats",
        "attributes": {"hat": ["felt", "straw"]},
        "labels": {"hat": {"flet": "people in felt hats"}},
        "persons": [{"hat": "felt", "terms": ["Ann"]}, {"hat": "straw", "terms": ["Bob"]}],
        "templates": ["{person} sleeps."],
    }
    path = tmp_path / "hats.yaml"
    path.write_text(yaml.safe_dump(recipe))
    with pytest.raises(EvenhandError, match="labels name the group 'flet' of 'hat'; did you mean 'felt'"):
        read_recipe(path)


def test_conversations_and_causal_groups_say_who_did_not_state_a_gender() -> None:
    frame = pl.DataFrame(
        {
            "study": ["a"] * 3,
            "conversation": ["1", "2", "3"],
            "speaker": ["user"] * 3,
            "gender": ["female", "male", "NA"],
            "text": ["Hi", "Ho", "Hm"],
            "prefix": [None] * 3,
            "assigned": [False] * 3,
        },
        schema_overrides={"prefix": pl.String},
    )
    for corpus in (chat_corpus(frame), group3("E1")):
        called = {corpus.labels["gender"][group] for group in corpus.attributes["gender"]}
        assert called == {"women", "men", "people whose gender is not stated"}


def test_names_are_labelled_as_names_in_repairs_too() -> None:
    names = load_corpus("identity-names")
    assert names.labels_of("gender") == {"female": "women's names", "male": "men's names"}
    paired = {(one.question, one.first_label, one.second_label) for one in pairings(eec())}
    assert paired == {
        ("gender, with names", "women's names", "men's names"),
        ("gender, without names", "women", "men"),
        ("race", "European American names", "African American names"),
    }
    asked = {(one.scope, *labels(eec(), one)) for one in questions(eec(), ["gender", "race"])}
    assert asked == {
        ("everybody", "women", "men"),
        ("paired", "women", "men"),
        ("unpaired", "women's names", "men's names"),
        ("everybody", "African American names", "European American names"),
    }
