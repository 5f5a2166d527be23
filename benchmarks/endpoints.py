"""How near an endpoint is asked to what it takes: a server on this machine that answers after 20 ms.

It runs in a process of its own and takes its share of the processor. How long it took over an answer itself is printed
beside, and what a bare loop of as many threads did, in turns with the engine: that is what the machine allows.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.endpoint_server import LATENCY, RATE, SLOTS
from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.systems.http import Http

ROUNDS = 3
SECONDS = 4
"""So long each run would take at best."""
CONCURRENCIES = (4, 8, 16)
GOAL = 0.9

Row = tuple[str, str, str, str]


def run() -> list[Row]:
    """Unlimited at several concurrencies, and with limits that the client has to find or is told."""
    return [
        *(_plain(concurrency) for concurrency in CONCURRENCIES),
        _row("20 ms an answer, 4 at once in the beginning and 16 at most", "plain", 16, 16 / LATENCY),
        _row(f"takes {SLOTS} at a time, 16 allowed", "slots", 16, SLOTS / LATENCY),
        _row(f"takes {RATE} a second and says what is left, 16 allowed", "told", 16, RATE),
        _row(f"takes {RATE} a second and says when to come back, 16 allowed", "rate", 16, RATE),
    ]


def _plain(concurrency: int) -> Row:
    what = f"{1000 * LATENCY:.0f} ms an answer, {concurrency} at once"
    return _row(what, "plain", concurrency, concurrency / LATENCY, at_first=concurrency)


def _row(what: str, kind: str, concurrency: int, ideal: float, *, at_first: int = 4) -> Row:
    runs, loops = [], []
    for _ in range(ROUNDS):
        runs.append(_asked(kind, concurrency, int(SECONDS * ideal), at_first=at_first))
        if at_first == concurrency:
            loops.append(_looped(concurrency, int(SECONDS * ideal)) / ideal)
    shares = [seen["rate"] / ideal for seen in runs]
    share = statistics.median(shares)
    last = runs[-1]
    once = all(seen["once"] for seen in runs)
    bounded = all(seen["most_at_once"] <= concurrency for seen in runs)
    measured = (
        f"{share:.2f} of {ideal:.0f}/s ({min(shares):.2f} to {max(shares):.2f}), each answered once: "
        f"{'yes' if once else 'NO'}; server {1000 * last['own_latency']:.1f} ms, {last['connections']} connections, "
        f"{last['refused']} of {last['answered']:,} refused, client {last['cpu']:.0%} of a core"
    )
    if loops:
        measured += f"; a bare loop {statistics.median(loops):.2f}"
    return what, measured, f">= {GOAL}", "yes" if share >= GOAL and once and bounded else "no"


def _asked(kind: str, concurrency: int, questions: int, *, at_first: int) -> dict[str, Any]:
    """Ask so many questions through the engine; gives what the server saw, and how many a second there were."""
    corpus = _corpus(questions)
    with tempfile.TemporaryDirectory() as folder, _server(kind) as (port, report):
        system = Http(f"http://127.0.0.1:{port}/", batch_size=1, concurrency=concurrency, at_first=at_first)
        began, busy = time.perf_counter(), time.process_time()
        scores = score([system], corpus, cache=Path(folder), progress=False)
        took, busy = time.perf_counter() - began, time.process_time() - busy
    right = scores.matrix[:, 0].tolist() == [len(text) / 1000 for text in corpus.frame["text"]]
    once = right and report["answered"] == report["distinct"] == questions
    full = report["full_seconds"]  # of a limited rate, as what is begun in the first second and the last is chance
    return report | {"rate": statistics.mean(full) if full else questions / took, "once": once, "cpu": busy / took}


def _looped(concurrency: int, questions: int) -> float:
    """The same without anything around it: so many threads with a line each; gives answers a second."""
    body = json.dumps({"texts": ["Person 1 told us about it."]})

    def loop(port: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(questions // concurrency):
            line.request("POST", "/", body)
            json.loads(line.getresponse().read())
        line.close()

    with _server("plain") as (port, _):
        threads = [threading.Thread(target=loop, args=(port,)) for _ in range(concurrency)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return questions / (time.perf_counter() - began)


@contextlib.contextmanager
def _server(kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """A server of a kind, and what it saw, once it is gone."""
    report: dict[str, Any] = {}
    command = [sys.executable, "-m", "benchmarks.endpoint_server", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            yield int(process.stdout.readline()), report
        finally:
            process.stdin.close()
            report |= json.loads(process.stdout.readline())


def _corpus(questions: int) -> Corpus:
    numbers = range(questions)
    frame = pl.DataFrame(
        {
            "id": [f"s{number}" for number in numbers],
            "text": [f"Person {number} told us about it." for number in numbers],
            "source": [f"source {number // 60}" for number in numbers],
            "person": [f"person {number % 60}" for number in numbers],
            "gender": [("female", "male")[number % 2] for number in numbers],
        }
    )
    return Corpus(frame=frame, name="benchmark", attributes={"gender": ("female", "male")})
