"""Answers to bare identities, rendered: the terminal, the page, a table, and a figure pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evenhand.files.tables import table_bytes
from evenhand.repairs.phrases import Leaning, PhraseAnswer, PhrasePair, Phrases
from evenhand.report.audit.amounts import number
from evenhand.report.audit.figures import SCHEMA, Row, Spec, base_chart, figure_files, svg_bytes
from evenhand.report.common.plain import Listing, Section, plain_page
from evenhand.results import Renderer
from evenhand.results.rendering import Files

READING = (
    "Each phrase is all that the system sees: these are numbers for these very phrases, without an interval, and say "
    "nothing about sentences. Pairs of one attribute that lean both ways show that words differ, not only groups: one "
    "layer for a whole group then moves some of its words the wrong way."
)
MOST_CHARTED = 12
"""Questions and attributes that are drawn one below the other."""
COLOURS = ("#b4500a", "#2f5fd0")
STEP, WIDTH = 26, 420


def show(found: Phrases, console: Console) -> None:
    """Pairs, then every phrase."""
    console.print(Text(_title(found), style="bold"))
    for line in _leanings(found):
        console.print(Text(f"• {line}"))
    console.print()
    if found.pairs:
        _pairs(found).print_on(console)
    _answers(found).print_on(console)
    console.print(Text(READING, style="dim"))
    for note in found.notes:
        console.print(Text(str(note), style="dim"))


def to_html(found: Phrases) -> str:
    """The same on one page, with the figure."""
    drawn = {spec["description"]: svg_bytes(spec).decode() for spec in charts(found).values()}
    sections = []
    if found.pairs:
        sections.append(
            Section("Pairs", "Pair by pair", drawings=drawn, listings=[_pairs(found)], items=_leanings(found))
        )
    sections.append(Section("Phrases", "Phrase by phrase", listings=[_answers(found)], remarks=[READING]))
    lead = "What does the system say when all it sees is who somebody is?"
    return plain_page(found, title=_title(found), lead=lead, sections=sections)


def summary(found: Phrases) -> str:
    """How many phrases and pairs, and how many questions have pairs that lean both ways."""
    both = sum(one.both_ways for one in found.leaning)
    phrases = len({one.phrase for one in found.answers})
    return f"{phrases} phrases; pairs lean both ways in {both} of {len(found.leaning)} questions and attributes"


def text(found: Phrases) -> str:
    """Which way pairs lean."""
    return "\n".join([_title(found), *_leanings(found)])


def charts(found: Phrases) -> dict[str, Spec]:
    """A figure for each system: both phrases of each pair on one line, by question and attribute."""
    made: dict[str, Spec] = {}
    for system in dict.fromkeys(one.system for one in found.pairs):
        own = [one for one in found.pairs if one.system == system]
        keys = list(dict.fromkeys((one.question, one.attribute) for one in own))[:MOST_CHARTED]
        parts = [_chart([one for one in own if (one.question, one.attribute) == key]) for key in keys]
        made[f"phrases-{system}"] = {
            "$schema": SCHEMA,
            "description": f"{system}: the scores of both phrases of each pair.",
            "vconcat": parts,
            "resolve": {"scale": {"color": "independent", "shape": "independent"}},
        }
    return made


def _chart(pairs: Sequence[PhrasePair]) -> Spec:
    one = pairs[0]
    groups = one.first_group, one.second_group
    rows: list[Row] = [
        {"pair": f"{pair.first} / {pair.second}", "group": group, "score": score, "other": other}
        for pair in pairs
        for group, score, other in (
            (pair.first_group, pair.first_score, pair.second_score),
            (pair.second_group, pair.second_score, pair.first_score),
        )
    ]
    y = {"field": "pair", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    x = {"field": "score", "type": "quantitative", "title": one.question, "scale": {"zero": False}}
    legend = {"orient": "top", "title": None}
    colour = {"field": "group", "scale": {"domain": groups, "range": COLOURS}, "legend": legend}
    shape = {"field": "group", "scale": {"domain": groups, "range": ["circle", "diamond"]}, "legend": legend}
    spec = base_chart(
        f"{one.system}, {one.question}, {one.attribute}: the scores of both phrases of each pair.",
        data={"values": rows},
        height={"step": STEP},
        layer=[
            {"mark": {"type": "rule", "color": "#999"}, "encoding": {"y": y, "x": x, "x2": {"field": "other"}}},
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"y": y, "x": x, "color": colour, "shape": shape},
            },
        ],
    )  # fmt: skip
    own = {name: value for name, value in spec.items() if name not in ("$schema", "autosize")}
    return own | {"title": f"{one.system}, {one.question}, {one.attribute}", "width": WIDTH}


def _title(found: Phrases) -> str:
    systems = list(dict.fromkeys(one.system for one in found.answers))
    return f"What {', '.join(systems)} {'says' if len(systems) == 1 else 'say'} to bare identities"


def _leanings(found: Phrases) -> list[str]:
    return [_leaning(one) for one in found.leaning]


def _leaning(one: Leaning) -> str:
    pairs = one.first_higher + one.second_higher + one.same
    same = f", {one.same} the same" if one.same else ""
    end = ": words of one group differ" if one.both_ways else ""
    return (
        f"{one.system}, {one.question}, {one.attribute}: of {pairs} pairs {one.first_higher} score higher for "
        f"{one.first_group}, {one.second_higher} for {one.second_group}{same}{end}"
    )


def _pairs(found: Phrases) -> Listing:
    headings = ("system", "question", "pair", "first", "second", "difference")
    rows = [
        (one.system, one.question, f"{one.first} / {one.second}", number(one.first_score), number(one.second_score),
         number(one.difference))
        for one in found.pairs
    ]  # fmt: skip
    return Listing(headings, rows, title="Pair by pair: first minus second", numbers_from=3)


def _answers(found: Phrases) -> Listing:
    labels = list(dict.fromkeys(label for one in found.answers for label in one.labels))
    headings = ("system", "question", "phrase", "group", "score", *(f"p({label})" for label in labels))
    rows = [_row(one, labels) for one in found.answers]
    return Listing(headings, rows, title="Phrase by phrase", numbers_from=4)


def _row(one: PhraseAnswer, labels: Sequence[str]) -> tuple[str, ...]:
    by_label = dict(zip(one.labels, one.probabilities, strict=True))
    cells = (number(by_label[label]) if label in by_label else "" for label in labels)
    score = "" if one.score is None else number(one.score)
    return one.system, one.question, one.phrase or "(empty)", one.group or one.role, score, *cells


def _table(found: Phrases) -> Files:
    return {"phrases.csv": table_bytes(found.frame())}


RENDERER = Renderer(
    page_file="phrases.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=_table,
    figures=lambda found: figure_files(charts(found)),
    figures_are_saved=True,
)
