"""The published figures beside recomputed ones: what differs is known, and why."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.published import Check
from evenhand.published.rating_figures import content, orders, printed_tests, published_scores
from evenhand.verbs.reproduce import reproduce


@pytest.fixture(scope="module")
def checks() -> tuple[Check, ...]:
    return reproduce("rating")


def find(checks: tuple[Check, ...], claim: str) -> Check:
    (found,) = (check for check in checks if check.claim == claim)
    return found


def ids(check: Check) -> list[str]:
    return [erratum.partition(":")[0] for erratum in check.errata]


def test_whatever_differs_has_an_erratum_and_nothing_else_has(checks: tuple[Check, ...]) -> None:
    for check in checks:
        assert bool(check.errata) == (check.outcome != "reproduced"), check


def test_all_t_and_verdicts_of_the_english_data(checks: tuple[Check, ...]) -> None:
    cells = [check for check in checks if check.where == "the authors' result files" and check.counted]
    assert len(cells) == 75 + 75 + 75 + 250
    assert {check.outcome for check in cells} == {"reproduced"}


def test_1082_of_1085_printed_verdicts(checks: tuple[Check, ...]) -> None:
    cells = [check for check in checks if check.counted and check.claim.endswith(": verdict")]
    assert len(cells) == sum(len(table.cells) for table in printed_tests()) == 1085
    wrong = [check for check in cells if check.outcome == "differs"]
    assert Counter(one for check in wrong for one in ids(check)) == {"E15": 2, "E19": 1}
    at_stated = find(checks, "verdicts at the stated levels")
    assert (at_stated.here, at_stated.outcome) == ("953 agree", "differs")


@pytest.mark.parametrize("group", ["Group-1", "Group-3_G", "Group-3_R", "Group-3_RG"])
def test_rejection_scores_of_the_english_data(checks: tuple[Check, ...], group: str) -> None:
    assert find(checks, f"SD {group}: rejection scores as computed by the authors").outcome == "reproduced"
    stated = find(checks, f"SD {group}: rejection scores at the stated levels and weights")
    assert ids(stated) == ["E01", "E02"]


def test_28_of_30_rows_of_levels(checks: tuple[Check, ...]) -> None:
    rows = [check for check in checks if check.claim.endswith(": levels from the printed scores")]
    assert len(rows) == len(orders()) == 30
    differing = {check.claim.partition(":")[0]: ids(check) for check in rows if check.outcome == "differs"}
    assert differing == {"HD1 Chatbot": ["E07"], "HD1_S Chatbot": ["E08"]}
    assert find(checks, "levels by the algorithm as printed").here == "5 rows agree"


def test_scores_that_do_not_follow_from_the_marks(checks: tuple[Check, ...]) -> None:
    summed = [check for check in checks if ": rejection scores from the marks of" in check.claim]
    differing = {check.claim.partition(":")[0]: ids(check) for check in summed if check.outcome == "differs"}
    assert differing == {
        "SD_S Group-3_G": ["E14"],
        "SD_S Group-3_R": ["E14"],
        "SD_S Group-3_RG": ["E14"],
        "HD1 User": ["E01"],
        "HD1 Chatbot": ["E01"],
        "HD1_D User": ["E01"],
        "HD1_D Chatbot": ["E01"],
        "HD1_S User": ["E13"],
        "HD1_S Chatbot": ["E13"],
        "HD2_S User": ["E09"],
        "HD2 Chatbot": ["E19"],
    }


def test_impacts(checks: tuple[Check, ...]) -> None:
    rows = [check for check in checks if check.counted and check.claim.endswith("impacts from the printed means")]
    assert len(rows) == 4 * 15 + 6 * 3
    wrong = Counter(one for check in rows if check.outcome == "differs" for one in ids(check))
    assert wrong == {"E20": 2, "E21": 2, "E22": 2}
    by_equation = find(checks, "SD Group-2: largest impacts by equation 1")
    assert by_equation.here == "S_g 211.11 S_r 160.28 S_t 2.2 S_d 0 S_b 333.33"
    assert ids(by_equation) == ["E27", "E28"]
    assert "S_g X" in str(find(checks, "SD Group-4: largest impacts by equation 1").here)


def test_statements(checks: tuple[Check, ...]) -> None:
    assert find(checks, "rows of HD1").here == "2,740 by table III"
    assert find(checks, "rows of HD2").here == "1,464 by table III"
    assert find(checks, "African American female name").here == "male"
    assert find(checks, "impact of S_h in groups 2 and 4 of SD").here == "83 and 80"


def test_the_shipped_numbers_are_whole() -> None:
    sizes = published_scores()["group"].value_counts(sort=True)
    assert dict(sizes.iter_rows()) == {"Group-1": 1200, "Group-3": 1200, "Group-2": 360, "Group-4": 360}
    assert list(content()["errata"]) == [f"E{number:02d}" for number in range(1, 35)]


def test_other_inputs_are_not_for_this_paper() -> None:
    with pytest.raises(UsageError, match="are for 'eec'"):
        reproduce("rating", svm="models")
    with pytest.raises(UsageError, match="did you mean 'rating'"):
        reproduce("ratings")


PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")


def test_the_page_counts_as_the_command_does(checks: tuple[Check, ...]) -> None:
    counts = Counter(check.outcome for check in checks)
    said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("reproduced", "differs", "needs data"))
    assert f"**{said}**" in PAGE


def test_the_page_marks_the_errata_that_the_command_shows(checks: tuple[Check, ...]) -> None:
    shown = {one for check in checks if check.outcome == "differs" for one in ids(check)}
    rows = re.findall(r"^\| (E\d\d)(\*?) \|", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == list(content()["errata"])
    assert {name for name, star in rows if star} == shown


@pytest.mark.parametrize(
    ("row", "claim"),
    [
        ("group 1, as stated", "SD Group-1: rejection scores at the stated levels and weights"),
        ("group 3 by race, as stated", "SD Group-3_R: rejection scores at the stated levels and weights"),
        ("group 3 by gender, as stated", "SD Group-3_G: rejection scores at the stated levels and weights"),
        ("group 3 by both, as stated", "SD Group-3_RG: rejection scores at the stated levels and weights"),
        ("group 2, here", "SD Group-2: largest impacts by equation 1"),
        ("group 4, here", "SD Group-4: largest impacts by equation 1"),
    ],
)
def test_the_page_shows_the_figures_that_the_command_prints(checks: tuple[Check, ...], row: str, claim: str) -> None:
    lines = PAGE.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(f"| {row} |"))
    heading = next(line for line in reversed(lines[:place]) if "S_d" in line)
    names, values = ([cell.strip() for cell in line.strip("|").split("|")] for line in (heading, lines[place]))
    told = dict(zip(names, values, strict=True))
    here = (find(checks, claim).here or "").split()
    assert {name: told[name] for name in here[::2]} == dict(zip(here[::2], here[1::2], strict=True))
