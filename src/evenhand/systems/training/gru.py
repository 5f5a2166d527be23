"""Training a GRU: texts with scores in, a folder with weights and their card out."""

from __future__ import annotations

import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError, MissingExtra, UsageError
from evenhand.files.task_files import known_dimension
from evenhand.files.whole import check_writable, write_together
from evenhand.systems.base import Array
from evenhand.systems.trained.card import correlations, versions_of
from evenhand.systems.trained.gru_card import ENDING, GruCard, GruSettings, weights_of
from evenhand.systems.trained.gru_network import UNKNOWN, answers, build_network, logits, numbered, one_thread
from evenhand.systems.trained.words import words
from evenhand.systems.training.lesson import (
    Advance,
    Lesson,
    Start,
    check_learnable,
    no_bar,
    warn_if_useless,
    warn_of_overlap,
)
from evenhand.systems.transformers.torch_import import import_torch

MOST_CLASSES = 50
PACKAGES = ("evenhand", "numpy", "safetensors", "torch")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Examples:
    """Texts as the numbers of their words, and what the network is to say of each: one number for each cut."""

    texts: list[tuple[int, ...]]
    wanted: Any


@dataclass(frozen=True)
class Course:
    """How the training went: the weights of the best epoch, which it was, and how many there were."""

    state: dict[str, Any]
    best: int
    epochs: int


def train_gru(
    out: Path,
    lesson: Lesson,
    *,
    development: Lesson,
    test: Lesson | None = None,
    settings: GruSettings | None = None,
    start: Start = no_bar,
) -> GruCard:
    """Train on a lesson of one dimension, save weights and card in the folder `out`, and give the card.

    After each epoch the development lesson is looked at; training stops when predictions and scores there have not
    correlated better for some epochs (`patience`), and the weights of the best epoch are kept. The error would choose
    an early epoch: it grows again with the spread of the predictions, while these still get better. The quality is
    that on `test`; without it, on the development lesson, which flatters a little, as it chose the epoch.
    """
    settings = settings or GruSettings()
    dimension = known_dimension(lesson.output)
    _check(lesson, development)
    for other in (development, *([test] if test else [])):
        warn_of_overlap(lesson, other)
    save = _tools()
    check_writable(out)
    vocabulary = _vocabulary(lesson.texts, settings.min_count)
    values = _values(lesson, settings)
    seen, unseen = (_examples(one, vocabulary, values, settings) for one in (lesson, development))
    torch = import_torch()
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = build_network(len(vocabulary), cuts=len(values) - 1, settings=settings)
        # It begins by giving every text the mean, rather than having to find that first.
        network["cuts"]["above"].data = seen.wanted.mean(0).logit(0.01)
        course = _trained(network, seen, unseen, settings, start(settings.epochs * len(seen.texts)))
    network.load_state_dict(course.state)
    measured = test or development
    predicted = values[0] + answers(network, numbered(measured.texts, vocabulary), np.diff(values))
    weights = save(course.state)
    card = GruCard.model_validate(
        {
            "dimension": dimension,
            "low": lesson.low,
            "high": lesson.high,
            "classes": _classes(values, lesson) if settings.target == "ordinal" else None,
            "words": vocabulary,
            "settings": settings,
            "weights_sha256": hashlib.sha256(weights).hexdigest(),
            "data": lesson.source,
            "data_sha256": lesson.digest,
            "development": development.source,
            "development_sha256": development.digest,
            "epochs": course.epochs,
            "best_epoch": course.best,
            "quality": correlations(measured.scores, predicted, _how(test)),
            "versions": versions_of(PACKAGES),
        }
    )
    warn_if_useless(card.quality, out)
    path = out / f"{dimension}{ENDING}"
    write_together(out, {path.name: card.model_dump_json(indent=2).encode() + b"\n", weights_of(path).name: weights})
    return card


def _tools() -> Callable[[dict[str, Any]], bytes]:
    try:
        import_torch()
        from safetensors.torch import save
    except ModuleNotFoundError as error:
        raise MissingExtra("training a GRU", "neural") from error
    return save


