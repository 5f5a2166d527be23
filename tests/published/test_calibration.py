"""The paper about calibration beside what follows from it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import UsageError
from evenhand.published import Check, calibration, reproduce_calibration
from evenhand.published.calibration import BABBAGE
from evenhand.published.calibration_figures import content, printed_evaluation, printed_tests
from evenhand.verbs.reproduce import reproduce

PAGE = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checks() -> tuple[Check, ...]:
    return reproduce("calibration")


def find(checks: tuple[Check, ...], claim: str) -> Check:
    (found,) = (check for check in checks if check.claim == claim)
    return found


def ids(check: Check) -> list[str]:
    return [erratum.partition(":")[0] for erratum in check.errata]


def test_the_shipped_figures_are_those_of_the_paper() -> None:
    tests = {(one.question, one.version): one for one in printed_tests()}
    assert len(tests) == 13
    race = tests["race", "additive"]
    assert (race.mean, race.standard_error, race.t, race.p, race.n) == ("0.418", "0.040", "10.397", "<0.0001", 280)
    assert tests["gender, without names", "baseline"].n == 140
    assert [one.version for one in printed_tests() if not one.significant] == ["additive-mean"]
    words = content()["words"]["rows"]
    assert [len(by_word) for by_word in words.values()] == [10, 10, 10, 10]
    assert words["sadness"]["serious"] == [4.12, 4.12, 3.44, 4.12, 3.44]


def test_whatever_differs_has_an_erratum_and_nothing_else_has(checks: tuple[Check, ...]) -> None:
    for check in checks:
        assert bool(check.errata) == (check.outcome == "differs"), check
    assert {one for check in checks for one in ids(check)} == set(content()["errata"])


def test_pairs_tests_and_flags_come_out(checks: tuple[Check, ...]) -> None:
    assert find(checks, "pairs of means: gender, with names").here == "280"
    assert find(checks, "pairs of means: gender, without names").here == "140"
    cells = [check for check in checks if check.counted]
    assert len(cells) == 3 * 13
    assert {check.outcome for check in cells} == {"reproduced"}
    assert find(checks, "gender, with names, additive-mean: p").printed == "0.219"
    assert find(checks, "gender, with names, additive-mean: p below 0.05").here == "no"
    assert find(checks, "the direction is reversed in all calibrated models").here == "10 of 10"
    assert find(checks, "significant in all but one test").outcome == "reproduced"


def test_equal_columns_and_swapped_examples_are_told(checks: tuple[Check, ...]) -> None:
    equal = find(checks, "emotion words that multiplicative and baseline score differently")
    assert (equal.printed, ids(equal)) == ("0 of 40", ["C02"])
    assert "0.394 and -0.029 (race)" in str(equal.here)
    means = find(checks, "emotion words that additive-mean and multiplicative-mean score differently")
    assert (means.printed, ids(means)) == ("0 of 40", ["C03"])
    assert (find(checks, "examples of joy").here, find(checks, "examples of fear").here) == (
        "words of fear",
        "words of joy",
    )
    assert find(checks, "examples of anger").outcome == "reproduced"
    # "pleasing" is no word of the corpus, though "displeasing" is.
    assert find(checks, "words of examples that are not in the corpus").here == "8"


def test_what_needs_the_model_says_so(checks: tuple[Check, ...]) -> None:
    needing = [check for check in checks if check.outcome == "needs data"]
    assert len(needing) == 13 + 5
    assert {check.needs for check in needing} == {BABBAGE}
    assert all(check.here is None for check in needing)


@pytest.mark.parametrize(
    ("cell", "value", "claim"),
    [
        (2, "-3.9", "race, baseline: size of t"),
        (2, "3.174", "race, baseline: size of t"),
        (3, "0.003", "race, baseline: p"),
        (3, "<0.0001", "race, baseline: p"),
        (4, 0, "race, baseline: p below 0.05"),
    ],
)
def test_a_wrong_figure_would_be_noticed(monkeypatch: pytest.MonkeyPatch, cell: int, value: object, claim: str) -> None:
    changed = json.loads(json.dumps(content()))
    changed["tests"]["race"]["rows"]["baseline"][cell] = value
    monkeypatch.setattr("evenhand.published.calibration_figures.content", lambda: changed)
    assert find(reproduce_calibration(), claim).outcome == "differs"


def test_the_printed_figures_can_be_shown_like_any_others() -> None:
    found = {(one.question, one.version): one for one in printed_evaluation().tests}
    one = found["gender, without names", "baseline"]
    assert (one.first, one.second, one.n, one.reading) == ("female", "male", 140, "most likely")
    margin = stats.t.ppf(0.975, 139) * 0.032
    assert one.interval == pytest.approx((-0.146 - margin, -0.146 + margin))
    assert one.p == pytest.approx(2 * stats.t.sf(4.519, 139))
    assert len(printed_evaluation().words) == 40 * 5
    assert {one.undefined["effect_size"] for one in found.values()} == {"not printed"}


def test_the_command_line() -> None:
    done = CliRunner().invoke(app, ["reproduce", "calibration", "--json"])
    counts = json.loads(done.stdout)["counts"]
    assert counts == dict(Counter(check.outcome for check in reproduce("calibration")))
    with pytest.raises(UsageError, match="'calibration' is recomputed from figures that are shipped"):
        reproduce("calibration", svm="models")


def test_the_page_counts_as_the_command_does_and_tells_all_errata(checks: tuple[Check, ...]) -> None:
    counts = Counter(check.outcome for check in checks)
    said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("reproduced", "differs", "needs data"))
    assert f"**{said}**" in PAGE
    assert re.findall(r"^\| (C\d\d) \|", PAGE, re.MULTILINE) == list(content()["errata"])


@pytest.mark.slow
def test_the_example_on_the_page_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "calibration.md", "exec"), names)  # noqa: S102
    evaluation = names["evaluation"]
    assert evaluation.versions[0] == "baseline"
    assert {one.n for one in evaluation.tests} == {280, 140}


def test_no_expected_score_reaches_what_figure_5_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random distributions stay below the bound, the most extreme ones reach it, and a score below it would be told."""
    rng = np.random.default_rng(3)
    p, neutral, race, gender = rng.dirichlet([0.05] * 5, (4, 20_000))
    drawn = softmax(p + (neutral - race + neutral - gender) / 2, axis=1) @ np.arange(1, 6)
    # One label leads all others by three: more than the references can do for four labels at once.
    extreme = softmax(np.array([0.0, 0.0, 0.0, 0.0, 3.0])) @ np.arange(1, 6)
    assert drawn.max() < calibration._highest_expected() == pytest.approx(extreme)
    changed = json.loads(json.dumps(content()))
    changed["words"]["rows"]["anger"]["enraged"][4] = 4.5
    monkeypatch.setattr(calibration, "content", lambda: changed)
    claim = "additive-mean, enraged: the score is that of the most likely label"
    assert find(reproduce_calibration(), claim).outcome == "differs"
