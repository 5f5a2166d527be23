"""The everyday chain: ask systems about a corpus, compare the groups, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.comparing import Settings, check_questions, compare
from evenhand.comparing.ability import abilities
from evenhand.comparing.audit import Audit
from evenhand.comparing.decisions import TAGGERS
from evenhand.comparing.family import NEEDS_ALL_P
from evenhand.comparing.harm import judged_able
from evenhand.comparing.sequential import WAVES, Waves
from evenhand.comparing.thresholds import MEDIAN, Threshold, check_thresholds, read_thresholds
from evenhand.contrasts import CROSS
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.asked_names import BOTH, PER_CELL, Names
from evenhand.corpora.balanced import balanced_sources
from evenhand.corpora.names import called_after_waves
from evenhand.corpora.text.files import KIND
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.measuring import LABEL, MeasureSettings, Metrics, measure_scores, measure_taggers
from evenhand.results import Note, Provenance, Statement, Subject, check_out
from evenhand.settings import crossed
from evenhand.specs.resolving import Given
from evenhand.verbs.ask import Answers, asked, listed, listed_systems, names_of, outputs_of, resolved
from evenhand.verbs.going_on import others_go_on
from evenhand.verbs.gold import with_gold
from evenhand.verbs.pieces import all_pieces, unspelled
from evenhand.verbs.settle import Settled, refuse_recorded, settled

RESAMPLES = 500
"""For the intervals of metrics."""


@others_go_on
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
    names: Names | None = None,
    waves: Waves | None = None,
    gold: str | Path | None = None,
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
    With `names`, first names of a pool take the place of the corpus's persons; with `waves`, each system is asked about
    more and more of them until its questions are settled. `gold` is a table of texts and the scores that people gave
    them (columns `text` and `gold`), which says whether the systems do their job before the corpus's own words do.
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
    if sample is not None and waves is not None:
        raise UsageError(
            "a sample takes whole sources, and waves ask each word in one source already; limit the calls by a budget"
        )
    if waves is not None:
        refuse_recorded(given)
    if names is not None or waves is not None:
        names, waves, corpus = _named(corpus, names, waves, settings)
        subsets = names.subsets if subsets == ["all"] else subsets
    corpus = _asked_about(corpus, given, attributes, subsets, whole=whole)
    if cuts and corpus.tagged:
        raise UsageError(TAGGERS)
    corpus = corpus.without(left_out)
    whole_corpus = corpus
    if sample is not None:
        corpus = corpus.sample(sample, seed=settings.seed)
    if waves is not None:
        corpus = balanced_sources(corpus, seed=settings.seed)
    check_questions(corpus, attributes, subsets, pairs=pairs)
    if out is not None:
        check_writable(Path(out))  # before systems are made, which may train or load for minutes
    # In waves, systems know all sentences, to say what asking about all would take.
    made = resolved(given, corpus if waves is None else whole_corpus, how)
    files = () if gold is None else (Path(gold).name,)
    check_thresholds(cuts, outputs_of(made))
    if out is not None:
        check_out(Path(out), Audit, Subject(names_of(made), (corpus.name,), files), overwrite=overwrite)
    said: dict[str, Any] = {
        **asdict(settings),
        "attributes": attributes,
        "subsets": subsets,
        "pairs": pairs,
        "sample": sample,
        "without": left_out or None,
        "draws": how.draws,
        **({"thresholds": list(cuts)} if cuts else {}),
        **({"names": asdict(names)} if names else {}),
        **({"waves": asdict(waves)} if waves else {}),
    }
    if gold is not None:
        made = with_gold(made, Path(gold), how)
        said |= {"gold": Path(gold).name}
    questions: dict[str, Any] = {"attributes": attributes, "subsets": subsets, "pairs": pairs}
    with ExitStack() as under_way:
        if waves is not None:
            found = settled(
                made,
                corpus,
                how,
                waves=waves,
                settings=settings,
                whole=whole_corpus,
                questions=questions,
                under_way=under_way,
            )
            report = _of_waves(found, said, command, gold)
        else:
            answers = under_way.enter_context(asked(made, corpus, how))
            report = _at_once(answers, corpus, settings, questions, said, command, gold)
        report = report.with_signals().stated(statement)
        if cuts:
            report = report.decided(cuts)
        if out is not None:
            report.save(out, overwrite=overwrite)
    return report


def _at_once(
    answers: Answers,
    corpus: Corpus,
    settings: Settings,
    questions: Mapping[str, Any],
    said: Mapping[str, Any],
    command: str | None,
    gold: str | Path | None,
) -> Audit:
    """What was found about systems that were asked about the whole corpus."""
    scores = answers.scores
    compared = compare(scores, corpus, settings=settings, pieces=all_pieces(answers.systems, corpus), **questions)
    measured, unmeasured = _measured(answers, corpus, _plain(questions["attributes"]), settings)
    able = abilities(scores, corpus, alpha=settings.alpha, seed=settings.seed)
    of_taggers = _details(corpus, said["sample"], questions["subsets"]) if answers.tags else {}
    return Audit(
        judged_able(compared.findings, able, scores=scores, corpus=corpus),
        scores,
        corpus,
        measured,
        able,
        answers.tags,
        provenance=Provenance.collect(
            corpora=[corpus],
            scores=[scores],
            settings=said,
            files=[] if gold is None else [gold],
            details=compared.family | of_taggers,
            command=command,
        ),
        notes=(*answers.notes, *unspelled(answers.systems, corpus), *unmeasured, *_spoken_for(corpus)),
    )


def _spoken_for(corpus: Corpus) -> tuple[Note, ...]:
    """For which of somebody's own texts a corpus of them speaks."""
    of_texts = "original" in corpus.frame.columns and set(corpus.frame["kind"]) == {KIND}
    return tuple(Note(corpus.name, limit) for limit in corpus.about.limits) if of_texts else ()


