"""What lies on disk → metrics: a saved audit, a table of predictions, tagged sentences; or quality by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from evenhand.asking import Scores, Tags
from evenhand.asking.progress import work_bar
from evenhand.asking.scores import METADATA
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import naming_its_file
from evenhand.files.tables import TableFile
from evenhand.measuring.measured import measured, measured_tags
from evenhand.measuring.models import Made, model_differences
from evenhand.measuring.result import MeasureSettings, Metrics
from evenhand.measuring.scores import measure_scores
from evenhand.measuring.tags import measure_taggers
from evenhand.metrics import read_predictions_table
from evenhand.metrics.conllu import ENDING, GROUP, predictions_of_parses, read_parses
from evenhand.metrics.quality import Quality, quality_of_parses, read_quality_table
from evenhand.metrics.quality_rows import Kind
from evenhand.metrics.tag_reading import holds_tags, read_tags
from evenhand.results import Provenance, Subject
from evenhand.results.result import CORPUS_FILE, SCORES_FILE, TAGS_FILE

LAS_DIFFERENCE = "las_difference"
PREDICTED = ("predicted", "pred", "prediction", "score")


@naming_its_file
def measure_file(
    path: str | Path,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Measure what lies on disk: a saved audit (its folder or its scores), a table of predictions, tagged sentences.

    The systems of a saved audit stand side by side.
    """
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
        found = measure_scores(
            Scores.load(saved), about, attributes=attributes, settings=settings, command=command, side_by_side=True
        )
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
        result = measured(read_predictions_table(path, work_bar), path.stem, name, settings)
    provenance = Provenance.collect(
        files=[path], settings=asdict(settings), details={"file": path.name}, command=command
    )
    return Metrics((result,), settings, provenance=provenance)


def measure_files(
    paths: Sequence[str | Path],
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Tables of several models' predictions, side by side: each model is called by its file."""
    settings = settings or MeasureSettings()
    places = [Path(path) for path in paths]
    names = [place.stem for place in places]
    for place in places:
        _refuse_no_table(place)
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise UsageError(f"two of the files are called {again!r}, and models go by their files' names; rename one")
    if settings.scheme is not None:
        raise UsageError(f"a scheme ({settings.scheme}) is for tags, and tags are measured one file at a time")
    attribute = ", ".join(attributes) if attributes else "group"
    made = [Made(place.stem, attribute, read_predictions_table(place, work_bar)) for place in places]
    results = [measured(one.predictions, one.system, one.attribute, settings) for one in made]
    models, refused = model_differences(made, settings)
    provenance = Provenance.collect(
        files=places, settings=asdict(settings), details={"file": ", ".join(place.name for place in places)},
        command=command,
    )  # fmt: skip
    return Metrics(tuple(results), settings, refused, models, provenance=provenance)


def _refuse_no_table(path: Path) -> None:
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise UsageError(f"{path} is {what}: several models are measured from tables of predictions, a file each")
    if METADATA in TableFile(path).metadata:
        raise UsageError(f"{path} holds scores of an audit; measure it by itself: its systems stand side by side")
    if holds_tags(path):
        raise UsageError(f"{path} holds tags, which are measured one file at a time")


def subject_of_files(paths: Sequence[str | Path]) -> Subject:
    """What the metrics of these tables will be about."""
    return Subject(files=tuple(Path(path).name for path in paths))


def subject_of_file(path: str | Path) -> Subject:
    """What the metrics of that file, or of that saved audit, will be about."""
    path = Path(path)
    saved = path / SCORES_FILE if path.is_dir() else path
    corpus = saved.parent / CORPUS_FILE
    if not (saved.is_file() and corpus.is_file() and METADATA in TableFile(saved).metadata):
        return Subject(files=(path.name,))
    systems = dict.fromkeys(column.system for column in Scores.load(saved).columns)
    return Subject(systems=tuple(systems), corpora=(Corpus.load(corpus).name,))


def measure_parses(
    path: str | Path,
    gold: str | Path | None,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Compare a parser's labelled attachment score between groups: CoNLL-U, predicted and gold.

    Groups are comments of the gold file: `# group = ...`, or called as the one attribute that is named.
    """
    settings = settings or MeasureSettings()
    _check_trees(path, gold)
    if attributes is not None and len(attributes) != 1:
        raise UsageError("trees are measured by one attribute at a time, which is what its comment is called")
    name = attributes[0] if attributes else GROUP
    predictions = predictions_of_parses(read_parses(path, str(gold)), str(gold), by=name)
    asked = settings if settings.metrics is not None else replace(settings, metrics=(LAS_DIFFERENCE,))
    result = measured(predictions, Path(path).stem, name, asked)
    provenance = Provenance.collect(
        files=[path, Path(str(gold))], settings=asdict(asked), details={"file": Path(path).name}, command=command
    )
    return Metrics((result,), asked, provenance=provenance)


def _check_trees(path: str | Path, gold: str | Path | None) -> None:
    if gold is None:
        raise UsageError(f"{path} holds trees; name the file of the gold trees, too (gold, --gold)")
    for place in (path, gold):
        if Path(place).suffix.lower() != ENDING:
            raise UsageError(f"gold trees go with predicted ones: both files end in {ENDING}, and {place} does not")


@naming_its_file
def quality_of_file(
    path: str | Path,
    *,
    by: str,
    kind: Kind | None = None,
    settings: MeasureSettings | None = None,
    cluster: str | None = None,
    gold: str | Path | None = None,
) -> Quality:
    """How good predictions are, by the groups of a column: numbers by correlation and error, classes by accuracy, F1.

    The file has the columns `gold` and `predicted` (or `pred`, `prediction`, `score`). Which kind they are is seen by
    the gold, unless it is said: a prediction that is no number is then a mistake, and not a class. Of dependency trees
    (CoNLL-U, with the `gold` trees in a file of their own), LAS and UAS; groups are comments there.
    """
    settings = settings or MeasureSettings()
    if Path(path).suffix.lower() == ENDING or gold is not None:
        _check_trees(path, gold)
        if kind is not None or cluster is not None:
            raise UsageError("trees have one kind of quality, and their sentences are resampled: no task, no cluster")
        return quality_of_parses(
            path, str(gold), by=by, resamples=settings.bootstrap, seed=settings.seed, level=settings.level
        )
    file = TableFile(Path(path), known=("gold", *PREDICTED))
    columns = file.frame.columns
    predicted = next((name for name in PREDICTED if name in columns), None)
    if predicted is None or "gold" not in columns:
        raise EvenhandError(f"{path}: columns gold and {PREDICTED[0]} are needed; it has {file.has}")
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
