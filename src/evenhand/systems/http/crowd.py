"""Who answers: several questions at once, no more than allowed, and the answers in order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from evenhand.systems.http.client import Connection, Endpoint

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Ask = Callable[[Question, Connection, threading.Event], Answer]


def in_order(
    endpoint: Endpoint, ask: Ask[Question, Answer], questions: Sequence[Question], *, at_once: int
) -> list[Answer]:
    """The answers in the order of the questions, with at most so many asked at a time.

    The first failure stops the rest. Threads are daemons: an interrupt must not wait for an endpoint that hangs.
    """
    answers: dict[int, Answer] = {}
    failures: list[BaseException] = []
    waiting = iter(list(enumerate(questions)))
    lock, stop = threading.Lock(), threading.Event()

    def work() -> None:
        with contextlib.closing(endpoint.connection()) as connection:
            while not stop.is_set():
                with lock:
                    turn = next(waiting, None)
                if turn is None:
                    return
                place, question = turn
                try:
                    answers[place] = ask(question, connection, stop)
                except BaseException as error:
                    failures.append(error)
                    stop.set()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(questions)))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        stop.set()
    if failures:
        raise failures[0]
    return [answers[place] for place in range(len(questions))]
