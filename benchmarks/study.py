"""A shared task of 219 submissions: the tests as matrix work, and all of it from files to JSON, beside pandas."""

from __future__ import annotations

import gc
import json
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import evenhand.studies.examination as examination
from benchmarks.contrasts import plain, timed
from evenhand.contrasts import contrast
from evenhand.corpora import eec
from evenhand.stats import paired_test
from evenhand.studies import Reader, Study, examine, find_entries, read_gold
from evenhand.studies.synthetic import a_study, write_study
from evenhand.task_files import DIMENSIONS

SYSTEMS = {"anger": 46, "fear": 46, "joy": 45, "sadness": 46, "valence": 36}
SUBMISSIONS = sum(SYSTEMS.values())
TWEETS, MYSTERY = 1_000, 8_360
PLAIN_SYSTEMS = 12
"""The plain way is timed on some of the systems and scaled up: it is linear in their number."""

Rows = list[tuple[str, str, str, str]]


def run() -> Rows:
    """The tests alone, then everything."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        made = a_study(systems=max(SYSTEMS.values()))
        seen = dict.fromkeys(DIMENSIONS, 0)
        kept = []
        for one in made:
            seen[one.dimension] += 1
            if seen[one.dimension] <= SYSTEMS[one.dimension]:
                kept.append(one)
        write_study(place, kept, tweets=TWEETS, mystery=MYSTERY, manifest=False)
        return [*_tests(), *_end_to_end(place), *_memory()]


def _row(what: str, measured: str, goal: str, *, met: bool) -> tuple[str, str, str, str]:
    return what, measured, goal, "yes" if met else "no"


def _tests() -> Rows:
    corpus = eec("released")
    scores = np.random.default_rng(0).uniform(size=(len(corpus), SUBMISSIONS))
    frame = pd.DataFrame(corpus.frame.to_dict(as_series=False))
    made = [contrast(corpus, attribute) for attribute in ("gender", "race")]
    scale = np.ones(SUBMISSIONS)

    def matrix() -> list[np.ndarray]:
        return [paired_test(one.matrix @ scores, scale=scale).t for one in made]

    def in_one_call() -> list[np.ndarray]:
        # The sides of every comparison, ready as two matrices.
        return [np.asarray(stats.ttest_rel(first, second, axis=0).statistic) for first, second in sides]

    sides = [((one.matrix.maximum(0)) @ scores, (-one.matrix).maximum(0) @ scores) for one in made]
    slow = [plain(frame, scores[:, k]) for k in range(PLAIN_SYSTEMS)]
    np.testing.assert_allclose(np.stack(matrix())[:, :PLAIN_SYSTEMS].T, slow)
    np.testing.assert_allclose(np.stack(matrix()), np.stack(in_one_call()))
    plain_time = timed(lambda: [plain(frame, scores[:, k]) for k in range(PLAIN_SYSTEMS)]) * SUBMISSIONS / PLAIN_SYSTEMS
    ours, theirs = timed(matrix, rounds=15), timed(in_one_call, rounds=15)
    # The same work: from differences that are ready, as ttest_rel has its two sides ready.
    ready = [one.matrix @ scores for one in made]
    alone = timed(lambda: [paired_test(one, scale=scale).t for one in ready], rounds=15)
    return [
        _row(
            f"published tests of {SUBMISSIONS} submissions against pandas + scipy, one by one",
            f"{plain_time / ours:.0f} × faster ({1000 * ours:.0f} ms against {plain_time:.1f} s)",
            "at least 300 ×",
            met=plain_time / ours >= 300,
        ),
        _row(
            "the same against scipy's ttest_rel(axis=0) on ready matrices",
            f"{theirs / alone:.2f} × faster ({1000 * alone:.1f} ms against {1000 * theirs:.1f} ms; "
            f"with making the differences {1000 * ours:.1f} ms)",
            "at least 1 ×",
            met=theirs / alone >= 1,
        ),
    ]


def _end_to_end(place: Path) -> Rows:
    split: dict[str, float] = {}
    found: list[Study] = []

    def ours() -> None:
        split.clear()
        found.clear()
        corpus = eec("released")
        with _clock(split, "reading"):
            entries, about = find_entries(place / "submissions")
            gold = read_gold(place / "gold")
            read = Reader(corpus, gold=gold).read(entries, root=place, advance=lambda number: None)
        with _clock(split, "tests and tables"), _tests_timed(split):
            study = examine(read, corpus, gold=gold, about=about, evidence=False)
        with _clock(split, "JSON"):
            study.to_json()
        found.append(study)

    ours_time = timed(ours, rounds=3)
    theirs, tables = _pandas(place)
    mine = found[0].to_dict()["tables"]
    for table, by_dimension in tables.items():
        for dimension, groups in by_dimension.items():
            for group, number in groups.items():
                if mine[table][dimension][group]["submissions"] != number:
                    raise AssertionError((table, dimension, group))
    tests = split.pop("tests")
    split["tests and tables"] -= tests
    shown = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in {**split, "tests": tests}.items())
    return [
        _row(
            f"{SUBMISSIONS} files of {TWEETS + MYSTERY + 8_640:,} rows to JSON, against pandas",
            f"{theirs / ours_time:.1f} × faster ({ours_time:.1f} s against {theirs:.1f} s)",
            "at least 3 ×",
            met=theirs / ours_time >= 3,
        ),
        _row("where the time goes", shown, "tests at most a fifth", met=tests <= ours_time / 5),
    ]


@contextmanager
def _clock(split: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    split[name] = time.perf_counter() - start


@contextmanager
def _tests_timed(split: dict[str, float]) -> Iterator[None]:
    """Ask for every test, published and in general, as soon as it is set up, and add up how long they take."""
    split["tests"] = 0.0
    plain_class = examination.Tested

    class Timed(plain_class):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)
            start = time.perf_counter()
            _ = self.published, self.components, self.general_p, self.permutation_p, self.effect_size
            split["tests"] += time.perf_counter() - start

    examination.Tested = Timed  # type: ignore[misc]
    try:
        yield
    finally:
        examination.Tested = plain_class  # type: ignore[misc]


def _pandas(place: Path) -> tuple[float, dict[str, dict[str, dict[str, int]]]]:
    """The same for the published tables, as one would first write it: read, merge, pivot, test, count."""
    corpus = eec("released").frame
    frame = pd.DataFrame(corpus.to_dict(as_series=False))
    start = time.perf_counter()
    found = []
    known = {dimension: _known(place / "gold" / _gold_file(dimension)) for dimension in DIMENSIONS}
    for path in sorted((place / "submissions").glob("*/*.txt")):
        table = pd.read_csv(path, sep="\t", quoting=3)
        scores = frame.merge(table, left_on="text", right_on="Tweet", how="left")["Intensity Score"].to_numpy()
        found.append((table["Affect Dimension"].iloc[0], *_both(frame, scores.astype(float))))
        both = known[table["Affect Dimension"].iloc[0]].merge(table, on="ID")
        stats.spearmanr(both["Intensity Score_x"].astype(float), both["Intensity Score_y"].astype(float))
    threshold = 0.05 / (2 * len(found))
    tables: dict[str, dict[str, dict[str, int]]] = {"gender": {}, "race": {}}
    for dimension, gender, race in found:
        for name, (mean, p) in (("gender", gender), ("race", race)):
            groups = tables[name].setdefault(dimension, {})
            group = "not_significant" if p >= threshold else "first_higher" if mean > 0 else "second_higher"
            groups[group] = groups.get(group, 0) + 1
    json.dumps(tables)
    return time.perf_counter() - start, tables


def _known(path: Path) -> pd.DataFrame:
    gold = pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)
    return gold[gold["Intensity Score"] != "NONE"]


def _gold_file(dimension: str) -> str:
    task = "Valence-reg-En" if dimension == "valence" else f"EI-reg-En-{dimension}"
    return f"2018-{task}-test-gold.txt"


def _both(frame: pd.DataFrame, scores: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    frame = frame.assign(score=scores)
    nouns = frame[frame["pair"].notna()].pivot_table(index=["source", "pair"], columns="gender", values="score")
    names = frame[frame["kind"] == "name"]
    by_gender = names.pivot_table(index="source", columns="gender", values="score")
    by_race = names.pivot_table(index="source", columns="race", values="score")
    gender = np.concatenate([nouns["female"] - nouns["male"], by_gender["female"] - by_gender["male"]])
    race = (by_race["African American"] - by_race["European American"]).to_numpy()
    return tuple((float(d.mean()), float(stats.ttest_1samp(d, 0).pvalue)) for d in (gender, race))  # type: ignore[return-value]


def _memory() -> Rows:
    """The most that examining holds, in score matrices; it must not grow with their size."""
    from evenhand.scoring import Column, Scores
    from evenhand.studies.reading import Submission, Submissions
    from evenhand.systems.base import Output

    corpus = eec("released")
    found = []
    for number in (100, 400):
        matrix = np.random.default_rng(0).uniform(size=(len(corpus), number))
        matrix.flags.writeable = False
        members = tuple(
            Submission(f"s{k}", DIMENSIONS[k % 5], "", k, "", True, None, "no gold was given") for k in range(number)
        )
        columns = tuple(Column(one.system, Output(one.dimension), None) for one in members)
        read = Submissions(members, Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest), ())
        gc.collect()
        tracemalloc.start()
        examine(read, corpus, evidence=False)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found.append(peak / matrix.nbytes)
    few, many = found
    return [
        _row(
            "memory beside the scores, in score matrices",
            f"{few:.2f} for 100 submissions, {many:.2f} for 400",
            "less than one copy",
            met=many < 1,
        )
    ]
