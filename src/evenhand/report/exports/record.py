"""A test record: what was planned, with what it was tested, what went otherwise, and every result."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.report.common.markdown import bullets, code_block, plain, table
from evenhand.report.common.provenance import STATED
from evenhand.report.exports.account import NOT_STATED, Account, digests, environment, said

LINE = "\\_" * 30
NONE = ("None is known.",)
STATED_BELOW = ("tolerance_set_on", "tolerance_reason")
"""What stands in the plan."""


def record(account: Account) -> str:
    """One document, to be read, filed and signed."""
    command = account.provenance.command
    parts = [
        f"# Test record: {plain(account.title)}\n",
        _facts([("Systems", ", ".join(account.systems)), *_stated(account)]),
        "## Plan\n",
        _facts(account.plan),
        "## Environment\n",
        _facts(environment(account.provenance)),
        *([code_block(command, "sh")] if command is not None else []),
        "## Digests\n",
        _facts(digests(account.request)),
        "## Deviations\n",
        bullets(account.deviations or NONE),
        "## Results\n",
        *(_results(account, system) for system in account.systems),
        *(f"{plain(line)}\n" for line in account.reading),
        *([] if not account.warnings else ["## Keep in mind\n", bullets(one.text for one in account.warnings)]),
        "## What was not tested\n",
        bullets(account.limits),
        "## Signature\n",
        _signature(account),
    ]
    return "\n".join(parts)


def _stated(account: Account) -> list[tuple[str, str]]:
    """What was said about the test, and what was not."""
    known = dict(said(account.provenance))
    asked = [called for name, called in STATED.items() if name not in STATED_BELOW]
    return [(called, known.get(called, NOT_STATED)) for called in asked]


def _results(account: Account, system: str) -> str:
    found = account.every.of(system)
    heading = f"### {plain(system)}\n\n" if len(account.systems) > 1 else ""
    rows = table(found.headings, [row.cells for row in found.rows], found.alignment)
    return f"{heading}{rows}\n{bullets(account.about(system, account.in_full))}"


def _signature(account: Account) -> str:
    auditor = account.statement.auditor
    name = plain(auditor) if auditor is not None else LINE
    return f"Auditor: {name}\n\nSignature: {LINE}\n\nDate: {LINE}\n"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    return table(("", ""), facts, "ll")
