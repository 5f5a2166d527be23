"""Endpoints: a real server on this machine that is slow, fails, talks nonsense and hangs up."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import Output, Scorer
from evenhand.systems.http import Http, client

SECRET = 's3cr3t/tok"en+of=mine'  # noqa: S105
TEXTS = [f"text {number:02}" for number in range(40)]


@dataclass
class Asked:
    """A request as the server saw it, and the means to answer."""

    number: int
    path: str
    headers: dict[str, str]
    body: Any
    answer: Callable[..., None]
    hang_up: Callable[[bytes], None]


Behaviour = Callable[[Asked], None]


@dataclass
class Server:
    """What a test says to the server, and what the server saw."""

    url: str = ""
    behaviour: Behaviour = lambda asked: asked.answer({"scores": lengths(asked.body["texts"])})
    requests: list[Asked] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    connections: set[object] = field(default_factory=set)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_for(self, so_many: int, seconds: float = 60) -> None:
        """Wait until so many requests have come."""
        end = time.monotonic() + seconds
        while len(self.requests) < so_many and time.monotonic() < end:
            time.sleep(0.002)


def lengths(texts: Sequence[str]) -> list[float]:
    return [len(text) / 1000 + sum(text.encode()) / 1e6 for text in texts]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def do_POST(self) -> None:
        state = self.state
        content = self.rfile.read(int(self.headers["Content-Length"]))
        with state.lock:
            asked = Asked(
                len(state.requests) + 1, self.path, dict(self.headers), json.loads(content), self.answer, self.hang_up
            )
            state.requests.append(asked)
            state.times.append(time.monotonic())
            state.connections.add(self.client_address)
            state.at_once += 1
            state.most_at_once = max(state.most_at_once, state.at_once)
        try:
            state.behaviour(asked)
        finally:
            with state.lock:
                state.at_once -= 1

    def answer(self, content: Any, status: int = 200, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self, part: bytes) -> None:
        """Promise more than comes."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(part)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that has gone is what some tests are about."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
    state = Server()
    listening = Quiet(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state}))
    state.url = f"http://127.0.0.1:{listening.server_port}/score"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    listening.shutdown()
    listening.server_close()
    thread.join()


