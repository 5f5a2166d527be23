"""Systems and translators that are written down: their specs and their settings in a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import HighIs

ENDINGS = (".yaml", ".yml")


class SystemFile(BaseModel):
    """`system` is what one would type; `settings` are the system's own; `name` is what reports call it.

    `classes` are for taggers: what their classes are called in the corpus. `high_is` says what high scores mean for the
    person: good, bad or neither, for all outputs that declare nothing, or by name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    system: str
    name: str | None = None
    settings: dict[str, Any] = {}
    classes: dict[str, str] | None = None
    high_is: HighIs | dict[str, HighIs] | None = None


class Described(BaseModel):
    """`translator` is what one would type; `settings` are the translator's own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    translator: str
    settings: dict[str, Any] = {}


class TranslatorFile(BaseModel):
    """The way there and, where its translator does not know it, the way back; each as typed, or with settings."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    there: Described
    back: Described | None = None

    @field_validator("there", "back", mode="before")
    @classmethod
    def _without_settings(cls, value: object) -> object:
        return {"translator": value} if isinstance(value, str) else value


M = TypeVar("M", bound=BaseModel)


def read_system_file(path: Path) -> SystemFile:
    """Read the file; what is wrong with it is said with its place."""
    return _read(SystemFile, path)


def read_translator_file(path: Path) -> TranslatorFile:
    """Read the file; what is wrong with it is said with its place."""
    return _read(TranslatorFile, path)


def _read(kind: type[M], path: Path) -> M:
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    try:
        return kind.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
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
