"""Who answers: how many questions an endpoint is asked at once, and how long it is left alone."""

from __future__ import annotations

import math
import re
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Literal

LONGEST_WAIT = 60.0
"""Seconds; nothing an endpoint says makes anybody wait for longer."""

KEPT = 0.7
"""The share of the questions at once that is left when the endpoint refuses one."""

SLOWER = 1.5
"""An endpoint whose answers take so many times as long as at its best is not asked more at once."""

PATIENCE, LONGEST_PATIENCE = 16, 1024
"""So many rounds pass before as many are asked at once as were refused; twice as many each time it refuses again."""

EPOCH = 1e9
"""Seconds since 1970 rather than from now, where a number is as large as this."""

LEFT_AND_RENEWED = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
PARTS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)", re.ASCII)
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?", re.ASCII)

Outcome = Literal["answered", "refused", "failed"]
"""A refusal is about the endpoint, whatever it was asked; a failure says nothing of how many questions it takes."""


@dataclass(frozen=True)
class Allowance:
    """What an endpoint still takes: so many questions, until it counts anew, in seconds from now."""

    left: int
    renewed_in: float


class Pace:
    """Finds out how many questions at once an endpoint takes, and keeps to the rate that it allows.

    A round is as many answers as are asked for at once. After each that was not slower, one more is asked at once, up
    to `most`; when the endpoint refuses one (too many, unavailable, no answer in time) three tenths fewer are.
    """

    def __init__(self, at_first: int, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.at_once = min(at_first, most)
        self.most = most
        self._clock = clock
        self._under_way = 0
        self._not_before = -math.inf
        self._allowed = math.inf
        self._renewed = -math.inf
        self._round: list[float] = []
        self._best = math.inf
        self._reduced = -math.inf
        self._refused_at = math.inf
        self._patience = PATIENCE
        self._rounds_left = 0

    def wait(self) -> float:
        """Seconds until the next question may be asked; infinite if another has to be answered before."""
        if self._under_way >= self.at_once:
            return math.inf
        now = self._clock()
        used_up = self._allowed <= 0 and now < self._renewed
        return max(0.0, self._not_before - now, self._renewed - now if used_up else 0.0)

    def begin(self) -> float:
        """A question is asked; gives the time."""
        now = self._clock()
        if now >= self._renewed:
            self._allowed = math.inf  # the next answer will tell
        self._allowed -= 1
        self._under_way += 1
        return now

    def end(self, began: float, outcome: Outcome, *, wait: float = 0.0, allowance: Allowance | None = None) -> None:
        """A question is done with; the endpoint may have asked to wait, or said what it still takes."""
        now = self._clock()
        full = self._under_way >= self.at_once
        self._under_way -= 1
        self._not_before = max(self._not_before, now + min(wait, LONGEST_WAIT))
        if allowance is not None:
            # Those under way may be counted already, or not: less is sure to be allowed, and the next answer says more.
            self._allowed = allowance.left - self._under_way
            self._renewed = now + allowance.renewed_in
        if outcome == "refused" and began >= self._reduced:  # else it was asked when more were
            self._reduce(now)
        elif outcome == "answered" and full:  # else more were allowed than were there to be asked
            self._round.append(now - began)
            if len(self._round) >= self.at_once:
                self._grow()

    def _grow(self) -> None:
        usual = statistics.median(self._round)
        self._round.clear()
        self._best = min(self._best, usual)
        if usual > SLOWER * self._best or self.at_once >= self.most:
            return
        if self.at_once + 1 >= self._refused_at and self._rounds_left > 0:
            self._rounds_left -= 1
            return
        self.at_once += 1

    def _reduce(self, now: float) -> None:
        again = self.at_once >= self._refused_at
        self._patience = min(2 * self._patience, LONGEST_PATIENCE) if again else PATIENCE
        self._rounds_left = self._patience
        self._refused_at = self.at_once
        self.at_once = max(1, int(KEPT * self.at_once))
        self._reduced = now
        self._round.clear()


def allowance_in(headers: Mapping[str, str] | Message) -> Allowance | None:
    """What is left of a rate limit, as the headers of an answer say; None where they do not.

    >>> allowance_in({"x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1m0.5s"})
    Allowance(left=59, renewed_in=60.0)
    >>> allowance_in({"ratelimit-remaining": "0", "ratelimit-reset": "2"})
    Allowance(left=0, renewed_in=2.0)
    """
    for left, renewed in LEFT_AND_RENEWED:
        number, seconds = headers.get(left, "").strip(), _from_now(headers.get(renewed, "").strip())
        if seconds is not None and NUMBER.fullmatch(number):
            return Allowance(int(float(number)), min(max(seconds, 0.0), LONGEST_WAIT))
    return None


def _from_now(said: str) -> float | None:
    """Seconds from now, from a number of them, a time since 1970, or a duration such as `6m0s`."""
    if NUMBER.fullmatch(said):
        seconds = float(said)
        return seconds if seconds < EPOCH else seconds - time.time()
    parts = PARTS.findall(said)
    if not parts or "".join(number + unit for number, unit in parts) != said:
        return None
    return sum(float(number) * SECONDS[unit] for number, unit in parts)
