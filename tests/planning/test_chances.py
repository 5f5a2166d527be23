"""Chances: those that simulations of every single score find, those that the tool's own verdicts come to."""

from __future__ import annotations

import importlib.util
import math
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from evenhand.asking import Column, Scores
from evenhand.comparing import tested as testing
from evenhand.comparing.family import Family
from evenhand.comparing.sequential import Waves
from evenhand.comparing.settings import Settings
from evenhand.comparing.verdicts import findings
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus
from evenhand.corpora.asked_names import Names
from evenhand.corpora.balanced import balanced_sources
from evenhand.planning import Design, Drawn, Spreads
from evenhand.planning.chances import InWaves, Judge, Level, in_waves, shares
from evenhand.planning.questions import Goal
from evenhand.planning.simulation import Reached, expected_variances, reached
from evenhand.systems import Output

HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "sequential.py"
SYSTEMS = 2_000
DELTA = 0.02
TABLE = Spreads(names=0.03, noise=0.05, name_template=0.02)


@cache
def simulation() -> ModuleType:
    """The benchmark that draws every score and takes every look from the scores."""
    spec = importlib.util.spec_from_file_location("benchmarks_sequential_of_plans", HERE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def design() -> Design:
    made = simulation()
    return Design.plain([made.IN_WAVES.template, made.IN_WAVES.word], names=50)


@cache
def looks(spreads: Spreads, names: tuple[int, ...], systems: int = SYSTEMS) -> tuple[Reached, ...]:
    return tuple(reached(design(), spreads, names, systems=systems, rng=np.random.default_rng(3)))


def waved(spreads: Spreads, gap: float, *, steady: bool = False, systems: int = SYSTEMS) -> InWaves:
    """As the benchmark asks: five looks, one comparison."""
    names = simulation().WAVES
    levels = Waves(names).looks(Settings(equivalence=DELTA), comparisons=1)
    judges = [Judge(Level.of(level, 1), delta=DELTA, steady=steady) for level in levels]
    return in_waves(looks(spreads, names, systems), judges, gap)


def calls(found: InWaves) -> float:
    names = np.array(simulation().WAVES)[found.last]
    return float(design().calls(1) * names.mean())


def error(share: float, *, of: int = SYSTEMS, and_of: int = SYSTEMS) -> float:
    """Three and a half standard errors of the difference of two shares."""
    known = min(max(share, 0.01), 0.99)
    return 3.5 * math.sqrt(known * (1 - known) * (1 / of + 1 / and_of))


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "spreads", "equivalent", "different", "asked"), [
    (0.0, TABLE, 0.748, 0.053, 3_683),
    (DELTA, TABLE, 0.038, 0.809, 3_032),
    (1.5 * DELTA, TABLE, 0.001, 0.992, 2_021),
    (2.5 * DELTA, TABLE, 0.0, 1.0, 1_192),
])  # fmt: skip
def test_the_published_table_comes_out(
    gap: float, spreads: Spreads, equivalent: float, different: float, asked: float
) -> None:
    found = waved(spreads, gap)
    assert found.equivalent == pytest.approx(equivalent, abs=error(equivalent, and_of=4_000))
    assert found.different == pytest.approx(different, abs=error(different, and_of=4_000))
    assert calls(found) == pytest.approx(asked, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "gap"), [("gap 0", 0.0), ("gap 0, names .01", 0.0), ("gap 0", DELTA), ("gap by template .01", 0.0)]
)
def test_every_score_drawn_comes_to_the_same(name: str, gap: float) -> None:
    made = simulation()
    world = replace({**made.WORLDS, **made.ROUGH}[name], gap=gap)
    spreads = Spreads(world.names[0], world.noise, world.name_template, world.gap_by_template)
    of_scores, mine = made.outcomes(world, systems=SYSTEMS, rule=made.Rule(early=False)), waved(spreads, gap)
    assert mine.equivalent == pytest.approx(of_scores.equivalent, abs=error(of_scores.equivalent))
    assert mine.different == pytest.approx(of_scores.different, abs=error(of_scores.different))
    assert calls(mine) == pytest.approx(of_scores.calls, rel=0.04)


@pytest.mark.slow
def test_leaving_out_names_and_templates_comes_to_the_same() -> None:
    made = simulation()
    of_scores = made.outcomes(made.World(), rule=made.Rule(steadiness=True), systems=500)
    mine = waved(TABLE, 0.0, steady=True)
    assert mine.equivalent == pytest.approx(of_scores.equivalent, abs=error(of_scores.equivalent, of=500))
    assert mine.different == pytest.approx(of_scores.different, abs=error(of_scores.different, of=500))


def test_asking_at_once_is_one_look() -> None:
    (one,) = looks(TABLE, (25,))
    single = Judge(Level(0.05, 0.05), delta=DELTA)
    judged = shares(single.verdicts(one, 0.0))
    (level,) = Waves((25,)).looks(Settings(equivalence=DELTA), comparisons=1)
    waves = in_waves([one], [Judge(Level.of(level, 1), delta=DELTA)], 0.0)
    assert (waves.equivalent, waves.different) == (judged["equivalent"], judged["different"])
    assert sum(judged.values()) == pytest.approx(1)


