"""An independent check of identification and adjustment by DoWhy; needs the extra `causal`, a gigabyte of packages."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import polars as pl

from evenhand.corpora.causal import EMOTIONS
from evenhand.errors import MissingExtra, UsageError
from evenhand.rating.deconfounding import impacts
from evenhand.rating.diagram import EMOTION, SENTIMENT, Diagram
from evenhand.rating.table import Block, blocks, checked, crossed_column, strata_column

CLOSE = 1e-8


@dataclass(frozen=True)
class IndependentCheck:
    """What DoWhy finds beside what Evenhand does. Effects are E[Y | do(positive)] − E[Y | do(negative)]."""

    own_backdoor_set: tuple[str, ...]
    backdoor_set: tuple[str, ...]
    own_effect: float
    effect: float
    """By a regression with a term for each class, its emotion and both together, averaged over all rows."""
    placebo_effect: float
    """With emotions dealt out blindly; ideally 0."""
    placebo_p: float
    """Whether that could be 0."""
    common_cause_effect: float
    """With a random variable as one more confounder; ideally the effect itself."""
    common_cause_p: float
    """Whether that could be the effect itself."""

    @property
    def agrees(self) -> bool:
        """Whether both hold the same fixed and find the same effect."""
        same = set(self.own_backdoor_set) == set(self.backdoor_set)
        return same and abs(self.own_effect - self.effect) <= CLOSE * max(1.0, abs(self.effect))

    @property
    def refuted(self) -> bool:
        """Whether a placebo has an effect, or a random common cause changes it (at 5 %)."""
        return min(self.placebo_p, self.common_cause_p) < 0.05


def check_with_dowhy(
    frame: pl.DataFrame, diagram: Diagram, *, simulations: int = 100, seed: int = 0
) -> IndependentCheck:
    """Check one system on one dataset: a table with the columns `system, dataset, <attributes>, emotion, sentiment`.

    It needs a confounder, and every class with both emotions: without positivity there is no effect to compare.
    """
    causal_model = _imported()
    own_set = diagram.backdoor_set()
    if not own_set:
        raise UsageError("nothing confounds in this diagram, so there is nothing to adjust for and to check")
    frame = checked(frame, attributes=own_set, confounders=own_set)
    (block,) = blocks(frame, attribute=own_set[0], adjusted_for=own_set)
    own_effect = _effect(block)
    with warnings.catch_warnings():
        # DoWhy calls parts of its dependencies that will change; that is not for our users to mend.
        warnings.simplefilter("ignore")
        found = _identified(causal_model, frame, diagram)
        return IndependentCheck(
            own_set, found, own_effect, **_estimated(causal_model, frame, found, simulations=simulations, seed=seed)
        )


def _imported() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from dowhy import CausalModel
    except ModuleNotFoundError as error:
        raise MissingExtra("the independent check by DoWhy", "causal") from error
    return CausalModel


def _effect(block: Block) -> float:
    if len(block.samples) != 1:
        raise UsageError(f"the check is for one system on one dataset; there are {len(block.samples)}")
    cells = next(iter(next(iter(impacts(block).values())).values()))
    missing = [cell.undefined for cell in cells.values() if cell.adjusted is None]
    if missing or len(cells) < len(EMOTIONS):
        raise UsageError(f"there is no effect to check: {'; '.join(map(str, missing)) or 'one emotion only'}")
    negative, positive = (cells[emotion].adjusted for emotion in EMOTIONS)
    return float(positive or 0.0) - float(negative or 0.0)


def _identified(causal_model: Any, frame: pl.DataFrame, diagram: Diagram) -> tuple[str, ...]:
    """What DoWhy would hold fixed in this diagram."""
    import networkx as nx

    # Names with a plus in them are no names to DoWhy.
    names = {node.name: f"v{place}" for place, node in enumerate(diagram.nodes)}
    columns = {
        names[node.name]: crossed_column(frame, node.name).to_list()
        for node in diagram.nodes
        if node.observed and node.role == "protected"
    }
    model = causal_model(
        data=_table(frame, columns, names[EMOTION], names[SENTIMENT]),
        treatment=names[EMOTION],
        outcome=names[SENTIMENT],
        graph=nx.relabel_nodes(diagram.graph, names),
    )
    found = model.identify_effect(proceed_when_unidentifiable=True).get_backdoor_variables()
    return tuple(name for name, short in names.items() if short in found)


def _estimated(
    causal_model: Any, frame: pl.DataFrame, adjusted_for: tuple[str, ...], *, simulations: int, seed: int
) -> dict[str, float]:
    """The effect given the classes of all confounders crossed, and two attempts to refute it."""
    import networkx as nx

    crossed = strata_column(frame, adjusted_for).to_list()
    model = causal_model(
        data=_table(frame, {"z": crossed}, "x", "y"),
        treatment="x",
        outcome="y",
        graph=nx.DiGraph([("z", "x"), ("z", "y"), ("x", "y")]),
    )
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    estimate = model.estimate_effect(
        estimand,
        method_name="backdoor.linear_regression",
        effect_modifiers=["z"],
        method_params={"need_conditional_estimates": False},
    )
    drawn = {"num_simulations": simulations, "random_seed": seed}
    placebo = model.refute_estimate(
        estimand, estimate, method_name="placebo_treatment_refuter", placebo_type="permute", **drawn
    )
    common = model.refute_estimate(estimand, estimate, method_name="random_common_cause", **drawn)
    return {
        "effect": float(estimate.value),
        "placebo_effect": float(placebo.new_effect),
        "placebo_p": float(placebo.refutation_result["p_value"]),
        "common_cause_effect": float(common.new_effect),
        "common_cause_p": float(common.refutation_result["p_value"]),
    }


def _table(frame: pl.DataFrame, columns: dict[str, Any], emotion: str, sentiment: str) -> Any:
    import pandas as pd

    coded = [EMOTIONS.index(name) for name in frame["emotion"]]
    return pd.DataFrame({**columns, emotion: coded, sentiment: frame["sentiment"].to_list()})
