"""How much larger one gap is than another, whichever group scores higher: |b| − |a| with an interval.

With the difference D = b − a and the sum S = b + a, |b| − |a| is the smaller of |D| and |S|, with the sign of D·S:
above zero exactly where both have the same sign. So the interval comes from those of D and S, each from the same
generalising test: it holds whatever their box allows. It lies above zero where both are shown to lie on the same side
of zero, and that happens by chance no more often than either of them is wrong.
"""

from __future__ import annotations

from scipy import special

from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.settings import Settings


def growth(difference: Finding, total: Finding, settings: Settings) -> tuple[float | None, Interval | None]:
    """|b| − |a| and its interval; None where one of the two tests has none.

    >>> of_box((0.01, 0.03), (0.05, 0.09)), of_box((-0.08, -0.04), (-0.01, 0.02))
    ((0.01, 0.03), (-0.02, 0.01))
    """
    one, other = difference.generalising.estimate, total.generalising.estimate
    if one is None or other is None:
        return None, None
    ends, of_sum = _interval(difference, settings), _interval(total, settings)
    box = None if ends is None or of_sum is None else of_box(ends, of_sum)
    return of_box((one, one), (other, other))[0], box


def of_box(difference: Interval, total: Interval) -> Interval:
    """The least and the largest that |b| − |a| can be where D and S lie in these intervals."""
    (low, high), (least, most) = difference, total
    return -max(min(-low, most), min(high, -least)), max(min(high, most), min(-low, -least))


def _interval(finding: Finding, settings: Settings) -> Interval | None:
    """The interval at the level of the test (for `holm` and `bh`, a wider one), whatever the verdict was taken from."""
    general = finding.generalising
    if general.interval is None or general.estimate is None or general.standard_error is None:
        return None
    if not general.standard_error or general.df is None:
        return (general.estimate, general.estimate) if general.significant else None
    level = settings.alpha / (1 if settings.correction == "none" else general.comparisons)
    margin = float(special.stdtrit(general.df, 1 - level / 2)) * general.standard_error
    return general.estimate - margin, general.estimate + margin
