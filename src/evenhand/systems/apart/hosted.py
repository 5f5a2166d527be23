"""The child's side of a system: what the parent asks of it, in values that travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evenhand.corpora.corpus import Corpus
from evenhand.systems import REGISTRY
from evenhand.systems.base import BaseScorer
from evenhand.systems.table import build_here
from evenhand.systems.tagging import BaseTagger, build_tagger_here
from evenhand.systems.through import Through

SHARED = ("name", "fingerprint", "resume_key", "batch_size", "samples", "runs_on")


class HostedScorer:
    """A scorer of the table, or what lies so many layers inside one."""

    def __init__(
        self, name: str, address: list[str], settings: Mapping[str, Any], inner: int = 0, corpus: str | None = None
    ) -> None:
        given = dict(settings) if corpus is None else {**settings, "corpus": Corpus.load(Path(corpus))}
        self._made: BaseScorer = build_here(name, *address, **given)
        for _ in range(inner):
            assert isinstance(self._made, Through)  # noqa: S101 - the blueprint counted them
            self._made = self._made.inner

    def facts(self) -> dict[str, Any]:
        """What it says of itself."""
        outputs = [asdict(output) for output in self._made.outputs]
        held_out = {name: asdict(one) for name, one in self._made.held_out.items()}
        return {**_facts(self._made), "outputs": outputs, "held_out": held_out, "ahead": self._made.ahead}

    def expect(self, coming: list[list[Any]]) -> None:
        """Learn what comes next."""
        self._made.expect([(texts, number) for texts, number in coming])

    def draw(self, texts: list[str], number: int) -> object:
        """Its answers, as they are."""
        return self._made.draw(texts, number)

    def tokenise(self, text: str) -> object:
        """The pieces that it reads a text in."""
        return self._made.tokenise(text)

    def remarks(self) -> list[str]:
        """What it says of its answers."""
        return list(map(str, self._made.remarks()))


class HostedTagger:
    """A tagger of the table."""

    def __init__(self, name: str, address: list[str], settings: Mapping[str, Any]) -> None:
        self._made: BaseTagger = build_tagger_here(name, *address, **settings)

    def facts(self) -> dict[str, Any]:
        """What it says of itself."""
        classes, renamed = self._made.classes, self._made.renamed
        return {**_facts(self._made), "classes": None if classes is None else list(classes), "renamed": renamed}

    def draw(self, token_lists: list[list[str]], number: int) -> object:
        """Its answers, as they are."""
        return [[one.tags, one.probabilities] for one in self._made.draw(token_lists, number)]

    def remarks(self) -> list[str]:
        """What it says of its answers."""
        return list(map(str, self._made.remarks()))


class HostedPlugin:
    """What a plugin brings, once it was imported: its entries in the table, without what builds them."""

    def __init__(self, name: str) -> None:
        self._name = name

    def entries(self) -> list[dict[str, Any]]:
        """The entries of the plugin that announces this name."""
        entry = REGISTRY.find(self._name)
        return [one.described() for one in REGISTRY.values() if one.plugin == entry.plugin]


def _facts(made: BaseScorer | BaseTagger) -> dict[str, Any]:
    return {name: getattr(made, name) for name in SHARED}
