"""A result on stdout, as JSON or for reading; on stderr, where it lies and what can be done with it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from evenhand.errors import SystemsFailed
from evenhand.printing import say, tell_json

if TYPE_CHECKING:
    from evenhand.results import Result

P = ParamSpec("P")
R = TypeVar("R", bound="Result")


def show(result: Result, *, as_json: bool, folder: Path | None = None) -> None:
    """JSON and nothing else, or what people read; then how to use what lies in the folder."""
    if as_json:
        tell_json(result.to_json())
    else:
        result.show()
    usage = None if folder is None else result.usage(folder)
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


def show_saved(found: Result | SystemsFailed, out: Path | None, *, as_json: bool) -> None:
    """The same; before it, where the result was saved, if it was, and the command that shows it again.

    Where systems failed, what was found about the others is shown, and then the failure is raised.
    """
    if isinstance(found, SystemsFailed):
        show_saved(cast("Result", found.result), out, as_json=as_json)
        raise found
    from evenhand.results.rendering import page_file_of

    result = found
    if out is not None:
        again = shlex.join(["evenhand", "report", str(out)])
        say(f"saved in {out}: open {out / page_file_of(result.kind)}, or `{again}`")
    show(result, as_json=as_json, folder=out)
