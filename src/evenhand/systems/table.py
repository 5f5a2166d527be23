"""Who answers: the table of known systems, and how one of them is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.files.registry import C, Registry
from evenhand.systems.adopted import adopted
from evenhand.systems.base import BaseScorer

REGISTRY: Registry[Any] = Registry("system", group="evenhand.systems")


def _elsewhere(name: str, called: str) -> list[dict[str, Any]]:
    from evenhand.systems.apart.proxies import entries_of_plugin

    return entries_of_plugin(name, called=called)


REGISTRY.elsewhere = _elsewhere

SCORER_PARTS = ("name", "outputs", "fingerprint", "batch_size", "score")


def system(name: str, *, extra: str | None = None, address: str | None = None, apart: bool = False) -> Callable[[C], C]:
    """Enter a class (or a function that builds a scorer) into the table under the name that people type.

    With `address`, it is typed as NAME:ADDRESS, and the address is the builder's first argument. Its other arguments
    are settings; those called `low`, `high` and `version` also take their values from the flags for them, and one
    called `corpus` gets the corpus. One that runs code, or reads files, that may kill a process belongs `apart`, in a
    process of its own; so do all plugins.
    """
    return REGISTRY.enter(name, extra=extra, address=address, apart=apart)


def build_system(name: str, *address: str, **settings: Any) -> BaseScorer:
    """Build a system of the table by its name (and its address, where it has one), apart if it belongs there."""
    entry = REGISTRY.find(name)
    if not entry.apart:
        return build_here(name, *address, **settings)
    from evenhand.systems.apart.proxies import ScorerApart

    REGISTRY.refuse_address(entry, *address)
    corpus = settings.pop("corpus", None)
    return ScorerApart(name, address, settings, called=REGISTRY.called(entry, *address), corpus=corpus)


def build_here(name: str, *address: str, **settings: Any) -> BaseScorer:
    """Build a system in this process, wherever it belongs."""
    made = REGISTRY.build(name, *address, **settings)
    lacking = [part for part in SCORER_PARTS if not hasattr(made, part)]
    if lacking:
        called = REGISTRY.called(REGISTRY[name])
        raise EvenhandError(f"{called} is not a scorer: it lacks {', '.join(lacking)}")
    return adopted(made)
