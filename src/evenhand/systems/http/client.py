"""Who answers: one endpoint, asked with patience: time-outs, retries that back off, and a bound on what it may send."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import io
import json
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
import weakref
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NoReturn, Self

from evenhand.errors import BadAnswer, EvenhandError, GivenUp, UsageError, one_line
from evenhand.files.plain import refuse_constant
from evenhand.systems.http.pace import LONGEST_WAIT, Allowance, Outcome, Pace, allowance_in
from evenhand.systems.http.secrets import Secrets, refuse_keys
from evenhand.systems.http.turns import Turns

if TYPE_CHECKING:
    from evenhand.systems.http.crowd import Crowd

LARGEST_BODY = 16 * 2**20
LARGEST_EXCERPT = 2**14
LONGEST_TIME = 86_400
FIRST_WAIT = 0.5
AT_ONCE, AT_FIRST = 16, 4
"""At most so many questions are asked at once, and so many at first, unless a user says otherwise."""

BUSY = {429, 503}
"""Answers that are about the endpoint, whatever it was asked."""

HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "evenhand"}
WRONG_ADDRESS = {401, 403, 404, 405}
"""Answers that are about the address or the credentials, not about the texts: asking on is of no use."""


class Retriable(Exception):
    """Something that may be over at the next attempt; `wait` is what the endpoint asked for, in seconds.

    `whatever` says that it has nothing to do with what was asked.
    """

    def __init__(self, what: str, wait: float = 0.0, *, whatever: bool = False) -> None:
        super().__init__(what)
        self.wait = wait
        self.whatever = whatever


class Endpoint:
    """An address, and how it is to be asked: an attempt takes `timeout` seconds at most, all of them `within`.

    At most `concurrency` questions are asked at once, `at_first` in the beginning.
    """

    def __init__(
        self,
        url: str,
        secrets: Secrets,
        *,
        timeout: float,
        within: float,
        retries: int,
        concurrency: int = AT_ONCE,
        at_first: int = AT_FIRST,
    ) -> None:
        self.shown = url
        self.secrets = secrets
        self.timeout = min(timeout, within)
        self.within = within
        self.retries = retries
        self.has_answered = False
        self.turns = Turns(Pace(at_first, concurrency))
        self.crowds: weakref.WeakSet[Crowd[Any, Any]] = weakref.WeakSet()
        self._parts = _checked(secrets.filled(url, "its address"), shown=url)
        self._tls = ssl.create_default_context() if self._parts.scheme == "https" else None
        self.target = urllib.parse.urlunsplit(("", "", self._parts.path or "/", self._parts.query, ""))
        names = {name.lower() for name in secrets.headers}
        self.headers = {k: v for k, v in HEADERS.items() if k.lower() not in names} | secrets.headers
        self._idle: list[http.client.HTTPConnection] = []
        weakref.finalize(self, _hang_up, self._idle)

    def line(self) -> http.client.HTTPConnection:
        """A line that is open and idle, or else a new one, which opens at the first question."""
        with contextlib.suppress(IndexError):
            while True:
                line = self._idle.pop()
                if _is_open(line):
                    return line
                line.close()
        host, port = self._parts.hostname or "", self._parts.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port)
        return http.client.HTTPSConnection(host, port, context=self._tls)

    def keep(self, line: http.client.HTTPConnection) -> None:
        """Keep a line open for the next question."""
        del line.response_class  # it belongs to whoever had the line
        self._idle.append(line)

    def renew_turns(self) -> None:
        """Let others have the turns of those who will never be done."""
        pace, waiting = self.turns.pace, self.turns.drop(lambda _: True)
        self.turns = Turns(Pace(pace.at_once, pace.most))
        self.turns.put(waiting)

    def said(self, text: str, most: int = 120) -> str:
        """What it says, as it may be shown."""
        return self.secrets.hide(text, most)


class Connection:
    """One question's way to an endpoint: it has a turn, over a line that is kept open from question to question."""

    def __init__(self, endpoint: Endpoint, turns: Turns, began: float) -> None:
        self.since = time.monotonic()
        self._endpoint = endpoint
        self._turns = turns
        self._turn: float | None = began
        self._until = 0.0

    def __enter__(self) -> Self:
        """It has its turn already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the turn back if nothing was asked."""
        self._end_turn("failed")

    def ask(self, content: Any, stop: threading.Event) -> Any:
        """The answer to a JSON value; `stop` ends the waiting between attempts."""
        body = json.dumps(content, ensure_ascii=False).encode()
        retries, until = self._endpoint.retries, self.since + self._endpoint.within
        for attempt in range(retries + 1):
            try:
                self._until = min(until, time.monotonic() + self._endpoint.timeout)
                return self._answer(*self._sent_in_turn(body))
            except Retriable as trouble:
                # Full jitter: an endpoint that is short of breath is not asked by all threads at the same moment.
                jitter = random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))  # noqa: S311
                wait = max(trouble.wait, jitter)
                left = min(LONGEST_WAIT, until - time.monotonic())
                if attempt == retries or wait > left or stop.wait(wait):
                    self._give_up(trouble, attempt + 1, left)
                # Whoever has waited goes before those who have not asked yet.
                self._turn = self._turns.again(stop, until)
                if self._turn is None:
                    self._give_up(trouble, attempt + 1, left)
        raise AssertionError("the last attempt gives an answer or gives up")

    def _sent_in_turn(self, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        """The answer, at which the turn is over: what is made of it keeps nobody waiting."""
        outcome: Outcome = "failed"
        after, allowance = 0.0, None
        try:
            status, headers, content = self._sent(body)
            outcome = "refused" if status in BUSY else "answered" if status < 400 else "failed"
            after, allowance = (
                _retry_after(headers.get("Retry-After")) if status in BUSY else 0.0,
                allowance_in(headers),
            )
        except Retriable as trouble:
            outcome = "refused" if trouble.whatever else "failed"
            raise
        finally:
            self._end_turn(outcome, after, allowance)
        return status, headers, content

    def _end_turn(self, outcome: Outcome, wait: float = 0.0, allowance: Allowance | None = None) -> None:
        began, self._turn = self._turn, None
        if began is not None:
            self._turns.end(began, outcome, wait=wait, allowance=allowance)

    def _sent(self, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of the answer."""
        line = self._endpoint.line()
        was_open = line.sock is not None
        try:
            try:
                return self._sent_over(line, body)
            except (ConnectionResetError, BrokenPipeError):
                if not was_open:
                    raise
                # The server hung up a line that was idle at the moment at which it was used: it has not answered yet.
                return self._sent_over(line, body)
        except (OSError, http.client.HTTPException) as error:
            whatever = isinstance(error, TimeoutError | ConnectionRefusedError)
            raise Retriable(_said(error, self._endpoint.timeout), whatever=whatever) from error

    def _sent_over(self, line: http.client.HTTPConnection, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        try:
            line.response_class = self._response  # type: ignore[assignment]  # what makes one will do
            line.timeout = self._left()
            if line.sock is not None:
                line.sock.settimeout(self._left())
            line.request("POST", self._endpoint.target, body, self._endpoint.headers)
            with line.getresponse() as response:
                content = self._read(response)
                self._endpoint.has_answered = True
        except BaseException:
            line.close()  # half of an answer may be left in it
            raise
        if response.will_close:
            line.close()
        else:
            self._endpoint.keep(line)
        return response.status, response.headers, content

    def _left(self) -> float:
        """The seconds that are left of this attempt."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _response(self, sock: socket.socket, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:
        """A response each piece of which, headers and all, is waited for as long as the attempt lasts."""
        response = http.client.HTTPResponse(sock, *args, **kwargs)
        response.fp.close()
        response.fp = io.BufferedReader(_Timed(sock, self._left))
        return response

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        content = bytearray()
        while part := response.read1(2**16):
            content += part
            if len(content) > LARGEST_BODY:
                raise BadAnswer(f"{self._endpoint.shown}: it sends more than {LARGEST_BODY // 2**20} MiB at a time")
            self._left()
        if response.length:
            raise http.client.IncompleteRead(bytes(content), response.length)
        return bytes(content)

    def _answer(self, status: int, headers: http.client.HTTPMessage, content: bytes) -> Any:
        if status == 429 or status >= 500:
            after = _retry_after(headers.get("Retry-After"))
            raise Retriable(self._status(status, content), after, whatever=status in BUSY)
        if 300 <= status < 400:
            there = self._endpoint.said(headers.get("Location", "").partition("?")[0], 100) or "nowhere"
            raise UsageError(f"{self._endpoint.shown}: HTTP {status}: moved to {there}; redirects are not followed")
        if status >= 400:
            kind = UsageError if status in WRONG_ADDRESS else EvenhandError
            raise kind(f"{self._endpoint.shown}: {self._status(status, content)}")
        packed = headers.get("Content-Encoding", "identity").strip().lower()
        if packed != "identity":
            what = self._endpoint.said(packed, 40)
            raise BadAnswer(f"{self._endpoint.shown}: the answer is packed ({what}), which was not asked for")
        try:
            return self._endpoint.secrets.hidden_in(json.loads(content, parse_constant=refuse_constant))
        except (ValueError, RecursionError) as error:
            raise BadAnswer(
                f"{self._endpoint.shown}: the answer is not JSON but {self._excerpt(content) or 'nothing'}"
            ) from error

    def _status(self, status: int, content: bytes) -> str:
        phrase = http.client.responses.get(status, "")
        excerpt = self._excerpt(content)
        return f"HTTP {status} {phrase}".rstrip() + (f": {excerpt}" if excerpt else "")

    def _excerpt(self, content: bytes) -> str:
        return self._endpoint.said(content[:LARGEST_EXCERPT].decode(errors="replace"))

    def _give_up(self, trouble: Retriable, attempts: int, left: float) -> NoReturn:
        tried = "" if attempts == 1 else f" ({attempts} attempts)"
        asked = f"; it asks to come back in {_seconds(trouble.wait)}" if trouble.wait > max(left, 0.0) else ""
        # Where nobody has ever answered, the address is the likely reason, and asking on is of no use.
        kind = GivenUp if trouble.whatever else EvenhandError
        kind = kind if self._endpoint.has_answered else UsageError
        raise kind(f"{self._endpoint.shown}: {trouble}{tried}{asked}") from trouble


def _is_open(line: http.client.HTTPConnection) -> bool:
    """Whether nothing came while it was idle: neither its end nor something that nobody asked for."""
    if line.sock is None:
        return False
    line.sock.settimeout(0)
    try:
        socket.socket.recv(line.sock, 1, socket.MSG_PEEK)  # beneath any encryption
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _hang_up(lines: list[http.client.HTTPConnection]) -> None:
    for line in lines:
        line.close()


class _Timed(io.RawIOBase):
    """Reads from a socket, each time for as long as is left."""

    def __init__(self, sock: socket.socket, left: Callable[[], float]) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)  # keeps the socket open until all is read
        self._left = left

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """Whatever comes next."""
        self._sock.settimeout(self._left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Let go of the socket."""
        self._raw.close()
        super().close()


def _seconds(wait: float) -> str:
    return f"{wait:,.0f} s" if wait < 1e9 else "many years"


def _checked(url: str, *, shown: str) -> urllib.parse.SplitResult:
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port, (parts.hostname or "").encode("idna")  # they raise where there is something wrong with them
    except ValueError as error:
        raise UsageError(f"{bare(shown)!r} is not the address of an endpoint") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        where = bare(shown)
        raise UsageError(f"{where!r} is not the address of an endpoint; write http://HOST/PATH or https://HOST/PATH")
    if parts.username is not None or parts.password is not None:
        raise UsageError("'http': an address must hold no password, as it is shown in reports; use the setting headers")
    refuse_keys(urllib.parse.urlsplit(shown))
    if not url.isascii() or not url.isprintable() or " " in url:
        where = bare(shown)
        raise UsageError(f"{where!r} holds characters that an address must not hold as they are; write them as %XX")
    return parts


def bare(url: str) -> str:
    """An address that is refused, without what may be a password or a key in it.

    >>> bare("htp://me:pass@host/score?key=1")
    'htp://[hidden]@host/score?[hidden]'
    """
    return re.sub(r"\?.+", "?[hidden]", re.sub(r"[^/]*@", "[hidden]@", url, count=1), flags=re.DOTALL)


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
        return float(value.strip()[:15])
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return 0.0


def refuse_not_above(system: str, settings: Mapping[str, float]) -> None:
    """Refuse times that are none."""
    for name, value in settings.items():
        if not 0 < value <= LONGEST_TIME:
            raise UsageError(f"{system!r}: {name} must be above 0 seconds, and {LONGEST_TIME:,} at most, not {value}")


def refuse_below(system: str, settings: Mapping[str, int], *, least: int) -> None:
    """Refuse settings that are below the least that makes sense."""
    for name, value in settings.items():
        if value < least:
            raise UsageError(f"{system!r}: {name} must be {least} or more, not {value}")


def hash_of(content: object) -> str:
    """A hash of what a service is asked for."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
