"""Who answers: a callable of the user's own code, by the path that people type (`py:package.module:callable`)."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from evenhand.errors import EvenhandError, UsageError, did_you_mean, foreign_code, one_line
from evenhand.systems.base import BaseScorer
from evenhand.systems.table import system
from evenhand.systems.yours.callables import as_scorer

FORM = "py:package.module:callable"


@system("py", address="package.module:callable", apart=True)
def from_python_path(
    path: str,
    *,
    low: float = 0.0,
    high: float = 1.0,
    outputs: Any = None,
    kind: str | None = None,
    version: str | None = None,
) -> BaseScorer:
    """Your own function: a list of texts in, numbers or rows of numbers out.

    The working directory counts among the places where modules are looked for.
    """
    found = object_at(path)
    return as_scorer(found, name=f"py:{path}", low=low, high=high, outputs=outputs, kind=kind, version=version)


def object_at(path: str) -> object:
    """What `package.module:name` means: the module is imported, the name looked up in it."""
    module_name, colon, attribute = path.partition(":")
    if not colon or not all(part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]):
        raise UsageError(f"'py:{path}' does not read as {FORM}")
    found: object = _import(module_name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            known = [name for name in vars(found) if not name.startswith("_")] if hasattr(found, "__dict__") else []
            hint = did_you_mean(part, known) if known else ""
            raise UsageError(f"'py:{path}': {module_name!r} ({_file_of(module_name)}) has no {part!r}{hint}")
        found = getattr(found, part)
    return found


def _import(name: str) -> ModuleType:
    here = str(Path.cwd())
    # At the end: a file random.py that lies around here must not take the place of Python's own.
    if here not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    try:
        with foreign_code():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise EvenhandError(f"importing {name!r} failed: there is no module {error.name!r}") from error
        raise UsageError(f"no Python module {error.name!r}; looked in {here} and the installed packages") from error
    except Exception as error:
        raise EvenhandError(f"importing {name!r} failed: {type(error).__name__}: {one_line(error)}") from error


def _file_of(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or "built in"
