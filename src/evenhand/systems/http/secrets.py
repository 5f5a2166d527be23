"""Who answers: what is for the endpoint only: values from the environment, and how they are kept out of sight."""

from __future__ import annotations

import html
import json
import os
import re
import urllib.parse
from collections.abc import Mapping

from evenhand.errors import UsageError, one_line

VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
FIELD_NAME = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
HIDDEN = "[hidden]"
SHORTEST = 4
"""Shorter values are no secrets, and to hide each "1" would only garble messages."""


class Secrets:
    """Header values, with `$VARIABLE` taken from the environment, and the means to hide them in what others say."""

    def __init__(self, headers: object = None) -> None:
        if not isinstance(headers, Mapping | None):
            raise UsageError("'http': its headers must be a mapping from names to values")
        self._values: set[str] = set()
        self.headers = {str(name): self._header(str(name), value) for name, value in (headers or {}).items()}

    def filled(self, text: str, where: str) -> str:
        """The text with its variables from the environment."""
        return VARIABLE.sub(lambda match: self._variable(match[1] or match[2], where), text)

    def hide(self, said: str, most: int) -> str:
        """What others say in one line, without the values, also as JSON, HTML and addresses spell them.

        It is cut to length at the very end: half a secret is one too many.
        """
        for spelling in sorted(self._spellings(), key=len, reverse=True):
            said = said.replace(spelling, HIDDEN)
        return one_line(said, most)

    def _header(self, name: str, value: object) -> str:
        where = f"the header {name!r}"
        if not FIELD_NAME.fullmatch(name):
            raise UsageError(f"'http': {name!r} is not the name of a header")
        if not isinstance(value, str):
            raise UsageError(f"'http': {where} must be a text; put it in quotes")
        # What is written down in plain text may be a secret as well, all of it or the part after a word like Bearer.
        literal = VARIABLE.sub(" ", value)
        self._values |= {part for part in (literal.strip(), *literal.split()) if len(part) >= 2 * SHORTEST}
        filled = self.filled(value, where).strip()
        if not filled.isprintable() or not filled.isascii():
            raise UsageError(f"'http': {where} holds characters that a header cannot carry")
        return filled

    def _variable(self, name: str, where: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value:
            raise UsageError(f"'http': {where} takes ${name} from the environment, where it is not set")
        if len(value) >= SHORTEST:
            self._values.add(value)
        return value

    def _spellings(self) -> set[str]:
        found = set()
        for value in self._values:
            as_json = json.dumps(value)[1:-1]
            found |= {
                value,
                as_json,
                as_json.replace("/", "\\/"),
                html.escape(value),
                urllib.parse.quote(value, safe=""),
            }
        return found
