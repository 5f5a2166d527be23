"""What cannot be asked of a repair is refused before anything else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evenhand import RepairSettings, UsageError
from evenhand.cli.app import app

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"alpha": 0.7}, "alpha must lie between 0 and 0.5, not 0.7"),
    ({"alpha": 0}, "alpha must lie between 0 and 0.5, not 0"),
    ({"alpha": float("nan")}, "alpha must lie between 0 and 0.5, not nan"),
    ({"seed": -1}, "a seed must be a whole number from 0, not -1"),
    ({"seed": 1.5}, "a seed must be a whole number from 0, not 1.5"),
    ({"repetitions": 0}, "the number of repetitions must be a whole number from 1, not 0"),
    ({"repetitions": True}, "the number of repetitions must be a whole number from 1, not True"),
    ({"methods": ("layer",)}, "unknown method 'layer'; did you mean 'layers'?"),
    ({"normalise": "softmaxx"}, "unknown way to normalise 'softmaxx'; did you mean 'softmax'?"),
    ({"methods": ("layers", "additive"), "target": "femal"}, "unknown target 'femal'; did you mean 'female'?"),
    ({"methods": ("layers",), "target": "femal"}, "unknown target 'femal'; did you mean 'female'?"),
    ({"target": "female"}, "the target 'female' names 0 groups of race"),
    ({"references": "phrase"}, "unknown references 'phrase'; did you mean 'phrases'?"),
    ({"references": Path("nowhere.yaml")}, "no such file: nowhere.yaml"),
    ({"methods": ("layers",), "target": "uniform"}, "target is for the published variants, and none of them is asked"),
    ({"methods": ("averaging",), "normalise": "sum"}, "normalise is for the published variants, and none of them is"),
]


@pytest.mark.parametrize(("settings", "complaint"), WRONG, ids=lambda value: str(value)[:40])
def test_settings_that_cannot_be_are_refused_and_named(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        RepairSettings(**settings)
    assert complaint in str(refused.value)


def test_settings_that_can_be_are_taken() -> None:
    RepairSettings(methods=("layers", "additive"), target="uniform", normalise="sum", repetitions=1, alpha=0.49)
    RepairSettings(methods=("layers",), target="neutral")
    RepairSettings(target="female,European American")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--alpha", "7"], "alpha must lie between"),
        (["--seed", "-4"], "a seed must be"),
        (["--repetitions", "0"], "the number of repetitions"),
        (["--method", "layer"], "did you mean 'layers'"),
        (["--target", "femal"], "did you mean 'female'"),
        (["--range", "1,0"], "--range '1,0'"),
        (["--method", "layers", "--normalise", "sum"], "normalise is for the published variants"),
    ],
)
def test_the_command_refuses_them_too(options: list[str], complaint: str) -> None:
    done = CliRunner().invoke(app, ["repair", "vader", *options])
    assert isinstance(done.exception, UsageError)
    assert complaint in str(done.exception)
