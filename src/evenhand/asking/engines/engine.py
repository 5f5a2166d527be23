"""Asking: what an engine is; for whom workers can answer, and how a worker is made."""

from __future__ import annotations

import json
import logging
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from evenhand.asking.engines.crew import Hired, Wanted, Worker
from evenhand.errors import EvenhandError
from evenhand.systems.apart.proxies import ScorerApart, Start, TaggerApart
from evenhand.systems.base import BaseSystem

log = logging.getLogger(__name__)

_IDLE: weakref.WeakKeyDictionary[BaseSystem, dict[tuple[type, int], Worker]] = weakref.WeakKeyDictionary()
"""Workers that are not needed now, by system and place, for the next time that the system is asked."""


class Engine(ABC):
    """Who answers for a system: itself, in this process, or workers."""

    keeps_idle = True
    """Whether workers stay for the next time; where they take up a place that others wait for, they don't."""

    @abstractmethod
    def number_for(self, system: BaseSystem) -> int:
        """How many workers there may be; with fewer than one, the system answers itself."""

    @abstractmethod
    def start_at(self, place: int, system: BaseSystem, wanted: Wanted) -> Start:
        """How the worker of a place is made, for as long as it is wanted."""

    def hire(self, system: BaseSystem, batches: int) -> Hired | None:
        """Workers for so many batches; None where the system is to answer itself, and why it does not have any."""
        number = min(self.number_for(system), batches)
        if number < 1:
            return None
        why = why_here(system)
        if why is not None:
            log.info("%s: it answers in this process: %s", system.name, why)
            return None

        idle = _IDLE.setdefault(system, {})

        def start(place: int, wanted: Wanted) -> Worker:
            there = idle.pop((type(self), place), None)
            return worker_of(system, self.start_at(place, system, wanted)) if there is None else there

        def keep(place: int, worker: Worker) -> None:
            if self.keeps_idle:
                idle[type(self), place] = worker
            else:
                worker.close()

        return Hired(system.name, number, start, keep)


def why_here(system: BaseSystem) -> str | None:
    """Why a system must answer in this process; None where workers may answer for it."""
    if system.runs_on == "elsewhere":
        return "others do its work, and several questions are under way at once already"
    if system.blueprint is None or not _travels(system.blueprint.settings):
        return "it was given as an object; workers build what has a name, such as py:MODULE:FUNCTION"
    if system.samples and system.fingerprint is None:
        return "it samples, and its draws may depend on what it was asked before"
    return None


def worker_of(system: BaseSystem, start: Start) -> Worker:
    """A worker that gives the same answers, as far as fingerprints tell."""
    drawn = system.blueprint
    assert drawn is not None  # noqa: S101 - `why_here` saw to it
    kind: Callable[..., Worker] = TaggerApart if drawn.tagger else ScorerApart
    made = kind(drawn, called=repr(system.name), start=start)
    if _known_by(made) != _known_by(system):
        with suppress(EvenhandError):
            made.close()
        raise EvenhandError(
            f"a worker of {system.name!r} is another system than the one here: its files, its settings or the versions "
            "of its packages differ"
        )
    made.name = system.name
    return made


def _known_by(system: BaseSystem) -> tuple[Any, ...]:
    return system.fingerprint, system.resume_key, system.answer_names


def _travels(settings: object) -> bool:
    try:
        json.dumps(settings)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
