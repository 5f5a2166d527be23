"""Conversations on paper: what was done to them, their properties, charts, and what the user's gender changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.comparing.conversations import VOCABULARY, Difference
from evenhand.corpora.chat import CHATBOT, USER, Conversations, as_published, per_conversation
from evenhand.corpora.chat.properties import BOTH
from evenhand.corpora.chat.steps import ordered_genders
from evenhand.files import write_whole
from evenhand.report.figures import Row, Spec, base_chart, write_figures
from evenhand.tables import write_table

COLOURS = ("#b45309", "#1d4ed8", "#6b7280", "#15803d", "#7e22ce", "#be123c")
READING = (
    "Effect: how much more often a conversation of the first gender has more than one of the second than the other way "
    "round (Cliff's delta, −1 to 1); for the vocabulary, how far the words diverge (0 to 1), beside what chance gives. "
    "p: whole conversations trade genders within their study; adjusted after Holm. A large p does not mean that there "
    "is no difference: see the interval."
)
LOTS = (
    "Assigned: these genders were dealt out by lot, so what is said cannot depend on them and is not compared. The "
    "sentiment can: users' utterances carry the gender in their prefix."
)


@dataclass(frozen=True, eq=False)
class ChatReport:
    """What is in conversations, and what the user's gender changes: in what is said, and in the sentiment given to it.

    Properties are counted without the gender prefix; `by_study_with_prefix` counts it in, as the paper's Table III
    does.
    """

    conversations: Conversations
    by_gender: pl.DataFrame
    by_study: pl.DataFrame
    by_study_with_prefix: pl.DataFrame
    said: tuple[Difference, ...]
    sentiment: tuple[Difference, ...]
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "steps": [asdict(step) for step in self.conversations.steps],
            "properties": {
                "by_gender": self.by_gender.to_dicts(),
                "by_study": self.by_study.to_dicts(),
                "by_study_with_prefix": self.by_study_with_prefix.to_dicts(),
            },
            "said": [asdict(one) for one in self.said],
            "sentiment": [asdict(one) for one in self.sentiment],
            "settings": {"seed": self.seed},
        }

    def to_json(self) -> str:
        """All of it but the utterances."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, folder: Path) -> None:
        """Write chat.json, the properties, the merged utterances in the published columns, and the charts."""
        write_whole(folder / "chat.json", (self.to_json() + "\n").encode())
        write_table(self.by_gender, folder / "properties-by-gender.csv")
        write_table(self.by_study, folder / "properties-by-study.csv")
        write_table(as_published(self.conversations.merged), folder / "conversations.csv")
        write_figures(chat_figures(self.conversations.utterances), folder)


def chat_figures(utterances: pl.DataFrame) -> dict[str, Spec]:
    """The charts of the paper's supplement: utterances of users, of chatbots, and turns, in each conversation."""
    counted = per_conversation(utterances)
    figures = {
        f"utterances-{speaker}": per_conversation_chart(
            _rows(counted.filter(pl.col("speaker") == speaker), "utterances"), f"utterances of the {speaker}"
        )
        for speaker in (USER, CHATBOT)
    }
    turns = _rows(counted.filter(pl.col("speaker") == USER), "turns")
    return figures | {"turns": per_conversation_chart(turns, "turns")}


def _rows(counted: pl.DataFrame, value: str) -> list[Row]:
    parts = [counted.filter(pl.col("gender") == gender) for gender in ordered_genders(counted["gender"])]
    return [
        {"conversation": f"{row['study']}/{row['conversation']}", "gender": row["gender"], "count": row[value]}
        for row in pl.concat(parts).iter_rows(named=True)
    ]


