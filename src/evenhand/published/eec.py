"""The paper about the Equity Evaluation Corpus: its design, its tables and what it says about submissions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evenhand.comparing.findings import Finding
from evenhand.contrasts import contrast
from evenhand.corpora import Corpus, eec
from evenhand.files.task_files import DIMENSIONS
from evenhand.published.checks import Check, checked, published, same
from evenhand.published.eec_prose import SUBMISSIONS, SUBMISSIONS_AND_GOLD, is_ranked, prose
from evenhand.studies.statements import TOP
from evenhand.studies.study import Study
from evenhand.studies.tables import ALL, GROUPS

HALF = 0.0005
"""Half of the last digit that the tables print."""
MODELS = (
    "SVM-Unigrams: among the submissions, or trained on the task's tweets (evenhand train svm-unigrams, once for each "
    "dimension)"
)
NOUN_PHRASES = "noun-phrases"
"""The subset of the corpus."""
SIGNIFICANT = ("first_higher", "second_higher")

Row = tuple[int, float, float]


def reproduce_eec(
    *, baseline: Sequence[Finding] | None = None, taken_from: str | None = None, study: Study | None = None
) -> tuple[Check, ...]:
    """Every claim of the paper that can be held against something.

    `baseline`: the findings of SVM-Unigrams on all sentences, and on those with noun phrases, which the paper's words
    about gender are about; `taken_from` says where its scores come from. `study`: that of the task's own submissions.
    """
    printed = published("eec")
    of_paper = [*_design(printed["design"]), *_sums(printed), *_shares(printed), *_means(printed)]
    of_submissions = [*_cells(printed, study), *_about_submissions(printed, study), *_about_the_best(printed, study)]
    about_baseline = [
        check if check.here is None else replace(check, taken_from=taken_from)
        for check in _about_baseline(printed["baseline"], baseline)
    ]
    return (*of_paper, *of_submissions, *prose(printed, study), *about_baseline)


def _design(design: Mapping[str, Any]) -> Iterator[Check]:
    corpus: Corpus = eec()
    frame = corpus.frame
    yield same("sentences, all of them different", "section 3", design["sentences"], frame["text"].n_unique())
    yield same("templates", "table 1", design["templates"], frame["template"].n_unique())
    yield same("persons", "tables 2 and 3", design["persons"], frame["person"].n_unique())
    asked = design["comparisons"]
    gender, race = contrast(corpus, "gender"), contrast(corpus, "race")
    neutral = contrast(corpus, "gender", subset="neutral")
    yield same("comparisons by gender", "section 4", asked["gender"], gender.shape[0])
    yield same("comparisons by race", "section 4", asked["race"], race.shape[0])
    yield same("comparisons by gender, neutral sentences", "section 4.1", asked["gender_neutral"], neutral.shape[0])
    each = gender.shape[0] // frame["source"].n_unique()
    yield same("comparisons by gender, each template and word", "section 4", asked["gender_a_template_and_word"], each)
    assessments = design["submissions"] * len(corpus.attributes)
    yield same("assessments: submissions × attributes", "section 4", design["assessments"], assessments)
    threshold, printed = design["alpha"] / assessments, f"{design['alpha']}/{design['assessments']}"
    agree = abs(threshold - design["alpha"] / design["assessments"]) < 1e-15
    yield checked("threshold for a raw p", "section 4", printed, threshold, agree=agree)


def _sums(printed: Mapping[str, Any]) -> Iterator[Check]:
    for name, table in printed["tables"].items():
        where, total = table["where"], 0
        for dimension, rows in table["dimensions"].items():
            here = sum(rows[group][0] for group in GROUPS)
            total += here
            yield same(f"{name}, {dimension}: sum of the groups", where, rows[ALL][0], here)
        yield same(f"{name}: submissions in all", where, printed["design"]["submissions"], total)
        for dimension, rows in table["dimensions"].items():
            for place, what in ((1, "positive"), (2, "negative")):
                low, high = _weighted(rows, place)
                agree = low - HALF <= rows[ALL][place] <= high + HALF
                claim = f"{name}, {dimension}: mean {what} Δ of all, from the groups"
                yield checked(claim, where, rows[ALL][place], f"{low:.4f} to {high:.4f}", agree=agree)


def _weighted(rows: Mapping[str, Row], place: int) -> tuple[float, float]:
    """The mean over all that the groups' printed means allow for, each known to half of its last digit."""
    submissions = sum(rows[group][0] for group in GROUPS)
    middle = sum(rows[group][0] * rows[group][place] for group in GROUPS) / submissions
    return middle - HALF, middle + HALF


def _shares(printed: Mapping[str, Any]) -> Iterator[Check]:
    least = printed["statements"]["share_significant_above"]
    for name, table in printed["tables"].items():
        rows = table["dimensions"].values()
        total = sum(row[ALL][0] for row in rows)
        share = 1 - sum(row["not_significant"][0] for row in rows) / total
        claim = f"{name}: systems with a significant difference"
        yield checked(claim, "section 7", f"more than {least:.0%}", f"{share:.1%}", agree=share > least)


