"""What a round trip did to a corpus, rendered: the terminal, the page and a table of all sentences."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from evenhand.files.tables import table_bytes
from evenhand.report.audit.figures import Row, Spec, base_chart, figure_files
from evenhand.report.common.plain import Listing, Section, plain_page
from evenhand.results import Renderer
from evenhand.results.rendering import Files
from evenhand.translation import Counts, Drift
from evenhand.translation.drift import FLAGS, KEPT_FILE

EXPLAINED = (
    "Changed: not the same words any more. Lost: the person's word is gone, in all its forms. Crossed: a "
    "word of another group has come in. Empty: nothing is left. Uneven: the person is still there, but the rest no "
    "longer reads like that of most others in its source; its share is among sentences that can be compared."
)
FEW = 12
COLOURS = ("#a8a29e", "#b45309", "#1d4ed8", "#1c1917", "#7e22ce")
LEGEND = {"orient": "top", "title": None}


def show(drift: Drift, console: Console) -> None:
    """The counts, shares by group and template, who became what, examples, and what to leave out."""
    console.print(Text(_title(drift), style="bold"))
    console.print(Text(_summary(drift.overall)))
    console.print()
    _table(drift).print_on(console)
    console.print(Text(EXPLAINED, style="dim"))
    console.print()
    for line in [*_crossings(drift), *_examples(drift)]:
        console.print(Text(line))
    console.print()
    console.print(Text(_leaving(drift)))


def to_html(drift: Drift) -> str:
    """The same on one page."""
    what = "What became of the sentences"
    sections = [
        Section("Sentences", what, [_summary(drift.overall)], [_table(drift)], remarks=[EXPLAINED]),
        Section("Examples", "Who became what, and examples", items=[*_crossings(drift), *_examples(drift)]),
        Section("Leaving out", "What to leave out", [_leaving(drift)]),
    ]
    lead = "Do the sentences still say the same of the same person once they come home from another language?"
    return plain_page(drift, title=_title(drift), lead=lead, sections=sections)


def summary(drift: Drift) -> str:
    """How many sentences are broken."""
    return f"{drift.overall.broken:,} of {drift.overall.sentences:,} sentences broken through {drift.via!r} and back"


def text(drift: Drift) -> str:
    """What became of the sentences, and what to leave out."""
    return "\n".join([_summary(drift.overall), *_crossings(drift), _leaving(drift)])


def _title(drift: Drift) -> str:
    return f"{drift.corpus.name} by {drift.translators}, through {drift.via!r} and back"


def _summary(counts: Counts) -> str:
    unseen = f" (in {counts.unseen:,} it did not stand to begin with)" if counts.unseen else ""
    return (
        f"Of {counts.sentences:,} sentences {counts.changed:,} changed, {counts.lost:,} lost their person's "
        f"word{unseen}, {counts.crossed:,} hold a word of another group, {counts.empty:,} became empty; of the "
        f"{counts.sentences - counts.incomparable:,} that can be compared, {counts.uneven:,} are uneven."
    )


def _crossings(drift: Drift) -> list[str]:
    return [f"{one.attribute}: {one.before} → {one.after} in {one.sentences:,} sentences" for one in drift.crossings]


def _examples(drift: Drift) -> list[str]:
    return [f"{flag}: {one.text} → {one.abroad} → {one.home}" for flag in FLAGS for one in drift.examples(flag)]


def _leaving(drift: Drift) -> str:
    left = drift.left_out()
    kind = "broken or uneven" if drift.even else "broken"
    if not left.sentences:
        return f"No sentence is {kind}: there is nothing to leave out."
    parts = [_listed(left.persons)] if left.persons else []
    parts += [f"the sources {_listed(left.sources)}"] if left.sources else []
    return (
        f"To compare people on sentences none of which is {kind}, leave out {left.sentences:,} of "
        f"{drift.overall.sentences:,}: {'; '.join(parts)}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def _table(drift: Drift) -> Listing:
    rows = [("all", "", *_cells(drift.overall))]
    rows += [(column, value, *_cells(one)) for column in drift.columns for value, one in drift.by(column).items()]
    return Listing(("by", "", "sentences", *FLAGS), rows, numbers_from=2)


def _cells(counts: Counts) -> list[str]:
    shares = [counts.share(flag) for flag in FLAGS]
    return [f"{counts.sentences:,}", *("undefined" if share is None else f"{100 * share:.1f} %" for share in shares)]


def static_figures(drift: Drift) -> dict[str, Spec]:
    """For each attribute a chart: which share of its groups' sentences became what."""
    return {f"drift-{column}": _chart(column, drift.by(column)) for column in drift.corpus.attributes}


def _chart(attribute: str, groups: Mapping[str, Counts]) -> Spec:
    rows: list[Row] = [
        {"group": group, "what": flag, "share": None if (share := counts.share(flag)) is None else 100 * share}
        for group, counts in groups.items()
        for flag in FLAGS
    ]
    chart = base_chart(
        f"Which share of the sentences about each group by {attribute} became what.",
        data={"values": rows},
        height={"step": 14},
        mark={"type": "bar"},
        encoding={
            "y": {"field": "group", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "what", "sort": FLAGS},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": "% of its sentences",
                "scale": {"domain": [0, 100]},
            },
            "color": {"field": "what", "scale": {"domain": FLAGS, "range": COLOURS}, "legend": LEGEND},
        },
    )
    return chart | {"title": f"{attribute}: what became of the sentences"}


def _sentences(drift: Drift) -> Files:
    return {"sentences.csv": table_bytes(drift.rows)}


def usage(drift: Drift, folder: Path) -> str:
    """The command that compares the sentences that are left."""
    if (folder / KEPT_FILE).is_file():
        return f"to compare what is left: evenhand audit SYSTEM --corpus {shlex.quote(str(folder / KEPT_FILE))}"
    return f"no two groups are left without what the round trip broke, so there is no {KEPT_FILE}"


RENDERER = Renderer(
    page_file="drift.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    usage=usage,
    beside=_sentences,
    figures=lambda drift: figure_files(static_figures(drift)),
)
