"""Plain values, as JSON has them, back into the frozen dataclasses they came from, checked against their types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NoReturn, TypeVar, cast

T = TypeVar("T")


def rebuild(kind: type[T], values: Mapping[str, Any]) -> T:
    """The dataclass that `asdict` made these values of; a ValueError names the first field that does not fit.

    Fields that are missing take their defaults, so that what earlier versions saved can still be read.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Gap:
    ...     interval: tuple[float, float] | None
    >>> rebuild(Gap, {"interval": [0.1, 0.2]})
    Gap(interval=(0.1, 0.2))
    """
    from pydantic import ValidationError

    try:
        made: T = _adapter(cast(Any, kind)).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or kind.__name__
        raise ValueError(f"{place}: {first['msg']}") from error
    return made


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`, which takes NaN and Infinity for numbers; JSON has neither."""
    raise ValueError(f"{name} is not a JSON number")
