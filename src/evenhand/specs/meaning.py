"""What is declared of outputs, put on systems and on scores that were recorded."""

from __future__ import annotations

import copy
from dataclasses import replace

from evenhand.asking import Scores
from evenhand.errors import UsageError
from evenhand.systems import BaseScorer
from evenhand.systems.base import Output
from evenhand.systems.meaning import HighIsSaid, declared


def outputs_of(made: BaseScorer | Scores) -> tuple[Output, ...]:
    """The outputs of a system, or of what was recorded."""
    return tuple(column.output for column in made.columns) if isinstance(made, Scores) else made.outputs


def with_high_is(made: BaseScorer | Scores, said: HighIsSaid) -> BaseScorer | Scores:
    """A copy whose outputs say what their high values mean."""
    outputs = declared(outputs_of(made), said)
    if isinstance(made, Scores):
        columns = zip(made.columns, outputs, strict=True)
        return replace(made, columns=tuple(replace(column, output=output) for column, output in columns))
    copied = copy.copy(made)  # whoever gave the system keeps it as it is
    try:
        copied.outputs = outputs  # type: ignore[misc]
    except AttributeError as error:
        raise UsageError(f"{made.name!r} computes its outputs: declare high_is in its own code") from error
    return copied
