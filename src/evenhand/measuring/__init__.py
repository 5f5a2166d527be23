"""Scores on a labelled corpus, or predictions on disk → metrics, tests and failures, by system and attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import polars as pl

from evenhand.asking import Column, Scores
from evenhand.asking.scores import METADATA
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.plain import rebuild
from evenhand.files.tables import TableFile
from evenhand.metrics import Measurements, Predictions, measure, read_predictions_table
from evenhand.metrics.behaviour import directional, invariance, minimum_functionality
from evenhand.metrics.failures import Behaviour
from evenhand.metrics.measurements import ALL
from evenhand.metrics.measuring import check_measuring
from evenhand.metrics.quality import Quality, read_quality_table
from evenhand.metrics.quality_rows import Kind
from evenhand.metrics.sequences import TaggedPredictions, measure_tags
from evenhand.metrics.table import METRICS
from evenhand.metrics.tag_reading import holds_tags, read_tags
from evenhand.metrics.testing import GroupTests, group_tests
from evenhand.results import Note, Provenance, Result, Subject
from evenhand.results.result import CORPUS_FILE, SCORES_FILE
from evenhand.schemes import SCHEMES
from evenhand.settings import check_alpha, check_choice
from evenhand.stats.types import Floats
from evenhand.systems.yours.declared import add_up

LABEL = "label"
PREDICTED = ("predicted", "pred", "prediction", "score")
OPPOSITE = {"positive": "negative", "negative": "positive"}
EXPECTATION = re.compile(r"(?P<first>[^<>:]+?)\s*(?P<sign>[<>])\s*(?P<second>[^<>:]+?)(?:\s*:\s*(?P<label>.+))?")


@dataclass(frozen=True)
class MeasureSettings:
    """What is measured and how; see `metrics.measure`."""

    metrics: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    background: str | None = None
    weight: str = "sources"
    sample: int | None = None
    seed: int = 0
    bootstrap: int = 0
    level: float = 0.95
    alpha: float = 0.05
    scheme: str | None = None
    expectations: tuple[str, ...] = ()
    """Directional expectations such as `plain < very`, of the score or of the last class's probability."""

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_measuring(
            weight=self.weight, sample=self.sample, seed=self.seed, bootstrap=self.bootstrap, level=self.level
        )
        if self.scheme is not None:
            check_choice("tagging scheme", self.scheme, SCHEMES)
        for metric in self.metrics or ():
            check_choice("metric", metric, METRICS)

    def measured(self) -> dict[str, Any]:
        """What `measure` takes."""
        names = ("groups", "background", "weight", "sample", "seed", "bootstrap", "level")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Measured:
    """One system and one attribute: metrics, tests, and how often the answer changes with the person."""

    system: str
    attribute: str
    measurements: Measurements
    tests: GroupTests
    behaviours: tuple[Behaviour, ...]
    rows: int
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """What groups are called where people read of them."""

    @staticmethod
    def about_of(system: str, attribute: str) -> str:
        """What its notes are about."""
        return f"{system}, {attribute}"

    @property
    def about(self) -> str:
        """What its notes are about."""
        return self.about_of(self.system, self.attribute)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "system": self.system,
            "attribute": self.attribute,
            "rows": self.rows,
            "notes": list(self.notes),
            "labels": dict(self.labels),
            **self.measurements.to_dict(),
            "tests": self.tests.to_dict(),
            "behaviour": [behaviour.to_dict() for behaviour in self.behaviours],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            values["system"],
            values["attribute"],
            Measurements.from_dict(values),
            GroupTests.from_dict(values["tests"]),
            tuple(Behaviour.from_dict(behaviour) for behaviour in values["behaviour"]),
            values["rows"],
            tuple(values["notes"]),
            values.get("labels", {}),
        )


