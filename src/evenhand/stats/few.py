"""Where few react and most do not: how many might, and what their gap could be then."""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

FAR_OUT = 10.0
"""Who lies farther from the median of their stratum than so many median distances reacts; about 7 standard deviations,
where persons vary as a normal distribution does, so that nobody there does."""


def few_reactions_bound(
    estimate: Floats,
    unit_means: Floats,
    *,
    stratum: Ints,
    coefficients: Floats,
    asked: Bools,
    scale: Floats,
    alpha: float,
) -> Floats:
    """How large the gap may be (one-sided, at `alpha`) if those who react do so as far as the farthest, one number per
    column; 0 where nobody stands out.

    Of 320 names one reacts, by the whole range: by its standard deviation the gap is 0.3 % with a standard error of
    0.3 %, but up to 1.5 % of all names may react like it. So each side's share of those who react has the exact upper
    bound of Clopper and Pearson (1934), and the gap is the estimate plus what that exceeds the seen share by; two sides
    are put together by their squares. Only units with `asked` are counted. A side on which nobody reacts says nothing
    here: what may be unseen there is another question.

    >>> means = np.array([[0.5]] * 319 + [[1.5]] + [[0.5]] * 320)
    >>> few_reactions_bound(
    ...     means[:320].mean(axis=0) - 0.5, means, stratum=np.repeat([0, 1], 320), coefficients=np.array([1.0, -1.0]),
    ...     asked=np.ones(640, dtype=bool), scale=np.ones(1), alpha=0.05,
    ... ).round(4)  # fmt: skip
    array([0.0147])
    """
    away = np.zeros_like(unit_means)
    for number in range(len(coefficients)):
        members = stratum == number
        if members.any():
            away[members] = np.abs(unit_means[members] - np.median(unit_means[members], axis=0))
    excess = np.zeros(unit_means.shape[1])
    for side in (1, -1):
        members = asked & (coefficients[stratum] * side > 0)
        if not members.any():
            continue
        usual = np.median(away[members], axis=0)
        reacts = away[members] > np.maximum(FAR_OUT * usual, ROUNDING * scale)
        seen, number = reacts.sum(axis=0), int(members.sum())
        most = special.betaincinv(seen + 1.0, np.maximum(number - seen, 1), 1 - alpha)
        farthest = np.where(reacts, away[members], 0.0).max(axis=0)
        weight = float(np.abs(coefficients[np.unique(stratum[members])]).sum())
        excess += (weight * farthest * (most - seen / number)) ** 2
    return np.where(excess > 0, np.abs(estimate) + np.sqrt(excess), 0.0)
