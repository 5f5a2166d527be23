"""Corpora by name or by file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

from evenhand.corpora.chat.catalogue import SPEC as CHAT
from evenhand.corpora.chat.catalogue import load_chat_corpus
from evenhand.corpora.corpus import METADATA, Corpus
from evenhand.corpora.filler import fill
from evenhand.corpora.recipe import Recipe, read_recipe
from evenhand.corpora.suites import SPEC, load_suite
from evenhand.corpora.table import is_released_eec, read_corpus_table, read_released_eec
from evenhand.corpora.text.files import is_perturbed, read_perturbed
from evenhand.errors import UsageError, did_you_mean
from evenhand.files.frames import is_table, table_file
from evenhand.files.opened import naming_its_file
from evenhand.files.tables import ENDINGS, TableFile

RECIPE_ENDINGS = (".yaml", ".yml")


def corpus_names() -> list[str]:
    """The corpora that come with Evenhand."""
    folder = files("evenhand") / "data" / "corpora"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


@cache
def packaged_recipe(name: str) -> Recipe:
    """The recipe of a corpus that comes with Evenhand."""
    with as_file(files("evenhand") / "data" / "corpora" / f"{name}.yaml") as path:
        return read_recipe(path)


@cache
def _packaged(name: str, spelling: str | None) -> Corpus:
    return fill(packaged_recipe(name), spelling=spelling)


def eec(spelling: Literal["published", "released"] = "published") -> Corpus:
    """The Equity Evaluation Corpus: 8,640 sentences, in the spelling of the paper or of the released file.

    >>> len(eec())
    8640
    """
    return _packaged("eec", spelling)


def _of_table(given: object, spelling: str | None, attributes: Sequence[str] | None) -> Corpus:
    if not (is_table(given) or isinstance(given, Mapping)):
        raise UsageError(f"a corpus is a name, a file or a table, not {type(given).__name__}")
    if spelling is not None:
        raise UsageError("a table has one spelling; leave it out")
    with table_file(given) as path:
        return load_corpus(path, attributes=attributes)


@naming_its_file
def load_corpus(name_or_file: Any, *, spelling: str | None = None, attributes: Sequence[str] | None = None) -> Corpus:
    """A corpus by name, from a recipe (.yaml), a table (.csv, .tsv, .jsonl, .parquet), as suite:FOLDER#ATTRIBUTE or, of
    conversations, as chat:LOG; or from a table in memory (pandas, Polars, Arrow, a dataset of Hugging Face's).

    >>> load_corpus(eec().frame.select("text", "source", "person", "gender")).attributes
    {'gender': ('female', 'male')}
    """
    if not isinstance(name_or_file, str | Path):
        return _of_table(name_or_file, spelling, attributes)
    name = str(name_or_file)
    if name in corpus_names():
        return _packaged(name, spelling)
    if name.startswith(SPEC):
        return load_suite(name)
    if name.startswith(CHAT):
        return load_chat_corpus(name)
    path = Path(name_or_file)
    ending = path.suffix.lower()
    if ending in RECIPE_ENDINGS or ending in ENDINGS:
        if not path.is_file():
            raise UsageError(f"no such corpus file: {path}")
        if ending in RECIPE_ENDINGS:
            return fill(read_recipe(path), spelling=spelling)
        if attributes is None and METADATA in TableFile(path).metadata:
            return Corpus.load(path)
        if attributes is None and is_perturbed(path):
            return read_perturbed(path)
        if is_released_eec(path):
            return read_released_eec(path, spellings={"released": eec("released"), "published": eec()})
        return read_corpus_table(path, attributes=attributes)
    endings = ", ".join((*RECIPE_ENDINGS, *ENDINGS))
    raise UsageError(f"unknown corpus {name!r}{did_you_mean(name, corpus_names())} (or a file ending in {endings})")