@dataclass(frozen=True, eq=False)
class Metrics(Result):
    """What was measured, by system and attribute."""

    kind: ClassVar[str] = "metrics"
    file: ClassVar[str] = "metrics.json"

    results: tuple[Measured, ...]
    settings: MeasureSettings
    left_out: tuple[str, ...] = ()
    """Systems or outputs that could not be measured, and why."""

    def content(self) -> dict[str, Any]:
        """The fields of a single result at the top, `{"results": [...]}` of several."""
        results = [result.to_dict() for result in self.results]
        whole: dict[str, Any] = results[0] if self.single else {"results": results}
        return {**whole, "left_out": list(self.left_out), "measured_with": asdict(self.settings)}

    def to_dict(self) -> dict[str, Any]:
        """Like any result; the notes of a single one stand among those of the whole, and say what they are about."""
        values = super().to_dict()
        # A name here, where other kinds have an object: it was one before all results had the same provenance.
        if self.provenance.corpora:
            values["provenance"]["corpus"] = self.provenance.corpora[0].name
        own = [Note(self.results[0].about, text).to_dict() for text in self.results[0].notes] if self.single else []
        return values | {"notes": [*own, *values["notes"]]}

    @property
    def single(self) -> bool:
        """Whether there is one system and one attribute only, whose fields then stand at the top of the JSON."""
        return len(self.results) == 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        common = cls.common(values)
        if "results" in values:
            results = tuple(Measured.from_dict(result) for result in values["results"])
        else:
            about = Measured.about_of(values["system"], values["attribute"])
            own = [note.text for note in common["notes"] if note.about == about]
            common["notes"] = tuple(note for note in common["notes"] if note.about != about)
            results = (Measured.from_dict({**values, "notes": own}),)
        return cls(results, rebuild(MeasureSettings, values["measured_with"]), tuple(values["left_out"]), **common)

    def frame(self) -> pl.DataFrame:
        """One row per system, attribute, metric, class and group; the group `all` holds the accumulated value."""
        rows = []
        for result in self.results:
            for name, label, found in result.measurements:
                lead = {"system": result.system, "attribute": result.attribute, "metric": name, "class": label}
                rows.append(lead | _row(ALL, found.value, found.interval, name, found.undefined))
                for group, value in found.by_group.items():
                    rows.append(lead | _row(group, value, (found.intervals_by_group or {}).get(group), name, None))
        return pl.DataFrame(rows, infer_schema_length=None)


