"""Something worth knowing about a result that no number says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from evenhand.files.plain import rebuild


@dataclass(frozen=True)
class Note:
    """A remark, and what it is about: a system, a file, a method; None where it is about the whole result."""

    about: str | None
    text: str

    def __str__(self) -> str:
        return self.text if self.about is None else f"{self.about}: {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"about": self.about, "text": self.text}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any] | str) -> Self:
        """Rebuild a note; earlier versions saved bare texts."""
        return cls(None, values) if isinstance(values, str) else rebuild(cls, values)


def by_subject(notes: Iterable[Note]) -> dict[str, list[str]]:
    """The texts of the notes that are about something, by what they are about."""
    found: dict[str, list[str]] = {}
    for note in notes:
        if note.about is not None:
            found.setdefault(note.about, []).append(note.text)
    return found
