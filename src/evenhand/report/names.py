"""The first names of a corpus, name by name: how strong, how common and how old a signal each of them is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl
from rich.text import Text

from evenhand.corpora import Corpus
from evenhand.corpora.known_names import NameSaid, names_said, share_of
from evenhand.corpora.names import POOL
from evenhand.corpora.neutral import language_of
from evenhand.corpora.pools import Pool, load_pool
from evenhand.errors import UsageError
from evenhand.files.tables import write_table
from evenhand.files.whole import write_whole
from evenhand.printing import console_of
from evenhand.report.audit.figures import Spec, base_chart, png_bytes, svg_bytes
from evenhand.report.common.console import Column, print_table
from evenhand.report.page.shell import render

HEADINGS = ("name", "corpus says", "share of that", "largest share", "bearers", "birth year", "in the pool")
ALIGNMENT = "llrlrrl"
PAGE, PICTURES = ".html", (".svg", ".png")
MOST_LABELLED = 60
"""With more names than this in a picture, their names would cover each other."""
READING = (
    "A first name points to a group as far as its bearers are of that group. Share of that: of all people in the "
    "United States with this name, how many are of the group that the corpus gives it (Census of 2020). Bearers: how "
    "many people have the name; a system may treat a name differently only because it is rare. In the pool: whether "
    "Evenhand would draw it as a name of its group, or which rule it fails."
)
NEAR = (0.12, 4.55)
"""Names this close, in tens of bearers and points of the share, would cover each other's labels."""
COLOURS = {
    "light": ("#b45309", "#1d4ed8", "#15803d", "#7e22ce", "#0e7490", "#6b7280"),
    "dark": ("#fbbf24", "#60a5fa", "#4ade80", "#c084fc", "#22d3ee", "#a3a3a3"),
}


def name_rows(corpus: Corpus) -> list[tuple[str, ...]]:
    """A row of texts for each name, the weakest of each group first."""
    pool = load_pool(POOL)
    return [_row(one, pool) for one in _ordered(corpus, pool)]


def name_frame(corpus: Corpus) -> pl.DataFrame:
    """A row for each name, with all that the pool knows of it."""
    pool = load_pool(POOL)
    return pl.DataFrame([_numbers(one, pool) for one in _ordered(corpus, pool)], infer_schema_length=None)


def in_short(corpus: Corpus) -> list[str]:
    """A sentence for each group, and how many names the pool does not know."""
    pool, names = load_pool(POOL), names_said(corpus)
    lines = []
    for group, members in _by_group(names, pool).items():
        shares = [share_of(pool, one.known, group) for one in members if one.known]
        bearers = [one.known.bearers for one in members if one.known]
        inside = sum(one.known.pool for one in members if one.known)
        if shares:
            lines.append(
                f"{group}: {len(members):,} names; on average {sum(shares) / len(shares):.0%} of the bearers are of "
                f"the group (from {min(shares):.0%} to {max(shares):.0%}); half of the names have more than "
                f"{median(bearers):,.0f} bearers; {inside:,} would be in the pool"
            )
    unknown = [one.name for one in names if one.known is None]
    if unknown:
        more = f" and {len(unknown) - 8:,} more" if len(unknown) > 8 else ""
        lines.append(f"not listed, as they are too rare or no signal of any group: {', '.join(unknown[:8])}{more}")
    return lines


def print_names(corpus: Corpus) -> None:
    """The names in the terminal."""
    console = console_of()
    columns = [
        Column(heading, right=side == "r", wraps=heading in ("corpus says", "in the pool"))
        for heading, side in zip(HEADINGS, ALIGNMENT, strict=True)
    ]
    print_table(console, columns, name_rows(corpus))
    for line in in_short(corpus):
        console.print(Text(f"• {line}"))
    console.print(Text(READING, style="dim"))


