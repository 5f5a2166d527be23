"""Saved results of any kind: found in their folders, loaded by what they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.annotating import Sheets
from evenhand.comparing.audit import Audit
from evenhand.comparing.chat import Chat
from evenhand.comparing.comparison import Comparison
from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.explaining import Explanation
from evenhand.files.whole import finish
from evenhand.gating import Check
from evenhand.measuring import Metrics
from evenhand.planning.result import Plan
from evenhand.rating import Ratings
from evenhand.repairs.phrases import Phrases
from evenhand.repairs.result import Repair
from evenhand.results import Result
from evenhand.results.listed import SavedResult, SavedResults
from evenhand.results.rendering import fitting
from evenhand.results.result import kinds_in
from evenhand.studies import Study
from evenhand.translation import Drift

KINDS: tuple[type[Result], ...] = (
    Audit,
    Metrics,
    Comparison,
    Check,
    Ratings,
    Repair,
    Explanation,
    Study,
    Drift,
    Chat,
    Phrases,
    Sheets,
    Plan,
)
"""In the order in which a folder is looked through: an audit of labelled sentences holds its metrics too."""
DEEPEST, MOST_FOLDERS = 8, 10_000
"""How far below a folder, and in how many folders, saved results are looked for."""


def load_result(path: str | Path) -> Result:
    """A saved result: the folder that it was saved in, or its JSON file in there."""
    path = Path(path)
    folder = path.parent if path.is_file() else path
    finish(folder)
    for kind in KINDS:
        if (path.name == kind.file) if path.is_file() else (folder / kind.file).is_file():
            return kind.load(folder)
    known = ", ".join(kind.file for kind in KINDS)
    raise UsageError(
        f"{path} holds no saved result ({known}); audits and other commands save one where `out` names the folder"
    )


def decided(result: Result, thresholds: Sequence[str]) -> Audit | Study:
    """A saved audit or study with thresholds, from the scores that were saved with it."""
    if not isinstance(result, Audit | Study):
        raise UsageError(
            f"thresholds apply to the scores of an audit or a study; this result is of the kind {result.kind}"
        )
    with fitting(result):
        return result.decided(thresholds)


def find_results(folder: str | Path) -> SavedResults:
    """The saved results in a folder and below it; links are not followed, hidden folders are left out."""
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    search = _Search(folder)
    found = [_described(place, kind) for place in search for kind in kinds_in(place)]
    return SavedResults(tuple(found), search.complete)


class _Search:
    """The folders below a folder, sorted, as many and as deep as is reasonable."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self.complete = True

    def __iter__(self) -> Iterator[Path]:
        for number, (place, below, _) in enumerate(os.walk(self._top)):
            if number == MOST_FOLDERS:
                self.complete = False
                return
            here = Path(place)
            below[:] = sorted(name for name in below if not name.startswith("."))
            if below and len(here.relative_to(self._top).parts) >= DEEPEST:
                self.complete = False
                below.clear()
            yield here


def _described(folder: Path, kind: type[Result]) -> SavedResult:
    try:
        result = kind.load(folder)
    except EvenhandError as error:
        return SavedResult(str(folder), kind.kind, problem=one_line(error))
    about = result.provenance
    systems = about.system_names or tuple(one.name for one in about.files)
    return SavedResult(str(folder), kind.kind, systems, about.corpus_names, result.summary())
