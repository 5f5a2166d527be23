"""Whole verbs beside what they cannot do without, and beside an early version of themselves."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import replace
from io import BytesIO
from itertools import count
from pathlib import Path

from benchmarks.interleaved import Row, timed
from evenhand.corpora import Corpus, eec
from evenhand.systems.lexicons.vader import Vader
from evenhand.verbs.audit import audit

ROUNDS, REPAIRS = 5, 3
BEYOND_ASKING = 2.0
EARLY, FASTER = "358df88", 3.0
ROOT = Path(__file__).parents[1]

REPAIR = """
import time
from dataclasses import replace
import evenhand
from evenhand.corpora import eec

repair = getattr(evenhand, "repair_system", None) or evenhand.repair
seconds = []
for _ in range(2):  # the first one pays for what is imported
    corpus = replace(eec())
    start = time.perf_counter()
    repair("vader", corpus, progress=False)
    seconds.append(time.perf_counter() - start)
print(seconds[-1])
"""


def run() -> list[Row]:
    """An audit beside asking its lexicon, and a repair beside that of an early version."""
    return [_audit(), _repair()]


def _audit() -> Row:
    """A whole audit with nothing kept from before, beside the lexicon's own work."""
    texts, vader = eec().frame["text"].to_list(), Vader()
    with tempfile.TemporaryDirectory() as folder:
        caches = (Path(folder) / str(number) for number in count())

        def audited() -> None:
            audit("vader", _fresh(), cache=next(caches), progress=False)

        audited()
        seconds = timed({"audit": audited, "asking": lambda: vader.score(texts)}, ROUNDS)
    ratio = statistics.median(a / b for a, b in zip(seconds["audit"], seconds["asking"], strict=True))
    met = "yes" if ratio <= BEYOND_ASKING else "no"
    return "audit of vader beside asking it", f"{ratio:.1f} × as long", f"<= {BEYOND_ASKING:g} ×", met


def _fresh() -> Corpus:
    """A corpus from which nothing was made yet."""
    return replace(eec())


def _repair() -> Row:
    """The same repair by both versions in turn, each in a process of its own; imports are not counted."""
    what, goal = f"repair of vader beside that of {EARLY}", f">= {FASTER:g} × as fast"
    archive = subprocess.run(["git", "archive", EARLY, "src"], cwd=ROOT, capture_output=True)  # noqa: S607
    if archive.returncode:
        return what, "not measured: that version is not in the history here", goal, "no"
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as early:
            early.extractall(folder, filter="data")
        sources = {"now": ROOT / "src", "early": Path(folder) / "src"}
        seconds: dict[str, list[float]] = {name: [] for name in sources}
        for _ in range(REPAIRS):
            for name, source in sources.items():
                seconds[name].append(_seconds(source))
    ratio = statistics.median(a / b for a, b in zip(seconds["early"], seconds["now"], strict=True))
    return what, f"{ratio:.1f} × as fast", goal, "yes" if ratio >= FASTER else "no"


def _seconds(source: Path) -> float:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(source), "EVENHAND_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", REPAIR], env=environment, capture_output=True, text=True, check=True
        )
    return float(done.stdout)
