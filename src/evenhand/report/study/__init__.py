"""Studies, rendered: the page and one for each submission, the terminal, tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from evenhand.files.file_names import file_names
from evenhand.files.tables import table_bytes
from evenhand.files.whole import Content
from evenhand.report.audit.figures import figure_files
from evenhand.report.study.figures import static_figures
from evenhand.report.study.page import SUBMISSIONS, pages_of, to_html
from evenhand.report.study.submission import MARK, submission_page
from evenhand.report.study.tables import downstream_frame, downstream_latex, tables_frame, to_latex, to_markdown
from evenhand.report.study.terminal import print_study
from evenhand.report.study.words import in_short, in_words, summary
from evenhand.results import Renderer
from evenhand.results.rendering import Files
from evenhand.studies import Examined, Study


def pages(study: Study) -> Files:
    """A page for each submission."""
    places = pages_of(study)
    return {places[one.system, one.dimension]: partial(_page, study, one) for one in study.submissions}


def _page(study: Study, one: Examined) -> bytes:
    return submission_page(study, one).encode()


def own_pages(folder: Path) -> Iterator[Path]:
    """The pages of submissions in a folder; what else lies there is none of ours."""
    for path in (folder / SUBMISSIONS).glob("*/*.html"):
        if path.is_file() and not path.is_symlink() and MARK.encode() in path.read_bytes():
            yield path


def tables(study: Study) -> Files:
    """All tables in several forms, and every finding."""
    made: dict[str, Content] = {
        "tables/tables.csv": table_bytes(tables_frame(study)),
        "tables/systems.csv": table_bytes(study.frame()),
        "tables/tables.md": to_markdown(study).encode(),
    }
    if study.decisions:
        made["tables/decisions.csv"] = table_bytes(study.decisions_frame())
        made["tables/downstream.csv"] = table_bytes(downstream_frame(study))
        made["tables/downstream.tex"] = downstream_latex(study).encode()
    for how, some in (("published", study.tables), ("general", study.general_tables)):
        called = file_names(table.name for table in some.values())
        made |= {f"tables/{called[table.name]}-{how}.tex": to_latex(table).encode() for table in some.values()}
    return made


def text(study: Study) -> str:
    """What was found, a paragraph for each comparison."""
    tables = study.tables
    return "\n".join(f"{one.attribute}: {in_words(one, tables[one.attribute])}" for one in summary(study.statements))


RENDERER = Renderer(
    page_file="study.html",
    page=to_html,
    pages=pages,
    own_pages=own_pages,
    show=print_study,
    summary=in_short,
    text=text,
    beside=tables,
    figures=lambda study: figure_files(static_figures(study)),
    figures_are_saved=True,
)
