"""Taggers on a corpus: ask one, and measure whether it finds the entities of all groups alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.metrics import Measurements
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence, measure_tags
from evenhand.schemes import BILOU, OUTSIDE, class_of
from evenhand.specs import checked_settings
from evenhand.system_file import ENDINGS, read_system_file
from evenhand.systems.tagging import (
    TAGGERS,
    BaseTagger,
    Tagger,
    Tagging,
    TokenLists,
    as_tagger,
    build_tagger,
    checked_answers,
)

TaggerLike = str | Tagger | Callable[[list[list[str]]], Any]

SYNONYMS = {"GPE": "LOC", "PERSON": "PER"}
"""Classes of OntoNotes that CoNLL-2003, and the corpora here, call otherwise."""


@dataclass(frozen=True, eq=False)
class TaggerAudit:
    """What a tagger said about a corpus, and what that comes to."""

    name: str
    attribute: str
    predictions: TaggedPredictions
    measurements: Measurements

    @property
    def repaired(self) -> Mapping[str, int]:
        """How many sentences of each group had ill-formed tags, which were repaired."""
        return self.predictions.repaired


def audit_tagger(
    tagger: TaggerLike,
    corpus: Corpus | str | Path = "ner-country",
    *,
    attribute: str | None = None,
    classes: Mapping[str, str] | None = None,
    metrics: Sequence[str | AnyMetric] | None = None,
    **settings: Any,
) -> TaggerAudit:
    """Ask whether a tagger finds the entities of every group alike.

    A tagger is a spec (`hf:FOLDER`, `spacy:MODEL`, `py:module:callable`, or a .yaml with settings), a function from
    token lists to tags, or a `Tagger`. `attribute` may be left out where the corpus has one. `classes` says which of
    the corpus a class of the tagger stands for, `{"GPE": "LOC"}`. Other settings are those of `measure`.

    >>> blind = lambda sentences: [["O"] * len(tokens) for tokens in sentences]
    >>> audit_tagger(blind, metrics=["tpr_gap"]).measurements["tpr_gap"]["LOC"].scores["lowest"]
    0.0
    """
    made = resolve_tagger(tagger)
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    chosen = _attribute(corpus, attribute)
    tagged = tag_corpus(made, corpus, attribute=chosen, classes=classes)
    return TaggerAudit(made.name, chosen, tagged, measure_tags(tagged, metrics, **settings))


def resolve_tagger(tagger: TaggerLike) -> BaseTagger:
    """What was named, or given, as a tagger."""
    if not isinstance(tagger, str):
        return as_tagger(tagger)
    spec = tagger.strip()
    if Path(spec).suffix.lower() in ENDINGS and ":" not in spec:
        described = read_system_file(Path(spec).expanduser())
        made = _built(described.system, described.settings)
        made.name = described.name or spec
        return made
    return _built(spec, {})


def tag_corpus(
    tagger: BaseTagger, corpus: Corpus, *, attribute: str, classes: Mapping[str, str] | None = None
) -> TaggedPredictions:
    """Ask a tagger about all sentences whose person has a group of the attribute."""
    if not corpus.tagged:
        raise UsageError(
            f"corpus {corpus.name!r} has no tokens and tags; taggers are asked about corpora such as 'ner-country'"
        )
    attribute = _attribute(corpus, attribute)
    rows = corpus.frame.filter(pl.col(attribute).is_not_null()).to_dicts()
    gold = {class_of(tag) for row in rows for tag in row["tags"]} - {OUTSIDE}
    wanted = {class_of(tag) for row in rows for tag in row["tags"][slice(*row["slot_span"])]} - {OUTSIDE}
    names = _names(tagger, gold, wanted, classes)
    answers = _asked(tagger, [row["tokens"] for row in rows])
    return TaggedPredictions(
        tuple(
            TaggedSentence(
                source=row["source"],
                group=row[attribute],
                tokens=tuple(row["tokens"]),
                slot=(row["slot_span"][0], row["slot_span"][1]),
                gold=tuple(row["tags"]),
                predicted=tuple(_renamed(tag, names) for tag in answer.tags),
                probabilities=_renamed_all(answer, names),
                term=row["term"],
                where=row["id"],
            )
            for row, answer in zip(rows, answers, strict=True)
        ),
        gold_scheme=BILOU,
    )


def _asked(tagger: BaseTagger, token_lists: TokenLists) -> list[Tagging]:
    return checked_answers(tagger.tag(token_lists), token_lists, name=tagger.name)


def _built(spec: str, settings: Mapping[str, Any]) -> BaseTagger:
    name, colon, address = spec.partition(":")
    if name not in TAGGERS or not colon or not address:
        forms = ", ".join(f"{entry.name}:{entry.address}" for entry in TAGGERS.values())
        hint = did_you_mean(name, TAGGERS) if colon and name not in TAGGERS else ""
        raise UsageError(f"{spec!r} is no tagger{hint}; write {forms}, or a .yaml file")
    return build_tagger(name, address, **checked_settings(name, TAGGERS[name].build, settings))


def _attribute(corpus: Corpus, attribute: str | None) -> str:
    known = list(corpus.attributes)
    if attribute is None:
        if len(known) > 1:
            raise UsageError(f"corpus {corpus.name!r} has several attributes, name one: {', '.join(known)}")
        return known[0]
    if attribute not in known:
        raise UsageError(f"corpus {corpus.name!r} has no attribute {attribute!r}{did_you_mean(attribute, known)}")
    return attribute


def _names(
    tagger: BaseTagger, gold: set[str], wanted: set[str], classes: Mapping[str, str] | None
) -> Mapping[str, str]:
    """What each of the tagger's classes is called in the corpus, where that differs."""
    known = tagger.classes
    if classes is None:
        names = {theirs: ours for theirs, ours in SYNONYMS.items() if theirs not in gold and ours in gold}
    else:
        names = dict(classes)
        for theirs in names if known is not None else ():
            if theirs not in (known or ()):
                raise UsageError(f"{tagger.name!r} has no class {theirs!r}{did_you_mean(theirs, known or ())}")
    if known is not None:
        lacking = sorted(wanted - {names.get(one, one) for one in known})
        if lacking:  # it would miss every group alike, which looks like fairness
            raise UsageError(
                f"{tagger.name!r} knows no class {lacking[0]!r}, it has {', '.join(known)}; say which one stands for "
                f"it: classes={{'...': {lacking[0]!r}}}"
            )
    return names


def _renamed(tag: str, names: Mapping[str, str]) -> str:
    label = class_of(tag)
    return tag if label not in names or tag == OUTSIDE else tag.removesuffix(label) + names[label]


def _renamed_all(answer: Tagging, names: Mapping[str, str]) -> tuple[Mapping[str, float], ...] | None:
    if answer.probabilities is None or not names:
        return answer.probabilities
    renamed = []
    for by_tag in answer.probabilities:
        summed: dict[str, float] = {}
        for tag, probability in by_tag.items():
            ours = _renamed(tag, names)
            summed[ours] = summed.get(ours, 0.0) + probability
        renamed.append(summed)
    return tuple(renamed)
