"""Whether intervals of decisions hold the truth: systems whose selection rates and flips are known, by the hundred.

Scores are sums of normal effects (word, template, person, noise) and a gap. So the truth is known: two persons in the
same sentence share its template and its word, and nothing else, which is a normal distribution in two dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats

from evenhand.comparing.flipping import Estimate, Sides
from evenhand.contrasts import contrast
from evenhand.corpora import eec

Floats = npt.NDArray[np.float64]

SYSTEMS, CHUNK = 400, 200
SEED = 20_261_118
LEAST_COVERAGE = 0.935
LEVEL = 0.95
ASKED = ("gender", "race")
RARE = (0.0, 1.0, 1.65, 2.3)
"""Thresholds, in standard deviations above the mean: about 50, 16, 5 and 1 % are selected."""


@dataclass(frozen=True)
class World:
    """What varies in a made-up system, as standard deviations; all of it has mean zero but for `gap`."""

    word: float = 0.15
    noise: float = 0.05
    person: float = 0.0
    template: float = 0.0
    person_template: float = 0.0
    gap_by_template: float = 0.0
    gap_by_word: float = 0.0
    gap: float = 0.0

    @property
    def shared(self) -> float:
        """The variance that two persons in the same sentence have in common."""
        return self.word**2 + self.template**2 - self._opposed

    @property
    def variance(self) -> float:
        """The variance of a score."""
        return self.shared + 2 * self._opposed + self.person**2 + self.person_template**2 + self.noise**2

    @property
    def _opposed(self) -> float:
        return (self.gap_by_template**2 + self.gap_by_word**2) / 4

    def systems(self, attribute: str, rng: np.random.Generator, n: int) -> Floats:
        """Scores of n systems on the original corpus: (sentences, n)."""
        person, template, word = (_codes(name) for name in ("person", "template", "emotion_word"))
        both = person * (template.max() + 1) + template

        def effects(codes: npt.NDArray[np.int64], sd: float) -> Floats:
            return rng.normal(scale=sd, size=(int(codes.max()) + 1, n))[codes] if sd else np.zeros((len(codes), n))

        labels, (first, second) = eec().frame[attribute].to_numpy(), eec().attributes[attribute]
        side = ((labels == first).astype(np.float64) - (labels == second))[:, None] / 2
        scores = effects(np.arange(len(person)), self.noise) + effects(word, self.word)
        scores += effects(template, self.template) + effects(person, self.person) + effects(both, self.person_template)
        gap = self.gap + effects(template, self.gap_by_template) + effects(word, self.gap_by_word)
        return np.asarray(scores + side * gap)

    def truth(self, threshold: float) -> dict[str, float]:
        """The rates, what follows from them, and the flips."""
        ends = np.array([self.gap / 2, -self.gap / 2]) - threshold
        first, second = stats.norm.cdf(ends / self.variance**0.5)
        covariance = [[self.variance, self.shared], [self.shared, self.variance]]
        both = float(stats.multivariate_normal.cdf(ends, mean=[0, 0], cov=covariance))
        return {
            "first": first,
            "second": second,
            "difference": first - second,
            "ratio": first / second,
            "first_only": first - both,
            "second_only": second - both,
        }


WORLDS = {
    "noise": World(),
    "persons": World(person=0.03),
    "persons, gap": World(person=0.03, gap=0.03),
    "templates": World(template=0.1),
    "persons, templates": World(person=0.03, template=0.1, person_template=0.02),
    "gap by template": World(person=0.02, template=0.05, gap_by_template=0.03),
    "all of it": World(
        person=0.03, person_template=0.02, template=0.1, gap_by_template=0.02, gap_by_word=0.02, gap=0.02
    ),
    "strong templates": World(template=0.3, word=0.1, person=0.02),
}
PERSONS_DECIDE = {
    "strong persons": World(person=0.1, word=0.1, template=0.05),
    "strong persons, gap": World(person=0.1, word=0.1, gap=0.05),
    "nearly nothing but persons": World(person=0.1, word=0.02, noise=0.02),
}
"""Here a decision depends on the person as much as on the sentence, or more: ten pairs say little about others."""


def estimates(attribute: str, decisions: Floats) -> dict[str, Estimate]:
    """Everything that has an interval."""
    sides = Sides(contrast(eec(), attribute))
    return {
        "first": sides.rate(decisions, first=True, level=LEVEL),
        "second": sides.rate(decisions, first=False, level=LEVEL),
        "difference": sides.difference(decisions, level=LEVEL),
        "ratio": sides.ratio(decisions, level=LEVEL),
        "first_only": sides.flips(decisions, level=LEVEL),
        "second_only": sides.flips(1 - decisions, level=LEVEL),
    }


def counted(
    world: World, attribute: str, rarity: float, *, rng: np.random.Generator, systems: int = SYSTEMS
) -> dict[str, tuple[int, int]]:
    """Of each estimate: how many systems got an interval, and how many of these do not hold the truth."""
    threshold = rarity * world.variance**0.5
    truth = world.truth(threshold)
    found = dict.fromkeys(truth, (0, 0))
    for _ in range(0, systems, CHUNK):
        decisions = (world.systems(attribute, rng, CHUNK) > threshold).astype(np.float64)
        for name, one in estimates(attribute, decisions).items():
            given = ~np.isnan(one.low)
            wrong = given & ~((one.low <= truth[name]) & (truth[name] <= one.high))
            found[name] = found[name][0] + int(given.sum()), found[name][1] + int(wrong.sum())
    return found


def run() -> list[tuple[str, str, str, str]]:
    """One row per kind of world, threshold and estimate: how often there is an interval, and how often it is right."""
    rng = np.random.default_rng(SEED)
    rows = []
    for kind, worlds in (("", WORLDS), (", persons decide", PERSONS_DECIDE)):
        for rarity in RARE:
            parts = [counted(world, attribute, rarity, rng=rng) for world in worlds.values() for attribute in ASKED]
            asked = SYSTEMS * len(parts)
            for names in (("first", "second"), ("difference",), ("ratio",), ("first_only", "second_only")):
                cells = [part[name] for part in parts for name in names]
                given, wrong = (sum(cell[place] for cell in cells) for place in (0, 1))
                worst = max(wrong / SYSTEMS for _, wrong in cells)
                right = 1 - wrong / given if given else float("nan")
                # Where hardly anybody gets an interval, what counts is that hardly anybody gets a wrong one.
                met = right >= LEAST_COVERAGE or wrong / (asked * len(names)) <= 1 - LEVEL
                what = f"{' and '.join(names)}, {100 * stats.norm.sf(rarity):.0f} % selected{kind}"
                share = 100 * given / (asked * len(names))
                measured = f"{100 * right:.1f} % right, {share:.0f} % given, at worst {100 * worst:.1f} % wrong"
                rows.append((what, measured, f">= {100 * LEAST_COVERAGE:g} %", "yes" if met else "no"))
    return rows


def _codes(column: str) -> npt.NDArray[np.int64]:
    # A sentence without an emotion word is a word of its own.
    filled = eec().frame[column].fill_null(eec().frame["source"])
    return filled.cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
