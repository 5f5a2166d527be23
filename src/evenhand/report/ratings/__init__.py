"""Ratings, rendered: the terminal, a page, a label for each system, and a table."""

from __future__ import annotations

from rich.console import Console

from evenhand.files.file_names import file_names
from evenhand.files.tables import table_bytes
from evenhand.rating import Ratings
from evenhand.report.audit.figures import figure_files
from evenhand.report.ratings.figures import static_figures
from evenhand.report.ratings.page import label_page, to_html
from evenhand.report.ratings.supplement import supplement_files
from evenhand.report.ratings.terminal import print_answers, print_ratings
from evenhand.report.ratings.words import order_text, overall_text, where
from evenhand.results import Renderer
from evenhand.results.rendering import Files

LABELS, ENDING = "labels", ".html"


def show(ratings: Ratings, console: Console) -> None:
    """Orders, each rating, and the questions."""
    print_ratings(ratings, console)
    print_answers(ratings, console)


def summary(ratings: Ratings) -> str:
    """The level of each system."""
    levels = ", ".join(f"{system} {overall_text(ratings, system)}" for system in ratings.systems)
    return f"levels of 1 to {ratings.settings.levels}: {levels}"


def text(ratings: Ratings) -> str:
    """The order of each rating."""
    return "\n".join(f"{where(result)}: {order_text(result)}" for result in ratings.results)


def labels(ratings: Ratings) -> Files:
    """A page for each system, also where two names differ only in signs that a file's name cannot have."""
    called = file_names(ratings.systems)
    return {f"{LABELS}/{stem}{ENDING}": label_page(ratings, system).encode() for system, stem in called.items()}


def tables(ratings: Ratings) -> Files:
    """Every rating of every system as CSV; every t and every mean, and round trips side by side, as CSV and LaTeX."""
    return {"tables/ratings.csv": table_bytes(ratings.frame()), **supplement_files(ratings)}


RENDERER = Renderer(
    page_file="rating.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=labels,
    tables=tables,
    figures=lambda ratings: figure_files(static_figures(ratings)),
)
