"""What files may be damaged by, and what must become of them: they are read, or refused in one line that names them.

There are `EVENHAND_FUZZ` times as many examples as usual (`make fuzz` sets it). Where `CI` is set they are the same in
every run, elsewhere they are new ones each time.
"""

from __future__ import annotations

import copy
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from evenhand.errors import EvenhandError

TIMES = float(os.environ.get("EVENHAND_FUZZ", "1"))
LONGEST = 60
"""Seconds that nothing may take, on a machine that does much else."""
LONGEST_LINE = 2_000

F = TypeVar("F", bound=Callable[..., Any])


def fuzzed(examples: int) -> Callable[[F], F]:
    """So many examples in `make test`, and more where that is asked for."""
    return settings(
        max_examples=max(1, int(examples * TIMES)),
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        database=None,
        suppress_health_check=list(HealthCheck),
    )


NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, -0.0, 0.5, 1e308, -1e308, 1e-320, 10**18, -(10**18), 2**63, 10**400),
    *(float("nan"), float("inf"), float("-inf")),
    *(
        "",
        " ",
        "x",
        "0.5",
        "NaN",
        "null",
        "\ud800",
        "\0",
        "a" * 5_000,
        "\x1b]0;pwned\x07",
        "é\u202e",
        "../../etc/passwd",
    ),
    *([], {}, [[]], [None], [{}], {"": None}, {"x": {"y": [1, "2"]}}, [0.5] * 50, [1, 2, 3], ["a", "a"]),
)
"""What may stand where something else should."""
BYTES = (
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b'"',
    b",",
    b"{",
    b"[",
    b"]",
    b"}",
    b":",
    b"\t",
    b"1e999",
    b"9" * 5_000,
    b"[" * 3_000,
)


def nasty() -> st.SearchStrategy[Any]:
    """A value that has no business there."""
    return st.sampled_from(NASTY).map(copy.deepcopy)


@st.composite
def mutated(draw: st.DrawFn, values: Any, most: int = 3) -> Any:
    """Plain values with up to so many changes: another value, a key less or more, an entry twice."""
    made = copy.deepcopy(values)
    for _ in range(draw(st.integers(1, most))):
        made = _mutated_once(draw, made)
    return made


def _mutated_once(draw: st.DrawFn, values: Any) -> Any:
    holder, key, here = None, None, values
    while isinstance(here, dict | list) and here and (holder is None or draw(st.integers(0, 6))):
        holder = here
        key = draw(st.sampled_from(list(here))) if isinstance(here, dict) else draw(st.integers(0, len(here) - 1))
        here = here[key]
    if holder is None:
        return draw(nasty())
    how = draw(st.sampled_from(["other", "other", "other", "gone", "more", "twice", "moved"]))
    if how == "other":
        holder[key] = draw(nasty())
    elif how == "gone":
        del holder[key]
    elif how == "more" and isinstance(holder, dict):
        holder[draw(st.sampled_from(["x", "", "undefined", "kind", "\ud800"]))] = draw(nasty())
    elif how == "moved" and isinstance(holder, dict):
        holder[key] = holder[draw(st.sampled_from(list(holder)))]
    elif isinstance(holder, list):
        holder.insert(key, copy.deepcopy(here))
    else:
        holder[key] = [here]
    return values


@st.composite
def damaged(draw: st.DrawFn, content: bytes, most: int = 4) -> bytes:
    """Bytes with up to so many changes: some gone, some more, some others, the end cut off."""
    made = bytearray(content)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, max(0, len(made) - 1)))
        if draw(st.booleans()):  # the ends of files say what is in them
            at = max(0, len(made) - 1 - draw(st.integers(0, 300)))
        how = draw(st.sampled_from(["flip", "gone", "more", "some", "cut"]))
        if how == "flip" and made:
            made[at] ^= 1 << draw(st.integers(0, 7))
        elif how == "gone":
            del made[at : at + draw(st.integers(1, 40))]
        elif how == "more":
            made[at:at] = draw(st.sampled_from(BYTES))
        elif how == "some":
            made[at : at + 4] = draw(st.binary(min_size=1, max_size=8))
        elif draw(st.integers(0, 4)) == 0:
            del made[at:]
    return bytes(made)


def read_or_refused(read: Callable[[], Any], path: Path | str) -> Any:
    """What a file gives, or None where it is refused as it should be: in one line that names the file, and in time."""
    with in_time():
        try:
            return read()
        except EvenhandError as error:
            said = str(error)
            assert "\n" not in said, f"several lines: {said!r}"
            assert Path(path).name in said, f"the file is not named: {said!r}"
            assert len(said) <= LONGEST_LINE, f"too long: {said!r}"
            said.encode()  # may be printed
            return None


@contextmanager
def in_time(seconds: int = LONGEST) -> Iterator[None]:
    """Fail, rather than hang, where something takes longer than it may."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: object) -> None:
        raise AssertionError(f"not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
