"""Ratings for reading in a terminal: both orders, how sure each level is, and the answers to the paper's questions."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.rating import Rating, Ratings
from evenhand.rating.questions import Answer
from evenhand.report.ratings.words import X, in_words, level_text, order_text, questions_of, score_text, where

SCORES = {
    "rejection": "the weighted rejection score: pairs of classes whose means differ, each level with its weight",
    "deconfounding": "the largest impact of deconfounding: by how many per cent of itself the mean sentiment for an "
    "emotion moves once {adjusted_for} is adjusted for; X: from 0 to something else, worse than any number",
}
LEVELS = "Levels go from 1, the least biased of these, to {levels}. They compare systems; a level never means “fair”."
LEVELS_ALONE = "A system that is rated alone gets level 1 for a score of 0, else {levels}; a level never means “fair”."
PARTIAL_MARK = "*"
MOST = 12
"""Answers to a question; of more, those are shown that say something."""


def print_ratings(report: Ratings, console: Console) -> None:
    """The orders of all ratings, then each system's score with its uncertainty, and what to keep in mind."""
    console.print(_orders(report))
    for result in report.results:
        console.print()
        console.print(Text(where(result), style="bold"))
        console.print(_systems(result))
        for line in _remarks(result):
            console.print(Text(line, style="dim"))
    console.print()
    overall = ", ".join(f"{system}: {level_text(level)}" for system, level in report.overall.items())
    translated = {result.via is not None for result in report.results}
    of = "texts that were not translated" if len(translated) > 1 else "all of the above"
    console.print(Text(f"Overall ({report.settings.overall} level on {of}): {overall}"))
    for line in _reading(report):
        console.print(Text(line, style="dim"))


def _orders(report: Ratings) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("data", "group", "partial order", "complete order"):
        table.add_column(heading, overflow="fold")
    for result in report.results:
        data = " ".join(part for part in (result.data, result.via and f"via {result.via}") if part)
        group = ", ".join(part for part in (result.group, result.attribute) if part)
        partial = "{" + ", ".join(f"{name}: {score_text(score)}" for name, score in result.partial_order) + "}"
        complete = "{" + order_text(result) + "}"
        table.add_row(Text(data), Text(group), Text(partial), Text(complete))
    return table


def _systems(result: Rating) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    headings = ["system", "raw score"]
    if result.uncertainty is not None:
        headings += ["95 % of draws", "level", "levels 1, 2 … in draws", "tied with"]
    else:
        headings.append("level")
    for heading in headings:
        table.add_column(heading, justify="right" if heading == "raw score" else "left", overflow="fold")
    in_order = [name for name, _ in result.partial_order]
    for name in [*in_order, *(name for name in result.raw if name not in in_order)]:
        mark = PARTIAL_MARK if name in result.partial else ""
        row = [name, score_text(result.raw[name]) + mark]
        level = level_text(result.ratings[name])
        table.add_row(*map(Text, row + ([level] if result.uncertainty is None else _unsure(result, name, level))))
    return table


def _unsure(result: Rating, name: str, level: str) -> list[str]:
    found = result.uncertainty
    if found is None:
        return [level]
    low, high = (X if end is None else score_text(end) for end in found.intervals[name])
    shares = " ".join(f"{share:.0%}" for share in found.levels[name])
    tied = [other for pair in found.tied if name in pair for other in pair if other != name]
    return [f"{low} to {high}", level, shares, ", ".join(tied)]


def _remarks(result: Rating) -> Iterator[str]:
    """What is true of this rating alone."""
    if result.expected is not None:
        yield f"A fair system whose answers vary by chance would get about {score_text(result.expected)}, not 0."
    if result.partial:
        yield f"{PARTIAL_MARK} partial: rated by what is defined. {_unmet(result)}"
    for name, reason in result.undefined.items():
        yield f"{name}: {reason}."
    for note in result.uncertainty.notes if result.uncertainty else ():
        yield f"{note[:1].upper()}{note[1:]}."


def _reading(report: Ratings) -> Iterator[str]:
    """How to read all of them."""
    said = (SCORES[result.method].format(adjusted_for=" and ".join(result.adjusted_for)) for result in report.results)
    yield from (f"Raw score: {text}." for text in dict.fromkeys(said))
    found = [result.uncertainty for result in report.results if result.uncertainty is not None]
    if found:
        over = ", or ".join(dict.fromkeys(one.over for one in found))
        yield (
            f"Uncertainty from {found[0].replicates:,} draws of {over}; systems are tied unless one scores lower in "
            "97.5 % of them. Draws add chance to chance, so their scores tend to be higher."
        )
    yield (LEVELS if len(report.systems) > 1 else LEVELS_ALONE).format(levels=report.settings.levels)


def _unmet(result: Rating) -> str:
    reasons = {
        f"{dataset}: {cell.undefined}"
        for by_dataset in result.impact.values()
        for dataset, cells in by_dataset.items()
        for cell in cells.values()
        if cell.adjusted is None
    }
    return "; ".join(sorted(reasons)) + "."


def print_answers(ratings: Ratings, console: Console) -> None:
    """Each question with its answers, or what it would need; then what was left out."""
    for one in questions_of(ratings):
        console.print()
        console.print(Text(f"{one.text} {one.short}", style="bold"))
        shown = one.answers if len(one.answers) <= MOST else list(filter(_worth_showing, one.answers))
        for answer in shown:
            console.print(Text(f"  {in_words(answer)}"))
        if len(shown) < len(one.answers):
            more = len(one.answers) - len(shown)
            console.print(Text(f"  ({more} more; --json and --out have them all)", style="dim"))
    if ratings.notes:
        console.print()
    for note in ratings.notes:
        console.print(Text(f"{note}."))


def _worth_showing(answer: Answer) -> bool:
    return answer.change is None or (answer.interval is not None and (answer.interval[0] > 0 or answer.interval[1] < 0))
