"""Scores → findings: every comparison for every system at once, with both answers to "is it significant?"."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.asking import Scores
from evenhand.comparing.family import Family
from evenhand.comparing.findings import Finding
from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.comparing.verdicts import findings
from evenhand.contrasts import CROSS, Contrast, contrasts
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError

log = logging.getLogger(__name__)

__all__ = ["Compared", "Settings", "check_questions", "compare"]


@dataclass(frozen=True)
class Compared:
    """The findings of one audit, and the family that its p-values were adjusted over."""

    findings: tuple[Finding, ...]
    assessments: int
    """Systems × outputs × comparisons on the full corpus."""
    threshold: float
    """The raw p below which the published test counts as significant."""
    generalising_threshold: float

    @property
    def family(self) -> dict[str, Any]:
        """What the p-values were corrected for; part of the provenance."""
        return {
            "assessments": self.assessments,
            "threshold": self.threshold,
            "generalising_threshold": self.generalising_threshold,
        }


def check_questions(corpus: Corpus, attributes: Sequence[str] | None, subsets: Sequence[str]) -> None:
    """Refuse what `compare` would refuse, before hours of asking and not after."""
    for subset in subsets:
        corpus.mask(subset)
    for name in attributes or corpus.attributes:
        contrasts(corpus, name)


def compare(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    subsets: Sequence[str] = ("all",),
    settings: Settings | None = None,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
) -> Compared:
    """Compare the groups of each attribute on each subset.

    The family for the correction is that of the full corpus, whatever the subsets asked for: they reuse its threshold.
    `pieces` gives, by system, how many pieces its tokeniser makes of each person.
    """
    settings = settings or Settings()
    if scores.corpus_digest != corpus.digest:
        raise EvenhandError("these scores were made for another corpus (or another version of it)")
    # race+gender and gender+race ask the same.
    names = list(
        {frozenset(name.split(CROSS)): name for name in reversed(attributes or list(corpus.attributes))}.values()
    )
    names.reverse()

    def test(subset: str) -> list[Tested]:
        corpus.mask(subset)  # a misspelt name is refused once, and not for each attribute
        made: list[Contrast] = []
        refusals: list[UsageError] = []
        for name in names:
            try:
                made += contrasts(corpus, name, subset=subset)
            except UsageError as error:
                # Asked for everything there is, a subset without one of the groups is no mistake.
                if attributes or subset == "all":
                    raise
                log.info("left out: %s", error)
                refusals.append(error)
        if not made:
            raise refusals[0]
        return [Tested(one, corpus, scores, settings) for one in made]

    full = test("all")
    family = Family.of(full, settings)
    found: list[Finding] = []
    for subset in dict.fromkeys(subsets):
        for tested in full if subset == "all" else test(subset):
            found += findings(tested, family, pieces)
    order = {(column.system, column.output.name): place for place, column in enumerate(scores.columns)}
    found.sort(key=lambda finding: order[finding.system, finding.output])
    return Compared(tuple(found), family.size, family.published.threshold, family.general.threshold)
