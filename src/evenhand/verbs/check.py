"""The chain behind `check`: audits of all that a gate asks about, each finding held against its limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack, cast

from evenhand.asking.settings import AskOptions
from evenhand.comparing.audit import Audit
from evenhand.comparing.comparison import Comparison
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import EvenhandError, SystemsFailed, UsageError
from evenhand.files.file_names import file_names
from evenhand.files.whole import finish
from evenhand.gating.judging import key_of, missing, of_decision, of_difference, of_gap, unanswered
from evenhand.gating.result import Check, Item
from evenhand.gating.settings import GateSettings
from evenhand.results import Note, Provenance, Subject, check_out, save_together
from evenhand.settings import crossed
from evenhand.specs.resolving import Given, name_of_given
from evenhand.verbs.ask import listed_systems
from evenhand.verbs.audit import audit
from evenhand.verbs.compare import compare
from evenhand.verbs.perturb import perturbed_corpus

AUDITS = "audits"
"""The folder of the audits, within that of a check."""

CorpusLike = Corpus | str | Path


@dataclass(frozen=True)
class _Asked:
    """What is asked about: a corpus, or one's own texts by one attribute."""

    corpus: CorpusLike
    attribute: str | None = None
    """Of texts, whose versions are made for one attribute at a time."""


@dataclass(frozen=True, eq=False)
class _Audited:
    """An audit that a gate rests on, and what is judged by it."""

    name: str
    """What its folder is called."""
    about: str
    """The corpus, or the file of texts, as it was named."""
    audit: Audit
    """With the scores of all that is judged here."""
    judged: tuple[Audit, ...]
    """One for each tolerance."""
    failed: Mapping[str, str]
    """Systems that gave no answers, each with why."""


def check(
    settings: GateSettings,
    *,
    systems: Given | Sequence[Given] | None = None,
    corpora: CorpusLike | Sequence[CorpusLike] | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    **asking: Unpack[AskOptions],
) -> Check:
    """Whether gaps stay within their limits, judged on the bounds of their intervals.

    `systems` and `corpora` take the place of those that the settings name, and may be objects. With `out`, the check is
    saved in that folder, and its audits below it, so that it can be the baseline of another one. How systems are asked
    is said as in `AskSettings`, beside what the settings say.

    >>> found = check(GateSettings(systems=["planted(gap=0.05)"], attributes=["gender"], within=0.02), progress=False)
    >>> found.passed, found.items[0].reason
    (False, 'the whole interval lies beyond the limit')
    """
    given = listed_systems(settings.systems if systems is None else systems)
    asked = _asked(settings, corpora)
    subject = Subject(tuple(map(name_of_given, given)), tuple(map(_called, asked)))
    if out is not None:
        check_out(Path(out), Check, subject, overwrite=overwrite)
    how = cast("AskOptions", {**settings.asking.options(), **asking})
    audited = _named([part for one in asked for part in _audits(one, settings, given, how)])
    compared = {one.name: _against(one, settings, alone=len(audited) == 1) for one in audited}
    items = [item for one in audited for item in _items(one, compared[one.name], settings)]
    found = Check(
        items=tuple(items),
        baseline=None if settings.baseline is None else Path(settings.baseline).name,
        provenance=_provenance(audited, settings, subject, command),
        notes=_notes(audited, compared),
    )
    if out is not None:
        audits = {f"{AUDITS}/{one.name}": one.audit for one in audited}
        save_together(out, {"": found, **audits}, overwrite=overwrite)
    return found


def _asked(settings: GateSettings, corpora: CorpusLike | Sequence[CorpusLike] | None) -> list[_Asked]:
    """What is asked about, one after the other."""
    if corpora is not None:
        several = [corpora] if isinstance(corpora, Corpus | str | Path) else list(corpora)
        return [_Asked(one) for one in several]
    texts = [] if settings.text is None else [_Asked(settings.text, one) for one in settings.attributes or ()]
    return [*(_Asked(one) for one in settings.asked_corpora), *texts]


