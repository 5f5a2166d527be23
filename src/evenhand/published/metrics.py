"""The paper about generalised metrics: what follows from definitions and its design, and what only its models can show.

Numbers are printed with three digits, so each stands for all that may have been printed like that. What follows from
others is reproduced where the two ranges meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy import stats

from evenhand.corpora import load_corpus
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS
from evenhand.published import checks
from evenhand.published.checks import Check, checked, counted, same

PAPER = "metrics"
PREDICTIONS = "the predictions of the paper's three models, which were not published"
COUNTERFACTUAL = ("cf_gap_background", "pert_ss_background", "pert_sd", "pert_sr", "avg_if", "avg_score_difference")
"""Rows 17 to 22 of Table 2."""
SIGNED_SIZE = ("fned", "fped", "avg_gf", "avg_gf_tc", "avg_gf_tc of the negative class")
"""Absolute by definition."""
RATIOS = ("fpr_ratio", "fnr_ratio")

Cell = tuple[str, str, str]
"""Where a number is printed: the figure, the row, and the column."""


@dataclass(frozen=True)
class Between:
    """What a number may be: it was rounded, or follows from numbers that were."""

    low: float
    high: float

    @classmethod
    def of(cls, printed: str) -> Between:
        """What may have been printed like that.

        >>> Between.of("0.012")
        Between(low=0.0115, high=0.0125)
        """
        half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
        return cls(round(float(printed) - half, 12), round(float(printed) + half, 12))

    def times(self, factor: float) -> Between:
        """Multiplied by something positive."""
        return Between(self.low * factor, self.high * factor)

    @property
    def size(self) -> Between:
        """Without its sign."""
        low, high = sorted((abs(self.low), abs(self.high)))
        return Between(0.0 if self.low < 0 < self.high else low, high)

    def meets(self, other: Between) -> bool:
        """Whether both may be the same number; the last digits of their ends are those of a machine."""
        return self.low <= other.high + 1e-9 and other.low <= self.high + 1e-9

    def __str__(self) -> str:
        return f"{self.low:.4f} to {self.high:.4f}"


def total(parts: Sequence[Between]) -> Between:
    """Their sum."""
    return Between(sum(one.low for one in parts), sum(one.high for one in parts))


def content() -> dict[str, Any]:
    """The printed figures."""
    return checks.published(PAPER)


def errata(ids: str | None) -> tuple[str, ...]:
    """Errata of this paper by id."""
    return checks.errata(PAPER, ids)


def reproduce_metrics() -> tuple[Check, ...]:
    """Every number of the paper's tables and figures, and what its text says about them."""
    found = [*_table_2(), *_counts(), *_design()]
    followed: set[Cell] = set()
    for model in content()["figure_1"]:
        found += _figure_1(model, followed)
    for figure in content()["by_group"]:
        found += _by_group(figure, followed)
    found += [*_below_figure_3(), *_statements(), *_p_values(), *_said(), *_beyond(followed)]
    return tuple(found)


# Definitions


def _table_2() -> Iterator[Check]:
    rows = content()["table_2"]
    for place, what in ((1, "shapes"), (2, "normalisers"), (3, "backgrounds"), (4, "what is looked at")):
        cells = [_defined(number, row, place) for number, row in enumerate(rows, start=1)]
        yield from counted(f"{what} of the metrics", "table 2", cells, what="rows")


def _defined(number: int, row: Sequence[Any], place: int) -> Check:
    here = _properties(METRICS[row[0]])[place - 1]
    printed = "none" if row[place] is None else row[place]
    return checked(f"row {number}: {row[0]}", "table 2", printed, here, agree=printed == here, counted=True)


def _properties(metric: AnyMetric) -> tuple[str, str, str, str]:
    normaliser = getattr(metric, "normaliser", None)
    background = getattr(metric, "background", None)
    return metric.shape, "one" if normaliser is None else normaliser.__name__, background or "none", metric.basis


def _counts() -> Iterator[Check]:
    rows = content()["table_2"]
    many = [row for row in rows if row[5] == "many"]
    group = [row for row in rows if row[0] not in COUNTERFACTUAL]
    of = {
        "all": rows,
        "group": group,
        "group predictions": [row for row in group if METRICS[row[0]].basis == "predictions"],
        "counterfactual probabilities": [row for row in rows if row not in group and row[4] == "probabilities"],
        "many": many,
        "signed of many": [row for row in many if METRICS[row[0]].signed and row[0] not in RATIOS],
    }
    for one in content()["counts"]:
        yield same(one["claim"], one["where"], one["printed"], len(of[one["of"]]))


