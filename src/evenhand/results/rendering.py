"""How a kind of result is rendered: a table that the room of reports fills. Nothing here knows how a page looks."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.files.whole import Content

if TYPE_CHECKING:
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


def _frame_as_html(result: Any) -> str:
    return str(result.frame()._repr_html_())


@dataclass(frozen=True)
class Renderer:
    """What a kind of result looks like: on a page, in a terminal, in a notebook, and as files beside its JSON."""

    page_file: str
    page: Callable[[Any], str]
    show: Callable[[Any, int | None], None]
    """Print for people on stdout; the width is that of the terminal unless it is given."""
    summary: Callable[[Any], str]
    """The verdict in one line, for lists of results."""
    text: Callable[[Any], str]
    """What was found in sentences, as `print` shows it."""
    usage: Callable[[Any, Path], str | None] = _no_usage
    """What can be done with what lies in the folder, in one line; no part of the result, which may be moved."""
    notebook: Callable[[Any], str] = _frame_as_html
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
    """How this result is rendered."""
    return _renderers()[result.kind]


def rendered_kinds() -> tuple[str, ...]:
    """The kinds of results that can be rendered."""
    return tuple(_renderers())


def page_file_of(kind: str) -> str:
    """What the page of a kind of result is called."""
    return _renderers()[kind].page_file


def _renderers() -> Mapping[str, Renderer]:
    importlib.import_module(RENDERING_ROOM)
    return _RENDERERS
