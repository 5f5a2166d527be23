"""The explorer as a web application: its API, its pages, and its own files, behind the guard."""

from __future__ import annotations

import contextlib
import importlib.metadata
import secrets
import threading
import time
from typing import Annotated

from fastapi import FastAPI, Form, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from evenhand.errors import EvenhandError, one_line
from evenhand.report.explorer.views import page
from evenhand.report.page.shell import read_file
from evenhand.web.answers import html
from evenhand.web.api import api
from evenhand.web.explorer import Explorer, NotThere
from evenhand.web.pages import pages
from evenhand.web.safety import COOKIE, Guard, cookie_of, is_same

STATIC = {
    "style.css": ("style.css", "text/css; charset=utf-8"),
    "explorer.css": ("explorer/explorer.css", "text/css; charset=utf-8"),
    "explorer.js": ("explorer/explorer.js", "text/javascript; charset=utf-8"),
}
"""What pages load: the name in the address, the file, and what it is."""
ATTEMPT = 0.5
"""Seconds that a wrong token costs; meanwhile no other one is looked at."""


def application(
    explorer: Explorer, *, token: str | None = None, loopback: bool = True, names: tuple[str, ...] = ()
) -> Guard:
    """The explorer with everything around it."""
    app = FastAPI(
        title="Evenhand explorer",
        version=importlib.metadata.version("evenhand"),
        description="Saved results, the sentences behind them, and new ones.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.explorer = explorer
    app.include_router(api)
    app.include_router(pages)
    _own_files(app)
    _login(app, token)
    _failures(app)
    return Guard(app, most_upload=explorer.most_upload, token=token, loopback=loopback, names=names)


def _own_files(app: FastAPI) -> None:
    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        if name not in STATIC:
            raise NotThere("there is no such file")
        place, kind = STATIC[name]
        return Response(read_file(place), media_type=kind, headers={"cache-control": "public, max-age=3600"})


def _login(app: FastAPI, token: str | None) -> None:
    trying = threading.Lock()

    @app.get("/login", include_in_schema=False)
    def login_page() -> HTMLResponse:
        return html("login", problem=None)

    @app.post("/login", include_in_schema=False)
    def login(given: Annotated[str, Form(alias="token", max_length=1_000)] = "") -> Response:
        if token is None:
            return RedirectResponse("/", status_code=303)
        if not is_same(given.strip(), token):
            if not trying.acquire(blocking=False):
                return html("login", status=429, problem="somebody else is trying; wait a moment")
            with contextlib.ExitStack() as done:
                done.callback(trying.release)
                time.sleep(ATTEMPT + secrets.randbelow(100) / 1_000)
            return html("login", status=403, problem="that is not the token")
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, cookie_of(token), httponly=True, samesite="strict", path="/")
        return answer


def _failures(app: FastAPI) -> None:
    """Whatever goes wrong, one line says what; a page for people, JSON for programs."""

    def told(request: Request, status: int, message: str) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"detail": message}, status_code=status)
        return HTMLResponse(page("problem", message=message, status=status), status_code=status)

    @app.exception_handler(EvenhandError)
    async def refused(request: Request, error: EvenhandError) -> Response:
        return told(request, 404 if isinstance(error, NotThere) else 422, str(error))

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        parts = [
            f"{'.'.join(str(part) for part in one['loc'][1:]) or 'the request'}: {one['msg']}" for one in error.errors()
        ]
        return told(request, 422, one_line("; ".join(parts), 500))

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        said = "there is no such page" if error.status_code == 404 else str(error.detail)
        answer = told(request, error.status_code, said)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        return told(request, 500, f"{type(error).__name__} (this should not happen; the explorer goes on)")
