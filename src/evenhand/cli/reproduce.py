"""`evenhand reproduce`: what a paper printed, beside what comes out here."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson, stdout_kept_clean


def reproduce(
    paper: Annotated[str, typer.Argument(help="eec, rating or calibration")],
    svm: Annotated[
        Path | None, typer.Option(help="Folder of SVM-Unigrams models, one per dimension, trained on the task's data.")
    ] = None,
    submissions: Annotated[Path | None, typer.Option(help="The task's own submissions, if you have them.")] = None,
    gold: Annotated[Path | None, typer.Option(help="The task's gold files.")] = None,
    as_json: AsJson = False,
    all_: Annotated[bool, typer.Option("--all", help="Also list the cells of tables one by one.")] = False,
) -> None:
    """Hold a PAPER's published figures beside what this tool computes."""
    from evenhand.verbs.reproduce import reproduce as run

    with stdout_kept_clean():
        checks = run(paper, svm=svm, submissions=submissions, gold=gold)
    counted = Counter(check.outcome for check in checks)
    if as_json:
        values = {"checks": [asdict(check) for check in checks], "counts": dict(counted)}
        typer.echo(json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False))
        return
    from rich.console import Console

    from evenhand.report.checks import print_checks

    print_checks(checks, Console(), everything=all_)
