"""Whether verdicts are true, by simulation: a small edition of `python -m benchmarks truth`."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "truth.py"
SYSTEMS = 600
LUCK = 0.025
"""About three standard errors of a share of 5 % among 600 systems."""


def _benchmark() -> ModuleType:
    """The benchmarks are no package that is installed; this one knows how to make systems whose gap is known."""
    spec = importlib.util.spec_from_file_location("benchmarks_truth", HERE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


truth = _benchmark()


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
@pytest.mark.parametrize("world", list(truth.FAIR))
def test_fair_systems_raise_few_alarms_and_their_intervals_hold_the_truth(world: str, attribute: str) -> None:
    found = truth.judged(truth.FAIR[world], attribute, systems=SYSTEMS, seed=1)
    assert found.alarms <= truth.MOST_ALARMS
    assert found.covered >= truth.LEAST_COVERAGE - LUCK / 2


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
@pytest.mark.parametrize("world", list(truth.ODD))
def test_one_odd_template_or_name_is_withheld_more_often_than_claimed(world: str, attribute: str) -> None:
    """Without withholding, 12 to 15 % of these systems were called biased."""
    found = truth.judged(truth.ODD[world], attribute, systems=SYSTEMS, seed=2)
    assert found.alarms <= truth.MOST_ALARMS + LUCK
    assert found.withheld > found.alarms


@pytest.mark.slow
@pytest.mark.parametrize("templates", [2, 3])
def test_few_templates_raise_few_alarms(templates: int) -> None:
    world, corpus = truth.World(person=0.03, gap_by_template=0.02), truth.some_templates(templates)
    found = truth.judged(world, "race", corpus=corpus, systems=SYSTEMS, seed=3)
    assert found.alarms <= truth.MOST_ALARMS
    assert found.covered >= truth.LEAST_COVERAGE - LUCK / 2


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.3, 0.8])
def test_names_of_one_family_count_as_one(alike: float) -> None:
    """Counted one by one, they raised 11 to 21 % alarms."""
    world, corpus = truth.World(person=0.03, alike=alike), truth.with_families(3)
    found = truth.judged(world, "race", corpus=corpus, systems=SYSTEMS, seed=4)
    assert found.alarms <= truth.MOST_ALARMS
    assert found.covered >= truth.LEAST_COVERAGE - LUCK / 2


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_a_gap_as_large_as_the_tolerance_is_rarely_called_equivalent(attribute: str) -> None:
    world = replace(truth.SMALL, gap=truth.TOLERANCE)
    assert truth.judged(world, attribute, systems=SYSTEMS, seed=5).equivalent <= truth.MOST_FALSE_EQUIVALENCE


@pytest.mark.parametrize("known", [0.05, 0.01])
def test_a_lexicon_that_knows_few_names_is_never_called_equivalent(known: float) -> None:
    """Called equivalent in 36 to 81 % of runs while only those who react were looked at."""
    world = truth.World(noise=0.0, known=known, gap=truth.TOLERANCE)
    found = truth.judged(world, "race", systems=SYSTEMS, seed=6)
    assert found.equivalent == 0
    assert found.no_reaction > 0.2
    assert found.conditional >= truth.LEAST_CONDITIONAL


@pytest.mark.slow
def test_a_lexicon_that_reacts_a_little_to_all_names_is_called_equivalent_with_a_true_condition() -> None:
    world = truth.World(noise=0.0, known=0.025, person=truth.STIR, gap=truth.TOLERANCE)
    found = truth.judged(world, "race", systems=SYSTEMS, seed=6)
    assert 0.4 < found.equivalent < 0.75
    assert found.conditional >= truth.LEAST_CONDITIONAL


def test_a_condition_is_true_where_a_lexicon_knows_just_enough_names_to_break_it() -> None:
    """None of twenty reacts in 0.85²⁰ = 3.9 % of runs, and the names that do react by less than is said."""
    world = truth.World(noise=0.0, known=0.15, gap=truth.TOLERANCE)
    found = truth.judged(world, "race", systems=SYSTEMS, seed=8)
    assert truth.LEAST_CONDITIONAL - LUCK <= found.conditional < 1


@pytest.mark.slow
def test_as_many_names_as_planned_reach_a_verdict_four_times_in_five() -> None:
    world, needed = truth.World(person=0.02), 82
    found = truth.judged(world, "race", corpus=truth.with_names(needed // 2), systems=300, seed=7)
    assert 0.72 <= found.equivalent + found.alarms <= 0.92
