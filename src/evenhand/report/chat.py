"""Conversations, rendered: what was done to them, their properties, charts, and what the user's gender changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from rich.console import Console
from rich.text import Text

from evenhand.comparing.chat import Chat
from evenhand.comparing.conversations import VOCABULARY, Difference
from evenhand.corpora.chat import CHATBOT, USER, as_published, merge_runs, per_conversation
from evenhand.corpora.chat.properties import BOTH
from evenhand.corpora.chat.steps import ordered_genders
from evenhand.files.tables import table_bytes
from evenhand.report.audit.figures import Row, Spec, base_chart, figure_files, svg_bytes
from evenhand.report.common.plain import Listing, Section, plain_page
from evenhand.results import Renderer
from evenhand.results.rendering import Files

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


LEAD = "Does the user's gender change what is said to a chatbot, what it answers, and the sentiment that systems see?"
ALPHA = 0.05
NOTHING = "nothing could be compared"


def show(chat: Chat, console: Console) -> None:
    """The differences first; then what is in the conversations, and what was done to them."""
    said = summary(chat)
    console.print(Text(f"{said[:1].upper()}{said[1:]}.", style="bold"))
    console.print()
    for listing in (*_sentiment(chat), *_said(chat)):
        listing.print_on(console)
    for line in _reading(chat):
        console.print(Text(line, style="dim"))
    for note in chat.notes:
        console.print(Text(f"{note}."))
    console.print()
    for listing in (*_all_properties(chat), _steps(chat)):
        listing.print_on(console)


def to_html(chat: Chat) -> str:
    """The same on one page, with the charts."""
    names = ", ".join(chat.provenance.corpus_names) or "logs"
    return plain_page(chat, title=f"Conversations of {names}", lead=LEAD, sections=_sections(chat))


def _sections(chat: Chat) -> list[Section]:
    drawings = {spec["description"]: svg_bytes(spec).decode() for spec in chat_figures(chat.utterances).values()}
    said = "What the user's gender changes in what is said"
    sections = [Section("Differences", said, [f"{summary(chat).capitalize()}."], _said(chat))]
    if chat.sentiment:
        sections.append(Section("Sentiment", "What it changes in the sentiment given", listings=_sentiment(chat)))
    return [
        *sections,
        Section(
            "Properties",
            "What is in the conversations",
            listings=_all_properties(chat),
            drawings=drawings,
            opened=False,
        ),
        Section("Steps", "What was done to the logs", listings=[_steps(chat)]),
        Section("How to read", "How to read this", remarks=_reading(chat)),
    ]  # fmt: skip


def summary(chat: Chat) -> str:
    """How many differences there are that chance does not explain."""
    told = [f"{_counted(found)} in {name}" for name, found in _both(chat).items() if found]
    return f"significant after correction: {', '.join(told)}" if told else NOTHING


def text(chat: Chat) -> str:
    """One line per difference."""
    lines = [_in_words(name, one) for name, found in _both(chat).items() for one in found]
    return "\n".join(lines) or NOTHING


def _in_words(name: str, one: Difference) -> str:
    numbers = "; ".join(filter(None, _numbers(one)))
    return f"{name}, {_who(one)}{one.first} and {one.second}, {one.system or one.measure}: {numbers}"


def _both(chat: Chat) -> dict[str, tuple[Difference, ...]]:
    return {"what is said": chat.said, "the sentiment given": chat.sentiment}


def _counted(found: Sequence[Difference]) -> str:
    known = [one.p_adjusted for one in found if one.p_adjusted is not None]
    undefined = f" ({len(found) - len(known)} more undefined)" if len(known) < len(found) else ""
    return f"{sum(p < ALPHA for p in known)} of {len(known)} differences{undefined}"


def _reading(chat: Chat) -> list[str]:
    lots = [LOTS] if chat.utterances["assigned"].any() else []
    return [*([READING] if chat.said or chat.sentiment else []), *lots]


def beside(chat: Chat) -> Files:
    """The properties, and the merged utterances in the published columns."""
    return {
        "properties-by-gender.csv": table_bytes(chat.by_gender),
        "properties-by-study.csv": table_bytes(chat.by_study),
        "conversations.csv": table_bytes(as_published(merge_runs(chat.utterances))),
    }


def figures(chat: Chat) -> Files:
    """The charts, beside the page."""
    made = figure_files(chat_figures(chat.utterances), folder=".")
    return {name.removeprefix("./"): content for name, content in made.items()}


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


def _steps(chat: Chat) -> Listing:
    rows = [
        (
            step.name,
            _change(step.rows_before, step.rows_after),
            _change(step.conversations_before, step.conversations_after),
        )
        for step in chat.steps
    ]
    return Listing(("step", "rows", "conversations"), rows)


def _change(before: int, after: int) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _all_properties(chat: Chat) -> list[Listing]:
    return [_properties(chat.by_gender, "gender"), _properties(chat.by_study, "study")]


def _properties(frame: pl.DataFrame, by: str) -> Listing:
    """A row per property and speaker, a column per group, as in the paper: mean (least, most)."""
    groups = ordered_genders(frame[by]) if by == "gender" else frame[by].unique(maintain_order=True).to_list()
    rows = []
    for (name, speaker), part in frame.partition_by("property", "speaker", as_dict=True, maintain_order=True).items():
        cells = {row[by]: _cell(row) for row in part.iter_rows(named=True)}
        rows.append((str(name), "" if speaker == BOTH else str(speaker), *(cells.get(group, "") for group in groups)))
    return Listing(("property", "speaker", *groups), rows, f"by {by}")


def _cell(row: dict[str, Any]) -> str:
    return row["undefined"] or f"{row['mean']:.2f} ({row['min']}–{row['max']})"


def _said(chat: Chat) -> list[Listing]:
    return [*_differences("what is said", chat.said)]


def _sentiment(chat: Chat) -> list[Listing]:
    return [*_differences("sentiment given", chat.sentiment)]


def _differences(title: str, found: Sequence[Difference]) -> Iterator[Listing]:
    """A table for each two genders and speaker."""
    grouped: dict[tuple[str, str, str, bool], list[Difference]] = {}
    for one in found:
        grouped.setdefault((one.speaker, one.first, one.second, one.assigned), []).append(one)
    for (_, first, second, assigned), members in grouped.items():
        who = _who(members[0]).removesuffix(", ")
        lots = ", assigned" if assigned else ""
        numbers = " and ".join(str(number) for number in members[0].conversations)
        rows = [(one.measure if one.system is None else one.system, *_numbers(one)) for one in members]
        called = f"{', '.join(filter(None, (title, who)))}: {first}, {second}{lots} ({numbers})"
        yield Listing(("", "effect", "means", "difference", "p"), rows, called)


def _who(one: Difference) -> str:
    return "" if one.speaker == BOTH else f"{one.speaker}, "


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


RENDERER = Renderer(
    page_file="chat.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=beside,
    figures=figures,
    figures_are_saved=True,
)
