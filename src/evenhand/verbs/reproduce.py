"""The chain for published figures: gather what the user has, and hold it beside what was printed."""

from __future__ import annotations

import logging
from pathlib import Path

from evenhand.asking import Scores
from evenhand.comparing import compare
from evenhand.comparing.findings import Finding
from evenhand.corpora import eec
from evenhand.errors import UsageError, did_you_mean
from evenhand.published import Check, reproduce_calibration, reproduce_eec, reproduce_metrics, reproduce_rating
from evenhand.published.eec import NOUN_PHRASES
from evenhand.studies import Study
from evenhand.verbs.audit import audit
from evenhand.verbs.study import study

SUBSETS = ("all", NOUN_PHRASES)
log = logging.getLogger(__name__)

PAPERS = ("eec", "rating", "calibration", "metrics")


def reproduce(
    paper: str = "eec",
    *,
    svm: str | Path | None = None,
    submissions: str | Path | None = None,
    gold: str | Path | None = None,
    baseline: str | None = None,
    data: str | Path | None = None,
) -> tuple[Check, ...]:
    """Recompute what a paper printed, as far as the inputs allow.

    For `eec`, `svm` is a folder with one SVM-Unigrams model per dimension, trained on the task's own tweets;
    `submissions` and `gold` are the task's own files; where SVM-Unigrams, or the system that `baseline` names, is among
    them, its scores are used unless there are models. For `rating`, `data` is a copy of its authors' repository, which
    settles the claims that are else open. The others need nothing more than what is shipped.
    """
    if paper not in PAPERS:
        raise UsageError(f"no published figures for {paper!r}{did_you_mean(paper, PAPERS)}")
    if data is not None and paper != "rating":
        raise UsageError(f"data is a copy of the repository of 'rating', not for {paper!r}")
    if paper != "eec":
        if any(given is not None for given in (svm, submissions, gold, baseline)):
            raise UsageError(
                f"{paper!r} is recomputed from figures that are shipped; svm, submissions, gold and baseline are for "
                "'eec'"
            )
        if paper == "rating":
            return reproduce_rating(None if data is None else Path(data))
        return reproduce_metrics() if paper == "metrics" else reproduce_calibration()
    found = None if submissions is None else study(submissions, gold=gold, baseline=baseline)
    if svm is not None:
        models = audit(f"svm:{svm}", eec("released"), subsets=SUBSETS).findings
        return reproduce_eec(baseline=models, taken_from=f"the models in {svm}", study=found)
    if found is None or found.baseline is None:
        return reproduce_eec(study=found)
    log.info("%s among the submissions is taken for the baseline SVM-Unigrams", found.baseline)
    taken_from = f"the submission {found.baseline}"
    return reproduce_eec(baseline=_submitted(found, found.baseline), taken_from=taken_from, study=found)


def _submitted(found: Study, baseline: str) -> tuple[Finding, ...]:
    """The findings of the baseline that took part, also on the sentences with noun phrases, which no table is about."""
    corpus, scores = found.drawn_from
    places = [place for place, column in enumerate(scores.columns) if column.system == baseline]
    columns = tuple(scores.columns[place] for place in places)
    mine = Scores(scores.ids, scores.matrix[:, places], columns, scores.corpus_digest)
    return compare(mine, corpus, subsets=SUBSETS, settings=found.settings).findings
