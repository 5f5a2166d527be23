"""The progress bar: on stderr, for people at a terminal, and without cost for everybody else."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from evenhand.printing import console_of, visible_line
from evenhand.printing.at_work import A_MOMENT, others_move

Advance = Callable[[int], None]
Start = Callable[[str, int, int], Advance]
"""Called with a system's name, its number of sentences and how many are known already; gives what counts further."""


class _Bars:
    """Whether there are any, for the whole process."""

    shown = True


@contextlib.contextmanager
def no_bars() -> Iterator[None]:
    """Somebody wants to hear nothing but the answer."""
    _Bars.shown = False
    try:
        yield
    finally:
        _Bars.shown = True


@contextlib.contextmanager
def progress_bars(show: bool | None = None) -> Iterator[Start]:
    """Bars with rate and time left, one per system, while the block runs; None: only if stderr is a terminal."""
    if show is None:
        show = _for_people()
    if not show:
        yield lambda name, total, known: lambda count: None
        return
    with _bars() as start:
        yield start


@contextlib.contextmanager
def work_bar(name: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar for work of so many steps, if it takes longer than a moment and stderr is a terminal; gives what counts."""
    if not _for_people():
        yield lambda: None
        return
    begun, done = time.monotonic(), 0
    with contextlib.ExitStack() as stack:
        shown: list[Advance] = []

        def advance() -> None:
            nonlocal done
            done += 1
            if shown:
                shown[0](1)
            elif time.monotonic() - begun > A_MOMENT:
                shown.append(stack.enter_context(_bars(rate=False))(name, total, done))

        yield advance


def _for_people() -> bool:
    return _Bars.shown and sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def _bars(*, rate: bool = True) -> Iterator[Start]:
    # Imported here: rich costs as much as scoring a small corpus.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many sentences a second the system answers; those from the cache do not count."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "–/s", style="progress.data.speed")

    console = console_of(on_stderr=True)
    # markup=False: a system's name is not ours to interpret. stdout is left alone: it may be JSON for a pipe.
    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *([Rate()] if rate else []),
        TimeLeft(),
        console=console,
        transient=console.is_terminal,
        redirect_stdout=False,
    )

    def start(name: str, total: int, known: int) -> Advance:
        task = shown.add_task(visible_line(name), total=total, completed=known)
        return lambda count: shown.advance(task, count)

    with others_move(), shown:
        yield start
