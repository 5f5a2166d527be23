"""Who tags: the entities of a spaCy pipeline, from a folder or an installed package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import BadAnswer, UsageError, quoted
from evenhand.schemes import BILOU, Span
from evenhand.systems.base import fingerprint_of
from evenhand.systems.tagging import BaseTagger, Tagging, TokenLists, tagger
from evenhand.systems.transformers.checkpoint import digest_of
from evenhand.systems.yours.spacy_textcat import load_pipeline


@tagger("spacy", extra="spacy", address="MODEL_OR_FOLDER", apart=True)
class SpacyEntities(BaseTagger):
    """The entities of a spaCy pipeline, from a folder or an installed package; it gives no probabilities.

    The pipeline reads the tokens as they are given. Components after the last that finds entities are left out.
    """

    def __init__(self, model: str) -> None:
        self.name = f"spacy:{model}"
        self._nlp = load_pipeline(model, self.name)
        finders = [name for name in self._nlp.pipe_names if "doc.ents" in self._nlp.get_pipe_meta(name).assigns]
        if not finders:
            parts = ", ".join(self._nlp.pipe_names) or "nothing"
            raise UsageError(f"{self.name!r} finds no entities (ner, entity_ruler); it has {parts}")
        labels = {label for name in finders for label in getattr(self._nlp.get_pipe(name), "labels", ())}
        self.classes: tuple[str, ...] | None = tuple(sorted(labels))
        self._idle = self._nlp.pipe_names[self._nlp.pipe_names.index(finders[-1]) + 1 :]
        folder: Path = self._nlp.path
        files = digest_of((path for path in folder.rglob("*") if path.is_file()), root=folder)
        self.fingerprint: str | None = fingerprint_of(type(self), "spacy", "thinc", "numpy", files=files)

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """The entities, as BILOU."""
        from spacy.tokens import Doc

        docs = (Doc(self._nlp.vocab, words=list(tokens)) for tokens in token_lists)
        found = zip(token_lists, self._nlp.pipe(docs, disable=self._idle), strict=True)
        return [self._tagging(list(tokens), doc) for tokens, doc in found]

    def _tagging(self, tokens: list[str], doc: Any) -> Tagging:
        if len(doc) != len(tokens):
            raise BadAnswer(f"{self.name!r} joins or splits the tokens of {quoted(' '.join(tokens), 80)}")
        spans = [Span(entity.start, entity.end, entity.label_) for entity in doc.ents]
        return Tagging(tuple(BILOU.write(spans, len(tokens))))