def per_conversation_chart(rows: Sequence[Row], what: str) -> Spec:
    """A bar per conversation, those of one gender side by side, and the mean of each gender as a line."""
    genders = list(dict.fromkeys(row["gender"] for row in rows))
    colour = {
        "field": "gender",
        "scale": {"domain": genders, "range": list(COLOURS[: len(genders)])},
        "legend": {"orient": "top", "title": "user's gender"},
    }
    x = {
        "field": "conversation",
        "type": "nominal",
        "sort": [row["conversation"] for row in rows],
        "title": "conversation",
        "axis": {"labelAngle": -60, "labelLimit": 140},
    }
    chart = base_chart(
        f"Bars: {what} in each conversation, by the user's gender; lines: the mean of each gender.",
        title=f"{what[0].upper()}{what[1:]} in each conversation",
        data={"values": list(rows)},
        height=220,
        layer=[
            {
                "mark": {"type": "bar"},
                "encoding": {
                    "x": x,
                    "y": {"field": "count", "type": "quantitative", "title": what},
                    "color": colour,
                    "tooltip": [{"field": "conversation"}, {"field": "gender"}, {"field": "count"}],
                },
            },
            {
                "transform": [
                    {"joinaggregate": [{"op": "mean", "field": "count", "as": "mean"}], "groupby": ["gender"]}
                ],
                "mark": {"type": "line", "strokeWidth": 2, "color": "#111"},
                "encoding": {
                    "x": x,
                    "y": {"field": "mean", "type": "quantitative"},
                    "detail": {"field": "gender"},
                },
            },
        ],
    )
    # Slanted labels reach beyond the chart, which only padding allows for.
    return chart | {"autosize": "pad"}


def print_chat(report: ChatReport, console: Console) -> None:
    """The steps, the properties, and the differences."""
    tables = [
        _steps(report.conversations),
        _properties(report.by_gender, "gender"),
        _properties(report.by_study, "study"),
        *_differences("what is said", report.said),
        *_differences("sentiment given", report.sentiment),
    ]
    for table in tables:
        console.print(table)
        console.print()
    if report.said or report.sentiment:
        console.print(Text(READING, style="dim"))
    if report.conversations.utterances["assigned"].any():
        console.print(Text(LOTS, style="dim"))


def _steps(conversations: Conversations) -> Table:
    table = _table("step", "rows", "conversations")
    for step in conversations.steps:
        kept = _change(step.conversations_before, step.conversations_after)
        table.add_row(Text(step.name), _change(step.rows_before, step.rows_after), kept)
    return table


def _change(before: int, after: int) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _properties(frame: pl.DataFrame, by: str) -> Table:
    """A row per property and speaker, a column per group, as in the paper: mean (least, most)."""
    groups = ordered_genders(frame[by]) if by == "gender" else frame[by].unique(maintain_order=True).to_list()
    table = _table("property", "speaker", *groups)
    for (name, speaker), part in frame.partition_by("property", "speaker", as_dict=True, maintain_order=True).items():
        cells = {row[by]: _cell(row) for row in part.iter_rows(named=True)}
        table.add_row(str(name), "" if speaker == BOTH else str(speaker), *(cells.get(group, "") for group in groups))
    return table


def _cell(row: dict[str, Any]) -> str:
    return row["undefined"] or f"{row['mean']:.2f} ({row['min']}–{row['max']})"


def _differences(title: str, found: Sequence[Difference]) -> Iterator[Table]:
    """A table for each two genders and speaker."""
    grouped: dict[tuple[str, str, str, bool], list[Difference]] = {}
    for one in found:
        grouped.setdefault((one.speaker, one.first, one.second, one.assigned), []).append(one)
    for (speaker, first, second, assigned), members in grouped.items():
        who = "" if speaker == BOTH else f", {speaker}"
        lots = ", assigned" if assigned else ""
        numbers = " and ".join(str(number) for number in members[0].conversations)
        table = _table("", "effect", "means", "difference", "p")
        table.title, table.title_justify = Text(f"{title}{who}: {first}, {second}{lots} ({numbers})"), "left"
        for one in members:
            table.add_row(Text(one.measure if one.system is None else one.system), *_numbers(one))
        yield table


def _numbers(one: Difference) -> tuple[str, str, str, str]:
    if one.effect is None or one.p_adjusted is None:
        return "undefined", "", one.undefined or "", ""
    if one.measure == VOCABULARY:
        return f"{one.effect:.3f}", "", f"by chance {one.by_chance:.3f}", _p(one.p_adjusted)
    assert one.means is not None  # noqa: S101 - what has an effect has means
    assert one.interval is not None  # noqa: S101
    means = " and ".join(f"{mean:.2f}" for mean in one.means)
    between = " to ".join(_signed(end) for end in one.interval)
    return _signed(one.effect), means, f"{_signed(one.difference or 0.0)} ({between})", _p(one.p_adjusted)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    return table
