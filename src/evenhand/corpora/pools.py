"""What is asked: pools of first names and of surnames with what is known about each, and seeded draws from them."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml

Floats = npt.NDArray[np.float64]

GENDERS = ("female", "male")
FORBIDDEN = 1e6
"""The cost of two names that may not stand together: more than all that may, so that most names find a partner."""
OTHER_ORIGIN = 2.0
"""The cost of names of which one has few US births: more than any distance within the limits."""
ROUNDING = 1e-9


class Cell(NamedTuple):
    """A race and, in pools of first names, a gender, as the pool calls them."""

    race: str
    gender: str | None = None

    def __str__(self) -> str:
        """`Black female`."""
        return " ".join(filter(None, self))


@dataclass(frozen=True)
class PoolName:
    """A first name or a surname, and what is known about those who bear it."""

    name: str
    race: str
    """The category with the largest share."""
    gender: str | None
    """None for surnames."""
    share: float
    """The share of that category among the bearers, in the Census."""
    bearers: int
    sex_share: float | None
    shares: Mapping[str, float]
    """The share of each category that names can be drawn from."""
    native: float
    two_or_more: float
    births: int | None
    """Births of this gender that were registered in the United States; None for surnames."""
    birth_year: int | None
    """The year by which half of these births had happened; None where there are none."""
    length: int
    family: str
    """The same for names that are spelled alike: the most common of them."""
    word: bool
    """Whether it is an English word, a place or a brand too."""
    origin: str
    """Where far fewer births than bearers are known, a note of that; the category does not tell the origin."""
    second_share: float | None
    """The share of the category among registered voters of six states; None where they have nobody of that name."""
    pool: bool
    """Whether it may be drawn."""

    @property
    def cell(self) -> Cell:
        """Its race and gender."""
        return Cell(self.race, self.gender)


@dataclass(frozen=True)
class Group:
    """A group of a pool: what it is called in reports, and what recipes may call it."""

    label: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Matching:
    """By how much two names of a matched tuple may differ."""

    bearers_factor: float
    birth_years: float | None
    """None where the names have no birth year."""
    letters: float


@dataclass(frozen=True, eq=False)
class Pool:
    """First names by race and gender, or surnames by race, with where they come from and what they can stand for."""

    name: str
    title: str
    language: str
    source: str
    licence: str
    limits: tuple[str, ...]
    groups: Mapping[str, Mapping[str, Group]]
    weakest: float
    """The smallest share of its category that a name of the pool has."""
    second_below: float
    """How far the second source may lie below the share that is asked for."""
    fewest_bearers: int
    """How many people a name of the pool is borne by at least."""
    smallest_sex_share: float | None
    """The smallest share of the more frequent sex among its bearers; None for surnames."""
    matching: Matching
    names: tuple[PoolName, ...]

    @property
    def races(self) -> tuple[str, ...]:
        """The races that names can be drawn from."""
        return tuple(self.groups["race"])

    @property
    def genders(self) -> tuple[str | None, ...]:
        """The genders that names are drawn for, apart; of surnames only None."""
        return GENDERS if "gender" in self.groups else (None,)

    @property
    def of_surnames(self) -> bool:
        """Whether its names are surnames, which tell no gender."""
        return self.genders == (None,)

    def race_called(self, group: str) -> str | None:
        """The race that a recipe means by the name of a group; None where the pool has none of that name.

        >>> load_pool("us-names").race_called("African American"), load_pool("us-names").race_called("Martian")
        ('Black', None)
        """
        return self.called("race", group)

    def called(self, attribute: str, group: str) -> str | None:
        """The group of an attribute that goes by a name, the pool's own or an alias."""
        known = self.groups.get(attribute, {}).items()
        return next((name for name, one in known if group == name or group in one.aliases), None)

    def about(self, names: Iterable[str]) -> dict[str, PoolName]:
        """What is known about names, in any case and with or without accents; names that are not listed are left out.

        >>> tia = load_pool("us-names").about(["TIA", "Xyzzy"])
        >>> list(tia), tia["TIA"].race, tia["TIA"].pool
        (['TIA'], 'White', False)
        """
        return {name: self._by_name[key] for name in names if (key := _plain(name)) in self._by_name}

    @cached_property
    def _by_name(self) -> dict[str, PoolName]:
        return {_plain(one.name): one for one in self.names}

    def why_not(self, name: PoolName) -> tuple[str, ...]:
        """The rules by which a name is not in the pool; empty if it is.

        >>> pool = load_pool("us-names")
        >>> pool.why_not(pool.about(["Tia"])["Tia"])
        ('share', 'second source', 'a word')
        """
        if name.pool:
            return ()
        reasons = {
            "share": name.share < self.weakest,
            "gender": (name.sex_share or 0.0) < (self.smallest_sex_share or 0.0),
            "second source": (name.second_share or 0.0) < self.weakest - self.second_below,
            "rare": name.bearers < self.fewest_bearers,
            "a word": name.word,
        }
        found = tuple(reason for reason, holds in reasons.items() if holds)
        return found or ("spelling, or not in the sample",)

    def cells(self, *, races: Sequence[str] | None = None, strength: float = 0.80) -> dict[Cell, tuple[PoolName, ...]]:
        """All names that may be drawn, by cell, in the order of the alphabet."""
        if not self.weakest <= strength <= 1:
            raise UsageError(f"strength is {strength:g}; names of {self.name} have shares from {self.weakest:g} to 1")
        wanted = self._known_races(races)
        strong = [one for one in self.names if one.pool and self._is_strong(one, strength)]
        return {
            cell: tuple(one for one in strong if one.cell == cell)
            for gender in self.genders
            for cell in (Cell(race, gender) for race in wanted)
        }

    def matched(
        self, *, races: Sequence[str] | None = None, strength: float = 0.80, seed: int = 0
    ) -> dict[Cell, tuple[PoolName, ...]]:
        """All names that can be matched, in a seeded order: within a gender, the nth names of the races are alike."""
        cells = self.cells(races=races, strength=strength)
        drawn: dict[Cell, tuple[PoolName, ...]] = {}
        for gender in self.genders:
            mine = {cell: names for cell, names in cells.items() if cell.gender == gender}
            tuples = matched_tuples(list(mine.values()), self.matching)
            order = _order(len(tuples), seed, *([gender] if gender else []))
            drawn |= {cell: tuple(tuples[i][place] for i in order) for place, cell in enumerate(mine)}
        return drawn

    def draw(
        self,
        per_cell: int,
        *,
        races: Sequence[str] | None = None,
        strength: float = 0.80,
        matched: bool = False,
        seed: int = 0,
    ) -> dict[Cell, tuple[PoolName, ...]]:
        """Names by cell, in a seeded order: the first k of a larger draw are the draw of k.

        Matched, the nth names of the races, within a gender, are about as common, as old and as long as one another.

        >>> drawn = load_pool("us-names").draw(5, races=["Black", "White"], matched=True)
        >>> [len(names) for names in drawn.values()]
        [5, 5, 5, 5]
        """
        if per_cell < 1:
            raise UsageError(f"{per_cell} names per cell were asked for; ask for one at least")
        if matched:
            ordered = self.matched(races=races, strength=strength, seed=seed)
        else:
            ordered = self._in_any_order(self.cells(races=races, strength=strength), seed)
        if min(map(len, ordered.values())) < per_cell:
            raise UsageError(self._too_few(per_cell, ordered, strength, matched))
        return {cell: names[:per_cell] for cell, names in ordered.items()}

    def _known_races(self, races: Sequence[str] | None) -> tuple[str, ...]:
        found = []
        for given in self.races if races is None else races:
            race = self.race_called(given)
            if race is None:
                raise UsageError(f"the pool {self.name} has no race {given!r}{did_you_mean(given, self.races)}")
            found.append(race)
        if not found or len(set(found)) < len(found):
            raise UsageError(f"name each race once to draw names of the pool {self.name}: {', '.join(self.races)}")
        return tuple(found)

    def _is_strong(self, one: PoolName, strength: float) -> bool:
        second = one.second_share or 0.0
        return one.share >= strength - ROUNDING and second >= strength - self.second_below - ROUNDING

    def _in_any_order(self, cells: Mapping[Cell, Sequence[PoolName]], seed: int) -> dict[Cell, tuple[PoolName, ...]]:
        return {cell: tuple(names[i] for i in _order(len(names), seed, str(cell))) for cell, names in cells.items()}

    def _too_few(self, asked: int, there: Mapping[Cell, Sequence[PoolName]], strength: float, matched: bool) -> str:
        counts = ", ".join(f"{cell} {len(names)}" for cell, names in there.items())
        fewest = min(map(len, there.values()))
        ways = [f"ask for at most {fewest}"] if fewest > 1 else []
        ways += [f"lower the strength to {self.weakest:g}"] if strength > self.weakest else []
        ways += ["draw fewer races"] if matched and len({cell.race for cell in there}) > 2 else []
        ways += ["draw them unmatched"] if matched else []
        what = "matched names" if matched else "names"
        each = "race" if self.of_surnames else "race and gender"
        return (
            f"{asked} {what} for each {each} were asked for; with a strength of {strength:g}, "
            f"{self.name} has: {counts}. {', or '.join(ways).capitalize()}"
        )


