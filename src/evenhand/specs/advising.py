"""The strings that people type, resolved to who is asked where rules about real text are unsure."""

from __future__ import annotations

import importlib.util

from evenhand.corpora.text.advice import Advice
from evenhand.errors import MissingExtra, UsageError
from evenhand.specs.resolving import load_system
from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.gguf import Gguf
from evenhand.systems.few_shot.likelihood import Likelier
from evenhand.systems.yours.spacy_words import SMALL, SpacyWords

DEFAULT = "small"
"""Short for the small English pipeline that the extra `tagger` brings."""


def advice_of(tagger: str | None, referee: str | None) -> Advice:
    """Who is asked: a spaCy pipeline by its package or folder, and a language model that runs here."""
    return Advice(None if tagger is None else _tagger(tagger), None if referee is None else _referee(referee))


def _tagger(named: str) -> SpacyWords:
    model = SMALL if named == DEFAULT else named
    if importlib.util.find_spec("spacy") is None or (model == SMALL and importlib.util.find_spec(SMALL) is None):
        raise MissingExtra(f"the tagger {named!r}", "tagger")
    return SpacyWords(model)


def _referee(spec: str) -> Likelier:
    made = load_system(spec)
    if not isinstance(made, FewShot) or not isinstance(made.inner.model, Gguf | CausalModel):
        raise UsageError(
            f"{spec!r} cannot be the referee: that takes a language model that runs here, such as smollm, gguf:FILE or "
            "hf-causal:FOLDER"
        )
    return Likelier(made.inner.model)
