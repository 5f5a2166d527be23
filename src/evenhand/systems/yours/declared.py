"""Who answers: what people declare about the numbers of a system, and what the numbers themselves show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, get_args

import numpy as np

from evenhand.errors import UsageError, did_you_mean
from evenhand.systems.base import CLASSES, DESIRABLE, FOUND, Output, OutputKind

Declared = Output | str | Mapping[str, Any] | Sequence[Output | str | Mapping[str, Any]]
"""How outputs may be declared; see `named_outputs`."""

DECLARABLE = tuple(kind for kind in get_args(OutputKind) if kind != FOUND)
"""What users may say of their outputs; entities are found by taggers alone."""
MOST_OUTPUTS = 10_000
"""Numbers for a text, each of which is compared: more are a matrix that was turned round, or an embedding."""
ADDS_UP = 0.02
"""How far probabilities may be from adding up to one: three that are rounded to two digits are off by 0.015 at most."""


def named_outputs(
    declared: object, low: float, high: float, name: str, *, kind: str | None = None
) -> tuple[Output, ...]:
    """Outputs as people declare them: names, mappings with `name`, `low`, `high`, `kind`, ..., or `Output` objects.

    `low`, `high` and `kind` hold for those that don't say.

    >>> named_outputs(["joy", {"name": "mood", "low": -1}], 0.0, 1.0, "mine")[1].span
    2.0
    """
    outputs = _several(declared)
    if not outputs:
        raise UsageError(f"{name!r}: its outputs must be names or Output objects, not {declared!r}")
    if len(outputs) > MOST_OUTPUTS:
        raise UsageError(
            f"{name!r} gives {len(outputs):,} numbers for a text, more than {MOST_OUTPUTS:,}: give those to compare"
        )
    return tuple(_output(one, {"low": low, "high": high, "kind": kind or "score"}, name) for one in outputs)


def leaves_kind_open(declared: object, kind: str | None = None) -> bool:
    """Whether nobody said what kind of numbers these are, so that the numbers themselves may show it.

    >>> leaves_kind_open(["negative", "positive"]), leaves_kind_open([{"name": "joy", "kind": "score"}])
    (True, False)
    """
    said = (isinstance(one, Output) or (isinstance(one, Mapping) and "kind" in one) for one in _several(declared))
    return kind is None and not any(said)


def recognised(
    outputs: Sequence[Output], answers: Callable[[], object], *, kind_is_open: bool
) -> tuple[tuple[Output, ...], str | None]:
    """The outputs as the probabilities of classes that exclude each other, where the answers show that they are.

    With them comes what a reader should know of it; None where nothing was concluded that had not been declared.
    """
    candidates = [
        output
        for output in outputs
        if output.of is None and (output.low, output.high) == (0, 1) and (kind_is_open or output.kind == "probability")
    ]
    if len(outputs) < 2 or len(candidates) < len(outputs) or not add_up(answers()):
        return tuple(outputs), None
    remark = (
        f"its {len(outputs)} outputs add up to one, as far as was tried, and are read as the probabilities of "
        f"{', '.join(output.name for output in outputs)}; declare kind=score to read them as separate scores"
    )
    classes = tuple(replace(output, kind="probability", of=CLASSES) for output in outputs)
    return classes, remark if kind_is_open else None


def add_up(answers: object) -> bool:
    """Whether every row is a distribution: from 0 to 1 each, and one together, give or take what rounding does.

    >>> add_up([[0.33, 0.33, 0.33], [0, 1, 0]]), add_up([[0.5, 0.9]]), add_up([])
    (True, False, False)
    """
    rows = np.asarray(answers, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        return False
    return bool((rows >= 0).all() and (np.abs(rows.sum(axis=1) - 1) <= ADDS_UP).all())


def _several(declared: object) -> Sequence[object]:
    if isinstance(declared, str | Output | Mapping):
        return (declared,)
    return declared if isinstance(declared, Sequence) else ()


def _output(declared: object, otherwise: Mapping[str, Any], name: str) -> Output:
    if isinstance(declared, Output):
        return declared
    given = {"name": declared} if isinstance(declared, str) else declared
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise UsageError(f"{name!r}: its outputs must be names or Output objects, not {declared!r}")
    known = [*(field.name for field in fields(Output)), DESIRABLE]
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise UsageError(f"{name!r}: an output has no {unknown[0]!r}{did_you_mean(unknown[0], known)}")
    whole = {**otherwise, **given}
    if whole["kind"] not in DECLARABLE:
        hint = did_you_mean(str(whole["kind"]), DECLARABLE)
        raise UsageError(f"{name!r}: no kind of output {whole['kind']!r}{hint}")
    for end in ("low", "high", "unit"):
        if given.get(end) is not None and (isinstance(given[end], bool) or not isinstance(given[end], int | float)):
            raise UsageError(f"{name!r}: {end} of the output {given['name']!r} must be a number, not {given[end]!r}")
    return Output.from_dict(whole)
