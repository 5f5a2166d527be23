"""Commands that reports print: taken apart, changed, and put together so that a shell takes them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

Option = tuple[str, str]
"""Its name with both dashes, and its value."""
ABOUT_THE_SYSTEM = (
    "--base-url", "--corpus", "--high-is", "--range", "--sample", "--spelling", "--system-version",
)  # fmt: skip
"""Options that a repair shares with the audit that led to it."""


@dataclass(frozen=True)
class Typed:
    """A command as it was typed: what it is about, and its options, each of which has a value."""

    subjects: tuple[str, ...]
    options: tuple[Option, ...]

    @classmethod
    def read(cls, command: str) -> Self:
        """Take `evenhand VERB SUBJECT... --option VALUE` apart.

        >>> Typed.read("evenhand audit vader --range=-1,1 --sample 480")
        Typed(subjects=('vader',), options=(('--range', '-1,1'), ('--sample', '480')))
        """
        subjects, options = [], []
        words = iter(shlex.split(command)[2:])
        for word in words:
            name, equals, value = word.partition("=")
            if word.startswith("--"):
                options.append((name, value if equals else next(words, "")))
            else:
                subjects.append(word)
        return cls(tuple(subjects), tuple(options))

    def audit(self, *, without: Sequence[str] = (), **changed: str) -> str:
        """The same audit, without some options and with others.

        >>> Typed(("vader",), (("--sample", "480"), ("--corpus", "eec"))).audit(without=["--sample"], equivalence="0.2")
        'evenhand audit vader --corpus eec --equivalence 0.2'
        """
        new = {f"--{name}": value for name, value in changed.items()}
        kept = [(name, value) for name, value in self.options if name not in {*new, *without}]
        return joined("audit", self.subjects, [*kept, *new.items()])

    def repair(self, subject: str, attributes: Sequence[str]) -> str:
        """Repair one of its systems."""
        kept = [(name, value) for name, value in self.options if name in ABOUT_THE_SYSTEM]
        return joined("repair", [subject], [*kept, *(("--attribute", name) for name in attributes)])


def joined(verb: str, subjects: Sequence[str], options: Sequence[Option]) -> str:
    """A command as a shell takes it.

    >>> joined("audit", ["planted(gap=0.1)"], [("--corpus", "my corpus.csv")])
    "evenhand audit 'planted(gap=0.1)' --corpus 'my corpus.csv'"
    """
    given = [word for name, value in options for word in (name, value)]
    return " ".join(["evenhand", verb, shlex.join([*subjects, *given])])


def said_of_high(high_is: str | Mapping[str, str]) -> str:
    """What follows --high-is.

    >>> said_of_high("bad"), said_of_high({"anger": "bad", "joy": "good"})
    ('bad', 'anger=bad,joy=good')
    """
    return high_is if isinstance(high_is, str) else ",".join(f"{name}={value}" for name, value in high_is.items())
