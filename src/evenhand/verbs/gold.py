"""Gold: how well systems do their job on texts that people scored, asked before the audit's own sentences."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evenhand.asking import Scores, score_as
from evenhand.asking.settings import AskSettings
from evenhand.errors import UsageError
from evenhand.files.task_files import DIMENSIONS
from evenhand.repairs.gold import GoldTexts, read_gold_texts
from evenhand.stats import pearson, spearman
from evenhand.systems import BaseScorer, HeldOut
from evenhand.verbs.ask import Made


def with_gold(made: Sequence[Made], path: Path, how: AskSettings) -> list[Made]:
    """Copies of the systems that know how well they agree with people on these texts; it counts before all else.

    The column `gold` is about the one output of each system; of several outputs it cannot be told which is meant,
    unless the file is one of the shared task, which says what was scored.
    """
    texts = read_gold_texts(path)
    return [_measured(one, texts, how) for one in made]


def _measured(one: Made, texts: GoldTexts, how: AskSettings) -> Made:
    if isinstance(one, Scores):
        raise UsageError("recorded scores say nothing about gold texts; give the system itself, or leave out gold")
    if not isinstance(one, BaseScorer):
        raise UsageError(f"{one.name!r} tags words; gold texts have one score each")
    outputs = [output for output in one.outputs if output.of is None]
    if texts.dimension is not None:
        # A task's file says what was scored, so that one of several outputs can be meant, or none.
        affects = [output for output in outputs if output.name in DIMENSIONS]
        outputs = [output for output in affects if output.name == texts.dimension] or outputs
        if affects and outputs[0].name != texts.dimension:
            names = ", ".join(output.name for output in affects)
            raise UsageError(f"people scored {texts.dimension} there, and {one.name!r} gives {names}")
    if len(outputs) != 1:
        names = ", ".join(output.name for output in one.outputs)
        raise UsageError(f"{one.name!r} gives several numbers ({names}); gold texts say one number each, of which?")
    place = [output.name for output in one.outputs].index(outputs[0].name)
    given = score_as([one], texts.corpus, how).matrix[:, [place]]
    n = len(texts.gold)
    r, rho = (_number(measure(given, texts.gold)[0]) for measure in (pearson, spearman))
    measured = copy.copy(one)  # whoever gave the system keeps it as it is
    measured.held_out = {outputs[0].name: HeldOut(n, r, rho, f"on {texts.corpus.name}")}  # type: ignore[misc]
    return measured


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
