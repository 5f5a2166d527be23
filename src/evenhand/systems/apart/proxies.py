"""Who answers: a system that runs in a child, as the engine sees it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from evenhand.errors import BadAnswer, EvenhandError, one_line
from evenhand.systems.apart.process import Child, Died, Raised
from evenhand.systems.base import Array, BaseScorer, Blueprint, HeldOut, Output
from evenhand.systems.tagging import BaseTagger, Tagging, TokenLists

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

HOSTED = "evenhand.systems.apart.hosted"


class Elsewhere(Protocol):
    """An object in another process, such as a `Child`: its methods are called by their names."""

    def call(self, method: str, *given: object) -> Any:
        """What a method gives; `Died` where nobody is left."""
        ...

    def close(self) -> None:
        """End it."""
        ...

    def kill(self) -> None:
        """End it at once, from any thread."""
        ...


Start = Callable[..., Elsewhere]
"""Makes an object of the class with this path (`module:name`) in another process."""


class ScorerApart(BaseScorer):
    """A scorer of the table, built and asked in a process of its own."""

    def __init__(self, drawn: Blueprint, *, called: str, corpus: Corpus | None = None, start: Start = Child) -> None:
        with tempfile.TemporaryDirectory(prefix="evenhand-") as folder:
            given: dict[str, Any] = {}
            if corpus is not None:
                given["corpus"] = str(Path(folder) / "corpus.parquet")
                corpus.save(Path(given["corpus"]))
            self._there, facts = _asked(
                "HostedScorer", called, "facts", *_plain(drawn), start=start, inner=drawn.inner, **given
            )
        _take(self, facts)
        self.ahead: int = facts["ahead"]
        self.outputs: tuple[Output, ...] = tuple(Output(**one) for one in facts["outputs"])
        self.held_out: Mapping[str, HeldOut] = {key: HeldOut(**one) for key, one in facts["held_out"].items()}

    def score(self, texts: Sequence[str]) -> Array:
        """What it answers."""
        return self.draw(texts, 1)

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """What it answers for the nth time."""
        said: Array = self._there.call("draw", list(texts), number)
        return said

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """Tell it what comes next, if it wants to know."""
        if self.ahead:
            self._there.call("expect", [[list(texts), number] for texts, number in coming])

    def close(self, *, at_once: bool = False) -> None:
        """End its process, whatever it is doing if `at_once`."""
        end = self._there.kill if at_once else self._there.close
        end()

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that it reads a text in."""
        pieces: list[str] | None = self._there.call("tokenise", text)
        return pieces

    def remarks(self) -> tuple[str, ...]:
        """What it says of its answers."""
        return tuple(self._there.call("remarks"))


class TaggerApart(BaseTagger):
    """A tagger of the table, built and asked in a process of its own."""

    def __init__(self, drawn: Blueprint, *, called: str, start: Start = Child) -> None:
        self._there, facts = _asked("HostedTagger", called, "facts", *_plain(drawn), start=start)
        _take(self, facts)
        self.classes: tuple[str, ...] | None = None if facts["classes"] is None else tuple(facts["classes"])
        self.renamed = facts["renamed"]

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """What it answers."""
        return self.draw(token_lists, 1)

    def draw(self, token_lists: TokenLists, number: int) -> list[Tagging]:
        """What it answers for the nth time."""
        said = self._there.call("draw", [list(tokens) for tokens in token_lists], number)
        try:
            return [Tagging(tuple(tags), None if of is None else tuple(of)) for tags, of in said]
        except (TypeError, ValueError) as error:
            raise BadAnswer(f"{self.name!r} answered what are no tags: {one_line(repr(said), 80)}") from error

    def close(self, *, at_once: bool = False) -> None:
        """End its process, whatever it is doing if `at_once`."""
        end = self._there.kill if at_once else self._there.close
        end()

    def remarks(self) -> tuple[str, ...]:
        """What it says of its answers."""
        return tuple(self._there.call("remarks"))


def entries_of_plugin(name: str, *, called: str) -> list[dict[str, Any]]:
    """The entries of the plugin that announces this name, imported in a process that ends again."""
    child, facts = _asked("HostedPlugin", called, "entries", name)
    child.close()
    entries: list[dict[str, Any]] = facts
    return entries


def _plain(drawn: Blueprint) -> tuple[str, list[str], dict[str, Any]]:
    return drawn.name, list(drawn.address), dict(drawn.settings)


def _asked(
    hosted: str, called: str, method: str, *given: Any, start: Start = Child, **named: Any
) -> tuple[Elsewhere, Any]:
    """Something elsewhere that holds such an object, and the answer to a first question."""
    try:
        there = start(f"{HOSTED}:{hosted}", *given, **named)
        return there, there.call(method)
    except Died as error:
        raise EvenhandError(f"{called} failed: {error}") from error
    except Raised as error:
        raise EvenhandError(f"{called} failed: {type(error).__name__}: {one_line(error)}") from error


def _take(system: BaseScorer | BaseTagger, facts: Mapping[str, Any]) -> None:
    for name in ("name", "fingerprint", "resume_key", "batch_size", "samples", "runs_on"):
        setattr(system, name, facts[name])
