"""Is it the group, or that its names are rare? Exact worlds, another implementation, and worlds drawn at random."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.comparing.names_asked import NamesAsked
from evenhand.comparing.signals import Signal, key_of, name_points, signals
from evenhand.contrasts import contrast
from evenhand.corpora.asked_names import Names
from evenhand.corpora.known_names import known_names
from evenhand.corpora.pools import PoolName, load_pool

BY_NAME = {one.name: one for one in load_pool("us-names").names}
GROUPS = ("African American", "European American")


def _scoring(effect: Callable[[PoolName], float]) -> Callable[[Sequence[str]], list[float]]:
    """A system that reads nothing of a sentence but the name in it."""

    def score(texts: Sequence[str]) -> list[float]:
        found = [[BY_NAME[word] for word in re.findall(r"[A-Z]\w+", text) if word in BY_NAME] for text in texts]
        return [0.5 + (effect(names[0]) if names else 0.0) for names in found]

    return score


def _audit(effect: Callable[[PoolName], float], **options: object) -> Audit:
    system = evenhand.systems.as_scorer(_scoring(effect), name="reader", low=0.0, high=1.0)
    asked = {"names": Names(20, "unmatched"), "attributes": "race", "sample": 800, "progress": False, **options}
    return evenhand.audit(system, "eec", **asked)


def _only(audit: Audit) -> tuple[Finding, Signal]:
    (finding,), (signal,) = audit.findings, audit.signals
    return finding, signal


def test_what_follows_frequency_is_no_gap_between_names_that_are_alike() -> None:
    finding, signal = _only(_audit(lambda one: 0.05 * np.log10(one.bearers)))
    mean = {
        race: np.mean([np.log10(one.bearers) for one in _drawn() if one.race == race]) for race in ("Black", "White")
    }
    # As many of each gender: the gap is that of the means, by hand.
    assert signal.as_drawn.value == pytest.approx(0.05 * (mean["Black"] - mean["White"]))
    assert signal.as_drawn.value == pytest.approx(finding.generalising.estimate)
    assert signal.as_drawn.value < -0.01
    assert signal.adjusted is not None
    assert signal.adjusted.value == pytest.approx(0, abs=1e-9)
    assert signal.explained is not None
    assert signal.alike is not None
    assert signal.explained.value == pytest.approx(signal.alike.value)
    bearers = signal.traits[0]
    assert bearers.slope is not None
    assert bearers.slope.value == pytest.approx(0.05)


def _drawn() -> list[PoolName]:
    drawn = load_pool("us-names").draw(20, races=["Black", "White"])
    return [one for names in drawn.values() for one in names]


def test_what_follows_the_group_stays_between_names_that_are_alike() -> None:
    _, signal = _only(_audit(lambda one: -0.03 * (one.race == "Black")))
    assert signal.as_drawn.value == pytest.approx(-0.03)
    assert signal.adjusted is not None
    assert signal.adjusted.value == pytest.approx(-0.03)
    # Everybody of a group is treated alike: nothing is known of how others would be.
    assert signal.as_drawn.interval is None
    assert "alike" in signal.undefined["as_drawn.interval"]


def test_what_follows_the_share_is_per_ten_points() -> None:
    _, signal = _only(_audit(lambda one: 0.2 * one.shares["Black"]))
    for slope in (signal.strength, signal.strength_within, signal.strength_within_adjusted):
        assert slope is not None
        assert slope.value == pytest.approx(0.02)


def test_the_line_agrees_with_statsmodels() -> None:
    generator = np.random.default_rng(5)
    luck = {name: float(generator.normal(0, 0.02)) for name in BY_NAME}
    audit = _audit(lambda one: luck[one.name] + 0.03 * np.log10(one.bearers) - 0.02 * (one.race == "Black"))
    _, signal = _only(audit)
    assert audit.corpus is not None
    asked = NamesAsked.of(contrast(audit.corpus, "race", groups=GROUPS), audit.corpus)
    assert asked is not None
    like = asked.like_each_other()
    assert like is not None
    names = list(like.names)
    strata = np.array([f"{one.race} {one.gender}" for one in names])
    kinds = ["Black female", "White female", "Black male", "White male"]
    columns = [strata == kind for kind in kinds]
    traits = [
        np.log10([one.bearers for one in names]),
        [one.birth_year for one in names],
        [one.length for one in names],
    ]
    design = np.column_stack([*columns, *traits]).astype(float)
    y = np.array([0.5 + luck[one.name] + 0.03 * np.log10(one.bearers) - 0.02 * (one.race == "Black") for one in names])
    fit = sm.OLS(y, design).fit(cov_type="HC2")
    counts = np.array([0.5, -0.5, 0.5, -0.5, 0, 0, 0])
    assert signal.adjusted is not None
    assert signal.adjusted.value == pytest.approx(float(counts @ fit.params), abs=1e-9)
    alone = replace(asked.contrast, family=None)
    found = _signal_of(alone, audit)
    assert found.adjusted is not None
    assert found.adjusted.standard_error == pytest.approx(float(np.sqrt(counts @ fit.cov_params() @ counts)))


def _signal_of(one: object, audit: Audit) -> Signal:
    """With another contrast in place of the corpus's own."""
    from evenhand.comparing import signals as room

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "contrasts_behind", lambda findings, corpus: [one])
        assert audit.scores is not None
        assert audit.corpus is not None
        (signal,) = signals(audit.findings, audit.scores, audit.corpus, alpha=0.05)
    return signal


