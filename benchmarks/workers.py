"""What workers bring: a system of a millisecond a sentence asked by itself, by two processes, and by two Ray actors.

Measured side by side, starting and loading left out. `python -m benchmarks workers`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.verbs.ask import ask

SENTENCES = 256 * 6
WORKERS = 2
GOAL = 0.7
"""Of the ideal: two workers twice as fast as one."""
MODULE = '''
import time

def millisecond(texts):
    """Keeps a core busy."""
    until = time.process_time() + 0.001 * len(texts)
    while time.process_time() < until:
        pass
    return [0.5] * len(texts)
'''
Row = tuple[str, str, str, str]


def run() -> list[Row]:
    """A row for each engine."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "busy_for_workers.py").write_text(MODULE)
        sys.path.append(folder)
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        alone = _seconds(folder, "alone", {})
        rows = [_row("two processes", alone, _seconds(folder, "local", {"workers": WORKERS}))]
        rows.append(_row("two Ray actors", alone, _seconds(folder, "ray", {"workers": WORKERS, "engine": "ray"})))
    return rows


def _seconds(folder: str, name: str, engine: dict[str, object]) -> float:
    """How much longer it takes to ask for three times as much: what it takes to start and load falls out."""
    _asked(Path(folder, name), 1, engine)  # a cluster starts
    less, more = (_asked(Path(folder, f"{name} {times}"), times, engine) for times in (1, 3))
    return more - less


def _asked(cache: Path, times: int, engine: dict[str, object]) -> float:
    begun = time.perf_counter()
    settings: Any = {"cache": cache, "version": "1", "progress": False, **engine}
    ask("py:busy_for_workers:millisecond", _corpus(times * SENTENCES), **settings)
    return time.perf_counter() - begun


def _row(what: str, alone: float, together: float) -> Row:
    speed = alone / together
    ok = speed >= GOAL * WORKERS
    return what, f"{speed:.2f} × the system by itself", f"at least {GOAL * WORKERS:.1f} ×", "yes" if ok else "no"


def _corpus(sentences: int) -> Corpus:
    ids = [f"s{number}" for number in range(sentences)]
    frame = pl.DataFrame({"id": ids, "text": [f"Sentence {number}." for number in range(sentences)], "person": ids})
    return Corpus(frame.with_columns(source=pl.lit("one")), "busy", {})
