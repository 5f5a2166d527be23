"""Answers: pages, files to be saved, and what the API says where it cannot answer."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse, Response

from evenhand.report.explorer.views import page
from evenhand.web import models

CSV, SVG = "text/csv; charset=utf-8", "image/svg+xml"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": models.Problem},
    422: {"model": models.Problem, "description": "What was asked for cannot be done as it was asked."},
}
TABLE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
CHART: dict[int | str, dict[str, Any]] = {200: {"content": {SVG: {}}}}


def html(name: str, *, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page as an answer."""
    return HTMLResponse(page(name, **shown), status_code=status)


def file(content: bytes, name: str, kind: str) -> Response:
    """A file to be saved under a name of ours."""
    safe = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "-" for sign in name)[:100]
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{safe}"'})
