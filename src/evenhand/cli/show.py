"""A result on stdout, as JSON or for reading; on stderr, where it lies and what can be done with it."""

from __future__ import annotations

import logging
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from evenhand.errors import SystemsFailed
from evenhand.printing import say, tell, tell_json

if TYPE_CHECKING:
    from evenhand.results import Result

P = ParamSpec("P")
R = TypeVar("R", bound="Result")


@dataclass(frozen=True)
class Shown:
    """How much of a result is shown."""

    full: bool = False
    quiet: bool = False
    open_page: bool = False


@contextmanager
def hushed() -> Iterator[None]:
    """No progress and no remarks: what is left on stderr are warnings and errors."""
    from evenhand.asking.progress import no_bars

    logger = logging.getLogger("evenhand")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        with no_bars():
            yield
    finally:
        logger.setLevel(level)


def show(result: Result, shown: Shown, *, as_json: bool, folder: Path | None = None) -> None:
    """JSON and nothing else, or what people read; then how to use what lies in the folder."""
    if as_json:
        tell_json(result.to_json())
    elif shown.quiet:
        tell(result.summary())
    else:
        result.show(full=shown.full)
    usage = None if folder is None or shown.quiet else result.usage(folder)
    if usage is not None:
        say(usage)


def found_by(verb: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | SystemsFailed:
    """What a verb finds; where systems failed and others did not, the failure, which holds what was found."""
    try:
        return verb(*args, **kwargs)
    except SystemsFailed as failed:
        if failed.result is None:
            raise
        return failed


def show_saved(found: Result | SystemsFailed, out: Path | None, shown: Shown, *, as_json: bool) -> None:
    """The same; then where the result was saved, if it was, and the command that shows it again.

    Where systems failed, what was found about the others is shown, and then the failure is raised.
    """
    if isinstance(found, SystemsFailed):
        show_saved(cast("Result", found.result), out, shown, as_json=as_json)
        raise found
    show(found, shown, as_json=as_json, folder=out)
    page = None if out is None else out / _page_file(found)
    if page is not None and not shown.quiet:
        say(f"saved in {out}: open {page}, or `{shlex.join(['evenhand', 'report', str(out)])}`")
    if shown.open_page:
        open_page(found, page)


def open_page(result: Result, page: Path | None) -> None:
    """Show the page in a browser; what was not saved gets a folder that lasts as long as the system keeps such."""
    import webbrowser

    if page is None:
        folder = Path(tempfile.mkdtemp(prefix="evenhand-"))
        result.export(folder, page=True)
        page = folder / _page_file(result)
    if not webbrowser.open(page.resolve().as_uri()):
        say(f"no browser could be opened; the page is {page}")


def _page_file(result: Result) -> str:
    from evenhand.results.rendering import page_file_of

    return page_file_of(result.kind)
