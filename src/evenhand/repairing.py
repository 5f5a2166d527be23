"""The chain of a repair: ask the system, fit on halves, judge on the other halves, save page and calibrators."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.auditing import SystemLike, system_of
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError, did_you_mean
from evenhand.files import check_writable
from evenhand.repairs.gold import quality_on_gold, read_gold_texts
from evenhand.repairs.result import Repair
from evenhand.repairs.workshop import RepairSettings, Workshop
from evenhand.report.repair import save_repair
from evenhand.results.provenance import package_versions
from evenhand.scoring import Scores

CALIBRATORS = "calibrators"
"""The folder of the fitted calibrators, within that of the report."""


def repair(
    system: SystemLike,
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    sample: int | None = None,
    settings: RepairSettings | None = None,
    gold: str | Path | None = None,
    bounds: tuple[float, float] | None = None,
    version: str | None = None,
    base_url: str | None = None,
    cache: str | Path | None = None,
    progress: bool | None = None,
    out: str | Path | None = None,
    figures: bool = True,
    command: str | None = None,
) -> Repair:
    """Repair a system in several ways, and say what becomes of its gaps on persons, templates and words that are new.

    `system` is one of those that `audit` takes. `gold` is a table of texts and the scores that people gave them
    (columns `text` and `gold`; `emotion` too where the system asks each text for its own). With `out`, the page and
    the calibrators, fitted on everything, are saved in that folder, with `figures` as PNG and SVG.

    >>> found = repair("planted(gap=0.05)", sample=960, attributes="gender", progress=False)
    >>> found.advised
    'layers'
    """
    settings = settings or RepairSettings()
    asked = corpus if isinstance(corpus, Corpus) else load_corpus(corpus or "eec")
    named = [attributes] if isinstance(attributes, str) else attributes
    for attribute in named or ():
        if attribute not in asked.attributes:
            raise UsageError(
                f"corpus {asked.name!r} has no attribute {attribute!r}{did_you_mean(attribute, asked.attributes)}"
            )
    if named is not None and not isinstance(system, Scores):
        asked = asked.narrowed(named)
    if sample is not None:
        asked = asked.sample(sample, seed=settings.seed)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_writable(folder)
    where = None if cache is None else Path(cache)
    texts = None if gold is None else read_gold_texts(Path(gold))
    meant = system_of(system, asked, bounds=bounds, version=version, base_url=base_url, cache=where)
    if texts is not None and isinstance(meant, Scores):
        raise UsageError("recorded scores say nothing about gold texts; give the system itself")
    workshop = Workshop(meant, asked, settings=settings, attributes=named, cache=where, progress=progress)
    found = workshop.repair()
    if texts is not None and workshop.system is not None:
        quality = quality_on_gold(workshop.system, texts, workshop.calibrators, asked, cache=where, progress=progress)
        found = replace(found, gold=quality)
    asked_for = {"attributes": named, "sample": sample, "gold": None if texts is None else texts.corpus.digest}
    found = replace(found, provenance=_provenance(workshop, asked_for, command))
    if folder is not None:
        _save(found, workshop, folder, figures=figures)
    return found


def _save(found: Repair, workshop: Workshop, folder: Path, *, figures: bool) -> None:
    (folder / CALIBRATORS).mkdir(parents=True, exist_ok=True)
    for method, fitted in workshop.calibrators.items():
        fitted.save(folder / CALIBRATORS / f"{method}.json")
    save_repair(found, folder, figures=figures)


def _provenance(workshop: Workshop, asked_for: dict[str, Any], command: str | None) -> dict[str, Any]:
    corpus, settings, whom = workshop.corpus, workshop.settings, workshop.fitted_for
    return {
        "corpus": {
            "name": corpus.name,
            "version": corpus.version,
            "sentences": len(corpus),
            "digest": corpus.digest,
            "sentences_digest": corpus.sentences_digest,
        },
        "systems": [{"system": whom.system, "output": o.name, "fingerprint": whom.fingerprint} for o in whom.outputs],
        "settings": {
            "repetitions": settings.repetitions,
            "seed": settings.seed,
            "alpha": settings.alpha,
            "methods": settings.methods,
            "references": Path(settings.references).name,
            "target": settings.target,
            "normalise": settings.normalise,
            **asked_for,
        },
        "packages": package_versions(),
        "python": platform.python_version(),
        **({} if command is None else {"command": command}),
    }
