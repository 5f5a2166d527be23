"""The strings that people type, resolved to the objects that they mean: systems, and predictions that were recorded."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand import recorded
from evenhand.corpora.corpus import Corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.scoring import Scores
from evenhand.systems import REGISTRY, Scorer, build_system
from evenhand.systems.python_path import from_python_path
from evenhand.tables import ENDINGS

FORMS = {
    "NAME or NAME(key=value, ...)": "a system of the table, with its settings",
    "py:package.module:callable": "your own function: a list of texts in, numbers or rows of numbers out",
    "file:PATH": "predictions that were recorded: csv, tsv, jsonl or parquet with a column text or id",
}
"""What may be typed where a system is asked for."""

NAME = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*(?:\((?P<settings>.*)\))?", re.DOTALL)


def resolve(
    spec: str, corpus: Corpus, *, bounds: tuple[float, float] | None = None, version: str | None = None
) -> Scorer | Scores:
    """What a string means: a system to ask, or (for `file:`) scores that are already there.

    `bounds` are the ends of the range for `py:` and `file:` (0 and 1 if not given); systems of the table know their
    own. `version` vouches for a callable: under the same version its answers are taken to be the same.
    """
    spec = spec.strip()
    low, high = bounds or (0.0, 1.0)
    form, colon, rest = spec.partition(":")
    if form == "file" and colon:
        return recorded.read_predictions(Path(rest).expanduser(), corpus, name=spec, low=low, high=high)
    if form == "py" and colon:
        scorer = from_python_path(spec, low=low, high=high, version=version)
    else:
        scorer = _from_table(spec, corpus)
    scorer.name = spec
    return scorer


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """The name and the settings in `NAME(key=value, ...)`; values are Python literals or bare words.

    >>> parse_spec("planted(gap=0.02, attribute=race)")
    ('planted', {'gap': 0.02, 'attribute': 'race'})
    """
    match = NAME.fullmatch(spec)
    if match is None:
        raise UsageError(f"cannot read {spec!r}{_hint(spec)}; write {', '.join(FORMS)}")
    return match["name"], _settings(spec, match["settings"] or "")


def allowed_settings(name: str) -> dict[str, inspect.Parameter]:
    """The settings that a system of the table takes, besides the corpus."""
    parameters = inspect.signature(REGISTRY[name].build).parameters
    return {key: parameter for key, parameter in parameters.items() if key != "corpus"}


def _from_table(spec: str, corpus: Corpus) -> Scorer:
    name, settings = parse_spec(spec)
    if name not in REGISTRY:
        raise UsageError(f"unknown system {name!r}{did_you_mean(name, REGISTRY)}{_hint(spec)}")
    _check_settings(name, settings)
    if "corpus" in inspect.signature(REGISTRY[name].build).parameters:
        settings["corpus"] = corpus
    return build_system(name, **settings)


def _hint(spec: str) -> str:
    looks_like_a_file = Path(spec).suffix.lower() in ENDINGS
    return f" (for recorded predictions: file:{spec})" if looks_like_a_file else ""


def _settings(spec: str, inside: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"_({inside}\n)", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"cannot read the settings in {spec!r}: write NAME(key=value, ...)") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(f"cannot read the settings in {spec!r}: each is key=value")
    settings: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise UsageError(f"cannot read the settings in {spec!r}: each is key=value")
        if keyword.arg in settings:
            raise UsageError(f"{spec!r} gives {keyword.arg!r} twice")
        settings[keyword.arg] = _value(spec, keyword)
    return settings


def _value(spec: str, keyword: ast.keyword) -> Any:
    if isinstance(keyword.value, ast.Name):
        return keyword.value.id
    try:
        return ast.literal_eval(keyword.value)
    except (ValueError, TypeError) as error:
        written = ast.unparse(keyword.value)
        raise UsageError(f"{spec!r}: {keyword.arg}={written} is no plain value; a text needs quotes") from error


def _check_settings(name: str, settings: Mapping[str, Any]) -> None:
    allowed = allowed_settings(name)
    for key, value in settings.items():
        if key not in allowed:
            raise UsageError(f"{name!r} has no setting {key!r}; {_listed(allowed)}")
        default = allowed[key].default
        if not _fits(value, default):
            kind = {float: "a number", int: "a whole number", str: "a text", bool: "True or False"}[type(default)]
            raise UsageError(f"{name!r}: {key} must be {kind}, not {value!r}; {_listed(allowed)}")
    missing = [key for key, p in allowed.items() if p.default is inspect.Parameter.empty and key not in settings]
    if missing:
        raise UsageError(f"{name!r} needs the setting {missing[0]!r}; {_listed(allowed)}")


def _fits(value: Any, default: Any) -> bool:
    """Whether a value is of the kind of the default; a setting without a default, or with None, takes anything."""
    if type(default) is float:
        return type(value) in (int, float)
    return type(default) not in (int, str, bool) or type(value) is type(default)


def _listed(allowed: Mapping[str, inspect.Parameter]) -> str:
    if not allowed:
        return "it takes no settings"
    return "its settings: " + ", ".join(_described(key, parameter.default) for key, parameter in allowed.items())


def _described(key: str, default: Any) -> str:
    return key if default is inspect.Parameter.empty else f"{key}={default}"