def matched_tuples(cells: Sequence[Sequence[PoolName]], limits: Matching) -> list[tuple[PoolName, ...]]:
    """Names, one of each cell, of which any two are about as common, as old and as long as one another.

    The names of the smallest cell look for partners in the next larger one, and so on: as many as find one, and of all
    ways to do so the one with the smallest sum of distances.
    """
    if any(len(cell) == 0 for cell in cells):
        return []
    by_size = sorted(range(len(cells)), key=lambda place: (len(cells[place]), place))
    tuples = [{by_size[0]: one} for one in cells[by_size[0]]]
    for place in by_size[1:]:
        cell = cells[place]
        costs = np.zeros((len(tuples), len(cell)))
        for member in tuples[0] if tuples else ():
            costs += distances([one[member] for one in tuples], cell, limits)
        left, right = linear_sum_assignment(costs)
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        tuples = [tuples[i] | {place: cell[j]} for i, j in pairs if costs[i, j] < FORBIDDEN]
    return [tuple(one[place] for place in range(len(cells))) for one in tuples]


def distances(ones: Sequence[PoolName], others: Sequence[PoolName], limits: Matching) -> Floats:
    """How far names are from others, in the units of the limits; `FORBIDDEN` where one limit is passed.

    Names with few US births go with each other as far as they can, so that Tomasz is no match for Darnell.
    """
    apart = np.abs(_traits(ones)[:, None] - _traits(others)[None, :])
    apart /= [np.log(limits.bearers_factor), limits.birth_years or 1.0, limits.letters, 1.0]
    near, origin = apart[:, :, :3], apart[:, :, 3]
    total: Floats = np.sqrt((near**2).sum(axis=2)) + OTHER_ORIGIN * origin
    total[(near > 1 + ROUNDING).any(axis=2)] = FORBIDDEN
    return total


