"""The page that lists the calls of the API, made from its own description."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from evenhand.web.answers import html

routes = APIRouter()


@routes.get("/api")
def api(request: Request) -> HTMLResponse:
    """All calls in words."""
    schema = request.app.openapi()
    calls = [
        _call(method, path, about) for path, methods in schema["paths"].items() for method, about in methods.items()
    ]
    return html("api", calls=calls, version=schema["info"]["version"])


def _call(method: str, path: str, about: dict[str, Any]) -> dict[str, Any]:
    given = [one for code, one in about["responses"].items() if code[0] == "2"]
    return {
        "method": method.upper(),
        "path": path,
        "summary": about.get("description", about.get("summary", "")),
        "parameters": [
            {
                "name": one["name"],
                "place": one["in"],
                "required": one.get("required", False),
                "about": one.get("description", ""),
            }
            for one in about.get("parameters", [])
        ],
        "body": ", ".join(about.get("requestBody", {}).get("content", {})),
        "gives": ", ".join(kind for one in given for kind in one.get("content", {})),
    }
