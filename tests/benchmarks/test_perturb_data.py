"""The labelled sentences that judge counterfactuals: well formed, as many as promised, and unchanged where frozen."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "benchmarks" / "perturb_data"
SIZES = {
    "gender_develop": 300,
    "gender_frozen": 300,
    "names_develop": 60,
    "names_frozen": 150,
    "religion_develop": 60,
    "religion_frozen": 150,
    "age_develop": 60,
    "age_frozen": 150,
}
GROUPS = {
    "gender": {"female", "male"},
    "race": {"Black", "White", "Hispanic", "Asian and Pacific"},
    "religion": {"christianity", "islam", "judaism", "hinduism", "buddhism", "sikhism", "atheism"},
    "age": {"young", "adult", "old"},
}
SLOT = re.compile(r"\{([^{}]*)\}")
NAME_GROUPS = "female|male|Black|White|Hispanic|Asian and Pacific"
SLOT_NAME = re.compile(rf"(?:name|NAME)\d?:(?:{NAME_GROUPS})|age:(?:young|old)|[aA]")
SPOKEN_WITH_A_VOWEL = re.compile(r"[aeio]|u(?!ni|s[ei])|8|11\b|18\b|hour|honest", re.IGNORECASE)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def versions(row: dict[str, Any]) -> list[str]:
    return list(chain.from_iterable(row["to"].values()))


def everything() -> list[dict[str, Any]]:
    return [row for name in SIZES for row in rows(name)]


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_each_set_has_its_size(name: str, size: int) -> None:
    assert len(rows(name)) == size


@pytest.mark.parametrize("name", ["gender_develop", "gender_frozen"])
def test_each_genre_has_25_sentences_about_gender_and_30_at_least_are_about_nobody(name: str) -> None:
    found = rows(name)
    genres = [row["genre"] for row in found]
    assert {genre: genres.count(genre) for genre in set(genres)} == dict.fromkeys(genres, 25)
    assert len(set(genres)) == 12
    assert sum(row["group"] is None for row in found) >= 30


def test_names_are_half_gender_and_half_race() -> None:
    assert [row["attribute"] for row in rows("names_frozen")].count("race") == 75


def test_no_identifier_and_no_sentence_comes_twice() -> None:
    found = everything()
    assert len({row["id"] for row in found}) == len(found)
    assert len({" ".join(row["text"].lower().split()) for row in found}) == len(found)


@pytest.mark.parametrize("name", SIZES)
def test_labels_agree_with_one_another(name: str) -> None:
    for row in rows(name):
        groups = GROUPS[row["attribute"]]
        assert row["group"] in {*groups, "mixed", None}, row["id"]
        assert set(row["to"]) <= ({"swapped"} if row["group"] == "mixed" else groups - {row["group"]}), row["id"]
        assert not (row["group"] is None and row["to"]), row["id"]
        assert bool(versions(row)) or not row["clear"], row["id"]
        assert len({row["text"], *versions(row)}) == 1 + len(versions(row)), row["id"]


@pytest.mark.parametrize("name", SIZES)
def test_articles_fit_the_words_after_them(name: str) -> None:
    for row in rows(name):
        for text in [row["text"], *versions(row)]:
            for article, word in re.findall(r"\b([Aa]n?) (\w+)", text):
                assert (article.lower() == "an") == bool(SPOKEN_WITH_A_VOWEL.match(word)), f"{row['id']}: {text}"


@pytest.mark.parametrize("name", SIZES)
def test_slots_are_known_and_those_for_race_have_a_gender(name: str) -> None:
    for row in rows(name):
        slots = {slot for text in versions(row) for slot in SLOT.findall(text)}
        assert not SLOT.search(row["text"]), row["id"]
        assert all(SLOT_NAME.fullmatch(slot) for slot in slots), row["id"]
        if row["attribute"] == "race":
            assert {slot.split(":")[0].lower() for slot in slots} == set(row.get("slots", {})), row["id"]


def test_frozen_files_are_those_that_the_readme_names() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for name in filter(lambda name: name.endswith("_frozen"), SIZES):
        digest = hashlib.sha256((DATA / f"{name}.jsonl").read_bytes()).hexdigest()
        assert f"{digest}  {name}.jsonl" in readme
