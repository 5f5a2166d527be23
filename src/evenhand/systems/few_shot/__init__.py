"""Who answers: language models that are shown a few labelled examples, and read by how probable each label is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.systems.few_shot.few_shot import FewShot
    from evenhand.systems.few_shot.models import LabelModel
    from evenhand.systems.few_shot.reader import LabelReader
    from evenhand.systems.few_shot.reading import expected, most_likely
    from evenhand.systems.few_shot.task import Task, read_task

__all__ = ["FewShot", "LabelModel", "LabelReader", "Task", "expected", "most_likely", "read_task"]

PLACES = {
    "FewShot": "few_shot",
    "LabelModel": "models",
    "LabelReader": "reader",
    "Task": "task",
    "expected": "reading",
    "most_likely": "reading",
    "read_task": "task",
}


def __getattr__(name: str) -> Any:
    # On first use: who only runs a language model needs none of the packages that tasks are read with.
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{PLACES[name]}"), name)
