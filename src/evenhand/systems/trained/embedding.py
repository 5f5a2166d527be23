"""Who answers: a regressor on top of a sentence encoder, trained by `evenhand train embedding`."""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.opened import read_bytes
from evenhand.systems.base import Array, BaseScorer, HeldOut, Output, RunsOn, fingerprint_of, high_is_if
from evenhand.systems.table import system
from evenhand.systems.trained.embedding_card import CARD, HEAD, Card, read_card
from evenhand.systems.trained.linear import Linear, ridge_linear
from evenhand.systems.trained.ready_head import LinearHead, ReadyHead, ready_head
from evenhand.systems.trained.svr import data_dir
from evenhand.systems.transformers.sentence_encoder import MINILM, SentenceEncoder
from evenhand.systems.transformers.transformer import PLANNED

READY = f"embedding-{MINILM}"

log = logging.getLogger(__name__)


@system("embedding", extra="embedding", address="FOLDER")
class EmbeddingRegressor(BaseScorer):
    """A regressor on sentence vectors, from 0 to 1: a folder of `evenhand train embedding`, or `all-minilm`.

    `embedding:all-minilm` is a ridge regression on all-MiniLM-L6-v2, learned from 23,703 human-rated texts, like `svr`.
    It comes with the package; where the installed encoder is another version than the one it was trained on, it is
    trained again at its first use (some minutes), and kept in the data folder. A head in a folder is refused
    when the encoder is not the very one that it was trained on; `encoder` says where that lies now, if it was moved.
    """

    def __init__(self, folder: str, *, encoder: str | None = None, device: str = "auto") -> None:
        self.name = f"embedding:{folder}"
        self.batch_size: int = PLANNED
        if folder == MINILM and encoder is not None:
            raise UsageError(f"{self.name!r} comes with its encoder; the setting encoder is for heads in a folder")
        card: Card | ReadyHead
        if folder == MINILM:
            self._encoder, self._head, card = _ready(device)
        else:
            self._encoder, self._head, card = _loaded(Path(folder).expanduser(), encoder=encoder, device=device)
        self.card = card
        self.runs_on: RunsOn = self._encoder.runs_on
        self.held_out: Mapping[str, HeldOut] = {card.output: card.quality.held_out}
        self.outputs: tuple[Output, ...] = (
            Output(card.output, low=0, high=1, high_is=high_is_if(card.high_is_desirable)),
        )
        self.fingerprint: str | None = fingerprint_of(
            type(self), "scikit-learn", "torch", "transformers", "tokenizers",
            outputs=self.outputs, head=_learned(self._head), **self._encoder.what_it_depends_on(),
        )  # fmt: skip

    def score(self, texts: Sequence[str]) -> Array:
        """The predicted score of each text, clipped to 0..1."""
        if not len(texts):
            return np.empty((0, 1))
        predicted: Array = self._head.predict(self._encoder.encode(texts))
        return np.clip(predicted, 0.0, 1.0).reshape(-1, 1)

    def linear(self) -> tuple[Linear, ...]:
        """The weights of a ridge regression; a kernel has none."""
        if isinstance(self._head, LinearHead):
            weights, intercept = self._head.weights, self._head.intercept
        elif hasattr(self._head, "alpha_"):
            weights, intercept = np.asarray(self._head.coef_).ravel(), float(self._head.intercept_)
        else:
            return ()
        alpha = self.card.alpha if isinstance(self.card, ReadyHead) else float(self._head.alpha_)
        return (ridge_linear(self.outputs[0].name, self._encoder.encode, weights, intercept, alpha),)

    def tokenise(self, text: str) -> list[str]:
        """The word pieces of a text, without special tokens."""
        return self._encoder.tokenise(text)


def _loaded(folder: Path, *, encoder: str | None, device: str) -> tuple[SentenceEncoder, Any, Card]:
    card = read_card(folder)
    head = read_head(folder, card)
    name = card.encoder.name if encoder is None else encoder
    found = SentenceEncoder(name, device=device)
    if found.digest != card.encoder.digest:
        raise EvenhandError(
            f"{folder} was trained on the encoder {card.encoder.name!r} of the digest {card.encoder.digest[:12]}…, and "
            f"{name!r} now has {found.digest[:12]}…; train it again, or say with `encoder` where that one lies"
        )
    return found, head, card


def _ready(device: str) -> tuple[SentenceEncoder, Any, Card | ReadyHead]:
    """The head that comes with the package, if the installed encoder is the one that it was trained on."""
    packaged, encoder = ready_head(), SentenceEncoder(MINILM, device=device)
    if encoder.digest == packaged.encoder.digest:
        return encoder, packaged.regressor, packaged
    return _kept(device)


def _kept(device: str) -> tuple[SentenceEncoder, Any, Card]:
    """The head in the data folder, trained where there is none yet, or none that can be used."""
    from evenhand.systems.training import rated_text
    from evenhand.systems.training.embedding import train_embedding

    folder = data_dir() / READY
    if folder.exists():
        try:
            found = _loaded(folder, encoder=None, device=device)
            if found[2].data_sha256 != rated_text.SHA256:
                raise EvenhandError(f"{folder} was trained on other texts")
            return found
        except EvenhandError as error:
            log.warning("%s; training again", error)
    log.info(
        "embedding:%s: the installed encoder is not the one that the packaged head was trained on; fetching rated "
        "texts and training another, once (five minutes or more on two cores), into %s", MINILM, folder,
    )  # fmt: skip
    card = train_embedding(folder, device=device, start=_counted)
    log.info("embedding:%s: kept in %s; on unseen texts, Pearson %.3f with people's ratings",
             MINILM, folder, card.quality.pearson)  # fmt: skip
    return _loaded(folder, encoder=None, device=device)


def _counted(most: int) -> Callable[[int], None]:
    """Say how far it is: systems are made before there is a bar."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        log.info("encoded %s of %s texts", f"{done:,}", f"{most:,}")

    return advance


def read_head(folder: Path, card: Card) -> Any:
    """The regressor, if its file is the one that the card speaks of; skops builds no types but known ones."""
    from skops import io as skops_io

    path = folder / HEAD
    try:
        content = read_bytes(path)
        if hashlib.sha256(content).hexdigest() != card.head.sha256:
            raise EvenhandError(f"{path} is not the file that {CARD} speaks of: its SHA-256 differs; train it again")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # scikit-learn only warns about a model that another version saved
            return skops_io.loads(content, trusted=[])
    except EvenhandError:
        raise
    except Exception as error:  # a damaged archive fails in a dozen ways, and all of them have the same remedy
        raise EvenhandError(
            f"{path} cannot be used ({type(error).__name__}: {one_line(error)}); train it again"
        ) from error


def _learned(head: Any) -> str:
    """Hash what was learned; the file's own bytes carry dates and addresses in memory that differ at each saving."""
    if isinstance(head, LinearHead):
        return hashlib.sha256(np.append(head.weights, head.intercept).astype("<f8").tobytes()).hexdigest()
    names = ("coef_", "intercept_") if hasattr(head, "alpha_") else ("support_vectors_", "dual_coef_", "intercept_")
    content = hashlib.sha256(repr(sorted(head.get_params().items(), key=str)).encode())
    for name in names:
        content.update(np.asarray(getattr(head, name)).astype("<f8").tobytes())
    return content.hexdigest()
