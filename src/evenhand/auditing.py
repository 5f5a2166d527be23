"""The everyday chain: ask systems about a corpus, compare the groups, report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evenhand.comparing import Settings, compare
from evenhand.comparing.ability import abilities
from evenhand.comparing.audit import Audit
from evenhand.contrasts import CROSS
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError, one_line
from evenhand.files import check_writable
from evenhand.measuring import LABEL, MeasureSettings, Metrics, measure_scores, measured_tags
from evenhand.results import Note, Provenance, Subject, check_out
from evenhand.scoring import Scores, scored
from evenhand.specs import resolve
from evenhand.systems import BaseScorer, Scorer, as_scorer
from evenhand.tagging import TaggerLike, resolve_tagger, tag_corpus

log = logging.getLogger(__name__)

RESAMPLES = 500
"""For the intervals of metrics."""

SystemLike = str | Scorer | Scores | Callable[[Sequence[str]], Any]


def audit(
    systems: SystemLike | Sequence[SystemLike],
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    subsets: str | Sequence[str] = ("all",),
    settings: Settings | None = None,
    sample: int | None = None,
    draws: int = 1,
    bounds: tuple[float, float] | None = None,
    version: str | None = None,
    base_url: str | None = None,
    cache: str | Path | None = None,
    progress: bool | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
) -> Audit:
    """Ask whether the scores change when only the person changes.

    A system is a name such as `"vader"`, a spec such as `"file:predictions.csv"`, a callable on a list of strings, a
    fitted scikit-learn estimator, or a `Scorer`. One that samples may be asked several times (`draws`): the means are
    compared, and the spread between draws is told. `bounds` is the range of outputs that declare none; `version` names
    the version of a callable, so that its answers may be cached; `base_url` is where the server of `openai:MODEL`
    listens. With `out`, the report is saved in that folder, which may hold another result
    only with `overwrite`. `corpus` is a corpus, the name of one, or a file. `command`
    goes into the provenance, to repeat the audit by.

    >>> report = audit("planted(gap=0.05)", attributes=["gender"], progress=False)
    >>> report
    <Audit: 1 findings (1 higher)>
    """
    settings = settings or Settings()
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus(corpus or "eec")
    attributes, subsets = _listed(attributes), _listed(subsets) or ["all"]
    folder = None if out is None else Path(out)
    asked = list(systems) if isinstance(systems, Sequence) and not isinstance(systems, str) else [systems]
    if not asked:
        raise UsageError("name at least one system")
    if attributes is not None and not any(isinstance(one, Scores) for one in asked):
        # Sentences that no comparison looks at need not be asked; scores that are given belong to all of them.
        corpus = corpus.narrowed([part for attribute in attributes for part in attribute.split(CROSS)])
    if sample is not None:
        corpus = corpus.sample(sample, seed=settings.seed)
    if folder is not None:
        check_writable(folder)  # before systems are made, which may train or load for minutes
    where = None if cache is None else Path(cache)
    made = [system_of(one, corpus, bounds=bounds, version=version, base_url=base_url, cache=where) for one in asked]
    if folder is not None:
        check_out(folder, Audit, Subject(_names(made), (corpus.name,)), overwrite=overwrite)
    with _scored(made, corpus, cache=where, progress=progress, draws=draws) as scores:
        pieces = {o.name: counted for o in made if isinstance(o, BaseScorer) and (counted := _pieces(o, corpus))}
        compared = compare(scores, corpus, attributes=attributes, subsets=subsets, settings=settings, pieces=pieces)
        asked_for = {
            "attributes": attributes,
            "subsets": subsets,
            "sample": sample,
            "draws": draws,
        }
        provenance = Provenance.collect(
            corpora=[corpus],
            scores=[scores],
            settings={**asdict(settings), **asked_for},
            details=compared.family,
            command=command,
        )
        measured = None
        if LABEL in corpus.frame.columns and corpus.frame[LABEL].null_count() < len(corpus):
            asked_of = MeasureSettings(seed=settings.seed, bootstrap=RESAMPLES, alpha=settings.alpha)
            found = measure_scores(scores, corpus, attributes=_plain(attributes), settings=asked_of)
            if found.results:
                measured = found
            else:
                # The comparison of scores stands without metrics.
                log.warning("no metrics: %s", found.left_out[0])
        able = abilities(scores, corpus, alpha=settings.alpha, seed=settings.seed)
        report = Audit(compared.findings, scores, corpus, measured, able, provenance=provenance, notes=_remarks(made))
        if folder is not None:
            report.save(folder, overwrite=overwrite)
    return report


def audit_taggers(
    taggers: Sequence[TaggerLike],
    corpus: Corpus | str | Path = "ner-country",
    *,
    attributes: str | Sequence[str] | None = None,
    subset: str = "all",
    sample: int | None = None,
    settings: MeasureSettings | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> Metrics:
    """Ask whether taggers find the entities of every group alike, on a corpus that has tokens and tags.

    A tagger is a spec such as `"hf:FOLDER"` or `"spacy:MODEL"`, or a function from token lists to tags. They are asked
    about a `subset` of the corpus, or about a `sample` of whole sources. With `out`, the measurements are saved in
    that folder.
    """
    settings = settings or MeasureSettings(bootstrap=RESAMPLES)
    corpus = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    if subset != "all":
        kept = corpus.frame.filter(corpus.mask(subset))
        if kept.is_empty():
            raise UsageError(f"corpus {corpus.name!r} has no sentence in the subset {subset!r}")
        corpus = replace(corpus, frame=kept, drawn_from=corpus.drawn_from or corpus.digest)
    if sample is not None:
        corpus = corpus.sample(sample, seed=settings.seed)
    asked = [resolve_tagger(one) for one in taggers]
    if out is not None:
        names = tuple(dict.fromkeys(tagger.name for tagger in asked))
        check_out(Path(out), Metrics, Subject(names, (corpus.name,)), overwrite=overwrite)
    results = []
    for tagger in asked:
        for attribute in _listed(attributes) or list(corpus.attributes):
            tagged = tag_corpus(tagger, corpus, attribute=attribute)
            found = measured_tags(tagged, tagger.name, attribute, settings)
            results.append(replace(found, labels=corpus.labels_of(attribute)))
    asked_for = {"subset": None if subset == "all" else subset, "sample": sample}
    details: dict[str, Any] = {"corpus_digest": corpus.digest, "sentences": len(corpus)}
    details |= {name: value for name, value in asked_for.items() if value is not None}
    provenance = Provenance.collect(corpora=[corpus], settings=asdict(settings), details=details)
    report = Metrics(tuple(results), settings, provenance=provenance)
    if out is not None:
        report.save(out, figures=False, overwrite=overwrite)
    return report


def _plain(attributes: Sequence[str] | None) -> list[str] | None:
    """Attributes that are not crossed, which metrics know nothing of."""
    return None if attributes is None else [name for name in attributes if CROSS not in name]


def _listed(names: str | Sequence[str] | None) -> list[str] | None:
    """One name, several, or none."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def system_of(
    one: SystemLike,
    corpus: Corpus,
    *,
    bounds: tuple[float, float] | None,
    version: str | None,
    base_url: str | None,
    cache: Path | None,
) -> BaseScorer | Scores:
    """What is to be asked, or scores that are there already."""
    if isinstance(one, str):
        return resolve(one, corpus, bounds=bounds, version=version, base_url=base_url, cache=cache)
    if isinstance(one, Scores):
        return one
    low, high = bounds or (0.0, 1.0)
    return as_scorer(one, low=low, high=high)


