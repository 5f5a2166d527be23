"""Who answers: people, by the majority of what several annotators wrote down."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evenhand.errors import EvenhandError, UsageError, quoted
from evenhand.systems.base import Array, BaseScorer, Output, RunsOn, fingerprint_of
from evenhand.systems.people.annotations import Annotations, read_annotations
from evenhand.systems.table import system

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

SHEETS = "annotator-*.csv"
"""What the sheets in a folder are called."""

log = logging.getLogger(__name__)


@system("human", address="FILE,FILE,... or FOLDER")
class Human(BaseScorer):
    """What the majority of several annotators says: -1 (negative), 0 (neutral) or 1 (positive) (S_h).

    Each file holds the labels of one annotator; a folder stands for the sheets `annotator-*.csv` in it. Where labels
    are equally frequent, one is drawn with the seed. People cannot be asked about new texts: a text that nobody
    labelled is an error.
    """

    name = "human"
    outputs: tuple[Output, ...] = (Output("sentiment", low=-1, high=1, kind="ordinal", high_is="good"),)
    runs_on: RunsOn = "elsewhere"

    def __init__(self, files: str, *, corpus: Corpus | None = None, label: str | None = None, seed: int = 0) -> None:
        self.annotations: Annotations = read_annotations(annotator_files(files), corpus=corpus, label=label, seed=seed)
        self.fingerprint: str | None = fingerprint_of(type(self), votes=sorted(self.annotations.votes.items()))
        log.info("human: %s", _in_words(self.annotations))

    def labelled(self, texts: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which of the texts somebody labelled."""
        return np.array([text.strip() in self.annotations.votes for text in texts], dtype=bool)

    def score(self, texts: Sequence[str]) -> Array:
        """The label that the majority gave to each text."""
        votes = self.annotations.votes
        unknown = [text for text in texts if text.strip() not in votes]
        if unknown:
            raise EvenhandError(f"no annotator labelled {quoted(unknown[0], 80)}" + _others(len(unknown) - 1))
        return np.array([votes[text.strip()] for text in texts], dtype=np.float64).reshape(-1, 1)


def annotator_files(address: str) -> list[Path]:
    """The files that an address stands for: separated by commas; a folder stands for the sheets in it."""
    whole = Path(address).expanduser()
    parts = [whole] if whole.exists() else [Path(part.strip()).expanduser() for part in address.split(",")]
    found: list[Path] = []
    for part in parts:
        sheets = sorted(part.glob(SHEETS)) if part.is_dir() else [part]
        if not sheets:
            raise UsageError(f"{part} holds no sheets ({SHEETS})")
        found += sheets
    return found


def _in_words(annotations: Annotations) -> str:
    labelled = annotations.matrix[:, (~np.isnan(annotations.matrix)).sum(axis=0) >= 2]
    same = int((np.nanmax(labelled, axis=0) == np.nanmin(labelled, axis=0)).sum()) if labelled.size else 0
    return (
        f"{len(annotations.annotators)} annotators, {len(annotations.votes):,} texts labelled; {same:,} of the "
        f"{labelled.shape[1]:,} that two or more labelled got one label from all; ties drawn: {len(annotations.ties):,}"
    )


def _others(count: int) -> str:
    return f" (and {count:,} more texts of this batch)" if count else ""
