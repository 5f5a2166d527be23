"""`make bench`: ratios measured side by side in one run. `python -m benchmarks NAME...` runs some of them."""

from __future__ import annotations

import importlib
import sys

from rich.console import Console
from rich.table import Table

BENCHMARKS = (
    "help",
    "engine",
    "contrasts",
    "made_once",
    "verbs",
    "study",
    "metrics",
    "prefix",
    "few_shot",
    "transformers",
    "gpu",
    "truth",
    "decisions",
    "sequential",
    "names",
    "signals",
    "perturb",
    "endpoints",
    "workers",
    "explorer",
    "size",
)


def main(names: list[str]) -> int:
    """Run the benchmarks and print one table; the exit code says whether every goal was met."""
    table = Table("benchmark", "what", "measured", "goal", "met")
    met = True
    chosen = [name for name in names if not name.startswith("--")]  # what begins so is for a benchmark to read
    for name in chosen or BENCHMARKS:
        for what, measured, goal, ok in importlib.import_module(f"benchmarks.{name}").run():
            table.add_row(name, what, measured, goal, ok)
            met = met and ok == "yes"
    Console(width=140).print(table)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main([one for one in sys.argv[1:] if not one.startswith("--")]))
