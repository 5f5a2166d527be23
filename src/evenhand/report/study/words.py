"""A study in words: what its groups are called, and what the paper says about its systems, said of these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from evenhand.files.task_files import DIMENSIONS
from evenhand.report.audit.amounts import number
from evenhand.studies import Problem, Study
from evenhand.studies.statements import Statement
from evenhand.studies.tables import ALL, UNDEFINED, Table

PUBLISHED = "as published"
GENERAL = "for names like these"
VARIES = re.compile(rf"-?\d[\d,.]*|\b(?:{'|'.join(DIMENSIONS)})\b")
SUBSETS = {
    "all": "all sentences",
    "neutral": "neutral sentences",
    "own words": "sentences with the dimension's own words",
}


def group_name(table: Table, group: str) -> str:
    """What a row of the table is called."""
    return {
        "not_significant": "no significant difference",
        "first_higher": f"{table.first_label} higher",
        "second_higher": f"{table.second_label} higher",
        UNDEFINED: "undefined",
        ALL: "all",
    }[group]


def sides(table: Table) -> str:
    """`women − men`, as the corpus calls them."""
    return f"{table.first_label} − {table.second_label}"


def table_title(table: Table) -> str:
    """`Gender: women − men, neutral sentences (44 comparisons per submission)`."""
    lead = f"{table.attribute[:1].upper()}{table.attribute[1:]}"
    where = SUBSETS.get(table.subset, table.subset)
    return f"{lead}: {sides(table)}, {where} ({_sizes(table)} comparisons per submission)"


def _sizes(table: Table) -> str:
    """The number of comparisons, or from which to which, as the dimension's own words may be more or fewer."""
    fewest, most = min(table.n.values(), default=0), max(table.n.values(), default=0)
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def counted(number: int, what: str = "submission") -> str:
    """
    >>> counted(1), counted(2, "system")
    ('1 submission', '2 systems')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def in_words(statement: Statement, table: Table) -> str:
    """A paragraph about one attribute and one dimension."""
    return f"{at_first(statement, table)} {beyond(statement)}"


def at_first(statement: Statement, table: Table) -> str:
    """How many show a gap, for the people tested and for people like these."""
    return f"{_significant(statement, table)} {_in_general(statement, table)}"


def beyond(statement: Statement) -> str:
    """Conditions, spreads and extremes."""
    parts = (_unless(statement), _too_weak(statement), _spread(statement), _largest(statement), _top(statement))
    return " ".join(part for part in parts if part)


def in_short(study: Study) -> str:
    """How many submissions show a significant difference by what, in one line."""
    shares = [f"{one.attribute} {one.significant}" for one in summary(study.statements)]
    return f"{counted(len(study.submissions))}; with a significant difference by {', '.join(shares)}"


def summary(statements: Sequence[Statement]) -> list[Statement]:
    """The statements about all dimensions together, or those about the only one."""
    everything = [one for one in statements if one.dimension is None]
    return everything or list(statements)


def _significant(one: Statement, table: Table) -> str:
    share = f"{one.significant} of {counted(one.submissions)} ({one.share_significant:.0%})"
    if one.significant == 0:
        return f"None of {counted(one.submissions)} shows a significant difference for the people tested."
    show, score = ("shows", "scores") if one.significant == 1 else ("show", "score")
    sides = ((one.first_higher, table.first_label), (one.second_higher, table.second_label))
    return (
        f"{share} {show} a significant difference for the people tested: "
        f"{' and '.join(f'{number} {score} {group} higher' for number, group in sides)}."
    )


def _in_general(one: Statement, table: Table) -> str:
    return (
        f"For people like these: {table.first_label} higher {one.higher}, {table.second_label} higher {one.lower}, "
        f"equivalent within the tolerance {one.equivalent}, no reaction seen {one.no_reaction_seen}, "
        f"cannot tell {one.cannot_tell}."
    )


def _unless(one: Statement) -> str:
    """What would undo an equivalence; studies saved by earlier versions do not say it."""
    if one.unseen_share is None or one.unseen_reaction is None:
        return ""
    return (
        f"Each “equivalent” holds unless other people (up to {100 * one.unseen_share:.0f} %) react more than those "
        f"tested, by {100 * one.unseen_reaction:.1f} % of the range or more."
    )


def _too_weak(one: Statement) -> str:
    """How many of those without a gap say little, because they do not do their job."""
    if not one.says_little:
        return ""
    fail = "does not do its job" if one.says_little == 1 else "do not do their job"
    return f"Of those that are equivalent or without a reaction, {one.says_little} {fail}, so this says little of them."


def _spread(one: Statement) -> str:
    ends = f"{number(one.smallest_spread)} to {number(one.largest_spread)}"
    return f"Δ-spreads range from {ends} (median {number(one.median_spread)})."


def _largest(one: Statement) -> str:
    size = number(one.largest_difference)
    largest = f"The largest difference in one comparison is {size} ({one.largest_difference_of})"
    if one.largest_mean is None:
        return f"{largest}."
    return f"{largest}; mean differences of those that are significant reach {number(one.largest_mean)}."


def _top(one: Statement) -> str:
    if one.top is None or one.top_not_significant is None:
        return ""
    show = "shows" if one.top_not_significant == 1 else "show"
    return f"Of the best {one.top} by rank, {one.top_not_significant} {show} no significant difference."


def best_in_words(statements: Sequence[Statement], attribute: str) -> str:
    """How many of each dimension's best show no significant difference, in one line; empty without ranks."""
    ranked = [one for one in statements if one.attribute == attribute and one.dimension and one.top is not None]
    shown = ", ".join(f"{one.dimension} {one.top_not_significant} of {one.top}" for one in ranked)
    return f"No significant difference among the best by rank: {shown}." if shown else ""


def problem_in_words(problem: Problem, more: int = 0) -> str:
    """What is to be said about a file, and about so many more of the same system."""
    others = f" and {more} more of {problem.system}" if more else ""
    return f"{'left out' if problem.left_out else 'note'}: {problem.file}{others}: {problem.message}"


def problems_in_words(problems: Sequence[Problem]) -> list[str]:
    """A line for each kind of problem that files of a system have: the first of them, and how many more have it."""
    alike = Counter(map(_kind, problems))
    firsts = {_kind(one): one for one in reversed(problems)}
    return [problem_in_words(firsts[kind], count - 1) for kind, count in alike.items()]


def _kind(problem: Problem) -> tuple[str, bool, str]:
    """What is alike of problems that differ in the dimension and in numbers."""
    return problem.system, problem.left_out, VARIES.sub("…", problem.message)
