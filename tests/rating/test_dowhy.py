"""DoWhy as an independent check, where it is installed; and what is said where it is not."""

from __future__ import annotations

import sys

import polars as pl
import pytest

from evenhand.errors import MissingExtra, UsageError
from evenhand.rating import rating_diagram
from evenhand.rating.dowhy_check import check_with_dowhy
from evenhand.rating.published import published_scores

CONFOUNDED = rating_diagram(["gender"], confounders=["gender"])


def sample(system: str, *, group: str = "Group-2", dataset: str = "E4") -> pl.DataFrame:
    return published_scores().filter(group=group, system=system, dataset=dataset)


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dowhy", None)
    with pytest.raises(MissingExtra, match=r"needs the extra 'causal': pip install 'evenhand\[causal\]'"):
        check_with_dowhy(sample("S_r"), CONFOUNDED)


@pytest.mark.parametrize("system", ["S_b", "S_r", "S_t", "S_d", "S_g"])
def test_both_hold_the_same_fixed_and_find_the_same_effect(system: str) -> None:
    pytest.importorskip("dowhy", reason="`make causal` runs this, in an environment that has it")
    found = check_with_dowhy(sample(system), CONFOUNDED, simulations=50)
    assert found.backdoor_set == found.own_backdoor_set == ("gender",)
    assert found.effect == pytest.approx(found.own_effect, abs=1e-9)
    assert found.agrees
    assert not found.refuted


def test_there_is_nothing_to_check_without_positivity_or_confounding() -> None:
    pytest.importorskip("dowhy", reason="`make causal` runs this, in an environment that has it")
    with pytest.raises(UsageError, match="female never met a positive word"):
        check_with_dowhy(sample("S_r", dataset="E3"), CONFOUNDED)
    with pytest.raises(UsageError, match="nothing confounds"):
        check_with_dowhy(sample("S_r"), rating_diagram(["gender"]))
    with pytest.raises(UsageError, match="one system on one dataset; there are 3"):
        check_with_dowhy(published_scores().filter(group="Group-2", system="S_r"), CONFOUNDED)
