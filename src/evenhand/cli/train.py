"""`evenhand train`: systems that learn."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import bounds
from evenhand.errors import UsageError
from evenhand.printing import tell, tell_json

if TYPE_CHECKING:
    from evenhand.systems.trained.card import Quality

app = typer.Typer(no_args_is_help=True, help="Train systems of your own.")

FORMATS = "shared-task files (txt, tsv), csv, jsonl or parquet"
Train = Annotated[list[Path], typer.Option(help=f"Texts and scores to train on: {FORMATS}. May be repeated.")]
Test = Annotated[Path | None, typer.Option(help="Texts and scores to evaluate on.")]
Dimension = Annotated[str, typer.Option(help="anger, fear, joy, sadness or valence; also the name of the output.")]
TextColumn = Annotated[str | None, typer.Option(help="Column of the texts. Default: Tweet, text or sentence.")]
ScoreColumn = Annotated[
    str | None,
    typer.Option(help="Column of the scores. Default: Intensity Score, score, prediction or Intensity Class."),
]
Scale = Annotated[str | None, typer.Option("--range", metavar="LOW,HIGH", help="Range of the scores. Default: 0,1.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the quality as JSON and nothing else.")]


@app.callback()
def train() -> None:
    """Train systems of your own."""


@app.command()
def svr() -> None:
    """Train `svr`, a support vector regressor on word unigrams, on openly available human-rated texts."""
    from evenhand.systems.trained.svr import MODEL, data_dir, train_svr

    path = data_dir() / MODEL
    quality = train_svr(path)
    shown = ", ".join(
        f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value:,}" for name, value in quality.items()
    )
    tell(f"{path}: {shown}")


@app.command()
def svm_unigrams(
    train: Train,
    dimension: Dimension,
    out: Annotated[Path, typer.Option(help="A .skops file, or a folder for DIMENSION.skops; use it as svm:OUT.")],
    test: Test = None,
    text_column: TextColumn = None,
    score_column: ScoreColumn = None,
    scale: Scale = None,
    as_json: AsJson = False,
) -> None:
    """Train linear support vector regression on word unigrams, for one dimension; use it as svm:OUT."""
    ends = bounds(scale)
    from evenhand.files.task_files import known_dimension
    from evenhand.systems.training.lesson import read_lesson
    from evenhand.systems.training.svm import svm_file, train_svm

    of = known_dimension(dimension)
    read = partial(read_lesson, dimension=of, text_column=text_column, score_column=score_column, bounds=ends)
    card = train_svm(out, read(train), test=read([test]) if test else None)
    _say(card.quality, svm_file(out, of), asked=f"svm:{out}", with_how=test is None, as_json=as_json)


@app.command()
def gru(
    train: Train,
    dev: Annotated[Path, typer.Option(help="Texts and scores for early stopping.")],
    dimension: Dimension,
    out: Annotated[Path, typer.Option(help="Folder to write; use it as gru:FOLDER.")],
    test: Test = None,
    target: Annotated[
        str,
        typer.Option(help="regression, or ordinal for classes such as 0, 1, 2, 3 (the score is the expected class)."),
    ] = "regression",
    text_column: TextColumn = None,
    score_column: ScoreColumn = None,
    scale: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            help="Range of the scores. Default: 0,1; for classes, the lowest and highest.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed for initial weights, order of texts and dropout.")] = 0,
    epochs: Annotated[int, typer.Option(help="Maximum number of epochs.")] = 100,
    patience: Annotated[int, typer.Option(help="Stop after this many epochs without improvement on --dev.")] = 10,
    embedding_size: Annotated[int, typer.Option(help="Embedding size.")] = 64,
    hidden_size: Annotated[int, typer.Option(help="Size of the hidden state.")] = 64,
    batch_size: Annotated[int, typer.Option(help="Batch size.")] = 32,
    learning_rate: Annotated[float, typer.Option(help="Learning rate.")] = 0.003,
    dropout: Annotated[float, typer.Option(help="Dropout rate.")] = 0.3,
    min_count: Annotated[int, typer.Option(help="Words that occur less often count as unknown.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Train word embeddings and a gated recurrent network, for one dimension; use it as gru:FOLDER."""
    ends = bounds(scale)
    from evenhand.asking.progress import progress_bars
    from evenhand.files.task_files import known_dimension
    from evenhand.systems.trained.gru_card import ENDING, gru_settings
    from evenhand.systems.training.gru import train_gru
    from evenhand.systems.training.lesson import read_lesson

    settings = gru_settings(
        target=target, seed=seed, epochs=epochs, patience=patience, embedding_size=embedding_size,
        hidden_size=hidden_size, batch_size=batch_size, learning_rate=learning_rate, dropout=dropout,
        min_count=min_count,
    )  # fmt: skip
    of = known_dimension(dimension)
    read = partial(read_lesson, dimension=of, text_column=text_column, score_column=score_column)
    lesson = read(train, bounds=ends, classes=target == "ordinal")
    development = read([dev], bounds=(lesson.low, lesson.high))
    tested = read([test], bounds=(lesson.low, lesson.high)) if test else None
    with progress_bars() as bar:
        card = train_gru(
            out, lesson, development=development, test=tested, settings=settings,
            start=lambda most: bar(f"gru {of}", most, 0),
        )  # fmt: skip
    _say(card.quality, out / f"{of}{ENDING}", asked=f"gru:{out}", with_how=test is None, as_json=as_json)


