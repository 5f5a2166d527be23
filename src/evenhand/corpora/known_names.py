"""What is asked: the first names of any corpus, with what a pool knows about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.names import POOL
from evenhand.corpora.neutral import language_of
from evenhand.corpora.pools import Pool, PoolName, load_pool

NAME = "name"
"""The kind of persons who are called by a name."""


def known_names(corpus: Corpus, pool: str = POOL) -> dict[str, PoolName]:
    """By person, what is known about the first name that a corpus calls them; who is not called by a name is left out.

    Of a person with several words, such as `Tia Brown`, it is the first that counts. The names of a pool are those of
    its language: of a corpus in another one, nothing is known.

    >>> from evenhand.corpora import eec
    >>> known = known_names(eec())
    >>> len(known), known["Tia"].race, "my sister" in known
    (40, 'White', False)
    """
    names = load_pool(pool)
    if language_of(corpus) not in (None, names.language):
        return {}
    called = called_by_name(corpus)
    about = names.about(called.values())
    return {person: about[name] for person, name in called.items() if name in about}


def called_by_name(corpus: Corpus) -> dict[str, str]:
    """By person, their first name; where a corpus does not say of what kind a person is, the whole term."""
    frame = corpus.frame if "kind" in corpus.frame.columns else corpus.frame.with_columns(kind=pl.lit(None, pl.String))
    named = frame.filter(pl.col("kind").is_null() | (pl.col("kind") == NAME)).drop_nulls("term")
    rows = named.select("person", "term", "kind").unique("person", keep="first", maintain_order=True)
    return {
        person: term.split()[0] if kind == NAME and term.split() else term for person, term, kind in rows.iter_rows()
    }


@dataclass(frozen=True)
class NameSaid:
    """A first name of a corpus: what the corpus says of those who bear it, and what the pool knows."""

    person: str
    name: str
    groups: Mapping[str, str]
    """By attribute, the group that the corpus gives them."""
    known: PoolName | None

    def group(self, pool: Pool) -> str | None:
        """The group by which its strength is measured: a race that the pool knows, else a gender; None without."""
        told = {share_in(pool, group): group for group in self.groups.values()}
        return told.get("race") or told.get("gender")


def names_said(corpus: Corpus, pool: str = POOL) -> list[NameSaid]:
    """All first names of a corpus, in its order.

    >>> from evenhand.corpora import eec
    >>> said = names_said(eec())
    >>> len(said), said[0].name, said[0].groups["race"]
    (40, 'Ebony', 'African American')
    """
    known, called = known_names(corpus, pool), called_by_name(corpus)
    columns = ["person", *corpus.attributes]
    rows = corpus.frame.select(columns).unique("person", keep="first", maintain_order=True)
    groups = {row["person"]: row for row in rows.iter_rows(named=True)}
    return [
        NameSaid(
            person,
            name,
            {one: str(groups[person][one]) for one in corpus.attributes if groups[person][one] is not None},
            known.get(person),
        )
        for person, name in called.items()
    ]


def share_in(pool: Pool, group: str) -> str | None:
    """The attribute of the pool that a group belongs to, `race` or `gender`; None where the pool does not know it.

    >>> share_in(load_pool("us-names"), "female"), share_in(load_pool("us-names"), "old")
    ('gender', None)
    """
    return next((attribute for attribute in pool.groups if pool.called(attribute, group)), None)


def is_race(group: str, pool: str = POOL) -> bool:
    """Whether a group is one of the races of a pool, by which its names can be matched.

    >>> is_race("African American"), is_race("female")
    (True, False)
    """
    return load_pool(pool).race_called(group) is not None


def share_of(pool: Pool, name: PoolName, group: str) -> float:
    """The share of a name's bearers who are of a group that the pool knows.

    >>> pool = load_pool("us-names")
    >>> tia = pool.about(["Tia"])["Tia"]
    >>> share_of(pool, tia, "African American"), share_of(pool, tia, "male") < 0.02
    (0.3936, True)
    """
    attribute = share_in(pool, group)
    if attribute is None:
        raise ValueError(f"{pool.name} does not know the group {group!r}")
    called = str(pool.called(attribute, group))
    if attribute == "race":
        return name.shares[called]
    share = name.sex_share or 0.0
    return share if name.gender == called else 1 - share
