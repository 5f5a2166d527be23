"""The command's name and its commands. Imports nothing heavy: `--help` must answer at once."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli import (
    advise,
    annotate,
    audit,
    chat,
    compare,
    corpus,
    drift,
    explain,
    measure,
    perturb,
    phrases,
    plan,
    rate,
    repair,
    report,
    reproduce,
    runs,
    study,
    systems,
    train,
)
from evenhand.cli.options import Command, OneValueEach
from evenhand.printing import tell

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Does the answer change when only the person changes? Finds and repairs bias in systems that score text.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(audit.audit)
app.command()(perturb.perturb)
app.command()(plan.plan)
app.command()(report.report)
app.command()(compare.compare)
app.command()(explain.explain)
app.command()(runs.runs)
app.command()(study.study)
app.command()(measure.measure)
app.command()(measure.metrics)
app.command()(advise.advise)
app.command()(chat.chat)
app.command()(annotate.annotate)
app.command()(drift.drift)
app.command()(rate.rate)
app.command()(repair.repair)
app.command()(phrases.phrases)
app.command()(reproduce.reproduce)
app.command()(systems.systems)
app.add_typer(corpus.app, name="corpus")
app.add_typer(train.app, name="train")
# Scripts that train repeat a setting to override a default.
for group, kind in ((app, OneValueEach), (corpus.app, OneValueEach), (train.app, Command)):
    for command in group.registered_commands:
        command.cls = kind


@app.callback(invoke_without_command=True)
def common(
    version: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks; may stand anywhere.")] = False,
) -> None:
    """Options of every command. `debug` is read by `main`; it stands here for the help."""
    if version:
        import importlib.metadata

        tell(f"evenhand {importlib.metadata.version('evenhand')}")
        raise typer.Exit
