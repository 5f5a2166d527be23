"""The chain for bare identities: references → what systems say to each phrase, and to each pair of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.repairs.phrases import Phrases, answers_to, pairs_of
from evenhand.repairs.references import reference_corpus
from evenhand.repairs.wrapping import distributed
from evenhand.results import Provenance, Statement, Subject, check_out
from evenhand.specs.resolving import Given
from evenhand.systems import BaseScorer
from evenhand.systems.few_shot import FewShot
from evenhand.verbs.ask import Made, asked, names_of, resolved
from evenhand.verbs.going_on import others_go_on

EMOTION = "emotion"
"""The column by which few-shot systems are told what to ask; references are about none, so all of them are asked."""


@others_go_on
def phrases(
    systems: Given | Sequence[Given],
    references: str | Path = "pairs",
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    statement: Statement | None = None,
    **asking: Unpack[AskOptions],
) -> Phrases:
    """What systems say to bare identities such as "A woman", phrase by phrase: what published calibrations rest on.

    `references` are `pairs`, `phrases` (the paper's), `identity`, or a file of the same form. A few-shot model is asked
    for every emotion, and gives the probabilities of all labels. Other settings are those of asking.

    >>> found = phrases("planted(gap=0.05)", progress=False)
    >>> [(one.first, one.second) for one in found.pairs][:2]
    [('A woman', 'A man'), ('A female', 'A male')]
    """
    how = AskSettings(**asking)
    corpus = _with_questions(reference_corpus(references))
    made = [_whole(one) for one in resolved(systems, corpus, how)]
    if out is not None:
        check_out(Path(out), Phrases, Subject(names_of(made), (corpus.name,)), overwrite=overwrite)
    with asked(made, corpus, how) as answers:
        said = answers_to(answers.scores, corpus)
        found = Phrases(
            corpus.name,
            said,
            pairs_of(said, corpus),
            provenance=Provenance.collect(
                corpora=[corpus], scores=[answers.scores], settings={"draws": how.draws}, command=command
            ),
            notes=answers.notes,
        ).stated(statement)
        if out is not None:
            found.save(out, overwrite=overwrite)
    return found


def _with_questions(corpus: Corpus) -> Corpus:
    return replace(corpus, frame=corpus.frame.with_columns(pl.lit(None, dtype=pl.String).alias(EMOTION)))


def _whole(system: Made) -> BaseScorer:
    """The system with the probabilities of all its labels, asked for every emotion."""
    if isinstance(system, Scores) or not isinstance(system, BaseScorer):
        raise UsageError("phrases are put to systems that score; taggers and recorded predictions cannot be asked")
    whole = distributed(system)
    return whole.asking("emotions") if isinstance(whole, FewShot) and whole.asks_by_corpus else whole
