"""`evenhand annotate`: sheets for people to fill in, and how far they agree."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import Overwrite, repeating, shows_results
from evenhand.errors import UsageError
from evenhand.printing import tell

if TYPE_CHECKING:
    from evenhand.cli.show import Shown


@shows_results
def annotate(
    corpus: Annotated[
        str | None, typer.Argument(metavar="CORPUS", help="A corpus by name or file, or chat:LOG for conversations.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="1,2,3,4", help="Also (or only) the texts of these data groups of `rate`.")
    ] = None,
    chat: Annotated[
        list[Path] | None, typer.Option(help="Also a log of conversations, or `example`. May be repeated.")
    ] = None,
    via: Annotated[
        list[str] | None,
        typer.Option(help="Also what comes home from a round trip: a language or a translator. May be repeated."),
    ] = None,
    annotators: Annotated[int | None, typer.Option(help="How many people label each text (3).")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the sheets and the instructions; with --check, for the agreement.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For the order of the texts, another in each sheet, and genders by lot (0).")
    ] = None,
    check: Annotated[
        str | None, typer.Option(metavar="DIR", help="Say how far the annotators of a folder (or FILE,FILE) agree.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --check: print JSON, and nothing else.")] = False,
    *,
    shown: Shown,
) -> None:
    """Write sheets for annotators of a CORPUS, of data groups and of conversations, who label each text −1, 0 or 1; or
    check what they wrote."""
    if check is not None:
        for name, given in {"--groups": groups, "--chat": chat, "--via": via}.items():
            if given:
                raise UsageError(f"{name} is for new sheets; --check reads those that are filled in")
        if annotators is not None or seed is not None:
            raise UsageError("--annotators and --seed are for new sheets; --check reads those that are filled in")
        _check(check, corpus, out, overwrite=overwrite, shown=shown, as_json=as_json)
        return
    if as_json or overwrite:
        raise UsageError(f"{'--json' if as_json else '--overwrite'} goes with --check; sheets are never overwritten")
    if (corpus is None and not groups and not chat) or out is None:
        raise UsageError("name a corpus and a folder, as in `evenhand annotate eec --out sheets`, or use --check DIR")
    from evenhand.cli.rate import numbers_of
    from evenhand.verbs.annotate import annotate as write

    sheets = write(
        out,
        corpus=corpus,
        groups=numbers_of(groups or ""),
        chat=chat or (),
        via=via or (),
        annotators=3 if annotators is None else annotators,
        seed=seed or 0,
    )
    tell(f"{out}: {len(sheets)} sheets and instructions.md; once they are filled in, ask human:{out}")
    if groups or chat:
        tell(f"To rate people beside a system: {_rating(out, groups, chat or (), via or (), seed or 0)}")


def _rating(out: Path, groups: str | None, chat: Sequence[Path], via: Sequence[str], seed: int) -> str:
    """The command that rates what people wrote, on what they wrote it about."""
    words = ["evenhand", "rate", f"human:{out}", "vader", "--groups", groups or ""]
    words += [word for path in chat for word in ("--chat", str(path))]
    words += [word for way in via for word in ("--via", way)]
    if chat and seed:
        words += ["--seed", str(seed)]
    return shlex.join(words)


def _check(address: str, corpus: str | None, out: Path | None, *, overwrite: bool, shown: Shown, as_json: bool) -> None:
    from evenhand.annotating import check_sheets
    from evenhand.cli.show import show_saved
    from evenhand.corpora import load_corpus
    from evenhand.files.whole import check_writable

    if out is not None:
        check_writable(out)
    asked = None if corpus is None else load_corpus(corpus)
    found = check_sheets(address, corpus=asked, command=repeating(sys.argv))
    if out is not None:
        found.save(out, overwrite=overwrite)
    show_saved(found, out, shown, as_json=as_json)