def _called(asked: _Asked) -> str:
    name = asked.corpus.name if isinstance(asked.corpus, Corpus) else str(asked.corpus)
    return name if asked.attribute is None else f"{name} by {asked.attribute}"


def _audits(asked: _Asked, settings: GateSettings, systems: Sequence[Given], how: AskOptions) -> Iterator[_Audited]:
    """The audits of what is asked about: asked once, and judged once for each tolerance.

    In waves it depends on the tolerance how many names are asked about, so there is an audit for each.
    """
    if asked.attribute is None:
        corpus = asked.corpus if isinstance(asked.corpus, Corpus) else load_corpus(asked.corpus)
    else:
        path, how_shown = Path(str(asked.corpus)), how.get("progress")
        corpus, _ = perturbed_corpus(path, asked.attribute, column=settings.column, progress=how_shown)
    attributes = [asked.attribute] if asked.attribute else _attributes(corpus, settings)
    groups = list(settings.by_tolerance(attributes).items())
    name = corpus.name if asked.attribute is None else f"{Path(str(asked.corpus)).stem}-{asked.attribute}"
    about = asked.corpus.name if isinstance(asked.corpus, Corpus) else str(asked.corpus)
    if settings.until_settled:
        for tolerance, names in groups:
            found, failed = _audit(systems, asked.corpus, settings, names, tolerance, how)
            own = name if len(groups) == 1 else f"{name}-{'-'.join(names)}"
            yield _Audited(own, about, found, (found,), failed)
        return
    whole = attributes if settings.attributes else None
    first = groups[0][0] if len(groups) == 1 else settings.within
    found, failed = _audit(systems, corpus, settings, whole, first, how)
    judged = [_part(found, names) for tolerance, names in groups if tolerance == first]
    for tolerance, names in groups:
        if tolerance != first:
            judged.append(_judged_anew(found, systems, settings, names, tolerance, how))
    yield _Audited(name, about, found, tuple(judged), failed)


def _attributes(corpus: Corpus, settings: GateSettings) -> list[str]:
    """The attributes that are asked for, as far as a corpus has them."""
    if not settings.attributes:
        return list(corpus.attributes)
    found = [name for name in settings.attributes if all(part in corpus.attributes for part in crossed(name))]
    if not found:
        corpus.refuse_unknown([part for name in settings.attributes for part in crossed(name)])
    return found


def _audit(
    systems: Sequence[Given],
    corpus: CorpusLike,
    settings: GateSettings,
    attributes: Sequence[str] | None,
    tolerance: float,
    how: AskOptions,
) -> tuple[Audit, Mapping[str, str]]:
    """The audit, and the systems that failed, each with why; where all did, that ends the gate."""
    waves = settings.waves.in_waves() if settings.until_settled else None
    try:
        found = audit(
            systems,
            corpus,
            attributes=attributes,
            subsets=settings.subsets,
            settings=settings.settings(tolerance),
            thresholds=settings.thresholds or None,
            sample=settings.sample,
            without=settings.without,
            names=settings.waves.which_names() if settings.until_settled else None,
            waves=waves,
            **how,
        )
    except SystemsFailed as failed:
        if not isinstance(failed.result, Audit):
            raise
        return failed.result, failed.failed
    return found, {}


def _part(found: Audit, attributes: Sequence[str]) -> Audit:
    """What an audit says by some of its attributes."""
    return replace(
        found,
        findings=tuple(one for one in found.findings if one.attribute in attributes),
        decisions=tuple(one for one in found.decisions if one.attribute in attributes),
    )


