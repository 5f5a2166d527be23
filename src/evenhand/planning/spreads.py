"""How much scores vary, and by what: read from what people type, or estimated from a pilot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy import special

from evenhand.comparing.general import general_gap, scale_of
from evenhand.contrasts import Contrast, Floats, Ints
from evenhand.errors import UsageError, did_you_mean
from evenhand.stats.types import ROUNDING

CAUTION = 0.8
"""How sure the bound is up to which names may vary more than a pilot saw."""


@dataclass(frozen=True)
class Spreads:
    """Standard deviations, as shares of the range."""

    names: float = 0.0
    """Between the names of one race and gender."""
    noise: float = 0.0
    """Of single answers, which have nothing to do with the name or the template alone."""
    name_template: float = 0.0
    """Of a name's reaction from template to template."""
    template: float = 0.0
    """Of the gap from template to template, whatever the names."""
    word: float = 0.0
    """Of the gap from word to word, whatever the names."""

    @property
    def is_flat(self) -> bool:
        """Whether nothing about names varies: then there is nothing to plan from."""
        return not (self.names or self.noise or self.name_template)


SPREADS = tuple(field.name.replace("_", "-") for field in fields(Spreads))
"""What the spreads are called where people type them."""


def read_spreads(given: Sequence[str]) -> Spreads:
    """`names=.03,noise=.05`, in one or several strings; what is not named is zero.

    >>> read_spreads(["names=.03,noise=.05", "name-template=.02"])
    Spreads(names=0.03, noise=0.05, name_template=0.02, template=0.0, word=0.0)
    """
    found: dict[str, float] = {}
    for part in (part.strip() for one in given for part in one.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"spread {part!r}: give names and numbers, as in names=.03,noise=.05")
        if name not in SPREADS:
            raise UsageError(f"unknown spread {name!r}{did_you_mean(name, SPREADS)}")
        if name in found:
            raise UsageError(f"the spread {name} is given more than once")
        found[name] = _number(name, value)
    return Spreads(**{name.replace("-", "_"): value for name, value in found.items()})


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise UsageError(f"the spread {name} is {value!r}: give a number, as in {name}=.03") from error
    if not 0 <= number <= 1:
        raise UsageError(f"the spread {name} is {value}: give a share of the range, from 0 to 1")
    return number


@dataclass(frozen=True)
class Seen:
    """What a pilot saw in one comparison of one output, as shares of the range."""

    estimate: float
    interval: tuple[float, float] | None
    """For names, templates and words like these, at 95 %; None where nothing varies."""
    spreads: Spreads
    cautious: Spreads
    """With the names' spread at its upper bound: four times in five, names vary less than this."""
    template_up_to: float
    """The same bound for the gap from template to template."""
    names: int
    reacting: int
    """Names that are not answered like most others of their race and gender."""


def seen_in(contrast: Contrast, scores: Floats, spans: Floats) -> Iterator[Seen]:
    """What the scores of a pilot say about each column: variances by their expected mean squares, none below zero."""
    parts = general_gap(contrast, scores, scale=scale_of(scores, spans))
    low, high = parts.interval(0.95)
    values = contrast.cell_values(scores) / spans
    for number, span in enumerate(spans.tolist()):
        known = bool(parts.variance[number] > 0 and np.isfinite(low[number]))
        found = _seen(contrast, values[:, :, number])
        interval = (float(low[number]) / span, float(high[number]) / span) if known else None
        yield replace(found, estimate=float(parts.estimate[number]) / span, interval=interval)


def _seen(contrast: Contrast, values: Floats) -> Seen:
    template = contrast.groups_of_cells(contrast.sampled_columns[0])
    stratum, sizes = contrast.stratum, contrast.stratum_sizes
    of_stratum = np.asarray(stratum[None, :] == np.arange(len(sizes))[:, None], dtype=np.float64)
    means = (of_stratum @ values) / sizes[:, None]
    apart = np.where(np.abs(values - means[stratum]) <= ROUNDING, 0.0, values - means[stratum])
    freedom = len(stratum) - len(sizes)
    within, between, repeats = _nested(apart, template)
    per_name = float((apart.mean(axis=1) ** 2).sum()) / freedom
    # Without two sources of one template, a name's reaction to the template and noise look the same. It is taken for
    # the former, which does not shrink with more words in a template.
    noise = within.sum() / freedom if np.isfinite(within).all() else 0.0
    name_template = max(0.0, (float(between.sum()) / freedom - noise) / repeats)
    share = np.bincount(template) / len(template)
    rest = float(share @ share) * name_template + noise / len(template)
    gaps = (contrast.coefficients @ means)[None, :]
    gap_within, gap_between, _ = _nested(gaps, template)
    per_gap = float((contrast.coefficients**2 / sizes).sum())
    lone = not np.isfinite(gap_within).all()
    word = 0.0 if lone else max(0.0, float(gap_within[0]) - per_gap * noise)
    base = per_gap * noise if lone else float(gap_within[0])
    templates = len(share)

    def by_template(factor: float) -> float:
        if templates < 2:
            return 0.0
        return max(0.0, (factor * float(gap_between[0]) - base) / repeats - per_gap * name_template)

    spreads = Spreads(
        names=_rounded(math.sqrt(max(0.0, per_name - rest))),
        noise=_rounded(math.sqrt(noise)),
        name_template=_rounded(math.sqrt(name_template)),
        template=_rounded(math.sqrt(by_template(1.0))),
        word=_rounded(math.sqrt(word)),
    )
    cautious = replace(spreads, names=math.sqrt(max(0.0, per_name * upper_factor(freedom) - rest)))
    return Seen(
        estimate=float(gaps.mean()),
        interval=None,
        spreads=spreads,
        cautious=cautious,
        template_up_to=_rounded(math.sqrt(by_template(upper_factor(templates - 1) if templates > 1 else 1.0))),
        names=len(stratum),
        reacting=_reacting(values, stratum),
    )


def _rounded(value: float) -> float:
    return 0.0 if value <= ROUNDING else value


def _nested(values: Floats, group: Ints) -> tuple[Floats, Floats, float]:
    """Mean squares of each row within groups of its columns and between them, and how often a group is repeated."""
    sizes = np.bincount(group)
    columns, groups = len(group), len(sizes)
    averaging = np.asarray(group[None, :] == np.arange(groups)[:, None], dtype=np.float64) / sizes[:, None]
    means = values @ averaging.T
    squares = ((values - means[:, group]) ** 2).sum(axis=1)
    within = squares / (columns - groups) if columns > groups else np.full(len(values), np.nan)
    if groups < 2:
        return within, np.zeros(len(values)), 1.0
    between = ((means - values.mean(axis=1, keepdims=True)) ** 2 @ sizes) / (groups - 1)
    return within, between, float((columns - (sizes**2).sum() / columns) / (groups - 1))


def upper_factor(degrees_of_freedom: float, level: float = CAUTION) -> float:
    """By how much a variance that was estimated may be too small; with that probability it is less.

    >>> round(upper_factor(16), 3)
    1.435
    """
    return float(degrees_of_freedom / special.chdtri(degrees_of_freedom, level))


def _reacting(values: Floats, stratum: Ints) -> int:
    """How many names are not answered as the largest number of others of their stratum is."""
    rounded = np.round(values / (10 * ROUNDING))
    number = 0
    for one in np.unique(stratum):
        _, counts = np.unique(rounded[stratum == one], axis=0, return_counts=True)
        number += int((stratum == one).sum() - counts.max())
    return number
