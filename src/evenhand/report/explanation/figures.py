"""Charts of an explanation: bars for what words and groups of training texts do, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.explaining import Explanation, Question, Swap
from evenhand.report.audit.figures import Row, Spec, base_chart
from evenhand.report.explanation.words import called

BLUE, AMBER, GREY = "#1d4ed8", "#b45309", "#6b7280"
STEP, MOST, LONGEST = 18, 20, 60


def static_figures(found: Explanation) -> dict[str, Spec]:
    """Every chart by the name of its file."""
    charts: dict[str, Spec] = {}
    for output in dict.fromkeys(question.output for question in found.questions):
        for kind in dict.fromkeys(swap.kind for swap in found.swaps if swap.output == output):
            charts[f"swaps-{output}-{kind}"] = swap_chart(
                [swap for swap in found.swaps if (swap.output, swap.kind) == (output, kind)], kind
            )
    for question in found.questions:
        name = f"{question.output}-{question.attribute}-{question.first}"
        if found.about(question, "words"):
            charts[f"words-{name}"] = word_chart(found, question)
        if found.about(question, "groups"):
            charts[f"training-{name}"] = group_chart(found, question)
    return charts


def swap_chart(swaps: Sequence[Swap], kind: str) -> Spec:
    """What each word does in the place of the others."""
    rows = [_row(swap.word, swap.effect, swap.interval, _side(swap.effect)) for swap in swaps[:MOST]]
    what = "each person" if kind == "person" else f"each word ({kind.replace('_', ' ')})"
    return _bars(rows, f"Bars: how much {what} moves the score in the place of the others.", "moves the score by")


def word_chart(found: Explanation, question: Question) -> Spec:
    """What each word adds to a gap."""
    rows = [_row(one.word, one.share, one.interval, one.more_in) for one in found.about(question, "words")[:MOST]]
    order = (question.first_label, question.second_label)
    about = f"Bars: what each word adds to the gap ({called(question)})."
    return _bars(rows, about, "adds to the gap", order=order, legend="more often in sentences about")


def group_chart(found: Explanation, question: Question) -> Spec:
    """The gap that is left without each group of training texts, beside the gap that there is."""
    rows = [
        _row(_short(f"{one.group}"), one.left, _moved(one.left, one.change, one.interval), one.role)
        for one in found.about(question, "groups")
    ]
    chart = _bars(
        rows,
        f"Bars: the gap without each group of training texts ({called(question)}).",
        "gap without these texts",
        order=("carries", "masks", "cannot tell"),
        legend="these texts",
    )
    rule = {
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": GREY},
        "encoding": {"x": {"datum": question.gap}},
    }
    return {**chart, "layer": [*chart["layer"], rule]}


def _moved(left: float, change: float, interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """The interval of a change, as one of the gap that is left."""
    return None if interval is None else (left - change + interval[0], left - change + interval[1])


def _row(name: str, value: float, interval: tuple[float, float] | None, side: str) -> Row:
    low, high = interval or (None, None)
    return {"name": name, "value": value, "low": low, "high": high, "side": side}


def _side(value: float) -> str:
    return "higher" if value > 0 else "lower"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _bars(
    rows: Sequence[Row], about: str, axis: str, *, order: Sequence[str] = ("higher", "lower"), legend: str = ""
) -> Spec:
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 330}}
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(order), "range": [AMBER, BLUE, GREY][: len(order)]},
        "legend": {"orient": "top", "title": legend, "labelLimit": 240} if legend else None,
    }
    bars = {
        "mark": {"type": "bar", "opacity": 0.75},
        "encoding": {"y": y, "x": {"field": "value", "type": "quantitative", "title": axis}, "color": colour},
    }
    intervals = {
        "transform": [{"filter": "datum.low !== null"}],
        "mark": {"type": "rule", "color": "#1c1917", "strokeWidth": 1.2},
        "encoding": {"y": y, "x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
    }
    return base_chart(about, data={"values": list(rows)}, height={"step": STEP}, layer=[bars, intervals])
