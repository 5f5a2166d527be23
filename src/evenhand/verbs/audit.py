"""The everyday chain: ask systems about a corpus, compare the groups, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Unpack

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.comparing import Settings, check_questions, compare
from evenhand.comparing.ability import abilities
from evenhand.comparing.audit import Audit
from evenhand.comparing.decisions import TAGGERS
from evenhand.comparing.family import NEEDS_ALL_P
from evenhand.comparing.harm import judged_able
from evenhand.comparing.thresholds import MEDIAN, Threshold, check_thresholds, read_thresholds
from evenhand.contrasts import CROSS
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.measuring import LABEL, MeasureSettings, Metrics, measure_scores, measure_taggers
from evenhand.results import Note, Provenance, Statement, Subject, check_out
from evenhand.specs.resolving import Given
from evenhand.systems import BaseScorer
from evenhand.verbs.ask import Answers, asked, listed, listed_systems, names_of, outputs_of, resolved

RESAMPLES = 500
"""For the intervals of metrics."""


def audit(
    systems: Given | Sequence[Given],
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    subsets: str | Sequence[str] = ("all",),
    pairs: bool = False,
    settings: Settings | None = None,
    thresholds: Threshold | str | Sequence[Threshold | str] | None = None,
    sample: int | None = None,
    without: str | Sequence[str] = (),
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    statement: Statement | None = None,
    **asking: Unpack[AskOptions],
) -> Audit:
    """Ask whether the answers change when only the person changes.

    A system is a name such as `"vader"`, a spec such as `"file:predictions.csv"`, a callable on a list of strings, a
    fitted scikit-learn estimator, or a `Scorer`; on a corpus of tokens, a tagger. `corpus` is a corpus, the name of
    one, or a file. An attribute with more than three groups is compared group by group with the mean of the others;
    with `pairs`, in pairs too, which changes no other verdict. `thresholds` (numbers, or `"median"`) turn scores into
    decisions, and the audit says how many of them flip when only the person changes. Only so many sentences are asked
    as `sample` says, in whole sources, and none about the persons or with the templates that are named in `without`.
    How systems are asked (range, version, draws, cache, progress) is said as in `AskSettings`. With `out`, the result
    is saved in that folder, which may hold another one only with `overwrite`. `command` goes into the provenance, to
    repeat the audit by; so does a `statement` of who made it, when, and how the tolerance was set, which changes
    nothing else.

    >>> report = audit("planted(gap=0.05)", attributes=["gender"], progress=False)
    >>> report
    <Audit: 1 findings (1 higher)>
    """
    settings, how = settings or Settings(), AskSettings(**asking)
    attributes, subsets, left_out = listed(attributes), listed(subsets) or ["all"], listed(without) or []
    given = listed_systems(systems)
    cuts = () if thresholds is None else read_thresholds(thresholds)
    # A median must not depend on which attributes are looked at; of a sample, whose sentences depend on that anyway, it
    # is the sample's.
    whole = sample is None and (settings.correction in NEEDS_ALL_P or MEDIAN in cuts)
    corpus = _asked_about(corpus, given, attributes, subsets, whole=whole)
    if cuts and corpus.tagged:
        raise UsageError(TAGGERS)
    corpus = corpus.without(left_out)
    if sample is not None:
        corpus = corpus.sample(sample, seed=settings.seed)
    check_questions(corpus, attributes, subsets, pairs=pairs)
    if out is not None:
        check_writable(Path(out))  # before systems are made, which may train or load for minutes
    made = resolved(given, corpus, how)
    check_thresholds(cuts, outputs_of(made))
    if out is not None:
        check_out(Path(out), Audit, Subject(names_of(made), (corpus.name,)), overwrite=overwrite)
    with asked(made, corpus, how) as answers:
        scores = answers.scores
        compared = compare(
            scores,
            corpus,
            attributes=attributes,
            subsets=subsets,
            settings=settings,
            pieces=_all_pieces(answers, corpus),
            pairs=pairs,
        )
        provenance = Provenance.collect(
            corpora=[corpus],
            scores=[scores],
            settings={
                **asdict(settings),
                "attributes": attributes,
                "subsets": subsets,
                "pairs": pairs,
                "sample": sample,
                "without": left_out or None,
                "draws": how.draws,
                **({"thresholds": list(cuts)} if cuts else {}),
            },
            details=compared.family | (_details(corpus, sample, subsets) if answers.tags else {}),
            command=command,
        )
        measured, unmeasured = _measured(answers, corpus, _plain(attributes), settings)
        able = abilities(scores, corpus, alpha=settings.alpha, seed=settings.seed)
        report = Audit(
            judged_able(compared.findings, able, scores=scores, corpus=corpus),
            scores,
            corpus,
            measured,
            able,
            answers.tags,
            provenance=provenance,
            notes=(*answers.notes, *unmeasured),
        ).stated(statement)
        if cuts:
            report = report.decided(cuts)
        if out is not None:
            report.save(out, overwrite=overwrite)
    return report


def _asked_about(
    corpus: Corpus | str | Path | None,
    given: Sequence[Given],
    attributes: Sequence[str] | None,
    subsets: Sequence[str],
    *,
    whole: bool,
) -> Corpus:
    """The corpus without the sentences that no comparison looks at; scores that are given belong to all of them.

    Corrections that need the p-values of all comparisons need the `whole` corpus.
    """
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus(corpus or "eec")
    if attributes is not None and not whole and not any(isinstance(one, Scores) for one in given):
        corpus = corpus.narrowed([part for attribute in attributes for part in attribute.split(CROSS)])
    if corpus.tagged and "all" not in subsets:
        kept = corpus.frame.filter(pl.any_horizontal([pl.Series(corpus.mask(subset)) for subset in subsets]))
        if kept.is_empty():
            raise UsageError(f"corpus {corpus.name!r} has no sentence in the subset {subsets[0]!r}")
        corpus = replace(corpus, frame=kept, drawn_from=corpus.drawn_from or corpus.digest)
    return corpus


def _measured(
    answers: Answers, corpus: Corpus, attributes: Sequence[str] | None, settings: Settings
) -> tuple[Metrics | None, tuple[Note, ...]]:
    """Metrics, where there is gold (labels of sentences, tags of tokens); where they cannot be made, why.

    The comparison of scores stands without them.
    """
    how = MeasureSettings(seed=settings.seed, bootstrap=RESAMPLES, alpha=settings.alpha)
    if answers.tags is not None:
        return measure_taggers(answers.tags, corpus, attributes=attributes, settings=how), ()
    if LABEL not in corpus.frame.columns or corpus.frame[LABEL].null_count() == len(corpus):
        return None, ()
    found = measure_scores(answers.scores, corpus, attributes=attributes, settings=how)
    if found.results:
        return found, ()
    return None, (Note(None, f"no metrics: {found.left_out[0]}"),)


def _details(corpus: Corpus, sample: int | None, subsets: Sequence[str]) -> dict[str, object]:
    """What the provenance of taggers has beside, as it had before all results had the same."""
    chosen = {"sample": sample, "subset": None if "all" in subsets else ", ".join(subsets)}
    known = {name: value for name, value in chosen.items() if value is not None}
    return {"corpus_digest": corpus.digest, "sentences": len(corpus), **known}


def _plain(attributes: Sequence[str] | None) -> list[str] | None:
    """Attributes that are not crossed, which metrics know nothing of."""
    return None if attributes is None else [name for name in attributes if CROSS not in name]


def _all_pieces(answers: Answers, corpus: Corpus) -> dict[str, dict[str, int]]:
    """By system that tells, into how many pieces it cuts each person."""
    counted = {one.name: _pieces(one, corpus) for one in answers.systems if isinstance(one, BaseScorer)}
    return {name: pieces for name, pieces in counted.items() if pieces}


def _pieces(system: BaseScorer, corpus: Corpus) -> dict[str, int]:
    terms: dict[str, str] = dict(corpus.frame.select("person", "term").unique("person").iter_rows())
    return {
        person: len(pieces) for person, term in sorted(terms.items()) if (pieces := system.tokenise(term)) is not None
    }
