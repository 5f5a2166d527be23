"""The first names of any corpus, with what the pool knows of each."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.corpora.known_names import called_by_name, known_names, names_said, share_of
from evenhand.corpora.pools import load_pool


def _table(rows: list[dict[str, str]], folder: Path) -> Corpus:
    pl.DataFrame(rows).write_csv(folder / "mine.csv")
    return load_corpus(folder / "mine.csv")


def _rows(people: dict[str, str], **columns: str) -> list[dict[str, str]]:
    return [
        {"source": f"s{source}", "text": f"{term} {source}", "term": term, "person": term, "group": group} | columns
        for source in range(2)
        for term, group in people.items()
    ]


def test_all_names_of_the_eec_are_known_and_no_noun_phrase() -> None:
    known = known_names(eec())
    assert len(known) == 40
    assert set(called_by_name(eec())) == set(known)


def test_a_language_of_its_own_is_not_that_of_the_pool() -> None:
    assert known_names(load_corpus("es-emotions")) == {}


def test_of_several_words_the_first_counts_where_persons_are_names(tmp_path: Path) -> None:
    people = {"Tia Brown": "a", "NANCY": "a", "Jamel": "b", "Xyzzy": "b"}
    known = known_names(_table(_rows(people, kind="name"), tmp_path))
    assert {person: one.name for person, one in known.items()} == {
        "Tia Brown": "Tia",
        "NANCY": "Nancy",
        "Jamel": "Jamel",
    }


def test_where_no_kind_is_told_only_whole_terms_are_names(tmp_path: Path) -> None:
    known = known_names(_table(_rows({"Tia": "a", "Grace of the house": "a", "the nurse": "b"}), tmp_path))
    assert list(known) == ["Tia"]


def test_shares_add_up_to_what_the_pool_says() -> None:
    pool = load_pool("us-names")
    courtney = pool.about(["Courtney"])["Courtney"]
    assert share_of(pool, courtney, "female") + share_of(pool, courtney, "male") == pytest.approx(1)
    assert share_of(pool, courtney, "European American") == courtney.shares["White"]
    with pytest.raises(ValueError, match="does not know the group 'old'"):
        share_of(pool, courtney, "old")


def test_what_a_corpus_says_of_its_names_is_kept() -> None:
    said = {one.name: one for one in names_said(eec())}
    assert said["Tia"].groups == {"gender": "female", "race": "African American"}
    assert said["Tia"].group(load_pool("us-names")) == "African American"


def test_why_a_name_is_not_in_the_pool() -> None:
    pool = load_pool("us-names")
    about = pool.about(["Lakisha", "Heather", "Darnell", "Shereen"])
    assert {name: pool.why_not(one) for name, one in about.items()} == {
        "Lakisha": (),
        "Heather": ("a word",),
        "Darnell": ("gender",),
        "Shereen": ("share", "second source"),
    }