def _design() -> Iterator[Check]:
    corpus = load_corpus("identity")
    design = content()["templates"]
    for name, about in content()["attributes"].items():
        yield same(f"{name}: groups", "table 3", about["groups"], len(corpus.attributes[about["here"]]))
    for name, about in content()["attributes"].items():
        own = corpus.frame.filter(corpus.frame[about["here"]].is_not_null())
        parts = [own.filter(own["label"] == label) for label in ("negative", "neutral", "positive")]
        parts += [own.filter(own["scope"] == scope) for scope in ("generic", "specific")]
        here = [part["source"].n_unique() for part in (own, *parts)]
        printed = [design[key] for key in ("all", "negative", "neutral", "positive", "generic", "specific")]
        claim = f"{name}: templates in all, by class (three) and by scope (two)"
        yield checked(claim, "section 5", _listed(printed), f"{_listed(here)} in ours", agree=printed == here)
    tagged = load_corpus("ner-country").frame["source"].n_unique()
    yield same("templates with a country", "section 5", design["ner"], tagged)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


# Figure 1


def _figure_1(model: str, followed: set[Cell]) -> Iterator[Check]:
    """What follows, attribute by attribute, from the number of groups and from the other rows."""
    figure = content()["figure_1"][model]
    rows = {name: [Between.of(cell) for cell in cells] for name, cells in figure["rows"].items()}
    sizes = [about["groups"] for about in content()["attributes"].values()]
    counterfactual, group = figure["where"]

    def equal(name: str, of: str, factor: Callable[[int], float], where: str, claim: str) -> Iterator[Check]:
        cells = [
            _follows(f"{model}, {attribute}: {name}", where, figure["rows"][name][place], derived, counted=True)
            for place, attribute in enumerate(content()["attributes"])
            if (derived := rows[of][place].times(factor(sizes[place])))
        ]
        followed.update((where, name, attribute) for attribute in content()["attributes"])
        yield from counted(f"{model}: {claim}", where, cells, what="attributes")

    def at_most(name: str, other: str, factor: Callable[[int], float], where: str, claim: str) -> Iterator[Check]:
        cells = [
            _bounded(
                f"{model}, {attribute}: {name}", where, figure["rows"][name][place],
                rows[other][place].times(factor(sizes[place])),
            )
            for place, attribute in enumerate(content()["attributes"])
        ]  # fmt: skip
        yield from counted(f"{model}: {claim}", where, cells, what="attributes")

    yield from equal("fned_normalised", "fned", lambda t: 1 / t, group, "FNED* is FNED over the number of groups")
    yield from equal("fped_normalised", "fped", lambda t: 1 / t, group, "FPED* is FPED over the number of groups")
    yield from equal(
        "disparity_score_normalised", "disparity_score", lambda t: t / math.comb(t, 2), group,
        "the disparity score* has pairs below it, not groups",
    )  # fmt: skip
    if figure["classes"] == 2:
        claim = "PertSS is CFGap, as p(gold) and p(positive) move alike in two classes"
        yield from equal("pert_ss", "cf_gap", lambda _: 1.0, counterfactual, claim)
    yield from at_most("pert_ss", "pert_sr", _widest_mean, counterfactual, "the mean gap of pairs is within the range")
    yield from at_most("pert_sd", "pert_sr", _largest_sd, counterfactual, "PertSD is within what PertSR allows")
    claim = "PertSD is at least what PertSR demands"
    least = [
        _bounded(
            f"{model}, {attribute}: pert_sd", counterfactual,
            figure["rows"]["pert_sd"][place], rows["pert_sr"][place].times(1 / math.sqrt(2 * sizes[place])), above=True,
        )
        for place, attribute in enumerate(content()["attributes"])
    ]  # fmt: skip
    yield from counted(f"{model}: {claim}", counterfactual, least, what="attributes")
    for suffix in ("", "_tc"):
        claim = f"AvgIF{' (TC)' if suffix else ''} is at most CFGap: distances of sets, not of their pairs"
        yield from at_most(f"avg_if{suffix}", f"cf_gap{suffix}", lambda _: 1.0, counterfactual, claim)
    for gap, against in (("tpr_gap", "fned_normalised"), ("tnr_gap", "fped_normalised")):
        claim = f"the {gap[:3].upper()} gap of pairs is at most twice the mean distance from everyone"
        yield from at_most(gap, against, lambda _: 2.0, group, claim)
    yield _three_groups(model, figure, counterfactual, followed)


def _largest_sd(groups: int) -> float:
    """The largest standard deviation of so many numbers whose range is one: half of them at either end."""
    half = groups // 2
    return math.sqrt(half * (groups - half)) / groups


