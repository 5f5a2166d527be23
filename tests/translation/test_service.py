"""Translation services: a real server on this machine, asked in the ways that real services want."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from evenhand.errors import BadAnswer, EvenhandError, UsageError
from evenhand.systems.http import client
from evenhand.translation import Service, ThereAndBack

SECRET = "s3cr3t-of-mine"  # noqa: S105
TEXTS = [f"text {number:02}" for number in range(10)]


@dataclass
class Server:
    """What a test tells the server to answer, and what it was asked."""

    url: str = ""
    answer: Callable[[Any], Any] = lambda asked: {"translations": [text.upper() for text in asked["texts"]]}
    status: Callable[[int], int] = lambda number: 200
    asked: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.asked.append(asked)
                state.headers.append(dict(self.headers))
                number = len(state.asked)
            status = state.status(number)
            body = json.dumps(state.answer(asked) if status == 200 else {"error": self.headers["X-Key"]}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listening.server_port}/translate"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    listening.shutdown()
    listening.server_close()
    thread.join()


def service(server: Server, **settings: Any) -> Service:
    return Service(server.url, **{"source": "en", "target": "da", **settings})


def test_texts_and_languages_are_sent_and_translations_read(server: Server) -> None:
    assert service(server).translate(["one", "two\nlines"]) == ["ONE", "TWO\nLINES"]
    assert server.asked == [{"texts": ["one", "two\nlines"], "source": "en", "target": "da"}]


def test_a_service_is_asked_as_it_wants(server: Server) -> None:
    """As DeepL's, whose languages are in capitals, and whose answer is a list of objects."""
    server.answer = lambda asked: {"translations": [{"text": text + "!"} for text in asked["text"]]}
    asked = service(
        server,
        source="EN",
        target="DA",
        request={"text": "$texts", "source_lang": "$source", "target_lang": "$target", "tag": ["x", 1]},
        response="translations.*.text",
    )
    assert asked.translate(["one"]) == ["one!"]
    assert server.asked[0] == {"text": ["one"], "source_lang": "EN", "target_lang": "DA", "tag": ["x", 1]}
    assert (asked.source, asked.target) == ("en", "da")
    asked.back().translate(["en"])
    assert server.asked[1]["source_lang"] == "DA"
    assert (asked.back().source, asked.back().target) == ("da", "en")


def test_one_text_a_call(server: Server) -> None:
    server.answer = lambda asked: {"translatedText": asked["q"][::-1]}
    asked = service(server, request={"q": "$text", "to": "$target"}, response="translatedText", concurrency=3)
    assert asked.translate(TEXTS) == [text[::-1] for text in TEXTS]
    assert len(server.asked) == 10
    assert asked.batch_size == 3


def test_parts_are_put_in_order_however_many_are_under_way(server: Server) -> None:
    asked = service(server, batch_size=3, concurrency=4)
    assert asked.translate(TEXTS) == [text.upper() for text in TEXTS]
    assert sorted(len(one["texts"]) for one in server.asked) == [1, 3, 3, 3]
    assert asked.batch_size == 12


def test_it_is_patient(server: Server) -> None:
    server.status = lambda number: 503 if number == 1 else 200
    assert service(server).translate(["one"]) == ["ONE"]
    assert len(server.asked) == 2


def test_a_failure_half_way_keeps_what_was_answered(server: Server) -> None:
    def refuse_the_sixth(asked: Any) -> Any:
        return {"translations": [text.upper() for text in asked["texts"]]} if "text 05" not in asked["texts"] else {}

    server.answer = refuse_the_sixth
    settings = {"batch_size": 2, "concurrency": 1, "version": "1"}
    with pytest.raises(BadAnswer, match="its answer has no 'translations'"):
        ThereAndBack(service(server, **settings)).journeys(TEXTS)
    assert len(server.asked) == 3
    server.answer = Server().answer
    server.asked.clear()
    home = [journey.home for journey in ThereAndBack(service(server, **settings)).journeys(TEXTS)]
    assert home == [text.upper() for text in TEXTS]
    there = [one["texts"] for one in server.asked if one["source"] == "en"]
    assert there == [["text 04", "text 05"], ["text 06", "text 07"], ["text 08", "text 09"]]


def test_a_secret_comes_from_the_environment_and_is_never_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", SECRET)
    server.status = lambda number: 403
    asked = service(server, headers={"X-Key": "$KEY"}, version="1")
    with pytest.raises(EvenhandError) as caught:
        asked.translate(["one"])
    assert server.headers[0]["X-Key"] == SECRET
    assert "HTTP 403" in str(caught.value)
    assert "[hidden]" in str(caught.value)
    assert SECRET not in str(caught.value)
    monkeypatch.setenv("KEY", "another")
    assert service(server, headers={"X-Key": "$KEY"}, version="1").fingerprint == asked.fingerprint
    monkeypatch.delenv("KEY")
    with pytest.raises(UsageError, match="takes \\$KEY from the environment, where it is not set"):
        service(server, headers={"X-Key": "$KEY"})


def test_only_a_version_vouches_for_it(server: Server) -> None:
    assert service(server).fingerprint is None
    prints = {
        service(server, version="1").fingerprint,
        service(server, version="2").fingerprint,
        service(server, version="1").back().fingerprint,
        service(server, version="1", response="x").fingerprint,
    }
    assert len(prints) == 4
    assert None not in prints
    assert service(server).resume_key != service(server).back().resume_key


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"translations": "ONE"}, "is not a list with one translation per text, but 'ONE'"),
        ({"translations": ["ONE", "TWO"]}, "it gave 2 translations of 1 texts"),
        ({"translations": [None]}, "holds None where a text is expected"),
        ({"data": []}, "its answer has no 'translations'; it holds data"),
    ],
)
def test_an_answer_of_another_shape_is_told(server: Server, answer: Any, message: str) -> None:
    server.answer = lambda asked: answer
    with pytest.raises(BadAnswer, match=message) as caught:
        service(server).translate(["one"])
    assert str(caught.value).startswith(server.url)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "batch_size must be 1 or more"),
        ({"retries": -1}, "retries must be 0 or more"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"request": {"q": "x"}}, 'neither "\\$texts" nor "\\$text"'),
        ({"response": "a..b"}, "'a..b' is not a path"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(server: Server, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        service(server, **settings)
