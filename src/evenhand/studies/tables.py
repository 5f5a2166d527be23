"""Studies of many systems: the published tables, which sort submissions into groups by what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from evenhand.comparing.findings import Finding
from evenhand.files.plain import rebuild

Group = Literal["not_significant", "first_higher", "second_higher", "undefined"]
GROUPS: tuple[Group, ...] = ("not_significant", "first_higher", "second_higher")
UNDEFINED: Group = "undefined"
"""Where the generalising test has no answer; a row of its own, and only where it is needed."""
ALL = "all"
COMPARISON = ("attribute", "first", "second", "subset", "n", "not_there", "first_label", "second_label")


@dataclass(frozen=True)
class Row:
    """A group of submissions.

    Each submission's positive differences are averaged first, and these averages then over the submissions (of those
    that have a positive difference at all); negative ones likewise. None where no submission has any.
    """

    submissions: int
    mean_positive: float | None
    mean_negative: float | None
    equivalent: int
    """How many of them are shown to lie within the tolerance, in general."""

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> Row:
        """Sum up the findings of a group."""
        return cls(
            len(findings),
            _mean(finding.mean_positive for finding in findings),
            _mean(finding.mean_negative for finding in findings),
            sum(finding.verdict == "equivalent" for finding in findings),
        )


@dataclass(frozen=True)
class Table:
    """One comparison for all submissions: by dimension, the groups and their rows; `all` comes last."""

    name: str
    attribute: str
    first: str
    second: str
    subset: str
    n: Mapping[str, int]
    """By dimension: how many differences each submission is judged by."""
    rows: Mapping[str, Mapping[str, Row]]
    corrections: Mapping[str, Mapping[str, Mapping[str, int]]]
    """By other corrections: how many submissions each group would have."""
    not_there: Mapping[str, str]
    """Dimensions without rows, and why."""
    first_label: str
    second_label: str

    def to_dict(self) -> dict[str, Any]:
        """Every cell, by dimension and group, as in the paper."""
        return {d: {group: asdict(row) for group, row in rows.items()} for d, rows in self.rows.items()}

    def comparison(self) -> dict[str, Any]:
        """What is compared, which is the same by either test."""
        return {name: getattr(self, name) for name in COMPARISON}

    @classmethod
    def from_dict(
        cls, name: str, cells: Mapping[str, Any], comparison: Mapping[str, Any], corrections: Mapping[str, Any]
    ) -> Self:
        """Rebuild it from its cells, what it compares, and the counts by other corrections."""
        return rebuild(cls, {"name": name, "rows": cells, "corrections": corrections, **comparison})


def published_group(finding: Finding) -> Group:
    """The group by the published test."""
    return direction(finding.mean_difference, significant=finding.significant)


def general_group(finding: Finding) -> Group:
    """The group by the generalising test, corrected for all systems of the study: it selects among them.

    A gap that is shown to be too small to matter, or whose verdict was withheld, is not one to count.
    """
    general = finding.generalising
    if general.significant_in_study is None or general.estimate is None:
        return UNDEFINED
    stands = finding.withheld is None and finding.verdict != "equivalent"
    return direction(general.estimate, significant=stands and general.significant_in_study)


def direction(gap: float, *, significant: bool) -> Group:
    """
    >>> direction(-0.1, significant=True), direction(-0.1, significant=False)
    ('second_higher', 'not_significant')
    """
    if not significant:
        return "not_significant"
    return "first_higher" if gap > 0 else "second_higher"


def grouped(
    findings: Mapping[str, Sequence[Finding]], group_of: Callable[[Finding], Group]
) -> dict[str, dict[str, Row]]:
    """By dimension, the rows of the groups, and of all."""
    return {dimension: _rows(members, group_of) for dimension, members in findings.items()}


def _rows(members: Sequence[Finding], group_of: Callable[[Finding], Group]) -> dict[str, Row]:
    groups = [group_of(finding) for finding in members]
    shown: list[Group] = [*GROUPS, *([UNDEFINED] if UNDEFINED in groups else [])]
    rows: dict[str, Row] = {
        name: Row.of([finding for finding, group in zip(members, groups, strict=True) if group == name])
        for name in shown
    }
    return {**rows, ALL: Row.of(members)}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