@app.command()
def embedding(
    out: Annotated[Path, typer.Option(help="Folder to write; use it as embedding:FOLDER.")],
    encoder: Annotated[
        str, typer.Option(help="all-minilm, or a folder with a transformer (safetensors).")
    ] = "all-minilm",
    head: Annotated[str, typer.Option(help="ridge (fast), or svr (a kernel method: better, slower).")] = "ridge",
    train: Annotated[
        list[Path] | None,
        typer.Option(help=f"Your texts and scores: {FORMATS}. Default: 23,703 human-rated texts. May be repeated."),
    ] = None,
    text_column: TextColumn = None,
    score_column: Annotated[
        str | None,
        typer.Option(help="Column of the scores (default: Intensity Score, score, …); also the name of the output."),
    ] = None,
    scale: Scale = None,
    device: Annotated[str, typer.Option(help="auto (a GPU if there is one), cpu, cuda or mps.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the model card as JSON and nothing else.")] = False,
) -> None:
    """Train a regressor on sentence embeddings; use it as embedding:FOLDER."""
    ends = bounds(scale)
    from evenhand.asking.progress import progress_bars
    from evenhand.systems.training.embedding import train_embedding
    from evenhand.systems.training.lesson import read_lesson

    lesson = read_lesson(train, text_column=text_column, score_column=score_column, bounds=ends) if train else None
    with progress_bars() as bar:
        card = train_embedding(
            out, lesson, encoder=encoder, head=head, device=device, start=lambda most: bar("encoding", most, 0)
        )
    if as_json:
        tell_json(card.model_dump_json(indent=2))
        return
    tell(f"{out}: {_shown(card.quality)}; use it as embedding:{out}")


@app.command()
def transformer(
    task: Annotated[str, typer.Option(help="classify (a label per text) or tag (a tag per word).")],
    base: Annotated[str, typer.Option(help="Transformer to start from: a folder (safetensors) or a name on the hub.")],
    train: Annotated[
        list[Path],
        typer.Option(
            help=f"classify: {FORMATS}, or one tree per line; tag: one word and tag per line. May be repeated."
        ),
    ],
    dev: Annotated[Path, typer.Option(help="The same kind of file, for early stopping.")],
    out: Annotated[Path, typer.Option(help="New folder to write; use it as hf:FOLDER.")],
    test: Annotated[Path | None, typer.Option(help="The same kind of file, to evaluate on.")] = None,
    classes: Annotated[
        int | None,
        typer.Option(help="Turn grades into 2 classes (without neutral texts) or 3. Default: keep the labels."),
    ] = None,
    text_column: TextColumn = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of the labels. Default: label, sentiment, class, Intensity Class …")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Maximum number of epochs.")] = 10,
    patience: Annotated[int, typer.Option(help="Stop after this many epochs without improvement on --dev.")] = 3,
    lr: Annotated[float, typer.Option(help="Peak learning rate.")] = 2e-5,
    batch_size: Annotated[int, typer.Option(help="Batch size.")] = 16,
    seed: Annotated[
        int, typer.Option(help="Random seed for the head's initial weights, order of texts and dropout.")
    ] = 0,
    crf: Annotated[bool, typer.Option("--crf", help="tag: learn a CRF over the tags on top.")] = False,
    device: Annotated[str, typer.Option(help="auto (a GPU if there is one), cpu, cuda or mps.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Fine-tune a transformer to classify texts or tag words; use it as hf:FOLDER."""
    from evenhand.asking.progress import progress_bars
    from evenhand.systems.training.transformer import train_transformer
    from evenhand.systems.training.transformer_card import transformer_settings
    from evenhand.systems.training.transformer_tasks import read_task

    settings = transformer_settings(
        seed=seed, epochs=epochs, patience=patience, batch_size=batch_size, learning_rate=lr, crf=crf
    )
    if crf and task != "tag":
        raise UsageError("--crf is for --task tag: a CRF is a chain over the tags of words")
    read = partial(read_task, task, classes=classes, text_column=text_column, label_column=label_column)
    lesson = read(train)
    development, tested = read([dev], like=lesson), read([test], like=lesson) if test else None
    with progress_bars() as bar:
        card = train_transformer(
            out, lesson, development=development, test=tested, base=base, settings=settings, device=device,
            start=lambda most: bar(f"transformer {task}", most, 0),
        )  # fmt: skip
    if as_json:
        tell_json(card.quality.model_dump_json())
        return
    names = ("accuracy", "macro_f1") if card.task == "classify" else ("span_f1", "precision", "recall")
    values = ((name.replace("_f1", "-F1"), getattr(card.quality, name)) for name in names)
    shown = ", ".join(f"{name} {_number(value)}" for name, value in values)
    tell(f"{out}: n {card.quality.n:,}, {shown} ({card.quality.how}); use it as hf:{out}")


def _say(quality: Quality, path: Path, *, asked: str, with_how: bool, as_json: bool) -> None:
    if not as_json:
        tell(f"{path}: {_shown(quality)}; use it as {asked}")
        return
    content = {"pearson": quality.pearson, "spearman": quality.spearman, "n": quality.n}
    tell_json(json.dumps(content | ({"how": quality.how} if with_how else {})))


def _shown(quality: Quality) -> str:
    correlations = (("pearson", quality.pearson), ("spearman", quality.spearman))
    shown = [f"{name} {_number(value)}" for name, value in correlations]
    return f"n {quality.n:,}, {', '.join(shown)} ({quality.how})"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
