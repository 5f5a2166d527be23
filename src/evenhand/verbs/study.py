"""The chain for many systems: read what was submitted, compare everything at once, save what there is to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from evenhand.asking.progress import progress_bars
from evenhand.comparing import Settings
from evenhand.comparing.thresholds import Threshold, check_thresholds, read_thresholds
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.results import Provenance, Subject, check_out
from evenhand.settings import check_range, crossed
from evenhand.studies import Reader, Study, examine, find_entries, read_gold
from evenhand.studies.against import find_baseline
from evenhand.studies.gold import Gold
from evenhand.systems.base import Output


def study(
    submissions: str | Path,
    *,
    gold: str | Path | None = None,
    corpus: Corpus | str | Path | None = None,
    attributes: Sequence[str] | None = None,
    settings: Settings | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    baseline: str | None = None,
    thresholds: Threshold | str | Sequence[Threshold | str] | None = None,
    strict: bool = False,
    progress: bool | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    figures: bool = True,
    command: str | None = None,
) -> Study:
    """Examine all systems that took part in a shared task.

    `submissions` is a folder with one sub-folder per system and one file per affect dimension, or a manifest. `gold` is
    a folder of files with the scores that people gave, to rank systems by. The corpus is the released EEC unless
    another is given. What cannot be read is left out and told in `problems`; with `strict`, it is an error. `baseline`
    names the system that the others are held against (SVM-Unigrams, if it took part). `thresholds` (numbers, or
    `"median"`) turn scores into decisions and say, for each submission, how many flip with the person. With `out`,
    everything is saved in that folder: a page, tables, figures, and a page for each submission.
    """
    settings = settings or Settings()
    check_range(*bounds)
    cuts = () if thresholds is None else read_thresholds(thresholds)
    check_thresholds(cuts, [("a submission", Output("scores", *bounds))])
    place, folder = Path(submissions), None if out is None else Path(out)
    asked, spellings = _corpora(corpus)
    if folder is not None:
        check_out(folder, Study, Subject(corpora=(asked.name,)), overwrite=overwrite)
    asked.refuse_unknown(part for attribute in attributes or () for part in crossed(attribute))
    there = find_entries(place)
    if baseline is not None:
        find_baseline(baseline, [entry.system for entry in there.entries])
    known = {} if gold is None else read_gold(Path(gold))
    root = place if place.is_dir() else place.parent
    with progress_bars(progress) as start:
        reader = Reader(asked, spellings=spellings, gold=known, bounds=bounds, strict=strict)
        advance = start("reading", len(there.entries), 0)
        read = reader.read(there.entries, root=root, advance=advance, problems=there.problems)
    found = examine(
        read, asked, gold=known, settings=settings, attributes=attributes, baseline=baseline, about=there.about
    )
    asked_for = {"attributes": attributes, "range": list(bounds), "baseline": found.baseline, "strict": strict}
    made_from = Provenance.collect(
        corpora=[asked],
        scores=[read.scores],
        files=[] if gold is None else _files(Path(gold), known),
        settings={**asdict(settings), **asked_for},
        details={
            "assessments": found.assessments,
            "threshold": found.threshold,
            "generalising_threshold": found.generalising_threshold,
        },
        command=command,
    )
    found = replace(found, provenance=made_from)
    if cuts:
        found = found.decided(cuts)
    if folder is not None:
        found.save(folder, figures=figures, overwrite=overwrite, progress=progress)
    return found


def _files(gold: Path, known: Mapping[str, Gold]) -> list[Path]:
    """The gold files that were read."""
    return [gold / one.file if gold.is_dir() else gold for one in known.values()]


def _corpora(corpus: Corpus | str | Path | None) -> tuple[Corpus, list[Corpus]]:
    """The corpus, and the same in other spellings that files may have: of the EEC, also where it comes from a file."""
    if corpus is None or corpus == "eec":
        return eec("released"), [eec("published")]
    asked = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    published = eec("published")
    same = all(
        column in asked.frame.columns and asked.frame[column].equals(published.frame[column])
        for column in ("source", "person")
    )
    others = [one for one in (eec("released"), published) if one.sentences_digest != asked.sentences_digest]
    return asked, others if same else []
