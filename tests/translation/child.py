"""A process of its own that translates slowly, for the test that kills it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.translation import Dictionary, ThereAndBack


class Slow(Dictionary):
    """Notes each text in a log as it is done."""

    def __init__(self, log: Path, delay: float) -> None:
        super().__init__({"text": "textus"}, source="en", target="la")
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._delay = delay

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        for place, text in enumerate(texts):
            time.sleep(self._delay)
            os.write(self._log, f"{text}\n".encode())
            yield place, self.translate([text])[0]


if __name__ == "__main__":
    cache, log, delay = sys.argv[1:]
    trip = ThereAndBack(Slow(Path(log), float(delay)), cache=Path(cache))
    texts = [f"text {number:02}" for number in range(40)]
    home = [journey.home for journey in trip.journeys(texts)]
    sys.exit(home != texts)