@contextmanager
def _scored(
    made: Sequence[BaseScorer | Scores], corpus: Corpus, *, cache: Path | None, progress: bool | None, draws: int
) -> Iterator[Scores]:
    """Ask the systems and put recorded scores between them, in the order in which they were named."""
    scorers = [one for one in made if not isinstance(one, Scores)]
    if not scorers:
        if draws > 1:
            raise UsageError("predictions that were recorded cannot be asked again; leave out the draws")
        yield Scores.join([one for one in made if isinstance(one, Scores)])
        return
    with scored(scorers, corpus, cache=cache, progress=progress, draws=draws) as asked:
        yield Scores.join([one if isinstance(one, Scores) else asked.of_system(one.name) for one in made])


def _names(made: Sequence[BaseScorer | Scores]) -> tuple[str, ...]:
    """The systems, each once, whether they are asked or were recorded."""
    named = [[c.system for c in one.columns] if isinstance(one, Scores) else [one.name] for one in made]
    return tuple(dict.fromkeys(name for names in named for name in names))


def _remarks(made: Sequence[BaseScorer | Scores]) -> tuple[Note, ...]:
    """What systems say about the scores that they gave."""
    said = {one.name: one.remarks() for one in made if isinstance(one, BaseScorer)}
    return tuple(Note(name, one_line(remark, most=1_000)) for name, given in said.items() for remark in given)


def _pieces(system: BaseScorer, corpus: Corpus) -> dict[str, int]:
    terms: Mapping[str, str] = dict(corpus.frame.select("person", "term").unique("person").iter_rows())
    return {
        person: len(pieces) for person, term in sorted(terms.items()) if (pieces := system.tokenise(term)) is not None
    }
