"""A system that is written down: its spec and its settings in a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from evenhand.errors import EvenhandError, UsageError

ENDINGS = (".yaml", ".yml")


class SystemFile(BaseModel):
    """`system` is what one would type; `settings` are the system's own; `name` is what reports call it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    system: str
    name: str | None = None
    settings: dict[str, Any] = {}


def read_system_file(path: Path) -> SystemFile:
    """Read the file; what is wrong with it is said with its place."""
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    try:
        return SystemFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        # Without the lines that YAML would quote: they may hold what is not for everybody.
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise EvenhandError(f"{where} cannot be read: {getattr(error, 'problem', None) or 'not YAML'}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise EvenhandError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise EvenhandError(f"{path}: {place}: {first['msg']}") from error