def _check(lesson: Lesson, development: Lesson) -> None:
    check_learnable(lesson)
    if (development.low, development.high) != (lesson.low, lesson.high):
        raise UsageError(f"{development.source} and {lesson.source} are on different scales")


def _vocabulary(texts: Sequence[str], fewest: int) -> tuple[str, ...]:
    counts = Counter(word for text in texts for word in words(text))
    often = tuple(sorted(word for word, count in counts.items() if count >= fewest))
    if not often:
        raise UsageError(f"no word occurs {fewest} times in the training texts; lower the minimum count")
    return often


def _values(lesson: Lesson, settings: GruSettings) -> Array:
    """On the scale from 0 to 1: its two ends, or the classes that occur."""
    if settings.target == "regression":
        return np.array([0.0, 1.0])
    classes: Array = np.unique(lesson.scores)
    if len(classes) > MOST_CLASSES:
        raise UsageError(
            f"{lesson.source}: {len(classes)} different scores are too many for classes (at most {MOST_CLASSES}); "
            "use regression as the target"
        )
    return classes


def _classes(values: Array, lesson: Lesson) -> list[float]:
    """The classes as the files have them."""
    return [round(lesson.low + (lesson.high - lesson.low) * float(value), 9) for value in values]


def _examples(lesson: Lesson, vocabulary: Sequence[str], values: Array, settings: GruSettings) -> Examples:
    scores = lesson.scores[:, None]
    wanted = scores if settings.target == "regression" else scores > values[:-1]
    return Examples(numbered(lesson.texts, vocabulary), import_torch().tensor(wanted.astype(np.float32)))


def _trained(network: Any, seen: Examples, unseen: Examples, settings: GruSettings, advance: Advance) -> Course:
    torch = import_torch()
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    highest, course, epoch = (-math.inf, -math.inf), None, 0
    while epoch < settings.epochs and (course is None or epoch - course.best < settings.patience):
        epoch += 1
        network.train()
        for batch in torch.randperm(len(seen.texts)).split(settings.batch_size):
            texts = [_with_gaps(seen.texts[place], settings.unknown_share) for place in batch.tolist()]
            optimiser.zero_grad()
            _error(logits(network, texts, dropout=settings.dropout), seen.wanted[batch], settings).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            advance(len(texts))
        good = _how_good(network, unseen, settings)
        if course is None or good > highest:
            state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
            highest, course = good, Course(state, epoch, epoch)
    assert course is not None  # noqa: S101 - there is at least one epoch, and its error is finite
    return Course(course.state, course.best, epoch)


def _with_gaps(text: tuple[int, ...], share: float) -> tuple[int, ...]:
    """Some words become unknown, at random."""
    hidden = (import_torch().rand(len(text)) < share).tolist()
    return tuple(UNKNOWN if gone else word for word, gone in zip(text, hidden, strict=True))


def _error(found: Any, wanted: Any, settings: GruSettings) -> Any:
    functional = import_torch().nn.functional
    if settings.target == "regression":
        return functional.mse_loss(import_torch().sigmoid(found), wanted)
    return functional.binary_cross_entropy_with_logits(found, wanted)


def _how_good(network: Any, unseen: Examples, settings: GruSettings) -> tuple[float, float]:
    """The correlation of predictions with what is wanted, to two digits, and then the error (less is better)."""
    torch = import_torch()
    network.eval()
    with torch.inference_mode():
        parts = [logits(network, unseen.texts[start : start + 256]) for start in range(0, len(unseen.texts), 256)]
        found = torch.cat(parts)
        error = float(_error(found, unseen.wanted, settings))
        predicted, wanted = torch.sigmoid(found.double()).sum(1).numpy(), unseen.wanted.double().sum(1).numpy()
    if not math.isfinite(error):
        raise EvenhandError(f"training diverged (the error is {error}); lower the learning rate")
    correlation = correlations(wanted, predicted, "").pearson
    return -math.inf if correlation is None else round(correlation, 2), -error


def _how(test: Lesson | None) -> str:
    return "on the development file, which also chose the epoch" if test is None else f"on {test.source}"
