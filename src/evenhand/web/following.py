"""One model through its versions: audits in the order of their dates, and the gaps of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evenhand.errors import UsageError
from evenhand.report.explorer.headline import Gap
from evenhand.web.index import Entry, Index

MOST = 100


@dataclass(frozen=True)
class Run:
    """An audit with what it is called among others, and its gaps."""

    entry: Entry
    called: str
    day: str
    gaps: tuple[Gap, ...]


def runs(index: Index, system: str | None, ids: Sequence[str] = ()) -> list[Run]:
    """The audits of a system, or those that are named, the earliest first; at most the latest hundred."""
    if system is None and not ids:
        raise UsageError("name a system to follow, or the audits to put side by side")
    found: dict[str, list[Gap]] = {}
    for id_, gap in index.gaps(list(ids) or None, system=system):
        found.setdefault(id_, []).append(gap)
    entries = [got.entry for id_ in found if (got := index.get(id_)) is not None]
    entries.sort(key=lambda entry: (day_of(entry), entry.modified, entry.place))
    return [Run(entry, _called(entry), day_of(entry), tuple(found[entry.id])) for entry in entries[-MOST:]]


def day_of(entry: Entry) -> str:
    """The day that somebody gave, or else that of its file."""
    return entry.dated or datetime.fromtimestamp(entry.modified, UTC).date().isoformat()


def _called(entry: Entry) -> str:
    return entry.version or entry.place
