"""Scores → findings: every comparison for every system at once, with both answers to "is it significant?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.comparing.family import Family
from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.comparing.verdicts import findings
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError
from evenhand.findings import Finding
from evenhand.scoring import Scores

__all__ = ["Comparison", "Settings", "compare"]


@dataclass(frozen=True)
class Comparison:
    """The findings of one audit, and the family that its p-values were adjusted over."""

    findings: tuple[Finding, ...]
    assessments: int
    """Systems × outputs × comparisons on the full corpus."""
    threshold: float
    """The raw p below which the published test counts as significant."""
    generalising_threshold: float


def compare(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    subsets: Sequence[str] = ("all",),
    settings: Settings | None = None,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
) -> Comparison:
    """Compare the groups of each attribute on each subset.

    The family for the correction is that of the full corpus, whatever the subsets asked for: they reuse its threshold.
    `pieces` gives, by system, how many pieces its tokeniser makes of each person.
    """
    settings = settings or Settings()
    if scores.corpus_digest != corpus.digest:
        raise EvenhandError("these scores were made for another corpus (or another version of it)")
    names = list(dict.fromkeys(attributes or corpus.attributes))

    def test(subset: str) -> list[Tested]:
        made = [one for name in names for one in contrasts(corpus, name, subset=subset)]
        return [Tested(one, corpus, scores, settings) for one in made]

    full = test("all")
    family = Family.of(full, settings)
    found: list[Finding] = []
    for subset in dict.fromkeys(subsets):
        for tested in full if subset == "all" else test(subset):
            found += findings(tested, family, pieces or {})
    order = {(column.system, column.output.name): place for place, column in enumerate(scores.columns)}
    found.sort(key=lambda finding: order[finding.system, finding.output])
    return Comparison(tuple(found), family.size, family.published.threshold, family.general.threshold)
