"""Who answers: the protocol, the table of known systems and one small file per adapter."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from evenhand.systems.base import Array, BaseScorer, HeldOut, Output, Scorer, fingerprint_of

if TYPE_CHECKING:
    from evenhand.systems.adapters import REGISTRY, BaseTagger, Tagger, as_scorer, as_tagger, build_system, system

__all__ = [
    "REGISTRY",
    "Array",
    "BaseScorer",
    "BaseTagger",
    "HeldOut",
    "Output",
    "Scorer",
    "Tagger",
    "as_scorer",
    "as_tagger",
    "build_system",
    "fingerprint_of",
    "system",
]


def __getattr__(name: str) -> Any:
    # The table is filled on first use: who only scores with a transformer needs none of the packages of the others.
    if name == "adapters" or name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    adapters = importlib.import_module("evenhand.systems.adapters")
    try:
        return getattr(adapters, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
