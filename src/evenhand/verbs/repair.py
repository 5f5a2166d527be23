"""The chain of a repair: ask the system, fit on halves, judge on the other halves, save page and calibrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Unpack, cast

from evenhand.asking import Scores
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.repairs.gold import quality_on_gold, read_gold_texts
from evenhand.repairs.result import Repair
from evenhand.repairs.workshop import RepairSettings, Workshop
from evenhand.results import Provenance, Statement, Subject, check_out
from evenhand.specs.resolving import Given
from evenhand.systems import BaseScorer
from evenhand.verbs.ask import listed, names_of, resolved


def repair(
    system: Given,
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    sample: int | None = None,
    settings: RepairSettings | None = None,
    gold: str | Path | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    figures: bool = True,
    command: str | None = None,
    statement: Statement | None = None,
    **asking: Unpack[AskOptions],
) -> Repair:
    """Repair a system in several ways, and say what becomes of its gaps on persons, templates and words that are new.

    `system` is one of those that `audit` takes, asked as `AskSettings` says. `gold` is a table of texts and the scores
    that people gave them (columns `text` and `gold`; `emotion` too where the system asks each text for its own). With
    `out`, the page and the calibrators, fitted on everything, are saved in that folder, with `figures` as PNG and SVG.
    A `statement` of who made it, when, and how the tolerance was set goes into the provenance.

    >>> found = repair("planted(gap=0.05)", sample=960, attributes="gender", progress=False)
    >>> found.advised
    'layers'
    """
    settings, how = settings or RepairSettings(), AskSettings(**asking)
    asked = corpus if isinstance(corpus, Corpus) else load_corpus("eec" if corpus is None else corpus)
    named = listed(attributes)
    asked.refuse_unknown(named or ())
    if named is not None and not isinstance(system, Scores):
        asked = asked.narrowed(named)
    if sample is not None:
        asked = asked.sample(sample, seed=settings.seed)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_writable(folder)
    texts = None if gold is None else read_gold_texts(Path(gold))
    made = resolved(system, asked, how)
    if folder is not None:
        files = tuple(Path(path).name for path in (gold, settings.references) if path is not None and Path(path).suffix)
        check_out(folder, Repair, Subject(names_of(made), (asked.name,), files), overwrite=overwrite)
    meant = cast(BaseScorer | Scores, made[0])
    if texts is not None and isinstance(meant, Scores):
        raise UsageError("recorded scores say nothing about gold texts; give the system itself")
    workshop = Workshop(meant, asked, settings=settings, attributes=named, how=how)
    found = workshop.repair()
    if texts is not None and workshop.system is not None:
        quality = quality_on_gold(workshop.system, texts, workshop.calibrators, asked, how)
        found = replace(found, gold=quality)
    asked_for = {
        "attributes": named,
        "sample": sample,
        "gold": None if texts is None else texts.corpus.digest,
        "range": None if how.bounds is None else list(how.bounds),
        "version": how.version,
        "base_url": how.base_url,
        "high_is": how.high_is,
    }
    provenance = Provenance.collect(
        corpora=[asked],
        scores=[workshop.scores],
        files=[path for path in (gold, settings.references) if path is not None and Path(path).suffix],
        settings={**asdict(settings), "references": Path(settings.references).name, **asked_for},
        command=command,
    )
    found = replace(found, spec=system if isinstance(system, str) else None, provenance=provenance).stated(statement)
    if folder is not None:
        found.save(folder, figures=figures, overwrite=overwrite, progress=how.progress)
    return found
