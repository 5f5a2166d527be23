"""Many tests at once: adjusted p-values and the threshold that they imply for a raw p."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.stats.types import Floats


def bonferroni(p: Floats) -> Floats:
    """Times the number of tests, capped at 1.

    >>> bonferroni(np.array([0.01, 0.04, 0.5])).round(2).tolist()
    [0.03, 0.12, 1.0]
    """
    return np.minimum(1.0, p * len(p))


def holm(p: Floats) -> Floats:
    """Step-down Bonferroni; keeps the order of the raw p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """Controls the share of false findings among the findings.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy import stats  # half of the start-up time of everything else

    return np.asarray(stats.false_discovery_control(p, method="bh"), dtype=np.float64)


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": lambda p: p,
}


def raw_threshold(p: Floats, *, alpha: float, method: str) -> float:
    """The raw p below which a further test would count as significant beside this family.

    >>> raw_threshold(np.array([0.001, 0.5, 0.6, 0.7]), alpha=0.05, method="bonferroni")
    0.0125
    """
    n = max(len(p), 1)
    if method == "none":
        return alpha
    if method == "bonferroni":
        return alpha / n
    rejected = int((CORRECTIONS[method](p) < alpha).sum())
    return alpha / max(n - rejected, 1) if method == "holm" else alpha * max(rejected, 1) / n


def kept_threshold(p: Floats, *, alpha: float, method: str) -> float:
    """The raw p below which one that is significant in this family would still be, the others as they are.

    >>> kept_threshold(np.array([0.001, 0.5, 0.6, 0.7]), alpha=0.05, method="holm")
    0.0125
    """
    if method != "holm":
        return raw_threshold(p, alpha=alpha, method=method)
    rejected = int((holm(p) < alpha).sum())
    return alpha / (max(len(p), 1) - max(rejected - 1, 0))
