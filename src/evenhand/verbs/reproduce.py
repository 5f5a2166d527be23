"""The chain for published figures: gather what the user has, and hold it beside what was printed."""

from __future__ import annotations

from pathlib import Path

from evenhand.comparing.findings import Finding
from evenhand.corpora import eec
from evenhand.errors import UsageError, did_you_mean
from evenhand.published import Check, reproduce_calibration, reproduce_eec, reproduce_rating
from evenhand.published.eec import NOUN_PHRASES
from evenhand.verbs.audit import audit
from evenhand.verbs.study import study

PAPERS = ("eec", "rating", "calibration")


def reproduce(
    paper: str = "eec",
    *,
    svm: str | Path | None = None,
    submissions: str | Path | None = None,
    gold: str | Path | None = None,
) -> tuple[Check, ...]:
    """Recompute what a paper printed, as far as the inputs allow.

    For `eec`, `svm` is a folder with one SVM-Unigrams model per dimension, trained on the task's own tweets;
    `submissions` and `gold` are the task's own files. The others need nothing more than what is shipped.
    """
    if paper not in PAPERS:
        raise UsageError(f"no published figures for {paper!r}{did_you_mean(paper, PAPERS)}")
    if paper != "eec":
        if any(given is not None for given in (svm, submissions, gold)):
            raise UsageError(
                f"{paper!r} is recomputed from figures that are shipped; svm, submissions and gold are for 'eec'"
            )
        return reproduce_rating() if paper == "rating" else reproduce_calibration()
    found = None if submissions is None else study(submissions, gold=gold)
    return reproduce_eec(baseline=None if svm is None else _baseline(Path(svm)), study=found)


def _baseline(models: Path) -> tuple[Finding, ...]:
    return audit(f"svm:{models}", eec("released"), subsets=["all", NOUN_PHRASES]).findings
