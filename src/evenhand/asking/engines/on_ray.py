"""Asking: the engine of a Ray cluster: an actor for each worker, on whatever node has room.

Ray places the actors and says when one is lost. Which batches there are, which are asked, and what becomes of the
answers is decided here, as for every engine: the plan, the cache and the bytes are the same.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from evenhand.asking.engines.crew import Wanted
from evenhand.asking.engines.engine import Engine
from evenhand.asking.engines.ray_host import Host, host_here
from evenhand.errors import EvenhandError, MissingExtra, one_line
from evenhand.systems.apart.process import Died, heard, to_call, to_make
from evenhand.systems.apart.proxies import Start
from evenhand.systems.base import BaseSystem

log = logging.getLogger(__name__)

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to anybody
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # a cluster of this machine's own listens on the loopback address
}
OWN_STORE = 2**28
"""Bytes of the object store of a cluster of our own: questions and answers are small, and none is kept there."""
GLANCE = 1.0
"""Seconds between looks at whether an answer is still wanted."""
NO_ROOM = 30.0
"""After so many seconds without a place for a worker, that is said; others may work meanwhile."""
WITHIN = 1_800.0
"""Seconds for a worker to find a place and load its system."""


class RayEngine(Engine):
    """So many workers on the cluster at an address; by default one for each of its processors, or its GPUs."""

    keeps_idle = False

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self._address = address
        self._workers = workers
        import_ray()  # a missing extra is told before anything is read or asked

    def number_for(self, system: BaseSystem) -> int:
        """As many as were named, else as many as the cluster has room for now."""
        connect(self._address)
        if self._workers is not None:
            return self._workers
        return int(import_ray().cluster_resources().get("GPU" if system.runs_on == "gpu" else "CPU", 1))

    def start_at(self, place: int, system: BaseSystem, wanted: Wanted) -> Start:
        """An actor; what runs on a GPU gets one for itself."""
        return partial(OnRay, called=system.name, gpus=1 if system.runs_on == "gpu" else 0, wanted=wanted)


class OnRay:
    """An object that an actor holds."""

    def __init__(self, what: str, *given: object, called: str, gpus: int, wanted: Wanted, **named: object) -> None:
        ray = import_ray()
        self._ended = False
        self._wanted = wanted
        self._called = called
        room = {"num_cpus": 1, "num_gpus": gpus, "max_restarts": 0, "max_task_retries": 0}
        self._actor = ray.remote(Host).options(**room).remote(*host_here(os.environ))
        try:
            self._asked(to_make(what, given, named), within=WITHIN)
        except BaseException:
            self.kill()
            raise

    def call(self, method: str, *given: object) -> Any:
        """What a method of the object gives."""
        return self._asked(to_call(method, given))

    def close(self) -> None:
        """Let go of the actor."""
        self.kill()

    def kill(self) -> None:
        """End the actor at once."""
        self._ended = True
        with contextlib.suppress(Exception):  # it is gone, or the cluster is
            import_ray().kill(self._actor)

    def _asked(self, question: dict[str, Any], *, within: float | None = None) -> Any:
        ray = import_ray()
        try:
            answer = self._actor.answer.remote(json.dumps(question))
            self._wait_for(answer, within)
            message, payload = ray.get(answer)
        except ray.exceptions.RayError as error:
            self.kill()  # one that cannot be reached may still be there, in the place that the next one needs
            raise Died(_why(error)) from error
        return heard(json.loads(message), payload)

    def _wait_for(self, answer: Any, within: float | None) -> None:
        begun, said = time.monotonic(), False
        while not self._here([answer]):
            waited = time.monotonic() - begun
            if self._ended or (within is not None and not self._wanted()):
                raise Died("nobody needs its answer")
            if within is not None and waited > within:
                raise EvenhandError(f"after {within:,.0f} seconds the cluster had no worker with its system loaded")
            if within is not None and waited > NO_ROOM and not said:
                said = True
                log.info("%s: a worker waits for room on the cluster, or is still loading", self._called)

    @staticmethod
    def _here(answers: list[Any]) -> bool:
        ray = import_ray()
        if not ray.is_initialized():
            raise Died("this run is no longer connected to the cluster")  # waiting would connect to another one
        return bool(ray.wait(answers, timeout=GLANCE)[0])


def connect(address: str | None) -> None:
    """Be connected to the cluster at this address; without one, to a new one of this machine, on loopback."""
    ray = import_ray()
    if ray.is_initialized():
        return
    logging.getLogger("ray").setLevel(logging.ERROR)
    own = {"include_dashboard": False, "object_store_memory": OWN_STORE}
    given: dict[str, Any] = {"address": "local", **own} if address is None else {"address": address}
    try:
        with _signals_kept():
            ray.init(**given, log_to_driver=False, configure_logging=False)
    except Exception as error:  # Ray has errors of many kinds for a cluster that is not there
        where = "a Ray cluster cannot be started here" if address is None else f"no Ray cluster answers at {address!r}"
        raise EvenhandError(f"{where}: {type(error).__name__}: {one_line(error)}") from error


def import_ray() -> Any:
    """Ray, which is an extra."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError as error:
        raise MissingExtra("the engine 'ray'", "ray") from error
    return ray


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray has an own way to end on SIGTERM; the run's is to keep what was answered."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _why(error: Exception) -> str:
    """The first line of what Ray says; the rest is about its inside."""
    return one_line(str(error).strip().partition("\n")[0] or type(error).__name__, 300)
