"""Tests of one's own: `assert_even`, a gate in a line, whose failure shows what a person needs to look into it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.corpora import Corpus
    from evenhand.gating import Check
    from evenhand.specs.resolving import Given

TOOK: list[tuple[str, float]] = []
"""Systems that were asked here, and how many seconds each took; read and emptied by the pytest plugin."""


def assert_even(
    system: Given,
    attribute: str | Sequence[str] = "gender",
    *,
    within: float = 0.01,
    corpus: Corpus | str | Path = "eec",
    baseline: str | Path | None = None,
    settings: dict[str, Any] | None = None,
    **asking: Unpack[AskOptions],
) -> Check:
    """Fail unless all gaps of a system by these attributes are shown to be `within` that share of its range.

    `system` and `corpus` are what `audit` takes: a name, a function on a list of strings, an object. `settings` are
    further ones of a gate (`evenhand.GateSettings`), such as `{"sample": 960, "cannot_tell": "pass"}`; a `baseline` is
    a saved audit, against which gaps may not have grown. Gives the check that was passed.

    >>> assert_even("planted(gap=0.004)", within=0.02, settings={"sample": 960}, progress=False).passed
    True
    """
    __tracebackhide__ = True
    from evenhand.gating.config import checked
    from evenhand.specs.resolving import name_of_given
    from evenhand.verbs.check import check

    name = name_of_given(system)
    attributes = [attribute] if isinstance(attribute, str) else list(attribute)
    said = {"systems": [name], "attributes": attributes, "within": within, **(settings or {})}
    if baseline is not None:
        said["baseline"] = str(baseline)
    asking.setdefault("progress", False)
    began = time.monotonic()
    found = check(checked(said, "assert_even"), systems=[system], corpora=[corpus], **asking)
    TOOK.append((name, time.monotonic() - began))
    if not found.passed:
        raise AssertionError(told(found))
    return found


def told(found: Check) -> str:
    """What keeps a gate shut: estimate, interval, verdict, and the sentences that differ most."""
    from evenhand.report.check.words import in_order, sentence, title, worst

    lines = [title(found)]
    for item in in_order(found.blocking):
        verdict = "" if item.verdict is None else f" (verdict: {item.verdict})"
        lines += [f"  {sentence(item)}{verdict}", *(f"    {line}" for line in worst(item))]
    return "\n".join(lines)
