"""How far annotators agree, rendered: the terminal and a page."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.annotating import Sheets
from evenhand.report.audit.figures import Row, Spec, base_chart, figure_files
from evenhand.report.common.plain import Listing, Section, plain_page
from evenhand.results import Renderer

READING = (
    "Agreement: of all pairs of labels that two annotators gave to one text, how many are equal. Krippendorff's alpha: "
    "1 is full agreement, 0 what chance would give; ordinal counts −1 beside 1 as worse than 0 beside 1. Labels that "
    "hardly vary give a high percentage and a low alpha."
)
COUNTS = ("labelled", "missing", "negative", "neutral", "positive")
COLOURS = ("#e7e5e4", "#b45309", "#a8a29e", "#1d4ed8")
"""Of those that are missing, and of the labels."""


def show(found: Sheets, console: Console) -> None:
    """A row per annotator, the agreement of all and of each two, and what is still missing."""
    _table(found).print_on(console)
    for line in lines(found):
        console.print(Text(line), soft_wrap=True)
    console.print()
    console.print(Text(READING, style="dim"))


def to_html(found: Sheets) -> str:
    """The same on one page."""
    sections = [
        Section("Agreement", "How far they agree", items=lines(found), remarks=[READING]),
        Section("Annotators", "Who labelled how much", (), [_table(found)]),
    ]
    lead = "Do people who labelled the same texts say the same?"
    return plain_page(found, title=f"Agreement of {len(found.annotators)} annotators", lead=lead, sections=sections)


def text(found: Sheets) -> str:
    """The agreement in words."""
    return "\n".join(lines(found))


def summary(found: Sheets) -> str:
    """The agreement of all, in one line."""
    return "; ".join(lines(found)[1:3])


def lines(found: Sheets) -> list[str]:
    """What there is, the agreement of all, alpha, and the agreement of each two."""
    names = [annotator.name for annotator in found.annotators]
    overall, nominal = found.agreement, found.nominal
    said = [
        f"{found.texts:,} texts, {overall.units:,} of them labelled by two or more, {found.unlabelled:,} by nobody; "
        f"ties to be drawn: {found.ties:,}",
        f"agreement: {_percent(overall.percent)} of pairs; {_percent(overall.unanimous)} of texts unanimous",
    ]
    if overall.alpha is None or nominal.alpha is None:
        said.append(f"Krippendorff's alpha: undefined ({overall.undefined})")
    else:
        said.append(f"Krippendorff's alpha: {overall.alpha:.3f} (ordinal), {nominal.alpha:.3f} (nominal)")
    if len(names) > 2:
        pairs = (f"{names[a]} and {names[b]} {_percent(value)}" for (a, b), value in overall.pairs.items())
        said.append(f"by pairs: {'; '.join(pairs)}")
    return said


def static_figures(found: Sheets) -> dict[str, Spec]:
    """One chart: which labels each annotator gave how often, and how many texts have none."""
    shown = COUNTS[1:]
    rows: list[Row] = [
        {"annotator": one.name, "label": label, "place": place, "texts": getattr(one, label)}
        for one in found.annotators
        for place, label in enumerate(shown)
    ]
    chart = base_chart(
        "How often each annotator gave each label.",
        data={"values": rows},
        height={"step": 26},
        mark={"type": "bar"},
        encoding={
            "y": {"field": "annotator", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "texts", "type": "quantitative", "title": "texts"},
            "order": {"field": "place"},
            "color": {
                "field": "label", "scale": {"domain": shown, "range": COLOURS},
                "legend": {"orient": "top", "title": None},
            },
        },
    )  # fmt: skip
    return {"labels": chart | {"title": "Labels by annotator"}}


def _table(found: Sheets) -> Listing:
    rows = [(one.name, *(f"{getattr(one, name):,}" for name in COUNTS)) for one in found.annotators]
    return Listing(("annotator", *COUNTS), rows, numbers_from=1)


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1f} %"


RENDERER = Renderer(
    page_file="agreement.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    figures=lambda found: figure_files(static_figures(found)),
)
