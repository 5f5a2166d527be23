"""A saved result, or one in memory, in the form that somebody who must answer for it needs."""

from __future__ import annotations

from pathlib import Path

from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.files.whole import write_whole
from evenhand.repairs.result import Repair
from evenhand.report.exports import FORMATS, exported
from evenhand.report.exports.account import Request
from evenhand.results import FileUsed, Result, Statement
from evenhand.results.rendering import fitting
from evenhand.results.result import CORPUS_FILE, SCORES_FILE, TAGS_FILE
from evenhand.settings import check_choice
from evenhand.verbs.saved import load_result


def export(
    result: Result | str | Path,
    form: str,
    *,
    system: str | None = None,
    statement: Statement | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> bytes:
    """A result as a `model-card`, `impact-ratios`, a `test-record` or a `pdf`; text is in UTF-8.

    `result` is one in memory, or the folder it was saved in; then its files are in the record with their digests.
    `system` takes one of several. A `statement` adds to what was said with the test, and what it adds is marked; what
    was said then cannot be changed. With `out`, it is written to that file, which may exist only with `overwrite`.
    """
    check_choice("format", form, FORMATS)
    if out is not None:
        _check_out(str(out), result, overwrite=overwrite)
    loaded, files = (result, ()) if isinstance(result, Result) else _saved(Path(result))
    saved = loaded
    if statement is not None:
        _check_tolerance(statement, loaded)
        loaded = loaded.stated(statement.added_to(loaded.provenance.statement))
    ending = "" if out is None else Path(out).suffix.lower()
    with fitting(saved):
        made = exported(Request(loaded, system, files), form, ending=ending)
    content = made.encode() if isinstance(made, str) else made
    if out is not None:
        write_whole(Path(out), content)
    return content


def _check_out(out: str, result: Result | str | Path, *, overwrite: bool) -> None:
    """Refuse what is no file of its own: a folder, a device, or part of the saved result."""
    path = Path(out)
    try:
        there, is_file = path.exists(), path.is_file()
    except OSError as error:
        raise UsageError(f"{out[:60]} cannot be written: {error.strerror}") from error
    if not out or (there and not is_file):
        raise UsageError(f"{out!r} is not a file: name the file to write")
    saved = None if isinstance(result, Result) else Path(result)
    if there and saved is not None and saved.is_dir() and path.resolve().parent == saved.resolve():
        own = (load_result(saved).file, SCORES_FILE, CORPUS_FILE, TAGS_FILE)
        if path.name in own:
            raise UsageError(f"{out} is part of the saved result: name another file")
    if there and not overwrite:
        raise UsageError(f"{out} is there already: name another file, or allow it to be overwritten")


def _check_tolerance(statement: Statement, result: Result) -> None:
    if (statement.tolerance_set_on or statement.tolerance_reason) and not isinstance(result, Audit | Repair):
        raise UsageError(f"results of the kind {result.kind} have no tolerance; leave out when and why it was set")


def _saved(path: Path) -> tuple[Result, tuple[FileUsed, ...]]:
    """A saved result, and its files with their digests."""
    loaded = load_result(path)
    folder = path.parent if path.is_file() else path
    names = (loaded.file, SCORES_FILE, CORPUS_FILE, TAGS_FILE)
    return loaded, tuple(FileUsed.of(folder / name) for name in names if (folder / name).is_file())