def write_names(corpus: Corpus, out: Path, *, overwrite: bool = False) -> int:
    """A page, a picture or a table, by the ending of the file; how many names it shows."""
    frame, ending = name_frame(corpus), out.suffix.lower()
    if ending not in (PAGE, *PICTURES):
        write_table(frame, out, overwrite=overwrite)
        return frame.height
    content = to_html(corpus).encode() if ending == PAGE else figure(corpus, ending)
    if not overwrite and out.is_file() and out.read_bytes() != content:
        raise UsageError(f"{out} holds something else: name another file, or allow it to be overwritten (--overwrite)")
    write_whole(out, content)
    return frame.height


def to_html(corpus: Corpus) -> str:
    """One page that needs nothing else."""
    charts = _charts(corpus)
    return render(
        "names.html.j2",
        scripts=["names.js"],
        data={
            "specs": {theme: {"names": chart([], groups=(), theme=theme)} for theme in COLOURS},
            "charts": [{"name": name, "groups": groups, "rows": rows} for name, groups, rows in charts],
            "colours": COLOURS,
        },
        title=f"The first names of {corpus.name}",
        sections=[{"id": "names", "short": "Name by name"}, {"id": "limits", "short": "Limits"}],
        lead=f"How strong, how common and how old a signal is each name of {corpus.about.title or corpus.name}?",
        reading=READING,
        lines=in_short(corpus),
        headings=HEADINGS,
        numeric=[place for place, side in enumerate(ALIGNMENT) if side == "r"],
        rows=name_rows(corpus),
        limits=load_pool(POOL).limits,
        source=load_pool(POOL).source,
        provenance={"packages": {}},
    )


def figure(corpus: Corpus, ending: str) -> bytes:
    """The picture of the page as SVG or PNG, a panel for each gender."""
    panels: list[Spec] = []
    for name, groups, rows in _charts(corpus):
        panel = chart(rows, groups=groups) | {"title": name}
        panels.append({key: value for key, value in panel.items() if key not in ("$schema", "autosize")})
    whole = {"$schema": chart([], groups=())["$schema"], "vconcat": panels}
    return svg_bytes(whole) if ending == ".svg" else png_bytes(whole)


def chart(rows: Sequence[dict[str, Any]], *, groups: Sequence[str], theme: str = "light") -> Spec:
    """Share by bearers, each name at its place."""
    scale = {"domain": list(groups)}
    colour = {
        "field": "group",
        "type": "nominal",
        "scale": scale | {"range": list(COLOURS[theme])},
        "legend": {"orient": "top", "title": None, "labelLimit": 240},
    }
    x = {
        "field": "bearers",
        "type": "quantitative",
        "title": "people who bear the name",
        "scale": {"type": "log", "nice": False, "padding": 40},
        "axis": {"format": "~s", "tickCount": 6},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "bearers who are of the group, %",
        "scale": {"domain": [0, 100]},
    }
    tooltip = [
        {"field": "name"},
        {"field": "group"},
        {"field": "share", "format": ".1f", "title": "share, %"},
        {"field": "bearers", "format": ","},
        {"field": "birth_year", "title": "birth year"},
    ]
    return base_chart(
        "Each name by how many people bear it and how many of these are of the group that it stands for.",
        data={"values": list(rows)},
        height=360,
        encoding={"x": x, "y": y, "color": colour, "tooltip": tooltip},
        layer=[
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 0.9},
                "encoding": {"shape": {"field": "group", "type": "nominal", "scale": scale, "legend": None}},
            },
            *(
                {
                    "transform": [{"filter": f"datum.label === '{place}'"}],
                    "mark": {"type": "text", "dy": offset, "fontSize": 11},
                    "encoding": {"text": {"field": "name"}},
                }
                for place, offset in (("above", -9), ("below", 12))
            ),
        ],
    )


