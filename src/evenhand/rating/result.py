"""Ratings of the same systems in several settings, as a result: each rating, the answers, and one level a system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import naming_its_file
from evenhand.files.plain import rebuild
from evenhand.rating.folder import GroupScores, described, read_folder, read_mapping
from evenhand.rating.questions import Answer, answers
from evenhand.rating.ratings import REPLICATES, RULES, Rating, RatingSettings, rate_table
from evenhand.rating.rejection import RejectionSettings, preset, with_levels
from evenhand.rating.relabelling import Relabelled
from evenhand.rating.table import checked, read_scores
from evenhand.results import Note, Provenance, Result, Statement, Subject, SystemUsed, check_out

UNREAD = 3
"""So many of the files that were not read are named."""
COLUMNS = {
    **dict.fromkeys(("data", "group", "attribute", "via", "method", "system"), pl.String),
    "raw": pl.Float64,
    "level": pl.Int64,
    **dict.fromkeys(("low", "high", "expected"), pl.Float64),
    "partial": pl.Boolean,
    "undefined": pl.String,
    **dict.fromkeys(("expected_low", "expected_high", "p", "share"), pl.Float64),
    "about_others": pl.Boolean,
    "among_these": pl.Int64,
}


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(Result):
    """Ratings of the same systems in several settings, and one level for each system over all of them.

    A system's levels are the same whichever other systems are rated beside it.
    """

    kind: ClassVar[str] = "ratings"
    file: ClassVar[str] = "rating.json"

    results: tuple[Rating, ...]
    settings: RatingSettings
    answers: tuple[Answer, ...] = ()
    """To the three questions of the paper, as far as the data allow."""
    drifts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By dataset, where there was a round trip: what translation did to its sentences (the content of a `Drift`)."""

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """The systems: what they are rated on is made for the purpose."""
        return Subject(provenance.asked_names, files=tuple(one.name for one in provenance.files))

    def __repr__(self) -> str:
        return f"<Ratings: {len(self.results)} of {', '.join(self.systems)}>"

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in the order in which they first appear."""
        return tuple(dict.fromkeys(system for result in self.results for system in result.raw))

    @property
    def overall(self) -> dict[str, int | None]:
        """The level of each system by the rule in the settings; None where all are undefined.

        Over the ratings on texts as they are; those after a round trip are about the translator, too.
        """
        rule = RULES[self.settings.overall]
        found: dict[str, int | None] = {}
        for system in self.systems:
            levels = [level for result in self.counting(system) if (level := result.ratings[system]) is not None]
            found[system] = rule(levels) if levels else None
        return found

    def counting(self, system: str) -> list[Rating]:
        """The ratings that a system's overall level is about: on texts as they are, if there are such, and on a part of
        the sentences only where the system was not rated on all of them."""
        mine = [result for result in self.results if system in result.raw]
        plain = [result for result in mine if result.via is None] or mine
        whole = {result.setting for result in plain if result.part is None}
        return [one for one in plain if one.part is None or one.whole_setting not in whole]

    @property
    def overall_about_others(self) -> dict[str, bool | None]:
        """Whether each overall level is also about other people than those in the texts: some rating that gives it has
        people enough. None where there is no level, or none that says anything of them (a score of 0)."""
        found: dict[str, bool | None] = {}
        for system, level in self.overall.items():
            mine = [one for one in self.counting(system) if level is not None and one.ratings[system] == level]
            found[system] = any(one.about_others(system) for one in mine) if mine else None
        return found

    def content(self) -> dict[str, Any]:
        """An X and what is undefined are None, and say why."""
        return {
            "results": [result.to_dict() for result in self.results],
            "overall": self.overall,
            "overall_about_others": self.overall_about_others,
            "settings": self.settings.to_dict(),
            "answers": [answer.to_dict() for answer in self.answers],
            "drift": dict(self.drifts),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            tuple(Rating.from_dict(result) for result in values["results"]),
            rebuild(RatingSettings, values["settings"]),
            tuple(rebuild(Answer, answer) for answer in values["answers"]),
            values["drift"],
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row per rating and system: raw score (null where undefined, or X), level, where 95 % of the draws lie,
        what relabelling the system's persons gives, and its place among these systems."""
        return pl.DataFrame([row for result in self.results for row in _rows(result)], schema=COLUMNS)


def _rows(result: Rating) -> Iterator[dict[str, Any]]:
    values = result.to_dict()
    setting = {name: values[name] for name in ("data", "group", "attribute", "via", "method")}
    for system, raw in values["raw"].items():
        low, high = (None, None) if result.uncertainty is None else result.uncertainty.intervals[system]
        yield {
            **setting,
            "system": system,
            "raw": raw,
            "level": result.ratings[system],
            "low": low,
            "high": high,
            "partial": system in result.partial,
            "undefined": result.undefined.get(system) or result.no_level.get(system),
            "share": result.share.get(system),
            "among_these": result.among_these.get(system),
            **_relabelled(result.expected_by_system.get(system)),
        }


