"""Who answers: secrets found again in what others say, however they spell them, whole or in part.

What was said is read as it stands, and again as what it may be an encoding of: percent signs, HTML, JSON, quoted
printable, octal, up to three times one within the other. Case, spaces, line breaks, tags and what cannot be seen do not
count, and what is no letter or digit may stand between any two of them. Base64 and hexadecimal are looked for as they
would be written, and secrets from behind. Whoever wants to smuggle a secret out can (encrypted, in Base64 twice over);
this holds against servers that echo.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

HIDDEN = "[hidden]"
ROUNDS = 3
"""So many encodings, one within the other, are undone."""

LONG = 8
"""Secrets of so many characters are hidden in part, too; of shorter ones any part could be an ordinary word."""
PART_LEAST, PART_MOST = 6, 8
"""Half of a secret is hidden, wherever it stands, and so are so many characters in a row of a long one."""

ENCODED = re.compile(
    r"%(?:25)*([0-9a-f]{2})|=([0-9a-f]{2})|(?:\\u|u\+)([0-9a-f]{4})|(?:\\|0)x([0-9a-f]{2})"
    r"|(&#x?[0-9a-f]{2,7};?|&\w{1,10};)|\\([\\/\"'])|(\\[bfnrt]|<[^<>]{0,20}>)|\\([0-7]{3})",
    re.IGNORECASE,
)
BASIC = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")

Spelled = list[tuple[str, int, int]]
"""Characters, each with where what it was read from begins and ends."""


class Hider:
    """Hides some values."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = sorted(set(values), key=len, reverse=True)

    @cached_property
    def _parts(self) -> dict[int, set[str]]:
        """By length, what must not be seen: the short ones whole, of long ones every part."""
        return _parts(self._values, lambda length: min(PART_MOST, max(PART_LEAST, length // 2)))

    @cached_property
    def _wholes(self) -> dict[int, set[str]]:
        return _parts([value for value in self._values if len(value) >= 2 * LONG], lambda length: length)

    def hidden(self, said: str) -> str:
        """What was said, without the values and parts of them."""
        return _without(said, self._parts)

    def hidden_whole(self, said: str) -> str:
        """The same, but only whole long values are hidden: for what is data, where a part may be a word by chance."""
        return _without(said, self._wholes)


def _parts(values: Iterable[str], least: Callable[[int], int]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for value in values:
        for form in _forms(value):
            size = len(form) if len(form) < LONG else least(len(form))
            found.setdefault(size, set()).update(form[at : at + size] for at in range(len(form) - size + 1))
    return found


def _forms(value: str) -> Iterator[str]:
    """A value as it may be written, without case and spaces."""
    plain = "".join(value.split())
    for form in (plain.lower(), plain.lower()[::-1]):
        yield form
        bare = "".join(filter(str.isalnum, form))
        if LONG <= len(bare) < len(form):
            yield bare
    content = value.encode()
    yield content.hex()
    for before in range(3):  # Base64 looks different after one and two more bytes; only what is the value's own counts
        written = base64.b64encode(b"\0" * before + content).decode()
        own = written[(0, 2, 3)[before] : (before + len(content)) * 8 // 6].lower()
        if len(own) >= LONG:
            yield own
            yield own.translate(str.maketrans("+/", "-_"))


def decoded(value: str) -> Iterator[str]:
    """What stands within Base64, as in the header of basic authentication: the whole, and user and password."""
    if not BASIC.fullmatch(value):
        return
    try:
        text = base64.b64decode(value.translate(str.maketrans("-_", "+/")) + "=" * (-len(value) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return
    if text.isprintable():
        yield text
        yield from text.split(":")


def _without(said: str, parts: dict[int, set[str]]) -> str:
    if not parts or len(said) < min(parts):
        return said
    covered: set[int] = set()
    spelled = _visible((char, at, at + 1) for at, char in enumerate(said))
    for _ in range(ROUNDS + 1):
        covered |= _found(spelled, parts)
        covered |= _found([one for one in spelled if one[0].isalnum()], parts)
        text = "".join(char for char, _, _ in spelled)
        if not ENCODED.search(text):
            break
        spelled = _decoded(spelled, text)
    return _replaced(said, covered) if covered else said


def _visible(spelled: Iterable[tuple[str, int, int]]) -> Spelled:
    """Without what cannot be seen, and without case."""
    found: Spelled = []
    for char, start, end in spelled:
        if char.isascii():
            if " " < char < "\x7f":
                found.append((char.lower(), start, end))
        elif not char.isspace() and unicodedata.category(char)[0] != "C":
            plain = unicodedata.normalize("NFKC", char).lower()
            found.append((plain if len(plain) == 1 else char, start, end))
    return found


def _found(spelled: Spelled, parts: dict[int, set[str]]) -> set[int]:
    """The places of what was said that spell one of the parts."""
    text = "".join(char for char, _, _ in spelled)
    covered: set[int] = set()
    for size, wanted in parts.items():
        for at in range(len(text) - size + 1):
            if text[at : at + size] in wanted:
                covered.update(range(spelled[at][1], spelled[at + size - 1][2]))
    return covered


def _decoded(spelled: Spelled, text: str) -> Spelled:
    """What it may be an encoding of."""
    found: Spelled = []
    last = 0
    for match in ENCODED.finditer(text):
        found += spelled[last : match.start()]
        start, end = spelled[match.start()][1], spelled[match.end() - 1][2]
        found += [(char, start, end) for char in _meant(match)]
        last = match.end()
    return _visible([*found, *spelled[last:]])


def _meant(match: re.Match[str]) -> str:
    if match[7]:  # a line break or a tag
        return ""
    if match[8]:
        return chr(int(match[8], 8))
    code = match[1] or match[2] or match[3] or match[4]
    if code:
        return chr(int(code, 16))
    return html.unescape(match[5]) if match[5] else match[6]


def _replaced(said: str, covered: set[int]) -> str:
    """Each stretch that is covered, once; what cannot be seen between two of them goes, too."""
    pieces: list[str] = []
    between: list[str] = []
    hiding = False
    for at, char in enumerate(said):
        if at in covered:
            if not hiding:
                pieces += [*between, HIDDEN]
            between, hiding = [], True
        elif hiding and (char.isspace() or not char.isprintable()):
            between.append(char)
        else:
            pieces += [*between, char]
            between, hiding = [], False
    return "".join([*pieces, *between])
