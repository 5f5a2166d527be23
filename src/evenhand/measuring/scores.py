"""Scores on a labelled corpus → metrics, by system and attribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus
from evenhand.corpora.families import families_of
from evenhand.errors import EvenhandError, UsageError
from evenhand.measuring.measured import measured
from evenhand.measuring.models import Made, model_differences
from evenhand.measuring.result import MeasureSettings, Metrics
from evenhand.metrics import Predictions
from evenhand.metrics.crossing import Sampled
from evenhand.results import Provenance
from evenhand.stats.types import Floats
from evenhand.systems.yours.declared import add_up

LABEL = "label"
OPPOSITE = {"positive": "negative", "negative": "positive"}


def measure_scores(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
    side_by_side: bool = False,
) -> Metrics:
    """Measure every system of the scores by every attribute that the corpus (or the caller) has.

    What cannot be measured is in `left_out`, with the reason; there may be nothing else. `side_by_side` compares the
    metrics of every other system with those of the first, which takes as long again for each of them.
    """
    settings = settings or MeasureSettings()
    corpus.refuse_unknown(attributes or ())
    results, left_out, made = [], [], []
    for system in dict.fromkeys(column.system for column in scores.columns):
        for attribute in attributes or corpus.attributes:
            try:
                for name, predictions in predictions_of(scores.of_system(system), corpus, attribute):
                    found = measured(predictions, name, attribute, settings)
                    results.append(replace(found, labels=corpus.labels_of(attribute)))
                    made.append(Made(name, attribute, predictions))
            except EvenhandError as error:
                left_out.append(f"{system}, {attribute}: {error}")
        left_out += _no_classes(scores.of_system(system), corpus)
    models, refused = model_differences(made, settings) if side_by_side else ((), ())
    return Metrics(
        tuple(results),
        settings,
        (*left_out, *refused),
        models,
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
        "sampled": _sampled(corpus, attribute),
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


def _sampled(corpus: Corpus, attribute: str) -> Sampled:
    """The columns that an audit of this corpus generalises over, and the families of its names."""
    frame = corpus.frame.filter(pl.col(attribute).is_not_null())
    sources = frame.unique("source", keep="first", maintain_order=True)
    columns = {
        column: {source: str(value) for source, value in sources.select("source", column).drop_nulls().iter_rows()}
        for column in corpus.groupings
    }
    return Sampled(columns, families_of(frame, within=frame[attribute].to_list()))


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
