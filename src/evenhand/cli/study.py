"""`evenhand study`: all systems of a shared task at once."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    Alpha,
    AsJson,
    Correction,
    Overwrite,
    Range,
    Thresholds,
    bounds,
    repeating,
    shows_results,
)
from evenhand.errors import UsageError
from evenhand.printing import say, tell

if TYPE_CHECKING:
    from evenhand.cli.show import Shown


@shows_results
def study(
    submissions: Annotated[
        Path | None,
        typer.Argument(help="A folder with a sub-folder per system and a file per affect dimension, or a manifest."),
    ] = None,
    gold: Annotated[Path | None, typer.Option(help="Folder of gold files, to rank systems by quality.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for pages, tables and figures.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    corpus: Annotated[str, typer.Option(help="A corpus by name or file; eec is taken as released.")] = "eec",
    attribute: Annotated[list[str] | None, typer.Option(help="What to compare by. Default: all.")] = None,
    alpha: Alpha = 0.05,
    correction: Correction = "bonferroni",
    equivalence: Annotated[float, typer.Option(help="The tolerance, as a share of the range.")] = 0.01,
    range_: Range = None,
    baseline: Annotated[str | None, typer.Option(help="Hold the others against it (else SVM-Unigrams).")] = None,
    threshold: Thresholds = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first odd file.")] = False,
    figures: Annotated[bool, typer.Option(help="Also draw PNG and SVG files.")] = True,
    seed: Annotated[int, typer.Option(help="For the permutations.")] = 0,
    example: Annotated[Path | None, typer.Option(help="Write a made-up study to this folder, to try it with.")] = None,
    *,
    shown: Shown,
) -> None:
    """Examine all SUBMISSIONS to a shared task: the published tables and figures, for your systems."""
    if example is not None:
        _write_example(example)
        return
    if submissions is None:
        raise UsageError("name the folder of submissions (or `--example DIR` to make one up)")
    from evenhand.cli.show import show_saved
    from evenhand.comparing import Settings
    from evenhand.report.study.words import problem_in_words
    from evenhand.verbs.study import study as run

    found = run(
        submissions,
        gold=gold,
        corpus=corpus,
        attributes=attribute,
        settings=Settings(alpha=alpha, correction=correction, equivalence=equivalence, seed=seed),
        bounds=bounds(range_) or (0.0, 1.0),
        baseline=baseline,
        thresholds=threshold,
        strict=strict,
        out=out,
        overwrite=overwrite,
        figures=figures,
        command=repeating(sys.argv),
    )
    if as_json:
        for problem in found.problems:
            say(problem_in_words(problem))
    show_saved(found, out, shown, as_json=as_json)


def _write_example(folder: Path) -> None:
    from evenhand.studies.synthetic import a_study, write_study

    write_study(folder, a_study())
    places = [str(folder / "submissions"), "--gold", str(folder / "gold"), "--out", str(folder / "study")]
    tell(f"made up; try: {shlex.join(['evenhand', 'study', *places])}")