def _of_waves(found: Settled, said: Mapping[str, Any], command: str | None, gold: str | Path | None) -> Audit:
    """What was found about systems that were asked until their questions were settled."""
    return Audit(
        found.findings,
        found.scores,
        found.corpus,
        abilities=found.abilities,
        provenance=Provenance.collect(
            corpora=[found.corpus],
            scores=[found.scores],
            files=[] if gold is None else [gold],
            settings=said,
            details=found.family,
            command=command,
        ),
        notes=found.notes,
    )


def _named(
    corpus: Corpus | str | Path | None, names: Names | None, waves: Waves | None, settings: Settings
) -> tuple[Names, Waves | None, Corpus]:
    """The corpus with names of a pool for its persons; with waves, as many as the last of them asks about."""
    if isinstance(corpus, Corpus):
        raise UsageError("names take the place of a recipe's persons: give the corpus by its name or as a recipe file")
    asked = "eec" if corpus is None else corpus
    names = names or Names.of(asked)
    if waves is not None:
        waves = _as_far_as_names_go(waves, names, asked)
    number = PER_CELL if waves is None else waves.names[-1]
    names = names if names.per_cell is not None else replace(names, per_cell=number)
    made = names.corpus(asked, seed=settings.seed)
    return names, waves, made if waves is None else called_after_waves(made, waves.names)


def _as_far_as_names_go(waves: Waves, names: Names, corpus: str | Path) -> Waves:
    """The waves that nobody chose end with the names that are asked for, or that there are."""
    if names.drawn == BOTH:
        raise UsageError("ask until settled about matched or about unmatched names, one after the other, not both")
    if waves.names == WAVES:
        there = max(2, min(WAVES[-1], names.most(corpus)))  # of fewer than 2, the draw says how many there are
        return waves.upto(there if names.per_cell is None else names.per_cell)
    if names.per_cell not in (None, waves.names[-1]):
        raise UsageError(
            f"{names.per_cell} names for each race and gender were asked for, and the last wave has {waves.names[-1]}; "
            "say one of them"
        )
    return waves


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
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus("eec" if corpus is None else corpus)
    if attributes is not None and not whole and not any(isinstance(one, Scores) for one in given):
        corpus = corpus.narrowed([part for attribute in attributes for part in crossed(attribute)])
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
