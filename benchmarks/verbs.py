"""Whole verbs beside what they cannot do without, and beside an early version of themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.interleaved import Row
from evenhand.corpora import Corpus, eec
from evenhand.systems.lexicons.vader import Vader
from evenhand.verbs.audit import audit

ROUNDS, AGAIN = 5, 3
BEYOND_ASKING = 2.0
EARLY, FASTER = "358df88", 3.0
ROOT = Path(__file__).parents[1]
ALIKE = 1e-12
"""How far a number of today may be from the early one, for rounding."""

REPAIR = """
import json, time
from dataclasses import replace
import evenhand
from evenhand.corpora import eec

repair = getattr(evenhand, "repair_system", None) or evenhand.repair
for _ in range(2):  # the first one pays for what is imported
    corpus = replace(eec())
    start, used = time.perf_counter(), time.process_time()
    repair("vader", corpus, progress=False)
    seconds = time.perf_counter() - start, time.process_time() - used
print(json.dumps([seconds, {}]))
"""
MEASURE = """
import json, time
import numpy as np
import polars as pl
from evenhand.corpora import load_corpus
from evenhand.metrics import Predictions, measure
from evenhand.metrics.testing import group_tests

labels = "negative", "positive", "neutral"
corpus = load_corpus("identity")
frame = corpus.frame.filter(pl.col("label").is_in(labels))
rows = {name: frame.filter(pl.col(name).is_not_null()) for name in corpus.attributes}
data = {
    name: Predictions.of(
        source=one["source"].to_list(),
        group=one[name].to_list(),
        term=one["person"].to_list(),
        gold=one["label"].to_list(),
        probabilities=dict(zip(labels, np.random.default_rng(0).dirichlet(np.ones(3), one.height).T, strict=True)),
    )
    for name, one in rows.items()
}
measure(data["age"], bootstrap=2)
start, used = time.perf_counter(), time.process_time()
found = {name: measure(one, bootstrap=500).to_dict()["metrics"] for name, one in data.items()}
for one in data.values():
    group_tests(one)
seconds = time.perf_counter() - start, time.process_time() - used
said = {
    f"{name} {metric} {label}": one["value"]
    for name, metrics in found.items()
    for metric, classes in metrics.items()
    for label, one in classes.items()
}
print(json.dumps([seconds, said]))
"""


def run() -> list[Row]:
    """An audit beside asking its lexicon; a repair and a measurement beside those of an early version."""
    with _sources() as sources:
        measured = "measure: 500 draws and tests, seven attributes, 44 metrics"
        return [
            _audit(),
            *_beside_early("repair of vader", REPAIR, sources),
            *_beside_early(measured, MEASURE, sources),
        ]


def _audit() -> Row:
    """A whole audit with nothing kept from before, beside the lexicon's own work."""
    texts, vader = eec().frame["text"].to_list(), Vader()
    with tempfile.TemporaryDirectory() as folder:
        caches = (Path(folder) / str(number) for number in count())

        def audited() -> None:
            audit("vader", _fresh(), cache=next(caches), progress=False)

        audited()
        seconds = [_spent(audited, lambda: vader.score(texts)) for _ in range(ROUNDS)]
    wall, processor = np.median(np.array(seconds), axis=0)
    said = f"{wall:.1f} × as long ({processor:.1f} × of the processor)"
    return "audit of vader beside asking it", said, f"<= {BEYOND_ASKING:g} ×", _met(wall <= BEYOND_ASKING)


def _spent(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """How many times as long the one takes: by the clock, and of the processor."""
    spent = []
    for work in (one, other):
        start, used = time.perf_counter(), time.process_time()
        work()
        spent.append((time.perf_counter() - start, time.process_time() - used))
    (clock, processor), (other_clock, other_processor) = spent
    return clock / other_clock, processor / other_processor


def _fresh() -> Corpus:
    """A corpus from which nothing was made yet."""
    return replace(eec())


@contextmanager
def _sources() -> Iterator[dict[str, Path] | None]:
    """Where both versions lie; None where the early one is not in the history here."""
    archive = subprocess.run(["git", "archive", EARLY, "src"], cwd=ROOT, capture_output=True)  # noqa: S607
    if archive.returncode:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as early:
            early.extractall(folder, filter="data")
        yield {"now": ROOT / "src", "early": Path(folder) / "src"}


def _beside_early(verb: str, script: str, sources: dict[str, Path] | None) -> list[Row]:
    """The same by both versions in turn, each in a process of its own; imports are not counted."""
    what, goal = f"{verb}, beside {EARLY}", f">= {FASTER:g} × as fast"
    if sources is None:
        return [(what, "not measured: that version is not in the history here", goal, "no")]
    seconds: dict[str, list[Any]] = {name: [] for name in sources}
    said: dict[str, dict[str, float | None]] = {}
    for _ in range(AGAIN):
        for name, source in sources.items():
            spent, said[name] = _run(script, source)
            seconds[name].append(spent)
    wall, processor = np.median(np.array(seconds["early"]) / np.array(seconds["now"]), axis=0)
    rows = [(what, f"{wall:.1f} × as fast ({processor:.1f} × less of the processor)", goal, _met(wall >= FASTER))]
    if said["now"]:
        off = [_apart(one, said["now"].get(name)) for name, one in said["early"].items()]
        rows.append((f"{verb}: numbers of {EARLY}", f"{max(off):.1g} off", f"<= {ALIKE:g}", _met(max(off) <= ALIKE)))
    return rows


def _apart(one: float | None, other: float | None) -> float:
    if one is None or other is None:
        return 0.0 if one is other else float("inf")
    return abs(one - other)


def _met(good: bool) -> str:
    return "yes" if good else "no"


def _run(script: str, source: Path) -> tuple[list[float], dict[str, float | None]]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(source), "EVENHAND_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
    spent, said = json.loads(done.stdout.splitlines()[-1])
    return spent, said
