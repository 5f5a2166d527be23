"""The explorer: 50 readers at once of a result of 219 systems, a thousand results in a list, and a sentence to try."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

import evenhand
from evenhand.asking import Column, Scores
from evenhand.corpora import eec
from evenhand.systems.base import Output

READERS, SYSTEMS, RESULTS = 50, 219, 1_000
EACH = 20
"""Requests of each reader, one after the other."""
SOON = 1.0
"""Seconds: what a reader waits for without thinking about it."""
Rows = list[tuple[str, str, str, str]]


def run() -> Rows:
    """In a process of its own, over HTTP, as people read it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _audit().save(place / "many" / "audit", figures=False)
        _thousand(place / "list")
        return [*_readers(place), *_listed(place), *_tried(place)]


def _audit() -> evenhand.Audit:
    """Of 219 systems whose scores follow the emotion words, with gaps of every size."""
    corpus = eec()
    rng = np.random.default_rng(0)
    emotion = corpus.frame["emotion"].fill_null("none").rank("dense").to_numpy() / 5
    women = (corpus.frame["gender"] == "female").to_numpy()
    gaps = np.linspace(-0.05, 0.05, SYSTEMS)
    matrix = np.clip(
        0.1 + 0.6 * emotion[:, None] + women[:, None] * gaps + rng.normal(0, 0.02, (len(corpus), SYSTEMS)), 0, 1
    )
    columns = tuple(Column(f"system-{number:03d}", Output("score"), None) for number in range(SYSTEMS))
    return evenhand.audit(Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest), corpus, progress=False)


def _thousand(place: Path) -> None:
    evenhand.audit("planted(gap=0.05)", sample=480, attributes="gender", out=place / "r0000", progress=False)
    for number in range(1, RESULTS):
        (place / f"r{number:04d}").mkdir()
        shutil.copy(place / "r0000" / "report.json", place / f"r{number:04d}")


def _readers(place: Path) -> Rows:
    """Every reader asks for pages and for sentences in turn; nobody waits between two requests."""
    with _served(place / "many") as port:
        (result,) = json.loads(_asked(port, "/api/results"))["results"]
        base = f"/results/{result['id']}"
        ways = ["/", *(f"{base}?column={number}" for number in (0, 60, 218))]
        ways += [f"{base}/differences?finding={number}" for number in (0, 200)]
        ways += [f"{base}/differences/{row}?finding=7" for row in (0, 100)]
        template = eec().frame["template"][0]
        ways += [f"{base}/cell?" + urlencode({"column": 3, "person": "Tia", "template": template})]
        for way in ways:  # pages are made once; what that costs is a row of its own
            _asked(port, way)
        begun = time.perf_counter()
        _asked(port, f"{base}?column=100")
        first = time.perf_counter() - begun
        waited: list[float] = []

        def read(number: int) -> None:
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            for turn in range(EACH):
                start = time.perf_counter()
                _answer(line, ways[(number + turn) % len(ways)])
                waited.append(time.perf_counter() - start)
            line.close()

        threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - begun
    median, late = np.quantile(waited, [0.5, 0.99])
    rate = f"{len(waited) / took:.0f} requests a second"
    return [
        ("219 systems: a page that nobody has opened", f"{first:.2f} s", f"< {2 * SOON:g} s", _met(first < 2 * SOON)),
        ("50 readers of 219 systems at once, median", f"{median:.2f} s ({rate})", f"< {SOON:g} s", _met(median < SOON)),
        ("the same, 99th percentile", f"{late:.2f} s", f"< {3 * SOON:g} s", _met(late < 3 * SOON)),
    ]


def _listed(place: Path) -> Rows:
    with _served(place / "list") as port:
        begun = time.perf_counter()
        while json.loads(_asked(port, "/api/results?most=1"))["count"] < RESULTS:
            time.sleep(0.05)
        made = time.perf_counter() - begun
        waited = []
        for way in ("/", "/?sort=system", "/?text=r0500", "/api/results?most=1000") * 5:
            begun = time.perf_counter()
            _asked(port, way)
            waited.append(time.perf_counter() - begun)
    median, slowest = np.quantile(waited, [0.5, 1])
    measured = f"{median:.2f} s (slowest {slowest:.2f} s)"
    return [
        ("1,000 results listed, filtered or sorted, median", measured, f"< {SOON / 2:g} s", _met(median < SOON / 2)),
        ("the index of 1,000 results, from nothing", f"{made:.1f} s", "< 60 s", _met(made < 60)),
    ]


def _tried(place: Path) -> Rows:
    with _served(place / "list") as port:
        waited = []
        for system in ("vader", "textblob", "afinn", "nrc"):
            for text in (
                "My sister feels angry.",
                "Mohammed is a gay man.",
                "The old woman told her boss that Tia left.",
            ):
                body = json.dumps({"text": text, "system": system})
                line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                begun = time.perf_counter()
                line.request("POST", "/api/try", body, {"content-type": "application/json"})
                assert line.getresponse().read().startswith(b'{"text"')  # noqa: S101
                waited.append(time.perf_counter() - begun)
                line.close()
    median = float(np.median(waited))
    return [
        (
            "a sentence and all its versions, four lexicons, median",
            f"{median:.3f} s",
            f"< {SOON:g} s",
            _met(median < SOON),
        )
    ]


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", "serve", str(folder), "--port", "0"]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "EVENHAND_CACHE_DIR": cache}
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert server.stderr is not None  # noqa: S101
        said = server.stderr.readline()
        port = int(said.partition("127.0.0.1:")[2].partition("/")[0])
        while not json.loads(_asked(port, "/api/results"))["count"]:
            time.sleep(0.1)
        try:
            yield port
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)


def _asked(port: int, way: str) -> bytes:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        return _answer(line, way)
    finally:
        line.close()


def _answer(line: http.client.HTTPConnection, way: str) -> bytes:
    line.request("GET", way)
    answer = line.getresponse()
    content = answer.read()
    assert answer.status == 200, (way, answer.status, content[:300])  # noqa: S101
    return content


def _met(yes: bool) -> str:
    return "yes" if yes else "NO"
