"""The explorer's worker: what takes long, or reads what somebody sent, in a process of its own.

Whatever happens to that process is the failure of the job that it was at; the next job starts another one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from evenhand.asking.recorded import read_predictions
from evenhand.corpora import load_corpus
from evenhand.errors import EvenhandError
from evenhand.files.opened import VARIABLE
from evenhand.files.whole import write_whole
from evenhand.verbs.audit import audit

UPLOAD, STAGE = "upload", "stage"
"""Names in the folder of a job: what was sent, with its ending, and what is being done with it."""
UNPACKED = 10
"""A table may be so many times as large, unpacked, as what may be sent."""


class Work:
    """What the explorer has done elsewhere."""

    def audit(self, job: str, ending: str, name: str, corpus: str, settings: dict[str, Any], out: str) -> None:
        """The audit of predictions that were sent, saved in a folder."""
        folder = Path(job)
        os.environ[VARIABLE] = str(UNPACKED * int(settings["most"]))
        _say(folder, "reading the file")
        asked = load_corpus(corpus)
        path = folder / f"{UPLOAD}{ending}"
        low, high = settings["low"], settings["high"]
        scores = read_predictions(path, asked, name=name, **({} if low is None else {"low": low, "high": high}))
        _say(folder, "comparing the groups")
        found = audit(scores, asked, high_is=settings["high_is"], progress=False)
        _say(folder, "drawing the page and saving")
        try:
            Path(out).parent.mkdir(exist_ok=True)
            found.save(out)
        except OSError as error:
            raise EvenhandError(f"the result cannot be saved: {error.strerror}") from error


def _say(folder: Path, stage: str) -> None:
    write_whole(folder / STAGE, stage.encode())
