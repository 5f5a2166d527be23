"""The paper about ratings: every t, verdict, score, order and level that can be recomputed, beside what is printed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from scipy import special

from evenhand.corpora import eec
from evenhand.published.checks import Check, checked, counted
from evenhand.published.rating_figures import (
    HUGE,
    SAME,
    Cell,
    ImpactRow,
    Order,
    TestTable,
    content,
    errata,
    orders,
    printed_impacts,
    printed_tests,
    published_scores,
    recorded_tests,
)
from evenhand.published.rating_files import settled
from evenhand.rating.orders import complete_order, partial_order
from evenhand.rating.ratings import Rating
from evenhand.rating.rejection import PRESETS, RejectionSettings
from evenhand.rating.result import rate_scores

ROWS = {"E1": 8, "E2": 8, "E3": 16, "E4": 24, "E5": 24}
"""Sentences a class of the synthetic groups, by word set; a class of race and gender together has half of them."""
FEWEST, MOST = 100, 1_000_000
"""Conversations have some number of degrees of freedom between these; it is not printed, and hardly matters."""
LAST_DIGIT = 0.01
AUTHORS_FILES = "the authors' result files and conversations"
ATTRIBUTES = {"Group-1": "gender", "Group-3_G": "gender", "Group-3_R": "race", "Group-3_RG": "race+gender"}
ATTRIBUTES |= {"Group-2": "gender", "Group-4": "race+gender"}
CONFOUNDED = ("Group-2", "Group-4")


def reproduce_rating(data: Path | None = None) -> tuple[Check, ...]:
    """Every claim of the paper that can be held against something; `data` is a copy of the authors' repository."""
    rows = orders()
    return (
        *_recorded(),
        *_scores(rows),
        *_verdicts(),
        *_summed(rows),
        *_impacts(),
        *_largest(rows),
        *_levels(rows),
        *_by_algorithm(rows),
        *_by_equation(rows),
        *_statements(rows),
        *(_beyond() if data is None else settled(data)),
    )


def _rated(group: str, preset: str) -> Rating:
    attribute = ATTRIBUTES[group]
    frame = published_scores().filter(pl.col("group") == group.partition("_")[0])
    confounders = [attribute] if group in CONFOUNDED else None
    found = rate_scores(
        frame, attributes=[attribute], confounders=confounders, preset=preset, supported_only=True, bootstrap=0
    )
    return found.results[0]


def _recorded() -> Iterator[Check]:
    """t and verdicts of the English data, computed anew from what the systems gave."""
    for table in recorded_tests():
        found = {
            (test.system, test.dataset, frozenset(test.pair)): test for test in _rated(table.group, "published").tests
        }
        checks = []
        for cell in table.cells:
            test = found[cell.system, cell.dataset, frozenset(cell.pair)]
            t, mark = test.t or 0.0, _mark(sum(test.rejected))
            agree = abs(t - cell.t) <= 1e-6 * max(1.0, cell.t) and mark == cell.mark
            here = _marked(f"{t:.6g}", mark)
            claim = f"{table.data} {table.group}, {cell.name}: t and verdict"
            checks.append(checked(claim, table.where, cell.text, here, agree=agree, counted=True))
        yield from counted(f"{table.data} {table.group}: t to 1e-6, and verdicts", table.where, checks, what="cells")


def _scores(rows: Sequence[Order]) -> Iterator[Check]:
    """Rejection scores of the English data by both presets."""
    for row in rows:
        if row.data != "SD" or row.group in CONFOUNDED:
            continue
        for preset, ids in (("published", None), ("stated", row.errata.get("stated"))):
            raw = _rated(row.group, preset).raw
            how = "as computed by the authors" if preset == "published" else "at the stated levels and weights"
            yield _same_scores(f"{row.name}: rejection scores {how}", row, raw, ids)


def _same_scores(claim: str, row: Order, here: Mapping[str, float], ids: str | None) -> Check:
    printed = {system: score for system, score in row.scores.items() if system in here}
    agree = all(_agrees(score, here[system]) for system, score in printed.items())
    mine = {system: here[system] for system in printed}
    why = () if agree else errata(ids)
    return checked(claim, f"table {row.table}", _listed(printed), _listed(mine), agree=agree, errata=why)


def _agrees(printed: float, here: float) -> bool:
    return printed == here or abs(printed - here) < LAST_DIGIT


