"""`evenhand train`: systems that learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import bounds

app = typer.Typer(no_args_is_help=True, help="Train the systems that learn.")


@app.callback()
def train() -> None:
    """Train the systems that learn."""


@app.command()
def svr() -> None:
    """The word-unigram support vector regressor `svr`, on openly packaged human-rated text."""
    from evenhand.systems.svr import MODEL, data_dir, train_svr

    path = data_dir() / MODEL
    quality = train_svr(path)
    shown = ", ".join(
        f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value:,}" for name, value in quality.items()
    )
    typer.echo(f"{path}: {shown}")


@app.command()
def embedding(
    out: Annotated[Path, typer.Option(help="The folder to write; use it as embedding:FOLDER.")],
    encoder: Annotated[
        str, typer.Option(help="all-minilm, or the folder of a transformer (safetensors).")
    ] = "all-minilm",
    head: Annotated[str, typer.Option(help="ridge (fast), or svr (a kernel; better and slower).")] = "ridge",
    train: Annotated[
        list[Path] | None,
        typer.Option(help="Your texts and scores: csv, tsv, jsonl or parquet; else 23,703 human-rated texts."),
    ] = None,
    text_column: Annotated[str, typer.Option(help="Where --train has the texts.")] = "text",
    score_column: Annotated[str, typer.Option(help="Where it has the scores; also names the output.")] = "score",
    scale: Annotated[str | None, typer.Option("--range", help="LOW,HIGH of the scores' scale (default 0,1).")] = None,
    device: Annotated[str, typer.Option(help="auto (a GPU if there is one), cpu, cuda, mps.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the card as JSON, nothing else.")] = False,
) -> None:
    """A regressor on sentence vectors, used as embedding:FOLDER."""
    ends = bounds(scale)
    from evenhand.systems.embedding_training import read_lesson, train_embedding

    lesson = read_lesson(train, text_column=text_column, score_column=score_column, bounds=ends) if train else None
    card = train_embedding(out, lesson, encoder=encoder, head=head, device=device)
    if as_json:
        typer.echo(card.model_dump_json(indent=2))
        return
    quality = card.quality
    shown = ", ".join(
        f"{name} {'undefined' if value is None else format(value, '.3f')}"
        for name, value in (("pearson", quality.pearson), ("spearman", quality.spearman))
    )
    typer.echo(f"{out}: n {quality.n:,}, {shown} ({quality.how}); ask it as embedding:{out}")
