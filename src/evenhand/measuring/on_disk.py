"""What lies on disk → metrics: a saved audit, a table of predictions, tagged sentences; or quality by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evenhand.asking import Scores, Tags
from evenhand.asking.scores import METADATA
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import TableFile
from evenhand.measuring.measured import measured, measured_tags
from evenhand.measuring.result import MeasureSettings, Metrics
from evenhand.measuring.scores import measure_scores
from evenhand.measuring.tags import measure_taggers
from evenhand.metrics import read_predictions_table
from evenhand.metrics.quality import Quality, read_quality_table
from evenhand.metrics.quality_rows import Kind
from evenhand.metrics.tag_reading import holds_tags, read_tags
from evenhand.results import Provenance, Subject
from evenhand.results.result import CORPUS_FILE, SCORES_FILE, TAGS_FILE

PREDICTED = ("predicted", "pred", "prediction", "score")


def measure_file(
    path: str | Path,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Measure what lies on disk: a saved audit (its folder or its scores), a table of predictions, tagged sentences."""
    path, settings = Path(path), settings or MeasureSettings()
    saved = path / SCORES_FILE if path.is_dir() else path
    if not saved.is_file():
        raise UsageError(f"no such file, or no {SCORES_FILE} in that folder: {path}")
    if METADATA in TableFile(saved).metadata:
        corpus = saved.parent / CORPUS_FILE
        if not corpus.is_file():
            raise UsageError(f"{saved} holds scores, and no {CORPUS_FILE} beside it says whom they are about")
        about, told = Corpus.load(corpus), saved.parent / TAGS_FILE
        if told.is_file():
            return measure_taggers(Tags.load(told), about, attributes=attributes, settings=settings, command=command)
        found = measure_scores(Scores.load(saved), about, attributes=attributes, settings=settings, command=command)
        if not found.results:
            raise EvenhandError(f"nothing can be measured: {found.left_out[0]}")
        return found
    name = ", ".join(attributes) if attributes else "group"
    tags = holds_tags(path)
    if settings.scheme is not None and not tags:
        raise UsageError(f"a scheme ({settings.scheme}) is for tags, and {path} holds none")
    if tags:
        result = measured_tags(read_tags(path, scheme=settings.scheme), path.stem, name, settings)
    else:
        result = measured(read_predictions_table(path), path.stem, name, settings)
    provenance = Provenance.collect(
        files=[path], settings=asdict(settings), details={"file": path.name}, command=command
    )
    return Metrics((result,), settings, provenance=provenance)


def subject_of_file(path: str | Path) -> Subject:
    """What the metrics of that file, or of that saved audit, will be about."""
    path = Path(path)
    saved = path / SCORES_FILE if path.is_dir() else path
    corpus = saved.parent / CORPUS_FILE
    if not (saved.is_file() and corpus.is_file() and METADATA in TableFile(saved).metadata):
        return Subject(files=(path.name,))
    systems = dict.fromkeys(column.system for column in Scores.load(saved).columns)
    return Subject(systems=tuple(systems), corpora=(Corpus.load(corpus).name,))


def quality_of_file(
    path: str | Path,
    *,
    by: str,
    kind: Kind | None = None,
    settings: MeasureSettings | None = None,
    cluster: str | None = None,
) -> Quality:
    """How good predictions are, by the groups of a column: numbers by correlation and error, classes by accuracy, F1.

    The file has the columns `gold` and `predicted` (or `pred`, `prediction`, `score`). Which kind they are is seen by
    the gold, unless it is said: a prediction that is no number is then a mistake, and not a class.
    """
    settings = settings or MeasureSettings()
    file = TableFile(Path(path))
    columns = file.frame.columns
    predicted = next((name for name in PREDICTED if name in columns), None)
    if predicted is None or "gold" not in columns:
        raise EvenhandError(f"{path}: columns gold and {PREDICTED[0]} are needed; it has {', '.join(columns)}")
    numeric = bool(file.column("gold").parsed().is_not_null().all())
    return read_quality_table(
        path,
        by=by,
        predicted=predicted,
        kind=kind or ("regression" if numeric else "classification"),
        cluster=cluster,
        resamples=settings.bootstrap,
        seed=settings.seed,
        level=settings.level,
    )
