"""How questions that were asked in waves were settled: each look, the calls made and the calls saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding, Sequential
from evenhand.report.audit.amounts import amount
from evenhand.report.audit.figures import Row, Spec, base_chart
from evenhand.report.audit.naming import labels, short_comparisons
from evenhand.report.audit.settling import money
from evenhand.report.audit.units import Unit, delta_of, unit_of
from evenhand.report.common.console import Column, print_table

HEADING = "How it was settled"
READING = (
    "Each system was asked about more and more names (for each race and gender) and looked at after every wave. Each "
    "look is paid for, so that looking several times finds no more gaps that are not there; the intervals here hold "
    "the gap at all looks at once. “Saved” is against asking about all names of the last wave in all sentences of the "
    "corpus"
)
EACH_WORD_ONCE = "; asking about each word in one sentence only saves {fewer} % of those calls"
STOPPING = ", stopping early the rest"
NOT_YET = " Where the budget ended it, nothing is counted as saved, as nothing is settled yet."
ENDED = {
    "settled": "settled",
    "last wave": "no more names asked for",
    "budget": "the budget",
    "names alone will not settle it": "names alone will not settle it: templates and words vary too much",
}
COLUMNS = (
    Column("system"),
    Column("comparison", wraps=True),
    Column("looks", right=True),
    Column("names", right=True),
    Column("calls", right=True),
    Column("saved", right=True),
    Column("ended by", wraps=True),
)


def in_waves(findings: Iterable[Finding]) -> list[tuple[Finding, Sequential]]:
    """The findings that were asked in waves, with their paths."""
    return [(one, one.sequential) for one in findings if one.sequential is not None]


def reading(report: Audit) -> str:
    """How to read the table."""
    paths = [path for _, path in in_waves(report.findings)]
    fewer = round(100 * (1 - paths[0].calls_at_once / paths[0].calls_fixed))
    done = [path for path in paths if path.stopped != "budget"]
    early = STOPPING if any(path.calls < path.calls_at_once for path in done) else ""
    saved = f"{EACH_WORD_ONCE.format(fewer=fewer)}{early}" if fewer else ""
    return f"{READING}{saved}.{'' if len(done) == len(paths) else NOT_YET}"


def in_short(report: Audit) -> str:
    """How many names and calls it took, in one sentence."""
    paths = [path for _, path in in_waves(report.findings)]
    names = _from_to([path.looks[-1].names for path in paths])
    calls = _from_to([path.calls for path in paths])
    return f"Asked in waves until it was known: {names} names of each kind, {calls} calls a system."


def _from_to(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def rows(report: Audit) -> list[tuple[str, ...]]:
    """A row for each question."""
    names, asked = labels(report.findings), in_waves(report.findings)
    compared = short_comparisons([finding for finding, _ in asked])
    return [
        (
            names[finding.system, finding.output],
            comparison,
            str(len(path.looks)),
            str(path.looks[-1].names),
            f"{path.calls:,}{_cost(path)}",
            # What a budget ended is not done, so nothing is saved yet.
            "" if path.stopped == "budget" else f"{100 * (1 - path.calls / path.calls_fixed):.0f} %",
            ENDED[path.stopped],
        )
        for (finding, path), comparison in zip(asked, compared, strict=True)
    ]


def _cost(path: Sequential) -> str:
    return "" if path.price is None else f" ({money(path.calls, path)})"


def looks(report: Audit) -> list[tuple[str, ...]]:
    """A row for each look at each question: who, what, names, estimate, interval and verdict."""
    names, asked = labels(report.findings), in_waves(report.findings)
    compared = short_comparisons([finding for finding, _ in asked])
    return [
        (
            names[finding.system, finding.output],
            comparison,
            str(look.names),
            "undefined" if look.estimate is None else amount(look.estimate, finding),
            "undefined" if look.interval is None else " to ".join(amount(end, finding) for end in look.interval),
            look.verdict,
        )
        for (finding, path), comparison in zip(asked, compared, strict=True)
        for look in path.looks
    ]


def print_path(report: Audit, console: Console) -> None:
    """The table and how to read it."""
    print_table(console, COLUMNS, rows(report), leads=2)
    console.print(Text(reading(report), style="dim"))


def shown_at_once(report: Audit) -> dict[str, Any] | None:
    """What the page says without a script; None for an audit that asked everything at once."""
    if not in_waves(report.findings):
        return None
    return {
        "heading": HEADING,
        "reading": reading(report),
        "headings": [column.heading for column in COLUMNS],
        "rows": rows(report),
        "looks": looks(report),
    }


def charts(report: Audit) -> dict[str, list[Row]]:
    """By system and output, the looks that have an interval."""
    names, found = labels(report.findings), in_waves(report.findings)
    compared = short_comparisons([finding for finding, _ in found])
    unit = unit_of(report.findings)
    made: dict[str, list[Row]] = {}
    for (finding, path), comparison in zip(found, compared, strict=True):
        per = unit.of(finding)
        made.setdefault(names[finding.system, finding.output], []).extend(
            {
                "comparison": comparison,
                "names": look.names,
                "estimate": look.estimate * per,
                "low": look.interval[0] * per,
                "high": look.interval[1] * per,
                "verdict": look.verdict,
            }
            for look in path.looks
            if look.estimate is not None and look.interval is not None
        )
    return {name: drawn for name, drawn in made.items() if drawn}


def path_chart(drawn: Sequence[Row], *, delta: float, unit: Unit, theme: str = "light") -> Spec:
    """The gap by number of names, with the repeated interval and the tolerance."""
    ink = "#333" if theme == "light" else "#eee"
    x = {"field": "names", "type": "ordinal", "title": "names for each race and gender", "axis": {"labelAngle": 0}}
    y = {"field": "estimate", "type": "quantitative", "title": f"gap, {unit.drawn}"}
    offset = {"xOffset": {"field": "comparison", "type": "nominal"}}
    colour = {"color": {"field": "comparison", "type": "nominal", "title": None, "legend": {"orient": "top"}}}
    tooltip = [{"field": "comparison"}, {"field": "names"}, {"field": "verdict"}] + [
        {"field": name, "format": ".3~r", "title": title}
        for name, title in (("estimate", "gap"), ("low", "interval, from"), ("high", "to"))
    ]
    return base_chart(
        "The gap after each wave of names, with an interval that holds at all looks at once; dashed: the tolerance.",
        data={"values": list(drawn)},
        height=240,
        layer=[
            {"mark": {"type": "rule", "color": "#888"}, "encoding": {"y": {"datum": 0}}},
            *(
                {"mark": {"type": "rule", "strokeDash": [4, 4], "color": ink}, "encoding": {"y": {"datum": end}}}
                for end in (-delta, delta)
            ),
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    **offset,
                    **colour,
                    "y": {"field": "low", "type": "quantitative", "title": y["title"]},
                    "y2": {"field": "high"},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {"x": x, **offset, **colour, "y": y, "tooltip": tooltip},
            },
        ],
    )


def path_figures(report: Audit) -> Mapping[str, Spec]:
    """A figure for each output, by the name of its file."""
    unit = unit_of(report.findings)
    delta = delta_of(report.findings, unit)
    return {
        f"path-{name}": path_chart(drawn, delta=delta, unit=unit) | {"title": name}
        for name, drawn in charts(report).items()
    }
