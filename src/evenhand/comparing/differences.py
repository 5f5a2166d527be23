"""How the gaps of two systems differ, paired by person and sentence: what both do alike to a name cancels out.

The scores of the two systems are subtracted sentence by sentence, and the differences are put through the same contrast
and the same generalising test as the scores of one system in an audit: the gap of the differences is the difference of
the gaps, and only what the systems do differently to persons, templates and words counts as its variance.

Whether a gap got smaller is a question about sizes. |b| < |a| holds exactly where b − a and b + a have opposite signs,
so it is shown where both are shown to differ from zero: the sums of the scores go through the same test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evenhand.asking import Column, Scores
from evenhand.comparing import Compared, Settings, compare
from evenhand.comparing.ability import abilities
from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.growth import growth
from evenhand.comparing.harm import judged_able, of_both
from evenhand.comparing.sharing import Paired
from evenhand.contrasts import Floats
from evenhand.corpora import Corpus
from evenhand.systems import Output
from evenhand.systems.meaning import high_is

Size = Literal["smaller", "larger", "cannot tell"]


@dataclass(frozen=True)
class GapDifference:
    """One question put to two systems: the gap of each, and their paired difference, other minus one."""

    one_called: str
    other_called: str
    shares: bool
    """Whether all numbers are shares of the outputs' ranges, because these differ."""
    one: Finding
    """What an audit of the first system finds on these sentences, without what it rests on."""
    other: Finding
    difference: Finding
    """Its verdict: the other's gap is higher (further towards the first group), lower, equivalent, or cannot tell."""
    size: Size
    """Whether the other's gap is shown to be smaller or larger than the one's, whichever group scores higher."""
    changed_sides: bool
    """Whether both gaps are shown, and another group scores higher in each."""
    growth: float | None = None
    """How much larger the other's gap is than the one's, whichever group scores higher; negative where it shrank."""
    growth_interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class GapDifferences:
    """All differences of a comparison, and the family that they were corrected for."""

    found: tuple[GapDifference, ...]
    family: dict[str, Any]


def gap_differences(
    pairs: Sequence[Paired],
    corpus: Corpus,
    *,
    attributes: Sequence[str],
    subsets: Sequence[str],
    settings: Settings,
    in_pairs: bool = False,
) -> GapDifferences:
    """Compare the gaps of the paired systems: each question is corrected for all questions about differences.

    With `in_pairs`, more than three groups are compared in pairs too.
    """

    def judged(parts: Sequence[Scores]) -> Compared:
        return compare(
            Scores.join(parts), corpus, attributes=attributes, subsets=subsets, settings=settings, pairs=in_pairs
        )

    differences = judged([_combined(pair, pair.other.matrix - pair.one.matrix) for pair in pairs])
    sums = judged([_combined(pair, pair.other.matrix + pair.one.matrix) for pair in pairs])
    one, other = ([pair.one for pair in pairs], [pair.other for pair in pairs])
    alone = [_with_ability(judged(parts), parts, corpus, settings) for parts in (one, other)]
    asked = zip(*alone, differences.findings, sums.findings, strict=True)
    questions = len(alone[0]) // sum(len(pair.one.columns) for pair in pairs)
    of_finding = [pair for pair in pairs for _ in range(len(pair.one.columns) * questions)]
    found = [_difference(pair, four, settings) for pair, four in zip(of_finding, asked, strict=True)]
    return GapDifferences(tuple(found), differences.family)


def _with_ability(
    compared: Compared, parts: Sequence[Scores], corpus: Corpus, settings: Settings
) -> tuple[Finding, ...]:
    scores = Scores.join(parts)
    able = abilities(scores, corpus, alpha=settings.alpha, seed=settings.seed)
    return judged_able(compared.findings, able, scores=scores, corpus=corpus)


def _combined(pair: Paired, matrix: Floats) -> Scores:
    """Scores of both systems, added or subtracted: numbers without bounds, whose unit is the width of the range."""
    columns = [
        Column(
            f"{pair.other_called} − {pair.one_called}",
            Output(
                column.output.name,
                low=None,
                high=None,
                unit=column.output.span,
                kind=column.output.kind,
                high_is=high_is(column.output),
            ),
            None,
            max(one.draws, column.draws),
            _spread(one, column),
        )
        for one, column in zip(pair.one.columns, pair.other.columns, strict=True)
    ]
    return Scores(pair.one.ids, matrix, tuple(columns), pair.one.corpus_digest)


def _spread(one: Column, other: Column) -> float | None:
    """How far draws lie apart, of two systems together."""
    known = [column.draw_spread for column in (one, other) if column.draw_spread is not None]
    return sum(spread**2 for spread in known) ** 0.5 if known else None


def _difference(pair: Paired, four: tuple[Finding, Finding, Finding, Finding], settings: Settings) -> GapDifference:
    one, other, difference, total = four
    grown, interval = growth(difference, total, settings)
    return GapDifference(
        one_called=pair.one_called,
        other_called=pair.other_called,
        shares=pair.shares,
        one=one,
        other=other,
        difference=of_both(difference, one, other),
        size=_size(difference, total),
        changed_sides=_side(one) * _side(other) < 0,
        growth=grown,
        growth_interval=interval,
    )


def _size(difference: Finding, total: Finding) -> Size:
    same_side = _side(difference) * _side(total)
    return "larger" if same_side > 0 else "smaller" if same_side < 0 else "cannot tell"


def _side(finding: Finding) -> int:
    """1 or −1 where a gap is shown, whether or not it is too small to matter; else 0."""
    general = finding.generalising
    if not general.significant or not general.estimate:
        return 0
    return 1 if general.estimate > 0 else -1
