"""Numbers of findings as they are written: gaps in the output's own units, intervals, p-values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.comparing.findings import Finding


def number(value: float, *, span: float = 1.0) -> str:
    """A number with as many decimals as its scale deserves, and a real minus sign.

    >>> number(-0.01234), number(1.5, span=10), number(0.0), number(0.00011), number(1e-9)
    ('−0.012', '1.50', '0.000', '0.0001', '0.000')
    """
    decimals = 3 if span <= 2 else 2
    shown = f"{value:.{decimals}f}"
    if float(shown) == 0 and value != 0:
        # One digit more than nothing, if it is worth a look.
        finer = f"{float(f'{value:.1g}'):.{decimals + 2}f}".rstrip("0")
        shown = finer if float(finer) != 0 else f"{0:.{decimals}f}"
    return shown.replace("-", "−")


def amount(value: float, finding: Finding) -> str:
    """A gap or a score of a finding: in percentage points where it is how often something is found."""
    return (
        f"{100 * value:.1f}".replace("-0.0", "0.0").replace("-", "−")
        if finding.of_tagger
        else number(value, span=finding.span)
    )


def measured(value: float, finding: Finding) -> str:
    """The same with its unit, where it has one."""
    return f"{amount(value, finding)} points" if finding.of_tagger else amount(value, finding)


def interval_of(finding: Finding) -> str:
    """The interval for people like these, without its unit."""
    interval = finding.generalising.shown_interval
    return "undefined" if interval is None else " to ".join(amount(end, finding) for end in interval)


def shown_p(p: float) -> str:
    """
    >>> shown_p(1e-89), shown_p(0.0412)
    ('< 0.001', '0.041')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def level_percent(alpha: float) -> str:
    """The level of an interval, to the digit that matters.

    >>> [level_percent(alpha).split() for alpha in (0.05, 0.025, 0.05 / 3)]
    [['95', '%'], ['97.5', '%'], ['98.3', '%']]
    """
    return f"{100 * (1 - alpha):.3g}\N{NO-BREAK SPACE}%"


def interval_levels(findings: Iterable[Finding]) -> str:
    """From which level to which the intervals are, except beside “equivalent”; empty where there are no others."""
    shown = (one.generalising.shown_level for one in findings if one.verdict != "equivalent")
    levels = sorted({level for level in shown if level is not None})
    return " to ".join(dict.fromkeys(level_percent(1 - level) for level in (*levels[:1], *levels[-1:])))


def short_p(finding: Finding) -> str:
    """The published test's adjusted p, or that there is nothing to test."""
    return "identical" if finding.direction == "none" and finding.delta_spread == 0 else shown_p(finding.p_adjusted)


def from_to(sorted_numbers: Sequence[str]) -> str:
    low, high = sorted_numbers[0], sorted_numbers[-1]
    return low if low == high else f"{low} to {high}"
