"""Who answers: a system that runs in a child, as the engine sees it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import BadAnswer, EvenhandError, one_line
from evenhand.systems.apart.process import Child, Died, Raised
from evenhand.systems.base import Array, BaseScorer, HeldOut, Output
from evenhand.systems.tagging import BaseTagger, Tagging, TokenLists

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

HOSTED = "evenhand.systems.apart.hosted"


class ScorerApart(BaseScorer):
    """A scorer of the table, built and asked in a process of its own."""

    def __init__(
        self,
        name: str,
        address: Sequence[str],
        settings: Mapping[str, Any],
        *,
        called: str,
        corpus: Corpus | None = None,
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="evenhand-") as folder:
            given: dict[str, Any] = {}
            if corpus is not None:
                given["corpus"] = str(Path(folder) / "corpus.parquet")
                corpus.save(Path(given["corpus"]))
            self._child, facts = _made("HostedScorer", called, name, list(address), dict(settings), **given)
        _take(self, facts)
        self.outputs: tuple[Output, ...] = tuple(Output(**one) for one in facts["outputs"])
        self.held_out: Mapping[str, HeldOut] = {key: HeldOut(**one) for key, one in facts["held_out"].items()}

    def score(self, texts: Sequence[str]) -> Array:
        """What it answers."""
        return self.draw(texts, 1)

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """What it answers for the nth time."""
        said: Array = self._child.call("draw", list(texts), number)
        return said

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that it reads a text in."""
        pieces: list[str] | None = self._child.call("tokenise", text)
        return pieces

    def remarks(self) -> tuple[str, ...]:
        """What it says of its answers."""
        return tuple(self._child.call("remarks"))


class TaggerApart(BaseTagger):
    """A tagger of the table, built and asked in a process of its own."""

    def __init__(self, name: str, address: Sequence[str], settings: Mapping[str, Any], *, called: str) -> None:
        self._child, facts = _made("HostedTagger", called, name, list(address), dict(settings))
        _take(self, facts)
        self.classes: tuple[str, ...] | None = None if facts["classes"] is None else tuple(facts["classes"])
        self.renamed = facts["renamed"]

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """What it answers."""
        return self.draw(token_lists, 1)

    def draw(self, token_lists: TokenLists, number: int) -> list[Tagging]:
        """What it answers for the nth time."""
        said = self._child.call("draw", [list(tokens) for tokens in token_lists], number)
        try:
            return [Tagging(tuple(tags), None if of is None else tuple(of)) for tags, of in said]
        except (TypeError, ValueError) as error:
            raise BadAnswer(f"{self.name!r} answered what are no tags: {one_line(repr(said), 80)}") from error

    def remarks(self) -> tuple[str, ...]:
        """What it says of its answers."""
        return tuple(self._child.call("remarks"))


def entries_of_plugin(name: str, *, called: str) -> list[dict[str, Any]]:
    """The entries of the plugin that announces this name, imported in a process that ends again."""
    child, facts = _asked("HostedPlugin", called, "entries", name)
    child.close()
    entries: list[dict[str, Any]] = facts
    return entries


def _made(hosted: str, called: str, *given: Any, **named: Any) -> tuple[Child, dict[str, Any]]:
    child, facts = _asked(hosted, called, "facts", *given, **named)
    return child, facts


def _asked(hosted: str, called: str, method: str, *given: Any, **named: Any) -> tuple[Child, Any]:
    """A child that holds such an object, and the answer to a first question."""
    try:
        child = Child(f"{HOSTED}:{hosted}", *given, **named)
        return child, child.call(method)
    except Died as error:
        raise EvenhandError(f"{called} failed: {error}") from error
    except Raised as error:
        raise EvenhandError(f"{called} failed: {type(error).__name__}: {one_line(error)}") from error


def _take(system: BaseScorer | BaseTagger, facts: Mapping[str, Any]) -> None:
    for name in ("name", "fingerprint", "resume_key", "batch_size", "samples"):
        setattr(system, name, facts[name])
