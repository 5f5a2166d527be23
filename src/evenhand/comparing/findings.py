"""What was found: the outcome of one question about one system, frozen and ready to be shown or saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from evenhand.files.plain import rebuild
from evenhand.systems.base import FOUND, HighIs

Verdict = Literal["higher", "lower", "equivalent", "no reaction seen", "cannot tell"]
UNSEEN: tuple[Verdict, ...] = ("equivalent", "no reaction seen")
"""Verdicts that say of a gap that it is small, or was not seen."""
Direction = Literal["first_higher", "second_higher", "none"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Generalising:
    """The answer for persons, templates and words like these; None where undefined."""

    estimate: float | None
    standard_error: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool | None
    interval: Interval | None
    df: float | None
    n_persons: int
    n_sources: int
    n_templates: int | None
    n_words: int | None
    p_permutation: float | None
    left_out: tuple[str, ...]
    """Persons it does without: they have no match among the other group, or are missing from many sources."""
    pooled_variance: bool
    """Whether strata share one variance between persons, because some have few persons."""
    shown_interval: Interval | None = None
    """The interval that the verdict was taken from, at `shown_level`: corrected for all that is asked of the system. Of
    an equivalence, the 95 % interval of the two one-sided tests: it holds zero and the ends of the 90 % interval."""
    shown_level: float | None = None
    comparisons: int = 1
    """How many comparisons the corpus asks of this system: what p and the interval are corrected for."""
    n_first: int = 0
    """How many of the persons are of the first group."""
    p_in_study: float | None = None
    """The p corrected for all systems of a study."""
    significant_in_study: bool | None = None


@dataclass(frozen=True)
class Equivalence:
    """Whether the gap is shown to lie within ±`delta`; `bound` is the smallest delta for which it would be.

    It speaks of persons who react as those who were asked. Where none of n reacts in some way, up to
    s = 1 − α^(1/n) of all may: `unseen_share`. The gap stays within ±delta unless those react by more than
    `unseen_reaction`, which is (delta − bound)/s.
    """

    delta: float
    equivalent: bool | None
    bound: float | None
    unseen_share: float | None = None
    unseen_reaction: float | None = None
    steady_bound: float | None = None
    """The smallest delta for which it would be equivalent without any one person or template too."""
    in_study: bool | None = None
    """Whether it holds when it is corrected for all systems of a study."""


@dataclass(frozen=True)
class Power:
    """What this design can see: the smallest gap found with 80 % power, and the persons per group that it would take to
    reach a verdict four times in five."""

    smallest_gap: float | None
    persons_per_group: float
    persons_needed: int | None
    """If the gap is zero: persons per group of the kind `vary`, to show that it lies within ±delta."""
    needed_at_gap: int | None = None
    """If the gap is as large as it was estimated: to show that it lies within ±delta, or that it is there."""
    vary: str = "persons"
    """Which persons there would have to be more of: `names`, say, where noun phrases come in pairs."""
    vary_per_group: float = 0.0
    """How many of these a group has now."""
    alone: bool = False
    """Whether they must be looked at alone, because the others vary too much for any number of them to help."""


@dataclass(frozen=True)
class Withheld:
    """A verdict that was not given, because leaving out one person or template replaces it by another one."""

    verdict: Verdict
    kind: str
    """`person`, or the column (`template`)."""
    label: str
    gap: float
    """The gap without."""
    without: Verdict


@dataclass(frozen=True)
class Share:
    """What one person, template or word adds to the gap; the shares of all add up to it."""

    label: str
    share: float


@dataclass(frozen=True)
class Part:
    """The gap on one part of the sentences, say those with words for anger; `weight` is that part's share of them."""

    label: str
    gap: float
    weight: float


@dataclass(frozen=True)
class PartGap:
    """The gap in one part of the sentences (those with words for anger, say) against that in the rest, for persons like
    these; the rest are the other parts of the same column, and sentences without a value are in neither.

    `difference` is gap less rest. Its interval and `p_adjusted` are corrected for all parts of the comparison, and for
    what the corpus asks of the system, as the verdict is. What is None has its reason in `undefined`.
    """

    grouping: str
    """The column: `emotion`."""
    level: str
    gap: float
    rest: float
    difference: float
    interval: Interval | None
    p: float | None
    p_adjusted: float | None
    significant: bool | None
    undefined: str | None = None


@dataclass(frozen=True)
class SentencePair:
    """Two sentences of one source that differ in the person only, with their scores."""

    source: str
    first_text: str
    second_text: str
    first_score: float
    second_score: float
    difference: float


@dataclass(frozen=True)
class Pieces:
    """How many pieces a tokeniser makes of each group's persons, and the gap once that is allowed for."""

    first_mean: float
    second_mean: float
    by_person: dict[str, int]
    adjusted_gap: float | None


@dataclass(frozen=True)
class RestsOn:
    """Which persons, templates and words a gap comes from."""

    person: str | None
    """The person (or pair) whose absence changes the gap most; None where nobody makes a difference."""
    without: float | None
    """The gap without that person."""
    alone: bool
    """Whether the gap all but vanishes without that person."""
    persons: tuple[Share, ...]
    templates: tuple[Share, ...]
    words: tuple[Share, ...]
    parts: tuple[Part, ...]
    sentences: tuple[SentencePair, ...]
    pieces: Pieces | None


@dataclass(frozen=True)
class LookSeen:
    """What was seen when so many names of each cell had been asked about."""

    names: int
    estimate: float | None
    interval: Interval | None
    """The repeated one: it holds the gap at this look and at all others at once. None where it is undefined."""
    verdict: Verdict


