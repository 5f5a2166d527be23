"""The one door for structured text: YAML, JSON and TOML become plain values that can be used, or one line says why not.

What comes out is made of mappings with different keys, lists, texts that can be written, 64-bit whole numbers, finite
numbers, true, false and null; and it is nested no deeper than `DEEPEST`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from evenhand.errors import EvenhandError, UsageError, did_you_mean, one_line, so_many
from evenhand.files.opened import MOST_JSON, MOST_YAML, read_bytes, read_text
from evenhand.visible import SURROGATE

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

DEEPEST = 100
"""Levels of lists and mappings, one within the other."""
MOST_DIGITS = 19
LARGEST_INTEGER = 2**63 - 1
MOST_VALUES = 5_000_000
"""Of a YAML file, whose aliases can stand for very many values in few bytes."""
SHOWN, LONGEST = 100, 500
"""Characters of a key, and of a message, that are shown."""

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True)
class _Refused:
    """What stands in place of a value that cannot be used, until its place is known."""

    why: str


def read_json(path: Path) -> Any:
    """The values in a JSON file."""
    return json_values(read_bytes(path, usual=MOST_JSON), path)


def json_values(text: str | bytes, where: object) -> Any:
    """The values in a JSON text; what is wrong with it is said with the place that is given, and the key's path.

    >>> json_values('{"gaps": [0.1, 1e999]}', "report.json")
    Traceback (most recent call last):
    evenhand.errors.EvenhandError: report.json: gaps.1: Infinity is not a finite number
    """
    try:
        values = json.loads(
            text.decode("utf-8-sig") if isinstance(text, bytes) else text,
            parse_constant=_no_constant,
            parse_int=_integer,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        raise EvenhandError(f"{where}: not UTF-8; save it as UTF-8") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise EvenhandError(f"{where}: not JSON, or damaged: {error.msg} ({place})") from error
    except RecursionError as error:
        raise EvenhandError(f"{where}: nested too deep, more than {DEEPEST} levels") from error
    _refuse_odd(values, where)
    return values


def read_toml(path: Path) -> dict[str, Any]:
    """The values in a TOML file; dates are refused."""
    import tomllib

    try:
        values = tomllib.loads(read_text(path, usual=MOST_YAML))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {one_line(error)}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deep, more than {DEEPEST} levels") from error
    _refuse_odd(values, path)
    return values


def read_yaml(path: Path | Traversable) -> Any:
    """The values in a YAML file; dates stay texts."""
    text = read_text(path, usual=MOST_YAML) if isinstance(path, Path) else path.read_text("utf-8")
    return yaml_values(text, path)


def yaml_values(text: str, where: object) -> Any:
    """The values in a YAML text; what is wrong with it is said with the place that is given, and its line.

    >>> yaml_values("name: [a\\nage: 2024-05-01", "friends.yaml")
    Traceback (most recent call last):
    evenhand.errors.EvenhandError: friends.yaml, line 2: not valid YAML: did not find expected ',' or ']'
    """
    import yaml

    try:
        _refuse_bomb(text, where)
        values = yaml.load(text, Loader=_yaml_loader())  # noqa: S506 - a safe loader, with fewer types
    except yaml.YAMLError as error:
        # Without the lines that YAML would quote: they may hold what is not for everybody.
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        why = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        place = f"{where}, line {mark.line + 1}" if mark else str(where)
        raise EvenhandError(f"{place}: not valid YAML: {one_line(why)}") from None
    _refuse_odd(values, where)
    return values


def validated(kind: type[M], values: object, where: object, *, shape: str | None = None, advice: str = "") -> M:
    """The model of these values; what is wrong is one line with the key's path, and `advice` ends it.

    `shape` says what is expected where the whole is not even a mapping.
    """
    from pydantic import ValidationError

    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise EvenhandError(f"{where}: {first_mistake(error, values, kind, shape=shape)}{advice}") from error
    except EvenhandError as error:  # out of a validator
        error.args = (f"{where}: {error}",)
        raise


def first_mistake(error: ValidationError, values: object, kind: type[BaseModel], *, shape: str | None = None) -> str:
    """The mistake to mend first, with the path of its key: a key that nobody knows explains those that are missing."""
    found = sorted(error.errors(include_url=False), key=_less_telling)
    first = found[0]
    path = ".".join(map(str, _navigable(first, values)))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown key" + did_you_mean(str(first["loc"][-1]), _keys_at(kind, first["loc"][:-1]))
    if not path and first["type"] in ("model_type", "model_attributes_type"):
        message = shape or f"a mapping with the keys {', '.join(kind.model_fields)} is needed"
    more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
    return one_line(f"{path}: {message}{more}" if path else f"{message}{more}", LONGEST)


def _less_telling(one: ErrorDetails) -> tuple[bool, bool]:
    # Where a string or a mapping may stand, a mapping with a mistake in it is no string either.
    return one["type"] != "extra_forbidden", one["type"] == "string_type" and isinstance(one["input"], dict)


def _navigable(mistake: ErrorDetails, values: object) -> Iterator[object]:
    """The parts of a place that lead somewhere in the values, and a key that is missing; without names of types."""
    here: Any = values
    for part in mistake["loc"]:
        within = here.keys() if isinstance(here, Mapping) else range(len(here)) if isinstance(here, list) else ()
        if part in within:
            here = here[part]
        elif mistake["type"] != "missing" or part is not mistake["loc"][-1]:
            continue
        yield one_line(part, SHOWN)


def _keys_at(kind: type[BaseModel], place: Sequence[object]) -> list[str]:
    """What may stand at a place of a model, as far as its types tell."""
    models: list[type[BaseModel]] = [kind]
    for part in place:
        within = [model.model_fields[part] for model in models if isinstance(part, str) and part in model.model_fields]
        if within:
            models = [inner for field in within for inner in _models_in(field.annotation)] or models
    return list(dict.fromkeys(name for model in models for name in model.model_fields))


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    from pydantic import BaseModel

    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _no_constant(name: str) -> _Refused:
    return _Refused(f"{name} is not a JSON number")


def _integer(text: str) -> int | _Refused:
    if len(text) <= MOST_DIGITS + 1:
        number = int(text)
        if abs(number) <= LARGEST_INTEGER:
            return number
    return _Refused(f"a whole number of {so_many(len(text.lstrip('-')), 'digit')}; those of 64 bits are read")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Refused:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return _Refused(f"the key {one_line(again, SHOWN)!r} stands there twice")
    return found


def _refuse_odd(values: object, where: object) -> None:
    """Refuse, with its path, what cannot be calculated with, or not be written again."""
    level: list[tuple[object, _Path]] = [(values, None)]
    for _ in range(DEEPEST + 1):
        below: list[tuple[object, _Path]] = []
        for value, path in level:
            why = _why_odd(value)
            if why is not None:
                raise EvenhandError(f"{where}: {_in_words(path)}{why}")
            if isinstance(value, dict):
                for key, inner in value.items():
                    why = _why_odd(key)
                    if why is not None:
                        raise EvenhandError(f"{where}: {_in_words(path)}a key cannot be read: {why}")
                    below.append((inner, (path, key)))
            elif isinstance(value, list):
                below.extend((inner, (path, number)) for number, inner in enumerate(value))
        if not below:
            return
        level = below
    raise EvenhandError(f"{where}: nested too deep, more than {DEEPEST} levels")


_Path = tuple[Any, object] | None


def _why_odd(value: object) -> str | None:
    if isinstance(value, str):
        if not value.isascii() and SURROGATE.search(value):
            return "a text with half of a surrogate pair, which is no character"
    elif isinstance(value, float):
        if not math.isfinite(value):
            return f"{'NaN' if math.isnan(value) else 'Infinity'} is not a finite number"
    elif isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            return "a whole number of more than 64 bits"
    elif isinstance(value, _Refused):
        return value.why
    elif value is not None and not isinstance(value, dict | list):
        return f"a value of the type {type(value).__name__}, which is not read"
    return None


def _in_words(path: _Path) -> str:
    parts: list[str] = []
    while path is not None:
        path, part = path
        parts.append(one_line(part, SHOWN))
    return f"{'.'.join(reversed(parts))}: " if parts else ""


@cache
def _yaml_loader() -> Any:
    """PyYAML's safe loader without dates, bytes and sets, and without two values under one key."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ValueError, TypeError, OverflowError, LookupError) as error:  # as for `!!int x`
                what = f"{one_line(node.value, 40)!r} does not fit its type" if isinstance(node.value, str) else error
                raise yaml.constructor.ConstructorError(None, None, one_line(what), node.start_mark) from None

        def construct_yaml_int(self, node: Any) -> Any:
            return (
                _integer(node.value)
                if node.value.lstrip("+-").isdecimal() and len(node.value) > MOST_DIGITS
                else (super().construct_yaml_int(node))
            )

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            _refuse_twice(node)
            return super().construct_mapping(node, deep)  # type: ignore[no-any-return]

        def flatten_mapping(self, node: Any) -> None:
            _refuse_twice(node)
            super().flatten_mapping(node)

    odd = [f"tag:yaml.org,2002:{name}" for name in ("timestamp", "binary", "set", "omap", "pairs")]
    Loader.yaml_constructors = {tag: made for tag, made in base.yaml_constructors.items() if tag not in odd}
    Loader.yaml_constructors["tag:yaml.org,2002:int"] = Loader.construct_yaml_int
    Loader.yaml_implicit_resolvers = {
        sign: [(tag, pattern) for tag, pattern in known if tag not in odd]
        for sign, known in base.yaml_implicit_resolvers.items()
    }
    return Loader


