"""Whether a system does its job: in one plain sentence, as a chart of its emotion words, and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.comparing.ability import PLEASANT, UNPLEASANT, Ability, able_elsewhere
from evenhand.corpora.intensity import intensities
from evenhand.report.audit.amounts import number
from evenhand.report.audit.figures import Row, Spec, base_chart

SHORT = {True: "too weak", False: "does its job", None: "cannot tell"}
CLASSES = {True: "higher", False: "equivalent", None: "cannot-tell"}
"""Too weak, good enough and unknown, in the page's colours of verdicts."""
SHAPES = ("triangle-up", "diamond", "circle", "triangle-down", "square", "cross")
COLOURS = {
    "light": ("#b91c1c", "#7e22ce", "#b45309", "#1d4ed8", "#15803d", "#57534e"),
    "dark": ("#f87171", "#c084fc", "#fbbf24", "#60a5fa", "#4ade80", "#b8b3ad"),
}
WORD_STEP = 18


def ability_in_words(ability: Ability) -> str:
    """Whether a system does its job, how that shows, and a warning where its bias would mean nothing."""
    who = f"{ability.system} ({ability.output})"
    shown = ""
    if ability.rho is not None and ability.p is not None:
        words = sum(word.intended is not None for word in ability.words)
        rho, share = number(ability.rho, span=10), shown_share(ability.p)
        shown = f" (rank correlation {rho} over {words} words; {share} of random orders reach that)"
    if ability.weak is None:
        return f"{who}: cannot tell whether it does its job, because {ability.undefined}{shown}."
    if not ability.weak and able_elsewhere(ability.held_out):
        return f"{who} does its job: {_elsewhere(ability)}{_here(ability)}."
    apart = "pleasant words from unpleasant" if _together(ability) else "stronger words from weaker"
    if not ability.weak:
        return f"{who} does its job: its scores separate {apart} ones{shown}."
    why = ability.undefined or f"its scores do not separate {apart} ones{shown}"
    return f"{who} is too weak for its bias to mean anything: {why}."


def _elsewhere(ability: Ability) -> str:
    """`its scores of 800 other texts go with people's (rank correlation 0.55, five folds)`"""
    held_out = ability.held_out
    if held_out is None or held_out.spearman is None:
        return ""
    rho = number(held_out.spearman, span=10)
    return f"its scores of {held_out.n:,} other texts go with people's (rank correlation {rho}, {held_out.how})"


def _here(ability: Ability) -> str:
    """What the corpus's own emotion words say beside."""
    if ability.rho is None:
        return ""
    words = sum(word.intended is not None for word in ability.words)
    return f"; on the {words} emotion words of this corpus, the rank correlation is {number(ability.rho, span=10)}"


def shown_share(share: float) -> str:
    """
    >>> shown_share(0.0001), shown_share(0.0234), shown_share(0.234)
    ('less than 0.1 %', '2.3 %', '23 %')
    """
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def word_rows(ability: Ability) -> list[Row]:
    """Emotion words with their mean scores, in the intended order: the strongest, or the most pleasant, first.

    Words that nobody has judged come last.
    """

    def key(row: Row) -> tuple[Any, ...]:
        intended = row["intended"]
        apart = "" if _together(ability) else row["emotion"]
        return (apart, intended is None, -(intended or 0), row["emotion"], row["word"])

    rows = [
        {
            "word": f"{word.word} ({_signed(word.intended)})",
            "emotion": word.emotion,
            "intended": word.intended,
            "mean": word.mean,
            "n": word.n,
        }
        for word in ability.words
    ]
    return sorted(rows, key=key)


def word_chart(rows: Sequence[Row], *, theme: str = "light") -> Spec:
    """Mean score by emotion word, in the intended order, which a good system's points follow."""
    present = sorted({row["emotion"] for row in rows})
    tooltip = [
        {"field": "word", "title": "word (intended)"},
        {"field": "emotion"},
        {"field": "mean", "format": ".3f", "title": "mean score"},
        {"field": "n", "title": "sentences"},
    ]
    points = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {
            "y": {"field": "word", "type": "nominal", "sort": None, "title": None, "axis": {"grid": True}},
            "x": {
                "field": "mean",
                "type": "quantitative",
                "title": "mean score",
                "scale": {"zero": False},
                "axis": {"tickCount": 8},
            },
            "color": _emotion(present, COLOURS[theme]),
            "shape": _emotion(present, SHAPES),
            "tooltip": tooltip,
        },
    }
    return base_chart(
        "Dot plot: each emotion word's mean score, words in the intended order, the strongest or most pleasant first.",
        data={"values": list(rows)},
        height={"step": WORD_STEP},
        layer=[points],
    )


def word_figures(abilities: Sequence[Ability], labels: Mapping[tuple[str, str], str]) -> dict[str, Spec]:
    """Mean scores by emotion word, for each output, by the name of its file."""
    named = {_label(ability, labels): ability for ability in abilities}
    return {f"words-{label}": word_chart(word_rows(one)) | {"title": label} for label, one in named.items()}


def shown_at_once(abilities: Sequence[Ability], labels: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    """What the page says of each output without a script."""
    return [
        {
            "label": _label(ability, labels),
            "class": CLASSES[ability.weak],
            "weak": ability.weak,
            "short": SHORT[ability.weak],
            "text": ability_in_words(ability),
        }
        for ability in abilities
    ]


def drawn_on_demand(abilities: Sequence[Ability]) -> dict[str, Any]:
    """Words in their order, once for all outputs that share it, and each output's mean scores."""
    orders: dict[str, list[list[Any]]] = {}
    means = []
    for ability in abilities:
        rows = word_rows(ability)
        order = ability.order or ""
        orders.setdefault(order, [[row["word"], row["emotion"], row["n"]] for row in rows])
        means.append({"order": order, "means": [row["mean"] for row in rows]})
    emotions = _known_first(word.emotion for ability in abilities for word in ability.words)
    return {"orders": orders, "outputs": means, "emotions": emotions}


def _label(ability: Ability, labels: Mapping[tuple[str, str], str]) -> str:
    return labels.get((ability.system, ability.output), f"{ability.system} {ability.output}")


def _together(ability: Ability) -> bool:
    """Whether the words of all emotions make one order."""
    return ability.order in (PLEASANT, UNPLEASANT)


def _signed(intended: float | None) -> str:
    return "not judged" if intended is None else f"{intended:g}".replace("-", "−")


def _emotion(present: Sequence[str], values: Sequence[str]) -> Spec:
    """An emotion looks the same in all charts, and the legend names those that are there."""
    scale = {"domain": _known_first(present), "range": list(values)}
    legend = {"orient": "top", "title": None, "values": list(present)}
    return {"field": "emotion", "type": "nominal", "scale": scale, "legend": legend}


def _known_first(present: Iterable[str]) -> list[str]:
    known = sorted(intensities().pleasant)
    return [*known, *sorted(set(present) - set(known))]
