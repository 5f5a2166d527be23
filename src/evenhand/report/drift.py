"""What a round trip did to a corpus, for reading in a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.translation import Counts, Drift

HEADINGS = {
    "changed": "changed",
    "lost": "lost",
    "crossed": "crossed",
    "empty": "empty",
    "uneven": "uneven",
}
EXPLAINED = (
    "Changed: not the same words any more. Lost: the person's word is gone, in all its forms. Crossed: a "
    "word of another group has come in. Empty: nothing is left. Uneven: the person is still there, but the rest no "
    "longer reads like that of most others in its source; its share is among sentences that can be compared."
)
EXAMPLES = 3
FEW = 12


def drift_values(drift: Drift, *, even: bool = False) -> dict[str, Any]:
    """All that the report says, for JSON; shares are None where nothing could be counted."""
    return {
        "corpus": drift.corpus,
        "corpus_digest": drift.corpus_digest,
        "translators": drift.translators,
        "via": drift.via,
        "overall": _values(drift.overall),
        "by": {
            column: {value: _values(one) for value, one in drift.by(column).items()}
            for column in (*_columns(drift), "person")
        },
        "crossings": [asdict(crossing) for crossing in drift.crossings],
        "examples": {flag: [asdict(one) for one in drift.examples(flag, EXAMPLES)] for flag in HEADINGS},
        "left_out": asdict(drift.left_out(even=even)) | {"even": even},
    }


def print_drift(drift: Drift, console: Console, *, even: bool = False) -> None:
    """The counts, shares by group and template, who became what, examples, and what to leave out."""
    console.print(Text(f"{drift.corpus} by {drift.translators}, through {drift.via!r} and back", style="bold"))
    console.print(Text(_summary(drift.overall)))
    console.print()
    console.print(_table(drift))
    console.print()
    console.print(Text(EXPLAINED, style="dim"))
    console.print()
    for one in drift.crossings:
        console.print(Text(f"{one.attribute}: {one.before} → {one.after} in {one.sentences:,} sentences"))
    for flag, heading in HEADINGS.items():
        for example in drift.examples(flag, EXAMPLES):
            way = Text(f"{example.text} → {example.abroad} → {example.home}")
            console.print(Text(f"{heading}: ", style="bold") + way)
    console.print()
    console.print(Text(_leaving(drift, even=even)))


def _summary(counts: Counts) -> str:
    unseen = f" (in {counts.unseen:,} it did not stand to begin with)" if counts.unseen else ""
    return (
        f"Of {counts.sentences:,} sentences {counts.changed:,} changed, {counts.lost:,} lost their person's "
        f"word{unseen}, {counts.crossed:,} hold a word of another group, {counts.empty:,} became empty; of the "
        f"{counts.sentences - counts.incomparable:,} that can be compared, {counts.uneven:,} are uneven."
    )


def _leaving(drift: Drift, *, even: bool) -> str:
    left = drift.left_out(even=even)
    kind = "broken or uneven" if even else "broken"
    if not left.sentences:
        return f"No sentence is {kind}: there is nothing to leave out."
    parts = [_listed(left.persons)] if left.persons else []
    parts += [f"the sources {_listed(left.sources)}"] if left.sources else []
    return (
        f"To compare people on sentences none of which is {kind}, leave out {left.sentences:,} of "
        f"{drift.overall.sentences:,}: {'; '.join(parts)}."
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def _table(drift: Drift) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", overflow="fold", min_width=20)
    for heading in ("sentences", *HEADINGS.values()):
        table.add_column(heading, justify="right")
    table.add_row("all", *_cells(drift.overall))
    for column in _columns(drift):
        table.add_row()
        table.add_row(Text(column, style="bold"))
        for value, counts in drift.by(column).items():
            table.add_row(Text(value), *_cells(counts))
    return table


def _columns(drift: Drift) -> list[str]:
    return [*drift.attributes, *(["template"] if "template" in drift.rows.columns else [])]


def _cells(counts: Counts) -> list[str]:
    shares = [counts.share(flag) for flag in HEADINGS]
    return [f"{counts.sentences:,}", *("undefined" if share is None else f"{100 * share:.1f} %" for share in shares)]


def _values(counts: Counts) -> dict[str, Any]:
    return asdict(counts) | {"shares": {flag: counts.share(flag) for flag in HEADINGS}}
