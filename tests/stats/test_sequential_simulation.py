"""Asking in waves, by simulation: a small edition of `python -m benchmarks sequential`."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "sequential.py"
SYSTEMS = 2_000
MOST = 0.05 + 3 * (0.05 * 0.95 / SYSTEMS) ** 0.5
LEAST_COVERAGE = 0.935


@cache
def simulation() -> ModuleType:
    """The benchmarks are not an installed package; this one knows how to ask systems whose gap is known."""
    spec = importlib.util.spec_from_file_location("benchmarks_sequential", HERE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_designs_are_those_of_the_table() -> None:
    made = simulation()
    assert len(made.IN_WAVES.template) == 44
    assert sorted(made.IN_WAVES.word) == list(range(44))
    assert made.IN_WAVES.calls.tolist() == [880, 1760, 2640, 3520, 4400]
    assert len(made.FIXED.template) == 144
    assert made.FIXED.largest == 11_520


@pytest.mark.slow
@pytest.mark.parametrize(("name", "saved", "equivalent", "different"), [
    ("gap 0", 0.60, (0.70, 0.82), (0, MOST)),
    ("gap δ", 0.70, (0, MOST), (0.75, 0.87)),
    ("gap 1.5 δ", 0.78, (0, 0.01), (0.98, 1)),
    ("gap 2.5 δ", 0.85, (0, 0), (1, 1)),
    ("gap 0, names .01", 0.80, (0.97, 1), (0, MOST)),
])  # fmt: skip
def test_waves_are_right_and_save_most_of_the_calls(
    name: str, saved: float, equivalent: tuple[float, float], different: tuple[float, float]
) -> None:
    made = simulation()
    found = made.outcomes(made.WORLDS[name], systems=SYSTEMS)
    assert equivalent[0] <= found.equivalent <= equivalent[1]
    assert different[0] <= found.different <= different[1]
    assert found.coverage >= LEAST_COVERAGE
    assert found.saved >= saved


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "t3 names", "skewed names", "unequal spreads", "gap by template .01", "gap by template .03", "gap by word .03",
    "rounded to .05",
])  # fmt: skip
def test_errors_stay_rare_in_rough_worlds(name: str) -> None:
    made = simulation()
    fair = made.outcomes(made.ROUGH[name], systems=SYSTEMS)
    at_tolerance = made.outcomes(replace(made.ROUGH[name], gap=made.DELTA), systems=SYSTEMS)
    assert fair.different <= MOST
    assert at_tolerance.equivalent <= MOST
    assert min(fair.coverage, at_tolerance.coverage) >= LEAST_COVERAGE


@pytest.mark.slow
def test_looking_without_paying_raises_false_alarms() -> None:
    made = simulation()
    paid = made.outcomes(made.World(), rule=made.Rule(equivalence=False), systems=SYSTEMS)
    free = made.outcomes(made.World(), rule=made.Rule(equivalence=False, spending=False), systems=SYSTEMS)
    assert paid.different <= MOST
    assert 0.11 <= free.different <= 0.17
    assert free.coverage < 0.9


@pytest.mark.slow
def test_names_alone_are_not_asked_for_ever_where_templates_disagree() -> None:
    made = simulation()
    world = made.ROUGH["gap by template .03"]
    stopping, going_on = (made.outcomes(world, rule=made.Rule(early=early), systems=SYSTEMS) for early in (True, False))
    assert stopping.hopeless > 0.5
    assert stopping.calls < 0.6 * going_on.calls
    # Those that are stopped would nearly all have stayed open.
    assert going_on.open > 0.85


@pytest.mark.slow
def test_a_large_gap_is_not_given_up_because_it_will_not_be_shown_to_be_small() -> None:
    made = simulation()
    world = made.World(gap=2.5 * made.DELTA, gap_by_template=1.5 * made.DELTA)
    both = made.outcomes(world, systems=SYSTEMS)
    one = made.outcomes(world, rule=made.Rule(within_reach=False), systems=SYSTEMS)
    assert both.different > one.different + 0.2


@pytest.mark.slow
def test_what_must_be_steady_is_rarely_wrong_and_still_saves() -> None:
    made = simulation()
    rule = made.Rule(steadiness=True)
    fair = made.outcomes(made.World(), rule=rule, systems=500)
    large = made.outcomes(made.WORLDS["gap 2.5 δ"], rule=rule, systems=500)
    assert fair.different <= 0.05
    assert fair.equivalent > 0.55
    assert fair.saved >= 0.6
    assert large.different == 1
    assert large.saved >= 0.85


@pytest.mark.parametrize("name", ["gap 0", "gap δ", "gap 2.5 δ", "t3 names"])
def test_asking_without_a_maximum_ends_and_is_right(name: str) -> None:
    made = simulation()
    world = {**made.WORLDS, **made.ROUGH}[name]
    found = made.without_maximum(world, systems=SYSTEMS)
    assert (found.equivalent if world.gap else found.different) <= 0.03
    assert found.open <= 0.01
    assert found.coverage >= 0.95
    assert found.blocks <= 40
