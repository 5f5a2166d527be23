"""DoWhy, an independent implementation, identifies and adjusts as Evenhand does (`make causal`).

Effects are E[sentiment | do(positive)] − E[sentiment | do(negative)], of one system on one dataset in which every class
met both emotions.
"""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx
import polars as pl
import pytest

from evenhand.corpora.causal import EMOTIONS
from evenhand.published.rating_figures import published_scores
from evenhand.rating import rating_diagram
from evenhand.rating.deconfounding import impacts
from evenhand.rating.diagram import EMOTION, SENTIMENT
from evenhand.rating.table import blocks, checked, crossed_column

with warnings.catch_warnings():
    # DoWhy calls parts of its dependencies that will change.
    warnings.simplefilter("ignore")
    dowhy = pytest.importorskip("dowhy", reason="`make causal` runs this, in an environment that has it")
    import pandas as pd

pytestmark = pytest.mark.filterwarnings("ignore")
DIAGRAM = rating_diagram(["gender"], confounders=["gender"])
SIMULATIONS = {"num_simulations": 50, "random_seed": 0}


@pytest.fixture(params=["S_b", "S_r", "S_t", "S_d", "S_g"])
def frame(request: pytest.FixtureRequest) -> pl.DataFrame:
    """What one system gave the sentences of the one dataset that holds everybody with both emotions."""
    one = published_scores().filter(group="Group-2", system=request.param, dataset="E4")
    return checked(one, attributes=["gender"], confounders=["gender"])


def model(frame: pl.DataFrame, graph: nx.DiGraph) -> Any:
    emotions = [EMOTIONS.index(name) for name in frame["emotion"]]
    columns = {
        "gender": crossed_column(frame, "gender").to_list(),
        EMOTION: emotions,
        SENTIMENT: frame["sentiment"].to_list(),
    }
    return dowhy.CausalModel(data=pd.DataFrame(columns), treatment=EMOTION, outcome=SENTIMENT, graph=graph)


def own_effect(frame: pl.DataFrame) -> float:
    (block,) = blocks(frame, attribute="gender", adjusted_for=["gender"])
    cells = next(iter(next(iter(impacts(block).values())).values()))
    negative, positive = (cells[emotion].adjusted for emotion in EMOTIONS)
    assert negative is not None
    assert positive is not None
    return positive - negative


def test_both_hold_the_same_fixed(frame: pl.DataFrame) -> None:
    estimand = model(frame, DIAGRAM.graph).identify_effect(proceed_when_unidentifiable=True)
    assert tuple(estimand.get_backdoor_variables()) == DIAGRAM.backdoor_set() == ("gender",)


def test_both_find_the_same_effect_and_it_is_not_refuted(frame: pl.DataFrame) -> None:
    simple = nx.DiGraph([("gender", EMOTION), ("gender", SENTIMENT), (EMOTION, SENTIMENT)])
    asked = model(frame, simple)
    estimand = asked.identify_effect(proceed_when_unidentifiable=True)
    estimate = asked.estimate_effect(
        estimand,
        method_name="backdoor.linear_regression",
        effect_modifiers=["gender"],
        method_params={"need_conditional_estimates": False},
    )
    assert estimate.value == pytest.approx(own_effect(frame), abs=1e-9)
    # Emotions that are dealt out blindly have no effect, and a random common cause does not change it.
    placebo = {"method_name": "placebo_treatment_refuter", "placebo_type": "permute"}
    for refuter in (placebo, {"method_name": "random_common_cause"}):
        found = asked.refute_estimate(estimand, estimate, **refuter, **SIMULATIONS)
        assert found.refutation_result["p_value"] >= 0.05
