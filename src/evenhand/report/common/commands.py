"""Commands that reports print: taken apart, changed, and put together so that a shell takes them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

Option = tuple[str, str | None]
"""Its name with both dashes, and its value; None where it takes none."""
BARE = frozenset(
    {
        "--even",
        "--figures",
        "--first-row-only",
        "--leave-out-intents",
        "--no-figures",
        "--no-training",
        "--pairs",
        "--strict",
        "--supported-only",
        "--until-settled",
    }
)
"""Options that take no value."""
ABOUT_THE_SYSTEM = (
    "--base-url", "--corpus", "--high-is", "--kind", "--outputs", "--range", "--sample", "--spelling",
    "--system-version",
)  # fmt: skip
"""Options that a repair shares with the audit that led to it."""
RECORDED = "file:"
"""How predictions begin that cannot be asked about other sentences."""


@dataclass(frozen=True)
class Typed:
    """A command as it was typed: what it is about, and its options."""

    verb: str
    subjects: tuple[str, ...]
    options: tuple[Option, ...]

    @classmethod
    def read(cls, command: str) -> Self:
        """Take `evenhand VERB SUBJECT... --option VALUE` apart.

        >>> Typed.read("evenhand audit vader --range=-1,1 --sample 480")
        Typed(verb='audit', subjects=('vader',), options=(('--range', '-1,1'), ('--sample', '480')))
        """
        subjects: list[str] = []
        options: list[Option] = []
        typed = shlex.split(command)
        verb, words = "".join(typed[1:2]), iter(typed[2:])
        for word in words:
            name, equals, value = word.partition("=")
            if not word.startswith("--"):
                subjects.append(word)
            elif equals:
                options.append((name, value))
            else:
                options.append((name, None if name in BARE else next(words, "")))
        return cls(verb, tuple(subjects), tuple(options))

    @property
    def recorded(self) -> bool:
        """Whether something in it was recorded, and cannot be asked about anything else."""
        return any(RECORDED in subject for subject in self.subjects)

    def given(self, name: str) -> list[str]:
        """The values of an option, in order."""
        return [value for known, value in self.options if known == name and value is not None]

    def again(
        self,
        *,
        without: Sequence[str] = (),
        also: Sequence[Option] = (),
        subjects: Sequence[str] | None = None,
        **changed: str,
    ) -> str:
        """The same command, without some options, with others changed, and with others besides.

        >>> vader = Typed("audit", ("vader",), (("--sample", "480"), ("--corpus", "eec")))
        >>> vader.again(without=["--sample"], equivalence="0.2")
        'evenhand audit vader --corpus eec --equivalence 0.2'
        """
        new = {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
        kept = [(name, value) for name, value in self.options if name not in {*new, *without}]
        return joined(self.verb, self.subjects if subjects is None else subjects, [*kept, *new.items(), *also])

    def saved_in(self, folder: str) -> tuple[str, str]:
        """The same command, saved, and where: the folder that was given, or else this one.

        >>> Typed("audit", ("vader",), ()).saved_in("my-audit")
        ('evenhand audit vader --out my-audit', 'my-audit')
        >>> Typed("audit", ("vader",), (("--out", "mine"),)).saved_in("my-audit")
        ('evenhand audit vader --out mine', 'mine')
        """
        kept = next(iter(reversed(self.given("--out"))), folder)
        return self.again(out=kept), kept

    def about_the_system(self, verb: str, subject: str, also: Sequence[Option] = ()) -> str:
        """Another command about one of its systems, asked as it was asked here."""
        kept = [(name, value) for name, value in self.options if name in ABOUT_THE_SYSTEM]
        return joined(verb, [subject], [*kept, *also])


def joined(verb: str, subjects: Sequence[str], options: Sequence[Option]) -> str:
    """A command as a shell takes it.

    >>> joined("audit", ["planted(gap=0.1)"], [("--corpus", "my corpus.csv")])
    "evenhand audit 'planted(gap=0.1)' --corpus 'my corpus.csv'"
    """
    given = [word for name, value in options for word in ((name,) if value is None else (name, value))]
    return " ".join(["evenhand", verb, shlex.join([*subjects, *given])])


def said_of_high(high_is: str | Mapping[str, str]) -> str:
    """What follows --high-is.

    >>> said_of_high("bad"), said_of_high({"anger": "bad", "joy": "good"})
    ('bad', 'anger=bad,joy=good')
    """
    return high_is if isinstance(high_is, str) else ",".join(f"{name}={value}" for name, value in high_is.items())
