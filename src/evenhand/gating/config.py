"""Where the settings of a gate stand: `evenhand.toml`, or `[tool.evenhand]` in pyproject.toml, from here upwards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.structured import read_toml, validated
from evenhand.gating.settings import GateSettings

FILE, PROJECT = "evenhand.toml", "pyproject.toml"
EXAMPLE = 'systems = ["vader"]'


def find_config(start: Path) -> Path:
    """The file that holds the settings: the nearest one, from a folder upwards."""
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder / FILE
        if (folder / PROJECT).is_file() and _section(folder / PROJECT) is not None:
            return folder / PROJECT
    raise UsageError(
        f"no {FILE}, and no [tool.evenhand] in a {PROJECT}, here or above: name a file with --config, or write {FILE}, "
        f"beginning with a line such as {EXAMPLE}"
    )


def read_config(path: Path, changed: Mapping[str, Any] | None = None) -> GateSettings:
    """The settings in a file, with those that were `changed` on the command line; what is wrong is one line."""
    values, where = _values(path), str(path)
    if path.name == PROJECT:
        where, values = f"{path}, [tool.evenhand]", _section(path)
        if values is None:
            raise UsageError(f"{path} has no section [tool.evenhand]")
    return checked({**values, **(changed or {})} if isinstance(values, dict) else values, where)


def checked(values: object, where: object) -> GateSettings:
    """Settings of these values; whatever is wrong with them is misuse."""
    try:
        return validated(GateSettings, values, where)
    except UsageError:
        raise
    except EvenhandError as error:
        raise UsageError(str(error)) from error


def _values(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except UsageError:
        raise
    except EvenhandError as error:
        raise UsageError(str(error)) from error


def _section(path: Path) -> Any:
    """`[tool.evenhand]`; None where there is none."""
    tools = _values(path).get("tool", {})
    return tools.get("evenhand") if isinstance(tools, dict) else None
