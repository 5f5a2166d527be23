"""Who answers: how texts become an endpoint's JSON, and its JSON numbers. Messages here are not yet cut to length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.errors import BadAnswer, UsageError, so_many

TEXTS = "$texts"
TEXT = re.compile(r"\$text\b")
"""One text; `$texts` is another word."""

Number = int | float


@dataclass(frozen=True)
class Request:
    """A JSON value with a place for the texts: "$texts" for the list of them, or "$text" for one a call."""

    template: Any

    def __post_init__(self) -> None:
        strings = list(_strings(self.template))
        many, one = TEXTS in strings, any(TEXT.search(string) for string in strings)
        if many == one:
            held = 'both "$texts" and' if many else 'neither "$texts" nor'
            raise UsageError(
                f"'http': its request holds {held} \"$text\"; put one where the list, or one text a call, goes"
            )

    @property
    def takes_one(self) -> bool:
        """Whether a call carries one text only."""
        return TEXTS not in _strings(self.template)

    def filled(self, texts: Sequence[str]) -> Any:
        """The JSON to send."""
        return _filled(self.template, texts)


@dataclass(frozen=True)
class Path:
    """A dotted path into JSON, such as `data.*.score`: names walk objects, numbers and `*` (all) walk lists."""

    written: str

    def __post_init__(self) -> None:
        if not all(self.written.split(".")):
            raise UsageError(f"'http': {self.written!r} is not a path; write one such as scores or data.*.score")

    def of(self, answer: Any) -> Any:
        """What the path leads to; a `*` gives a list.

        >>> Path("data.*.score").of({"data": [{"score": 0.1}, {"score": 0.2}]})
        [0.1, 0.2]
        """
        return self._walk(answer, self.written.split("."), [])

    def _walk(self, value: Any, steps: Sequence[str], walked: list[str]) -> Any:
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        here = [*walked, step]
        if step == "*" and isinstance(value, list):
            return [self._walk(item, rest, [*walked, str(place)]) for place, item in enumerate(value)]
        if isinstance(value, dict) and step in value:
            return self._walk(value[step], rest, here)
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            return self._walk(value[int(step)], rest, here)
        raise BadAnswer(f"its answer has no {'.'.join(here)!r}; {_held(value, walked)}")


@dataclass(frozen=True)
class Response:
    """Where the numbers are: one path to a row or a number a text, or one path for each output."""

    paths: tuple[Path, ...]
    by_output: bool
    takes_one: bool

    def rows(self, answer: Any, texts: int, width: int) -> list[list[float]]:
        """One row of numbers a text."""
        found = [path.of(answer) for path in self.paths]
        if self.takes_one:
            found = [[value] for value in found]
        for path, values in zip(self.paths, found, strict=True):
            if not isinstance(values, list):
                raise BadAnswer(f"{path.written!r} of its answer is {_shown(values)}, not a list with an answer a text")
            if len(values) != texts:
                raise BadAnswer(f"it gave {so_many(len(values), 'answer')} to {so_many(texts, 'text')}")
        rows = [list(row) for row in zip(*found, strict=True)] if self.by_output else [_row(v) for v in found[0]]
        for row in rows:
            if len(row) != width:
                more = "" if width > 1 else "; name them in the setting outputs"
                raise BadAnswer(f"it gave {so_many(len(row), 'number')} a text where {width} are expected{more}")
        return [[_number(value) for value in row] for row in rows]


def response_of(declared: object, *, takes_one: bool) -> Response:
    """The response as it is declared: a path, or a mapping from outputs to paths."""
    if isinstance(declared, str):
        return Response((Path(declared),), by_output=False, takes_one=takes_one)
    if isinstance(declared, Mapping) and declared and all(isinstance(path, str) for path in declared.values()):
        return Response(tuple(map(Path, declared.values())), by_output=True, takes_one=takes_one)
    raise UsageError(f"'http': its response must be a path, or a mapping from outputs to paths, not {declared!r}")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _filled(value: Any, texts: Sequence[str]) -> Any:
    if value == TEXTS:
        return list(texts)
    if isinstance(value, str):
        return TEXT.sub(lambda _: texts[0], value)
    if isinstance(value, Mapping):
        return {key: _filled(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, texts) for item in value]
    return value


def _row(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _number(value: Any) -> float:
    if value is None:
        raise BadAnswer("a number is missing (null) in its answer")
    if not isinstance(value, Number):
        raise BadAnswer(f"its answer holds {_shown(value)} where a number is expected")
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # refused as such, with the sentence, by whoever asks


def _held(value: Any, walked: Sequence[str]) -> str:
    place = f"{'.'.join(walked)!r} " if walked else "it "
    if isinstance(value, dict):
        return f"{place}holds {', '.join(value) or 'nothing'}"
    return f"{place}is {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, dict) else repr(value)