def _refuse_twice(node: Any) -> None:
    """Of two values under one key PyYAML would take the last."""
    import yaml

    if getattr(node, "is_checked", False):  # merging puts the keys of others among them
        return
    seen = set()
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
            name = key.tag, key.value
            if name in seen:
                said = f"the key {one_line(key.value, SHOWN)!r} stands there twice"
                raise yaml.constructor.ConstructorError(None, None, said, key.start_mark)
            seen.add(name)
    node.is_checked = True


def _refuse_bomb(text: str, where: object) -> None:
    """Refuse what is nested too deep, refers to itself, or stands for more values than could be looked at.

    Parsed once more before it is built: where depth is only noticed in building, it ends the process.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    sizes: dict[str, int | None] = {}
    open_: list[tuple[str | None, int]] = [(None, 0)]
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.DocumentStartEvent):
            sizes.clear()
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_) > DEEPEST:
                raise EvenhandError(f"{where}, line {_line(event)}: nested too deep, more than {DEEPEST} levels")
            open_.append((event.anchor, 1))
            if event.anchor is not None:
                sizes[event.anchor] = None
            continue
        size = 0
        if isinstance(event, yaml.AliasEvent):
            known = sizes.get(str(event.anchor), 1)
            if known is None:
                raise EvenhandError(f"{where}, line {_line(event)}: the alias *{event.anchor} refers to itself")
            size = known
        elif isinstance(event, yaml.ScalarEvent):
            size = 1
            if event.anchor is not None:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_.pop()
            if anchor is not None:
                sizes[anchor] = size
        outer, so_far = open_.pop()
        open_.append((outer, so_far + size))
        if so_far + size > MOST_VALUES:
            raise EvenhandError(f"{where}, line {_line(event)}: more than {MOST_VALUES:,} values, counting aliases")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
