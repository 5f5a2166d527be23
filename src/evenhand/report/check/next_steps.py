"""What to do about what keeps a gate shut, as commands that run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.gating.result import Check, Item
from evenhand.report.audit.next_steps import NAMED, TAKES_NAMES, UNTIL_SETTLED
from evenhand.report.common.commands import Option, Typed, joined, said_of_high
from evenhand.report.common.steps import Step

SAVED = "my-check"
MOST = 3
"""Commands of one kind."""
FLAGS = {"system_version": "--system-version", "base_url": "--base-url", "kind": "--kind", "draws": "--draws"}


def after_check(check: Check) -> list[Step]:
    """A step for each kind of trouble; where all is well, a baseline for the next version."""
    typed = Typed.read(check.provenance.command or "")
    told = [item for item in check.items if item.question not in ("answers", "baseline")]
    gaps = [item for item in told if item.system in _systems(check)]
    broken = [item for item in gaps if item.outcome == "fails"]
    unsure = [item for item in gaps if item.outcome == "cannot tell"]
    grown = [item for item in check.items if item.question == "baseline" and item.blocks]
    return [
        *_looked_at(check, broken, "fails", "See whom it rests on"),
        *_repaired(check, broken),
        *_settled(check, unsure),
        *(_grown(typed) if grown else []),
        *(_kept(typed) if check.passed else []),
    ]


def _systems(check: Check) -> list[str]:
    return list(check.provenance.details["given"])


def _looked_at(check: Check, items: Sequence[Item], verdict: str, text: str) -> Iterator[Step]:
    commands = dict.fromkeys(_about("audit", check, item, _asked(item)) for item in items)
    if commands:
        yield Step(verdict, text, tuple(commands)[:MOST])


def _repaired(check: Check, items: Sequence[Item]) -> Iterator[Step]:
    of_corpora = [item for item in items if item.question == "gap" and item.corpus != _text(check)]
    commands = dict.fromkeys(_about("repair", check, item, []) for item in of_corpora)
    if commands:
        yield Step("fails", "See how far the gap can be closed, and at what cost", tuple(commands)[:MOST])


def _settled(check: Check, items: Sequence[Item]) -> Iterator[Step]:
    by_names = [
        item
        for item in items
        if item.corpus in TAKES_NAMES and item.attribute in NAMED and "until_settled" not in check.provenance.settings
    ]
    if by_names:
        commands = dict.fromkeys(_about("audit", check, item, [*_asked(item), UNTIL_SETTLED]) for item in by_names)
        text = "Ask about more names, here once, or in the gate with until_settled = true"
        yield Step("cannot tell", text, tuple(commands)[:MOST])
    others = [item for item in items if item not in by_names]
    yield from _looked_at(check, others, "cannot tell", "See what would decide")


def _grown(typed: Typed) -> Iterator[Step]:
    save, folder = typed.saved_in(SAVED)
    text = "Save what was found, to be compared in full with the baseline (evenhand compare)"
    yield Step("larger than the baseline", text, (save, joined("runs", [folder], [])))


def _kept(typed: Typed) -> Iterator[Step]:
    save, folder = typed.saved_in(SAVED)
    text = "Keep it, and hold the next version against it"
    yield Step("passes", text, (save, typed.again(without=["--out"], baseline=folder)))


def _about(verb: str, check: Check, item: Item, also: Sequence[Option]) -> str:
    """A command about one system and attribute, asked as the gate asks."""
    settings = check.provenance.settings
    about: list[Option] = [("--corpus", item.corpus)] if item.corpus != "eec" else []
    if item.corpus == _text(check):
        column: list[Option] = [("--column", settings["column"])] if "column" in settings else []
        about = [("--text", item.corpus), *column]
    asking = settings.get("asking", {})
    said: list[Option] = [(FLAGS[name], str(value)) for name, value in asking.items() if name in FLAGS]
    if "range" in asking:
        said.append(("--range", ",".join(f"{end:g}" for end in asking["range"])))
    if "outputs" in asking:
        said.append(("--outputs", ",".join(asking["outputs"])))
    if "high_is" in asking:
        said.append(("--high-is", said_of_high(asking["high_is"])))
    return joined(verb, [item.system], [*about, ("--attribute", item.attribute), *said, *also])


def _text(check: Check) -> str | None:
    found = check.provenance.settings.get("text")
    return found if isinstance(found, str) else None


def _asked(item: Item) -> list[Option]:
    """The tolerance as a share of the range, or the threshold."""
    if item.question != "gap":
        return [("--threshold", f"{item.threshold:.6g}")]
    return [("--equivalence", f"{(item.limit or 0.01) / item.span:.6g}")]