def _relabelled(found: Relabelled | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {
        "expected": found.mean,
        "expected_low": found.low,
        "expected_high": found.high,
        "p": found.p,
        "about_others": found.about_others,
    }


@naming_its_file
def rate_scores(
    table: pl.DataFrame | str | Path,
    *,
    attributes: Sequence[str] = (),
    classes: Mapping[str, Sequence[str]] | None = None,
    confounders: Sequence[str] | None = None,
    levels: int = 3,
    preset: str | RejectionSettings = "stated",
    confidence: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    supported_only: bool = False,
    overall: str = "worst",
    bootstrap: int = REPLICATES,
    seed: int = 0,
    mapping: str | Path | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    statement: Statement | None = None,
) -> Ratings:
    """Rate every system of a table, or of a file, with the columns `system, dataset, <attributes>, emotion, sentiment`.

    Without confounders the raw score is the weighted rejection score over all pairs of classes and all datasets; with
    them it is the largest deconfounding impact over datasets and emotions, adjusted for the back-door set of the
    diagram. `race+gender` is an attribute (or confounder) whose classes are those of both, crossed. `classes` limits an
    attribute to some of them. `confidence` (levels in per cent, 95, 70 and 60 as stated) and `weights` (1, 0.8 and 0.6)
    are those of the paper's first algorithm; each level needs its weight.

    The columns `data`, `group` and `via` make ratings of their own; `person` and `emotion_word` are what the
    uncertainty is taken over (rows, where they are missing, which is too sure of itself); a column that is named as an
    attribute is that alone. With `out`, the ratings are saved in that folder.

    A folder instead of a table holds a file for each group, system and dataset, or for some of these; `mapping` is a
    file that says what paths, columns and codes mean (`read_mapping`). There, groups may bring their own attributes
    and confounders.
    Lakkaraju et al. (2023).

    >>> frame = pl.DataFrame({
    ...     "system": ["fair"] * 8 + ["biased"] * 8, "dataset": "E1", "gender": ["male", "female"] * 8,
    ...     "sentiment": [0.1, 0.2, 0.2, 0.1] * 2 + [-1, 1] * 4,
    ... }, strict=False)
    >>> rate_scores(frame, attributes=["gender"], bootstrap=0).overall
    {'fair': 1, 'biased': 3}
    """
    settings = rating_settings(
        preset,
        confidence=confidence,
        weights=weights,
        levels=levels,
        supported_only=supported_only,
        overall=overall,
        bootstrap=bootstrap,
        seed=seed,
    )
    confounding = tuple(confounders or ())
    folder = None if isinstance(table, pl.DataFrame) or not Path(table).is_dir() else Path(table)
    if mapping is not None and folder is None:
        raise UsageError("a mapping is for a folder of score files; this is a table")
    if not attributes and folder is None:
        raise UsageError("name an attribute to rate by, say gender")
    parts, files, notes = _parts(table, folder, mapping, attributes=attributes, confounders=confounding)
    details: dict[str, Any] = {"attributes": list(attributes), "confounders": list(confounding)}
    if folder is not None:
        details |= {"folder": folder.name, "mapping": described(read_mapping(mapping, folder))}
    provenance = Provenance.collect(files=files, settings=settings.to_dict(), details=details, command=command)
    # Who made a table is not known, so that there is no telling whether its systems have changed.
    names = dict.fromkeys(name for part in parts for name in part.frame["system"].unique(maintain_order=True))
    systems = tuple(SystemUsed(name, "sentiment", None) for name in names)
    provenance = replace(provenance, systems=systems)
    if out is not None:
        check_out(Path(out), Ratings, Ratings.subject_of(provenance), overwrite=overwrite)
    results = tuple(
        one
        for part in parts
        for one in rate_table(
            part.frame, settings, attributes=part.attributes, confounders=part.confounders, classes=classes
        )
    )
    found = Ratings(results, settings, answers(results), notes=notes, provenance=provenance).stated(statement)
    if out is not None:
        found.save(out, overwrite=overwrite)
    return found


def _parts(
    table: pl.DataFrame | str | Path,
    folder: Path | None,
    mapping: str | Path | None,
    *,
    attributes: Sequence[str],
    confounders: tuple[str, ...],
) -> tuple[list[GroupScores], list[str | Path], tuple[Note, ...]]:
    """What is rated, group by group; the files that it came from, and what was left out of them."""
    if folder is not None:
        found = read_folder(folder, read_mapping(mapping, folder), attributes=attributes, confounders=confounders)
        left = ", ".join(path.relative_to(folder).as_posix() for path in found.unread[:UNREAD])
        more = f" and {len(found.unread) - UNREAD:,} more" if len(found.unread) > UNREAD else ""
        told = f"{len(found.unread):,} files that no pattern of the mapping fits were not read: {left}{more}"
        notes = (Note(folder.name, told),) if found.unread else ()
        return [_checked_part(part, folder) for part in found.groups], list(found.files), notes
    if isinstance(table, pl.DataFrame):
        frame = checked(table, attributes=attributes, confounders=confounders)
        return [GroupScores(None, frame, tuple(attributes), confounders)], [], ()
    frame = read_scores(Path(table), attributes=attributes, confounders=confounders)
    return [GroupScores(None, frame, tuple(attributes), confounders)], [table], ()


def _checked_part(part: GroupScores, folder: Path) -> GroupScores:
    """One group of a folder, ready to be rated; where it is wrong, the error names it."""
    try:
        frame = checked(part.frame, attributes=part.attributes, confounders=part.confounders)
    except EvenhandError as error:
        where = f"{folder}, {part.group}" if part.group else str(folder)
        raise type(error)(f"{where}: {str(error).removeprefix('the table: ')}") from error
    data = frame if "data" in frame.columns else frame.with_columns(data=pl.lit(folder.name or None))
    return replace(part, frame=data)


def rating_settings(
    tests: str | RejectionSettings = "stated",
    *,
    confidence: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    **others: Any,
) -> RatingSettings:
    """Settings with those of the tests by their name, or as they are; other confidence levels (in per cent) and weights
    may take the place of the preset's."""
    given = tests if isinstance(tests, RejectionSettings) else preset(tests)
    called = None if isinstance(tests, RejectionSettings) else tests
    chosen = with_levels(given, confidence, weights)
    return RatingSettings(rejection=chosen, preset=called if chosen == given else None, **others)
