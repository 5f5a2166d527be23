"""Who answers: several questions at once, no more than the endpoint takes, and the answers in order."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from evenhand.errors import BadAnswer, GivenUp, UsageError
from evenhand.systems.http.client import Connection, Endpoint
from evenhand.systems.http.turns import GLANCE, Turns

GRACE = 5.0
"""Seconds; an endpoint keeps its own time, and only what it cannot bound is given up on from outside."""

ABOUT_THE_ENDPOINT = (GivenUp, UsageError, BadAnswer)
"""Failures after which nothing would come of asking on."""

NUMBERS = itertools.count()

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Ask = Callable[[Question, Connection, threading.Event], Answer]


class Crowd(Generic[Question, Answer]):
    """Some questions on their way to an endpoint, from now on; whatever was put earlier has precedence.

    The first failure stops the rest; if it is about the endpoint, what was put later fails with it.
    """

    def __init__(self, endpoint: Endpoint, ask: Ask[Question, Answer], questions: Sequence[Question]) -> None:
        self._endpoint = endpoint
        self._ask = ask
        self._number = next(NUMBERS)
        self._unasked = self._count = len(questions)
        self._under_way: dict[int, Connection] = {}
        self._answers: dict[int, Answer] = {}
        self._failures: list[BaseException] = []
        self._lock, self._stop, self._done = threading.Lock(), threading.Event(), threading.Event()
        endpoint.crowds.add(self)
        endpoint.turns.put(
            ((self._number, place), partial(self._put, place, question)) for place, question in enumerate(questions)
        )

    def answers(self) -> list[Answer]:
        """The answers in the order of the questions, as soon as all are there."""
        try:
            while self._count and not self._done.wait(GLANCE):
                late = time.monotonic() - self._endpoint.within - GRACE
                if any(connection.since < late for connection in list(self._under_way.values())):
                    # What nothing here can interrupt, such as looking up a name. It keeps its turn for ever.
                    said = f"{self._endpoint.shown}: no answer within {self._endpoint.within:g} s"
                    self._failures.append(GivenUp(said))
                    self._endpoint.renew_turns()
                    break
        finally:
            self.stop()
        if self._failures:
            raise self._failures[0]
        return [self._answers[place] for place in range(self._count)]

    def stop(self) -> None:
        """Ask no more."""
        self._stop.set()
        self._endpoint.turns.drop(lambda place: place[0] == self._number)
        with self._lock:
            self._see_whether_done()

    def _put(self, place: int, question: Question, turns: Turns, began: float) -> None:
        with Connection(self._endpoint, turns, began) as connection:
            with self._lock:
                self._under_way[place] = connection
                self._unasked -= 1
            try:
                if not self._stop.is_set():
                    self._answers[place] = self._ask(question, connection, self._stop)
            except BaseException as error:
                self._fail(error)
            finally:
                with self._lock:
                    del self._under_way[place]
                    self._see_whether_done()

    def _fail(self, error: BaseException) -> None:
        others = list(self._endpoint.crowds) if isinstance(error, ABOUT_THE_ENDPOINT) else []
        for crowd in (self, *(other for other in others if other._number > self._number)):
            crowd._failures.append(error)
            crowd.stop()

    def _see_whether_done(self) -> None:
        if not self._under_way and (self._unasked == 0 or self._stop.is_set()):
            self._done.set()


def in_order(endpoint: Endpoint, ask: Ask[Question, Answer], questions: Sequence[Question]) -> list[Answer]:
    """The answers in the order of the questions, with as many asked at a time as the endpoint takes."""
    return Crowd(endpoint, ask, questions).answers()
