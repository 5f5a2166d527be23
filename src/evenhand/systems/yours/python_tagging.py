"""Who tags: a callable of the user's own code, by the path that people type (`py:package.module:callable`)."""

from __future__ import annotations

from evenhand.systems.tagging import BaseTagger, as_tagger, tagger
from evenhand.systems.yours.python_path import object_at


@tagger("py", address="package.module:callable", apart=True)
def tagger_from_python_path(path: str, *, version: str | None = None) -> BaseTagger:
    """Your own function: a list of token lists in, for each a list of tags out, or of probabilities by tag.

    The working directory counts among the places where modules are looked for. `version` vouches for what it answers.
    """
    return as_tagger(object_at(path), name=f"py:{path}", version=version)
