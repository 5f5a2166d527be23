"""Is it the group, or that its names are rare? In words and in tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from evenhand.comparing.answered import by_sentences
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.comparing.names_asked import PIECES
from evenhand.comparing.signals import Effect, Signal, key_of, name_points
from evenhand.corpora.known_names import share_in
from evenhand.corpora.names import POOL
from evenhand.corpora.pools import load_pool
from evenhand.report.audit.amounts import amount, measured
from evenhand.report.audit.naming import labels, listed, short_comparisons
from evenhand.report.common.console import Column, print_table

HEADING = "Is it the group, or that its names are rare?"
READING = (
    "Names of different groups also differ in how common, how old and how long they are. “As drawn” is the gap between "
    "the names that were asked about, which is what people with such names meet. “Alike” compares names that are "
    "equally common, old and long: it uses those names that some of the other group come near, and takes off what goes "
    "with these traits. What is left may be the group, or class, or origin, for which nothing here allows; what goes "
    "away may still reach one group more than another. Intervals are {level} %, each for itself, for other names, "
    "templates and words like these; no verdict comes from them."
)
IN_WAVES = " These names were asked about in waves: the intervals are as if nobody had looked before."
HEADINGS = (
    "system",
    "comparison",
    "gap as drawn",
    "between names alike",
    "names alike",
    "per 10 points of share",
    "within groups",
)
COLUMNS = (
    Column("system"),
    Column("comparison", wraps=True),
    Column("gap as drawn", right=True),
    Column("between names alike", right=True),
)
IN_SHORT = (
    "“Alike”: equally common, old and long. What is left may be the group, but also class or origin. Intervals are "
    "each for itself; no verdict comes from them. The page (--out) shows how the score follows what each name is like."
)
MOST_TOLD = 12
UNDEFINED = "undefined"


def asked(report: Audit) -> list[tuple[Finding, Signal]]:
    """The findings about names that the pool knows, with what was found about these."""
    known = {key_of(signal): signal for signal in report.signals}
    return [(finding, known[key_of(finding)]) for finding in report.findings if key_of(finding) in known]


def print_signals(report: Audit, console: Console) -> None:
    """A table of both gaps, where both are known, and a few sentences."""
    compared = comparison_names(report)
    names = labels(report.findings)
    both = [
        (finding, signal) for finding, signal in asked(report) if signal.adjusted is not None and not is_silent(signal)
    ]
    if both:
        cells = [
            (
                names[finding.system, finding.output],
                compared[key_of(finding)],
                _with_interval(signal.as_drawn, finding, unit=False),
                _with_interval(signal.adjusted, finding, unit=False),
            )
            for finding, signal in both[:MOST_TOLD]
            if signal.adjusted is not None
        ]
        print_table(console, COLUMNS, cells, leads=2)
        console.print(Text(IN_SHORT, style="dim"))
    for text in told(report):
        console.print(Text(f"• {text}"))


def told(report: Audit) -> list[str]:
    """What is to be read first: where a gap may rest on what names are like, and once where it cannot be told."""
    names, compared = labels(report.findings), comparison_names(report)
    reacting = [(finding, signal) for finding, signal in asked(report) if not is_silent(signal)]
    shown = [pair for pair in reacting if pair[1].adjusted is not None and is_shown(pair[1])]
    sentences = [
        f"{names[finding.system, finding.output]}, {compared[key_of(finding)]}: {in_words(finding, signal)}"
        for finding, signal in shown[:MOST_TOLD]
    ]
    if len(shown) > MOST_TOLD:
        sentences.append(f"{len(shown) - MOST_TOLD} more comparisons: on the page and in the JSON.")
    return [*sentences, *_cannot_tell(report, reacting)]


def _cannot_tell(report: Audit, reacting: Sequence[tuple[Finding, Signal]]) -> list[str]:
    """Once for all systems that were asked about the same names; in waves, some may have been asked about too few."""
    names, compared = labels(report.findings), comparison_names(report)
    everybody: dict[str, set[str]] = {}
    for finding, _ in asked(report):
        everybody.setdefault(compared[key_of(finding)], set()).add(names[finding.system, finding.output])
    told_of: dict[tuple[str, str], set[str]] = {}
    for finding, signal in asked(report):
        if signal.adjusted is None:
            why = compared[key_of(finding)], signal.undefined["adjusted"]
            told_of.setdefault(why, set()).add(names[finding.system, finding.output])
    reasons = dict.fromkeys(
        (compared[key_of(finding)], signal.undefined["adjusted"])
        for finding, signal in reacting
        if signal.adjusted is None
    )
    return [
        f"{_of_some(told_of[why], everybody[why[0]])}{why[0]}: these names cannot tell: {why[1]}." for why in reasons
    ]


def _of_some(systems: set[str], everybody: set[str]) -> str:
    return "" if systems == everybody else f"{listed(sorted(systems))}, "


def in_words(finding: Finding, signal: Signal) -> str:
    """What the gap as drawn and that between names which are alike say together, and what a stronger name does."""
    return ". ".join(part for part in (_meaning(signal), strength_in_words(finding, signal)) if part) + "."


def comparison_names(report: Audit) -> dict[tuple[str, ...], str]:
    """What each finding compares, in short."""
    return dict(zip(map(key_of, report.findings), short_comparisons(report.findings), strict=True))


def strength_in_words(finding: Finding, signal: Signal) -> str:
    """What the score does as more bearers are of the first group; empty where that is undefined."""
    if signal.strength is None:
        return ""
    every = f"With every 10 points more bearers who are {share_called(signal)}, the {_answer(finding)} changes by"
    words = f"{every} {_with_interval(signal.strength, finding)}"
    within = signal.strength_within_adjusted or signal.strength_within
    return words if within is None else f"{words}; among names of one group, by {_with_interval(within, finding)}"


def share_called(signal: Signal) -> str:
    """What the pool calls the first group: `Black`, `female`."""
    pool = load_pool(POOL)
    attribute = share_in(pool, signal.first)
    return str(pool.called(attribute, signal.first)) if attribute else signal.first


def reading(report: Audit) -> str:
    """How to read the table and the pictures."""
    looks = any(finding.sequential is not None for finding, _ in asked(report))
    return READING.format(level=f"{100 * report.signals[0].level:g}") + (IN_WAVES if looks else "")


def rows(report: Audit) -> list[tuple[str, ...]]:
    """A row for each comparison of names."""
    names, compared = labels(report.findings), comparison_names(report)
    return [
        (
            names[finding.system, finding.output],
            compared[key_of(finding)],
            _with_interval(signal.as_drawn, finding, unit=False),
            _with_interval(signal.adjusted, finding, unit=False),
            f"{signal.first_alike} of {signal.first_names}, {signal.second_alike} of {signal.second_names}",
            _with_interval(signal.strength, finding, unit=False),
            _with_interval(signal.strength_within_adjusted or signal.strength_within, finding, unit=False),
        )
        for finding, signal in asked(report)
    ]


def trait_rows(report: Audit) -> list[tuple[str, ...]]:
    """A row for each comparison and trait: what the groups are like, and what the trait does within groups."""
    names, compared = labels(report.findings), comparison_names(report)
    return [
        (
            names[finding.system, finding.output],
            compared[key_of(finding)],
            trait.trait.replace("_", " "),
            _trait_mean(trait.trait, trait.first_mean),
            _trait_mean(trait.trait, trait.second_mean),
            UNDEFINED if trait.apart is None else f"{trait.apart:.2f}".replace("-", "−"),
            trait.per,
            *_cells(trait.slope, finding),
        )
        for finding, signal in asked(report)
        for trait in signal.traits
    ]


def shown_at_once(report: Audit, *, drawn: Sequence[str]) -> dict[str, Any] | None:
    """What the page says without a script; None where no names are compared that the pool knows.

    `drawn` are the titles of the charts that there are.
    """
    if not asked(report):
        return None
    return {
        "heading": HEADING,
        "reading": reading(report),
        "sentences": told(report),
        "headings": HEADINGS,
        "rows": rows(report),
        "traits": trait_rows(report),
        "drawn": drawn,
    }


def name_table(report: Audit) -> list[dict[str, Any]]:
    """A row for each name in each comparison, for a spreadsheet."""
    if report.scores is None or report.corpus is None:
        return []
    found = []
    for scores, corpus in by_sentences(report.scores, report.corpus):
        systems = {column.system for column in scores.columns}
        mine = [one for one in report.findings if one.system in systems]
        points = name_points(mine, scores, corpus)
        for finding in mine:
            for one in points.get(key_of(finding), ()):
                found.append(
                    {
                        "system": finding.system,
                        "output": finding.output,
                        "attribute": finding.attribute,
                        "subset": finding.subset,
                        "name": one.name,
                        "group": finding.first if one.first else finding.second,
                        "share_of": finding.first,
                        "share": one.share,
                        "bearers": one.bearers,
                        "birth_year": one.birth_year,
                        "length": one.length,
                        "pieces": one.pieces,
                        "difference": one.difference,
                    }
                )
    return found


def is_silent(signal: Signal) -> bool:
    """Whether no name makes any difference."""
    return signal.as_drawn.value == 0 and signal.as_drawn.interval is None


def is_shown(signal: Signal) -> bool:
    """Whether a gap is shown between these names, or between those that are alike."""
    return bool(_sign(signal.as_drawn) or _sign(signal.adjusted))


def _alike(signal: Signal) -> str:
    known = {"bearers": "common", "birth_year": "old", "length": "long"}
    words = listed([known[trait] for trait in signal.adjusted_for if trait in known])
    return f"{words} and cut into as many pieces" if PIECES in signal.adjusted_for else words


def _meaning(signal: Signal) -> str:
    """What both gaps say together; neither is a verdict."""
    drawn, alike = _sign(signal.as_drawn), _sign(signal.adjusted)
    names = f"names equally {_alike(signal)}"
    if drawn is None or alike is None:
        return "all names of a group are treated alike, so that nobody can tell what others would do"
    if not drawn:
        return (
            f"a gap shows only between {names}"
            if alike
            else f"no gap is shown, nor between {names}, and none is ruled out"
        )
    if not alike:
        return f"between {names}, the gap cannot be told from none"
    return f"a gap is left between {names}" if drawn == alike else f"between {names}, the gap is the other way round"


def _sign(effect: Effect | None) -> int | None:
    """1 and −1 for what lies beyond its interval's reach of zero, 0 for what does not; None if that is unknown."""
    if effect is None or effect.interval is None:
        return None
    low, high = effect.interval
    return 1 if low > 0 else -1 if high < 0 else 0


def _with_interval(effect: Effect | None, finding: Finding, *, unit: bool = True) -> str:
    if effect is None:
        return UNDEFINED
    value = (measured if unit else amount)(effect.value, finding)
    if effect.interval is None:
        return value
    low, high = (amount(end, finding) for end in effect.interval)
    return f"{value} ({low} to {high})"


def _answer(finding: Finding) -> str:
    return "recall" if finding.of_tagger else "score"


def _cells(effect: Effect | None, finding: Finding) -> tuple[str, str]:
    if effect is None:
        return UNDEFINED, UNDEFINED
    interval = UNDEFINED if effect.interval is None else " to ".join(amount(end, finding) for end in effect.interval)
    return amount(effect.value, finding), interval


def _trait_mean(trait: str, mean: float) -> str:
    return {"bearers": f"{mean:,.0f}", "birth_year": f"{mean:.0f}"}.get(trait, f"{mean:.2f}")
