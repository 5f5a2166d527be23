"""What taggers said about a corpus, as what metrics and comparisons take: tagged sentences, and entities found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl

from evenhand.asking import Drawn, Scores, Tags
from evenhand.asking.tags import agreed
from evenhand.corpora import Corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.measuring.measured import measured_tags
from evenhand.measuring.result import MeasureSettings, Metrics
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence
from evenhand.results import Provenance
from evenhand.schemes import BILOU, OUTSIDE, class_of
from evenhand.systems import Output
from evenhand.systems.base import FOUND
from evenhand.systems.tagging import BaseTagger, Tagging

SYNONYMS = {"GPE": "LOC", "PERSON": "PER"}
"""Classes of OntoNotes that CoNLL-2003, and the corpora here, call otherwise."""

ENTITY_FOUND = Output(FOUND, low=0.0, high=1.0, kind=FOUND, high_is="good")


def class_names(tagger: BaseTagger, corpus: Corpus) -> Mapping[str, str]:
    """What each of a tagger's classes is called in the corpus, where that differs.

    A tagger that lacks a class that the corpus asks for is refused: it would miss every group alike, which looks like
    fairness.
    """
    frame = corpus.frame.select("tags", "slot_span")
    gold = {class_of(tag) for given in frame["tags"] for tag in given} - {OUTSIDE}
    wanted = {class_of(tag) for given, span in frame.iter_rows() for tag in given[slice(*span)]} - {OUTSIDE}
    names = {theirs: ours for theirs, ours in SYNONYMS.items() if theirs not in gold and ours in gold}
    names = names if tagger.renamed is None else dict(tagger.renamed)
    if tagger.classes is not None:
        _refuse_unknown(tagger.name, tagger.classes, tagger.renamed or {})
        _refuse_lacking(tagger.name, tagger.classes, wanted, names)
    return names


def _refuse_unknown(name: str, classes: Sequence[str], renamed: Mapping[str, str]) -> None:
    for theirs in renamed:
        if theirs not in classes:
            raise UsageError(f"{name!r} has no class {theirs!r}{did_you_mean(theirs, classes)}")


def _refuse_lacking(name: str, classes: Sequence[str], wanted: set[str], names: Mapping[str, str]) -> None:
    lacking = sorted(wanted - {names.get(one, one) for one in classes})
    if lacking:
        raise UsageError(
            f"{name!r} has no class {lacking[0]!r}, only {', '.join(classes)}; say which one stands for it: "
            f"classes: {{...: {lacking[0]}}} in a system file, or as_tagger(..., classes={{...}})"
        )


def in_corpus_terms(tags: Tags, names: Sequence[Mapping[str, str]]) -> Tags:
    """The tags with the classes called as in the corpus, by tagger."""
    answers = tuple(
        tuple(tuple(_renamed(one, called) for one in draw) for draw in draws)
        for (_, draws), called in zip(tags, names, strict=True)
    )
    return replace(tags, answers=answers)


def tagged_predictions(tags: Tags, corpus: Corpus, attribute: str) -> dict[str, TaggedPredictions]:
    """By tagger, the sentences whose person has a group of the attribute; of several draws, what most of them say."""
    rows = corpus.frame.with_row_index("row").filter(pl.col(attribute).is_not_null()).to_dicts()
    found = {}
    for column, draws in tags:
        said = [agreed([draw[row["row"]] for draw in draws]) for row in rows]
        sentences = tuple(_sentence(row, row[attribute], one) for row, one in zip(rows, said, strict=True))
        found[column.system] = TaggedPredictions(sentences, gold_scheme=BILOU)
    return found


def entities_found(tags: Tags, corpus: Corpus) -> Scores:
    """Whether each sentence's entity was found, from its first to its last token and with its class: 1, else 0.

    Of several draws, the share that found it.
    """
    rows = corpus.frame.to_dicts()
    drawn = []
    for column, draws in tags:
        found = np.array([_found(rows, answers) for answers in draws], dtype=np.float64)[:, :, np.newaxis]
        drawn.append(Drawn(column.system, (ENTITY_FOUND,), column.fingerprint, found))
    return Scores.of_draws(tags.ids, drawn, tags.corpus_digest)


def _found(rows: Sequence[Mapping[str, Any]], answers: Sequence[Tagging]) -> list[bool]:
    sentences = tuple(_sentence(row, None, one) for row, one in zip(rows, answers, strict=True))
    return TaggedPredictions(sentences, gold_scheme=BILOU).terms_found


def _sentence(row: Mapping[str, Any], group: str | None, said: Tagging) -> TaggedSentence:
    return TaggedSentence(
        source=row["source"],
        group=group,
        tokens=tuple(row["tokens"]),
        slot=(row["slot_span"][0], row["slot_span"][1]),
        gold=tuple(row["tags"]),
        predicted=said.tags,
        probabilities=said.probabilities,
        term=row["term"],
        where=row["id"],
    )


def _renamed(answer: Tagging, names: Mapping[str, str]) -> Tagging:
    if not names:
        return answer
    tags = tuple(_renamed_tag(tag, names) for tag in answer.tags)
    given = answer.probabilities
    return Tagging(tags, None if given is None else tuple(_renamed_sum(by_tag, names) for by_tag in given))


def _renamed_tag(tag: str, names: Mapping[str, str]) -> str:
    label = class_of(tag)
    return tag if label not in names or tag == OUTSIDE else tag.removesuffix(label) + names[label]


def _renamed_sum(by_tag: Mapping[str, float], names: Mapping[str, str]) -> dict[str, float]:
    summed: dict[str, float] = {}
    for tag, probability in by_tag.items():
        ours = _renamed_tag(tag, names)
        summed[ours] = summed.get(ours, 0.0) + probability
    return summed


def measure_taggers(
    tags: Tags,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    settings: MeasureSettings | None = None,
    command: str | None = None,
) -> Metrics:
    """Measure every tagger by every attribute that the corpus (or the caller) has."""
    settings = settings or MeasureSettings()
    corpus.refuse_unknown(attributes or ())
    found = {name: tagged_predictions(tags, corpus, name) for name in attributes or corpus.attributes}
    results = []
    for column, draws in tags:
        for name, by_tagger in found.items():
            one = measured_tags(by_tagger[column.system], column.system, name, settings)
            voted = [f"metrics are of the tags that most of the {len(draws)} draws gave"] if len(draws) > 1 else []
            results.append(replace(one, labels=corpus.labels_of(name), notes=(*one.notes, *voted)))
    provenance = Provenance.collect(
        corpora=[corpus],
        tags=[tags],
        settings=asdict(settings),
        details={"corpus_digest": corpus.digest, "sentences": len(corpus)},
        command=command,
    )
    return Metrics(tuple(results), settings, provenance=provenance)
