"""The chain for metrics: predictions, scores, or what lies on disk → metrics by group, saved where that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evenhand.asking import Scores
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.measuring import (
    MeasureSettings,
    Metrics,
    measure_file,
    measure_files,
    measure_parses,
    measure_scores,
    measured,
    subject_of_file,
    subject_of_files,
)
from evenhand.metrics import Predictions
from evenhand.metrics.conllu import ENDING as TREES
from evenhand.results import Provenance, Statement, check_out


def measure(
    predictions: Predictions | Scores | str | Path | Sequence[str | Path],
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    gold: str | Path | None = None,
    settings: MeasureSettings | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    statement: Statement | None = None,
) -> Metrics:
    """Measure predictions by group: metrics, tests and failing examples.

    `predictions` are `Predictions`, the `Scores` of a labelled `corpus`, or the path of a saved audit, of a table
    (columns `source, group, term, gold` and `prob_<class>`, `pred` or `score`) or of tagged sentences; or the paths of
    several tables, one for each model; or a parser's trees in CoNLL-U, with the `gold` trees. Several systems stand
    side by side, each against the first. With `out`, the result is saved in that folder. A `statement` of who made it
    and when goes into the provenance.

    >>> said = {"source": ["1", "1"], "group": ["old", "young"], "gold": ["yes", "yes"]}
    >>> measure(Predictions.of(**said, predicted=["no", "yes"]))["tpr_gap"]["yes"].value
    1.0
    """
    settings = settings or MeasureSettings()
    named = [attributes] if isinstance(attributes, str) else attributes
    if gold is not None and not isinstance(predictions, str | Path):
        raise UsageError("gold is the file of gold trees, which goes with one file of predicted trees")
    if isinstance(predictions, str | Path):
        if corpus is not None:
            raise UsageError("a corpus goes with scores; what lies on disk says itself whom it is about")
        if out is not None:
            subject = subject_of_file(predictions) if gold is None else subject_of_files([predictions, gold])
            check_out(Path(out), Metrics, subject, overwrite=overwrite)
        if gold is not None or Path(predictions).suffix.lower() == TREES:
            found = measure_parses(predictions, gold, attributes=named, settings=settings, command=command)
        else:
            found = measure_file(predictions, attributes=named, settings=settings, command=command)
    elif isinstance(predictions, Sequence):
        found = _side_by_side(predictions, corpus, named, settings, out, overwrite=overwrite, command=command)
    elif isinstance(predictions, Scores):
        if corpus is None:
            raise UsageError("scores are measured on the corpus that they are of: name it")
        asked = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
        found = measure_scores(
            predictions, asked, attributes=named, settings=settings, command=command, side_by_side=True
        )
        if not found.results:
            raise EvenhandError(f"nothing can be measured: {found.left_out[0]}")
    else:
        name = ", ".join(named) if named else "group"
        provenance = Provenance.collect(settings=asdict(settings), command=command)
        found = Metrics((measured(predictions, "predictions", name, settings),), settings, provenance=provenance)
    found = found.stated(statement)
    if out is not None:
        found.save(out, overwrite=overwrite)
    return found


def _side_by_side(
    paths: Sequence[str | Path],
    corpus: Corpus | str | Path | None,
    attributes: Sequence[str] | None,
    settings: MeasureSettings,
    out: str | Path | None,
    *,
    overwrite: bool,
    command: str | None,
) -> Metrics:
    """Tables of several models; one alone is measured as ever."""
    if len(paths) == 1:
        return measure(
            paths[0], corpus, attributes=attributes, settings=settings, out=out, overwrite=overwrite, command=command
        )
    if corpus is not None:
        raise UsageError("a corpus goes with scores; what lies on disk says itself whom it is about")
    if not paths:
        raise UsageError("name at least one file of predictions")
    if out is not None:
        check_out(Path(out), Metrics, subject_of_files(paths), overwrite=overwrite)
    return measure_files(paths, attributes=attributes, settings=settings, command=command)
