"""The chain for texts that people have written: a file → its versions about other groups, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.asking.progress import progress_bars
from evenhand.corpora import Corpus
from evenhand.corpora.text import Perturber
from evenhand.corpora.text.files import TEXT, check_edited, corpus_of_texts, perturb_file
from evenhand.corpora.text.perturber import Couples
from evenhand.corpora.text.validity import Validity
from evenhand.corpora.text.writing import check_ending
from evenhand.errors import UsageError
from evenhand.files.rows import count_rows
from evenhand.specs.advising import advice_of


def perturb(
    texts: str | Path | None = None,
    out: str | Path | None = None,
    *,
    attribute: str,
    column: str = TEXT,
    to: Sequence[str] | None = None,
    lexicon: str | Path | None = None,
    couples: Couples = "keep",
    edited: str | Path | None = None,
    tagger: str | None = None,
    referee: str | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
) -> Validity:
    """Write each text of a file with one version for each group, and count what was changed, skipped and unsure.

    `texts` is a CSV, TSV, JSON-lines or Parquet file with a text in each row of `column`; `out` another, named by its
    ending. `lexicon` is a lexicon of one's own. `couples` says what becomes of texts about women and men: everybody
    swaps, so that couples stay as they are (keep), or they are left alone (skip). `edited`, in the place of `texts`, is
    a file of versions that somebody has edited: it is checked, and written with its status put right.

    Where rules are unsure, `tagger` is asked (a spaCy pipeline by its package or folder, or `small`), and where the two
    disagree, `referee` (a language model that runs here: `smollm`, `gguf:FILE`, `hf-causal:FOLDER`). The column
    `reason` says who told.
    """
    if (texts is None) == (edited is None):
        raise UsageError("give a file of texts, or with --edited a file of versions, and not both")
    perturber = _perturber(attribute, to=to, lexicon=lexicon, couples=couples, tagger=tagger, referee=referee)
    source, target = Path(str(edited or texts)), None if out is None else Path(out)
    if target is not None:
        _check_target(source, target, overwrite=overwrite)
    with progress_bars(progress) as start:
        advance = start(source.name, count_rows(source), 0)
        if edited is not None:
            return check_edited(source, target, perturber, advance=advance)
        return perturb_file(source, target, perturber, column=column, advance=advance)


def perturbed_corpus(
    texts: str | Path,
    attribute: str,
    *,
    column: str = TEXT,
    couples: Couples = "keep",
    lexicon: str | Path | None = None,
    tagger: str | None = None,
    referee: str | None = None,
    progress: bool | None = None,
) -> tuple[Corpus, Validity]:
    """The corpus that the texts of a file make with their versions, and what became of them."""
    perturber = _perturber(attribute, to=None, lexicon=lexicon, couples=couples, tagger=tagger, referee=referee)
    path = Path(texts)
    with progress_bars(progress) as start:
        return corpus_of_texts(path, perturber, column=column, advance=start(path.name, count_rows(path), 0))


def _perturber(
    attribute: str,
    *,
    to: Sequence[str] | None,
    lexicon: str | Path | None,
    couples: Couples,
    tagger: str | None,
    referee: str | None,
) -> Perturber:
    if (tagger or referee) and (attribute != "gender" or lexicon is not None):
        raise UsageError("--tagger and --referee are for gender: other attributes ask neither")
    return Perturber(
        attribute,
        to=to,
        lexicon_file=None if lexicon is None else Path(lexicon),
        couples=couples,
        advice=advice_of(tagger, referee),
    )


def _check_target(source: Path, target: Path, *, overwrite: bool) -> None:
    check_ending(target)
    if target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target} is the file that is read: name another one for --out")
    if target.exists() and not overwrite:
        raise UsageError(f"{target} is there, and somebody may have edited it: name another file, or add --overwrite")