def _row(
    group: str, value: float | None, interval: tuple[float, float] | None, name: str, undefined: str | None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    ideal = METRICS[name].ideal
    return {"group": group, "value": value, "low": low, "high": high, "ideal": ideal, "undefined": undefined}


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
        found = measure_scores(
            Scores.load(saved), Corpus.load(corpus), attributes=attributes, settings=settings, command=command
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


def measure_scores(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Measure every system of the scores by every attribute that the corpus (or the caller) has.

    What cannot be measured is in `left_out`, with the reason; there may be nothing else.
    """
    settings = settings or MeasureSettings()
    for attribute in attributes or ():
        if attribute not in corpus.attributes:
            hint = did_you_mean(attribute, corpus.attributes)
            raise UsageError(f"corpus {corpus.name!r} has no attribute {attribute!r}{hint}")
    results, left_out = [], []
    for system in dict.fromkeys(column.system for column in scores.columns):
        for attribute in attributes or corpus.attributes:
            try:
                for name, predictions in predictions_of(scores.of_system(system), corpus, attribute):
                    found = measured(predictions, name, attribute, settings)
                    results.append(replace(found, labels=corpus.labels_of(attribute)))
            except EvenhandError as error:
                left_out.append(f"{system}, {attribute}: {error}")
        left_out += _no_classes(scores.of_system(system), corpus)
    return Metrics(
        tuple(results),
        settings,
        tuple(left_out),
        provenance=Provenance.collect(
            corpora=[corpus],
            scores=[scores],
            settings=asdict(settings),
            details={"corpus_digest": corpus.digest, "sentences": len(corpus)},
            command=command,
        ),
    )


def predictions_of(scores: Scores, corpus: Corpus, attribute: str) -> Iterator[tuple[str, Predictions]]:
    """One system's scores as predictions: a classifier's probabilities together, any other output by itself.

    Sentences that the attribute does not apply to are left out. Gold classes are the corpus's labels.
    """
    mentioned = corpus.frame[attribute].is_not_null()
    frame = corpus.frame.filter(mentioned)
    matrix = scores.matrix[mentioned.to_numpy()]
    who: dict[str, Any] = {
        "source": frame["source"].to_list(),
        "group": frame[attribute].to_list(),
        "term": frame["person"].to_list(),
    }
    gold = frame[LABEL].to_list() if LABEL in frame.columns and frame[LABEL].null_count() < frame.height else None
    system = scores.columns[0].system
    probabilities = _classes(scores.columns, matrix, gold)
    if probabilities is not None:
        yield system, Predictions.of(**who, gold=gold, probabilities=probabilities)
        return
    for place, column in enumerate(scores.columns):
        name = system if len(scores.columns) == 1 else f"{system} {column.output.name}"
        yield name, Predictions.of(**who, score=matrix[:, place])


def _classes(columns: Sequence[Column], matrix: Floats, gold: Sequence[str | None] | None) -> dict[str, Floats] | None:
    """The probability of each class, named as the gold is; None where the outputs are no classes of one question."""
    if any(column.output.kind != "probability" for column in columns):
        return None
    known = {label.lower(): label for label in gold or () if label is not None}
    names = [known.get(column.output.name.lower(), column.output.name) for column in columns]
    if len(columns) == 1:
        # Of two classes only one is an output, as the other mirrors it.
        others = [label for label in known.values() if label != names[0]]
        other = OPPOSITE.get(names[0].lower()) or (others[0] if len(others) == 1 else f"not {names[0]}")
        return {known.get(other, other): 1 - matrix[:, 0], names[0]: matrix[:, 0]}
    if not add_up(matrix):
        return None
    if gold is not None and not set(names) & set(known.values()):
        raise UsageError(
            f"its classes {', '.join(names)} are none of the labels {', '.join(known.values())}; name them, as in "
            "outputs=negative,neutral,positive for a function, or in a system file, as in "
            "settings: {outputs: {LABEL_0: negative, LABEL_1: positive}}"
        )
    return {name: matrix[:, place] for place, name in enumerate(names)}


def _no_classes(scores: Scores, corpus: Corpus) -> list[str]:
    """Why a system whose outputs might be classes is measured as so many scores, without the metrics of classes."""
    outputs = [column.output for column in scores.columns]
    if LABEL not in corpus.frame.columns or len(outputs) < 2:
        return []
    lead = f"{scores.columns[0].system}, metrics of classes: its outputs {', '.join(one.name for one in outputs)}"
    if add_up(scores.matrix):
        if all(output.kind == "probability" for output in outputs):
            return []
        return [f"{lead} add up to one but are declared as scores; declare kind=probability if they are classes"]
    sums = scores.matrix.sum(axis=1)
    low, high = sums.min(), sums.max()
    return [f"{lead} add up to {low:.2g} to {high:.2g} and not to one, so each is measured by itself, as a score"]


def measured(predictions: Predictions, system: str, attribute: str, settings: MeasureSettings) -> Measured:
    """Metrics, tests and failures of one system by one attribute."""
    kept = _kept(predictions, settings)
    found = measure(predictions, settings.metrics, **settings.measured())
    tests = group_tests(kept, alpha=settings.alpha)
    return Measured(system, attribute, found, tests, _behaviours(kept, settings), len(kept))


def _kept(predictions: Predictions, settings: MeasureSettings) -> Predictions:
    """Of the groups that are asked about; unperturbed sentences stay."""
    return predictions if settings.groups is None else predictions.of_groups(settings.groups)


def _behaviours(kept: Predictions, settings: MeasureSettings) -> tuple[Behaviour, ...]:
    """What can fail: the predicted class must stay and be right, and scores must move as expected."""
    found = []
    if kept.predicted is not None:
        found.append(invariance(kept, seed=settings.seed, level=settings.level))
        if kept.gold is not None:
            found.append(minimum_functionality(kept, seed=settings.seed, level=settings.level))
    return (*found, *(_expected(kept, text, settings) for text in settings.expectations))


def _expected(predictions: Predictions, text: str, settings: MeasureSettings) -> Behaviour:
    """What an expectation comes to: `first < second` or `first > second`, with `: class` where there are several."""
    said = EXPECTATION.fullmatch(text.strip())
    if said is None:
        raise UsageError(f"cannot read the expectation {text!r}: write 'first < second' or 'first > second: class'")
    label = said["label"] or (None if predictions.regression else predictions.classes[-1])
    direction: Literal["rise", "fall"] = "rise" if said["sign"] == "<" else "fall"
    return directional(
        predictions, said["first"], said["second"],
        expect=direction, label=label, seed=settings.seed, level=settings.level,
    )  # fmt: skip


def measured_tags(tagged: TaggedPredictions, system: str, attribute: str, settings: MeasureSettings) -> Measured:
    """The same for a tagger: spans are counted; tests and failures are about the identity term's tokens."""
    found = measure_tags(tagged, settings.metrics, **settings.measured())
    kept = _kept(tagged.terms, settings)
    tests = group_tests(kept, alpha=settings.alpha)
    notes = [
        f"{number} {'sentence' if number == 1 else 'sentences'} of {group} had ill-formed tags, which were repaired"
        for group, number in tagged.repaired.items()
        if number and group in kept.groups
    ]
    return Measured(system, attribute, found, tests, _behaviours(kept, settings), len(kept), tuple(notes))
