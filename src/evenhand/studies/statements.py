"""Studies of many systems: what the paper says in words about its systems, computed for these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evenhand.comparing.findings import Finding
from evenhand.studies.quality import Quality
from evenhand.studies.tables import published_group

TOP = 5


@dataclass(frozen=True)
class Statement:
    """About one attribute and one dimension (None: all of them together)."""

    attribute: str
    dimension: str | None
    submissions: int
    significant: int
    """Submissions that the published test calls different."""
    share_significant: float
    first_higher: int
    second_higher: int
    significant_in_general: int
    """Submissions that the generalising test calls different, corrected for all systems of the study."""
    higher: int
    lower: int
    equivalent: int
    cannot_tell: int
    """By verdict, which is that of the generalising test, of each system alone: each submission has one."""
    smallest_spread: float
    median_spread: float
    largest_spread: float
    """Of the Δ-spreads, largest minus smallest difference of a system."""
    largest_difference: float
    largest_difference_of: str
    largest_mean: float | None
    """The largest mean of positive or of negative differences among the significant; None if none is."""
    top: int | None
    """How many of the best are looked at: five, or fewer if there are fewer; None without ranks."""
    top_not_significant: int | None
    significant_alone: int
    """Submissions that the generalising test calls different, each corrected for its own comparisons only."""
    no_reaction_seen: int
    """By verdict, as above."""
    equivalent_in_study: int
    """Submissions shown equivalent, corrected for all systems of the study."""
    says_little: int = 0
    """Of those that are equivalent or without a reaction, how many don't do their job."""
    unseen_share: float | None = None
    """Of those that are equivalent: the largest share of people who could still react; None if none is equivalent."""
    unseen_reaction: float | None = None
    """By how much these would have to react to undo one of them: the least, as a share of the output's range."""


def statements(
    findings: Mapping[str, Mapping[str, Sequence[Finding]]], qualities: Mapping[tuple[str, str], Quality]
) -> tuple[Statement, ...]:
    """For each attribute: each dimension, and all together. `findings`: by attribute and dimension."""
    return tuple(_statements(findings, qualities))


def _statements(
    findings: Mapping[str, Mapping[str, Sequence[Finding]]], qualities: Mapping[tuple[str, str], Quality]
) -> Iterator[Statement]:
    for attribute, by_dimension in findings.items():
        for dimension, members in by_dimension.items():
            yield _about(attribute, dimension, members, qualities)
        if len(by_dimension) > 1:
            everything = [finding for members in by_dimension.values() for finding in members]
            yield _about(attribute, None, everything, {})


def _about(
    attribute: str,
    dimension: str | None,
    members: Sequence[Finding],
    qualities: Mapping[tuple[str, str], Quality],
) -> Statement:
    groups = [published_group(finding) for finding in members]
    significant = [finding for finding in members if finding.significant]
    spreads = sorted(finding.delta_spread for finding in members)
    extreme = max(members, key=lambda finding: finding.largest_difference)
    means = [abs(m) for finding in significant for m in (finding.mean_positive, finding.mean_negative) if m is not None]
    verdicts = Counter(finding.verdict for finding in members)
    best = _best(members, qualities)
    others = list(_others(members))
    return Statement(
        attribute=attribute,
        dimension=dimension,
        submissions=len(members),
        significant=len(significant),
        share_significant=len(significant) / len(members),
        first_higher=groups.count("first_higher"),
        second_higher=groups.count("second_higher"),
        significant_in_general=sum(bool(finding.generalising.significant_in_study) for finding in members),
        higher=verdicts["higher"],
        lower=verdicts["lower"],
        equivalent=verdicts["equivalent"],
        cannot_tell=verdicts["cannot tell"],
        smallest_spread=spreads[0],
        median_spread=(spreads[(len(spreads) - 1) // 2] + spreads[len(spreads) // 2]) / 2,
        largest_spread=spreads[-1],
        largest_difference=extreme.largest_difference,
        largest_difference_of=extreme.system,
        largest_mean=max(means, default=None),
        top=len(best) or None,
        top_not_significant=sum(not finding.significant for finding in best) if best else None,
        significant_alone=sum(bool(finding.generalising.significant) for finding in members),
        no_reaction_seen=verdicts["no reaction seen"],
        equivalent_in_study=sum(bool(finding.equivalence.in_study) for finding in members),
        says_little=sum(finding.says_little for finding in members),
        unseen_share=max((share for share, _ in others), default=None),
        unseen_reaction=min((reaction for _, reaction in others), default=None),
    )


def _others(members: Sequence[Finding]) -> Iterator[tuple[float, float]]:
    """Of each that is equivalent: the share of people who could still react, and by how much of the range."""
    for finding in members:
        share, reaction = finding.equivalence.unseen_share, finding.equivalence.unseen_reaction
        if finding.verdict == "equivalent" and share is not None and reaction is not None:
            yield share, reaction / finding.span


def _best(members: Sequence[Finding], qualities: Mapping[tuple[str, str], Quality]) -> list[Finding]:
    """The best by rank; those that share a rank in the order of their names."""
    ranked = [
        (quality.rank, finding.system, finding)
        for finding in members
        if (quality := qualities.get((finding.system, finding.output))) is not None and quality.rank is not None
    ]
    return [finding for *_, finding in sorted(ranked, key=lambda one: one[:2])[:TOP]]
