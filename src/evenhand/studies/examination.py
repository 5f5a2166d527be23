"""Studies of many systems: every comparison for every submission at once, and what one p is worth among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evenhand.asking import Column, Scores
from evenhand.comparing.ability import abilities
from evenhand.comparing.family import Adjustment, Family
from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.harm import judged_able
from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.comparing.verdicts import findings as judged
from evenhand.contrasts import Contrast, contrasts
from evenhand.corpora import Corpus
from evenhand.studies.against import Against, Change, against
from evenhand.studies.reading import Submissions
from evenhand.studies.tables import Group, Table, direction, grouped, published_group
from evenhand.systems.base import Output

NEUTRAL = "neutral"
OWN_WORDS = "own words"
EMOTION = "emotion"
"""The column of a corpus that names the emotion of a sentence's words: the dimension's own words have its name."""
BESIDE = ("bonferroni", "holm", "bh")


@dataclass(frozen=True)
class Question:
    """One table's comparison; the sentences may depend on the dimension."""

    attribute: str
    first: str
    second: str
    subset: str
    contrasts: Mapping[str | None, Contrast]
    """By dimension; None: the same for all."""


class Examination:
    """The questions, the family that corrects them, and the findings of each by the place of the submission."""

    def __init__(
        self,
        submissions: Submissions,
        corpus: Corpus,
        settings: Settings,
        attributes: Sequence[str],
        *,
        evidence: bool,
    ) -> None:
        self._members = submissions.members
        self._scores = submissions.scores
        self._corpus = corpus
        self._settings = settings
        self._dimensions = list(dict.fromkeys(member.dimension for member in self._members))
        self.questions = self._asked(attributes)
        full = {
            name: Tested(question.contrasts[None], corpus, self._scores, settings)
            for name, question in self.questions.items()
            if question.subset == "all"
        }
        self.family = Family.of(list(full.values()), settings)
        raw = np.concatenate([tested.published.p for tested in full.values()])
        self._others = {
            correction: Adjustment.of(raw, replace(settings, correction=correction))
            for correction in BESIDE
            if correction != settings.correction
        }
        able = abilities(self._scores, corpus, alpha=settings.alpha, seed=settings.seed)
        self.found: dict[str, dict[int, Finding]] = {}
        for name, question in self.questions.items():
            self.found[name] = {}
            for dimension, contrast in question.contrasts.items():
                places = self._places(dimension)
                tested = full.get(name) or Tested(contrast, corpus, self._part(places), settings)
                mine = judged(tested, self.family, evidence=evidence and question.subset == "all", study=True)
                known = judged_able(mine, able, scores=self._scores, corpus=corpus)
                self.found[name] |= zip(places, known, strict=True)

    def _asked(self, attributes: Sequence[str]) -> dict[str, Question]:
        asked: dict[str, Question] = {}
        for subset in ("all", NEUTRAL, OWN_WORDS):
            for attribute in attributes:
                made = self._contrasts(attribute, subset)
                pairs = dict.fromkeys((one.first, one.second) for _, one in made)
                for first, second in pairs:
                    name = attribute if len(pairs) == 1 else f"{attribute}: {first} − {second}"
                    mine = {dimension: one for dimension, one in made if (one.first, one.second) == (first, second)}
                    name = name if subset == "all" else f"{name}_{subset.replace(' ', '_')}"
                    asked[name] = Question(attribute, first, second, subset, mine)
        # All tables of an attribute stand together.
        order = {attribute: place for place, attribute in enumerate(attributes)}
        return dict(sorted(asked.items(), key=lambda item: order[item[1].attribute]))

    def _contrasts(self, attribute: str, subset: str) -> list[tuple[str | None, Contrast]]:
        if subset == "all":
            return [(None, one) for one in contrasts(self._corpus, attribute)]
        if subset == NEUTRAL:
            known = NEUTRAL in self._corpus.subsets
            return [(None, one) for one in contrasts(self._corpus, attribute, subset=NEUTRAL)] if known else []
        emotions = set(self._corpus.frame[EMOTION]) if EMOTION in self._corpus.frame.columns else set()
        return [
            (dimension, one)
            for dimension in self._dimensions
            if dimension in emotions
            for one in contrasts(self._corpus, attribute, subset=f"{EMOTION}={dimension}")
        ]

    def _places(self, dimension: str | None) -> list[int]:
        return [place for place, member in enumerate(self._members) if dimension in (None, member.dimension)]

    def _part(self, places: Sequence[int]) -> Scores:
        if len(places) == len(self._members):
            return self._scores
        columns = tuple(self._scores.columns[place] for place in places)
        return Scores(self._scores.ids, self._scores.matrix[:, places], columns, self._scores.corpus_digest)

    def by_dimension(self, name: str) -> dict[str, list[Finding]]:
        """A table's findings."""
        found: dict[str, list[Finding]] = {}
        for place, finding in self.found[name].items():
            found.setdefault(self._members[place].dimension, []).append(finding)
        return {dimension: found[dimension] for dimension in self._dimensions if dimension in found}

    def tables(self, group_of: Callable[[Finding], Group]) -> dict[str, Table]:
        """Every question as a table, by one of the two tests."""
        return {name: self._table(name, group_of) for name in self.questions}

    def _table(self, name: str, group_of: Callable[[Finding], Group]) -> Table:
        question, findings = self.questions[name], self.by_dimension(name)
        some = next(iter(self.found[name].values()))
        others = {}
        if group_of is published_group:
            for correction, adjustment in self._others.items():
                rows = grouped(findings, partial(_group_by, by=adjustment))
                others[correction] = {d: {g: row.submissions for g, row in r.items()} for d, r in rows.items()}
        return Table(
            name=name,
            attribute=question.attribute,
            first=question.first,
            second=question.second,
            subset=question.subset,
            n={dimension: members[0].n for dimension, members in findings.items()},
            rows=grouped(findings, group_of),
            corrections=others,
            not_there={d: f"there are no words for {d} in the corpus" for d in self._dimensions if d not in findings},
            first_label=some.first_label,
            second_label=some.second_label,
        )

    def against(self, baseline: str) -> dict[str, dict[int, Against]]:
        """Each submission on all sentences beside the baseline's for the same dimension."""
        found: dict[str, dict[int, Against]] = {
            name: {} for name, question in self.questions.items() if question.subset == "all"
        }
        for dimension in self._dimensions:
            places = self._places(dimension)
            theirs = next((place for place in places if self._members[place].system == baseline), None)
            others = [place for place in places if place != theirs]
            if theirs is None or not others:
                continue
            changes = self._changes(others, theirs)
            for name in found:
                tested = Tested(self.questions[name].contrasts[None], self._corpus, changes, self._settings)
                for number, place in enumerate(others):
                    change = self._change(tested, number)
                    found[name][place] = against(self.found[name][place], self.found[name][theirs], change)
        return found

    def _change(self, tested: Tested, number: int) -> Change:
        test, parts, family = tested.published, tested.components, self.family
        shown = test.p[number] < family.published.threshold
        general: float | None = None
        ends: Interval | None = None
        if parts is not None and not parts.too_thin[number]:
            low, high = parts.interval(1 - self._settings.alpha)
            ends = (float(low[number]), float(high[number]))
            general = float(parts.estimate[number]) if tested.general_p[number] < family.over_all.threshold else 0.0
        these = (float(test.low[number]), float(test.high[number]))
        mean = float(test.mean[number])
        return Change(mean, mean if shown else 0.0, these, general, ends)

    def _changes(self, places: Sequence[int], baseline: int) -> Scores:
        matrix = self._scores.matrix[:, places] - self._scores.matrix[:, [baseline]]
        columns = [self._scores.columns[place] for place in places]
        made = tuple(Column(c.system, Output(c.output.name, None, None, unit=c.output.span), None) for c in columns)
        return Scores(self._scores.ids, matrix, made, self._scores.corpus_digest)


def _group_by(finding: Finding, *, by: Adjustment) -> Group:
    adjusted = by.adjust(finding.p, member=finding.subset == "all")
    return direction(finding.mean_difference, significant=adjusted < by.alpha)
