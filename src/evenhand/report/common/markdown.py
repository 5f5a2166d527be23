"""Markdown that stays what it was meant to be, whatever systems, groups and people are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

MARKUP = re.compile(r"([\\`*_\[\]|~$])")
BEGINNING = re.compile(r"^([#+=-]|\d+(?=[.)](?:\s|$)))")
"""What would make a heading or a list of a line that begins with it."""
TURNING = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that reorder what stands around them."""
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def printable(value: object) -> str:
    """Anything as one line that a terminal, a page or a printer shows as it is.

    >>> printable("a\\n b\\x1b[31m"), printable("no\u202ercs")
    ('a b�[31m', 'norcs')
    """
    line = " ".join(str(value).split())
    return "".join(_shown(sign) for sign in line if sign not in TURNING)


def plain(value: object) -> str:
    """Anything as words in Markdown: no markup, no HTML, no link and no end of a table's cell.

    >>> print(plain("<b>a|b</b> *x* person_sd"), plain("# 1"), plain("2. y"))
    &lt;b&gt;a\\|b&lt;/b&gt; \\*x\\* person\\_sd \\# 1 2\\. y
    """
    text = MARKUP.sub(r"\\\1", escape(printable(value), quote=False))
    text = BEGINNING.sub(lambda found: found[0] + "\\" if found[0].isdigit() else "\\" + found[0], text)
    return text.replace("://", ":&#47;&#47;").replace("www.", "www&#46;")


def code_block(text: str, language: str = "") -> str:
    """Lines as they are, in a fence that none of them ends."""
    kept = "\n".join("".join(_shown(sign) for sign in line if sign not in TURNING) for line in text.split("\n"))
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", kept)), default=0))
    return f"{fence}{language}\n{kept}\n{fence}\n"


def bullets(lines: Iterable[object]) -> str:
    """A list, one item a line."""
    return "".join(f"- {plain(line)}\n" for line in lines)


def table(headings: Sequence[str], body: Iterable[Sequence[str]], alignment: str) -> str:
    """Rows of texts; `alignment` has an l or r for each column."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(plain, cells)) + " |"

    rule = "|" + "|".join("---:" if kind == "r" else "---" for kind in alignment) + "|"
    return "\n".join([line(headings), rule, *(line(row) for row in body)]) + "\n"


def _shown(sign: str) -> str:
    return UNKNOWN if unicodedata.category(sign) in ("Cc", "Cs") and sign != "\t" else sign
