"""Asking: what runs on a cluster: an actor that holds one system, and answers in JSON and bytes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence

THREADS = "OMP_NUM_THREADS"


class Host:
    """Holds one system; Ray makes one in each of its worker processes, where it is the first to import anything.

    It looks for modules and files where the run that needs it does, as far as these places are there, and computes with
    as many threads as that run would: Ray itself would allow it one.
    """

    def __init__(self, places: Sequence[str], folder: str, threads: str | None) -> None:
        sys.path[:] = [*(place for place in places if os.path.exists(place) and place not in sys.path), *sys.path]  # noqa: PTH110
        with contextlib.suppress(OSError):
            os.chdir(folder)
        if threads is None:
            os.environ.pop(THREADS, None)
        else:
            os.environ[THREADS] = threads
        from evenhand.systems.apart.serving import Holder

        self._holder = Holder()

    def answer(self, question: str) -> tuple[str, bytes]:
        """What came of a question: a message, and the bytes that belong to it."""
        message, payload = self._holder.answer(json.loads(question))
        if message.get("raised", {}).get("left"):
            # Ray ends its workers by sys.exit, also in the middle of an answer, where their node goes: nobody failed.
            os._exit(1)
        return json.dumps(message), payload


def host_here(environment: Mapping[str, str]) -> tuple[list[str], str, str | None]:
    """What a host is told of the run that needs it."""
    return [str(place) for place in sys.path if place], os.getcwd(), environment.get(THREADS)  # noqa: PTH109
