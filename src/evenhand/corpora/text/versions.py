"""What is asked: one text with what was found in it, and its versions about people of other groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

ORIGINAL, CHANGED, UNCHANGED, SKIPPED, UNSURE = "original", "changed", "unchanged", "skipped", "unsure"
STATUSES = (ORIGINAL, CHANGED, UNCHANGED, SKIPPED, UNSURE)

NOBODY = "nobody of a known group is mentioned"
AS_WRITTEN = "it is about this group as it stands"


class Edit(NamedTuple):
    """New words for one stretch of a text."""

    start: int
    end: int
    words: str


class Version(NamedTuple):
    """A text about people of one group: changed or, with a reason, not."""

    text: str
    status: str
    reason: str = ""


@dataclass(frozen=True)
class Analysis:
    """What was found in a text: who is in it, and what it would be about other groups."""

    group: str | None
    """The group of the person who is mentioned first; None where nobody is mentioned."""
    status: str
    reason: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The changed text, by group."""
    mixed: bool = False
    """Whether people of several groups are mentioned."""
    left: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By group, the status and the reason where the text has a version about other groups, and none about this one."""

    def version(self, original: str, group: str) -> Version:
        """The text about a group."""
        if self.status != CHANGED:
            return Version(original, self.status, self.reason)
        if group == self.group:
            return Version(original, UNCHANGED, AS_WRITTEN)
        if group in self.left:
            return Version(original, *self.left[group])
        if group not in self.texts:
            return Version(original, SKIPPED, f"no words are known for {group!r}")
        changed = self.texts[group]
        return Version(changed, CHANGED if changed != original else UNCHANGED, self.reason)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with these stretches replaced and every other character as it was."""
    parts, last = [], 0
    for start, end, words in sorted(edits):
        parts += [text[last:start], words]
        last = end
    return "".join([*parts, text[last:]])
