"""Asking: the engine of this machine: the system itself, or workers in processes of their own, one for each GPU."""

from __future__ import annotations

import os
import sys
from functools import partial

from evenhand.asking.engines.crew import Wanted
from evenhand.asking.engines.engine import Engine
from evenhand.systems.apart.process import Child
from evenhand.systems.apart.proxies import Start
from evenhand.systems.base import BaseSystem

GPUS = "CUDA_VISIBLE_DEVICES"
ANY_GPU = ("auto", "cuda")
"""Settings of a system's device that leave open which GPU it is."""


class LocalEngine(Engine):
    """So many workers in child processes; by default none, or one for each GPU where there are several."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers

    def number_for(self, system: BaseSystem) -> int:
        """One worker would do no more than the system itself."""
        there = len(gpus()) if _takes_any_gpu(system) else 1
        number = there if self._workers is None else self._workers
        return number if number > 1 else 0

    def start_at(self, place: int, system: BaseSystem, wanted: Wanted) -> Start:
        """A child process, which sees one GPU only where there are several."""
        there = gpus() if _takes_any_gpu(system) else []
        seen = {GPUS: there[place % len(there)]} if len(there) > 1 else {}
        return partial(Child, environment=seen)


def gpus() -> list[str]:
    """The GPUs that this process may use, as their numbers or names; what runs on one has imported torch."""
    torch = sys.modules.get("torch")
    number = 0 if torch is None else int(torch.cuda.device_count())
    named = [name.strip() for name in os.environ.get(GPUS, "").split(",") if name.strip()]
    return named[:number] if named else [str(place) for place in range(number)]


def _takes_any_gpu(system: BaseSystem) -> bool:
    return (
        system.runs_on == "gpu"
        and system.blueprint is not None
        and system.blueprint.settings.get("device", "auto") in ANY_GPU
    )
