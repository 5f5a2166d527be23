"""What tests of repairs share: a repair that is made up, number by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from browsing import chromium
from playwright.sync_api import Browser

from evenhand.repairs.calibrator import FittedFor
from evenhand.repairs.estimates import Estimate
from evenhand.repairs.judging import Judgement
from evenhand.repairs.layers import Layer, Layers
from evenhand.repairs.outcomes import Outcome, Price
from evenhand.repairs.paired_means import Evaluation, PairedMeans, WordMean
from evenhand.repairs.result import Cost, GoldQuality, Repair, WordOrder
from evenhand.results import Note, Provenance
from evenhand.systems import Output

SPLITS = ("person", "template", "emotion_word")
METHODS = {"terms": "fitted", "layers": "fitted", "additive": "published", "averaging": "exact"}
AFTER = {
    "terms": (0.002, "closed"),
    "layers": (0.004, "closed"),
    "additive": (-0.07, "reversed"),
    "averaging": (0.0, "closed"),
}
LEFT = {"terms": 0.005, "layers": 0.01, "additive": 0.07, "averaging": 0.0}
FITTED_FOR = FittedFor("svr", None, (Output("valence"),), {"gender": ("female", "male")}, "eec", "digest")
WITHIN = {"terms": 0.9, "layers": 1.0, "additive": 0.995, "averaging": 0.85}


def estimate(value: float, margin: float = 0.02) -> Estimate:
    """With this margin at 95 %."""
    return Estimate(value, (margin / 1.9623391) ** 2, 1000.0)


def an_outcome(method: str, new: str, **changes: Any) -> Outcome:
    """What became of a gap of 0.05 between female and male."""
    after, verdict = AFTER[method]
    reduction = 1 - after / 0.05
    made = Outcome(
        method=method, family=METHODS[method], output="valence", new=new, attribute="gender", first="female",
        second="male", scope="everybody", before=estimate(0.05), after=estimate(after), reduction=reduction,
        reduction_interval=(reduction - 0.3, reduction + 0.4), reversed_share=float(verdict == "reversed"),
        spread=0.012, left_alone=0.0, splits=10, verdict=verdict,  # type: ignore[arg-type]
        left_by_single_fit=LEFT[method],
    )  # fmt: skip
    return replace(made, **changes)


def not_visible(method: str, new: str, **changes: Any) -> Outcome:
    """No gap by race, and none made."""
    about = {"attribute": "race", "first": "African American", "second": "European American"}
    nothing = {"reduction": None, "reduction_interval": None, "reversed_share": 0.0, "verdict": "nothing to repair"}
    gap = {"before": estimate(0.003), "after": estimate(0.003)}
    return an_outcome(method, new, **about | nothing | gap | changes)


def outcomes() -> list[Outcome]:
    """Of all methods, for both attributes, and by gender also among the kinds of persons."""
    made = []
    for new in SPLITS:
        for method in METHODS:
            made += [an_outcome(method, new, scope=scope) for scope in ("everybody", "paired", "unpaired")]
            made.append(not_visible(method, new))
    return made


def evaluation() -> Evaluation:
    """The paper's tests of two versions, and the means of two words."""
    means = {"baseline": -0.06, "additive": 0.35}
    about = ("gender, with names", "gender", "female", "male", 280, 4.0)
    tests = [
        PairedMeans(
            version, "valence", "expected", *about, mean, 0.01, (mean - 0.02, mean + 0.02), mean / 0.5, 3.0, 0.002
        )
        for version, mean in means.items()
    ]
    words = [WordMean(version, "valence", "expected", "joy", "happy", 3.25, 60) for version in means]
    return Evaluation(tuple(tests), tuple(words))


def a_repair(found: list[Outcome] | None = None, **changes: Any) -> Repair:
    """`layers` is advised: `terms` would close more, but changes the order within groups."""
    found = outcomes() if found is None else found
    methods = {one.method: one.family for one in found}
    names = list(dict.fromkeys(one.output for one in found))
    prices = [
        Price(method, family, name, new, 0.94, WITHIN[method], 0.9999, 0.5 if family == "published" else 1.0, 10)
        for method, family in methods.items()
        for name in names
        for new in SPLITS
    ]
    layers = (
        Layer(
            "valence",
            "gender",
            "everybody",
            {"female": np.array([0.025]), "male": np.array([-0.025])},
            1.1,
            0.8,
            0.0004,
        ),
        Layer("valence", "race", "everybody", {"African American": np.array([0.001])}, 1.0, 0.0, 0.43),
    )
    made = Repair(
        system="<i>svr & co",
        sentences=8640,
        judgement=Judgement(tuple(found), tuple(prices)),
        layers=layers,
        costs=tuple(Cost(method, 60.0 if method == "averaging" else 1.0, 1234) for method in methods),
        orders=tuple(WordOrder(method, name, 0.81, 0.7) for method in methods for name in names),
        gold=tuple(
            GoldQuality(method, name, 1200, 37, (0.712, 0.711), (0.701, None), method != "additive")
            for method in methods
            for name in names
        ),
        left_out={"neutral": "the corpus names <b>no</b> neutral person"},
        alpha=0.05,
        published=evaluation(),
        spec="<i>svr & co",
        calibrators={method: Layers(FITTED_FOR, layers) for method in methods},
        notes=(Note("<i>svr & co", "a remark of the system"),),
        provenance=Provenance(command="evenhand repair svr", packages={"evenhand": "0"}, settings={"seed": 2024}),
    )
    return replace(made, **changes)


@pytest.fixture(scope="session")
def repair_of() -> Callable[..., Repair]:
    """Makes up a repair, from outcomes if they are given, with changes."""
    return a_repair


@pytest.fixture(scope="session")
def made_outcomes() -> Callable[[], list[Outcome]]:
    """The outcomes of a repair that is made up."""
    return outcomes


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file: while it runs, nobody else in this process may start one."""
    with chromium() as started:
        yield started
