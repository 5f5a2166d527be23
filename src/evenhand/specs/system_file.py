"""Systems and translators that are written down: their specs and their settings in a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

from evenhand.errors import EvenhandError
from evenhand.files.structured import read_yaml, validated
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


def name_in_file(spec: str) -> str | None:
    """The name that a system file gives its system; None where it gives none, or where no file is meant."""
    if Path(spec).suffix.lower() not in ENDINGS or ":" in spec:
        return None
    try:
        return read_system_file(Path(spec).expanduser()).name
    except EvenhandError:
        return None


def read_translator_file(path: Path) -> TranslatorFile:
    """Read the file; what is wrong with it is said with its place."""
    return _read(TranslatorFile, path)


def _read(kind: type[M], path: Path) -> M:
    return validated(kind, read_yaml(path), path)
