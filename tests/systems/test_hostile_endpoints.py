"""Endpoints that mean no good: real servers on this machine, each of which must be done with in time, in one line."""

from __future__ import annotations

import base64
import gzip
import html
import json
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, GivenUp, ScoringFailed, UsageError
from evenhand.systems.few_shot.openai import ServedModel
from evenhand.systems.http import Http, client, crowd
from evenhand.systems.http.hiding import HIDDEN, Hider
from evenhand.systems.http.secrets import Secrets

WITHIN = 1.0
SPARE = 20.0
"""Seconds that a busy machine may take beside."""

Answer = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\n"


def drip(part: bytes, *, first: bytes = b"", pause: float = 0.02) -> Answer:
    """Say the same again and again, for ever."""

    def answer(line: socket.socket) -> None:
        line.sendall(first)
        while True:
            line.sendall(part)
            time.sleep(pause)

    return answer


def once(content: bytes) -> Answer:
    return lambda line: line.sendall(content)


def body(content: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def silence(line: socket.socket) -> None:
    time.sleep(600)


def unread(line: socket.socket) -> None:
    """Never reads what it is asked, either."""
    time.sleep(600)


HOSTILE: dict[str, Answer] = {
    "says nothing": silence,
    "drips its status": drip(b"H", pause=0.1),
    "drips a header": drip(b"x", first=OK + b"X-Long: ", pause=0.1),
    "drips headers": drip(b"X: y\r\n", first=OK, pause=0.1),
    "endless headers": drip(b"X: y\r\n" * 50, first=OK),
    "an endless header": drip(b"x" * 4096, first=OK + b"X: "),
    "asks to go on for ever": drip(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "drips a body": drip(b" ", first=OK + b"Content-Length: 1000000\r\n\r\n"),
    "drips a body without end": drip(b" ", first=OK + b"\r\n"),
    "drips chunks": drip(b"1\r\n \r\n", first=OK + b"Transfer-Encoding: chunked\r\n\r\n"),
    "an endless body": drip(b" " * 2**16, first=OK + b"\r\n", pause=0),
    "a huge chunk": once(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 15 + b"\r\nabc"),
    "a negative chunk": once(OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc"),
    "no chunks": once(OK + b"Transfer-Encoding: chunked\r\n\r\nfour\r\n\xff\xfe"),
    "a negative length": once(OK + b"Content-Length: -5\r\n\r\n{}"),
    "a huge length": once(OK + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"),
    "half of an answer": once(OK + b"Content-Length: 50\r\n\r\n{"),
    "another protocol": once(b"SSH-2.0-OpenSSH_9\r\n"),
    "bytes": once(bytes(range(256)) * 8),
    "a web page": once(body(b"<html><body>Sign in</body></html>", "Content-Type: text/html")),
    "a packed bomb": once(body(gzip.compress(bytes(10**7)), "Content-Encoding: gzip")),
    "deep JSON": once(body(b"[" * 10**6)),
    "long digits": once(body(b'{"scores": [' + b"9" * 6000 + b"]}")),
    "moved to itself": once(body(b"", "Location: /", status="302 Found")),
    "moved to nowhere": once(body(b"", status="301 Moved Permanently")),
    "busy for ever": once(body(b"", status="429 Too Many Requests")),
    "busy for ages": once(body(b"", "Retry-After: " + "9" * 400, status="429 Too Many Requests")),
    "busy till the end of time": once(
        body(b"", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", status="503 Service Unavailable")
    ),
    "busy till yesterday": once(body(b"", "Retry-After: -5", status="429 Too Many Requests")),
    "busy till never": once(body(b"", "Retry-After: soon\x1b]0;x\x07", status="429 Too Many Requests")),
    "failing for ever": once(body(b"oops", status="500 Internal Server Error")),
    "an odd status": once(b"HTTP/1.1 999 \xff\xfe\r\nContent-Length: 0\r\n\r\n"),
    "escape sequences": once(body(b"\x1b]0;pwned\x07\x1b[2J", status="400 Bad Request")),
}


@pytest.fixture
def listening() -> Iterator[Callable[[Answer], str]]:
    """Starts a server that answers each connection in the same way; gives its address."""
    open_lines: list[socket.socket] = []
    servers: list[socket.socket] = []

    def listen(answer: Answer) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def serve(line: socket.socket) -> None:
            with line:
                try:
                    if answer is not unread:
                        line.recv(2**16)
                    answer(line)
                    line.shutdown(socket.SHUT_WR)
                except OSError:
                    pass

        def accept() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                open_lines.append(line)
                threading.Thread(target=serve, args=(line,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/score"

    yield listen
    for one in (*servers, *open_lines):
        one.close()


def refusal(ask: Callable[[], object], *, within: float = WITHIN) -> str:
    """What it ends with, in time and in one line that can be printed."""
    began = time.monotonic()
    with pytest.raises(EvenhandError) as caught:
        ask()
    assert time.monotonic() - began < within + SPARE
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 400
    return said


@pytest.mark.parametrize("what", HOSTILE)
def test_whatever_it_does_it_is_done_with_in_time(listening: Callable[[Answer], str], what: str) -> None:
    url = listening(HOSTILE[what])
    said = refusal(lambda: Http(url, within=WITHIN, retries=50).score(["a"]))
    assert said.startswith(f"{url}: ")


def test_one_that_does_not_even_read_is_done_with_in_time(listening: Callable[[Answer], str]) -> None:
    url = listening(unread)
    refusal(lambda: Http(url, within=WITHIN).score(["a" * 2**24]))


@pytest.mark.parametrize("what", ["busy for ever", "drips a body", "an endless body"])
def test_so_is_a_server_of_language_models(listening: Callable[[Answer], str], what: str) -> None:
    model = ServedModel("m", base_url=listening(HOSTILE[what]), within=WITHIN, retries=50)
    refusal(lambda: model.masses("prefix", ["ending"], ["1", "2"]))


def test_what_nothing_can_interrupt_is_given_up_on_from_outside(
    listening: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "GRACE", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(600))  # a name that is looked up for ever
    assert "no answer within 1 s" in refusal(lambda: Http("http://name.example/", within=WITHIN).score(["a"]))


def test_a_run_ends_with_the_first_request_that_is_not_answered(
    listening: Callable[[Answer], str], corpus: Corpus, tmp_path: Path
) -> None:
    answers = iter([body(b'{"scores": [0.5, 0.5]}')])

    def first_only(line: socket.socket) -> None:
        line.sendall(next(answers, None) or body(b"", status="429 Too Many Requests"))

    system = Http(listening(first_only), batch_size=2, concurrency=1, within=WITHIN, retries=50)
    system.batch_size = 2
    began = time.monotonic()
    with pytest.raises(ScoringFailed, match=r"could not score 8 of 10 sentences: .*HTTP 429") as caught:
        score([system], corpus, cache=tmp_path)
    assert time.monotonic() - began < WITHIN + SPARE
    assert isinstance(caught.value.__cause__, GivenUp)


def test_what_is_kept_outlives_a_run_in_which_nobody_answers(
    listening: Callable[[Answer], str], corpus: Corpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="evenhand")
    good = body(b'{"scores": [0.5, 0.5]}')
    answers = iter([good, good])

    def as_told(line: socket.socket) -> None:
        line.sendall(next(answers, None) or body(b"", status="429 Too Many Requests"))

    url = listening(as_told)

    def run() -> object:
        system = Http(url, batch_size=2, concurrency=1, within=WITHIN, retries=0)
        system.batch_size = 2
        return score([system], corpus, cache=tmp_path)

    for _ in range(2):  # the second run cannot even check what is kept
        with pytest.raises(EvenhandError, match="HTTP 429"):
            run()
    answers = iter([good] * 5)
    run()
    assert "4 of 10 answers are kept from a run that did not finish; 2 of 2 batches were asked again" in caplog.text


@pytest.mark.parametrize("setting", [{"timeout": 0}, {"within": 0}, {"within": -1.0}, {"within": 1e9}])
def test_times_are_times(setting: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be above 0 seconds, and 86,400 at most"):
        Http("http://127.0.0.1:9/", **setting)  # type: ignore[arg-type]


# Secrets

SECRET = "sk-Live_7aB/9+q=Zt\"x&'<4"  # noqa: S105
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower": str.lower,
    "upper": str.upper,
    "HTML": html.escape,
    "HTML in numbers": lambda secret: "".join(f"&#{ord(char)};" for char in secret),
    "HTML in hexadecimal": lambda secret: "".join(f"&#x{ord(char):X};" for char in secret),
    "URL": lambda secret: urllib.parse.quote(secret, safe=""),
    "URL, lower": lambda secret: urllib.parse.quote(secret, safe="").lower(),
    "URL twice": lambda secret: urllib.parse.quote(urllib.parse.quote(secret, safe=""), safe=""),
    "URL within HTML": lambda secret: html.escape(urllib.parse.quote(secret)),
    "JSON": json.dumps,
    "JSON with slashes": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "JSON twice": lambda secret: json.dumps(json.dumps(secret)),
    "JSON in numbers": lambda secret: "".join(f"\\u{ord(char):04x}" for char in secret),
    "HTML within JSON": lambda secret: json.dumps(html.escape(secret)),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 of user and secret": lambda secret: base64.b64encode(f"me:{secret}".encode()).decode(),
    "base64 for addresses": lambda secret: base64.urlsafe_b64encode(f"x{secret}".encode()).decode(),
    "hexadecimal": lambda secret: secret.encode().hex(),
    "wrapped": lambda secret: f"{secret[:11]}\r\n {secret[11:]}",
    "spaced": " ".join,
    "in bold": "<b>".join,
    "with what cannot be seen": "\u200b".join,
    "with points": ".".join,
    "as a sum of characters": "'+'".join,
    "with accents": "\u0301".join,
    "in octal": lambda secret: "".join(f"\\{ord(char):03o}" for char in secret),
    "in hexadecimal, one by one": lambda secret: " ".join(f"0x{ord(char):02x}" for char in secret),
    "hexadecimal with colons": lambda secret: ":".join(f"{ord(char):02x}" for char in secret),
    "as code points": lambda secret: " ".join(f"U+{ord(char):04X}" for char in secret),
    "HTML in numbers without ends": lambda secret: "".join(f"&#{ord(char)}" for char in secret),
    "from behind": lambda secret: "\u202e" + secret[::-1],
    "its beginning": lambda secret: secret[:12],
    "its end": lambda secret: secret[-12:],
    "its middle": lambda secret: secret[6:18],
    "its beginning and its end": lambda secret: f"{secret[:8]}****{secret[-8:]}",
}


def leaks(said: str, secret: str) -> bool:
    """Whether eight characters in a row of the secret can be read, or of how Base64 or hexadecimal have it."""
    forms = [secret, base64.b64encode(secret.encode()).decode(), secret.encode().hex(), urllib.parse.quote(secret, "")]
    plain = "".join(said.split()).lower()
    return any(form[at : at + 8].lower() in plain for form in forms for at in range(len(form) - 7))


@pytest.mark.parametrize("how", SPELLINGS)
def test_a_secret_is_hidden_however_it_is_echoed(
    listening: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    echo = SPELLINGS[how](SECRET)
    url = listening(once(body(f"wrong key {echo}, go away".encode(), status="401 Unauthorized")))
    said = refusal(lambda: Http(url, headers={"Authorization": "Bearer $TOKEN"}, retries=0).score(["a"]))
    assert said.startswith(f"{url}: HTTP 401 Unauthorized: wrong key ")
    assert said.endswith(", go away")
    assert HIDDEN in said
    assert not leaks(said, SECRET)


PLACES = {
    "status line": b"HTTP/1.1 500 %s\r\nContent-Length: 0\r\n\r\n",
    "where it moved": b"HTTP/1.1 302 Found\r\nLocation: http://%s/%s?%s\r\nContent-Length: 0\r\n\r\n",
    "how it is packed": b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: 2\r\n\r\n{}",
    "a name in JSON": b'HTTP/1.1 200 OK\r\n\r\n{"%s": 1}',
    "a value in JSON": b'HTTP/1.1 200 OK\r\n\r\n{"scores": ["%s"]}',
    "no JSON": b"HTTP/1.1 200 OK\r\n\r\n%s",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_hidden_wherever_it_is_echoed(
    listening: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    secret = "abcDEF0123456789ghiJKL"  # noqa: S105
    monkeypatch.setenv("TOKEN", secret)
    content = PLACES[place].replace(b"%s", secret.encode())
    url = listening(once(content))
    said = refusal(lambda: Http(url, headers={"X-Key": "$TOKEN"}, retries=0).score(["a"]))
    assert not leaks(said, secret)


TEXTUAL = {name for name in SPELLINGS if not name.startswith(("base64", "hexadecimal", "its"))}
"""Spellings that may be spelled again."""


@given(
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60),
    how=st.lists(st.sampled_from(sorted(TEXTUAL)), max_size=2),
    around=st.tuples(st.text(max_size=20), st.text(max_size=20)),
)
def test_no_half_of_a_secret_is_left(secret: str, how: list[str], around: tuple[str, str]) -> None:
    echo = secret
    for name in how:
        echo = SPELLINGS[name](echo)
    hidden = Hider([secret]).hidden(f"{around[0]} {echo} {around[1]}")
    assert HIDDEN in hidden
    plain = "".join(hidden.split()).lower()
    half = max(8, len(secret) // 2)
    assert not any(secret[at : at + half].lower() in plain for at in range(len(secret) - half + 1))


@given(st.text(max_size=300))
def test_what_holds_no_secret_stays_as_it_is(said: str) -> None:
    hider = Hider(["QzX9-kLm4-Vw7T-hJr2"])
    assert hider.hidden(said) == said
    assert Hider([]).hidden(said) == said


def test_the_header_of_basic_authentication_is_known_by_what_is_in_it() -> None:
    written = base64.b64encode(b"anna:correct-horse-battery").decode()
    secrets = Secrets({"Authorization": f"Basic {written}"})
    assert secrets.hide("no such password, Correct-Horse-Battery", 200) == f"no such password, {HIDDEN}"
    assert secrets.hide(f"no such header: {written}", 200) == f"no such header: {HIDDEN}"


def test_answers_keep_their_words_and_lose_whole_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "my-sentiment-token-2026")
    secrets = Secrets({"X-Key": "$TOKEN"})
    answer = {"texts": ["the sentiment is a token", "your key is MY-SENTIMENT-TOKEN-2026"], "n": 3}
    assert secrets.hidden_in(answer) == {"texts": ["the sentiment is a token", f"your key is {HIDDEN}"], "n": 3}


def test_ordinary_headers_hide_nothing() -> None:
    secrets = Secrets({"Accept": "application/json", "Content-Type": "application/json"})
    assert secrets.hide("wants application/json", 200) == "wants application/json"


@pytest.mark.parametrize(
    "query",
    [
        "key=abcd1234", "api_key=abcd1234", "apikey=abcd1234", "access_token=x1y2z3", "token=x1y2z3", "sig=abcdef",
        "subscription-key=0f0f0f", "password=hunter2", "user=sk-proj-a8Bd7Qk29xZ1mN4vL0", "q=eyJhbGciOiJIUzI1NiIsInR5",
    ],
)  # fmt: skip
def test_an_address_with_a_key_in_it_is_refused_and_not_shown(query: str) -> None:
    with pytest.raises(UsageError, match="an address must hold no key") as caught:
        Http(f"http://127.0.0.1:9/score?{query}")
    assert query.partition("=")[2] not in str(caught.value)
    with pytest.raises(UsageError, match="an address must hold no key"):
        ServedModel("m", base_url=f"http://127.0.0.1:9/v1?{query}")


@pytest.mark.parametrize("query", ["model=sentiment-roberta-base-2023", "lang=en", "key=$TOKEN", "version=2024-10-21"])
def test_an_ordinary_address_is_taken(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "abcd1234")
    assert Http(f"http://127.0.0.1:9/score?{query}").name == f"http:http://127.0.0.1:9/score?{query}"


@pytest.mark.parametrize(
    "url", ["http://me:hunter2@127.0.0.1/", "htp://me:hunter2@127.0.0.1/", "http://me:hunter2@ho st"]
)
def test_a_password_in_an_address_is_refused_and_not_shown(url: str) -> None:
    for ask in (lambda: Http(url), lambda: ServedModel("m", base_url=url)):
        with pytest.raises(UsageError) as caught:
            ask()
        assert "hunter2" not in str(caught.value)


def test_the_largest_answer_is_bounded() -> None:
    assert client.LARGEST_BODY <= 2**24
