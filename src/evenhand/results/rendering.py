"""How a kind of result is rendered: a table that the room of reports fills. Nothing here knows how a page looks."""

from __future__ import annotations

import html
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, one_line
from evenhand.files.whole import Content
from evenhand.printing import visible

if TYPE_CHECKING:
    from evenhand.printing.screen import Screen
    from evenhand.results.result import Result

Files = Mapping[str, Content]
"""Contents by their path within the folder of a result."""

RENDERING_ROOM = "evenhand.report"
"""Imported by its name on first use, as nothing on this side may know it: it fills the table below."""


def _nothing(result: Any) -> Files:
    return {}


def _no_pages(folder: Path) -> Iterable[Path]:
    return ()


def _no_usage(result: Any, folder: Path) -> str | None:
    return None


def _summed_up(result: Any) -> str:
    """What was found in a line, then the main table."""
    lead = f"<p><strong>{html.escape(visible(result.kind))}</strong>: {html.escape(visible(result.summary()))}</p>"
    return f"{lead}{result.frame()._repr_html_()}"


@dataclass(frozen=True)
class Renderer:
    """What a kind of result looks like: on a page, in a terminal, in a notebook, and as files beside its JSON."""

    page_file: str
    page: Callable[[Any], str]
    show: Callable[[Any, Screen], None]
    """Print all of it for people."""
    summary: Callable[[Any], str]
    """The verdict in one line, for lists of results."""
    text: Callable[[Any], str]
    """What was found in sentences, as `print` shows it."""
    brief: Callable[[Any, Screen], None] | None = None
    """Print what fits one screen, where all of it may not: the answer, the worst of it, and what to do next."""
    usage: Callable[[Any, Path], str | None] = _no_usage
    """What can be done with what lies in the folder, in one line; no part of the result, which may be moved."""
    notebook: Callable[[Any], str] = _summed_up
    pages: Callable[[Any], Files] = _nothing
    """Further pages that the page leads to."""
    own_pages: Callable[[Path], Iterable[Path]] = _no_pages
    """Those in a folder, of this result or of an earlier one that was saved there."""
    beside: Callable[[Any], Files] = _nothing
    """What is always saved beside page and JSON."""
    tables: Callable[[Any], Files] = _nothing
    figures: Callable[[Any], Files] = _nothing
    """PNG and SVG; made on request, as they take a moment each."""
    figures_are_saved: bool = False
    """Whether `save` writes the figures unless it is told not to."""


_RENDERERS: dict[str, Renderer] = {}


def register_renderer(kind: str, renderer: Renderer) -> None:
    """Say how a kind of result is rendered."""
    _RENDERERS[kind] = renderer


def renderer_of(result: Result) -> Renderer:
    """How this result is rendered; one that was loaded, and does not fit together, is refused with its file."""
    known = _renderers()[result.kind]
    if result.loaded_from is None:
        return known
    parts: dict[str, Any] = {one.name: getattr(known, one.name) for one in fields(known)}
    guarded: dict[str, Any] = {name: _guarded(one, result) if callable(one) else one for name, one in parts.items()}
    return Renderer(**guarded)


@contextmanager
def fitting(*results: Result) -> Iterator[None]:
    """What cannot be made of a result that was loaded is told as what it is: a file whose parts do not fit together.

    Types are checked in loading. What only a look at everything would tell, say a finding of a group that there is not,
    ends up here; in a result that was not loaded it is a mistake of ours.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        loaded = list(dict.fromkeys(result.loaded_from for result in results if result.loaded_from is not None))
        if not loaded:
            raise
        files = " or ".join(map(str, loaded))
        if isinstance(error, EvenhandError):
            if not any(one.parent.name in str(error) for one in loaded):
                error.args = (f"{files}: {error}",)
            raise
        why = f"{type(error).__name__}: {one_line(error)}"
        raise EvenhandError(f"{files}: what it holds does not fit together ({why}); make it again") from error


def _guarded(call: Callable[..., Any], result: Result) -> Callable[..., Any]:
    def guarded(*given: Any) -> Any:
        with fitting(result):
            made = call(*given)
        if isinstance(made, Mapping):
            return {name: _guarded(one, result) if callable(one) else one for name, one in made.items()}
        return made

    return guarded


def rendered_kinds() -> tuple[str, ...]:
    """The kinds of results that can be rendered."""
    return tuple(_renderers())


def page_file_of(kind: str) -> str:
    """What the page of a kind of result is called."""
    return _renderers()[kind].page_file


def _renderers() -> Mapping[str, Renderer]:
    importlib.import_module(RENDERING_ROOM)
    return _RENDERERS
