"""Who is worse off before a repair, and what a repair is worth of a system that does not do its job."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.contrasts import EVERYBODY
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import Repair


def harm_notes(repair: Repair) -> Iterator[str]:
    """Who is worse off by each gap that was visible, each once; and whether that means anything."""
    everywhere = [one for one in repair.judgement.outcomes if one.reduction is not None]
    visible = [one for one in everywhere if one.scope == EVERYBODY] or everywhere
    yield from dict.fromkeys(note for one in visible if (note := _worse_off(repair, one)))
    failing = [output for output, able in repair.does_its_job.items() if able is False]
    if failing:
        yield f"The system does not do its job ({', '.join(failing)}), so that closing a gap in its scores says little."


def does_not_do_its_job(repair: Repair) -> bool:
    """Whether any of its outputs is known not to follow what sentences say."""
    return any(able is False for able in repair.does_its_job.values())


def _worse_off(repair: Repair, one: Outcome) -> str:
    high_is = repair.high_is.get(one.output)
    if one.before is None or high_is not in ("good", "bad"):
        return ""
    first = (one.before.value > 0) == (high_is == "bad")
    label, code = (one.first_label, one.first) if first else (one.second_label, one.second)
    who = f"the group {code} is" if label in ("", code) else f"{label} are"
    return f"Before the repair, by {one.attribute}, {who} worse off (a high {one.output} is {high_is})."
