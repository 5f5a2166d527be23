"""Who answers: the questions that wait to be put to an endpoint, and the threads that put them."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable, Iterable

from evenhand.systems.http.pace import Allowance, Outcome, Pace

GLANCE = 0.5
"""Seconds; so long a thread waits before it looks whether it is still needed."""

Place = tuple[int, int]
"""Where a question stands in the queue: the lowest comes first, and no two are the same."""

Task = Callable[["Turns", float], None]
"""Puts a question, given the turn and when it began; has to `end` the turn."""


class Turns:
    """Questions in a queue, and threads that put one after another, as fast as the pace allows.

    A thread that is done takes the next question itself, as waking another one takes time on a busy machine. Threads
    are daemons, and go when nothing is left.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._tasks: list[tuple[Place, Task]] = []
        self._threads = 0
        self._returning = 0
        self._lock = threading.Lock()
        self._free, self._again = threading.Condition(self._lock), threading.Condition(self._lock)

    def put(self, tasks: Iterable[tuple[Place, Task]]) -> None:
        """Have more questions asked, each in its place."""
        with self._lock:
            self._tasks.extend(tasks)
            heapq.heapify(self._tasks)
            more = min(self.pace.most - self._threads, len(self._tasks))
            self._threads += max(0, more)
            self._wake()
        for _ in range(more):
            threading.Thread(target=self._work, daemon=True).start()

    def drop(self, wanted: Callable[[Place], bool]) -> list[tuple[Place, Task]]:
        """Ask no more of the questions in such places; gives them."""
        with self._lock:
            dropped = [task for task in self._tasks if wanted(task[0])]
            self._tasks = [task for task in self._tasks if not wanted(task[0])]
            heapq.heapify(self._tasks)
            self._again.notify_all()
        return dropped

    def again(self, stop: threading.Event, until: float = math.inf) -> float | None:
        """Wait for another turn, before those who had none; gives when it began, or None if it was stopped or late."""
        with self._lock:
            self._returning += 1
            try:
                while not stop.is_set() and (left := until - time.monotonic()) > 0:
                    wait = self.pace.wait()
                    if wait <= 0:
                        return self.pace.begin()
                    self._again.wait(min(wait, left, GLANCE))
                return None
            finally:
                self._returning -= 1
                self._wake()

    def end(self, began: float, outcome: Outcome, *, wait: float = 0.0, allowance: Allowance | None = None) -> None:
        """A turn is over."""
        with self._lock:
            self.pace.end(began, outcome, wait=wait, allowance=allowance)
            if outcome != "answered" or self._returning:  # else this thread takes the next turn in a moment
                self._wake()

    def _work(self) -> None:
        while (turn := self._next()) is not None:
            task, began = turn
            task(self, began)

    def _next(self) -> tuple[Task, float] | None:
        with self._lock:
            while self._tasks:
                wait = math.inf if self._returning else self.pace.wait()
                if wait <= 0:
                    _, task = heapq.heappop(self._tasks)
                    began = self.pace.begin()
                    self._wake()
                    return task, began
                self._free.wait(min(wait, GLANCE))
            self._threads -= 1
            return None

    def _wake(self) -> None:
        if self.pace.wait() <= 0:
            (self._again if self._returning else self._free).notify()
