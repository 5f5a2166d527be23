"""Where gaps come from, rendered: the terminal, the page, tables and figures."""

from __future__ import annotations

from rich.console import Console

from evenhand.explaining import Explanation
from evenhand.files.tables import table_bytes
from evenhand.report.audit.figures import figure_files
from evenhand.report.common.plain import plain_page
from evenhand.report.explanation.figures import static_figures
from evenhand.report.explanation.sections import HEADLINES, LEAD, sections, title
from evenhand.report.explanation.words import headline
from evenhand.results import Renderer
from evenhand.results.rendering import Files


def show(found: Explanation, console: Console) -> None:
    """The gaps and what carries them; the same tables as on the page, shorter."""
    from rich.text import Text

    console.print(Text(title(found), style="bold"))
    console.print()
    for section in sections(found, most=8):
        if section.short != HEADLINES:
            console.print(Text(section.title, style="bold"))
        for text in section.texts:
            console.print(Text(text))
        for listing in section.listings:
            console.print()
            listing.print_on(console)
        for item in section.items:
            console.print(Text(f"• {item}"))
        for remark in section.remarks:
            console.print(Text(remark, style="dim"))
        console.print()
    for note in found.notes:
        console.print(Text(f"Note: {note}"))


def to_html(found: Explanation) -> str:
    """The same on one page, with charts."""
    return plain_page(found, title=title(found), lead=LEAD, sections=sections(found, most=15, drawn=True))


def summary(found: Explanation) -> str:
    """How many groups of training texts carry a gap, or the word that moves the score most."""
    carrying = sum(group.role == "carries" for group in found.groups)
    if found.groups:
        return f"{found.system}: {carrying} of {len(found.groups)} groups of training texts shown to carry a gap"
    strongest = max(found.swaps, key=lambda swap: abs(swap.effect), default=None)
    return f"{found.system}: " + (f"“{strongest.word}” moves the score most" if strongest else "no words to swap")


def text(found: Explanation) -> str:
    """A sentence or two per gap."""
    return "\n".join(headline(found, question) for question in found.questions)


def tables(found: Explanation) -> Files:
    """Each table as CSV."""
    return {f"{name}.csv": table_bytes(frame) for name, frame in found.tables().items()}


RENDERER = Renderer(
    page_file="explanation.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=tables,
    figures=lambda found: figure_files(static_figures(found)),
    figures_are_saved=True,
)
