"""Saved results of any kind: found in their folders, loaded by what they are."""

from __future__ import annotations

from pathlib import Path

from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.measuring import Metrics
from evenhand.repairs.result import Repair
from evenhand.results import Result
from evenhand.studies import Study

KINDS: tuple[type[Result], ...] = (Audit, Metrics, Repair, Study)
"""In the order in which a folder is looked through: an audit of labelled sentences holds its metrics too."""


def load_result(path: str | Path) -> Result:
    """A saved result: the folder that it was saved in, or its JSON file in there."""
    path = Path(path)
    folder = path.parent if path.is_file() else path
    for kind in KINDS:
        if (path.name == kind.file) if path.is_file() else (folder / kind.file).is_file():
            return kind.load(folder)
    known = ", ".join(kind.file for kind in KINDS)
    raise UsageError(f"{path} holds no saved result ({known}); commands with --out {folder} save one")
