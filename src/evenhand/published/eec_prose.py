"""What the paper about the EEC says in words about its submissions, as figures to be held against tables and data.

Words such as "most" or "smaller" are given a meaning in the data file of the paper, which says how each is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from evenhand.comparing.findings import Finding
from evenhand.published.checks import Check, checked
from evenhand.studies.study import Study
from evenhand.studies.tables import ALL, GROUPS, published_group

SUBMISSIONS = "the submissions to the task"
SUBMISSIONS_AND_GOLD = "the submissions to the task and its gold scores, to rank them by"
WHERE = {"gender": "section 5.1", "race": "section 5.2"}
TABLE_6 = "section 5.1 and table 6"
FEWEST = 3
"""Systems between the best and the worst; of fewer, nothing can be said."""


def prose(printed: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """Every claim in words: first what the printed tables alone decide, then what needs the submissions."""
    said = printed["prose"]
    yield from _shares(printed, said)
    yield from _tendencies(printed, said, None)
    yield from _tendencies(printed, said, study)
    yield from _spreads(said, study)
    yield from _ranks(said, study)
    yield from _neutral(said, study)
    yield from _own_words(said, study)


def _shares(printed: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[Check]:
    """Shares of submissions without a significant difference, and that race has fewer of them."""
    for name, by_part in said["share_not_significant"].items():
        rows = printed["tables"][name]["dimensions"]
        for part, bounds in by_part.items():
            chosen = [row for d, row in rows.items() if (d == "valence") == (part == "valence")]
            shares = sorted(row["not_significant"][0] / row[ALL][0] for row in chosen)
            low, high = (round(100 * share) for share in (shares[0], shares[-1]))
            claim = f"{name}, {part}: submissions without a significant difference, in %"
            agree = bounds[0] - bounds[2] <= low and high <= bounds[1] + bounds[2]
            about = "about " if bounds[2] else ""
            yield checked(claim, WHERE[name], f"{about}{_range(*bounds[:2])}", _range(low, high), agree=agree)
    found = said["share_significant"]
    rows = printed["tables"]["gender"]["dimensions"].values()
    shares = sorted(1 - row["not_significant"][0] / row[ALL][0] for row in rows)
    low, high = (round(100 * share) for share in (shares[0], shares[-1]))
    yield checked(
        "gender: submissions with a significant difference, in %",
        WHERE["gender"],
        _range(*found["range"]),
        _range(low, high),
        agree=[low, high] == found["range"],
        errata=() if [low, high] == found["range"] else (found["erratum"],),
    )
    each = {name: _share_significant(printed["tables"][name]["dimensions"]) for name in ("gender", "race")}
    here = f"race {each['race']:.1%}, gender {each['gender']:.1%}"
    yield checked(
        "significant differences are more widely prevalent",
        "section 7",
        "race than gender",
        here,
        agree=each["race"] > each["gender"],
    )


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _share_significant(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> float:
    not_significant = sum(row["not_significant"][0] for row in rows.values())
    return 1 - not_significant / sum(row[ALL][0] for row in rows.values())


def _tendencies(printed: Mapping[str, Any], said: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """Which group more submissions score higher; without a study, by the printed tables."""
    by_tables = study is None
    for name, by_dimension in said["more_submissions"].items():
        table = printed["tables"][name]
        for dimension, side in by_dimension.items():
            whose = "printed table" if by_tables else "submissions"
            claim = f"{name}, {dimension}: whom more submissions score higher, by the {whose}"
            shown = "about as many" if side == "close" else table[side]
            counts = _counts(table["dimensions"][dimension]) if study is None else _counted(study, name, dimension)
            if counts is None:
                yield Check(claim, WHERE[name], shown, None, "needs data", SUBMISSIONS)
                continue
            first, second, everybody = counts
            apart = first - second
            close = abs(apart) <= said["close"] * everybody
            agree = close if side == "close" else apart > 0 if side == "first" else apart < 0
            here = f"{table['first']} {first}, {table['second']} {second}"
            yield checked(claim, WHERE[name], shown, here, agree=agree)


def _counts(rows: Mapping[str, Sequence[float]]) -> tuple[int, int, int]:
    return int(rows["first_higher"][0]), int(rows["second_higher"][0]), int(rows[ALL][0])


def _counted(study: Study, name: str, dimension: str) -> tuple[int, int, int] | None:
    rows = study.tables[name].rows.get(dimension) if name in study.tables else None
    if rows is None:
        return None
    return rows["first_higher"].submissions, rows["second_higher"].submissions, rows[ALL].submissions


def _spreads(said: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """The best systems, and some of the worst, have smaller Δ-spreads than those in between."""
    for name, found in said["spread_by_rank"].items():
        best, worst = found["best"], said["worst"]
        for dimension in ("valence", *found["not_for"]):
            parts = _by_rank(study, name, dimension, best, worst)
            claim = f"{name}, {dimension}: Δ-spread of the best {best} and of those in between"
            shown = "smaller" if dimension == "valence" else "not the same pattern"
            if parts is None:
                yield Check(claim, WHERE[name], shown, None, "needs data", _enough(study, best, worst))
                continue
            top, between, _ = (median(spreads) for spreads in parts)
            here = f"medians {top:.4f} and {between:.4f}"
            agree = top < between if dimension == "valence" else top >= between
            yield checked(claim, WHERE[name], shown, here, agree=agree)
        claim = f"{name}, valence: the worst {worst} with a smaller Δ-spread than those in between"
        parts = _by_rank(study, name, "valence", best, worst)
        if parts is None:
            yield Check(claim, WHERE[name], "some", None, "needs data", _enough(study, best, worst))
            continue
        _, middle, bottom = parts
        smaller = sum(spread < median(middle) for spread in bottom)
        yield checked(claim, WHERE[name], "some", f"{smaller} of {worst}", agree=smaller >= said["some"])


def _enough(study: Study | None, best: int, worst: int) -> str:
    """What it takes to tell the best, those in between and the worst apart."""
    if study is None or not is_ranked(study):
        return SUBMISSIONS_AND_GOLD
    return f"at least {best + worst + FEWEST} submissions with a rank for the dimension"


def is_ranked(study: Study) -> bool:
    """Whether gold scores rank any of a study's submissions."""
    return any(one.quality.rank is not None for one in study.submissions)


