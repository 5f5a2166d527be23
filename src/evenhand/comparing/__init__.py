"""Scores → findings: every comparison for every system at once, with both answers to "is it significant?"."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.asking import Scores
from evenhand.comparing.family import NEEDS_ALL_P, Family
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
    """The raw p below which a system's generalising test counts; the smallest where systems differ in their outputs."""
    families: Mapping[str, Mapping[str, float]]
    """By system: how many comparisons the corpus asks of it, and the threshold that follows."""

    @property
    def family(self) -> dict[str, Any]:
        """What the p-values were corrected for; part of the provenance."""
        return {
            "assessments": self.assessments,
            "threshold": self.threshold,
            "generalising_threshold": self.generalising_threshold,
            "families": {system: dict(one) for system, one in self.families.items()},
        }


def check_questions(
    corpus: Corpus, attributes: Sequence[str] | None, subsets: Sequence[str], *, pairs: bool = False
) -> None:
    """Refuse what `compare` would refuse, before hours of asking and not after."""
    for subset in subsets:
        corpus.mask(subset)
    for name in attributes or corpus.attributes:
        contrasts(corpus, name, pairs=pairs)


def compare(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    subsets: Sequence[str] = ("all",),
    settings: Settings | None = None,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
    pairs: bool = False,
) -> Compared:
    """Compare the groups of each attribute on each subset: in pairs, or each of more than three with the rest.

    With `pairs`, more than three groups are compared in pairs as well; no other verdict changes.

    Verdicts are corrected for all comparisons that the corpus asks of one system, whatever is asked for here; subsets
    reuse that threshold. The published test is corrected for all systems and comparisons on the full corpus.
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
                made += contrasts(corpus, name, subset=subset, pairs=pairs)
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
    others = [name for name in corpus.attributes if name not in names] if settings.correction in NEEDS_ALL_P else []
    beside = [Tested(one, corpus, scores, settings) for name in others for one in contrasts(corpus, name)]
    family = Family.of(full, settings, beside=beside)
    found: list[Finding] = []
    for subset in dict.fromkeys(subsets):
        for tested in full if subset == "all" else test(subset):
            found += findings(tested, family, pieces)
    order = {(column.system, column.output.name): place for place, column in enumerate(scores.columns)}
    found.sort(key=lambda finding: order[finding.system, finding.output])
    each = family.of_each_system
    return Compared(
        findings=tuple(found),
        assessments=family.size,
        threshold=family.published.threshold,
        generalising_threshold=min(one["threshold"] for one in each.values()),
        families=each,
    )
