"""What the person who answers for a result says of it: who tested, when, which version, how the tolerance was set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Self

from evenhand.errors import UsageError, quoted
from evenhand.files.plain import rebuild

FIELDS = {
    "auditor": "the auditor",
    "date": "the date of the test",
    "model_version": "the model version",
    "tolerance_set_on": "the date on which the tolerance was set",
    "tolerance_reason": "the reason for the tolerance",
}
"""What may be said, and what messages call it."""
DATES = ("date", "tolerance_set_on")
ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
LONGEST = 500


@dataclass(frozen=True)
class Statement:
    """Nothing here is measured and no clock is read: it is what somebody said, and it changes no number.

    >>> Statement(auditor="Ada Lovelace", date="2026-11-18").to_dict()
    {'auditor': 'Ada Lovelace', 'date': '2026-11-18'}
    """

    auditor: str | None = None
    date: str | None = None
    """When the test was made, as YYYY-MM-DD."""
    model_version: str | None = None
    tolerance_set_on: str | None = None
    """When the tolerance was set, as YYYY-MM-DD."""
    tolerance_reason: str | None = None
    later: tuple[str, ...] = ()
    """What was not said with the test, but when a record was made of it: the names of fields."""

    def __post_init__(self) -> None:
        for name, called in FIELDS.items():
            value = getattr(self, name)
            if value is not None:
                _check_line(called, value)
                if name in DATES:
                    _check_date(called, value)

    def __bool__(self) -> bool:
        return any(getattr(self, name) is not None for name in FIELDS)

    def added_to(self, saved: Statement) -> Statement:
        """What was said with the test and, beside it, what is said now; what was said then cannot be changed."""
        now = {name: value for name in FIELDS if (value := getattr(self, name)) is not None}
        for name, value in now.items():
            before = getattr(saved, name)
            if before not in (None, value):
                raise UsageError(f"the result already says {FIELDS[name]}, {quoted(before)}; what was saved stands")
        new = {name: value for name, value in now.items() if getattr(saved, name) is None}
        return replace(saved, **new, later=(*saved.later, *new))

    def to_dict(self) -> dict[str, Any]:
        """What was said, and nothing of what was not."""
        said = {name: value for name, value in asdict(self).items() if value is not None and name in FIELDS}
        return said | ({"later": list(self.later)} if self.later else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


def _check_line(called: str, text: object) -> None:
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise UsageError(f"{called} must be a text of 1 to {LONGEST} characters, not {quoted(str(text), most=40)}")
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in text):
        raise UsageError(f"{called} must be a single line without control characters, not {quoted(text, most=40)}")


def _check_date(called: str, text: str) -> None:
    try:
        known = ISO.fullmatch(text) is not None and date.fromisoformat(text)
    except ValueError:
        known = False
    if not known:
        raise UsageError(f"{called} must be written as in 2026-11-18, not {quoted(text, most=40)}")
