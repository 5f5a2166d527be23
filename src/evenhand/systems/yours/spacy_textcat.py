"""Who answers: the text categories of a spaCy pipeline, from a folder or an installed package."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.systems.base import CLASSES, Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.transformers.checkpoint import digest_of
from evenhand.systems.transformers.labels import chosen, left_aside

ANNOTATORS = {
    "entity_linker", "entity_ruler", "lemmatizer", "morphologizer", "ner", "parser", "sentencizer", "senter",
    "span_ruler", "spancat", "spancat_singlelabel", "tagger", "trainable_lemmatizer",
}  # fmt: skip
"""Components that only add what categories do not read, unless the configuration says so."""

EMBEDDERS = {"curated_transformer", "textcat", "textcat_multilabel", "tok2vec", "transformer"}
OF_THE_WORD = {"ID", "IS_ALPHA", "LENGTH", "LOWER", "NORM", "ORTH", "PREFIX", "SHAPE", "SPACY", "SUFFIX"}
"""What the tokeniser alone knows of a word."""

log = logging.getLogger(__name__)


@system("spacy", extra="spacy", address="MODEL_OR_FOLDER", apart=True)
class SpacyCategories(BaseScorer):
    """The text categories of a spaCy pipeline, from a folder or an installed package: a probability each.

    Of two categories that exclude each other only the second; `outputs` picks others and names them, as in
    `{"NEGATIVE": "gloom"}`. Components that the categories do not need are left out.

    A folder is read as JSON, msgpack and NumPy arrays without objects, none of which can run code (spaCy 3.8, srsly
    2.5). PyTorch layers, if it has any, pass through `torch.load`, which reads tensors only as of torch 2.6. A package
    is Python that you installed, and is imported.
    """

    def __init__(self, model: str, *, outputs: Mapping[str, str] | Sequence[str] | None = None) -> None:
        self.name = f"spacy:{model}"
        self.batch_size: int = 512
        self._nlp = load_pipeline(model, self.name)
        categorisers, further = _categorisers(self._nlp)
        exclusive, others = _labels(categorisers), _labels(further)
        if not exclusive and not others:
            parts = ", ".join(self._nlp.pipe_names) or "nothing"
            raise UsageError(f"{self.name!r} has no text categories (textcat, textcat_multilabel); it has {parts}")
        named = _named(exclusive, others, outputs, self.name)
        self._labels = list(named)
        self._aside = () if outputs is not None or others else left_aside(exclusive, self._labels)
        # The categories of two such components add up to two.
        whole = len(categorisers) == 1 and all(label in named for label in exclusive)
        self.outputs: tuple[Output, ...] = tuple(
            Output(name, kind="probability", of=CLASSES if whole and label in exclusive else None)
            for label, name in named.items()
        )
        self._idle = [name for name in self._nlp.pipe_names if name not in _needed(self._nlp)]
        folder: Path = self._nlp.path
        files = digest_of((path for path in folder.rglob("*") if path.is_file()), root=folder)
        self.fingerprint: str | None = fingerprint_of(
            type(self), "spacy", "thinc", "numpy", files=files, outputs=self.outputs, labels=self._labels
        )

    def score(self, texts: Sequence[str]) -> Array:
        """The probability of each chosen category."""
        docs = self._nlp.pipe(list(texts), disable=self._idle)
        # A text without words gets zeros from spaCy when it comes alone, and other numbers among others: zeros here.
        rows = [[doc.cats[label] if len(doc) else 0.0 for label in self._labels] for doc in docs]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self._labels))

    def remarks(self) -> tuple[str, ...]:
        """Which of two categories is scored, where the user did not say."""
        return self._aside


def load_pipeline(model: str, name: str) -> Any:
    """The pipeline of a folder or an installed package; `name` is what errors call it."""
    import spacy

    folder = Path(model).expanduser()
    if not folder.is_dir() and not spacy.util.is_package(model):
        raise UsageError(f"{name!r}: there is neither a folder {model!r} nor an installed package of that name")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nlp = spacy.load(folder if folder.is_dir() else model)
    except Exception as error:  # each damage has an error of its own, and all of them mean the same
        raise EvenhandError(f"{model} cannot be loaded: {type(error).__name__}: {one_line(error)}") from error
    for warning in caught:
        # spaCy's own are numbered, and tell of a pipeline that another version made; others are not about the model.
        if str(warning.message).startswith("[W"):
            log.warning("%s: %s", name, one_line(warning.message))
    return nlp


def _categorisers(nlp: Any) -> tuple[list[Any], list[Any]]:
    """The components whose categories exclude each other, and those whose do not."""
    from spacy.pipeline import TextCategorizer
    from spacy.pipeline.textcat_multilabel import MultiLabel_TextCategorizer

    found = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, TextCategorizer)]
    exclusive = [pipe for pipe in found if not isinstance(pipe, MultiLabel_TextCategorizer)]
    return exclusive, [pipe for pipe in found if isinstance(pipe, MultiLabel_TextCategorizer)]


def _labels(pipes: list[Any]) -> list[str]:
    return [label for pipe in pipes for label in pipe.labels]


def _named(exclusive: list[str], others: list[str], outputs: object, name: str) -> dict[str, str]:
    if outputs is not None:
        return chosen([*exclusive, *others], outputs, exclusive=False, name=name)
    return chosen(exclusive, None, exclusive=True, name=name) | chosen(others, None, exclusive=False, name=name)


def _needed(nlp: Any) -> list[str]:
    """The components that categories rest on: everything before them, unless it is known not to matter."""
    from spacy.pipeline import TextCategorizer

    last = max(place for place, (_, pipe) in enumerate(nlp.pipeline) if isinstance(pipe, TextCategorizer))
    before = nlp.pipe_names[: last + 1]
    kinds = {name: nlp.get_pipe_meta(name).factory for name in before}
    embedders = [name for name in before if kinds[name] in EMBEDDERS]
    read = {attribute for name in embedders for attribute in _attributes(nlp.get_pipe_config(name))}
    if set(kinds.values()) <= ANNOTATORS | EMBEDDERS and read <= OF_THE_WORD:
        return embedders
    return list(before)


def _attributes(config: object) -> Iterator[str]:
    """What a component's configuration says it reads of each word, however deep it stands."""
    if not isinstance(config, Mapping):
        return
    for key, value in config.items():
        if key in ("attr", "attrs", "feature"):
            yield from [value] if isinstance(value, str) else map(str, value)
        else:
            yield from _attributes(value)
