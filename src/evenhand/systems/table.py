"""Who answers: the table of known systems, and how one of them is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.files.registry import C, Registry
from evenhand.systems.adopted import adopted
from evenhand.systems.base import BaseScorer, Blueprint
from evenhand.systems.through import Through

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
    drawn = Blueprint(name, address, {key: value for key, value in settings.items() if key != "corpus"})
    if not entry.apart:
        return _with_blueprint(build_here(name, *address, **settings), drawn)
    from evenhand.systems.apart.proxies import ScorerApart

    REGISTRY.refuse_address(entry, *address)
    called = REGISTRY.called(entry, *address)
    return _with_blueprint(ScorerApart(drawn, called=called, corpus=settings.get("corpus")), drawn)


def _with_blueprint(made: BaseScorer, drawn: Blueprint) -> BaseScorer:
    """A system that knows how workers build it; so does whatever it asks."""
    asked = made
    while asked.blueprint is None:
        asked.blueprint = drawn
        if isinstance(asked, Through):
            asked, drawn = asked.inner, replace(drawn, inner=drawn.inner + 1)
    return made


def build_here(name: str, *address: str, **settings: Any) -> BaseScorer:
    """Build a system in this process, wherever it belongs."""
    made = REGISTRY.build(name, *address, **settings)
    lacking = [part for part in SCORER_PARTS if not hasattr(made, part)]
    if lacking:
        called = REGISTRY.called(REGISTRY[name])
        raise EvenhandError(f"{called} is not a scorer: it lacks {', '.join(lacking)}")
    return adopted(made)
