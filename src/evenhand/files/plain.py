"""Plain values, as JSON has them, back into the frozen dataclasses they came from, checked against their types."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from evenhand.errors import EvenhandError, one_line

T = TypeVar("T")
Place = tuple[object, ...]
SHOWN, LONGEST = 60, 400


class Unfit(ValueError):
    """A value that is not of the type that its place needs."""

    def __init__(self, place: Place, why: str) -> None:
        self.place, self.why = place, why
        super().__init__(f"{'.'.join(one_line(part, SHOWN) for part in place) or 'the whole'}: {why}")


def rebuild(kind: type[T], values: Mapping[str, Any]) -> T:
    """The dataclass that `asdict` made these values of; a ValueError names the first field that does not fit.

    Nothing is converted but lists to tuples. Fields that are missing take their defaults, so that what earlier versions
    saved can still be read.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Gap:
    ...     interval: tuple[float, float] | None
    >>> rebuild(Gap, {"interval": [0.1, 0.2]})
    Gap(interval=(0.1, 0.2))
    >>> rebuild(Gap, {"interval": [0.1, "0.2"]})
    Traceback (most recent call last):
    evenhand.files.plain.Unfit: interval.1: a number is needed, not "0.2"
    """
    made: T = _fitted(kind, values, ())
    return made


def check_types(made: object) -> None:
    """Refuse a dataclass if a field of it, or of one within, is not of the type that it declares."""
    _fitted(type(made), made, ())


class Noting(dict[str, Any]):
    """The values of a file, which remember the last key that somebody asked for: there lies what does not fit."""

    _last: str | None = None

    def __getitem__(self, key: str) -> Any:
        self._last = key
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As of any mapping."""
        self._last = key
        return super().get(key, default)

    def said(self, error: Exception) -> str:
        """What is wrong, with the key where it is."""
        if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
            missing = one_line(error.args[0], SHOWN)
            return f"{missing}: it is missing" if missing == self._last else f"{self._last}: {missing} is missing"
        if isinstance(error, EvenhandError) or type(error) in (ValueError, Unfit):
            why = one_line(error, LONGEST)
        else:
            why = f"{type(error).__name__}: {one_line(error)}"
        place = str(error.place[0]) if isinstance(error, Unfit) and error.place else None
        return why if self._last is None or place == self._last else f"{self._last}: {why}"


def _fitted(kind: Any, value: Any, place: Place) -> Any:
    """The value as what its place needs, or `Unfit`."""
    return _fitter(kind)(value, place)


Fitter = Callable[[Any, Place], Any]


@cache
def _fitter(kind: Any) -> Fitter:
    """What fits values to a type."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _fitter(arguments[0])
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, UnionType):
        return _one_kind_of(arguments)
    if origin is tuple:
        return _tuple_of(arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_of(*arguments)
    if arguments and (origin in (list, set, frozenset) or getattr(origin, "__module__", "") == "collections.abc"):
        return _list_of(arguments[0])
    if dataclasses.is_dataclass(kind):
        return _dataclass_of(kind)
    return _instance_of(origin or kind)


def _refuse(place: Place, needed: str, value: object) -> NoReturn:
    try:
        shown = one_line(json.dumps(value, ensure_ascii=False), SHOWN)
    except (TypeError, ValueError):
        shown = type(value).__name__
    raise Unfit(place, f"{needed} is needed, not {shown}")


def _text(value: Any, place: Place) -> Any:
    return value if isinstance(value, str) else _refuse(place, "a text", value)


def _truth(value: Any, place: Place) -> Any:
    return value if isinstance(value, bool) else _refuse(place, "true or false", value)


def _count(value: Any, place: Place) -> Any:
    """Whole numbers of results are counts, places and seeds."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if good else _refuse(place, "a whole number from 0", value)


def _number(value: Any, place: Place) -> Any:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return value if good else _refuse(place, "a number", value)


def _nothing(value: Any, place: Place) -> Any:
    return value if value is None else _refuse(place, "null", value)


def _anything(value: Any, place: Place) -> Any:
    return value


_SCALARS: dict[Any, Fitter] = {
    str: _text, bool: _truth, int: _count, float: _number, None: _nothing, NoneType: _nothing, Any: _anything,
    object: _anything,
}  # fmt: skip


def _one_of(known: tuple[Any, ...]) -> Fitter:
    def fitted(value: Any, place: Place) -> Any:
        if any(value is one or (type(value) is type(one) and value == one) for one in known):
            return value
        return _refuse(place, " or ".join(map(str, known)), value)

    return fitted


def _one_kind_of(kinds: tuple[Any, ...]) -> Fitter:
    def fitted(value: Any, place: Place) -> Any:
        failures = []
        for kind in kinds:
            try:
                return _fitted(kind, value, place)
            except Unfit as error:
                failures.append(error)
        # The kind that fits furthest is the one that was meant.
        raise max(failures, key=lambda error: len(error.place))

    return fitted


def _tuple_of(kinds: tuple[Any, ...]) -> Fitter:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return _sequence_of(kinds[0], tuple)

    def fitted(value: Any, place: Place) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(kinds):
            return _refuse(place, f"a list of {len(kinds)}", value)
        return tuple(_fitted(kind, one, (*place, at)) for at, (kind, one) in enumerate(zip(kinds, value, strict=True)))

    return fitted


def _list_of(kind: Any) -> Fitter:
    return _sequence_of(kind, None)


def _sequence_of(kind: Any, made: type[tuple[Any, ...]] | None) -> Fitter:
    def fitted(value: Any, place: Place) -> Any:
        if not isinstance(value, Sequence | set | frozenset) or isinstance(value, str | bytes):
            return _refuse(place, "a list", value)
        fit = _fitter(kind)
        return (made or type(value))(fit(one, (*place, at)) for at, one in enumerate(value))  # type: ignore[call-arg]

    return fitted


def _mapping_of(key: Any = Any, kind: Any = Any) -> Fitter:
    def fitted(value: Any, place: Place) -> Any:
        if not isinstance(value, Mapping):
            return _refuse(place, "an object", value)
        fit = _fitter(kind)
        return {_key(key, name, place): fit(one, (*place, name)) for name, one in value.items()}

    return fitted


def _key(kind: Any, name: Any, place: Place) -> Any:
    """JSON has texts for keys only."""
    if kind in (int, float) and isinstance(name, str):
        try:
            return kind(name)
        except ValueError:
            return _refuse(place, "a number as key", name)
    return _fitted(kind, name, (*place, name))


def _dataclass_of(kind: Any) -> Fitter:
    hints = get_type_hints(kind, include_extras=True)
    fields = [(field, hints[field.name]) for field in dataclasses.fields(kind) if field.init]

    def fitted(value: Any, place: Place) -> Any:
        if isinstance(value, kind):
            for field, hint in fields:
                _fitted(hint, getattr(value, field.name), (*place, field.name))
            return value
        if not isinstance(value, Mapping):
            return _refuse(place, "an object", value)
        given = {}
        for field, hint in fields:
            if field.name in value:
                given[field.name] = _fitted(hint, value[field.name], (*place, field.name))
            elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                raise Unfit((*place, field.name), "it is missing")
        return kind(**given)

    return fitted


def _instance_of(kind: Any) -> Fitter:
    def fitted(value: Any, place: Place) -> Any:
        if isinstance(kind, type) and not isinstance(value, kind):
            return _refuse(place, f"a {kind.__name__}", value)
        return value

    return fitted


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`, which takes NaN and Infinity for numbers; JSON has neither."""
    raise ValueError(f"{name} is not a JSON number")