def _verdicts() -> Iterator[Check]:
    """The printed marks of rejection, from the printed t and the degrees of freedom of the design."""
    stated = cells = 0
    for table in printed_tests():
        checks = []
        for cell in table.cells:
            possible = _possible_marks(cell, table, PRESETS["published"])
            claim = f"{table.data} {table.group}, {cell.name}: verdict"
            here = " or ".join(_marked("", mark) or "not rejected" for mark in possible)
            why, agree = errata(table.errata.get(cell.name)), cell.mark in possible
            checks.append(checked(claim, table.where, cell.text, here, agree=agree, errata=why, counted=True))
            stated += cell.mark in _possible_marks(cell, table, PRESETS["stated"])
        cells += len(checks)
        yield from counted(f"{table.data} {table.group}: verdicts by the printed t", table.where, checks, what="cells")
    claim, here = "verdicts at the stated levels", f"{stated:,} agree"
    yield checked(claim, "section IV-D", f"{cells:,} cells", here, agree=stated == cells, errata=errata("E02"))


def _possible_marks(cell: Cell, table: TestTable, settings: RejectionSettings) -> list[int]:
    """Which marks a printed t allows for: it was rounded or cut, and conversations do not say how long they are."""
    low, high = (cell.t, cell.t) if cell.t in (0.0, HUGE) else (cell.t - LAST_DIGIT / 2, cell.t + LAST_DIGIT)
    if cell.dataset == SAME:
        least, most = FEWEST, MOST
    else:
        least = most = sum(_rows(name, cell.dataset, table.attribute) for name in cell.pair) - 2
    fewest, often = _rejections(low, least, settings), _rejections(high, most, settings)
    return [_mark(number) for number in range(fewest, often + 1)]


def _rejections(t: float, freedom: int, settings: RejectionSettings) -> int:
    return sum(bool(t > special.stdtrit(freedom, 1 - alpha / settings.sides)) for alpha in settings.alphas)


def _rows(name: str, dataset: str, attribute: str) -> int:
    return ROWS[dataset] // 2 if attribute == "race+gender" and name != "NA" else ROWS[dataset]


def _mark(rejections: int) -> int:
    """The superscript for so many rejections."""
    return 4 - rejections if rejections else 0


def _marked(text: str, mark: int) -> str:
    return f"{text}^{mark}" if mark else text


def _summed(rows: Sequence[Order]) -> Iterator[Check]:
    """Rejection scores after the round trips and of conversations, from the marks that the supplement prints."""
    weights = PRESETS["published"].weights
    for table in printed_tests():
        row = next(row for row in rows if (row.data, row.group) == (table.data, table.group))
        summed: dict[str, float] = {}
        for cell in table.cells:
            added = sum(weights[cell.mark - 1 :]) if cell.mark else 0.0
            summed[cell.system] = round(summed.get(cell.system, 0.0) + added, 10)
        claim = f"{row.name}: rejection scores from the marks of {table.where.partition(', ')[2]}"
        yield _same_scores(claim, row, summed, row.errata.get("scores"))


def _impacts() -> Iterator[Check]:
    """Impacts and the larger of two, from the printed means."""
    by_table: dict[tuple[str, str], list[Check]] = {}
    for row in printed_impacts():
        here = tuple(_impact(obs, do) for obs, do in zip(row.observed, row.adjusted, strict=True))
        agree = all(
            _prints(said, found) for said, found in zip((*row.impacts, row.largest), (*here, max(here)), strict=True)
        )
        printed = f"{_listed_pair(row.impacts)}, larger {_score(row.largest)}"
        claim = f"{row.data} {row.group}, {row.system} {row.dataset}: impacts from the printed means"
        found = f"{_listed_pair(here)}, larger {_score(max(here))}"
        check = checked(claim, row.where, printed, found, agree=agree, errata=errata(row.erratum), counted=True)
        by_table.setdefault((f"{row.data} {row.group}", row.where), []).append(check)
    for (name, where), checks in by_table.items():
        yield from counted(f"{name}: impacts from the printed means", where, checks, what="cells")


def _impact(observed: float, adjusted: float) -> float:
    if observed == 0:
        return 0.0 if adjusted == 0 else math.inf
    return 100 * abs(adjusted - observed) / abs(observed)


def _prints(printed: float, here: float) -> bool:
    """Whether a number, rounded or cut, can be printed like that."""
    if math.isinf(printed) or math.isinf(here):
        return printed == here
    unit = 10.0 ** -len(f"{printed:g}".partition(".")[2])
    return bool(-unit / 2 - 1e-9 <= here - printed < unit + 1e-9)


def _largest(rows: Sequence[Order]) -> Iterator[Check]:
    """The largest impact of each system after the round trips, from the supplement's rows."""
    for row in rows:
        mine = [one for one in printed_impacts() if (one.data, one.group) == (row.data, row.group)]
        if not mine:
            continue
        largest: dict[str, float] = {}
        for one in mine:
            largest[one.system] = max(largest.get(one.system, 0.0), *_defined(one))
        yield _same_scores(f"{row.name}: largest impacts, from the supplement", row, largest, row.errata.get("scores"))


