"""What `evenhand --help` costs beside the `--help` of an empty typer app."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

EMPTY = "import typer; app = typer.Typer(); app.command()(lambda: None); app()"
OURS = "from evenhand.cli import main; main()"
ROUNDS = 15
GOAL = 1.5


def seconds(code: str) -> float:
    """One fresh process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, "--help"], check=True, capture_output=True)
    return time.perf_counter() - start


def run() -> list[tuple[str, str, str, str]]:
    """Alternate the two, so that a busy moment hits both."""
    seconds(EMPTY), seconds(OURS)
    pairs = [(seconds(EMPTY), seconds(OURS)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours / empty for empty, ours in pairs)
    empty, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
    measured = f"{ratio:.2f} × ({1000 * ours:.0f} ms against {1000 * empty:.0f} ms)"
    return [
        ("evenhand --help against an empty typer app", measured, f"at most {GOAL} ×", "yes" if ratio <= GOAL else "no")
    ]