def _judged_anew(
    found: Audit,
    systems: Sequence[Given],
    settings: GateSettings,
    attributes: Sequence[str],
    tolerance: float,
    how: AskOptions,
) -> Audit:
    """The same answers at another tolerance; taggers are asked again, and answer from the cache."""
    if found.scores is None or found.corpus is None:
        raise EvenhandError("an audit that was just made has no scores")
    if found.of_taggers:
        return _audit(systems, found.corpus, settings, attributes, tolerance, how)[0]
    unsampled = settings.model_copy(update={"sample": None, "without": []})
    again, _ = _audit([found.scores], found.corpus, unsampled, attributes, tolerance, AskOptions(progress=False))
    able = {(one.system, one.output): one for one in found.findings}

    def judged_as_before(one: Any) -> Any:
        known = able[one.system, one.output]
        return replace(one, does_its_job=known.does_its_job, why_not_its_job=known.why_not_its_job)

    return replace(again, findings=tuple(judged_as_before(one) for one in again.findings))


def _named(audited: Sequence[_Audited]) -> list[_Audited]:
    """Each with a name that is a folder's, and nobody else's."""
    counted: dict[str, int] = {}
    unique = []
    for one in audited:
        counted[one.name] = counted.get(one.name, 0) + 1
        unique.append(one.name if counted[one.name] == 1 else f"{one.name} {counted[one.name]}")
    folders = file_names(unique)
    return [replace(one, name=folders[name]) for one, name in zip(audited, unique, strict=True)]


def _against(audited: _Audited, settings: GateSettings, *, alone: bool) -> Comparison | None:
    """The paired differences to the baseline, where there is one."""
    if settings.baseline is None:
        return None
    folder = Path(settings.baseline)
    finish(folder)
    if (folder / Check.file).is_file():
        there = sorted(path.name for path in (folder / AUDITS).glob("*") if path.is_dir())
        if audited.name not in there:
            raise UsageError(
                f"the baseline {folder} has no audit called {audited.name}; it has {', '.join(there) or 'none'}: make "
                f"it again with these settings (evenhand check --out {folder} --overwrite)"
            )
        folder = folder / AUDITS / audited.name
    elif not alone:
        raise UsageError(
            f"the baseline {folder} is a single audit, and this gate makes several: name the folder of a check "
            "(evenhand check --out FOLDER)"
        )
    try:
        return compare(folder, audited.audit, settings=settings.settings(settings.within), subsets=settings.subsets)
    except UsageError as error:
        raise UsageError(f"baseline: {error}") from error


def _items(audited: _Audited, compared: Comparison | None, settings: GateSettings) -> Iterator[Item]:
    """A row for each limit."""
    name = audited.about
    for part in audited.judged:
        by_key = {key_of(one): one for one in part.findings}
        yield from (of_gap(one, name, settings) for one in part.findings)
        for decision in part.decisions:
            yield from of_decision(decision, by_key, name, settings)
        if compared is not None:
            known = {key_of(gap.other): gap for gap in compared.gaps}
            for key, finding in by_key.items():
                held = known.get(key)
                yield missing(finding, name, settings) if held is None else of_difference(held, name, settings)
    yield from (unanswered(system, name, why) for system, why in audited.failed.items())


def _provenance(
    audited: Sequence[_Audited], settings: GateSettings, subject: Subject, command: str | None
) -> Provenance:
    found = [one.audit.provenance for one in audited]
    return replace(
        Provenance.collect(
            settings=settings.to_dict(),
            details={"given": list(subject.systems), "asked": list(subject.corpora)},
            command=command,
        ),
        corpora=tuple(dict.fromkeys(used for one in found for used in one.corpora)),
        systems=tuple(dict.fromkeys(used for one in found for used in one.systems)),
    )


def _notes(audited: Sequence[_Audited], compared: Mapping[str, Comparison | None]) -> tuple[Note, ...]:
    """What the audits and the comparisons note, each once."""
    of_audits = [note for one in audited for note in one.audit.notes]
    of_baseline = [note for one in compared.values() if one is not None for note in one.notes]
    about = [note if note.about else Note("baseline", note.text) for note in of_baseline]
    return tuple(dict.fromkeys([*of_audits, *about]))