def _defined(row: ImpactRow) -> Iterator[float]:
    """What the row's means give, cut as printed where it agrees."""
    for printed, observed, adjusted in zip(row.impacts, row.observed, row.adjusted, strict=True):
        here = _impact(observed, adjusted)
        yield printed if _prints(printed, here) else here


def _levels(rows: Sequence[Order]) -> Iterator[Check]:
    """Orders and levels from the printed scores."""
    for row in rows:
        found = complete_order(row.scores, 3)
        in_order = [system for system, _ in partial_order(row.scores)]
        ids = row.errata.get("ratings")
        yield checked(
            f"{row.name}: levels from the printed scores",
            f"table {row.table}",
            _listed({system: row.ratings[system] for system in in_order}),
            _listed({system: found[system] for system in in_order}),
            agree=found == row.ratings,
            errata=errata(ids),
        )


def _by_algorithm(rows: Sequence[Order]) -> Iterator[Check]:
    """The levels of algorithm 4 as printed: all scores are split, and the last part that holds a score is its level."""
    agreeing = sum(_last_parts(row.scores) == row.ratings for row in rows)
    claim, where = "levels by the algorithm as printed", "supplement, algorithm 4"
    here, agree = f"{agreeing} rows agree", agreeing == len(rows)
    yield checked(claim, where, f"{len(rows)} rows", here, agree=agree, errata=errata("E06"))


def _last_parts(scores: Mapping[str, float]) -> dict[str, int]:
    parts = np.array_split(np.sort(list(scores.values())), 3)
    return {
        system: max(place for place, part in enumerate(parts, start=1) if score in part)
        for system, score in scores.items()
    }


def _by_equation(rows: Sequence[Order]) -> Iterator[Check]:
    """Impacts and levels of the English data by equation 1, over the classes that met an emotion."""
    for row in rows:
        if row.data != "SD" or row.group not in CONFOUNDED:
            continue
        rated = _rated(row.group, "published")
        yield _same_scores(f"{row.name}: largest impacts by equation 1", row, rated.raw, row.errata["impact"])
        printed = {system: row.ratings[system] for system in rated.among_these}
        agree = printed == dict(rated.among_these)
        here, why = _listed(rated.among_these), () if agree else errata(row.errata["impact"])
        where = f"table {row.table}"
        yield checked(f"{row.name}: levels by equation 1", where, _listed(printed), here, agree=agree, errata=why)


def _statements(rows: Sequence[Order]) -> Iterator[Check]:
    name, reduction, *sizes, impact = content()["statements"]
    people = dict(eec().frame.select("person", "gender").iter_rows())
    gender = people[name["printed"]]
    said = f"{name['printed']}, female"
    agree = gender == "female"
    yield checked(name["claim"], name["where"], said, str(gender), agree=agree, errata=errata(name["erratum"]))
    before, after = (
        next(row.scores["S_g"] for row in rows if (row.data, row.group) == (data, "Chatbot"))
        for data in ("HD2", "HD2_D")
    )
    share = 100 * (before - after) / before
    agree = round(share, 1) == reduction["printed"]
    yield checked(reduction["claim"], reduction["where"], f"{reduction['printed']} %", f"{share:.1f} %", agree=agree)
    for one in sizes:
        implied = round(one["conversations"] * sum(one["utterances"]))
        why = errata(one["erratum"])
        agree = implied == one["printed"]
        here = f"{implied:,} by table III"
        yield checked(one["claim"], one["where"], f"{one['printed']:,}", here, agree=agree, errata=why)
    tabled = [max(row.impacts) for row in printed_impacts() if (row.data, row.system) == ("SD", "S_h")]
    largest = " and ".join(f"{max(part):g}" for part in (tabled[:3], tabled[3:]))
    why = errata(impact["erratum"])
    yield checked(impact["claim"], impact["where"], str(impact["printed"]), largest, agree=False, errata=why)


def _beyond() -> Iterator[Check]:
    for one in content()["beyond"]:
        why = errata(one["erratum"])
        yield Check(one["claim"], one["where"], one["printed"], None, "needs data", AUTHORS_FILES, why)


def _score(value: float | None) -> str:
    if value is None:
        return "undefined"
    return "X" if math.isinf(value) else f"{round(value, 2):g}"


def _listed(scores: Mapping[str, float] | Mapping[str, int | None]) -> str:
    return " ".join(f"{system} {_score(score)}" for system, score in scores.items())


def _listed_pair(pair: Sequence[float]) -> str:
    return f"({', '.join(_score(one) for one in pair)})"