def _means(printed: Mapping[str, Any]) -> Iterator[Check]:
    """What the text says about mean differences, beside what the tables print."""
    most = printed["statements"]["mean_difference_at_most"]
    for name, table in printed["tables"].items():
        rows = table["dimensions"].values()
        largest = max(abs(row[group][place]) for row in rows for group in SIGNIFICANT for place in (1, 2))
        claim = f"{name}: mean differences of those with a significant one"
        yield checked(claim, "section 5", f"at most {most}", largest, agree=largest <= most)


def _cells(printed: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    for name, table in printed["tables"].items():
        for dimension, rows in table["dimensions"].items():
            for group, row in rows.items():
                claim = f"{name}, {dimension}: {group.replace('_', ' ')}"
                shown = f"{row[0]}, {row[1]:.3f}, {row[2]:.3f}"
                found = None if study is None else study.tables[name].rows.get(dimension, {}).get(group)
                if found is None:
                    yield Check(claim, table["where"], shown, None, "needs data", SUBMISSIONS)
                    continue
                means = (found.mean_positive, found.mean_negative)
                here = ", ".join([str(found.submissions), *("undefined" if m is None else f"{m:.3f}" for m in means)])
                agree = found.submissions == row[0] and all(
                    mean is not None and abs(mean - said) <= HALF + 1e-12
                    for mean, said in zip(means, row[1:], strict=True)
                )
                yield checked(claim, table["where"], shown, here, agree=agree)


def _about_submissions(printed: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    said = printed["statements"]
    for name, spread in said["largest_spread"].items():
        claim = f"largest Δ-spread by {name}, valence"
        if study is None or "valence" not in study.dimensions:
            yield Check(claim, "section 5", str(spread), None, "needs data", SUBMISSIONS)
        else:
            here = max(one.findings[name].delta_spread for one in study.of("valence"))
            yield checked(claim, "section 5", spread, round(here, 4), agree=round(here, 2) == spread)
    claim = "largest difference of all submissions"
    if study is None:
        yield Check(claim, "section 5", str(said["largest_difference"]), None, "needs data", SUBMISSIONS)
        return
    here = max(one.findings[table.name].largest_difference for one in study.submissions for table in study.full())
    agree = round(here, 2) == said["largest_difference"]
    yield checked(claim, "section 5", said["largest_difference"], round(here, 4), agree=agree)


def _about_the_best(printed: Mapping[str, Any], study: Study | None) -> Iterator[Check]:
    for name, by_dimension in printed["statements"]["top_five_not_significant"].items():
        known = {} if study is None else {one.dimension: one for one in study.statements if one.attribute == name}
        for dimension, said in by_dimension.items():
            claim = f"{name}, {dimension}: not significant among the best five"
            found = known.get(dimension)
            if found is None or found.top != TOP or found.top_not_significant is None:
                ranked = study is not None and is_ranked(study)
                needs = f"at least {TOP} submissions with a rank for the dimension" if ranked else SUBMISSIONS_AND_GOLD
                yield Check(claim, "section 5", str(said), None, "needs data", needs)
            else:
                yield same(claim, "section 5", said, found.top_not_significant)


def _about_baseline(said: Mapping[str, Any], findings: Sequence[Finding] | None) -> Iterator[Check]:
    where = "section 6"
    found = {(one.attribute, one.subset, one.output): one for one in findings or ()}
    for attribute, bound in said["spread"].items():
        printed = f"{bound['from']} to {bound['to']}" if "from" in bound else f"below {bound['below']}"
        for dimension in DIMENSIONS:
            claim = f"{said['system']}, {dimension}: Δ-spread by {attribute}"
            finding = found.get((attribute, "all", dimension))
            if finding is None:
                yield Check(claim, where, printed, None, "needs data", MODELS)
                continue
            spread = finding.delta_spread
            yield checked(claim, where, printed, f"{spread:.4f}", agree=_within(spread, bound))
    for attribute, sides in said["higher"].items():
        for dimension, side in sides.items():
            names = published("eec")["tables"][attribute]
            subset, about = (NOUN_PHRASES, ", noun phrases") if attribute == "gender" else ("all", "")
            claim = f"{said['system']}, {dimension}: higher by {attribute}{about}"
            finding = found.get((attribute, subset, dimension))
            if finding is None:
                yield Check(claim, where, names[side], None, "needs data", MODELS)
                continue
            gap = finding.mean_difference
            higher = names["first"] if gap > 0 else names["second"] if gap < 0 else "neither"
            yield checked(claim, where, names[side], f"{higher} ({gap:+.4f})", agree=higher == names[side])


def _within(spread: float, bound: Mapping[str, float]) -> bool:
    """Whether it lies between two printed figures, each known to half of the last digit of the finer one.

    "0.09 to 0.2" leaves room for 0.085 to 0.205: to take 0.2 for anything up to 0.25 would let a quarter more pass.

    >>> [_within(spread, {"from": 0.09, "to": 0.2}) for spread in (0.084, 0.085, 0.205, 0.206)]
    [False, True, True, False]
    >>> _within(0.0019, {"below": 0.002}), _within(0.002, {"below": 0.002})
    (True, False)
    """
    if "below" in bound:
        return spread < bound["below"]
    decimals = max(len(str(end).partition(".")[2]) for end in bound.values())
    half = 0.5 * 10.0**-decimals + 1e-12
    return bound["from"] - half <= spread <= bound["to"] + half