def _charts(corpus: Corpus) -> list[tuple[str, list[str], list[dict[str, Any]]]]:
    """For each gender, its groups and a row for each name that the pool knows; all in one where none is told."""
    pool = load_pool(POOL)
    panels: dict[str, list[NameSaid]] = {}
    for one in _ordered(corpus, pool):
        if one.known is not None and one.group(pool) is not None:
            gender = one.groups.get("gender", "")
            panels.setdefault(corpus.labels.get("gender", {}).get(gender, gender) or corpus.name, []).append(one)
    groups = list(_by_group(_ordered(corpus, pool), pool))
    return [(name, groups, _labelled([_point(one) for one in members])) for name, members in panels.items()]


def _labelled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with a label above it, or below where another one stands close above; without labels where they are many."""
    if len(rows) > MOST_LABELLED:
        return [row | {"label": None} for row in rows]

    def is_below(row: dict[str, Any]) -> bool:
        return any(
            abs(math.log10(other["bearers"] / row["bearers"])) < NEAR[0] and 0 < other["share"] - row["share"] < NEAR[1]
            for other in rows
        )

    return [row | {"label": "below" if is_below(row) else "above"} for row in rows]


def _point(one: NameSaid) -> dict[str, Any]:
    pool, known = load_pool(POOL), one.known
    group = one.group(pool)
    if known is None or group is None:
        raise ValueError(f"nothing is known of {one.name}")
    return {
        "name": one.name,
        "group": group,
        "share": 100 * share_of(pool, known, group),
        "bearers": known.bearers,
        "birth_year": known.birth_year,
    }


def _ordered(corpus: Corpus, pool: Pool) -> list[NameSaid]:
    """Gender by gender and group by group as the corpus has them, the weakest names first, unknown ones last."""
    names, spoken = names_said(corpus), language_of(corpus)
    if not names:
        raise UsageError(f"corpus {corpus.name!r} calls nobody by a first name")
    if spoken not in (None, pool.language):
        raise UsageError(f"corpus {corpus.name!r} is in {spoken!r}; the names of {pool.name} are for {pool.language!r}")
    cells = {cell: place for place, cell in enumerate(dict.fromkeys(tuple(one.groups.items()) for one in names))}

    def strength(one: NameSaid) -> float:
        group = one.group(pool)
        if one.known is None:
            return 2.0
        return one.known.share if group is None else share_of(pool, one.known, group)

    return sorted(names, key=lambda one: (cells[tuple(one.groups.items())], strength(one)))


def _by_group(names: Sequence[NameSaid], pool: Pool) -> dict[str, list[NameSaid]]:
    members: dict[str, list[NameSaid]] = {}
    for one in names:
        group = one.group(pool)
        if group is not None:
            members.setdefault(group, []).append(one)
    return members


def _row(one: NameSaid, pool: Pool) -> tuple[str, ...]:
    said = _said(one, pool)
    if one.known is None:
        return one.name, said, "", "", "", "", "no: not listed"
    group, known, why = one.group(pool), one.known, pool.why_not(one.known)
    return (
        one.name,
        said,
        "" if group is None else f"{share_of(pool, known, group):.1%}",
        f"{known.race} {known.share:.0%}",
        f"{known.bearers:,}",
        "" if known.birth_year is None else str(known.birth_year),
        f"no: {', '.join(why)}" if why else "yes" if known.pool else "no",
    )


def _said(one: NameSaid, pool: Pool) -> str:
    """What the corpus says of a name, its race first, in the words of the pool where it has some."""
    told = {pool.race_called(group) or group: pool.race_called(group) is None for group in one.groups.values()}
    return ", ".join(sorted(told, key=lambda group: told[group]))


def _numbers(one: NameSaid, pool: Pool) -> dict[str, Any]:
    group, known = one.group(pool), one.known
    row: dict[str, Any] = {"name": one.name, "person": one.person, **one.groups, "measured_by": group}
    row["share"] = None if known is None or group is None else share_of(pool, known, group)
    columns = ("race", "gender", "share", "bearers", "birth_year", "length", "family", "origin", "pool")
    row |= {f"pool_{column}" if column != "pool" else "in_pool": getattr(known, column, None) for column in columns}
    row["why_not"] = "not listed" if known is None else ", ".join(pool.why_not(known))
    return row
