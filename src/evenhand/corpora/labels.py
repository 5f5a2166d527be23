"""What groups are called where people read of them: `women`, `African American women`, `African American names`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from evenhand.files.structured import read_yaml

Labels = Mapping[str, Mapping[str, str]]
"""By attribute and group. A label is a plural: `women`, `older people`, `people without a disability`."""

ANYONE = "people"


@cache
def stated_or_not() -> Labels:
    """Labels for data that know women, men and people who do not say: conversations and the causal rating's groups."""
    content = read_yaml(files("evenhand") / "data" / "stated_or_not.yaml")
    return {attribute: dict(labels) for attribute, labels in content.items()}


def crossed(labels: Sequence[str]) -> str:
    """One label for people to whom all of these apply.

    >>> crossed(["African American people", "women"]), crossed(["men", "people from Peru"]), crossed(["old people"])
    ('African American women', 'men from Peru', 'old people')
    """
    before = [label.removesuffix(f" {ANYONE}") for label in labels if label.endswith(f" {ANYONE}")]
    after = [label.removeprefix(f"{ANYONE} ") for label in labels if label.startswith(f"{ANYONE} ")]
    nouns = [label for label in labels if not label.endswith(f" {ANYONE}") and not label.startswith(f"{ANYONE} ")]
    return " ".join([*before, " who are ".join(nouns) or ANYONE, *after])


def names_of(label: str) -> str:
    """Names that stand for a group, which says less than that their bearers belong to it.

    >>> [names_of(label) for label in ("African American people", "women", "Christians", "people from Peru")]
    ['African American names', "women's names", "Christians' names", 'names of people from Peru']
    """
    if label.endswith(f" {ANYONE}"):
        return f"{label.removesuffix(ANYONE)}names"
    if label.startswith(f"{ANYONE} "):
        return f"names of {label}"
    return f"{label}' names" if label.endswith("s") else f"{label}'s names"
