"""The first page: all results in the folder."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from evenhand.web.answers import html
from evenhand.web.following import day_of
from evenhand.web.given import Asked, First, Optional, Served
from evenhand.web.index import Entry, Sort, Wanted

routes = APIRouter()
MOST = 25
"""Results in a list."""
SORTS = {
    "newest": "newest first",
    "oldest": "oldest first",
    "kind": "kind",
    "system": "system",
    "corpus": "corpus",
    "place": "folder",
}


@routes.get("/")
def home(
    explorer: Served, text: Asked = "", kind: Optional = None, system: Optional = None, corpus: Optional = None,
    sort: Sort = "newest", first: First = 0,
) -> HTMLResponse:  # fmt: skip
    """The results that are asked for."""
    index = explorer.index
    index.refresh_soon()
    wanted = Wanted(text, kind or None, system or None, corpus or None, sort)
    found, count = index.listed(wanted, first=first, most=MOST)
    chosen = {"text": text, "kind": kind or "", "system": system or "", "corpus": corpus or "", "sort": sort}
    shown = {name: value for name, value in chosen.items() if value and value != "newest"}
    return html(
        "results",
        rows=[_row(one) for one in found],
        count=count,
        first=first,
        more=_more(shown, first, count),
        chosen=chosen,
        kinds=index.known("kind"),
        corpora=index.known("corpora"),
        sorts=SORTS,
        filtered=bool(shown.keys() - {"sort"}),
        left=index.left,
        complete=index.complete,
        folder=explorer.folder.name or str(explorer.folder),
        can_try=bool(explorer.trials.systems),
    )


def _more(shown: dict[str, str], first: int, count: int) -> list[tuple[str, str]]:
    """The ways to the rest of the list."""
    return [
        (called, "/?" + urlencode({**shown, "first": place}))
        for called, place in (("Earlier in the list", first - MOST), ("Further down", first + MOST))
        if 0 <= place < count or (place < 0 < first)
    ]


def _row(one: Entry) -> dict[str, Any]:
    return {"entry": one, "day": day_of(one), "systems": systems_of(one), "corpora": corpora_of(one)}


def corpora_of(one: Entry) -> str:
    """The corpora of a result in the same way."""
    return ", ".join(one.corpora) if len(one.corpora) <= 3 else f"{len(one.corpora)} corpora"


def systems_of(one: Entry) -> str:
    """The systems of a result by name, or how many where they are more than a line holds."""
    return ", ".join(one.systems) if len(one.systems) <= 3 else f"{len(one.systems)} systems"