def _widest_mean(groups: int) -> float:
    """The largest mean distance between two of so many numbers whose range is one: half of them at either end."""
    half = groups // 2
    return half * (groups - half) / math.comb(groups, 2)


def _three_groups(model: str, figure: Mapping[str, Any], where: str, followed: set[Cell]) -> Check:
    """Of three numbers, the three distances add up to twice the range."""
    derived = Between.of(figure["rows"]["pert_sr"][0]).times(2 / 3)
    followed.add((where, "pert_ss", "age"))
    claim = f"{model}, age: PertSS is two thirds of PertSR, as there are three groups"
    return _follows(claim, where, figure["rows"]["pert_ss"][0], derived)


def _follows(claim: str, where: str, printed: str, derived: Between, **more: Any) -> Check:
    return checked(claim, where, printed, str(derived), agree=Between.of(printed).meets(derived), **more)


def _bounded(claim: str, where: str, printed: str, bound: Between, *, above: bool = False) -> Check:
    """That a number is no larger (or, `above`, no smaller) than it can be."""
    own = Between.of(printed)
    agree = own.high >= bound.low - 1e-9 if above else own.low <= bound.high + 1e-9
    here = f"at {'least' if above else 'most'} {bound.low if above else bound.high:.4f}"
    return checked(claim, where, printed, here, agree=agree, counted=True)


# Figures 2 and 3


def _by_group(figure: Mapping[str, Any], followed: set[Cell]) -> Iterator[Check]:
    where, groups = figure["where"], figure["groups"]
    for name, row in figure["rows"].items():
        *own, accumulated = row
        if accumulated is not None:
            parts = total([Between.of(cell).size for cell in own]).times(_weight(name, len(groups)))
            followed.add((where, name, "accumulated"))
            yield _follows(f"{name}: accumulated over {len(groups)} groups", where, accumulated, parts)
        yield from _signs(figure, name, own)
        if len(groups) == 2:
            yield from _mirrored(figure, name, own, followed)
    if "attribute" in figure:
        yield from _against_figure_1(figure)


def _weight(name: str, groups: int) -> float:
    """What the sum over the groups is multiplied by. A group's part in a PCM is the mean over its pairs, and the
    published disparity score has the sum over pairs over the number of groups."""
    if name in ("fned", "fped"):
        return 1.0
    return math.comb(groups, 2) / groups**2 if name == "disparity_score" else 1 / groups


def _signs(figure: Mapping[str, Any], name: str, own: Sequence[str]) -> Iterator[Check]:
    """Sizes and ratios that are printed with a sign, and ratios of zero to zero."""
    where = figure["where"]
    for group, cell in zip(figure["groups"], own, strict=True):
        if cell.startswith("-") and (name in SIGNED_SIZE or name in RATIOS):
            why = errata("M02" if name in RATIOS else "M03")
            yield checked(f"{name}, {group}", where, cell, "no sign", agree=False, errata=why)
    if name == "fpr_ratio" and all(float(cell) == 0 for cell in own):
        printed = "0.000 for all groups"
        yield checked("fpr_ratio", where, printed, "undefined", agree=False, errata=errata("M04"))


def _mirrored(figure: Mapping[str, Any], name: str, own: Sequence[str], followed: set[Cell]) -> Iterator[Check]:
    """With two groups, the background of one is the other: differences mirror each other, ratios are reciprocal."""
    where, second = figure["where"], figure["groups"][1]
    first, other = (Between.of(cell) for cell in own)
    if name in RATIOS and first.low <= 0 <= first.high:
        return  # zero to zero
    followed.add((where, name, second))
    if name in RATIOS:
        derived = Between(1 / first.size.high, 1 / first.size.low)
        yield _follows(f"{name}, {second}: one over that of the first", where, own[1], derived)
    elif name in SIGNED_SIZE:
        yield _follows(f"{name}, {second}: as far as the first", where, own[1], first.size)
    else:
        derived = Between(-first.high, -first.low)
        agree = other.meets(derived)
        yield checked(f"{name}, {second}: the first with the other sign", where, own[1], str(derived), agree=agree)


def _against_figure_1(figure: Mapping[str, Any]) -> Iterator[Check]:
    """What is accumulated over groups stands in Figure 1, too."""
    there = content()["figure_1"][figure["model"]]
    place = list(content()["attributes"]).index(figure["attribute"])
    for name, (*_, accumulated) in figure["rows"].items():
        if accumulated is None or name not in there["rows"]:
            continue
        other = there["rows"][name][place]
        claim = f"{name}: the same in {there['where'][1]}"
        why = () if other == accumulated else errata("M01")
        yield checked(claim, figure["where"], accumulated, other, agree=other == accumulated, errata=why)


