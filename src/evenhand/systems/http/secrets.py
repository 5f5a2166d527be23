"""Who answers: what is for the endpoint only: values from the environment, and how they are kept out of sight."""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from evenhand.errors import UsageError, one_line
from evenhand.systems.http.hiding import LONG, Hider, decoded

VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
FIELD_NAME = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
SHORTEST = 4
"""Shorter values are no secrets, and to hide each "1" would only garble messages."""
LONGEST_SAID = 4_000
"""So much of what others say is looked at; what is shown of it is far shorter."""

NO_SECRETS = {"accept", "accept-charset", "accept-encoding", "accept-language", "content-type", "user-agent"}
"""Headers whose literal values say nothing that nobody may know."""

KEY_NAME = re.compile(
    r"(^|[._-])(api|access|subscription|client|auth)?[._-]?"
    r"(key|token|secret|password|passwd|pwd|sig|signature|auth|authorization|credentials?)$",
    re.IGNORECASE,
)
KEY_VALUE = re.compile(r"(?=[^-_.~]*\d)(?=[^-_.~]*[A-Za-z])[A-Za-z0-9+/]{16,}=*")
"""A stretch without separators in which letters and digits are mixed, as in keys and hardly anywhere else."""


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
        """What others say, in one line that can be printed, without the values and without parts of them.

        Whatever an endpoint says passes here before anybody sees it. It is cut to length at the very end: half a secret
        is one too many.
        """
        line = one_line(self._hider.hidden(said[:LONGEST_SAID]), most)
        return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)

    def hidden_in(self, answer: Any) -> Any:
        """An answer in whose texts the values do not stand, so that nothing that is made of it can hold them."""
        if not self._values:
            return answer
        if isinstance(answer, str):
            return self._hider.hidden_whole(answer)
        if isinstance(answer, list):
            return [self.hidden_in(one) for one in answer]
        if isinstance(answer, dict):
            return {self.hidden_in(key): self.hidden_in(one) for key, one in answer.items()}
        return answer

    @cached_property
    def _hider(self) -> Hider:
        return Hider(self._values)

    def _header(self, name: str, value: object) -> str:
        where = f"the header {name!r}"
        if not FIELD_NAME.fullmatch(name):
            raise UsageError(f"'http': {name!r} is not the name of a header")
        if not isinstance(value, str):
            raise UsageError(f"'http': {where} must be a text; put it in quotes")
        # What is written down in plain text may be a secret as well, all of it or the part after a word like Bearer.
        if name.lower() not in NO_SECRETS:
            literal = VARIABLE.sub(" ", value)
            self._keep(literal.strip(), least=LONG)
        filled = self.filled(value, where).strip()
        if not filled.isprintable() or not filled.isascii():
            raise UsageError(f"'http': {where} holds characters that a header cannot carry")
        return filled

    def _variable(self, name: str, where: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value:
            raise UsageError(f"'http': {where} takes ${name} from the environment, where it is not set")
        self._keep(value, least=SHORTEST)
        return value

    def _keep(self, value: str, *, least: int) -> None:
        parts = value.split()
        told = [value, *parts, *(inside for part in parts for inside in decoded(part))]
        self._values |= {one for one in told if len(one) >= least}


def refuse_keys(url: urllib.parse.SplitResult) -> None:
    """Refuse an address that holds what looks like a key or a password: addresses are shown and kept."""
    for name, value in urllib.parse.parse_qsl(url.query):
        if VARIABLE.fullmatch(value) or len(value) < SHORTEST:
            continue
        if KEY_NAME.search(name) or any(KEY_VALUE.fullmatch(part) for part in re.split(r"[-_.~]", value)):
            raise UsageError(
                f"'http': an address must hold no key, as it is shown in reports; put the value of {name!r} into an "
                f"environment variable and write {name}=$VARIABLE"
            )