def _by_rank(
    study: Study | None, name: str, dimension: str, best: int, worst: int
) -> tuple[list[float], list[float], list[float]] | None:
    """The Δ-spreads of the best, of those in between and of the worst; None where there are too few."""
    findings = _ranked(study, name, dimension)
    if len(findings) < best + worst + FEWEST:
        return None
    spreads = [finding.delta_spread for finding in findings]
    return spreads[:best], spreads[best:-worst], spreads[-worst:]


def _ranked(study: Study | None, name: str, dimension: str) -> list[Finding]:
    """The findings of a dimension's submissions that have a rank, the best first."""
    if study is None or dimension not in study.dimensions or name not in study.tables:
        return []
    return [one.findings[name] for one in study.of(dimension) if one.quality.rank is not None]


def _ranks(said: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """Most submissions without a significant difference rank in the lower half of their dimension."""
    for name in said["not_significant_rank_low"]:
        claim = f"{name}: submissions without a significant difference that rank in the lower half"
        low = everybody = 0
        for dimension in () if study is None else study.dimensions:
            findings = _ranked(study, name, dimension)
            for place, finding in enumerate(findings):
                if not finding.significant:
                    everybody += 1
                    low += place >= len(findings) / 2
        if not everybody:
            nobody = "submissions with a rank and without a significant difference"
            needs = nobody if study is not None and is_ranked(study) else SUBMISSIONS_AND_GOLD
            yield Check(claim, WHERE[name], "most", None, "needs data", needs)
        else:
            yield checked(claim, WHERE[name], "most", f"{low} of {everybody}", agree=low > everybody / 2)


def _neutral(said: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """Fewer significant differences on neutral sentences, and larger mean differences."""
    for dimension in said["neutral"]["dimensions"]:
        full = None if study is None else study.tables["gender"].rows.get(dimension)
        neutral = None
        if study is not None and "gender_neutral" in study.tables:
            neutral = study.tables["gender_neutral"].rows.get(dimension)
        fewer = f"gender, {dimension}: significant on neutral sentences and on all"
        larger = f"gender, {dimension}: mean sizes of differences, neutral sentences and all"
        if full is None or neutral is None:
            yield Check(fewer, TABLE_6, "much fewer", None, "needs data", SUBMISSIONS)
            yield Check(larger, TABLE_6, "larger", None, "needs data", SUBMISSIONS)
            continue
        some, many = (sum(rows[group].submissions for group in GROUPS[1:]) for rows in (neutral, full))
        agree = some <= said["neutral"]["at_most"] * many if many else False
        yield checked(fewer, TABLE_6, "much fewer", f"{some} and {many}", agree=agree)
        sizes = [
            [abs(mean) for mean in (rows[ALL].mean_positive, rows[ALL].mean_negative) if mean is not None]
            for rows in (neutral, full)
        ]
        means = [sum(both) / len(both) if both else 0.0 for both in sizes]
        yield checked(larger, TABLE_6, "larger", f"{means[0]:.4f} and {means[1]:.4f}", agree=means[0] > means[1])


def _own_words(said: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    """On the dimension's own words, the groups are about as large as on all sentences."""
    for dimension in said["own_words"]["dimensions"]:
        claim = f"gender, {dimension}: submissions in the same group on the emotion's own words as on all sentences"
        mine = [] if study is None else [one for one in study.submissions if one.dimension == dimension]
        both = [one for one in mine if "gender_own_words" in one.findings]
        if not both:
            yield Check(claim, "section 5.1", "similar", None, "needs data", SUBMISSIONS)
            continue
        same = sum(
            published_group(one.findings["gender_own_words"]) == published_group(one.findings["gender"]) for one in both
        )
        agree = same > said["own_words"]["above"] * len(both)
        yield checked(claim, "section 5.1", "similar", f"{same} of {len(both)}", agree=agree)
