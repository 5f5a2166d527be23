"""Families of persons: an audit and `measure` put the same ones together."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import pytest

from evenhand.contrasts import contrast
from evenhand.contrasts.levels import level
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.families import families_of
from evenhand.measuring.scores import _sampled

Families = set[frozenset[str]]


@pytest.fixture(scope="module")
def names() -> Corpus:
    return load_corpus("identity-names")


def together(members: Iterable[tuple[object, str]]) -> Families:
    """Who is not alone in their family."""
    families: dict[object, set[str]] = {}
    for family, person in members:
        families.setdefault(family, set()).add(person)
    return {frozenset(family) for family in families.values() if len(family) > 1}


def in_measure(corpus: Corpus, attribute: str, groups: tuple[str, ...]) -> Families:
    known = _sampled(corpus, attribute).families.items()
    return together(((group, family), person) for (group, person), family in known if group in groups)


@pytest.mark.parametrize(
    ("attribute", "groups", "pair"),
    [
        ("gender", ("female", "male"), {"Tanisha", "Manisha"}),
        ("race", ("Hispanic", "European American"), {"Juan", "Juana"}),
    ],
)
def test_an_audit_and_measure_put_the_same_names_together(
    names: Corpus, attribute: str, groups: tuple[str, str], pair: set[str]
) -> None:
    expected = in_measure(names, attribute, groups)
    assert pair in expected
    made = contrast(names, attribute, groups=groups)
    assert together(zip(made.family.tolist(), made.units, strict=True)) == expected
    beside = level(names, attribute, groups)
    assert together(zip(beside.family.tolist(), beside.units, strict=True)) == expected


def test_what_a_corpus_says_of_families_comes_first() -> None:
    frame = pl.DataFrame(
        {"person": ["Juan", "Juana", "Tia"], "kind": "name", "family": ["a", None, "a"]},
        schema_overrides={"family": pl.String},
    )
    assert families_of(frame, within=["x", "x", "y"]) == {("x", "Juan"): "a", ("y", "Tia"): "a"}


def test_names_of_two_groups_and_what_is_no_name_are_not_put_together() -> None:
    frame = pl.DataFrame(
        {"person": ["Juan", "Juana", "Juanita", "Juanito"], "kind": ["name", "name", "name", "identity"]}
    )
    found = families_of(frame, within=["x", "y", "y", "y"])
    assert together((family, person) for (_, person), family in found.items()) == {frozenset({"Juana", "Juanita"})}
    assert ("y", "Juanito") not in found
