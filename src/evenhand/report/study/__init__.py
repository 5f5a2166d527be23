"""A study, shown and saved: a page, tables, figures, and a page for each submission."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import EvenhandError
from evenhand.files import reason, write_together, write_whole
from evenhand.report.figures import write_figures
from evenhand.report.study.figures import static_figures
from evenhand.report.study.page import SUBMISSIONS, pages_of, slug, to_html
from evenhand.report.study.submission import MARK, submission_page
from evenhand.report.study.tables import systems_frame, tables_frame, to_latex, to_markdown
from evenhand.scoring.progress import Start
from evenhand.studies import Study
from evenhand.tables import write_table

__all__ = ["save_study", "to_html"]

PAGE_FILE = "study.html"
JSON_FILE = "study.json"
SCORES_FILE = "scores.parquet"


def save_study(study: Study, folder: Path, *, figures: bool, start: Start) -> None:
    """Write everything there is to show; `start` begins a progress bar."""
    write_together(
        {
            folder / PAGE_FILE: to_html(study).encode(),
            folder / JSON_FILE: f"{study.to_json()}\n".encode(),
            folder / SCORES_FILE: study.scores.to_bytes(),
        }
    )
    _write_tables(study, folder / "tables")
    advance = start("submissions", len(study.submissions), 0)
    pages = pages_of(study)
    for one in study.submissions:
        write_whole(folder / pages[one.system, one.dimension], submission_page(study, one).encode())
        advance(1)
    _remove_others(folder / SUBMISSIONS, {folder / page for page in pages.values()})
    if figures:
        specs = static_figures(study)
        advance = start("figures", len(specs), 0)
        for name, spec in specs.items():
            write_figures({name: spec}, folder / "figures")
            advance(1)


def _remove_others(folder: Path, written: set[Path]) -> None:
    """Pages of an earlier study in the same place would be taken for this one's; only those that are ours go."""
    known = {path.resolve() for path in written}
    try:
        for path in folder.glob("*/*.html"):
            if path.is_file() and not path.is_symlink() and path.resolve() not in known and _is_ours(path):
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()
    except OSError as error:
        raise EvenhandError(f"{folder}: an old page cannot be removed: {reason(error)}") from error


def _is_ours(path: Path) -> bool:
    return MARK.encode() in path.read_bytes()


def _write_tables(study: Study, folder: Path) -> None:
    write_table(tables_frame(study), folder / "tables.csv")
    write_table(systems_frame(study), folder / "systems.csv")
    write_whole(folder / "tables.md", to_markdown(study).encode())
    for how, tables in (("published", study.tables), ("general", study.general_tables)):
        for table in tables.values():
            write_whole(folder / f"{slug(table.name)}-{how}.tex", to_latex(table).encode())
