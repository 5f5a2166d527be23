"""Crews of workers, which are threads' objects here: order, deaths, and how far ahead they work."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.asking import score
from evenhand.asking.engines.crew import ATTEMPTS, IN_HAND, Crew, Hired
from evenhand.asking.engines.engine import Engine
from evenhand.errors import EvenhandError, GivenUp, SystemsFailed
from evenhand.systems.apart.process import Died
from evenhand.systems.base import Array, BaseScorer, BaseSystem, Output

TASKS = [((f"text {place}",), 1) for place in range(60)]


class Hand(BaseScorer):
    """A worker that does what it is told for each text."""

    name = "hand"
    outputs: tuple[Output, ...] = (Output("valence", low=0, high=1_000),)

    def __init__(self, do: Callable[[str], float]) -> None:
        self._do = do
        self.ahead = 0
        self.told: list[list[str]] = []
        self.closed = threading.Event()

    def score(self, texts: Sequence[str]) -> Array:
        return np.array([[self._do(text)] for text in texts])

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        self.told.append([texts[0] for texts, _ in coming])

    def close(self, *, at_once: bool = False) -> None:
        self.closed.set()


def _hired(number: int, do: Callable[[str], float], kept: list[Any] | None = None) -> Hired:
    start: Callable[[int, Any], Any] = lambda place, wanted: Hand(do)  # noqa: E731
    return Hired("hand", number, start, lambda place, worker: None if kept is None else kept.append(worker))


def _number(text: str) -> float:
    return float(text.split()[1])


def _heard(crew: Crew) -> list[float]:
    return [float(np.asarray(crew.answer(place))[0, 0]) for place in range(len(TASKS))]


def test_answers_are_heard_in_order_however_long_each_takes() -> None:
    def do(text: str) -> float:
        time.sleep(0.004 * (_number(text) % 3))
        return _number(text)

    kept: list[Any] = []
    with Crew(_hired(3, do, kept), TASKS, ahead=0) as crew:
        assert _heard(crew) == [float(place) for place in range(len(TASKS))]
    assert len(kept) == 3


def test_nobody_works_further_ahead_than_it_takes_to_stay_busy() -> None:
    asked = []
    with Crew(_hired(2, lambda text: asked.append(text) or 0.0), TASKS, ahead=0) as crew:
        crew.answer(0)
        time.sleep(0.2)
        assert len(asked) == 1 + 2 * IN_HAND


def test_what_dead_workers_had_in_hand_is_asked_again_and_nothing_is_lost_or_doubled() -> None:
    died: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    def do(text: str) -> float:
        if _number(text) % 7 == 0 and died[text] < ATTEMPTS - 1:
            died[text] += 1
            raise Died("its process was killed by SIGKILL")
        answered[text] += 1
        return _number(text)

    for ahead in (0, 2):
        died.clear()
        answered.clear()
        with Crew(_hired(3, do), TASKS, ahead=ahead) as crew:
            assert _heard(crew) == [float(place) for place in range(len(TASKS))]
        assert set(died.values()) == {ATTEMPTS - 1}
        assert set(answered.values()) == {1}
        assert len(answered) == len(TASKS)


def test_a_batch_that_kills_whoever_is_asked_fails_alone() -> None:
    def do(text: str) -> float:
        if text == "text 5":
            raise Died("it ended its process, with exit code 7")
        return _number(text)

    with Crew(_hired(2, do), TASKS, ahead=1) as crew:
        for place in range(len(TASKS)):
            if place == 5:
                with pytest.raises(Died, match="exit code 7"):
                    crew.answer(place)
            else:
                crew.answer(place)


def test_where_no_worker_can_be_made_the_system_is_given_up() -> None:
    def start(place: int, wanted: Any) -> Any:
        raise EvenhandError("the disk is full")

    with (
        Crew(Hired("hand", 2, start, lambda place, worker: None), TASKS, ahead=0) as crew,
        pytest.raises(GivenUp, match="the disk is full"),
    ):
        crew.answer(0)


def test_one_worker_that_cannot_be_made_leaves_its_work_to_the_others() -> None:
    def start(place: int, wanted: Any) -> Any:
        if place:
            raise EvenhandError("no room")
        return Hand(_number)

    with Crew(Hired("hand", 4, start, lambda place, worker: None), TASKS, ahead=1) as crew:
        assert _heard(crew) == [float(place) for place in range(len(TASKS))]


@pytest.mark.parametrize("ahead", [0, 2])
def test_one_worker_that_waits_for_room_holds_none_of_the_work(ahead: int) -> None:
    """As on a cluster that lost a node: there is room for the second worker only once the first has done all."""
    given_up = threading.Event()

    def start(place: int, wanted: Callable[[], bool]) -> Any:
        if not place:
            time.sleep(0.1)  # the other one could claim something first
            return Hand(_number)
        deadline = time.monotonic() + 20
        while wanted() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not wanted():
            given_up.set()
        raise Died("nobody needs its answer")

    begun = time.monotonic()
    with Crew(Hired("hand", 2, start, lambda *_: None), TASKS, ahead=ahead) as crew:
        assert _heard(crew) == [float(place) for place in range(len(TASKS))]
    assert given_up.wait(10)
    assert time.monotonic() - begun < 20


def test_a_worker_that_is_lost_while_it_is_made_is_made_again_a_few_times() -> None:
    lost: Counter[int] = Counter()

    def start(place: int, wanted: Any) -> Any:
        if lost[place] < ATTEMPTS - (place == 0):  # the second one is lost once more than it may be
            lost[place] += 1
            raise Died("its node is gone")
        return Hand(_number)

    with Crew(Hired("hand", 2, start, lambda *_: None), TASKS, ahead=0) as crew:
        assert _heard(crew) == [float(place) for place in range(len(TASKS))]
    assert lost[0] == ATTEMPTS - 1
    assert lost[1] <= ATTEMPTS


def test_what_is_passed_over_is_never_heard_and_holds_nobody_up() -> None:
    with Crew(_hired(2, _number), TASKS, ahead=0) as crew:
        heard = [float(np.asarray(crew.answer(place))[0, 0]) for place in range(0, len(TASKS), 5)]
    assert heard == [float(place) for place in range(0, len(TASKS), 5)]


def test_who_wants_to_know_what_comes_is_told_of_what_it_has_in_hand() -> None:
    made: list[Any] = []

    def start(place: int, wanted: Any) -> Any:
        made.append(Hand(_number))
        return made[-1]

    with Crew(Hired("hand", 1, start, lambda place, worker: None), TASKS, ahead=2) as crew:
        _heard(crew)
    assert made[0].told[0] == ["text 0", "text 1", "text 2"]
    assert [told[0] for told in made[0].told] == [texts[0] for texts, _ in TASKS]


def test_who_is_in_the_middle_of_a_batch_when_the_run_ends_is_ended() -> None:
    begun = threading.Event()
    made: list[Any] = []

    def start(place: int, wanted: Any) -> Any:
        made.append(Hand(do))
        return made[-1]

    def do(text: str) -> float:
        begun.set()
        made[0].closed.wait(20)
        raise Died("it was ended")

    with Crew(Hired("hand", 1, start, lambda *_: None), TASKS, ahead=0):
        assert begun.wait(20)
    assert made[0].closed.is_set()


class Threads(Engine):
    """Workers that share the process."""

    def __init__(self, do: Callable[[str], float]) -> None:
        self._do = do

    def number_for(self, system: BaseSystem) -> int:
        return 2

    def start_at(self, place: int, system: BaseSystem, wanted: Any) -> Any:
        raise AssertionError

    def hire(self, system: BaseSystem, batches: int) -> Hired:
        return _hired(2, self._do)


def test_failures_are_told_as_without_workers_and_what_was_answered_is_kept(
    make_corpus: Callable[..., Any], recorder: Any, cache: Path
) -> None:
    texts = [f"t{place:02}" for place in range(20)]

    def do(text: str) -> float:
        if text == "t07":
            raise ValueError("cannot read this")
        return 0.5

    told = []
    for engine in ({}, {"engine": Threads(do)}):
        system = recorder(fails_on=("t07",), batch_size=2)
        with pytest.raises(SystemsFailed) as failure:
            score([system], make_corpus(texts), cache=cache / str(len(told)), progress=False, **engine)
        told.append(str(failure.value).replace("\n", " "))
    assert told[0] == told[1]
    assert "could not score 2 of 20 sentences" in told[0]
    system = recorder(batch_size=2)
    score([system], make_corpus(texts), cache=cache / "1", progress=False)
    assert system.asked == [["t06", "t07"]]
