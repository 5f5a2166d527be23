"""Agreement between annotators: against a textbook, by hand, and where it has no value."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from evenhand.errors import MissingExtra
from evenhand.stats.agreement import agreement

NO = float("nan")

# Krippendorff's own example of four observers, twelve units, five values and missing data ("Computing Krippendorff's
# Alpha-Reliability", 2011, section C to E): alpha is .743 for nominal, .815 for ordinal, .849 for interval data.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
        [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
    ]
)
# And his example of two observers, ten units and two values (section A), worked out below.
TWO = np.array([[0.0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]])


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_textbooks_four_observers(level: str, printed: float) -> None:
    found = agreement(OBSERVERS, level=level)  # type: ignore[arg-type]
    assert found.alpha == pytest.approx(printed, abs=5e-4)
    assert found.units == 11  # the last unit has one label, and pairs with nothing


def test_two_observers_by_hand() -> None:
    # 20 labels, 14 of them 0 and 6 of them 1; observers disagree about units 1, 3, 6 and 9. With two values,
    # alpha = 1 - (n - 1) * disagreements / (zeros * ones).
    by_hand = 1 - 19 * 4 / (14 * 6)
    found = agreement(TWO, level="nominal")
    assert found.alpha == pytest.approx(by_hand)
    assert by_hand == pytest.approx(0.095, abs=5e-4)
    assert (found.percent, found.unanimous) == (60.0, 60.0)


def test_percentages_count_pairs_of_labels() -> None:
    found = agreement(np.array([[1, 0, NO, -1], [1, 0, 1, NO], [1, 1, 1, NO]]))
    # Pairs: unit 1 has 3 of 3, unit 2 has 1 of 3, unit 3 has 1 of 1; unit 4 has one label.
    assert found.units == 3
    assert found.percent == pytest.approx(100 * 5 / 7)
    assert found.unanimous == pytest.approx(100 * 2 / 3)
    assert found.pairs == {(0, 1): 100.0, (0, 2): 50.0, (1, 2): pytest.approx(100 * 2 / 3)}


def test_the_order_of_annotators_and_units_does_not_matter() -> None:
    found = agreement(OBSERVERS)
    shuffled = agreement(OBSERVERS[[2, 0, 3, 1]][:, ::-1])
    assert (shuffled.percent, shuffled.unanimous) == (found.percent, found.unanimous)
    assert shuffled.alpha == pytest.approx(found.alpha)


def test_without_variation_alpha_is_undefined_and_says_why() -> None:
    found = agreement(np.array([[1.0, 1, 1], [1, 1, NO]]))
    assert found.percent == 100.0
    assert found.alpha is None
    assert found.undefined is not None
    assert "all labels are 1" in found.undefined


@pytest.mark.parametrize("labels", [[[1.0, 0, -1]], [[1, NO], [NO, 0]]])
def test_without_a_pair_nothing_is_defined(labels: list[list[float]]) -> None:
    found = agreement(np.array(labels))
    assert (found.percent, found.unanimous, found.alpha) == (None, None, None)
    assert found.undefined == "no unit was labelled by two annotators"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    with pytest.raises(MissingExtra, match=r"evenhand\[human\]"):
        agreement(TWO)
