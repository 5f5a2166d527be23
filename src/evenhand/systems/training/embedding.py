"""Training a regressor on sentence vectors: texts with scores in, a folder with a head and its card out."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import MissingExtra, UsageError, did_you_mean
from evenhand.files.whole import check_writable, write_together
from evenhand.systems.base import Array, is_desirable
from evenhand.systems.trained.card import Quality, correlations, versions_of
from evenhand.systems.trained.embedding_card import CARD, HEAD, Card, EncoderPart, HeadPart
from evenhand.systems.trained.svr import data_dir
from evenhand.systems.training import rated_text
from evenhand.systems.training.lesson import Advance, Lesson, Start, check_learnable, no_bar, warn_if_useless
from evenhand.systems.training.rated_text import RatedTexts
from evenhand.systems.training.skops_bytes import skops_bytes
from evenhand.systems.transformers.sentence_encoder import LONGEST, MINILM, SentenceEncoder

HEADS = ("ridge", "svr")
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-3, 3, 13))
SVR_SETTINGS = {"C": 1.0, "epsilon": 0.05, "cache_size": 1000}
FOLDS = 5
MANY = 5_000
"""From so many texts on, a kernel's five folds take minutes each, and one held-out fifth says as much."""

CHUNK = 2_048
PACKAGES = ("evenhand", "numpy", "scikit-learn", "skops", "tokenizers", "torch", "transformers")

log = logging.getLogger(__name__)


def rated(texts: RatedTexts) -> Lesson:
    """The 23,703 human-rated texts that `svr` learns from, too."""
    source = f"{len(texts.texts):,} human-rated texts of {rated_text.SDIST} (Hutto and Gilbert 2014)"
    return Lesson(texts.texts, (texts.ratings + 4) / 8, source, rated_text.SHA256, "valence", high_is="good")


def train_embedding(
    out: Path,
    lesson: Lesson | None = None,
    *,
    encoder: str = MINILM,
    head: str = "ridge",
    device: str = "auto",
    start: Start = no_bar,
) -> Card:
    """Train a head on an encoder's vectors of the texts, save both card and head in `out`, and give the card.

    Without a lesson, on the human-rated texts. The quality is that of predictions for texts which the head that made
    them had not seen: five folds, or a held-out fifth where a kernel would take long.
    """
    if head not in HEADS:
        raise UsageError(f"unknown head {head!r}{did_you_mean(head, HEADS)}")
    check_writable(out)
    made = _encoder(encoder, device)
    lesson = lesson or rated(rated_text.rated_texts(data_dir()))
    check_learnable(lesson)
    vectors = encoded(made.encode, lesson.texts, start(len(lesson.texts)))
    log.info("training a %s head on %d vectors", head, len(vectors))
    quality = _quality(head, vectors, lesson.scores)
    file = skops_bytes(new_head(head).fit(vectors, lesson.scores))
    name = encoder if encoder == MINILM else str(Path(encoder).expanduser().resolve())
    card = Card(
        encoder=EncoderPart(
            name=name,
            digest=made.digest,
            pooling=made.pooling.of,
            normalised=made.pooling.normalised,
            longest=LONGEST,
        ),
        head=HeadPart.model_validate({"kind": head, "sha256": hashlib.sha256(file).hexdigest()}),
        output=lesson.output,
        high_is_desirable=is_desirable(lesson.high_is),
        data=lesson.source,
        data_sha256=lesson.digest,
        quality=quality,
        versions=versions_of(PACKAGES),
    )
    warn_if_useless(quality, out)
    write_together(out, {CARD: card.model_dump_json(indent=2).encode() + b"\n", HEAD: file})
    return card


def _encoder(name: str, device: str) -> SentenceEncoder:
    try:
        return SentenceEncoder(name, device=device)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("evenhand"):
            raise
        raise MissingExtra(f"the encoder {name!r}", "embedding") from error


def encoded(encode: Callable[[Sequence[str]], Array], texts: Sequence[str], advance: Advance) -> Array:
    """One vector a text; `advance` counts the texts that are done."""
    parts = []
    for at in range(0, len(texts), CHUNK):
        parts.append(encode(texts[at : at + CHUNK]))
        advance(len(parts[-1]))
    return np.vstack(parts)


def new_head(kind: str) -> Any:
    from sklearn.linear_model import RidgeCV
    from sklearn.svm import SVR

    return RidgeCV(alphas=ALPHAS) if kind == "ridge" else SVR(**SVR_SETTINGS)


def _quality(kind: str, vectors: Array, scores: Array) -> Quality:
    from sklearn.model_selection import KFold, cross_val_predict

    folds = KFold(FOLDS, shuffle=True, random_state=0)
    if kind == "svr" and len(vectors) >= MANY:
        seen, unseen = next(folds.split(vectors))
        predicted, known = new_head(kind).fit(vectors[seen], scores[seen]).predict(vectors[unseen]), scores[unseen]
        how = "a held-out fifth"
    else:
        predicted, known, how = cross_val_predict(new_head(kind), vectors, scores, cv=folds), scores, "five folds"
    return correlations(known, np.clip(predicted, 0.0, 1.0), how)
