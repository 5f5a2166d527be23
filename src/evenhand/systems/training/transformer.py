"""Training a transformer: texts with labels, or words with tags, in; a folder for `hf:` with a card out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evenhand.errors import MissingExtra, UsageError
from evenhand.files.whole import check_writable, replacing
from evenhand.systems.trained.card import versions_of
from evenhand.systems.training.chain_training import ChainLayer
from evenhand.systems.training.conll import TaggedSentences
from evenhand.systems.training.labelled import LabelledTexts
from evenhand.systems.training.transformer_card import CARD, TransformerCard, TransformerSettings
from evenhand.systems.training.transformer_run import Advance, Run
from evenhand.systems.training.transformer_tasks import Classify, Tag, Task
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.chain import Chain
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import device_for, longest_read

PACKAGES = ("evenhand", "numpy", "safetensors", "tokenizers", "torch", "transformers")

log = logging.getLogger(__name__)

Start = Callable[[int], Advance]
"""Called with the number of texts that will be seen at most; gives what counts them."""


def train_transformer(
    out: Path,
    lesson: LabelledTexts | TaggedSentences,
    *,
    development: LabelledTexts | TaggedSentences,
    test: LabelledTexts | TaggedSentences | None = None,
    base: str | Path,
    settings: TransformerSettings | None = None,
    device: str = "auto",
    start: Start = lambda most: lambda count: None,
) -> TransformerCard:
    """Fine-tune the transformer `base` (a folder), save it with its card in the new folder `out`, and give the card.

    Labelled texts make a classifier, tagged sentences a tagger. After each epoch the quality on the development data is
    looked at (macro-F1, or F1 over spans; of equals, the smaller error); training stops when some epochs brought
    nothing better (`patience`), and the weights of the best epoch are kept. With `settings.crf`, a tagger learns a
    chain over its tags on top. The quality on the card is that on `test`; without it, on the development data, which
    flatters a little, as they chose the epoch.

    The same data, settings, machine and number of threads give the same weights on a processor; on a GPU, weights that
    differ by rounding.
    """
    _check_tools()
    settings = settings or TransformerSettings()
    task: Task[Any] = Classify(lesson) if isinstance(lesson, LabelledTexts) else Tag(lesson)
    if settings.crf and task.name != Tag.name:
        raise UsageError(f"a CRF is a chain over the tags of words, and the task {task.name!r} has none")
    for other in (development, *([test] if test else [])):
        _warn_of_overlap(lesson, other)
    _check_new(out)
    where = device_for(device)
    torch = import_torch()
    folder = checkpoint.find(str(base))
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        torch.manual_seed(settings.seed)
        tokeniser, model = checkpoint.load_for_training(folder, task.kind, task.labels, by_word=task.name == "tag")
        if tokeniser.pad_token_id is None:
            raise UsageError(f"{folder}: its tokeniser has no token to pad with, so texts cannot be learned together")
        model.config.pad_token_id = tokeniser.pad_token_id
        layer = ChainLayer(task.labels, where) if settings.crf else None
        run = Run(task, model.to(where), tokeniser, longest_read(tokeniser, model), settings, layer)
        course = run.trained(lesson, development, start(settings.epochs * len(lesson)))
    model.load_state_dict(course.state)
    measured = test or development
    how = "on the development file, which also chose the epoch" if test is None else f"on {test.source}"
    examples = run.examples(measured)
    card = TransformerCard(
        task=task.name,
        labels=task.labels,
        base=str(base),
        base_sha256=checkpoint.digest(folder),
        settings=settings,
        device=where.type,
        data=lesson.source,
        data_sha256=lesson.digest,
        n=len(lesson),
        development=development.source,
        development_sha256=development.digest,
        epochs=course.epochs,
        best_epoch=course.best,
        quality=task.quality(measured, examples, run.answers(examples)[0], how),
        versions=versions_of(PACKAGES),
    )
    _save(out, model, tokeniser, card, course.chain)
    return card


def _warn_of_overlap(lesson: LabelledTexts | TaggedSentences, other: LabelledTexts | TaggedSentences) -> None:
    """Quality on texts that were trained on is no quality; say how many of another file's those are."""
    known, asked = (set(data.texts if isinstance(data, LabelledTexts) else data.words) for data in (lesson, other))
    both = len(known & asked)
    if both:
        log.warning("%s: %d of %d different texts were trained on, too", other.source, both, len(asked))


def _check_tools() -> None:
    try:
        import_torch()
        import safetensors  # noqa: F401
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("training a transformer", "hf") from error


def _check_new(out: Path) -> None:
    """Files of two models in one folder would be read as one."""
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty; name a new folder")
    check_writable(out)


def _save(out: Path, model: Any, tokeniser: Any, card: TransformerCard, chain: Chain | None) -> None:
    with replacing(out) as folder, checkpoint.quiet():
        folder.mkdir()
        model.save_pretrained(folder)
        tokeniser.save_pretrained(folder)
        if chain is not None:
            chain.save(folder)
        (folder / CARD).write_bytes(card.model_dump_json(indent=2).encode() + b"\n")
