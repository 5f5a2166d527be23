"""Training a regressor on sentence vectors: texts with scores in, a folder with a head and its card out."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import logging
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import EvenhandError, MissingExtra, UsageError, did_you_mean
from evenhand.files import check_writable, write_whole
from evenhand.systems import rated_text
from evenhand.systems.base import Array
from evenhand.systems.embedding_card import CARD, HEAD, Card, EncoderPart, HeadPart, Quality
from evenhand.systems.rated_text import RatedTexts
from evenhand.systems.sentence_encoder import LONGEST, MINILM, SentenceEncoder
from evenhand.systems.svr import data_dir
from evenhand.tables import TableFile

HEADS = ("ridge", "svr")
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-3, 3, 13))
SVR_SETTINGS = {"C": 1.0, "epsilon": 0.05, "cache_size": 1000}
FOLDS = 5
FEWEST = 20
MANY = 5_000
"""From so many texts on, a kernel's five folds take minutes each, and one held-out fifth says as much."""

CHUNK = 2_048
PACKAGES = ("evenhand", "numpy", "scikit-learn", "skops", "tokenizers", "torch", "transformers")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Lesson:
    """Texts with their scores from 0 to 1, and what the output is to be called."""

    texts: tuple[str, ...]
    scores: Array
    source: str
    digest: str
    output: str
    high_is_desirable: bool | None = None


def rated(texts: RatedTexts) -> Lesson:
    """The 23,703 human-rated texts that `svr` learns from, too."""
    source = f"{len(texts.texts):,} human-rated texts of {rated_text.SDIST} (Hutto and Gilbert 2014)"
    return Lesson(texts.texts, (texts.ratings + 4) / 8, source, rated_text.SHA256, "valence", high_is_desirable=True)


def read_lesson(
    paths: Sequence[Path],
    *,
    text_column: str = "text",
    score_column: str = "score",
    bounds: tuple[float, float] | None = None,
) -> Lesson:
    """Texts and scores from tables; `bounds` are the ends of the scale that the scores are on (0 and 1 if None)."""
    read = [_read(TableFile(path), text_column, score_column, bounds or (0.0, 1.0)) for path in paths]
    texts = tuple(text for part, _ in read for text in part)
    scores = np.concatenate([part for _, part in read])
    return Lesson(texts, scores, ", ".join(map(str, paths)), _digest(texts, scores), score_column)


def train_embedding(
    out: Path, lesson: Lesson | None = None, *, encoder: str = MINILM, head: str = "ridge", device: str = "auto"
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
    _check(lesson)
    vectors = _encoded(made, lesson.texts)
    log.info("training a %s head on %d vectors", head, len(vectors))
    quality = _quality(head, vectors, lesson.scores)
    file = _saved(_head(head).fit(vectors, lesson.scores))
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
        high_is_desirable=lesson.high_is_desirable,
        data=lesson.source,
        data_sha256=lesson.digest,
        quality=quality,
        versions={package: importlib.metadata.version(package) for package in PACKAGES},
    )
    write_whole(out / HEAD, file)
    write_whole(out / CARD, card.model_dump_json(indent=2).encode() + b"\n")
    return card


def _digest(texts: Sequence[str], scores: Array) -> str:
    content = hashlib.sha256(scores.astype("<f8").tobytes())
    for text in texts:
        content.update(f"{len(text)}:{text}".encode())
    return content.hexdigest()


def _encoder(name: str, device: str) -> SentenceEncoder:
    try:
        return SentenceEncoder(name, device=device)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("evenhand"):
            raise
        raise MissingExtra(f"the encoder {name!r}", "embedding") from error


def _encoded(encoder: SentenceEncoder, texts: Sequence[str]) -> Array:
    parts = []
    for start in range(0, len(texts), CHUNK):
        parts.append(encoder.encode(texts[start : start + CHUNK]))
        if len(texts) > CHUNK:
            log.info("encoded %d of %d texts", min(start + CHUNK, len(texts)), len(texts))
    return np.vstack(parts)


def _head(kind: str) -> Any:
    from sklearn.linear_model import RidgeCV
    from sklearn.svm import SVR

    return RidgeCV(alphas=ALPHAS) if kind == "ridge" else SVR(**SVR_SETTINGS)


def _quality(kind: str, vectors: Array, scores: Array) -> Quality:
    from sklearn.model_selection import KFold, cross_val_predict

    folds = KFold(FOLDS, shuffle=True, random_state=0)
    if kind == "svr" and len(vectors) >= MANY:
        seen, unseen = next(folds.split(vectors))
        predicted, known = _head(kind).fit(vectors[seen], scores[seen]).predict(vectors[unseen]), scores[unseen]
        how = "a held-out fifth"
    else:
        predicted, known, how = cross_val_predict(_head(kind), vectors, scores, cv=folds), scores, "five folds"
    return _correlations(known, np.clip(predicted, 0.0, 1.0), how)


def _correlations(known: Array, predicted: Array, how: str) -> Quality:
    from scipy.stats import pearsonr, spearmanr

    if np.ptp(predicted) == 0 or np.ptp(known) == 0:
        return Quality(n=len(known), pearson=None, spearman=None, how=how)
    pearson, spearman = pearsonr(known, predicted).statistic, spearmanr(known, predicted).statistic
    return Quality(n=len(known), pearson=float(pearson), spearman=float(spearman), how=how)


def _saved(head: Any) -> bytes:
    from skops import io as skops_io

    file = io.BytesIO()
    skops_io.dump(head, file, compression=zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _check(lesson: Lesson) -> None:
    if len(lesson.texts) < FEWEST:
        raise UsageError(f"{lesson.source}: {len(lesson.texts)} texts are too few to learn from; {FEWEST} is the least")
    if np.ptp(lesson.scores) == 0:
        raise UsageError(f"{lesson.source}: all scores are the same; there is nothing to learn")


def _read(table: TableFile, text: str, score: str, bounds: tuple[float, float]) -> tuple[list[str], Array]:
    frame = table.frame
    for column in (text, score):
        if column not in frame.columns:
            raise UsageError(f"{table.path}: no column {column!r}{did_you_mean(column, frame.columns)}")
    texts, numbers = frame[text].cast(pl.String), frame[score].cast(pl.Float64, strict=False)
    low, high = bounds
    _refuse_first(table, (texts.is_null() | (texts.str.strip_chars() == "")).fill_null(True), "there is no text")
    _refuse_first(table, ~numbers.is_finite().fill_null(False), f"column {score!r} holds no number")
    outside = ((numbers < low) | (numbers > high)).fill_null(True)
    _refuse_first(table, outside, f"the score is outside {low:g}..{high:g}; give its scale with --range LOW,HIGH")
    return texts.to_list(), (numbers.to_numpy() - low) / (high - low)


def _refuse_first(table: TableFile, wrong: pl.Series, why: str) -> None:
    row = wrong.arg_max()
    if row is not None and wrong[row]:
        raise EvenhandError(f"{table.where(row)}: {why}")
