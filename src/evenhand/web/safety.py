"""What comes in is looked at here before anybody else sees it, and what goes out gets its headers here."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from evenhand.errors import UsageError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "evenhand"
SHORTEST = 16
"""Characters of a token: a shorter one could be guessed."""
MOST_BODY = 64 * 1024
"""Bytes of a request, but for uploads."""
FORM = 16 * 1024
"""Bytes of an upload beside the file."""
UPLOADS = ("/api/uploads", "/upload")
OPEN = ("/login", "/static/")
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Refused(HTTPException):
    """A request that is answered with a status and one line."""


class Guard:
    """The explorer behind its door: known hosts, one's own pages, the token, and sizes."""

    def __init__(
        self,
        app: App,
        *,
        most_upload: int,
        token: str | None = None,
        loopback: bool = True,
        names: tuple[str, ...] = (),
    ) -> None:
        """`names` are hosts by which it may be called besides its addresses; `most_upload` is in bytes."""
        check_token(token)
        self._app, self._token, self._loopback = app, token, loopback
        self._names = {name.lower() for name in ("localhost", *names)}
        self._most_upload = most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at a request, answer it or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no sockets here
            return
        headers = _headers(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", []))
                there = {name.lower() for name, _ in given}
                given += [
                    (name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in there
                ]
                message = {**message, "headers": given}
            await send(message)

        try:
            self._check_host(headers)
            self._check_site(scope, headers)
            self._check_token(scope, headers)
            limited = self._limited(scope, headers, receive)
        except Refused as refused:
            await _answer(scope, refused, send_with_headers)
            return
        await self._app(scope, limited, send_with_headers)

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """A page of somebody else that makes its name point here would else read everything (DNS rebinding)."""
        host = host_of(headers.get("host", ""))
        if host is None or not self._known(host):
            raise Refused(421, "this address is not one of the explorer's; use the one that it printed when it started")

    def _known(self, host: str) -> bool:
        if host in self._names:
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        # Whoever types an address means that machine: only names can be made to point elsewhere.
        return address.is_loopback if self._loopback else True

    def _check_site(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Other people's pages can neither change anything here nor have anything computed."""
        safe = scope["method"] in SAFE
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        if site in ("cross-site", "same-site") and not (safe and mode == "navigate" and scope["path"] != "/api/try"):
            raise Refused(403, "requests from other sites are refused")
        origin = headers.get("origin")
        if origin == "null" and site == "same-origin":  # how browsers send forms of pages without referrers
            return
        if origin is not None and not _is_own(origin, headers.get("host", "")):
            raise Refused(403, "requests from other sites are refused")

    def _check_token(self, scope: Scope, headers: Mapping[str, str]) -> None:
        if self._token is None or any(scope["path"] == one or scope["path"].startswith(one) for one in OPEN):
            return
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and is_same(given.strip(), self._token):
            return
        if is_same(_cookie(headers.get("cookie", "")), cookie_of(self._token)):
            return
        raise Refused(401, "a token is needed: open /login, or send it as Authorization: Bearer TOKEN")

    def _limited(self, scope: Scope, headers: Mapping[str, str], receive: Receive) -> Receive:
        """What is sent, as long as it is no longer than it may be."""
        most = self._most_upload + FORM if scope["path"] in UPLOADS else MOST_BODY
        said = headers.get("content-length", "0")
        if not said.isdecimal() or not said.isascii():
            raise Refused(400, "the length of what is sent is not a number")
        too_long = Refused(413, f"too long: at most {most:,} bytes may be sent here")
        if len(said) > 15 or int(said) > most:
            raise too_long
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise too_long
            return message

        return limited


def check_token(token: str | None) -> None:
    """A token is long enough not to be guessed, and can be sent in a header."""
    if token is not None and (len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token):
        raise UsageError(f"a token needs at least {SHORTEST} characters: letters, digits and signs, without spaces")


def cookie_of(token: str) -> str:
    """What the browser keeps in the place of the token: it says nothing about it."""
    return hmac.new(token.encode(), b"evenhand explorer", hashlib.sha256).hexdigest()


def is_same(given: str, known: str) -> bool:
    """Whether two secrets are the same; how long that takes says nothing about them."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


def host_of(header: str) -> str | None:
    """The host in a header, without its port; None where it is none.

    >>> host_of("localhost:8377"), host_of("[::1]:80"), host_of("a@b"), host_of("")
    ('localhost', '::1', None, None)
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname if parts.hostname and parts.netloc == header and "@" not in header else None


def _is_own(origin: str, host: str) -> bool:
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def _answer(scope: Scope, refused: Refused, send: Send) -> None:
    page = not scope["path"].startswith("/api/") and scope["method"] in ("GET", "POST")
    if refused.status_code == 401 and page and scope["method"] == "GET":
        location = [(b"location", b"/login")]
        await send({"type": "http.response.start", "status": 303, "headers": location})
        await send({"type": "http.response.body", "body": b""})
        return
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    said = f"<!doctype html><title>Refused</title><p>{escape(refused.detail)}</p>" if page else None
    body = (said or json.dumps({"detail": refused.detail})).encode()
    fields = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    if refused.status_code == 401:
        fields.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refused.status_code, "headers": fields})
    await send({"type": "http.response.body", "body": body})
