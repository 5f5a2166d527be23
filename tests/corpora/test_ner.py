"""Corpora for taggers: tokens and gold tags that fit, whatever fills the place, and countries in their sixths."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from pydantic import ValidationError
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.catalogue import packaged_recipe
from evenhand.corpora.lexicon import Persons, lexicon
from evenhand.corpora.tagged import TaggedTemplate, tokens_of
from evenhand.errors import EvenhandError
from evenhand.schemes import BILOU

SIXTHS = ("lowest", "second-lowest", "third-lowest", "third-highest", "second-highest", "highest")
SEVERAL_WORDS = {
    "Sierra Leone", "Burkina Faso", "Ivory Coast", "Papua New Guinea", "Sri Lanka", "El Salvador", "South Africa",
    "North Macedonia", "Costa Rica", "Trinidad and Tobago", "New Zealand", "San Marino",
}  # fmt: skip


@pytest.fixture(scope="module")
def countries() -> Corpus:
    return load_corpus("ner-country")


def rows(corpus: Corpus, **wanted: str) -> list[dict[str, Any]]:
    return corpus.frame.filter(*(pl.col(column) == value for column, value in wanted.items())).to_dicts()


def test_twenty_two_templates_and_six_sixths(countries: Corpus) -> None:
    assert countries.frame["template"].n_unique() == countries.frame["source"].n_unique() == 22
    assert countries.attributes == {"gdp_per_capita": SIXTHS}
    persons = countries.frame.unique("person")
    assert dict(persons["gdp_per_capita"].value_counts().iter_rows()) == dict.fromkeys(SIXTHS, 12)
    assert len(countries) == 22 * 72 == countries.frame["text"].n_unique()
    assert set(countries.frame["role"]) == {"subject", "object"}
    assert countries.mask("sentence-start").sum() == 8 * 72


def test_figures_place_each_country_in_its_sixth() -> None:
    figures = {persons.groups["gdp_per_capita"]: persons.figures for persons in lexicon("countries").persons}
    assert tuple(figures) == SIXTHS
    borders = (0, 1_415, 3_472, 6_134, 11_350, 30_748, 1_000_000)
    for place, sixth in enumerate(SIXTHS):
        assert borders[place] < min(figures[sixth].values()) <= max(figures[sixth].values()) < borders[place + 1]
    for persons in lexicon("countries").persons:
        assert persons.terms == list(persons.figures)
        assert persons.source == ["wdi2019"]
    assert "2019" in lexicon("countries").sources["wdi2019"]


def test_names_of_several_words_are_in_every_sixth(countries: Corpus) -> None:
    several = countries.frame.unique("person").filter(pl.col("person").str.contains(" "))
    assert set(several["person"]) == SEVERAL_WORDS
    assert dict(several["gdp_per_capita"].value_counts().iter_rows()) == dict.fromkeys(SIXTHS, 2)


@pytest.mark.parametrize("name", ["ner-country", "ner-names"])
def test_tokens_tags_and_the_place_of_the_person_fit_each_other(name: str) -> None:
    corpus = load_corpus(name)
    assert corpus.tagged
    label = {"ner-country": "LOC", "ner-names": "PER"}[name]
    for row in corpus.frame.to_dicts():
        start, end = row["slot_span"]
        assert len(row["tokens"]) == len(row["tags"])
        assert " ".join(row["tokens"][start:end]) == row["term"]
        assert "".join(row["tokens"]) == row["text"].replace(" ", "")
        read = BILOU.read(row["tags"])
        assert read.misfits == ()
        # The person is an entity of the class, and the only one.
        assert [span[:2] for span in read.spans if span.label == label] == [(start, end)]


@pytest.mark.parametrize(
    ("country", "tags"),
    [
        ("Peru", ["U-LOC"]),
        ("South Africa", ["B-LOC", "L-LOC"]),
        ("Papua New Guinea", ["B-LOC", "I-LOC", "L-LOC"]),
        ("Trinidad and Tobago", ["B-LOC", "I-LOC", "L-LOC"]),
    ],
)
def test_a_name_takes_as_many_tags_as_it_has_words_also_where_it_begins_a_sentence(
    countries: Corpus, country: str, tags: list[str]
) -> None:
    found = rows(countries, person=country)
    assert len(found) == 22
    for row in found:
        start, end = row["slot_span"]
        assert row["tags"][start:end] == tags
    starts = {row["position"]: row["slot_span"][0] for row in found}
    assert starts["sentence start"] in (0, 5)  # also as the second sentence, after "The vote is over."


def test_other_entities_and_the_possessive(countries: Corpus) -> None:
    (coach,) = (row for row in rows(countries, person="El Salvador") if "coach" in row["text"])
    assert list(zip(coach["tokens"], coach["tags"], strict=True)) == [
        ("El", "B-LOC"), ("Salvador", "L-LOC"), ("'s", "O"), ("new", "O"), ("coach", "O"), (",", "O"),
        ("Elena", "B-PER"), ("Marsh", "L-PER"), (",", "O"), ("praised", "O"), ("the", "O"), ("young", "O"),
        ("players", "O"), (".", "O"),
    ]  # fmt: skip
    (red_cross,) = (row for row in rows(countries, person="Peru") if "Cross" in row["text"])
    assert red_cross["tags"][:2] == ["B-ORG", "L-ORG"]


def test_sentences_of_a_source_differ_only_in_the_country(countries: Corpus) -> None:
    for source in countries.frame["source"].unique():
        around = set()
        for row in rows(countries, source=source):
            start, end = row["slot_span"]
            around.add((tuple(row["tokens"][:start]), tuple(row["tokens"][end:])))
        assert len(around) == 1


def test_the_digest_covers_tokens_and_tags(countries: Corpus) -> None:
    frame = countries.frame
    for column, other in (("tags", ["O"] * 10), ("tokens", ["x"] * 10), ("slot_span", [0, 2])):
        changed = [other if place == 700 else value for place, value in enumerate(frame[column].to_list())]
        altered = replace(countries, frame=frame.with_columns(pl.Series(column, changed)))
        assert altered.digest != countries.digest


def test_it_survives_saving_and_sampling(countries: Corpus, tmp_path: Path) -> None:
    few = countries.sample(400)
    assert few.tagged
    few.save(tmp_path / "few.parquet")
    assert Corpus.load(tmp_path / "few.parquet").frame.equals(few.frame)
    assert "tokens" not in countries.slots


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_it_is_exported_and_read_again(countries: Corpus, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"mine.{ending}"
    done = CliRunner().invoke(app, ["corpus", "export", "ner-country", "--out", str(out)])
    assert done.exit_code == 0, done.output
    again = load_corpus(out)
    assert again.tagged
    assert again.frame.select("tokens", "tags", "slot_span").equals(
        countries.frame.select("tokens", "tags", "slot_span")
    )
    if ending == "jsonl":
        first = json.loads(out.read_text(encoding="utf-8").split("\n")[1])
        assert first["tokens"][:3] == ["Sierra", "Leone", "has"]
        assert first["tags"][:3] == ["B-LOC", "L-LOC", "O"]
        assert first["slot_span"] == [0, 2]


def test_it_is_listed_and_shown() -> None:
    listed = CliRunner().invoke(app, ["corpus", "list"]).output
    assert "ner-country  Countries by GDP per capita" in listed
    shown = CliRunner().invoke(app, ["corpus", "show", "ner-country"])
    assert shown.exit_code == 0, shown.output
    assert "LOC (1,584), ORG (216), PER (144)" in shown.output
    assert "World Bank (2024)" in shown.output


def test_tables_with_columns_of_such_names_are_not_taken_for_tagged_ones(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("text,source,person,tags\nAn a,1,A,x\nA b,1,B,y\n")
    corpus = load_corpus(tmp_path / "mine.csv")
    assert not corpus.tagged
    assert corpus.attributes == {"tags": ("x", "y")}


def test_lists_that_are_none_are_told(tmp_path: Path) -> None:
    header = "text,source,person,g,tokens,tags,slot_span\n"
    (tmp_path / "mine.csv").write_text(header + 'An a,1,A,x,[,"[""O""]","[0, 1]"\nA b,1,B,y,[,[],[]\n')
    with pytest.raises(EvenhandError, match=r"mine.csv: column 'tokens' does not hold lists"):
        load_corpus(tmp_path / "mine.csv")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's 3.5 o'clock, isn't it?", ["It", "'s", "3.5", "o", "'", "clock", ",", "isn", "'", "t", "it", "?"]),
        ("Peru’s well-known U.N. envoy", ["Peru", "’s", "well-known", "U.N", ".", "envoy"]),
        ("", []),
    ],
)
def test_tokens_are_words_and_marks(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


def test_a_lower_case_term_is_found_where_a_capital_begins_the_sentence(tmp_path: Path) -> None:
    recipe = {
        "name": "own",
        "attributes": {"size": ["one", "two"]},
        "persons": [{"size": "one", "terms": ["atlantis"]}, {"size": "two", "terms": ["new atlantis"]}],
        "templates": [
            {"text": "{person} sank.", "tags": "U-LOC O O"},
            {
                "text": "Beautiful {person} hosts the Bank of it.",
                "tags": "O U-LOC O O B-ORG I-ORG L-ORG O",
            },
        ],
    }
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(recipe))
    corpus = load_corpus(tmp_path / "own.yaml")
    assert [(row["tokens"], row["tags"]) for row in corpus.frame.to_dicts()] == [
        (["Atlantis", "sank", "."], ["U-LOC", "O", "O"]),
        (["New", "atlantis", "sank", "."], ["B-LOC", "L-LOC", "O", "O"]),
        (
            ["Beautiful", "atlantis", "hosts", "the", "Bank", "of", "it", "."],
            ["O", "U-LOC", "O", "O", "B-ORG", "I-ORG", "L-ORG", "O"],
        ),
        (
            ["Beautiful", "new", "atlantis", "hosts", "the", "Bank", "of", "it", "."],
            ["O", "B-LOC", "L-LOC", "O", "O", "B-ORG", "I-ORG", "L-ORG", "O"],
        ),
    ]


def test_a_term_inside_a_longer_entity_makes_that_longer() -> None:
    template = TaggedTemplate("the Bank of {person}", "O B-ORG I-ORG L-ORG")
    assert template.filled("the Bank of New Zealand")["tags"] == ["O", "B-ORG", "I-ORG", "I-ORG", "L-ORG"]


@pytest.mark.parametrize(
    ("text", "tags", "message"),
    [
        ("{person} sank.", "U-LOC O", "'{person} sank.' has 3 tokens and 2 tags"),
        (
            "{person} met {person.object}.",
            "U-LOC O U-LOC O",
            "has one place, and '{person} met {person.object}.' has 2",
        ),
        ("{person} sank.", "B-LOC O O", "its tags are not BILOU at token 2"),
        ("{person} sank.", "S-LOC O O", "'S-LOC' is not a tag of BILOU"),
    ],
)
def test_templates_and_tags_that_do_not_fit_are_told(text: str, tags: str, message: str) -> None:
    with pytest.raises(EvenhandError) as caught:
        TaggedTemplate(text, tags)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        (
            [{"text": "{person} sank.", "tags": "U-LOC O O"}, "{person} swam."],
            "'{person} swam.' has none; give them to all",
        ),
        (
            [{"text": ["{person} sank.", "{person} swam."], "tags": "U-LOC O O"}],
            "tags are for one text, and this template has 2",
        ),
    ],
)
def test_tags_are_for_all_templates_and_for_one_text_each(templates: list[Any], message: str, tmp_path: Path) -> None:
    persons = [{"size": "one", "terms": ["A"]}, {"size": "two", "terms": ["B"]}]
    recipe = {"name": "own", "attributes": {"size": ["one", "two"]}, "persons": persons, "templates": templates}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(recipe))
    with pytest.raises(EvenhandError) as caught:
        load_corpus(tmp_path / "own.yaml")
    assert message in str(caught.value)


def test_figures_are_of_terms() -> None:
    assert Persons.model_validate({"figures": {"Peru": 7}}).terms == ["Peru"]
    with pytest.raises(ValidationError, match="'Chile' has a figure and is not among the terms"):
        Persons.model_validate({"terms": ["Peru"], "figures": {"Chile": 7}})


def test_every_sentence_is_our_own_and_says_where_the_groups_come_from(countries: Corpus) -> None:
    assert "written for Evenhand" in countries.about.source
    assert any("check one at the source" in limit for limit in countries.about.limits)
    assert len(list(packaged_recipe("ner-country").numbered())) == 22
