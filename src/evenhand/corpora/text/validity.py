"""What is asked: what became of the texts of a file, counted, with examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.corpora.text.versions import CHANGED, SKIPPED, UNCHANGED, UNSURE, Version

EXAMPLES = 3
SHOWN = 300
"""Characters of an example."""


@dataclass
class Validity:
    """How many texts were changed, left as they are, skipped and unsure, and why."""

    attribute: str
    groups: tuple[str, ...]
    couples: str = "keep"
    asked: Mapping[str, str] = field(default_factory=dict)
    """Who was asked where rules were unsure: the tagger, the referee."""
    texts: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    mixed: int = 0
    """Texts about people of several groups, all of whom were swapped."""
    edited: int = 0
    """Versions that a person has put into words of their own."""

    def count(self, original: str, versions: Mapping[str, Version], *, mixed: bool = False) -> None:
        """Count one text: as changed if one of its versions is, and else by what became of all of them."""
        self.texts += 1
        least = next((one for one in versions.values() if one.status == CHANGED), None) or next(iter(versions.values()))
        self.by_status[least.status] += 1
        self.mixed += mixed and least.status == CHANGED
        if least.reason:
            self.reasons.setdefault(least.status, Counter())[least.reason] += 1
        shown = self.examples.setdefault(least.status, [])
        if len(shown) < EXAMPLES and original.strip():
            shown.append({"original": original[:SHOWN], "text": least.text[:SHOWN], "reason": least.reason})

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kind": "perturb",
            "attribute": self.attribute,
            "groups": list(self.groups),
            "couples": self.couples,
            "asked": dict(self.asked),
            "texts": self.texts,
            "status": {one: self.by_status[one] for one in (CHANGED, UNCHANGED, SKIPPED, UNSURE)},
            "reasons": {status: dict(counts.most_common()) for status, counts in self.reasons.items()},
            "mixed": self.mixed,
            "edited": self.edited,
            "examples": self.examples,
        }
