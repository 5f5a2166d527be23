"""A pool of first names: what is in it, and draws that are nested, matched and the same every time."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import yaml

from evenhand.contrasts import contrast, side_labels
from evenhand.corpora import (
    Corpus,
    Pool,
    balanced_sources,
    corpus_names,
    eec,
    first_names,
    load_corpus,
    load_pool,
    with_names,
)
from evenhand.corpora.drawn import with_drawn
from evenhand.corpora.neutral import language_of, neutral_texts
from evenhand.corpora.pools import Cell
from evenhand.errors import EvenhandError, UsageError

RECIPE = {
    "name": "own",
    "persons": {"pool": "us-names", "per_cell": 3, "matched": True, "strength": 0.9, "seed": 7},
    "templates": ["{person} blames {person.reflexive}.", "We met {person.object}."],
}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return load_pool("us-names")


def write(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(RECIPE | changes))
    return path


def test_every_cell_has_names_enough(pool: Pool) -> None:
    for strength in (0.80, 0.90):
        counts = {cell: len(names) for cell, names in pool.cells(strength=strength).items()}
        assert len(counts) == 8
        assert min(counts.values()) >= 160, counts


def test_names_of_the_pool_meet_the_rules_and_say_so(pool: Pool) -> None:
    for one in pool.names:
        if one.pool:
            assert one.share >= 0.80
            assert one.share == one.shares[one.race] == max(one.shares.values())
            assert one.sex_share >= 0.95
            assert one.bearers >= 500
            assert one.births > 0
            assert one.birth_year is not None
            assert one.second_share is not None
            assert one.second_share >= 0.65
            assert not one.word
        assert one.length == len(one.name)
        assert abs(sum(one.shares.values()) + one.native + one.two_or_more - 1) < 0.001
    assert [one.name for one in pool.names] == sorted({one.name for one in pool.names})


def test_all_names_of_the_eec_can_be_looked_up(pool: Pool) -> None:
    names = eec().frame.filter(pl.col("kind") == "name")["person"].unique().to_list()
    rows = pool.about(names)
    assert set(rows) == set(names)
    assert rows["Shereen"].shares["Black"] == pytest.approx(0.154, abs=0.001)
    assert [rows[name].pool for name in ("Tia", "Frank", "Latoya")] == [False, False, True]
    assert rows["Frank"].word
    assert pool.about(["LATOYA", "José"]).keys() == {"LATOYA", "José"}
    assert pool.about(["Nobodyatall"]) == {}


def test_words_and_places_are_never_drawn(pool: Pool) -> None:
    named = ["Comfort", "Sparkle", "Harsh", "Grant", "Rob", "Worth", "Dick", "German", "Malaysia", "Lenin"]
    rows = pool.about(named)
    assert len(rows) == len(named)
    assert not any(row.pool for row in rows.values())


@pytest.mark.parametrize("matched", [False, True])
def test_the_first_names_of_a_larger_draw_are_the_smaller_draw(pool: Pool, matched: bool) -> None:
    large = pool.draw(80, races=["Black", "White"], matched=matched, seed=3)
    for k in (5, 10, 40):
        small = pool.draw(k, races=["Black", "White"], matched=matched, seed=3)
        assert small == {cell: names[:k] for cell, names in large.items()}
    assert large != pool.draw(80, races=["Black", "White"], matched=matched, seed=4)
    assert all(len({one.name for one in names}) == 80 for names in large.values())


@pytest.mark.parametrize("races", [["Black", "White"], ["Black", "White", "Hispanic", "Asian and Pacific"]])
def test_matched_names_are_as_common_as_old_and_as_long(pool: Pool, races: list[str]) -> None:
    drawn = pool.draw(160, races=races, matched=True)
    for gender in ("female", "male"):
        for alike in zip(*(drawn[Cell(race, gender)] for race in races), strict=True):
            bearers, years, letters = zip(
                *((one.bearers, one.birth_year or 0, one.length) for one in alike), strict=True
            )
            assert max(bearers) <= 2 * min(bearers)
            assert max(years) - min(years) <= 10
            assert max(letters) - min(letters) <= 2


def test_unmatched_names_of_a_race_do_not_depend_on_the_others(pool: Pool) -> None:
    both, all_four = pool.draw(20, races=["African American", "White"]), pool.draw(20)
    assert all(all_four[cell] == names for cell, names in both.items())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"per_cell": 300, "strength": 0.9}, "Black male 169.*Ask for at most 169, or lower the strength to 0.8$"),
        ({"per_cell": 600, "races": ["Black", "White"], "matched": True}, "at most 4.., or draw them unmatched$"),
        ({"per_cell": 400, "matched": True}, "or draw fewer races, or draw them unmatched$"),
        ({"per_cell": 5, "strength": 0.99}, r"\. Lower the strength to 0\.8$"),
        ({"per_cell": 5, "strength": 0.5}, "shares from 0.8 to 1"),
        ({"per_cell": 0}, "ask for one at least"),
        ({"per_cell": 5, "races": ["Blac"]}, "no race 'Blac'; did you mean 'Black'"),
        ({"per_cell": 5, "races": ["Black", "African American"]}, "name each race once"),
    ],
)
def test_what_cannot_be_drawn_is_said(pool: Pool, asked: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pool.draw(**asked)  # type: ignore[arg-type]


def test_an_unknown_pool_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown pool of names 'uk-names'"):
        load_pool("uk-names")


def test_a_recipe_draws_its_persons(tmp_path: Path, pool: Pool) -> None:
    corpus = load_corpus(write(tmp_path))
    assert corpus.attributes == {"gender": ("female", "male"), "race": pool.races}
    assert len(corpus) == 2 * 3 * 8
    assert corpus.labels_of("race")["Black"] == "Black names"
    drawn = pool.draw(3, matched=True, strength=0.9, seed=7)
    expected = {one.name: one.family for names in drawn.values() for one in names}
    assert dict(corpus.frame.select("person", "family").iter_rows()) == expected
    for gender, reflexive in (("female", "herself"), ("male", "himself")):
        told = corpus.frame.filter(pl.col("gender") == gender, pl.col("template").str.contains("blames"))["text"]
        assert told.str.ends_with(f"blames {reflexive}.").all()
    assert set(corpus.frame["nth"]) == {1, 2, 3}
    assert "Census" in corpus.about.source


def test_a_pool_may_stand_beside_other_persons(tmp_path: Path) -> None:
    persons = [
        {"pool": "us-names", "per_cell": 4},
        {"kind": "noun_phrase", "paired": "gender", "pairs": [["she", "he"]]},
    ]
    attributes = {"gender": ["female", "male"], "race": ["African American", "European American"]}
    corpus = load_corpus(write(tmp_path, persons=persons, attributes=attributes))
    assert corpus.attributes["race"] == ("African American", "European American")
    assert corpus.labels["race"]["African American"] == "African American people"
    assert len(corpus) == 2 * (4 * 4 + 2)
    assert len(first_names(corpus, 1)) == 2 * (4 + 2)


def test_genders_may_be_called_otherwise(tmp_path: Path) -> None:
    corpus = load_corpus(write(tmp_path, attributes={"gender": ["men", "women"]}))
    told = corpus.frame.filter(pl.col("gender") == "women", pl.col("template").str.contains("blames"))["text"]
    assert told.str.ends_with("herself.").all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"persons": {"pool": "us-nams", "per_cell": 3}}, "unknown pool of names 'us-nams'; did you mean 'us-names'"),
        ({"persons": {"pool": "us-names"}}, "per_cell: Field required"),
        (
            {"persons": {"pool": "us-names", "per_cel": 3, "per_cell": 3}},
            "per_cel: unknown key; did you mean",
        ),
        ({"attributes": {"race": ["elves", "dwarves"]}}, "no names for race 'elves', 'dwarves'; known: Black"),
        ({"language": "es"}, "are for sentences in 'en'"),
        (
            {
                "persons": {"pool": "us-names", "per_cell": 3, "races": ["Hispanic"]},
                "attributes": {"race": ["Black", "White"]},
            },
            "no race 'Hispanic' here",
        ),
    ],
)
def test_a_wrong_draw_in_a_recipe_is_said_with_the_file(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(EvenhandError, match=f"own.yaml: .*{message}"):
        load_corpus(write(tmp_path, **changes))


@pytest.fixture(scope="module")
def named() -> Corpus:
    return with_names("eec", per_cell=10, matched=True)


def test_the_eec_with_names_has_its_templates_and_words(named: Corpus) -> None:
    assert named.name == "eec with 40 names"
    assert len(named) == 144 * 40
    assert set(named.frame["source"]) == set(eec().frame["source"])
    assert named.attributes == eec().attributes
    assert named.groupings == eec().groupings
    assert named.labels_of("gender") == {"female": "women's names", "male": "men's names"}
    assert side_labels(contrast(named, "race"), named) == ("African American names", "European American names")
    assert set(named.subsets) == {"neutral", "emotional", "names"}
    assert named.digest != eec().digest
    assert named.digest == with_names("eec", per_cell=10, matched=True).digest
    assert not {"family", "nth"} & set(named.slots)


def test_smaller_corpora_are_cut_from_larger_ones(named: Corpus) -> None:
    small = with_names("eec", per_cell=4, matched=True)
    cut = first_names(named, 4)
    assert cut.frame["text"].to_list() == small.frame["text"].to_list()
    assert cut.drawn_from == named.digest
    with pytest.raises(UsageError, match="it has 1 to 10"):
        first_names(named, 11)
    with pytest.raises(UsageError, match="no names drawn from a pool"):
        first_names(eec(), 3)


def test_families_of_the_pool_are_those_of_the_contrast(named: Corpus, pool: Pool) -> None:
    made = contrast(named, "race")
    expected = {name: row.family for name, row in pool.about(made.units).items()}
    by_number: dict[int, str] = {}
    assert made.family is not None
    for unit, number in zip(made.units, made.family.tolist(), strict=True):
        assert by_number.setdefault(number, expected[unit]) == expected[unit]


def test_a_corpus_with_names_survives_saving_and_knows_its_language(named: Corpus, tmp_path: Path) -> None:
    named.save(tmp_path / "corpus.parquet")
    loaded = Corpus.load(tmp_path / "corpus.parquet")
    assert loaded.digest == named.digest
    assert language_of(loaded) == "en"
    assert neutral_texts(loaded)[0] == "This person feels angry."
    assert len(first_names(loaded, 2)) == 144 * 8


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("identity", "no sentence that takes a first name"),
        ("ner-country", "no sentence that takes a first name"),
        ("es-emotions", "is in 'es'; the names of us-names are for 'en'"),
        ("table.csv", "need the templates of a recipe"),
    ],
)
def test_a_corpus_that_takes_no_names_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        with_names(name, per_cell=5)


@pytest.mark.parametrize(
    "templates",
    [
        "['The {person} left.', 'We met my {person.object}.', '{a} {person} called.']",
        "['This is {person.possessive} coat.']",
    ],
)
def test_templates_that_take_no_name_are_refused(tmp_path: Path, templates: str) -> None:
    """Neither “The Mary left” nor one sentence for all names of a gender."""
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\nattributes: {gender: [female, male]}\npersons:\n"
        "  - {kind: noun_phrase, gender: female, terms: [woman]}\n  - {kind: noun_phrase, gender: male, terms: [man]}\n"
        f"templates: {templates}\n",
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match="'own' has no sentence that takes a first name"):
        with_names(own, per_cell=5)


def test_sentences_that_take_a_name_are_kept_beside_those_that_do_not(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\nattributes: {gender: [female, male]}\npersons:\n"
        "  - {kind: noun_phrase, gender: female, terms: [woman]}\n  - {kind: noun_phrase, gender: male, terms: [man]}\n"
        "templates: ['The {person} left.', 'I told her {person} left.', 'We know that {person} lost a coat.']\n",
        encoding="utf-8",
    )
    texts = with_names(own, per_cell=2).frame["text"]
    assert not texts.str.starts_with("The ").any()
    assert texts.str.starts_with("I told her ").sum() == texts.str.starts_with("We know that ").sum() == len(texts) / 2


def test_a_recipe_that_draws_names_and_names_nobody_says_so(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\npersons: {pool: us-names, per_cell: 3}\ntemplates: ['This is {person.possessive} coat.']\n",
        encoding="utf-8",
    )
    with pytest.raises(EvenhandError, match=r"nobody is named in its template; write \{person\} in it"):
        load_corpus(own)


def test_names_for_taggers_keep_their_tags() -> None:
    corpus = with_names("ner-names", per_cell=5)
    assert corpus.tagged
    assert len(corpus) == 20 * 8 * 5
    row = corpus.frame.row(0, named=True)
    start, end = row["slot_span"]
    assert row["tokens"][start:end] == [row["person"]]


def test_every_word_once_in_balanced_sources(named: Corpus) -> None:
    for seed in (0, 1):
        sources = balanced_sources(named, seed=seed).frame.unique("source")
        assert sources.height == 44
        assert sources["emotion_word"].drop_nulls().is_unique().all()
        by_template = sources.filter(pl.col("emotion_word").is_not_null())["template"].value_counts()["count"]
        assert sorted(by_template) == [5, 5, 5, 5, 6, 7, 7]
        by_both = sources.drop_nulls("emotion").group_by("template", "emotion").len()["len"]
        assert set(by_both) <= {1, 2}
    one, other = (set(balanced_sources(named, seed=seed).frame["source"]) for seed in (0, 1))
    assert one != other


def test_gender_by_noun_phrases_has_pairs_enough() -> None:
    assert "noun-phrases" in corpus_names()
    corpus = load_corpus("noun-phrases")
    assert corpus.frame["pair"].n_unique() == 44
    assert len(corpus) == 144 * 88
    assert set(eec().frame.filter(pl.col("pair").is_not_null())["text"]) <= set(corpus.frame["text"])
    assert len(contrast(corpus, "gender").units) == 44


def test_one_race_alone_is_refused_in_a_recipe() -> None:
    content = {"name": "x", "templates": ["{person} sleeps."]}
    with pytest.raises(ValueError, match="Black alone cannot be compared by race; name at least two"):
        with_drawn(content | {"persons": {"pool": "us-names", "per_cell": 2, "races": ["Black"]}})
