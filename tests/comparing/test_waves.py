"""Asking in waves, by simulation through the way that audits go: a corpus with names, `compare`, and `looked`.

`benchmarks/sequential.py` simulates the rule; here the rule is used as it is written for audits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare
from evenhand.comparing.sequential import Question, Waves, looked
from evenhand.corpora import Corpus
from evenhand.corpora.balanced import balanced_sources
from evenhand.corpora.names import first_names, with_names
from evenhand.systems.base import Output

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]

WAVES = Waves((5, 10, 15, 20, 25))
TOLERANCE, FIXED = 0.02, 40 * 2 * 144
"""The tolerance δ, and the fixed design of the page: 40 names a group in all 144 sentences of the EEC."""
SETTINGS = Settings(equivalence=TOLERANCE)
SYSTEMS = 300
LUCK = 3 * (0.05 * 0.95 / SYSTEMS) ** 0.5
MOST, LEAST = 0.05 + LUCK, 0.95 - LUCK


@cache
def asked() -> Corpus:
    """25 names for each race and gender in 44 sentences, asked about race alone."""
    return balanced_sources(with_names("eec", per_cell=25, seed=3))


@dataclass(frozen=True)
class World:
    """What varies in simulated systems: standard deviations, and the true gap between the races."""

    gap: float = 0.0
    names: float = 0.03
    noise: float = 0.05
    name_template: float = 0.02
    draw: Draw = lambda rng, shape: rng.normal(size=shape)
    groups: tuple[float, float] = (1.0, 1.0)
    """By how much more the names of one race vary."""
    emotion: float = 0.0
    """How much the gap differs between emotions, over systems."""

    def scores(self, corpus: Corpus, systems: int, seed: int) -> Floats:
        """(sentences, systems)."""
        rng = np.random.default_rng(seed)
        frame = corpus.frame
        person, template = (frame[name].rank("dense").to_numpy() - 1 for name in ("person", "template"))
        emotion = frame["emotion"].fill_null("").rank("dense").to_numpy() - 1
        black = frame["race"].to_numpy() == corpus.attributes["race"][0]
        side = np.where(black, 0.5, -0.5)[:, None]
        spread = np.where(black, *self.groups)[:, None]
        named = self.names * self.draw(rng, (int(person.max()) + 1, systems))[person] * spread
        both = np.unique(person * 1_000 + template, return_inverse=True)[1]
        in_template = rng.normal(0, self.name_template, (int(both.max()) + 1, systems))[both]
        gaps = self.gap + rng.normal(0, self.emotion, (int(emotion.max()) + 1, systems))[emotion]
        return 0.5 + named + in_template + side * gaps + rng.normal(0, self.noise, named.shape)


@dataclass(frozen=True)
class Ended:
    """How the systems came out: shares, how often the interval held the gap, and the mean number of calls."""

    equivalent: float
    different: float
    holds_at_stop: float
    always_holds: float
    calls: float

    @property
    def saved(self) -> float:
        return 1 - self.calls / FIXED


def ended(world: World, *, spending: bool = True, settings: Settings = SETTINGS, seed: int = 0) -> Ended:
    """Ask so many systems in waves, as `verbs/settle.py` asks one."""
    corpus = asked()
    matrix = world.scores(corpus, SYSTEMS, seed)
    columns = tuple(Column(f"system {number}", Output("score", low=0, high=1), None) for number in range(SYSTEMS))
    place = {id_: row for row, id_ in enumerate(corpus.frame["id"])}
    questions: list[Question] = []
    calls = np.zeros(SYSTEMS)
    for number, names in enumerate(WAVES.names):
        going = [one for one in range(SYSTEMS) if not questions or not questions[one].stopped]
        if not going:
            break
        reached = first_names(corpus, names)
        rows = [place[id_] for id_ in reached.frame["id"]]
        scores = Scores(
            tuple(reached.frame["id"]),
            matrix[np.ix_(rows, going)],
            tuple(columns[one] for one in going),
            reached.digest,
        )
        look = WAVES.looks(settings, comparisons=2)[number]
        if not spending:
            look = replace(look, alpha=settings.alpha, small_alpha=settings.alpha)
        found = compare(scores, reached, attributes=["race"], settings=look).findings
        fresh = looked([questions[one] for one in going] if questions else [], found, look, names)
        questions = questions or list(fresh)
        for one, question in zip(going, fresh, strict=True):
            questions[one] = question
        calls[going] = len(reached)
    return _summed(questions, calls, world.gap)


def _summed(questions: list[Question], calls: Floats, gap: float) -> Ended:
    verdicts = [question.finding.verdict for question in questions]
    holds = [
        [look.interval is not None and look.interval[0] <= gap <= look.interval[1] for look in question.looks]
        for question in questions
    ]
    return Ended(
        equivalent=float(np.mean([one == "equivalent" for one in verdicts])),
        different=float(np.mean([one in ("higher", "lower") for one in verdicts])),
        holds_at_stop=float(np.mean([one[-1] for one in holds])),
        always_holds=float(np.mean([all(one) for one in holds])),
        calls=float(calls.mean()),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("world", "saved"), [
    (World(), 0.60),
    (World(names=0.01), 0.80),
    (World(gap=TOLERANCE), 0.60),
    (World(gap=2.5 * TOLERANCE), 0.85),
    (World(draw=lambda rng, shape: np.asarray(rng.standard_t(3, size=shape) / np.sqrt(3))), 0.55),
    (World(groups=(1.5, 0.5)), 0.50),
    (World(emotion=0.01), 0.55),
], ids=["gap 0", "gap 0, names .01", "gap δ", "gap 2.5 δ", "t3 names", "unequal spreads", "by emotion"])  # fmt: skip
def test_audits_in_waves_are_right_and_save_calls(world: World, saved: float) -> None:
    found = ended(world)
    assert (found.different if world.gap == 0 else found.equivalent) <= MOST
    assert found.holds_at_stop >= LEAST
    assert found.always_holds >= LEAST
    assert found.saved >= saved


@pytest.mark.slow
def test_looking_without_paying_for_it_finds_gaps_that_are_not_there() -> None:
    """One question at 5 %, which nobody can show to be small: every interval that misses zero is a false alarm.

    Verdicts are wrong less often, as they must hang on no single name; that is no reason to look for nothing.
    """
    alone = replace(SETTINGS, equivalence=0.0001, correction="none")
    paid, free = (ended(World(), spending=spending, settings=alone) for spending in (True, False))
    assert paid.always_holds >= LEAST
    assert free.always_holds < 0.90
