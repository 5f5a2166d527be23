"""Asking: a crew of workers that answer the batches of a plan, each batch once, heard in the plan's order."""

from __future__ import annotations

import heapq
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from evenhand.asking.forms import form_of
from evenhand.errors import EvenhandError, GivenUp, one_line
from evenhand.systems.apart.process import Died
from evenhand.systems.apart.proxies import ScorerApart, TaggerApart

log = logging.getLogger(__name__)

Worker = ScorerApart | TaggerApart
Task = tuple[Sequence[str], int]
"""The questions of a batch, and for which time they are asked."""

Wanted = Callable[[], bool]
"""Whether somebody still waits."""

ATTEMPTS = 3
"""A batch that so many workers have died of has failed."""
IN_HAND = 4
"""So many batches for each worker may be under way, or answered, before the first of them is heard."""
A_MOMENT = 0.5
"""Seconds between looks at whether anybody is left."""
GOODBYE = 2.0
"""Seconds for a worker to stop in the middle of a batch."""


@dataclass(frozen=True)
class Hired:
    """Workers for one system: how many, how one is had (made, or taken of the idle), and where one goes in the end.

    Making one may take long; it may be given up as soon as none is wanted any more.
    """

    name: str
    number: int
    start: Callable[[int, Wanted], Worker]
    keep: Callable[[int, Worker], None]


class Crew:
    """Answers tasks in threads, one for each worker.

    A worker that dies is replaced, and what it had in hand goes back to all. Answers wait until they are heard, in the
    order of the tasks, so that what is kept, counted and told does not depend on who was faster; nobody works further
    ahead of that than it takes to stay busy. A worker that wants to know what comes next has that in hand, too.
    """

    def __init__(self, hired: Hired, tasks: Sequence[Task], *, ahead: int) -> None:
        self._hired = hired
        self._tasks = tasks
        self._in_hand = 1 + ahead
        self._room = hired.number * (IN_HAND + ahead)
        self._unclaimed = list(range(len(tasks)))  # a heap: what is given back comes first again
        self._deaths = dict.fromkeys(self._unclaimed, 0)
        self._unmade = dict.fromkeys(range(hired.number), 0)
        self._done: dict[int, object] = {}
        self._heard = 0
        self._ended = False
        self._why: Exception | None = None
        self._busy: dict[int, Worker] = {}
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(hired.number)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._ended = True
            busy = list(self._busy.values())
            self._changed.notify_all()
        for worker in busy:  # nobody will hear what they say
            worker.close(at_once=True)
        for thread in self._threads:
            thread.join(GOODBYE)

    def answer(self, place: int) -> object:
        """The answer to a task; what it failed with is raised, and `GivenUp` where nobody is left to answer.

        Tasks are heard in their order. One may be passed over, and is then heard by nobody.
        """
        with self._changed:
            self._hear_from(place)
            while place not in self._done:
                if not any(thread.is_alive() for thread in self._threads):
                    raise GivenUp(one_line(self._why or "its workers ended", 1_000)) from self._why
                self._changed.wait(A_MOMENT)
            said = self._done[place]
            self._hear_from(place + 1)
        if isinstance(said, Exception):
            raise said
        return said

    def _hear_from(self, place: int) -> None:
        for passed in range(self._heard, place):
            self._done.pop(passed, None)
        self._heard = max(self._heard, place)
        self._changed.notify_all()

    def _work(self, number: int) -> None:
        worker: Worker | None = None
        hand: list[int] = []
        try:
            while self._has_work(hand):
                worker = worker or self._made(number)
                if worker is None or not self._claim(hand):
                    continue  # it is made once more; or others did all while it was made
                try:
                    said = self._asked(number, worker, hand)
                except Died as died:
                    worker = None
                    self._died(hand, died)
                else:
                    self._done_with(hand.pop(0), said)
        except Exception as error:  # it cannot be made; the others go on
            self._why = error
        finally:
            self._give_back(hand)
            if worker is not None:
                self._hired.keep(number, worker)

    def _made(self, number: int) -> Worker | None:
        """A worker; None where it died before it could be asked, which may happen a few times."""
        try:
            return self._hired.start(number, self._wanted)
        except Died as died:
            self._unmade[number] += 1
            if self._ended or self._unmade[number] >= ATTEMPTS:
                raise
            log.warning("%s: a worker was lost while it was made (%s); it is made again", self._hired.name, died)
            return None

    def _wanted(self) -> bool:
        return not self._ended

    def _has_work(self, hand: Sequence[int]) -> bool:
        """Wait until there is something to do; False once all is done.

        It is claimed only by who has a worker for it: one that is being made may wait for the place of one that works.
        """
        with self._changed:
            while not self._ended:
                if hand or self._next() is not None:
                    return True
                self._changed.wait(A_MOMENT)
        return False

    def _claim(self, hand: list[int]) -> bool:
        """Fill a hand; False if nothing is there to fill it with."""
        with self._changed:
            while len(hand) < self._in_hand and self._next() is not None:
                hand.append(heapq.heappop(self._unclaimed))
        return bool(hand)

    def _next(self) -> int | None:
        """The task that may be claimed next; those that nobody will hear are let go."""
        while self._unclaimed and self._unclaimed[0] < self._heard:
            heapq.heappop(self._unclaimed)
        return self._unclaimed[0] if self._unclaimed and self._unclaimed[0] < self._heard + self._room else None

    def _asked(self, number: int, worker: Worker, hand: Sequence[int]) -> object:
        """What the worker says to the first task in hand; what it raises is an answer, but not its death."""
        with self._changed:
            if self._ended:
                raise Died("nobody needs its answer")
            self._busy[number] = worker
        try:
            form = form_of(worker)
            texts, time = self._tasks[hand[0]]
            if self._in_hand > 1:
                with suppress(EvenhandError):
                    form.expect([self._tasks[place] for place in hand])
            return form.draw(list(texts), time)
        except Died:
            raise
        except Exception as error:
            return error
        finally:
            with self._changed:
                del self._busy[number]

    def _died(self, hand: list[int], died: Died) -> None:
        """What it had in hand goes back; what it died of is asked again, if not too often."""
        place = hand[0]
        self._deaths[place] += 1
        if self._ended:
            return
        if self._deaths[place] < ATTEMPTS:
            log.warning("%s: a worker is gone (%s); what it was asked is asked again", self._hired.name, died)
        else:
            self._done_with(hand.pop(0), died)
        self._give_back(hand)

    def _done_with(self, place: int, said: object) -> None:
        with self._changed:
            if place >= self._heard:
                self._done[place] = said
            self._changed.notify_all()

    def _give_back(self, hand: list[int]) -> None:
        with self._changed:
            for place in hand:
                heapq.heappush(self._unclaimed, place)
            hand.clear()
            self._changed.notify_all()
