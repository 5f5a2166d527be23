"""`evenhand report`: show a saved result again, without asking anybody, or hand it to those who must answer for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson, Thresholds, refuse_given, shows_results, takes_statement_of_tolerance
from evenhand.errors import UsageError
from evenhand.printing import say, tell, tell_file

if TYPE_CHECKING:
    from evenhand.cli.show import Shown
    from evenhand.results import Statement

FORMATS = ("model-card", "impact-ratios", "test-record", "junit", "pull-request", "lm-eval", "pdf")
"""As in `evenhand.report.exports`, which is not imported for a help text."""
SHOWS = ("folder", "threshold", "as_json", "html", "figures", "tables", "full", "quiet", "open_page")
EXPORTS = (
    *("folder", "form", "system", "out", "overwrite"),
    *("auditor", "date", "model_version", "tolerance_set_on", "tolerance_reason"),
)
"""What applies without --format, and with it."""


@shows_results
@takes_statement_of_tolerance
def report(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What a command with --out DIR wrote.")],
    threshold: Thresholds = None,
    as_json: AsJson = False,
    html: Annotated[bool, typer.Option("--html", help="Write the page again.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Write DIR/figures: PNG and SVG.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Write the tables: CSV, Markdown, LaTeX.")] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="Export it; text goes to stdout, pdf to DIR/report.pdf."
        ),
    ] = None,
    system: Annotated[str | None, typer.Option(help="With --format: one of several systems. Default: all.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="With --format: the file to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file that --out names.")] = False,
    *,
    statement: Statement,
    shown: Shown,
) -> None:
    """Show a saved result of any kind again; write its page, figures and tables; or export it (--format)."""
    if form is not None:
        refuse_given(ctx, EXPORTS, "with --format")
        _export(folder, form, system=system, out=out, overwrite=overwrite, statement=statement)
        return
    refuse_given(ctx, SHOWS, "without --format")
    from evenhand.cli.show import open_page, show
    from evenhand.results.rendering import page_file_of
    from evenhand.verbs.saved import decided, load_result

    loaded = load_result(folder)
    if threshold:
        loaded = decided(loaded, threshold)
    home = folder.parent if folder.is_file() else folder
    written = loaded.export(home, page=html, tables=tables, figures=figures)
    for path in written:
        (say if as_json else tell)(str(path))
    if as_json or not written:
        show(loaded, shown, as_json=as_json, folder=home)
    if shown.open_page:
        open_page(loaded, None if threshold else home / page_file_of(loaded.kind))


def _export(
    folder: Path, form: str, *, system: str | None, out: Path | None, overwrite: bool, statement: Statement
) -> None:
    from evenhand.report.exports import FORMATS as KNOWN
    from evenhand.verbs.export import export

    if form not in KNOWN:
        raise UsageError(f"--format takes {', '.join(KNOWN)}, not {form!r}")
    own = out is None and KNOWN[form].binary
    place = (folder.parent if folder.is_file() else folder) / f"report{KNOWN[form].ending}" if own else out
    content = export(folder, form, system=system, statement=statement, out=place, overwrite=overwrite or own)
    if place is None:
        tell_file(content.decode())
    else:
        tell(str(place))
