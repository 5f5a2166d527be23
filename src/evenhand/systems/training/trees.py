"""Trees of the Stanford Sentiment Treebank: a grade for the whole and for every part, one sentence a line."""

from __future__ import annotations

import re

from evenhand.errors import EvenhandError, quoted

PART = re.compile(r"\(|\)|[^\s()]+")
GRADES = ("0", "1", "2", "3", "4")
SPELLED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", r"\/": "/", r"\*": "*"}
"""How treebanks write characters that mean something in trees."""


def grade_and_text(line: str, where: str) -> tuple[str, str]:
    """The grade of the whole sentence, and its words.

    >>> grade_and_text("(3 (2 It) (4 (3 works) (2 -LRB-)))", "line 1")
    ('3', 'It works (')
    """
    parts = PART.findall(line)
    words: list[str] = []
    depth = 0
    for place, part in enumerate(parts):
        if part == "(":
            depth += 1
            grade = parts[place + 1] if place + 1 < len(parts) else ""
            if grade not in GRADES:
                raise EvenhandError(f"{where}: {quoted(grade, 20)} stands where a tree has a grade from 0 to 4")
        elif part == ")":
            depth -= 1
        elif parts[place - 1] != "(":
            words.append(SPELLED.get(part, part))
        closed = depth == 0 and place + 1 < len(parts)
        if closed or depth < 0 or parts[0] != "(":
            raise EvenhandError(f"{where}: the brackets make no single tree")
    if depth:
        raise EvenhandError(f"{where}: a bracket is not closed")
    if not words:
        raise EvenhandError(f"{where}: a tree without words")
    return parts[1], " ".join(words)
