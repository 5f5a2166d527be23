"""Who answers: one endpoint, asked with patience: time-outs, retries that back off, and a bound on what it may send."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import random
import ssl
import threading
import time
import urllib.parse
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

from evenhand.errors import BadAnswer, EvenhandError, UsageError, one_line
from evenhand.files.plain import refuse_constant
from evenhand.systems.http.secrets import Secrets

LARGEST_BODY = 64 * 2**20
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
"""Seconds; an endpoint that asks for a longer wait than this is given up on."""

HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "evenhand"}
WRONG_ADDRESS = {401, 403, 404, 405}
"""Answers that are about the address or the credentials, not about the texts: asking on is of no use."""


class Retriable(Exception):
    """Something that may be over at the next attempt; `wait` is what the endpoint asked for, in seconds."""

    def __init__(self, what: str, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


class Endpoint:
    """An address, and how it is to be asked."""

    def __init__(self, url: str, secrets: Secrets, *, timeout: float, retries: int) -> None:
        self.shown = url
        self.secrets = secrets
        self.timeout = timeout
        self.retries = retries
        self.has_answered = False
        self._parts = _checked(secrets.filled(url, "its address"), shown=url)
        self._tls = ssl.create_default_context() if self._parts.scheme == "https" else None
        self.target = urllib.parse.urlunsplit(("", "", self._parts.path or "/", self._parts.query, ""))
        names = {name.lower() for name in secrets.headers}
        self.headers = {k: v for k, v in HEADERS.items() if k.lower() not in names} | secrets.headers

    def connection(self) -> Connection:
        """A connection to it, for one thread; it opens at the first question."""
        host, port = self._parts.hostname or "", self._parts.port
        if self._tls is None:
            return Connection(self, http.client.HTTPConnection(host, port, timeout=self.timeout))
        return Connection(self, http.client.HTTPSConnection(host, port, timeout=self.timeout, context=self._tls))


class Connection:
    """One connection to an endpoint, kept open from question to question."""

    def __init__(self, endpoint: Endpoint, line: http.client.HTTPConnection) -> None:
        self._endpoint = endpoint
        self._line = line

    def ask(self, content: Any, stop: threading.Event) -> Any:
        """The answer to a JSON value; `stop` ends the waiting between attempts."""
        body = json.dumps(content, ensure_ascii=False).encode()
        retries = self._endpoint.retries
        for attempt in range(retries + 1):
            try:
                return self._answer(*self._sent(body))
            except Retriable as trouble:
                # Full jitter: an endpoint that is short of breath is not asked by all threads at the same moment.
                jitter = random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))  # noqa: S311
                wait = max(trouble.wait, jitter)
                if attempt == retries or wait > LONGEST_WAIT or stop.wait(wait):
                    self._give_up(trouble, attempt + 1)
        raise AssertionError("the last attempt gives an answer or gives up")

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def _sent(self, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of the answer."""
        until = time.monotonic() + self._endpoint.timeout
        try:
            self._line.request("POST", self._endpoint.target, body, self._endpoint.headers)
            with self._line.getresponse() as response:
                content = self._read(response, until)
                self._endpoint.has_answered = True
                if response.will_close:
                    self._line.close()
                return response.status, response.headers, content
        except (OSError, http.client.HTTPException) as error:
            self._line.close()  # half of an answer may be left in it
            raise Retriable(_said(error, self._endpoint.timeout)) from error

    def _read(self, response: http.client.HTTPResponse, until: float) -> bytes:
        content = bytearray()
        while part := response.read1(2**16):
            content += part
            if len(content) > LARGEST_BODY:
                raise BadAnswer(f"{self._endpoint.shown}: it sends more than {LARGEST_BODY // 2**20} MiB at a time")
            if time.monotonic() > until:
                raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(bytes(content), response.length)
        return bytes(content)

    def _answer(self, status: int, headers: http.client.HTTPMessage, content: bytes) -> Any:
        if status == 429 or status >= 500:
            raise Retriable(self._status(status, content), _retry_after(headers.get("Retry-After")))
        if 300 <= status < 400:
            there = self._endpoint.secrets.hide(headers.get("Location", "").partition("?")[0], 100)
            raise UsageError(f"{self._endpoint.shown}: HTTP {status}: moved to {there}; redirects are not followed")
        if status >= 400:
            kind = UsageError if status in WRONG_ADDRESS else EvenhandError
            raise kind(f"{self._endpoint.shown}: {self._status(status, content)}")
        try:
            return json.loads(content, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise BadAnswer(
                f"{self._endpoint.shown}: the answer is not JSON but {self._excerpt(content) or 'nothing'}"
            ) from error

    def _status(self, status: int, content: bytes) -> str:
        phrase = http.client.responses.get(status, "")
        excerpt = self._excerpt(content)
        return f"HTTP {status} {phrase}".rstrip() + (f": {excerpt}" if excerpt else "")

    def _excerpt(self, content: bytes) -> str:
        return self._endpoint.secrets.hide(content.decode(errors="replace"), 120)

    def _give_up(self, trouble: Retriable, attempts: int) -> NoReturn:
        tried = "" if attempts == 1 else f" ({attempts} attempts)"
        asked = f"; it asks to come back in {trouble.wait:,.0f} s" if trouble.wait > LONGEST_WAIT else ""
        # Where nobody has ever answered, the address is the likely reason, and asking on is of no use.
        kind = EvenhandError if self._endpoint.has_answered else UsageError
        raise kind(f"{self._endpoint.shown}: {trouble}{tried}{asked}") from trouble


def _checked(url: str, *, shown: str) -> urllib.parse.SplitResult:
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port, (parts.hostname or "").encode("idna")  # they raise where there is something wrong with them
    except ValueError as error:
        raise UsageError(f"{shown!r} is not the address of an endpoint") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{shown!r} is not the address of an endpoint; write http://HOST/PATH or https://HOST/PATH")
    if parts.username is not None or parts.password is not None:
        raise UsageError("'http': an address must hold no password, as it is shown in reports; use the setting headers")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise UsageError(f"{shown!r} holds characters that an address must not hold as they are; write them as %XX")
    return parts


def _said(error: Exception, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is it running?"
    if isinstance(error, http.client.IncompleteRead | ConnectionError):
        return "the connection was dropped before the answer was complete"
    if isinstance(error, ssl.SSLError):
        return f"no safe connection ({error.reason or type(error).__name__})"
    if isinstance(error, OSError):
        return one_line(error.strerror or type(error).__name__)
    return f"what answers does not speak HTTP ({type(error).__name__})"


def _retry_after(value: str | None) -> float:
    """Seconds, from a number or a date; 0 where there is neither."""
    if value is None:
        return 0.0
    if value.strip().isdecimal():
        return float(value)
    with contextlib.suppress(TypeError, ValueError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return 0.0


def refuse_below(system: str, settings: Mapping[str, int], *, least: int) -> None:
    """Refuse settings that are below the least that makes sense."""
    for name, value in settings.items():
        if value < least:
            raise UsageError(f"{system!r}: {name} must be {least} or more, not {value}")


def hash_of(content: object) -> str:
    """A hash of what a service is asked for."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