def refused() -> str:
    """An address where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{sock.getsockname()[1]}/score"


def said(error: pytest.ExceptionInfo[BaseException]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


# What is sent and read


def test_texts_are_posted_as_json_and_scores_read(server: Server) -> None:
    system = Http(server.url)
    assert system.score(["a", "ü"]).tolist() == [[value] for value in lengths(["a", "ü"])]
    (asked,) = server.requests
    assert (asked.path, asked.body) == ("/score", {"texts": ["a", "ü"]})
    assert asked.headers["Content-Type"] == "application/json"
    assert system.outputs == (Output("score"),)


def test_rows_are_several_outputs(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer({"scores": [[0.1, -0.2]] * len(asked.body["texts"])})
    outputs = ["joy", {"name": "mood", "low": -1, "kind": "ordinal"}]
    system = Http(server.url, outputs=outputs)
    assert system.outputs == (Output("joy"), Output("mood", low=-1, high=1, kind="ordinal"))
    assert system.score(["a", "b"]).tolist() == [[0.1, -0.2]] * 2


def test_the_request_and_the_path_of_the_answer_are_declared(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer(
        {"data": [{"score": value} for value in lengths(asked.body["input"]["texts"])]}
    )
    request = {"model": "m", "input": {"texts": "$texts", "options": [1, None, True]}}
    system = Http(server.url, request=request, response="data.*.score")
    assert system.score(["a", "b"])[:, 0].tolist() == lengths(["a", "b"])
    assert server.requests[0].body == {"model": "m", "input": {"texts": ["a", "b"], "options": [1, None, True]}}


def test_each_output_may_have_a_path_of_its_own(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer([{"e": {"joy": 0.1, "fear": 0.2}}, {"e": {"joy": 0.3, "fear": 0.4}}])
    system = Http(server.url, request="$texts", response={"fear": "*.e.fear", "joy": "*.e.joy"})
    assert [output.name for output in system.outputs] == ["fear", "joy"]
    assert system.score(["a", "b"]).tolist() == [[0.2, 0.1], [0.4, 0.3]]
    assert server.requests[0].body == ["a", "b"]


def test_one_text_a_call_may_stand_within_a_prompt(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer(
        {"choices": [{"value": 0.1 if "»a«" in asked.body["prompt"] else 0.2}]}
    )
    system = Http(server.url, request={"prompt": "Rate »$text«, please"}, response="choices.0.value")
    assert system.score(["a", "$texts \\1"]).tolist() == [[0.1], [0.2]]
    assert sorted(asked.body["prompt"] for asked in server.requests) == [
        "Rate »$texts \\1«, please",
        "Rate »a«, please",
    ]


def test_answers_keep_the_order_of_the_texts_and_requests_their_bound(server: Server) -> None:
    def late_first(asked: Asked) -> None:
        if asked.number <= 4:
            server.wait_for(4)
        asked.answer({"scores": lengths(asked.body["texts"])})

    server.behaviour = late_first
    system = Http(server.url, batch_size=3, concurrency=4)
    assert system.score(TEXTS)[:, 0].tolist() == lengths(TEXTS)
    assert len(server.requests) == 14
    assert all(len(asked.body["texts"]) <= 3 for asked in server.requests)
    assert server.most_at_once == 4
    assert len(server.connections) == 4


@pytest.mark.parametrize("concurrency", [1, 2])
def test_no_more_are_asked_at_once_than_allowed(server: Server, concurrency: int) -> None:
    def slowly(asked: Asked) -> None:
        if asked.number <= concurrency:
            server.wait_for(concurrency)
        asked.answer({"scores": [0.5]})

    server.behaviour = slowly
    Http(server.url, batch_size=1, concurrency=concurrency).score(TEXTS[:8])
    assert server.most_at_once == concurrency


def many(count: int = 200) -> Corpus:
    """A corpus that takes several batches when asked one by one."""
    frame = pl.DataFrame(
        {
            "id": [f"s{number}" for number in range(count)],
            "text": [f"text {number:03}" for number in range(count)],
            "source": [f"source {number // 2}" for number in range(count)],
            "person": [f"person {number % 2}" for number in range(count)],
            "gender": [("female", "male")[number % 2] for number in range(count)],
        }
    )
    return Corpus(frame=frame, name="many", attributes={"gender": ("female", "male")})


def kept_in(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_answers_and_what_is_kept_are_the_same_however_many_are_asked_at_once(server: Server, tmp_path: Path) -> None:
    found = []
    for concurrency in (1, 3, 40):
        server.requests.clear()
        system = Http(server.url, batch_size=1, concurrency=concurrency, at_first=concurrency, version="1")
        scores = score([system], many(), cache=tmp_path / str(concurrency))
        found.append((scores.matrix.tobytes(), kept_in(tmp_path / str(concurrency))))
        assert sorted(asked.body["texts"][0] for asked in server.requests) == many().frame["text"].to_list()
    assert len(found[0][1]) > 0
    assert found[1:] == found[:-1]


def test_lines_stay_open_from_batch_to_batch(server: Server, tmp_path: Path) -> None:
    score([Http(server.url, batch_size=1, concurrency=3, at_first=1)], many(), cache=tmp_path)
    assert len(server.requests) == 200
    assert len(server.connections) <= 3
    assert server.most_at_once <= 3


def test_one_that_takes_four_at_a_time_is_asked_four(server: Server, tmp_path: Path) -> None:
    answered: list[str] = []

    def four_at_a_time(asked: Asked) -> None:
        if server.at_once > 4:
            asked.answer({}, 429)
            return
        time.sleep(0.002)
        answered.extend(asked.body["texts"])
        asked.answer({"scores": lengths(asked.body["texts"])})

    server.behaviour = four_at_a_time
    score([Http(server.url, batch_size=1, concurrency=16, retries=20)], many(), cache=tmp_path)
    assert sorted(answered) == many().frame["text"].to_list()  # none lost, none twice
    assert server.most_at_once <= 16


def test_when_one_is_told_to_come_back_later_none_is_asked_before(server: Server, tmp_path: Path) -> None:
    def later(asked: Asked) -> None:
        if asked.number == 20:
            asked.answer({}, 429, Retry_After="1")
        else:
            asked.answer({"scores": lengths(asked.body["texts"])})

    server.behaviour = later
    score([Http(server.url, batch_size=1, concurrency=1)], many(40), cache=tmp_path)
    assert server.times[20] - server.times[19] >= 1
    assert server.requests[20].body == server.requests[19].body


def test_a_line_that_was_closed_while_it_was_idle_costs_no_attempt(server: Server) -> None:
    def say_and_close(asked: Asked) -> None:
        asked.answer({"scores": [0.5]})
        asked.answer.__self__.close_connection = True  # type: ignore[attr-defined]

    server.behaviour = say_and_close
    system = Http(server.url, retries=0)
    for _ in range(3):
        assert system.score(["a"]).tolist() == [[0.5]]
        time.sleep(0.05)


def test_what_is_expected_is_begun_and_what_is_no_longer_expected_is_stopped(server: Server) -> None:
    system = Http(server.url, batch_size=1, concurrency=1)
    go_on = threading.Event()

    def wait(asked: Asked) -> None:
        go_on.wait(10)
        asked.answer({"scores": lengths(asked.body["texts"])})

    server.behaviour = wait
    system.expect([(["a"], 1), (["b", "c"], 1), (["d"], 1)])
    system.expect([(["a"], 1), (["d"], 1)])
    go_on.set()
    assert system.draw(["d"], 1).tolist() == [[value] for value in lengths(["d"])]
    assert system.draw(["a"], 1).tolist() == [[value] for value in lengths(["a"])]
    assert [asked.body["texts"] for asked in server.requests] == [["a"], ["d"]]


def test_an_audit_gives_each_sentence_its_answer(server: Server, corpus: Corpus, tmp_path: Path) -> None:
    scores = score([Http(server.url, batch_size=2)], corpus, cache=tmp_path)
    assert scores.matrix[:, 0].tolist() == lengths(corpus.frame["text"].to_list())


@pytest.mark.parametrize("form", ["{url}", "http:{url}"])
def test_the_address_may_be_typed_with_or_without_the_name(server: Server, corpus: Corpus, form: str) -> None:
    spec = form.format(url=server.url)
    system = resolve(spec, corpus, bounds=(-1, 1))
    assert isinstance(system, Scorer)
    assert (system.name, system.outputs) == (spec, (Output("score", low=-1, high=1),))
    assert system.score(["a"]).shape == (1, 1)


def test_settings_come_from_a_system_file(server: Server, corpus: Corpus, tmp_path: Path) -> None:
    server.behaviour = lambda asked: asked.answer({"p": [[0.2, 0.8]] * len(asked.body["q"])})
    file = tmp_path / "mine.yaml"
    file.write_text(
        f"name: ours\nsystem: {server.url}\nsettings:\n  request: {{q: $texts}}\n  response: p\n"
        "  outputs:\n    - {name: negative, kind: probability}\n    - {name: positive, kind: probability}\n"
    )
    system = resolve(str(file), corpus)
    assert isinstance(system, Scorer)
    assert system.name == "ours"
    assert system.outputs == tuple(Output(name, kind="probability") for name in ("negative", "positive"))
    assert system.score(["a"]).tolist() == [[0.2, 0.8]]


# What goes wrong and may be over soon


def test_it_fails_twice_and_then_works(server: Server) -> None:
    def at_third(asked: Asked) -> None:
        status = {1: 500, 2: 429}.get(asked.number, 200)
        asked.answer({"scores": [0.5]} if status == 200 else {"error": "busy"}, status)

    server.behaviour = at_third
    assert Http(server.url).score(["a"]).tolist() == [[0.5]]
    assert len(server.requests) == 3


def test_one_that_always_fails_is_given_up_on(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer(b"  out of\nmemory  ", 503)
    with pytest.raises(EvenhandError) as caught:
        Http(server.url, retries=2).score(["a"])
    assert said(caught) == f"{server.url}: HTTP 503 Service Unavailable: out of memory (3 attempts)"
    assert len(server.requests) == 3


def test_waits_double_with_full_jitter(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        ends.append((low, high))
        return 0.0

    monkeypatch.setattr("random.uniform", uniform)
    monkeypatch.setattr(client, "FIRST_WAIT", 8.0)
    server.behaviour = lambda asked: asked.answer({}, 500)
    with pytest.raises(EvenhandError, match="5 attempts"):
        Http(server.url, retries=4).score(["a"])
    assert ends[:4] == [(0, 8), (0, 16), (0, 32), (0, 60)]


@pytest.mark.parametrize("after", ["1", lambda: formatdate(time.time() + 2, usegmt=True)], ids=["seconds", "date"])
def test_retry_after_is_respected(server: Server, after: str | Callable[[], str]) -> None:
    def come_back(asked: Asked) -> None:
        if asked.number == 1:
            asked.answer({}, 429, Retry_After=after if isinstance(after, str) else after())
        else:
            asked.answer({"scores": [0.5]})

    server.behaviour = come_back
    Http(server.url).score(["a"])
    assert server.times[1] - server.times[0] > 0.9


def test_one_that_asks_for_an_hour_is_given_up_on(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer({}, 429, Retry_After="3600")
    with pytest.raises(EvenhandError) as caught:
        Http(server.url).score(["a"])
    assert said(caught) == f"{server.url}: HTTP 429 Too Many Requests: {{}}; it asks to come back in 3,600 s"
    assert len(server.requests) == 1


def test_one_that_is_slow_is_not_waited_for(server: Server) -> None:
    def first_slowly(asked: Asked) -> None:
        if asked.number == 1:
            threading.Event().wait(60)  # in a thread that nobody waits for
        asked.answer({"scores": [0.5]})

    server.behaviour = first_slowly
    assert Http(server.url, timeout=0.6).score(["a"]).tolist() == [[0.5]]
    server.requests.clear()
    with pytest.raises(EvenhandError) as caught:
        Http(server.url, timeout=0.6, retries=0).score(["a"])
    assert said(caught) == f"{server.url}: no answer within 0.6 s"


def test_one_that_never_answers_asks_for_nothing(server: Server) -> None:
    server.behaviour = lambda asked: time.sleep(60)
    with pytest.raises(EvenhandError) as caught:
        Http(server.url, timeout=0.2, within=0.3).score(["a"])
    assert "no answer within" in said(caught)
    assert "come back" not in said(caught)


def test_one_that_drips_is_not_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(asked: Asked) -> None:
        handler = asked.answer.__self__  # type: ignore[attr-defined]
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(900):
            handler.wfile.write(b" ")
            time.sleep(0.05)

    server.behaviour = drip
    with pytest.raises(EvenhandError, match=r"no answer within 0\.3 s"):
        Http(server.url, timeout=0.3, retries=0).score(["a"])


def test_one_that_hangs_up_half_way_is_asked_again(server: Server) -> None:
    def hang_up_once(asked: Asked) -> None:
        if asked.number == 1:
            asked.hang_up(b'{"scores": [0.5]}')  # it looks complete, and is not
        else:
            asked.answer({"scores": [0.25]})

    server.behaviour = hang_up_once
    assert Http(server.url).score(["a"]).tolist() == [[0.25]]
    server.behaviour = lambda asked: asked.hang_up(b'{"scores"')
    with pytest.raises(EvenhandError) as caught:
        Http(server.url, retries=1).score(["a"])
    assert said(caught) == f"{server.url}: the connection was dropped before the answer was complete (2 attempts)"


def test_nobody_there(server: Server, corpus: Corpus, tmp_path: Path) -> None:
    url = refused()
    with pytest.raises(UsageError) as caught:
        score([Http(url, retries=1)], corpus, cache=tmp_path)
    assert said(caught) == f"{url}: connection refused; is it running? (2 attempts)"


@pytest.mark.parametrize(
    ("greeting", "message"),
    [
        (b"SSH-2.0-hello\r\n", "what answers does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "the connection was dropped"),
    ],
)
def test_something_else_is_there(greeting: bytes, message: str, server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(greeting)

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(EvenhandError, match=message):
            Http(f"http://127.0.0.1:{listening.getsockname()[1]}", retries=0).score(["a"])
        thread.join()


def test_one_that_has_answered_before_may_come_back(server: Server) -> None:
    system = Http(server.url, retries=0)
    system.score(["a"])
    server.behaviour = lambda asked: asked.hang_up(b"")
    with pytest.raises(EvenhandError) as caught:
        system.score(["a"])
    assert not isinstance(caught.value, UsageError)


# What goes wrong for good


@pytest.mark.parametrize(
    ("status", "kind"), [(400, EvenhandError), (422, EvenhandError), (401, UsageError), (404, UsageError)]
)
def test_other_errors_are_not_tried_again(server: Server, status: int, kind: type[EvenhandError]) -> None:
    server.behaviour = lambda asked: asked.answer({"detail": "x" * 500}, status)
    with pytest.raises(kind) as caught:
        Http(server.url).score(["a"])
    assert type(caught.value) is kind
    assert said(caught).startswith(f"{server.url}: HTTP {status} ")
    assert len(said(caught)) < 250
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>Welcome!</html>", "the answer is not JSON but <html>Welcome!</html>"),
        (b"", "the answer is not JSON but nothing"),
        (b'{"scores": [NaN, 1]}', "the answer is not JSON but"),
        (b"[" * 100_000, "the answer is not JSON but [[["),
        ({"score": [1, 2]}, "its answer has no 'scores'; it holds score"),
        ({}, "its answer has no 'scores'; it holds nothing"),
        ([0.1, 0.2], "its answer has no 'scores'; it is a list of 2"),
        ({"scores": 0.5}, "'scores' of its answer is 0.5, not a list with an answer a text"),
        ({"scores": [0.5]}, "it gave 1 answer to 2 texts"),
        ({"scores": [0.5] * 3}, "it gave 3 answers to 2 texts"),
        ({"scores": [0.5, None]}, "a number is missing (null) in its answer"),
        ({"scores": [0.5, "high"]}, "its answer holds 'high' where a number is expected"),
        ({"scores": [0.5, {"a": 1}]}, "its answer holds an object where a number is expected"),
        (
            {"scores": [[0.5, 0.5], [0.5, 0.5]]},
            "it gave 2 numbers a text where 1 are expected; name them in the setting outputs",
        ),
    ],
)
def test_nonsense_is_one_clear_line(server: Server, answer: Any, message: str) -> None:
    server.behaviour = lambda asked: asked.answer(answer)
    with pytest.raises(BadAnswer) as caught:
        Http(server.url).score(["a", "b"])
    assert said(caught).startswith(f"{server.url}: {message}")
    assert len(server.requests) == 1


def test_a_path_that_ends_early_says_where(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer({"data": [{"score": 1}, {"label": "x"}]})
    with pytest.raises(BadAnswer, match=r"has no 'data\.1\.score'; 'data\.1' holds label"):
        Http(server.url, response="data.*.score").score(["a", "b"])


def test_a_number_outside_the_range_names_the_sentence(server: Server, corpus: Corpus, tmp_path: Path) -> None:
    server.behaviour = lambda asked: asked.answer(
        {"scores": [7 if "dad" in text else 0 for text in asked.body["texts"]]}
    )
    with pytest.raises(BadAnswer, match=r"answered 7\.0 for the output 'score' to the sentence \"My dad feels"):
        score([Http(server.url)], corpus, cache=tmp_path)


def test_a_body_without_end_is_not_read_to_the_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_BODY", 2**20)
    server.behaviour = lambda asked: asked.answer(b" " * 2**21)
    with pytest.raises(BadAnswer, match="it sends more than 1 MiB at a time"):
        Http(server.url).score(["a"])


def test_redirects_are_told_not_followed(server: Server) -> None:
    server.behaviour = lambda asked: asked.answer({}, 307, Location="http://elsewhere.example/score?key=1")
    with pytest.raises(UsageError) as caught:
        Http(server.url).score(["a"])
    assert said(caught) == (
        f"{server.url}: HTTP 307: moved to http://elsewhere.example/score; redirects are not followed"
    )
    assert len(server.requests) == 1


def test_after_a_failure_the_rest_is_not_asked(server: Server) -> None:
    def from_third_on(asked: Asked) -> None:
        time.sleep(0.01)
        asked.answer({"scores": [0.5]}, 200 if asked.number < 3 else 400)

    server.behaviour = from_third_on
    with pytest.raises(EvenhandError, match="HTTP 400"):
        Http(server.url, batch_size=1, concurrency=2).score(TEXTS)
    assert len(server.requests) <= 4


def test_an_interrupted_run_goes_on_where_it_stopped(server: Server, corpus: Corpus, tmp_path: Path) -> None:
    broken = {"yet": True}

    def refuse_dad(asked: Asked) -> None:
        bad = broken["yet"] and any("dad" in text for text in asked.body["texts"])
        asked.answer({"error": "no"} if bad else {"scores": lengths(asked.body["texts"])}, 422 if bad else 200)

    server.behaviour = refuse_dad
    with pytest.raises(ScoringFailed) as caught:
        score([small(Http(server.url, batch_size=1))], corpus, cache=tmp_path)
    assert f'feels glad." ({server.url}: HTTP 422 Unprocessable' in said(caught)
    broken["yet"] = False
    server.requests.clear()
    scores = score([small(Http(server.url, batch_size=1))], corpus, cache=tmp_path)
    assert scores.matrix[:, 0].tolist() == lengths(corpus.frame["text"].to_list())
    asked = [text for request in server.requests for text in request.body["texts"]]
    # What is kept of so few is asked again first, to see that the endpoint still answers the same.
    checked, new = asked[:-2], asked[-2:]
    assert all("dad" not in text for text in checked)
    assert sorted(new) == ["My dad feels glad.", "My dad feels sad."]


def small(system: Http) -> Http:
    """With batches for the engine that are small enough for a tiny corpus."""
    system.batch_size = 2
    return system


# Settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"request": {"x": 1}}, 'its request holds neither "$texts" nor "$text"'),
        ({"request": ["$texts", "$text"]}, 'its request holds both "$texts" and "$text"'),
        ({"response": 3}, "its response must be a path, or a mapping from outputs to paths, not 3"),
        ({"response": {}}, "its response must be a path"),
        ({"response": "a..b"}, "'a..b' is not a path"),
        ({"response": {"a": "x"}, "outputs": ["b"]}, "its outputs are not those of its response, in this order: a"),
        ({"outputs": 3}, "its outputs must be names or Output objects, not 3"),
        ({"outputs": [{"name": "a", "hgh": 2}]}, "an output has no 'hgh'; did you mean 'high'"),
        ({"outputs": [{"name": "a", "kind": "probabilty"}]}, "did you mean 'probability'"),
        ({"outputs": [{"name": "a", "high": "1"}]}, "high of the output 'a' must be a number, not '1'"),
        ({"batch_size": 0}, "batch_size must be 1 or more, not 0"),
        ({"concurrency": 0}, "concurrency must be 1 or more"),
        ({"at_first": 0}, "at_first must be 1 or more"),
        ({"retries": -1}, "retries must be 0 or more"),
        ({"timeout": 0}, "timeout must be above 0 seconds"),
        ({"headers": "x"}, "its headers must be a mapping"),
        ({"headers": {"X y": "1"}}, "'X y' is not the name of a header"),
        ({"headers": {"X": 1}}, "the header 'X' must be a text"),
        ({"headers": {"X": "a\nb"}}, "the header 'X' holds characters that a header cannot carry"),
        ({"headers": {"X": "$EVENHAND_NOWHERE"}}, "the header 'X' takes $EVENHAND_NOWHERE from the environment"),
    ],
)
def test_wrong_settings_are_told_before_anything_is_asked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Http("http://127.0.0.1:1/", **settings)
    assert message in said(caught)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/x",
        "file:///etc/passwd",
        "127.0.0.1:8000",
        "http://",
        "http://host:port/",
        "http://a..b/",
        "http://host/a b",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        Http(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError, match="must hold no password") as caught:
        Http(f"http://me:{SECRET[:6]}@host/")
    assert SECRET[:6] not in said(caught)


# Identity and secrets


def test_without_a_version_nobody_knows_what_it_answers() -> None:
    url = "http://127.0.0.1:1/"
    assert Http(url).fingerprint is None
    first, same, other = (Http(url, version=version).fingerprint for version in ("1", "1", "2"))
    assert first == same != other
    assert Http(url, version="1", response="x").fingerprint != first


def test_a_run_may_go_on_with_more_patience_but_not_with_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://127.0.0.1:1/"
    monkeypatch.setenv("TOKEN", "first token")
    key = Http(url, headers={"Authorization": "Bearer $TOKEN"}).resume_key
    monkeypatch.setenv("TOKEN", "second token")
    patient = Http(url, headers={"Authorization": "Bearer $TOKEN"}, timeout=99, retries=9, concurrency=2)
    assert patient.resume_key == key
    assert Http(url, headers={"Authorization": "another"}).resume_key == key
    assert Http(url).resume_key != key
    assert Http(url, request={"x": "$texts"}).resume_key != Http(url).resume_key


def test_a_header_may_come_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_TOKEN", f"{SECRET}\n")
    Http(server.url, headers={"Authorization": "Bearer ${EVENHAND_TOKEN}", "x-plain": "y", "user-agent": "me"}).score(
        ["a"]
    )
    (asked,) = server.requests
    assert asked.headers["Authorization"] == f"Bearer {SECRET}"
    assert (asked.headers["x-plain"], asked.headers["user-agent"]) == ("y", "me")
    assert "User-Agent" not in asked.headers


def test_the_address_may_hold_a_key_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_KEY", "0123456789")
    system = Http(f"{server.url}?key=$EVENHAND_KEY")
    assert "0123456789" not in system.name
    system.score(["a"])
    assert server.requests[0].path == "/score?key=0123456789"
    server.behaviour = lambda asked: asked.answer(f"bad key 0123456789 at {asked.path}".encode(), 401)
    with pytest.raises(UsageError) as caught:
        system.score(["a"])
    assert said(caught).endswith("bad key [hidden] at /score?key=[hidden]")


@pytest.mark.parametrize("header", ["Bearer $EVENHAND_TOKEN", f"Bearer {SECRET}"])
@pytest.mark.parametrize("status", [200, 401, 418, 500])
@pytest.mark.parametrize("as_json", [True, False])
def test_an_endpoint_that_echoes_the_secret_does_not_give_it_away(
    server: Server, monkeypatch: pytest.MonkeyPatch, header: str, status: int, as_json: bool
) -> None:
    monkeypatch.setenv("EVENHAND_TOKEN", SECRET)
    padding = "." * 95  # so that the excerpt is cut within the secret

    def echo(asked: Asked) -> None:
        sent = padding + asked.headers["Authorization"]
        escaped = json.dumps({"scores": [sent]}).replace("/", "\\/").encode()
        asked.answer(escaped if as_json else sent.encode(), status)

    server.behaviour = echo
    with pytest.raises(EvenhandError) as caught:
        Http(server.url, headers={"Authorization": header}, retries=0).score(["a"])
    assert "[hid" in said(caught)  # it may be cut
    for part in (SECRET, "s3cr3t", "tok"):
        assert part not in said(caught)


@pytest.mark.slow
@pytest.mark.parametrize("works", [True, False])
def test_no_secret_is_printed_or_kept(server: Server, tmp_path: Path, works: bool) -> None:
    def unless_echoing(asked: Asked) -> None:
        if works or asked.number <= 24:  # the first batch of the engine, and some of the next
            asked.answer({"scores": lengths(asked.body["texts"])})
        else:
            asked.answer({"error": asked.headers}, 500)

    server.behaviour = unless_echoing
    (tmp_path / "mine.yaml").write_text(
        f"system: {server.url}\nsettings:\n  retries: 0\n  headers: {{Authorization: Bearer $EVENHAND_TOKEN}}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", "audit", "mine.yaml", "--sample", "960",
         "--out", "out", "--cache", "cache", "--debug"],
        cwd=tmp_path, env=os.environ | {"EVENHAND_TOKEN": SECRET}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) == works, done.stderr
    assert (tmp_path / "out" / "report.json").exists() == works
    assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 1
    for content in (done.stdout.encode(), done.stderr.encode(), *kept):
        assert SECRET.encode() not in content
        assert b"s3cr3t" not in content
