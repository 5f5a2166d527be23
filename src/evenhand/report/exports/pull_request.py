"""A gate as Markdown for a pull request: the outcome, what keeps it shut, and the rest folded away."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.gating.result import Check, Item
from evenhand.report.check.words import HEADINGS, in_order, reading, row, several_outputs, title, worst
from evenhand.report.common.markdown import bullets, code_block, plain, table

MOST = 30
"""Rows of a table; comments have a limit."""
MARKS = {True: "✅", False: "❌", None: "⚠️"}


def pull_request(check: Check) -> str:
    """What a reviewer needs to see; ✅ only where every limit is kept by systems that do their job."""
    shut, rest = ([item for item in in_order(check.items) if item.blocks is blocks] for blocks in (True, False))
    earned = all(item.outcome == "passes" and item.does_its_job for item in check.items)
    mark = MARKS[False] if shut else MARKS[True if earned else None]
    parts = [
        f"### {mark} Evenhand: {plain(title(check))}\n",
        *_table(shut, check),
        *_sentences(shut),
        *_folded("What does not keep it shut", _table(rest, check)),
        f"{plain(reading(check))}\n",
        *([bullets(check.notes)] if check.notes else []),
        *([code_block(check.provenance.command, "sh")] if check.provenance.command else []),
    ]
    return "\n".join(parts)


def _table(items: Sequence[Item], check: Check) -> list[str]:
    if not items:
        return []
    outputs = several_outputs(check.items)
    more = f"… and {len(items) - MOST} more.\n" if len(items) > MOST else ""
    return [table(HEADINGS, [row(item, outputs=outputs) for item in items[:MOST]], "lllrll"), *([more] if more else [])]


def _sentences(items: Sequence[Item]) -> list[str]:
    lines = next((worst(item) for item in items if item.worst), [])
    return _folded("Sentences that differ most", [bullets(lines)]) if lines else []


def _folded(heading: str, parts: Sequence[str]) -> list[str]:
    if not parts:
        return []
    return [f"<details><summary>{plain(heading)}</summary>\n", *parts, "</details>\n"]
