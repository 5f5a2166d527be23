"""Saved results in a list: where each lies and what it says, in one line."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class SavedResult:
    """A result in a list of results; one that cannot be read has its `problem` instead of the rest."""

    folder: str
    kind: str
    systems: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    summary: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class SavedResults:
    """What lies below a folder, by the names of the folders."""

    found: tuple[SavedResult, ...]
    complete: bool
    """Whether all folders were looked into: there may be too many."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"runs": [asdict(one) for one in self.found], "complete": self.complete}
