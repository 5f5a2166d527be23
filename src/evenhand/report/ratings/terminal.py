"""Ratings for reading in a terminal: both orders, how sure each level is, and the answers to the paper's questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from evenhand.rating import Rating, Ratings
from evenhand.rating.questions import Answer
from evenhand.report.common.console import Column, print_table
from evenhand.report.ratings.supplement import side_by_side
from evenhand.report.ratings.words import (
    EXPECTED,
    LEVELS,
    UNDEFINED,
    X,
    among_text,
    expected_text,
    in_words,
    level_text,
    overall_text,
    p_text,
    questions_of,
    relabelled_in_words,
    score_text,
    where,
)

SCORES = {
    "rejection": "the weighted rejection score: how many pairs of groups have different means, each confidence level "
    "with its weight",
    "deconfounding": "the largest impact of deconfounding: by how many per cent the mean sentiment for an "
    "emotion changes once {adjusted_for} is adjusted for; X: from 0 to something else, worse than any number",
}
PARTIAL_MARK = "*"
MOST = 12
"""Answers to a question; of more, those are shown that say something."""


def print_ratings(report: Ratings, console: Console) -> None:
    """Overall levels, the orders of all ratings, each system's score with its uncertainty, and what to keep in mind."""
    _print_overall(report, console)
    _print_orders(report, console)
    _print_side_by_side(report, console)
    of_several = _said_of(report.results)
    for result in report.results:
        console.print()
        _print_systems(result, console)
        for line in _remarks(result):
            if line not in of_several:
                console.print(Text(line, style="dim"))
    if of_several:
        console.print()
    for line, places in of_several.items():
        every = len(places) == len(report.results)
        console.print(Text(f"{'All' if every else '; '.join(places)}: {line}", style="dim"))
    console.print()
    for line in _reading(report):
        console.print(Text(line, style="dim"))


def _print_overall(report: Ratings, console: Console) -> None:
    overall = ", ".join(f"{system}: {overall_text(report, system)}" for system in report.systems)
    translated = {result.via is not None for result in report.results}
    of = "texts that were not translated" if len(translated) > 1 else "all of the data below"
    console.print(Text(f"Overall ({report.settings.overall} level on {of}): {overall}"))
    console.print()


def _print_orders(report: Ratings, console: Console) -> None:
    if len(report.systems) < 2:
        return
    orders = [Column(heading, wraps=True) for heading in ("raw scores (partial order)", "complete order among these")]
    print_table(
        console, [Column("data"), Column("group"), *orders], [_order(result) for result in report.results], leads=2
    )


def _print_side_by_side(report: Ratings, console: Console) -> None:
    found = side_by_side(report)
    if found is None:
        return
    console.print()
    columns = [Column("data", wraps=True), *(Column(name) for name in found.headings[1:])]
    print_table(console, columns, found.rows, title=found.title, leads=2)


def _order(result: Rating) -> tuple[str, ...]:
    data = " ".join(part for part in (result.data, result.via and f"via {result.via}") if part)
    group = ", ".join(part for part in (result.group, result.attribute) if part)
    partial = ", ".join(f"{name}: {score_text(score)}" for name, score in result.partial_order) or UNDEFINED
    return data, group, f"{{{partial}}}", f"{{{among_text(result)}}}"


def _print_systems(result: Rating, console: Console) -> None:
    columns = [Column("system"), Column("raw score", right=True)]
    columns += [Column("expected")] if result.method == "rejection" else []
    columns += [Column("p", right=True), Column("level")]
    found = result.uncertainty
    columns += [] if found is None else [Column("95 % of draws")]
    columns += [Column("levels 1, 2 … in draws")] if found is not None and found.any_shares else []
    columns += [Column("tied with", wraps=True)] if found is not None and found.tied else []
    in_order = [name for name, _ in result.partial_order]
    names = [*in_order, *(name for name in result.raw if name not in in_order)]
    print_table(console, columns, [_system(result, name) for name in names], title=where(result))


def _system(result: Rating, name: str) -> tuple[str, ...]:
    mark = PARTIAL_MARK if name in result.partial else ""
    relabelled = result.expected_by_system.get(name)
    expected = [expected_text(relabelled)] if result.method == "rejection" else []
    level = level_text(result.ratings[name])
    return (
        name,
        score_text(result.raw[name]) + mark,
        *expected,
        p_text(relabelled),
        level,
        *_unsure(result, name),
    )


def _unsure(result: Rating, name: str) -> list[str]:
    found = result.uncertainty
    if found is None:
        return []
    low, high = (X if end is None else score_text(end) for end in found.intervals[name])
    cells = [f"{low} to {high}"]
    if found.any_shares:
        cells.append(" ".join(f"{share:.0%}" for share in found.shares(name)) or "not known")
    if found.tied:
        cells.append(", ".join(other for pair in found.tied if name in pair for other in pair if other != name))
    return cells


def _said_of(results: Sequence[Rating]) -> dict[str, list[str]]:
    """What is true of several ratings, and of which: it is said once."""
    places: dict[str, list[str]] = {}
    for result in results:
        for line in _remarks(result):
            places.setdefault(line, []).append(where(result))
    return {line: found for line, found in places.items() if len(found) > 1}


def _remarks(result: Rating) -> Iterator[str]:
    """What is true of this rating alone."""
    yield from relabelled_in_words(result)
    if result.partial:
        yield f"{PARTIAL_MARK} partial: rated by what is defined. {_unmet(result)}"
    for name, reason in result.undefined.items():
        yield f"{name}: {reason}."
    for name, reason in result.no_level.items():
        yield f"{name} has no level: {reason}."
    for note in result.uncertainty.notes if result.uncertainty else ():
        yield f"{note[:1].upper()}{note[1:]}."


def _reading(report: Ratings) -> Iterator[str]:
    """How to read all of them."""
    for method in dict.fromkeys(result.method for result in report.results):
        of_method = (" and ".join(result.adjusted_for) for result in report.results if result.method == method)
        yield f"Raw score: {SCORES[method].format(adjusted_for=' or '.join(dict.fromkeys(of_method)))}."
    found = [result.uncertainty for result in report.results if result.uncertainty is not None]
    if found:
        over = ", or ".join(dict.fromkeys(one.over for one in found))
        yield (
            f"Uncertainty from {found[0].replicates:,} draws of {over}; systems are tied unless one scores lower in "
            "97.5 % of them. Drawing adds noise of its own, so scores in draws tend to be higher."
        )
    if any(result.method == "rejection" for result in report.results):
        yield EXPECTED
    yield LEVELS.format(levels=report.settings.levels)
    if len(report.systems) > 1:
        yield (
            "Complete order, as in the paper: the distinct scores of these systems, split into "
            f"{report.settings.levels} parts. It changes with the systems at hand; levels do not."
        )


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
            console.print(Text(f"  ({more} more, in the JSON and on the page)", style="dim"))
    if ratings.notes:
        console.print()
    for note in ratings.notes:
        console.print(Text(f"{note}."))


def _worth_showing(answer: Answer) -> bool:
    return answer.change is None or (answer.interval is not None and (answer.interval[0] > 0 or answer.interval[1] < 0))
