"""The pool of surnames: what is in it, draws from it, and the corpus that asks about them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

import evenhand
from evenhand.contrasts import contrast, side_labels
from evenhand.corpora import Pool, first_names, load_corpus, load_pool, with_names
from evenhand.corpora.asked_names import Names
from evenhand.corpora.known_names import known_names
from evenhand.corpora.pools import Cell
from evenhand.errors import EvenhandError, UsageError

RACES = ("Black", "White", "Hispanic", "Asian and Pacific")
RECIPE = {
    "name": "own",
    "persons": {"pool": "us-surnames", "per_cell": 3, "matched": True, "strength": 0.9, "seed": 7},
    "templates": ["Dr. {person} is late.", "Professor {person} and I met {person.pronoun.object}."],
}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return load_pool("us-surnames")


def write(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(RECIPE | changes))
    return path


def test_every_race_has_surnames_enough(pool: Pool) -> None:
    assert pool.of_surnames
    assert pool.races == RACES
    for strength in (0.80, 0.90):
        counts = {cell: len(names) for cell, names in pool.cells(strength=strength).items()}
        assert set(counts) == {Cell(race) for race in RACES}
        assert min(counts.values()) >= 300, counts
    assert min(map(len, pool.matched().values())) >= 400


def test_surnames_of_the_pool_meet_the_rules_and_say_so(pool: Pool) -> None:
    for one in pool.names:
        if one.pool:
            assert one.share >= 0.80
            assert one.bearers >= 500
            assert one.second_share is not None
            assert one.second_share >= 0.65
            assert not one.word
            assert not one.name.startswith(("Mc", "Saint"))
            assert pool.why_not(one) == ()
        else:
            assert pool.why_not(one)
        assert one.share == one.shares[one.race] == max(one.shares.values())
        assert one.length == len(one.name)
        assert re.fullmatch("[A-Z][a-z]+", one.name)
        assert abs(sum(one.shares.values()) + one.native + one.two_or_more - 1) < 0.001
        assert (one.gender, one.sex_share, one.births, one.birth_year) == (None, None, None, None)
    assert [one.name for one in pool.names] == sorted({one.name for one in pool.names})


def test_very_common_surnames_can_be_looked_up(pool: Pool) -> None:
    rows = pool.about(["WILLIAMS", "Smith", "Okafor", "Nobodyatall"])
    assert list(rows) == ["WILLIAMS", "Smith", "Okafor"]
    assert rows["WILLIAMS"].shares["Black"] == pytest.approx(0.462, abs=0.001)
    assert pool.why_not(rows["Smith"]) == ("share", "a word")
    assert rows["Okafor"].pool


def test_words_and_places_are_never_drawn(pool: Pool) -> None:
    drawn = {one.name for one in pool.names if one.pool}
    assert not drawn & {"Young", "Wisely", "Kinder", "Madrid", "Islam", "Her", "Washington", "Baker", "Garcialopez"}


@pytest.mark.parametrize("matched", [False, True])
def test_the_first_surnames_of_a_larger_draw_are_the_smaller_draw(pool: Pool, matched: bool) -> None:
    large = pool.draw(80, races=["Black", "White"], matched=matched, seed=3)
    for k in (1, 10, 40):
        small = pool.draw(k, races=["Black", "White"], matched=matched, seed=3)
        assert small == {cell: names[:k] for cell, names in large.items()}
    assert large != pool.draw(80, races=["Black", "White"], matched=matched, seed=4)
    assert all(len({one.name for one in names}) == 80 for names in large.values())


@pytest.mark.parametrize("races", [["Black", "White"], list(RACES)])
def test_matched_surnames_are_as_common_and_as_long(pool: Pool, races: list[str]) -> None:
    drawn = pool.draw(300, races=races, matched=True)
    for alike in zip(*(drawn[Cell(race)] for race in races), strict=True):
        bearers, letters = zip(*((one.bearers, one.length) for one in alike), strict=True)
        assert max(bearers) <= 2 * min(bearers)
        assert max(letters) - min(letters) <= 2


def test_unmatched_surnames_are_as_common_as_those_of_their_race(pool: Pool) -> None:
    medians = {cell.race: np.median([one.bearers for one in names]) for cell, names in pool.draw(300).items()}
    assert medians["Hispanic"] > 1.5 * medians["Black"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"per_cell": 800}, "Black 711, White .*Ask for at most 572"),
        ({"per_cell": 600, "matched": True}, "at most 511, or draw fewer races, or draw them unmatched$"),
        ({"per_cell": 5, "strength": 0.5}, "shares from 0.8 to 1"),
        ({"per_cell": 5, "races": ["Blac"]}, "no race 'Blac'; did you mean 'Black'"),
    ],
)
def test_what_cannot_be_drawn_is_said(pool: Pool, asked: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pool.draw(**asked)  # type: ignore[arg-type]


def test_a_recipe_draws_surnames_without_a_gender(tmp_path: Path, pool: Pool) -> None:
    corpus = load_corpus(write(tmp_path))
    assert corpus.attributes == {"race": RACES}
    assert len(corpus) == 2 * 3 * 4
    assert set(corpus.frame["kind"]) == {"surname"}
    drawn = pool.draw(3, matched=True, strength=0.9, seed=7)
    expected = {one.name: one.family for names in drawn.values() for one in names}
    assert dict(corpus.frame.select("person", "family").iter_rows()) == expected
    told = corpus.frame.filter(pl.col("template").str.contains("Professor"))["text"]
    assert told.str.ends_with(" and I met them.").all()
    assert len(first_names(corpus, 2)) == 2 * 2 * 4
    assert side_labels(contrast(corpus, "race", groups=("Black", "White")), corpus) == ("Black names", "White names")
    assert "surnames of the 2020 Census" in corpus.about.source


def test_surnames_may_stand_beside_first_names(tmp_path: Path) -> None:
    persons = [{"pool": "us-surnames", "per_cell": 4}, {"pool": "us-names", "per_cell": 2}]
    attributes = {"race": ["African American", "European American"]}
    corpus = load_corpus(write(tmp_path, persons=persons, attributes=attributes))
    assert corpus.attributes == {"race": ("African American", "European American"), "gender": ("female", "male")}
    assert len(corpus) == 2 * (4 * 2 + 2 * 4)
    assert corpus.frame.filter(pl.col("kind") == "surname")["gender"].null_count() == 2 * 4 * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"persons": {"pool": "us-surname", "per_cell": 3}}, "unknown pool .*; did you mean 'us-surnames'"),
        ({"persons": {"pool": "us-surnames", "per_cell": 900}}, "900 names for each race were asked for"),
        ({"persons": {"pool": "us-surnames", "per_cell": 3, "title": "Dr."}}, "title: unknown key"),
        (
            {"persons": {"pool": "us-surnames", "per_cell": 3, "races": ["Black"]}},
            "Black alone cannot be compared by race; name at least two",
        ),
        ({"attributes": {"race": ["elves", "dwarves"]}}, "no names for race 'elves', 'dwarves'; known: Black"),
        ({"language": "es"}, "are for sentences in 'en'"),
    ],
)
def test_a_wrong_draw_in_a_recipe_is_said_with_the_file(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(EvenhandError, match=f"own.yaml: .*{message}"):
        load_corpus(write(tmp_path, **changes))


def test_the_corpus_of_surnames_asks_all_of_them_in_the_same_sentences() -> None:
    corpus = load_corpus("surnames")
    assert len(corpus) == 76 * 160
    assert set(corpus.frame["source"].value_counts()["count"]) == {160}
    assert all(
        re.search(rf"\bM[sr]\. {one}\b", text) for text, one in corpus.frame.select("text", "person").iter_rows()
    )
    assert not set(corpus.attributes) & {"gender"}
    made = contrast(corpus, "race", groups=("Black", "White"))
    assert len(made.units) == 80
    assert made.family is not None


def test_an_audit_of_surnames_finds_a_gap_where_there_is_one(tmp_path: Path) -> None:
    corpus = load_corpus(write(tmp_path, persons={"pool": "us-surnames", "per_cell": 10, "races": ["Black", "White"]}))
    black = set(corpus.frame.filter(pl.col("race") == "Black")["person"])

    def worse(texts: list[str]) -> list[float]:
        return [0.4 if any(word in black for word in text.split()) else 0.5 for text in texts]

    (finding,) = evenhand.audit(worse, corpus, progress=False).findings
    assert finding.mean_difference == pytest.approx(-0.1)
    assert finding.verdict == "lower"


def test_surnames_are_not_taken_for_first_names() -> None:
    corpus = load_corpus("surnames")
    assert load_pool("us-names").about(["Merced", "Jeong", *corpus.frame["person"].unique()])
    assert known_names(corpus) == {}


@pytest.mark.parametrize("asked", [lambda: with_names("surnames", per_cell=5), lambda: Names().most("surnames")])
def test_first_names_do_not_take_the_place_of_surnames(asked: object) -> None:
    with pytest.raises(UsageError, match="corpus 'surnames' asks about surnames, whose place first names cannot take"):
        asked()  # type: ignore[operator]


def test_surnames_do_not_take_the_place_of_first_names() -> None:
    with pytest.raises(UsageError, match=r"the pool us-surnames has surnames, .*per_cell: 5"):
        with_names("eec", per_cell=5, pool="us-surnames")


def test_an_audit_until_settled_refuses_surnames() -> None:
    with pytest.raises(UsageError, match="asks about surnames"):
        evenhand.audit("vader", "surnames", waves=evenhand.Waves(), progress=False)