def test_the_names_of_the_eec_cannot_tell() -> None:
    audit = evenhand.audit("planted(gap=0.02, person_sd=0.02)", "eec", attributes="race", sample=800, progress=False)
    _, signal = _only(audit)
    assert (signal.first_names, signal.second_names) == (20, 20)
    assert signal.adjusted is None
    assert signal.inflation is None
    assert re.search(r"only \d+ of 20 and \d+ of 20 names", signal.undefined["adjusted"])
    assert signal.traits[0].apart is not None
    assert signal.traits[0].apart < -2
    assert signal.strength is not None


def test_gender_is_about_the_names_alone() -> None:
    audit = evenhand.audit("planted(gap=0.02)", "eec", attributes="gender", sample=1200, progress=False)
    _, signal = _only(audit)
    # The noun phrases come in pairs, and are no names.
    assert (signal.first_names, signal.second_names) == (20, 20)
    assert signal.as_drawn.value == pytest.approx(0.02)
    assert "hardly differ" in signal.undefined.get("strength_within", "hardly differ")


@pytest.mark.parametrize("corpus", ["noun-phrases", pytest.param("identity", marks=pytest.mark.slow)])
def test_who_is_not_called_by_a_name_has_no_signal(corpus: str) -> None:
    audit = evenhand.audit("planted(gap=0.02)", corpus, attributes="gender", sample=400, progress=False)
    assert audit.signals == ()
    assert "signals" not in audit.to_dict()


def test_interactions_and_crossings_are_left_out() -> None:
    audit = _audit(lambda one: 0.01 * one.length, attributes=["race+gender"])
    assert all(signal.attribute != "gender" for signal in audit.signals)
    assert key_of(one_of(audit)) not in map(key_of, audit.signals)


def one_of(audit: Audit) -> Finding:
    """The interaction of two crossed attributes."""
    return next(finding for finding in audit.findings if finding.interaction)


def test_each_of_four_races_against_the_others() -> None:
    system = evenhand.systems.as_scorer(_scoring(lambda one: 0.05 * np.log10(one.bearers)), name="r", low=0.0, high=1.0)
    audit = evenhand.audit(
        system, "identity-names", names=Names(20, "matched"), attributes="race", sample=1600, progress=False
    )
    assert len(audit.signals) == 4
    for signal in audit.signals:
        assert signal.second_names == 3 * signal.first_names
        assert signal.adjusted is None or signal.adjusted.value == pytest.approx(0, abs=1e-9)