def test_the_same_seed_gives_the_same_and_a_gap_only_moves_the_estimates() -> None:
    one, two = (
        next(reached(design(), TABLE, [5], systems=10, rng=np.random.default_rng(seed))).whole for seed in (1, 1)
    )
    assert np.array_equal(one.estimate, two.estimate)
    (look,) = looks(TABLE, (25,))
    judge = Judge(Level(0.05, 0.05), delta=DELTA)
    up, down = (shares(judge.verdicts(look, gap)) for gap in (DELTA, -DELTA))
    assert up["different"] == pytest.approx(down["different"], abs=error(up["different"]))


def test_the_variance_is_what_the_formula_expects() -> None:
    """By hand: names .03² and the rest of a name's mean, in four strata with coefficients ±1/2, that is 1/n."""
    spreads = Spreads(names=0.03, noise=0.05, name_template=0.02)
    persons, rest = expected_variances(design(), spreads)
    template = design().groupings[0].weights
    assert persons == pytest.approx(0.03**2 + 0.05**2 / 44 + 0.02**2 * float(template @ template))
    assert rest == 0
    (one,) = looks(spreads, (25,))
    assert float(one.whole.estimate.var()) == pytest.approx(persons / 25, rel=0.1)
    assert float((one.whole.error**2).mean()) == pytest.approx(persons / 25, rel=0.1)


def test_what_names_do_not_shrink_is_expected_too() -> None:
    spreads = Spreads(names=0.001, template=0.03)
    _, rest = expected_variances(design(), spreads)
    (one,) = looks(spreads, (25,))
    assert float(one.rest.mean()) == pytest.approx(rest, rel=0.1)


def with_known_spreads(corpus: Corpus, spreads: Spreads, gap: float, *, systems: int, seed: int) -> Scores:
    """Scores of a corpus by systems whose spreads are known, each of them drawn."""
    rng = np.random.default_rng(seed)
    frame = corpus.frame
    person, template = (frame[column].rank("dense").to_numpy() - 1 for column in ("person", "template"))
    values = 0.5 + gap * (frame["gender"] == "female").to_numpy()[:, None].astype(float)
    values = values + rng.normal(0, spreads.names, size=(int(person.max()) + 1, systems))[person]
    by_template = rng.normal(0, spreads.name_template, size=(int(person.max()) + 1, int(template.max()) + 1, systems))
    values += by_template[person, template] + rng.normal(0, spreads.noise, size=(len(frame), systems))
    columns = tuple(Column(f"system {number}", Output("score", low=0, high=1), None) for number in range(systems))
    return Scores(tuple(frame["id"]), values, columns, corpus.digest)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 2 * DELTA])
def test_a_plan_comes_true_in_the_verdicts_of_audits(gap: float) -> None:
    """Promised from spreads that are known; reached by the verdicts of the tool on the sentences and names planned."""
    names, systems, settings = 15, 400, Settings(equivalence=DELTA)
    spreads = Spreads(names=0.02, noise=0.05, name_template=0.02)
    corpus = balanced_sources(Names(names).corpus("eec"))
    (contrast,) = contrasts(corpus, "gender")
    planned = Design.of(contrast, corpus, Drawn.of(corpus, Names(names), 0))
    judge = Judge(Goal(settings, 0.8, ()).level(2), delta=DELTA)
    one = next(reached(planned, spreads, [names], systems=SYSTEMS, rng=np.random.default_rng(5)))
    promised = shares(judge.verdicts(one, gap))
    scores = with_known_spreads(corpus, spreads, gap, systems=systems, seed=7)
    tested = [
        testing.Tested(each, corpus, scores, settings)
        for name in ("gender", "race")
        for each in contrasts(corpus, name)
    ]
    verdicts = [one.verdict for one in findings(tested[0], Family.of(tested, settings), evidence=False)]
    for share, counted in (
        (promised["equivalent"], verdicts.count("equivalent")),
        (promised["different"], verdicts.count("higher") + verdicts.count("lower")),
    ):
        assert counted / systems == pytest.approx(share, abs=error(share, of=systems))


def test_the_names_of_a_plan_are_those_of_the_audit() -> None:
    corpus = Names(12, "matched").corpus("eec-extended")
    drawn = Drawn.of(corpus, Names(5, "matched"), 0)
    made = [Design.of(one, corpus, drawn) for one in contrasts(corpus, "race")]
    assert [one.groups for one in made] == [4] * 4
    assert {one.cells for one in made} == {8}
    shown = dict(corpus.frame.filter(corpus.frame["nth"] <= 12).select("person", "family").unique().iter_rows())
    families = {family for listed in drawn.families.values() for family in listed[:12]}
    assert {family for family in shown.values() if family} <= families
