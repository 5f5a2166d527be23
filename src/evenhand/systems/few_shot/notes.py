"""Who answers: what a reader should know of a server's answers: what it does not tell, and how steady it is."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from evenhand.systems.few_shot.likeliest import Read

STEADY = 1e-3
"""Probabilities that differ by less when the same is asked again are as good as the same."""

LIKELIER = "list more tokens with the setting top, or put the task so that its labels are likelier"

log = logging.getLogger(__name__)


@dataclass
class Notes:
    """What was seen of one server; each thing is warned of once, when it first happens."""

    name: str
    partly: dict[str, str] = field(default_factory=dict)
    """Labels of several tokens, with the first."""
    lists: int | None = None
    """How many tokens the server lists at most, where it refused to list as many as it was asked for."""
    singly: int = 0
    """Answers in which a label that is not listed was asked for by itself."""
    asked: int = 0
    unlisted: int = 0
    most: float = 0.0
    apart: float | None = None
    """How far apart the answers to the same prompts were, at most; None before any was asked again."""

    def take(self, read: Read) -> None:
        """Take note of an answer."""
        self.asked += 1
        self.singly += read.singly > 0
        if not read.unlisted:
            return
        self.unlisted += 1
        self.most = max(self.most, read.most)
        if self.unlisted == 1:
            log.warning(
                "%s: a label is not among the likeliest tokens that the server lists, and is given the most that it "
                "can have, here %.2g; %s", self.name, read.most, LIKELIER,
            )  # fmt: skip

    def compare(self, once: Sequence[Read], again: Sequence[Read]) -> None:
        """Take note of how far apart answers to the same prompts are."""
        self.apart = max(float(abs(one.masses - two.masses).max()) for one, two in zip(once, again, strict=True))
        if self.apart > STEADY:
            log.warning("%s: %s", self.name, self._unsteady())

    def remarks(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        said = [
            f"of the label {label!r} the server tells its first token {token!r} only, so that its probability is the "
            "most that it can be"
            for label, token in self.partly.items()
        ]
        if self.lists is not None:
            said.append(f"the server lists no more than the {self.lists} likeliest tokens")
        if self.singly:
            said.append(
                f"in {self.singly:,} of {self.asked:,} answers a label was not among the likeliest tokens that the "
                "server lists; its probability was asked for by itself"
            )
        if self.unlisted:
            said.append(
                f"in {self.unlisted:,} of {self.asked:,} answers a label was not among the likeliest tokens that the "
                f"server lists; it was given the most that it can have, which was {self.most:.2g} or less"
            )
        if self.apart is not None and self.apart > STEADY:
            said.append(self._unsteady())
        return tuple(said)

    def _unsteady(self) -> str:
        return (
            f"asked the same again, the server gave a label a probability that was {self.apart:.2g} off; smaller "
            "differences between persons may be chance"
        )
