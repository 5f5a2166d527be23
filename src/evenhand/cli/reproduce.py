"""`evenhand reproduce`: what a paper printed, beside what comes out here."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson
from evenhand.files.json_text import json_text
from evenhand.printing import console_of, tell_json


def reproduce(
    paper: Annotated[str, typer.Argument(help="eec, rating, calibration or metrics")],
    svm: Annotated[
        Path | None, typer.Option(help="Folder of SVM-Unigrams models, one per dimension, trained on the task's data.")
    ] = None,
    submissions: Annotated[Path | None, typer.Option(help="The task's own submissions, if you have them.")] = None,
    gold: Annotated[Path | None, typer.Option(help="The task's gold files.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The submission that is SVM-Unigrams, if it is called otherwise.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A copy of the rating authors' repository, if you have one (for rating).")
    ] = None,
    as_json: AsJson = False,
    all_: Annotated[bool, typer.Option("--all", help="Also list the cells of tables one by one.")] = False,
) -> None:
    """Hold a PAPER's published figures beside what this tool computes."""
    from evenhand.verbs.reproduce import reproduce as run

    checks = run(paper, svm=svm, submissions=submissions, gold=gold, baseline=baseline, data=data)
    counted = Counter(check.outcome for check in checks)
    if as_json:
        values = {"checks": [asdict(check) for check in checks], "counts": dict(counted)}
        tell_json(json_text(values, indent=2))
        return
    from evenhand.report.checks import print_checks

    print_checks(checks, console_of(), everything=all_)
