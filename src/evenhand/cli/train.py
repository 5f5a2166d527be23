"""`evenhand train`: systems that learn."""

from __future__ import annotations

import typer

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
