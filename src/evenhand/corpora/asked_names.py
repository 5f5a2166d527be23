"""What is asked: how many names of a pool, drawn in which way, take the place of a corpus's persons."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.names import POOL, most_names, own_draw, with_names
from evenhand.errors import UsageError
from evenhand.settings import check_between, check_choice, check_count, whole_number

MATCHED, UNMATCHED, BOTH = "matched", "unmatched", "both"
PER_CELL = 40


@dataclass(frozen=True)
class Names:
    """So many first names for each race and gender; matched for how common, how old and how long they are, or not."""

    per_cell: int | None = None
    """40 where it is not said; in waves, as many as the last of them asks about."""
    drawn: str = UNMATCHED
    """`matched`, `unmatched`, or `both`, which makes them subsets of one corpus."""
    strength: float = 0.80
    """The least share of a name's bearers that are of the race."""

    def __post_init__(self) -> None:
        check_choice("way to draw names", self.drawn, (MATCHED, UNMATCHED, BOTH))
        if self.per_cell is not None:
            check_count("the number of names for each race and gender", self.per_cell, least=2)
        check_between("the strength of names, a share of their bearers,", self.strength, 0.0, 1.0, ends=True)

    @classmethod
    def of(cls, corpus: str | Path) -> Self:
        """As a recipe draws them, where it draws from a pool itself; a corpus without names is refused."""
        draw = own_draw(corpus)
        return cls() if draw is None else cls(drawn=MATCHED if draw.matched else UNMATCHED, strength=draw.strength)

    def corpus(self, name: str | Path, *, seed: int = 0, spelling: str | None = None) -> Corpus:
        """The templates and words of a corpus with such names as its persons."""
        draws = [MATCHED, UNMATCHED] if self.drawn == BOTH else [self.drawn]
        made = [
            with_names(
                name,
                per_cell=PER_CELL if self.per_cell is None else self.per_cell,
                matched=draw == MATCHED,
                strength=self.strength,
                seed=seed,
                spelling=spelling,
            )
            for draw in draws
        ]
        return made[0] if len(made) == 1 else _together(*made)

    def most(self, name: str | Path) -> int:
        """How many names there are for each race and gender of a corpus.

        >>> Names().most("eec"), Names(drawn="matched").most("eec"), Names(strength=0.9).most("eec")
        (407, 407, 169)
        """
        return most_names(name, matched=self.drawn != UNMATCHED, strength=self.strength)

    @property
    def subsets(self) -> list[str]:
        """What is compared: all names, or each way to draw them."""
        return [MATCHED, UNMATCHED] if self.drawn == BOTH else ["all"]


def read_names(given: list[str], *, strength: float | None = None) -> Names:
    """`160`, `matched`, or both words: `160 matched`, in any order.

    >>> read_names(["160", "matched"]) == read_names(["160 matched"]) == read_names(["matched,160"])
    True
    """
    parts = [part.strip() for one in given for part in re.split(r"\s*,\s*|\s+", one.strip())]
    odd = next((part for part in parts if re.fullmatch(r"[-+]?[\d.]+", part) and not part.isdecimal()), None)
    if odd is not None:
        raise UsageError(f"names {odd!r}: give a whole number from 2 on")
    numbers = [part for part in parts if part.isdecimal()]
    words = [part for part in parts if not part.isdecimal()]
    if len(numbers) > 1 or len(words) > 1 or not all(parts):
        raise UsageError(f"names {' '.join(given)!r}: give a number, and matched, unmatched or both, each once")
    asked = Names(whole_number(numbers[0], "names") if numbers else None, words[0] if words else UNMATCHED)
    return asked if strength is None else replace(asked, strength=strength)


def _together(matched: Corpus, unmatched: Corpus) -> Corpus:
    """Names that were drawn in two ways, each asked once; which way stands in two columns, and makes two subsets."""
    shared = ["source", "person"]
    one, other = (corpus.frame.select(shared) for corpus in (matched, unmatched))
    rows = pl.concat(
        [
            matched.frame,
            # Ids number the sentences of a corpus: those that the other draw adds need numbers of their own.
            unmatched.frame.join(one, on=shared, how="anti").with_columns(pl.col("id") + f" {UNMATCHED}"),
        ]
    )
    frame = rows.drop("nth")
    for column, drawn in ((MATCHED, one), (UNMATCHED, other)):
        frame = frame.join(
            drawn.with_columns(pl.lit("yes").alias(column)), on=shared, how="left", maintain_order="left"
        )
    people = frame["person"].n_unique()
    base = matched.name.rsplit(" with ", 1)[0]
    chosen = f"{unmatched.about.chosen} And as many that are matched for how common they are, birth year and length."
    about = replace(
        matched.about, chosen=chosen, title=f"{base}, with {people} first names of {POOL}, drawn in two ways"
    )
    return replace(
        matched,
        frame=frame,
        name=f"{base} with {people} names",
        about=about,
        subsets={**matched.subsets, MATCHED: {MATCHED: True}, UNMATCHED: {UNMATCHED: True}},
    )
