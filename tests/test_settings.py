"""Settings are checked in one place, whoever makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evenhand.asking.settings import AskSettings
from evenhand.comparing import Settings
from evenhand.errors import UsageError
from evenhand.measuring import MeasureSettings
from evenhand.metrics import Predictions, measure
from evenhand.metrics.behaviour import invariance
from evenhand.metrics.quality import quality_by
from evenhand.metrics.testing import group_tests
from evenhand.rating.rejection import RejectionSettings
from evenhand.systems import Output

PREDICTIONS = Predictions.of(
    source=["a", "a", "b", "b"],
    group=["x", "y", "x", "y"],
    gold=["p", "p", "n", "n"],
    probabilities={"n": [0.2, 0.4, 0.9, 0.7], "p": [0.8, 0.6, 0.1, 0.3]},
)


def measured(**settings: Any) -> object:
    return measure(PREDICTIONS, ["cf_gap"], **settings)


def groups_tested(**settings: Any) -> object:
    return group_tests(PREDICTIONS, **settings)


def failing(**settings: Any) -> object:
    return invariance(PREDICTIONS, **settings)


def quality(**settings: Any) -> object:
    return quality_by(["x", "x", "y", "y"], [1, 2, 1, 2], [1, 2, 2, 1], **settings)


OUT_OF_REACH = ({"high": 1e300}, {"low": -1e61, "high": 0}, {"low": 0, "high": 1e-300})
SEEDED: list[Callable[..., object]] = [Settings, MeasureSettings, measured, failing, quality]
CASES: list[tuple[Callable[..., object], dict[str, Any], str]] = [
    *((made, {"seed": seed}, "a seed must be a whole number from 0") for made in SEEDED for seed in (-4, 0.5, True)),
    *(
        (made, {"alpha": alpha}, "alpha must lie between 0 and 0.5")
        for made in (Settings, MeasureSettings, groups_tested)
        for alpha in (7, 0, 0.5, float("nan"), "0.05")
    ),
    *(
        (made, {"level": level}, "the confidence level must lie between 0.5 and 1")
        for made in (MeasureSettings, measured, failing, quality)
        for level in (95, 0, 1)
    ),
    *((Output, {"name": "x", **ends}, "cannot be calculated with") for ends in OUT_OF_REACH),
    *(
        (Output, {"name": "x", "low": None, "high": None, "unit": unit}, "a unit above zero")
        for unit in (1e300, 1e-300)
    ),
    (AskSettings, {"bounds": (0, 1e300)}, "cannot be calculated with"),
    (Settings, {"correction": "nonsense"}, "unknown correction 'nonsense'"),
    (Settings, {"equivalence": 2}, "must lie between 0 and 1"),
    (Settings, {"permutations": 0}, "a whole number from 1"),
    (groups_tested, {"correction": "nonsense"}, "unknown correction 'nonsense'"),
    *(
        (made, {name: value}, message)
        for made in (MeasureSettings, measured)
        for name, value, message in (
            ("bootstrap", -1, "the number of resamples must be a whole number from 0"),
            ("sample", 0, "the number of tuples drawn per source must be a whole number from 1"),
            *(("relabellings", number, "0 .none. or from 20, not") for number in (1, 19)),
            ("relabellings", -1, "the number of relabellings must be a whole number from 0"),
            ("weight", "source", "unknown weight 'source'; did you mean 'sources'"),
        )
    ),
    (MeasureSettings, {"metrics": ("fpde",)}, "unknown metric 'fpde'; did you mean 'fped'"),
    (MeasureSettings, {"scheme": "BOI"}, "unknown tagging scheme 'BOI'"),
    (failing, {"weight": "tuples"}, "unknown weight 'tuples'"),
    (failing, {"resamples": 0}, "a whole number from 1"),
    (quality, {"resamples": -1}, "a whole number from 0"),
    (quality, {"kind": "ordinal"}, "unknown kind 'ordinal'"),
    (quality, {"against": "all"}, "unknown comparison 'all'"),
    (RejectionSettings, {"alphas": (0.05, 0.3, 7)}, "a level must lie between 0 and 1, not 7"),
    (RejectionSettings, {"weights": (1, -1, 1)}, "a weight must be a number from 0, not -1"),
    (RejectionSettings, {"added_error": float("inf")}, "must be a number from 0, not inf"),
    (RejectionSettings, {"degrees_of_freedom": "pool"}, "did you mean 'pooled'"),
]


@pytest.mark.parametrize(("made", "settings", "why"), CASES)
def test_settings_that_make_no_sense_are_refused(
    made: Callable[..., object], settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        made(**settings)
