"""The command's name and its commands. Imports nothing heavy: `--help` must answer at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from evenhand.cli import (
    advise,
    annotate,
    audit,
    chat,
    check,
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
    serve,
    study,
    systems,
    train,
)
from evenhand.cli.options import Command, OneValueEach
from evenhand.printing import tell

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="Begin with: evenhand audit vader. Completion in your shell: evenhand --install-completion.",
    help="Does the answer change when only the person changes? Finds and repairs bias in systems that score text.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
GROUPS: dict[str, dict[str, tuple[Callable[..., None], tuple[str, ...]]]] = {
    "Ask and find": {
        "audit": (audit.audit, ("vader textblob", "svr --until-settled --out results --open", "py:mine.model:score")),
        "check": (check.check, ("--junit evenhand.xml --markdown evenhand.md", "--baseline my-check")),
        "plan": (plan.plan, ("svr --equivalence 0.01",)),
        "perturb": (perturb.perturb, ("reviews.csv --column text --attribute gender --out versions.csv",)),
        "explain": (explain.explain, ("svr",)),
        "phrases": (phrases.phrases, ("vader",)),
        "measure": (measure.measure, ("predictions.csv", "reviews.csv --by dialect")),
    },
    "Compare and rate many": {
        "compare": (compare.compare, ("before after", "results#vader results#textblob")),
        "study": (study.study, ("task/submissions --gold task/gold --out task/study",)),
        "rate": (rate.rate, ("vader textblob --chat example --out ratings",)),
        "chat": (chat.chat, ("example",)),
        "annotate": (annotate.annotate, ("eec --annotators 3 --out sheets",)),
        "drift": (drift.drift, ("es",)),
        "reproduce": (reproduce.reproduce, ("eec",)),
    },
    "Mend": {
        "repair": (repair.repair, ("vader --out repaired",)),
    },
    "Look again": {
        "report": (report.report, ("results --full", "results --format model-card", "results --figures --tables")),
        "runs": (runs.runs, (".",)),
        "serve": (serve.serve, ("runs", "runs --system vader --system afinn --open")),
    },
    "What there is": {
        "systems": (systems.systems, ("",)),
        "metrics": (measure.metrics, ("",)),
        "advise": (advise.advise, ("",)),
    },
}
"""Commands by what people want, each with examples for its help."""
ABOUT_GROUPS = {"corpus": "What there is", "train": "Mend"}


def _examples(name: str, arguments: tuple[str, ...]) -> str:
    lines = "\n\n".join(f"  evenhand {name} {given}".rstrip() for given in arguments)
    return f"Examples:\n\n{lines}"


for panel, commands in GROUPS.items():
    for name, (run, arguments) in commands.items():
        app.command(name, rich_help_panel=panel, epilog=_examples(name, arguments))(run)
app.add_typer(corpus.app, name="corpus", rich_help_panel=ABOUT_GROUPS["corpus"])
app.add_typer(train.app, name="train", rich_help_panel=ABOUT_GROUPS["train"])
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
