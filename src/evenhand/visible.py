"""Text from anywhere, as a terminal may show it: what would act on the terminal, or hide, is spelled out."""

from __future__ import annotations

import re
from collections.abc import Callable

ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters: escape sequences begin with one
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # seen by nobody
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # seen by nobody, or they reorder what stands around them
    "\u2028\u2029"  # line and paragraph separators
    "\ud800-\udfff"  # surrogates: no characters
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # tags and other formats
)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a pair, which is no character and cannot be written."""
JOINERS = "\u200c\u200d"
"""They shape words in Persian or Hindi, and emojis; between other signs they only hide."""
SPACES = re.compile(r"[ \t\r\n\f\v]+")


def visible(text: object, *, keep: str = "", spell: Callable[[str], str] | None = None) -> str:
    """Text in which nothing acts on a terminal; `keep` are signs that may, such as the ends of lines.

    `spell` says what stands there for a sign that acts (else it is spelled as Python spells it).

    >>> print(visible("\\x1b]0;pwned\\x07"), visible("a\\nb"), visible("no\\u202ercs"))
    \\x1b]0;pwned\\x07 a\\nb no\\u202ercs
    """
    spelled = _spelled if spell is None else spell
    return ACTING.sub(lambda found: found[0] if found[0] in keep or _joins(found) else spelled(found[0]), _said(text))


def visible_line(text: object) -> str:
    """The same as one line: a message has one, whatever the names and the errors in it.

    >>> visible_line("a\\n  b\\x1b[31m")
    'a b\\\\x1b[31m'
    """
    return visible(SPACES.sub(" ", _said(text)).strip())


def visible_lines(text: object) -> str:
    """The same for a text of several lines."""
    return visible(text, keep="\n\t")


def visible_json(text: str) -> str:
    """The same JSON, spelled so that nothing in its strings acts on a terminal.

    >>> print(visible_json('{"a\\x9b": "\\U000e0041"}'))
    {"a\\u009b": "\\udb40\\udc41"}
    """
    return visible(text, keep="\n\t", spell=in_json)


def in_json(sign: str) -> str:
    """A sign as JSON spells it."""
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


def _said(value: object) -> str:
    """Errors of others may fail even to say what they are."""
    try:
        return str(value)
    except Exception:
        return f"({type(value).__name__})"


def _spelled(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def _joins(found: re.Match[str]) -> bool:
    """Whether this is a joiner between two signs that may be joined."""
    text, place = found.string, found.start()
    around = (text[place - 1 : place], text[place + 1 : place + 2])
    return found[0] in JOINERS and all(one and not one.isascii() and not ACTING.match(one) for one in around)
