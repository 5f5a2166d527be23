"""What was found, whatever kind it is: made once, saved whole, loaded equal to the byte, shown in one way."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import polars as pl

from evenhand.errors import EvenhandError, MissingExtra, UsageError, one_line
from evenhand.files import Content, reason, remove_files, write_together
from evenhand.results.note import Note
from evenhand.results.provenance import Provenance
from evenhand.results.rendering import Files, renderer_of
from evenhand.scoring.progress import progress_bars

if TYPE_CHECKING:
    import pandas

    from evenhand.corpora import Corpus
    from evenhand.scoring import Scores

SCORES_FILE, CORPUS_FILE = "scores.parquet", "corpus.parquet"


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(ABC):
    """A kind of result says what is in it (`content`), how to rebuild it (`from_dict`), and gives a table (`frame`).

    `content` holds all that the page and the terminal need, so that a result that was saved and loaded looks the same.
    What is too big for JSON (scores, corpora) is an attachment, a file beside it.
    """

    kind: ClassVar[str]
    file: ClassVar[str]
    """Its JSON, within the folder it is saved in."""

    provenance: Provenance = field(default_factory=Provenance, repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Plain values, ready for JSON, without provenance and notes."""

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from what `to_dict` gave; attachments are read from the folder, where there is one."""

    @abstractmethod
    def frame(self) -> pl.DataFrame:
        """The main table."""

    def attachments(self) -> Files:
        """What is saved beside the JSON and read again by `load`."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the kind, the content, the notes and the provenance."""
        return {
            "kind": self.kind,
            **self.content(),
            "notes": [note.to_dict() for note in self.notes],
            "provenance": self.provenance.to_dict(),
        }

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity: what is undefined is null, with its reason beside it."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def to_html(self) -> str:
        """The page: one self-contained file."""
        return renderer_of(self).page(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as `frame`, for pandas (which must be installed)."""
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingExtra("to_pandas()", "pandas") from error
        return pandas.DataFrame(self.frame().to_dict(as_series=False))

    def show(self, *, width: int | None = None) -> None:
        """Print it for people; `width` is that of the terminal unless it is given."""
        renderer_of(self).show(self, width)

    def usage(self, folder: str | Path) -> str | None:
        """What can be done with what was saved in a folder, in one line."""
        return renderer_of(self).usage(self, Path(folder))

    def summary(self) -> str:
        """What was found, in one line."""
        return renderer_of(self).summary(self)

    def __str__(self) -> str:
        return renderer_of(self).text(self)

    def _repr_html_(self) -> str:
        return renderer_of(self).notebook(self)

    def save(self, folder: str | Path, *, figures: bool | None = None, progress: bool | None = False) -> list[Path]:
        """Write pages, JSON, attachments and tables into a folder, all or none; gives what was written.

        `figures` says whether PNG and SVG are written too (None: as is usual for the kind). Pages of an earlier result
        that this one no longer has are removed. `progress` shows a bar (None: if stderr is a terminal).
        """
        renderer = renderer_of(self)
        contents: dict[str, Content] = {
            renderer.page_file: self.to_html().encode(),
            **renderer.pages(self),
            self.file: f"{self.to_json()}\n".encode(),
            **self.attachments(),
            **renderer.beside(self),
        }
        if renderer.figures_are_saved if figures is None else figures:
            contents |= renderer.figures(self)
        written = _write(Path(folder), contents, progress=progress)
        # They would be taken for this result's.
        remove_files(set(renderer.own_pages(Path(folder))) - set(written))
        return written

    def export(
        self, folder: str | Path, *, page: bool = False, tables: bool = False, figures: bool = False
    ) -> list[Path]:
        """Write the page, the tables or the figures again; gives what was written."""
        renderer = renderer_of(self)
        contents: dict[str, Content] = {}
        if page:
            contents |= {renderer.page_file: self.to_html().encode(), **renderer.pages(self)}
        contents |= {**renderer.beside(self), **renderer.tables(self)} if tables else {}
        contents |= renderer.figures(self) if figures else {}
        return _write(Path(folder), contents)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote."""
        folder = Path(folder)
        path = folder / cls.file
        values = read_saved(path)
        try:
            return cls.from_dict(values, folder=folder)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            what = f"{type(error).__name__}: {one_line(error)}"
            raise EvenhandError(f"{path} is not a result that this version of Evenhand can read ({what})") from error

    @classmethod
    def common(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Provenance and notes, for `from_dict`."""
        return {
            "provenance": Provenance.from_dict(values["provenance"]),
            "notes": tuple(Note.from_dict(note) for note in values.get("notes", ())),
        }


def _write(folder: Path, contents: Mapping[str, Content], *, progress: bool | None = False) -> list[Path]:
    places = {folder / name: content for name, content in contents.items()}
    with progress_bars(progress) as start:
        write_together(places, advance=start("saving", len(places), 0))
    return list(places)


class Attachment(Protocol):
    """What is read back from a file of its own: scores, corpora."""

    @classmethod
    def load(cls, path: Path) -> Self: ...


A = TypeVar("A", bound=Attachment)


def attached(kind: type[A], folder: Path | None, name: str) -> A | None:
    """An attachment of a saved result; None where it was not kept."""
    return kind.load(folder / name) if folder is not None and (folder / name).is_file() else None


def scores_and_corpus(scores: Scores | None, corpus: Corpus | None) -> Files:
    """The attachments of a result that is drawn from them, where they are known."""
    known = {SCORES_FILE: scores, CORPUS_FILE: corpus}
    return {name: one.to_bytes() for name, one in known.items() if one is not None}


def read_saved(path: Path) -> dict[str, Any]:
    """The plain values of a saved result."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{path.parent} holds no {path.name}") from error
    except OSError as error:
        raise EvenhandError(f"cannot read {path}: {reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise EvenhandError(f"{path} is not JSON, or a damaged file: {one_line(error)}") from error
    if not isinstance(values, dict):
        raise EvenhandError(f"{path} does not hold a result: expected an object, found {type(values).__name__}")
    return values