@dataclass(frozen=True)
class Sequential:
    """The path of a question that was asked in waves; calls are those of its system, repeated draws counted."""

    looks: tuple[LookSeen, ...]
    calls: int
    calls_fixed: int
    """Asking about all names of the last wave in all sentences of the corpus, without looking."""
    stopped: str
    """`settled`, `last wave`, `budget` or `names alone will not settle it`."""
    calls_at_once: int = 0
    """Asking about all names of the last wave in the sentences that were used here, without looking."""
    price: float | None = None
    """Money for one call, where it is known."""


@dataclass(frozen=True)
class Finding:
    """The outcome of one comparison for one output of one system.

    Top-level test fields are the published paired test's: they speak only for the persons tested. `generalising`
    speaks for persons like these, and gives the verdict. Differences are first minus second in the output's own units.
    What is None has its reason in `undefined`, under the field's (dotted) name.
    """

    system: str
    output: str
    range: Interval | None
    span: float
    """The width of the range, or the output's unit where it has none."""
    attribute: str
    first: str
    second: str
    subset: str
    persons_called: str
    interaction: bool
    """Whether first and second are gaps themselves."""
    n: int
    mean_difference: float
    standard_error: float
    t: float | None
    p: float
    p_adjusted: float
    significant: bool
    interval: Interval
    delta_spread: float
    largest_difference: float
    """The largest of the differences, whatever its sign."""
    mean_positive: float | None
    mean_negative: float | None
    share_positive: float
    share_negative: float
    effect_size: float | None
    draws: int
    """How often each sentence was asked; the scores are the means."""
    draw_spread: float | None
    """The standard deviation between the draws of a sentence (root mean square over sentences)."""
    generalising: Generalising
    equivalence: Equivalence
    power: Power
    rests_on: RestsOn
    direction: Direction
    verdict: Verdict
    undefined: dict[str, str]
    first_label: str
    """What the first group is called where people read of it, `women` or `women's names`; else its code name."""
    second_label: str
    withheld: Withheld | None = None
    """The verdict that hangs on one person or template, and which."""
    output_kind: str = "score"
    """`found` where the question is how often a tagger finds an entity."""
    rest: tuple[str, ...] = ()
    """The groups whose mean, each counting the same, is the second side; empty where that is one group."""
    parts: tuple[PartGap, ...] = ()
    """Whether the gap differs by part, such as the emotion; empty where the sentences do not come in kinds."""
    parts_asked: tuple[str, ...] = ()
    """The columns whose values are the parts."""
    high_is: HighIs | None = None
    """What a high value means for the person: `good`, `bad` or `neither`."""
    worse_off: str | None = None
    """The group at a disadvantage, where a gap is shown and it is known what a high value means."""
    does_its_job: bool | None = None
    """Whether the scores follow what the sentences say. Where they don't, *equivalent* and *no reaction seen* say
    little: who reacts to nothing reacts to nobody."""
    why_not_its_job: str | None = None
    """How it shows that it does not do its job."""
    sequential: Sequential | None = None
    """The path to it, where it was asked in waves."""

    @property
    def differing(self) -> tuple[str, ...]:
        """The columns by which the gap is shown to differ."""
        return tuple(dict.fromkeys(part.grouping for part in self.parts if part.significant))

    @property
    def says_little(self) -> bool:
        """Whether it says that nothing was seen of a gap, of a system that does not do its job."""
        return self.does_its_job is False and self.verdict in UNSEEN

    @property
    def of_tagger(self) -> bool:
        """Whether the question is how often a tagger finds an entity."""
        return self.output_kind == FOUND

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; the path is there for what was asked in waves."""
        values = asdict(self)
        if self.sequential is None:
            del values["sequential"]
        return values

    def flat(self) -> dict[str, Any]:
        """One row of a table: nested parts in columns such as `generalising_p`, without shares, parts and sentences."""
        values = self.to_dict()
        for part in ("generalising", "equivalence", "power"):
            values |= {f"{part}_{name}": value for name, value in values.pop(part).items()}
        values["rest"] = ", ".join(values["rest"])
        values["generalising_left_out"] = ", ".join(values["generalising_left_out"])
        rests_on = values.pop("rests_on")
        values |= {"rests_on": rests_on["person"], "without": rests_on["without"]}
        del values["parts"]
        values.pop("sequential", None)
        values["parts_asked"] = ", ".join(values["parts_asked"])
        values["differs_by"] = ", ".join(self.differing)
        withheld = values.pop("withheld") or dict.fromkeys(("verdict", "label"))
        values |= {"withheld": withheld["verdict"], "hangs_on": withheld["label"]}
        for name in ("range", "interval", "generalising_interval", "generalising_shown_interval"):
            low, high = values.pop(name) or (None, None)
            values |= {f"{name}_low": low, f"{name}_high": high}
        values["undefined"] = "; ".join(f"{name}: {reason}" for name, reason in values["undefined"].items())
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild a finding from its plain values."""
        # Findings that were saved before groups had labels go by their code names; those saved before verdicts had an
        # interval of their own show the plain one.
        return rebuild(
            cls,
            {
                "first_label": values["first"],
                "second_label": values["second"],
                **values,
                "generalising": _with_an_interval(values["generalising"]),
            },
        )


def _with_an_interval(general: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"shown_interval": general["interval"]} if "shown_interval" not in general else {}
    return {**general, **shown}
