"""The progress bar: on stderr, for people at a terminal, and without cost for everybody else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Advance = Callable[[int], None]
Start = Callable[[str, int, int], Advance]
"""Called with a system's name, its number of sentences and how many are known already; gives what counts further."""


@contextlib.contextmanager
def progress_bars(show: bool | None = None) -> Iterator[Start]:
    """Bars with rate and time left, one per system, while the block runs; None: only if stderr is a terminal."""
    if show is None:
        show = sys.stderr is not None and sys.stderr.isatty()
    if not show:
        yield lambda name, total, known: lambda count: None
        return
    with _bars() as start:
        yield start


@contextlib.contextmanager
def _bars() -> Iterator[Start]:
    # Imported here: rich costs as much as scoring a small corpus.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many sentences a second the system answers; those from the cache do not count."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "–/s", style="progress.data.speed")

    console = Console(stderr=True)
    # markup=False: a system's name is not ours to interpret. stdout is left alone: it may be JSON for a pipe.
    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeLeft(),
        console=console,
        transient=console.is_terminal,
        redirect_stdout=False,
    )

    def start(name: str, total: int, known: int) -> Advance:
        task = shown.add_task(name, total=total, completed=known)
        return lambda count: shown.advance(task, count)

    with shown:
        yield start
