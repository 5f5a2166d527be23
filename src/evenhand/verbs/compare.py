"""The chain behind `compare`: two saved audits, or two systems of one → the paired differences of gaps and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evenhand.asking import Scores
from evenhand.comparing import Settings
from evenhand.comparing.audit import Audit
from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import gap_differences
from evenhand.comparing.metric_differences import measured_differences
from evenhand.comparing.sharing import Paired, Run, Shared, paired_scores, shared_attributes, shared_corpus
from evenhand.contrasts import CROSS
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.results import Note, Provenance, check_out
from evenhand.results.rendering import fitting
from evenhand.systems.meaning import high_is
from evenhand.verbs.ask import listed
from evenhand.verbs.saved import load_result

CHOSEN = "#"
"""Stands between a run and the system that is meant."""

RunLike = Audit | str | Path


def compare(
    one: RunLike,
    other: RunLike,
    *,
    systems: tuple[str | None, str | None] = (None, None),
    attributes: str | Sequence[str] | None = None,
    subsets: str | Sequence[str] = ("all",),
    pairs: bool = False,
    settings: Settings | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
) -> Comparison:
    """How much the gaps of two systems differ, paired by person and sentence, so that name effects cancel out.

    `one` and `other` are audits, or the folders that they were saved in; `"FOLDER#SYSTEM"`, `"FOLDER#SYSTEM/OUTPUT"`
    or `systems` choose a system where an audit has several. All differences are other minus one. Where both have
    metrics, these are compared too. With `pairs`, more than three groups are also compared in pairs. With `out`, the
    comparison is saved in that folder.

    >>> import evenhand
    >>> both = evenhand.audit(["planted(gap=0.05)", "planted(gap=0.01)"], attributes="gender", progress=False)
    >>> found = compare(both, both, systems=("planted(gap=0.05)", "planted(gap=0.01)"))
    >>> found.gaps[0].size, round(found.gaps[0].difference.generalising.estimate, 3)
    ('smaller', -0.04)
    """
    settings = settings or Settings()
    sides = [_side(run, system) for run, system in zip((one, other), systems, strict=True)]
    if _is_same(*sides):
        raise UsageError(f"{sides[0].name} would be compared with itself: name another run, or choose two systems")
    with fitting(*(side.audit for side in sides)):
        first, second = (side.run(name) for side, name in zip(sides, _names(*sides), strict=True))
        corpus = shared_corpus(first, second)
        paired = paired_scores(first, second, corpus)
        asked = shared_attributes(first, second, corpus, listed(attributes))
        called = (paired[0].one_called, paired[0].other_called) if len(paired) == 1 else (first.name, second.name)
    if out is not None:
        subject = Comparison.subject_between(*called, (first.corpus.name, second.corpus.name))
        check_out(Path(out), Comparison, subject, overwrite=overwrite)
    with fitting(*(side.audit for side in sides)):
        asked_on = listed(subsets) or ["all"]
        gaps = gap_differences(paired, corpus, attributes=asked, subsets=asked_on, settings=settings, in_pairs=pairs)
        plain = [name for name in asked if CROSS not in name] if first.measured and second.measured else []
        metrics, refused = measured_differences(paired, corpus, attributes=plain, settings=settings)
        found = Comparison(
            one=called[0],
            other=called[1],
            shared=Shared(len(corpus), len(first.corpus), len(second.corpus)),
            gaps=gaps.found,
            metrics=tuple(metrics),
            notes=(*_notes(paired, corpus, first, second), *refused),
            provenance=Provenance.collect(
                corpora=[first.corpus, second.corpus],
                scores=[scores for pair in paired for scores in (pair.all_of_one, pair.all_of_other)],
                settings={**asdict(settings), "attributes": asked, "subsets": listed(subsets), "pairs": pairs},
                details={"between": list(called), **gaps.family},
                command=command,
            ),
        )
    if out is not None:
        found.save(out, overwrite=overwrite)
    return found


@dataclass(frozen=True, eq=False)
class _Side:
    """What was named: an audit, where it lies, and the system that is meant."""

    audit: Audit
    folder: Path | None
    system: str | None

    @property
    def name(self) -> str:
        return "this audit" if self.folder is None else str(self.folder)

    def run(self, name: str) -> Run:
        return Run.of(self.audit, name).chosen(self.system)


def _ends(scores: Scores) -> list[tuple[float | None, float | None]]:
    return [(column.output.low, column.output.high) for column in scores.columns]


def _is_same(one: _Side, other: _Side) -> bool:
    """Whether a system would be compared with itself."""
    if one.system != other.system:
        return False
    if one.folder is None or other.folder is None:
        return one.audit is other.audit
    return one.folder.resolve() == other.folder.resolve()


def _side(run: RunLike, system: str | None) -> _Side:
    if isinstance(run, Audit):
        return _Side(run, None, system)
    folder, chosen = _parted(str(run))
    if chosen is not None and system is not None:
        raise UsageError(f"{run} names a system already; leave out {system!r}")
    loaded = load_result(folder)
    if not isinstance(loaded, Audit):
        raise UsageError(f"{folder} holds {loaded.kind} without scores; runs to compare are saved by an audit")
    return _Side(loaded, folder.parent if folder.is_file() else folder, chosen or system)


def _parted(text: str) -> tuple[Path, str | None]:
    """A folder, and the system that is chosen behind `#`; a folder may have that sign in its name."""
    parts = text.split(CHOSEN)
    for number in range(len(parts), 0, -1):
        folder = Path(CHOSEN.join(parts[:number]))
        if folder.exists():
            return folder, CHOSEN.join(parts[number:]) or None
    return Path(parts[0]), CHOSEN.join(parts[1:]) or None


def _names(one: _Side, other: _Side) -> tuple[str, str]:
    """The names of the folders, as long as they need to be to tell the runs apart."""
    if one.folder is None or other.folder is None:
        return ("the run", "the run") if one.audit is other.audit else ("the first run", "the second run")
    short = one.folder.name, other.folder.name
    return short if all(short) and short[0] != short[1] else (str(one.folder), str(other.folder))


def _systems(pairs: Sequence[Paired]) -> tuple[str, ...]:
    scores = [scores for pair in pairs for scores in (pair.all_of_one, pair.all_of_other)]
    return tuple(dict.fromkeys(column.system for part in scores for column in part.columns))


def _notes(pairs: Sequence[Paired], corpus: Corpus, one: Run, other: Run) -> list[Note]:
    """What to know about the comparison as a whole: shared sentences, outputs of other names, other ranges."""
    notes = []
    shared = Shared(len(corpus), len(one.corpus), len(other.corpus))
    if not shared.all_of_both:
        notes.append(Note(None, _shared_in_words(shared, one.name, other.name)))
    for pair in pairs:
        about = f"{pair.one_called}, {pair.other_called}"
        notes += [Note(about, text) for text in _output_notes(pair)]
    left_out = sorted({*one.systems, *other.systems} - {*_systems(pairs)})
    if left_out:
        notes.append(Note(None, f"only one of the runs holds {', '.join(left_out)}, so it is left out"))
    return notes


def _shared_in_words(shared: Shared, one: str, other: str) -> str:
    return (
        f"the runs share {shared.sentences:,} sentences, and only these are compared: {one} has {shared.of_one:,}, "
        f"{other} has {shared.of_other:,}"
    )


def _output_notes(pair: Paired) -> list[str]:
    notes = []
    for one, other in zip(pair.one.columns, pair.other.columns, strict=True):
        if one.output.name != other.output.name:
            notes.append(f"the output {one.output.name} is compared with {other.output.name}")
        if {high_is(one.output), high_is(other.output)} == {"good", "bad"}:
            notes.append(
                f"a high {one.output.name} is good in one system and bad in the other: the gaps mean opposite things"
            )
    if pair.shares:
        notes.append("their ranges differ, so all numbers are shares of the range")
    elif _ends(pair.one) != _ends(pair.other):
        notes.append("their ranges are equally wide but not the same; scores are compared as they are")
    return notes
