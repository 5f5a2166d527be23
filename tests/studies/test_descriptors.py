"""Gaps by what systems are made of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evenhand.studies.descriptors import DescriptorGap, descriptor_gaps

GAPS = {"a": [0.010, 0.014], "b": [-0.011], "c": [0.013], "d": [0.002], "e": [-0.004], "f": [0.009]}
ABOUT = {
    "a": {"kind": ("x",), "words": ("NRC",)},
    "b": {"kind": ("x",), "words": ("NRC", "AFINN")},
    "c": {"kind": ("x",), "words": ("AFINN",)},
    "d": {"kind": ("y",), "words": ("AFINN",)},
    "e": {"kind": ("y",), "words": ("NRC",)},
    "f": {"kind": ("y",), "words": ("NRC",)},
}


def test_intervals_are_welch_s_and_p_is_corrected_by_holm() -> None:
    found = descriptor_gaps({"gender": GAPS}, ABOUT, alpha=0.05)
    sizes = {system: float(np.mean(np.abs(gaps))) for system, gaps in GAPS.items()}
    raw = []
    for one in found:
        having = [sizes[system] for system, about in ABOUT.items() if one.value in about[one.descriptor]]
        others = [sizes[system] for system, about in ABOUT.items() if one.value not in about[one.descriptor]]
        test = stats.ttest_ind(having, others, equal_var=False)
        assert one.interval == pytest.approx(tuple(test.confidence_interval(0.95)))
        raw.append(test.pvalue)
    assert len(raw) == 4
    assert [one.p_adjusted for one in found] == pytest.approx(multipletests(raw, method="holm")[1])


def compared(*sizes: float) -> DescriptorGap:
    about = {str(place): {"kind": ("x" if place < 2 else "y",)} for place in range(4)}
    gaps = {"gender": {str(place): [size] for place, size in enumerate(sizes)}}
    return descriptor_gaps(gaps, about, alpha=0.05)[0]


def test_sizes_that_vary_by_rounding_are_not_compared() -> None:
    one = compared(0.3, 0.1 + 0.2, 0.2, 0.2)
    assert (one.difference, one.p_adjusted, one.undefined) == (None, None, "the sizes of the gaps do not vary")


def test_one_side_may_be_all_alike_and_nothing_is_warned_of() -> None:
    one = compared(0.3, 0.1 + 0.2, 0.2, 0.25)
    assert one.difference == pytest.approx(0.075)
    assert one.p_adjusted is not None
    assert 0 < one.p_adjusted < 1
