"""The gap between names that are alike, by simulation: systems of which it is known what they react to.

Names are drawn from the pool, unmatched, in 24 sources of the EEC. Each name has a luck of its own (standard deviation
.03), the gap differs a little by template (.005), and each sentence has its noise (.02).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand.asking import Column, Scores
from evenhand.comparing import compare
from evenhand.comparing.signals import Effect, Signal, signals
from evenhand.corpora import Corpus
from evenhand.corpora.known_names import known_names
from evenhand.corpora.names import with_names
from evenhand.systems.base import Output

SYSTEMS, DRAWS = 250, 4
"""Systems for each draw of names, and draws of names."""
SOURCES = 24
LEAST_COVERAGE = 0.935
NAME, TEMPLATE, NOISE = 0.03, 0.005, 0.02

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """What systems react to: how common a name is (log 10 of the bearers), and whether it is of the first group."""

    name: str
    by_frequency: Callable[[float], float]
    gap: float
    per_cell: int = 40


WORLDS = (
    World("nothing", lambda common: 0.0, 0.0),
    World("frequency", lambda common: 0.06 * common, 0.0),
    World("frequency, 20 a cell", lambda common: 0.06 * common, 0.0, per_cell=20),
    World("frequency, 160 a cell", lambda common: 0.06 * common, 0.0, per_cell=160),
    World("a step in frequency", lambda common: 0.1 * (common > 3.2), 0.0),
    World("very common names", lambda common: 0.08 * max(common - 3.5, 0), 0.0),
    World("the group", lambda common: 0.0, 0.03),
    World("both", lambda common: 0.06 * common, 0.03),
)


def run() -> list[tuple[str, str, str, str]]:
    """How often intervals hold the gap between names that are alike, and what is seen of the gap as drawn."""
    rows = []
    for world in WORLDS:
        found = looked(world, systems=SYSTEMS, draws=DRAWS)
        holds = coverage([one.adjusted for one in found], world.gap)
        drawn = shown([one.as_drawn for one in found])
        alike, strength = shown([one.adjusted for one in found]), shown([one.strength for one in found])
        measured = f"{holds:.1%}; shown: gap as drawn {drawn:.1%}, names alike {alike:.1%}, by share {strength:.1%}"
        goal, ok = f"at least {LEAST_COVERAGE:.1%}", "yes" if holds >= LEAST_COVERAGE else "no"
        rows.append((f"{world.name}: intervals hold the gap of {world.gap:g}", measured, goal, ok))
    return rows


def looked(world: World, *, systems: int, draws: int) -> list[Signal]:
    """What is found about systems of one world, each set of them asked about names of its own."""
    found: list[Signal] = []
    for seed in range(draws):
        corpus = with_names("eec", per_cell=world.per_cell, seed=seed).sample(world.per_cell * 4 * SOURCES, seed=seed)
        columns = tuple(Column(f"s{number}", Output("score", 0.0, 1.0), None) for number in range(systems))
        matrix = answers(corpus, world, systems=systems, generator=np.random.default_rng(seed))
        scores = Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)
        # Of a finding, only what it is about matters here.
        (one,) = compare(scores.pick([0]), corpus, attributes=["race"]).findings
        findings = [replace(one, system=column.system) for column in columns]
        found += signals(findings, scores, corpus, alpha=0.05)
    return found


def answers(corpus: Corpus, world: World, *, systems: int, generator: np.random.Generator) -> Floats:
    """What each system says to each sentence: (sentences, systems)."""
    known = known_names(corpus)
    people = corpus.frame["person"].unique(maintain_order=True).to_list()
    place = {person: number for number, person in enumerate(people)}
    person = np.array([place[one] for one in corpus.frame["person"]])
    template, source = (corpus.frame[one].rank("dense").to_numpy().astype(int) - 1 for one in ("template", "source"))
    first = np.array([known[one].race == "Black" for one in people])
    mean = np.array([world.by_frequency(np.log10(known[one].bearers)) for one in people]) + world.gap * first

    def drawn(spread: float, number: int) -> Floats:
        return generator.normal(0, spread, (number, systems))

    names = mean[:, None] + drawn(NAME, len(people))
    gaps = drawn(TEMPLATE, template.max() + 1)[template] * first[person][:, None]
    return np.asarray(names[person] + drawn(0.1, source.max() + 1)[source] + gaps + drawn(NOISE, len(corpus)))


def coverage(effects: list[Effect | None], truth: float) -> float:
    """The share of intervals that hold the truth; what has none holds nothing."""
    return float(np.mean([one is not None and _holds(one, truth) for one in effects]))


def shown(effects: list[Effect | None]) -> float:
    """The share of intervals that do not hold zero."""
    return float(np.mean([one is not None and one.interval is not None and not _holds(one, 0.0) for one in effects]))


def _holds(effect: Effect, truth: float) -> bool:
    return effect.interval is not None and effect.interval[0] <= truth <= effect.interval[1]
