"""What the explorer's API takes and gives."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand.systems.base import HighIs
from evenhand.web.trying import LONGEST


class Strict(BaseModel):
    """What is sent: nothing is converted, nothing is left over."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """What was wrong, and what to do."""

    detail: str


class SavedResult(BaseModel):
    """A saved result; one that cannot be read has its `problem` instead of the rest."""

    id: str
    place: str = Field(description="Its folder, seen from the one that is served.")
    kind: str
    systems: tuple[str, ...]
    corpora: tuple[str, ...]
    headline: str
    problem: str | None
    date: str | None = Field(description="The day on which it was made, where somebody said so.")
    model_version: str | None
    modified: float = Field(description="When its file was last written, in seconds since 1970.")


class Results(BaseModel):
    """Some of the results that were asked for."""

    results: list[SavedResult]
    count: int = Field(description="How many there are in all.")
    still_to_read: int
    complete: bool = Field(description="Whether all folders were looked into.")


class Gap(BaseModel):
    """A gap of an audit, in per cent of the range of its output."""

    finding: int = Field(description="Its number in this result.")
    system: str
    output: str
    comparison: str
    gap: float
    low: float | None
    high: float | None
    verdict: str


class ResultDetails(BaseModel):
    """A saved result with what can be had of it."""

    result: SavedResult
    text: str
    gaps: list[Gap]
    tables: list[str]
    figures: list[str]


class Sentence(BaseModel):
    """A sentence, its person and its score."""

    text: str
    person: str
    score: float


class Difference(BaseModel):
    """One difference of a gap, in the output's own units."""

    row: int
    source: str
    label: str
    difference: float


class Differences(BaseModel):
    """The differences of a gap, the largest first."""

    differences: list[Difference]
    count: int


class BehindDifference(BaseModel):
    """The sentences of both sides of one difference."""

    row: int
    label: str
    first: list[Sentence]
    second: list[Sentence]
    difference: float


class BesideTypical(BaseModel):
    """A sentence beside the typical one of the same words."""

    own: Sentence
    typical: Sentence
    away: float = Field(description="Its score less the median of all that differ in the person alone.")


class System(BaseModel):
    """A system that was allowed when the explorer was started."""

    name: str


class Trial(Strict):
    """A sentence to try."""

    text: str = Field(min_length=1, max_length=LONGEST)
    system: str = Field(min_length=1, max_length=500)


class OutputInfo(BaseModel):
    """One number that a system gives."""

    name: str
    low: float | None
    high: float | None


class TriedVersion(BaseModel):
    """The sentence about one group."""

    group: str
    label: str
    text: str
    scores: tuple[float, ...]
    as_typed: bool


class TriedAttribute(BaseModel):
    """The versions that differ in one attribute, and how far apart their scores lie, output by output."""

    attribute: str
    versions: list[TriedVersion]
    spreads: tuple[float, ...]


class TrialResult(BaseModel):
    """What a system says of a sentence and of all its versions."""

    text: str
    system: str
    outputs: list[OutputInfo]
    scores: tuple[float, ...]
    attributes: list[TriedAttribute]
    without_versions: dict[str, str] = Field(description="Attributes of which there are none, and why.")


class CorpusInfo(BaseModel):
    """A corpus that comes with Evenhand."""

    name: str
    title: str
    attributes: list[str]
    for_taggers: bool


class JobInfo(BaseModel):
    """What takes long, and how far it is."""

    id: str
    title: str
    state: Literal["waiting", "running", "done", "failed", "interrupted"]
    stage: str
    message: str
    result: str | None = Field(description="The id of what was found.")
    begun: float
    ended: float | None


class ComparedSide(BaseModel):
    """A gap in the output's own units, with the interval that its verdict was taken from."""

    gap: float | None
    low: float | None
    high: float | None


class ComparedGap(BaseModel):
    """One gap in both runs, and the difference: the other's less the one's."""

    question: str
    one: ComparedSide
    other: ComparedSide
    difference: ComparedSide
    verdict: str


class ComparisonInfo(BaseModel):
    """Two audits, or two systems of one, side by side."""

    one: str
    other: str
    text: str
    gaps: list[ComparedGap]


class Run(BaseModel):
    """A gap in one run of several."""

    result: str
    called: str
    system: str
    comparison: str
    gap: float
    low: float | None
    high: float | None
    verdict: str


class LeaderboardPlace(BaseModel):
    """A system with its quality and its gap; places are from the best to the worst that is not ruled out."""

    system: str
    spearman: float | None
    spearman_interval: tuple[float, float] | None
    quality_places: tuple[int, int] | None
    gap: float = Field(description="In per cent of the range.")
    gap_interval: tuple[float, float] | None
    bias_places: tuple[int, int] | None
    verdict: str


class UploadForm(Strict):
    """What is to be known of predictions that are sent."""

    name: str
    corpus: str
    low: float | None = None
    high: float | None = None
    high_is: HighIs | None = None