def _traits(names: Sequence[PoolName]) -> Floats:
    """The logarithm of the bearers, the birth year, the letters, and whether few births are known."""
    rows = [(np.log(one.bearers), one.birth_year or 0, one.length, bool(one.origin)) for one in names]
    return np.array(rows, dtype=float)


def _order(size: int, seed: int, *about: str) -> list[int]:
    """A seeded order of so many things, which is another for whatever else it is about."""
    generator = np.random.default_rng([seed, crc32(" ".join(about).encode())])
    return [int(place) for place in generator.permutation(size)]


def _plain(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))


def pool_names() -> list[str]:
    """The pools that come with Evenhand."""
    folder = files("evenhand") / "data" / "names"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


@cache
def load_pool(name: str) -> Pool:
    """A pool of names that comes with Evenhand.

    >>> load_pool("us-names").races
    ('Black', 'White', 'Hispanic', 'Asian and Pacific')
    """
    if name not in pool_names():
        raise UsageError(f"unknown pool of names {name!r}{did_you_mean(name, pool_names())}")
    folder = files("evenhand") / "data" / "names"
    card = read_yaml(folder / f"{name}.yaml")
    columns = {race: one["column"] for race, one in card["groups"]["race"].items()}
    rows = csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text(encoding="utf-8")))
    return Pool(
        name=name,
        title=card["title"],
        language=card["language"],
        source=card["source"],
        licence=card["licence"],
        limits=tuple(card["limits"]),
        groups={
            attribute: {group: Group(one["label"], tuple(one["aliases"])) for group, one in groups.items()}
            for attribute, groups in card["groups"].items()
        },
        weakest=card["rules"]["share"],
        second_below=card["rules"]["second_below"],
        fewest_bearers=card["rules"]["bearers"],
        smallest_sex_share=card["rules"].get("sex_share"),
        matching=Matching(**card["matching"]),
        names=tuple(_read(row, columns) for row in rows),
    )


def _read(row: Mapping[str, str], columns: Mapping[str, str]) -> PoolName:
    return PoolName(
        name=row["name"],
        race=row["race"],
        gender=row.get("gender"),
        share=float(row["share"]),
        bearers=int(row["bearers"]),
        sex_share=float(row["sex_share"]) if "sex_share" in row else None,
        shares={race: float(row[column]) for race, column in columns.items()},
        native=float(row["native"]),
        two_or_more=float(row["two_or_more"]),
        births=int(row["births"]) if "births" in row else None,
        birth_year=int(row["birth_year"]) if row.get("birth_year") else None,
        length=int(row["length"]),
        family=row["family"],
        word=row["word"] == "true",
        origin=row.get("origin", ""),
        second_share=float(row["second_share"]) if row["second_share"] else None,
        pool=row["pool"] == "true",
    )