def test_pieces_are_allowed_for_where_a_tokeniser_cuts() -> None:
    audit = _audit(lambda one: 0.01 * one.length)
    assert audit.scores is not None
    assert audit.corpus is not None
    from evenhand.comparing import compare

    pieces = {"reader": {name: 1 + len(name) % 3 for name in known_names(audit.corpus)}}
    found = compare(audit.scores, audit.corpus, attributes=["race"], pieces=pieces).findings
    (signal,) = signals(found, audit.scores, audit.corpus, alpha=0.05)
    assert [trait.trait for trait in signal.traits] == ["bearers", "birth_year", "length", "pieces"]
    assert signal.adjusted_for[-1] == "pieces"


def test_a_table_of_ones_own_with_names_that_nobody_knows(tmp_path: Path) -> None:
    rows = []
    known = {
        "Black": [one.name for one in _drawn() if one.race == "Black"][:8],
        "White": [one.name for one in _drawn() if one.race == "White"][:8],
    }
    for source in range(6):
        for race, names in known.items():
            rows += [
                {
                    "source": f"s{source}",
                    "text": f"{name} waited {source} days.",
                    "race": race,
                    "person": name,
                    "kind": "name",
                }
                for name in [*names, f"Xyzzy{race}"]
            ]
    table = f"{tmp_path}/mine.csv"
    pl.DataFrame(rows).write_csv(table)
    audit = evenhand.audit(_scoring(lambda one: 0.01 * one.length), table, progress=False)
    (signal,) = audit.signals
    assert set(signal.unknown) == {"XyzzyBlack", "XyzzyWhite"}
    assert (signal.first_names, signal.second_names) == (8, 8)
    assert "8 of 8" in signal.undefined["adjusted"] or "of 8" in signal.undefined["adjusted"]


def test_every_name_from_the_middle_of_the_groups() -> None:
    audit = _audit(lambda one: -0.04 * (one.race == "Black"))
    assert audit.scores is not None
    assert audit.corpus is not None
    (points,) = name_points(audit.findings, audit.scores, audit.corpus).values()
    assert len(points) == 80
    assert {round(one.difference, 9) for one in points if one.first} == {-0.02}
    assert {round(one.difference, 9) for one in points if not one.first} == {0.02}


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    audit = _audit(lambda one: 0.05 * np.log10(one.bearers) + 0.01 * (one.length % 3))
    audit.save(f"{tmp_path}/saved")
    loaded = Audit.load(f"{tmp_path}/saved")
    assert loaded.signals == audit.signals
    assert replace(loaded, signals=()).with_signals().signals == audit.signals
    row = audit.signal_frame().row(0, named=True)
    assert row["adjusted_low"] == audit.signals[0].adjusted.interval[0]
    assert row["bearers_apart"] == audit.signals[0].traits[0].apart


HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "signals.py"


def _benchmark() -> ModuleType:
    """The benchmarks are not an installed package; this one makes systems of which it is known what they react to."""
    spec = importlib.util.spec_from_file_location("benchmarks_signals", HERE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks_signals"] = module
    spec.loader.exec_module(module)
    return module


worlds = _benchmark()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["frequency", "a step in frequency", "the group", "both"])
def test_errors_and_coverage(name: str) -> None:
    """A small edition of `python -m benchmarks signals`: 300 systems."""
    world = next(one for one in worlds.WORLDS if one.name == name)
    found = worlds.looked(world, systems=150, draws=2)
    adjusted = [one.adjusted for one in found]
    # Without a gap, this is the share without a false alarm. Within 2 standard errors of 95 %, which are 2.5 points.
    assert worlds.coverage(adjusted, world.gap) >= 0.925
    if world.gap:
        assert worlds.shown(adjusted) > 0.9
    else:
        # The gap is there all the same: people with these names meet it.
        assert worlds.shown([one.as_drawn for one in found]) > 0.7
    if name == "the group":
        assert np.mean([one.strength.interval[0] > 0 for one in found]) > 0.9