def _below_figure_3() -> Iterator[Check]:
    below = content()["figure_3_counterfactual"]
    rows, where, groups = below["rows"], below["where"], below["groups"]
    wide = Between.of(rows["pert_sr"])
    yield _bounded("pert_ss: within the range", where, rows["pert_ss"], wide.times(_widest_mean(groups)))
    yield _bounded("pert_sd: within what PertSR allows", where, rows["pert_sd"], wide.times(_largest_sd(groups)))
    least = wide.times(1 / math.sqrt(2 * groups))
    yield _bounded("pert_sd: at least what PertSR demands", where, rows["pert_sd"], least, above=True)
    yield _bounded("avg_if: at most CFGap", where, rows["avg_if"], Between.of(rows["cf_gap"]))


# Words, tests, and the rest


def _statements() -> Iterator[Check]:
    figures = {one["where"]: one for one in content()["by_group"]}
    for said in content()["statements"]:
        figure = figures[said["figure"]]
        values = dict(zip(figure["groups"], map(float, figure["rows"][said["row"]]), strict=False))
        if "largest" in said:
            group, agree = said["largest"], max(values, key=lambda one: abs(values[one])) == said["largest"]
        elif "smallest" in said:
            group, agree = said["smallest"], min(values, key=values.__getitem__) == said["smallest"]
        elif "zero" in said:
            group, agree = said["zero"], values[said["zero"]] == 0
        else:
            group, agree = said["negative"], values[said["negative"]] < 0
        here = f"{said['row']} {values[group]:g} in {said['figure']}"
        yield checked(said["claim"], said["where"], group, here, agree=agree)


def _p_values() -> Iterator[Check]:
    """That sixty templates can give so small a p at all; which Kendall's W it would be."""
    blocks = content()["templates"]["all"]
    cells = []
    for model, row in content()["table_7"].items():
        for name, p in row.items():
            if name == "names":
                least = float(2 * stats.norm.sf(_largest_z(blocks)))
                here = f"at least {least:.1e}"
            else:
                groups = content()["attributes"][name]["groups"]
                least = float(stats.chi2.sf(blocks * (groups - 1), groups - 1))
                w = float(stats.chi2.isf(p, groups - 1)) / (blocks * (groups - 1))
                here = f"at least {least:.1e}; Kendall's W would be {w:.3f}"
            printed = f"{p:.2e}"
            claim = f"{model}, {name}: p of the rank test"
            cells.append(checked(claim, "table 7", printed, here, agree=p >= least, counted=True))
    yield from counted("p that sixty templates can give", "table 7", cells, what="p-values")


def _largest_z(blocks: int) -> float:
    """Of Wilcoxon's statistic, if all blocks point the same way."""
    mean = blocks * (blocks + 1) / 4
    return mean / math.sqrt(blocks * (blocks + 1) * (2 * blocks + 1) / 24)


def _said() -> Iterator[Check]:
    for one in content()["said"]:
        why = errata(one["erratum"])
        yield checked(one["claim"], one["where"], one["printed"], one["meant"], agree=False, errata=why)


def _beyond(followed: set[Cell]) -> Iterator[Check]:
    """Numbers that only the models' predictions could show, table by table."""
    for where, cells in _printed_cells().items():
        for (name, column), cell in cells.items():
            if (where, name, column) not in followed:
                yield Check(f"{name}, {column}", where, cell, None, "needs data", PREDICTIONS, counted=True)


def _printed_cells() -> dict[str, dict[tuple[str, str], str]]:
    """Every number of the tables and figures with results, by where it is printed."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    for figure in content()["figure_1"].values():
        for place, (name, row) in enumerate(figure["rows"].items()):
            where = figure["where"][0 if place < 7 else 1]
            columns = zip(content()["attributes"], row, strict=True)
            found.setdefault(where, {}).update({(name, column): cell for column, cell in columns})
    for figure in content()["by_group"]:
        for name, row in figure["rows"].items():
            columns = zip([*figure["groups"], "accumulated"], row, strict=True)
            own = {(name, column): cell for column, cell in columns if cell is not None}
            found.setdefault(figure["where"], {}).update(own)
    below = content()["figure_3_counterfactual"]
    found[below["where"]] = {(name, "all groups"): cell for name, cell in below["rows"].items()}
    found["table 5"] = {("quality", name): cell for name, cell in content()["table_5"].items()}
    found["table 7"] = {
        (model, name): f"{p:.2e}" for model, row in content()["table_7"].items() for name, p in row.items()
    }
    return found
