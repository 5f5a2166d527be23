"""What was found, whatever kind it is: made once, saved whole, loaded equal to the byte, shown in one way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import polars as pl

from evenhand.asking.going_on import left_out
from evenhand.asking.progress import progress_bars
from evenhand.corpora.coded import Strings
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, MissingExtra, UsageError, one_line
from evenhand.files.json_text import json_text
from evenhand.files.plain import Noting, check_types
from evenhand.files.saved import UNREADABLE
from evenhand.files.structured import read_json
from evenhand.files.whole import Content, check_writable, finish, write_together
from evenhand.printing import console_of
from evenhand.results.note import Note
from evenhand.results.picture import Picture, picked, pictures_in
from evenhand.results.provenance import Provenance
from evenhand.results.rendering import Files, fitting, page_file_of, rendered_kinds, renderer_of
from evenhand.results.statement import Statement

if TYPE_CHECKING:
    import pandas

    from evenhand.asking import Scores, Tags

SCORES_FILE, CORPUS_FILE, TAGS_FILE = "scores.parquet", "corpus.parquet", "tags.parquet"
INSTEAD = "name another folder, or allow it to be overwritten (overwrite=True, on the command line --overwrite)"


@dataclass(frozen=True)
class Subject:
    """What a result is about. A result may replace one of the same kind and subject: the same command, run again."""

    systems: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def same_as(self, other: Subject) -> bool:
        """Whether both name the same things, in whatever order."""
        return all(set(mine) == set(theirs) for mine, theirs in zip(astuple(self), astuple(other), strict=True))

    def __str__(self) -> str:
        on = f" on {', '.join(self.corpora)}" if self.corpora else ""
        return f"{', '.join(self.systems or self.files) or 'unknown systems'}{on}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(ABC):
    """A kind of result says what is in it (`content`), how to rebuild it (`from_dict`), and gives a table (`frame`).

    `content` holds all that the page and the terminal need, so that a result that was saved and loaded looks the same.
    What is too big for JSON (scores, corpora) is an attachment, a file beside it.
    """

    kind: ClassVar[str]
    file: ClassVar[str]
    """Its JSON, within the folder it is saved in."""
    companions: ClassVar[tuple[str, ...]] = ()
    """The JSON of other kinds that is saved beside it as a part of it."""

    provenance: Provenance = field(default_factory=Provenance, repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)
    _loaded_from: Path | None = field(default=None, init=False, repr=False)

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

    @classmethod
    def subject_of(cls, provenance: Provenance) -> Subject:
        """What a result of this kind and provenance is about."""
        return Subject(provenance.asked_names, provenance.corpus_names, tuple(one.name for one in provenance.files))

    def stated(self, statement: Statement | None) -> Self:
        """The same result, with what the person who answers for it says about it."""
        return replace(self, provenance=replace(self.provenance, statement=statement or Statement()))

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
        with fitting(self):
            return json_text(self.to_dict())

    @property
    def loaded_from(self) -> Path | None:
        """The file that it was read from; None for a result that was made here."""
        return self._loaded_from

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

    def show(self, *, width: int | None = None, full: bool = True) -> None:
        """Print it for people, or what fits one screen; `width` is that of the terminal unless it is given."""
        renderer = renderer_of(self)
        show = renderer.show if full else renderer.brief or renderer.show
        show(self, console_of(width))

    @property
    def charts(self) -> tuple[str, ...]:
        """The names of the charts that `plot` draws."""
        return tuple(self._pictures())

    def plot(self, chart: str | None = None) -> Picture:
        """A chart, by its name in `charts` (else the first): notebooks draw it, `.save(path)` writes SVG or PNG."""
        return picked(self._pictures(), chart, self.kind)

    def _pictures(self) -> dict[str, Picture]:
        renderer = renderer_of(self)
        return pictures_in({**renderer.beside(self), **renderer.figures(self)})

    def usage(self, folder: str | Path) -> str | None:
        """What can be done with what was saved in a folder, in one line."""
        return renderer_of(self).usage(self, Path(folder))

    def summary(self) -> str:
        """What was found, in one line."""
        return renderer_of(self).summary(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def __str__(self) -> str:
        return renderer_of(self).text(self)

    def _repr_html_(self) -> str:
        return renderer_of(self).notebook(self)

    def save(
        self,
        folder: str | Path,
        *,
        figures: bool | None = None,
        overwrite: bool = False,
        progress: bool | None = False,
    ) -> list[Path]:
        """Write pages, JSON, attachments and tables into a folder, all or none; gives what was written.

        `figures` says whether PNG and SVG are written too (None: as is usual for the kind). A folder that holds a
        result of another kind, of other systems or of another corpus is refused, unless that may be overwritten; what
        this one no longer has is removed. `progress` shows a bar (None: if stderr is a terminal).
        """
        return save_together(folder, {"": self}, figures=figures, overwrite=overwrite, progress=progress)

    def contents(self, figures: bool | None = None) -> dict[str, Content]:
        """What `save` writes, by the names of files; the first is the JSON."""
        renderer = renderer_of(self)
        contents: dict[str, Content] = {
            self.file: f"{self.to_json()}\n".encode(),  # it is put in place last, and says that all is there
            renderer.page_file: self.to_html().encode(),
            **renderer.pages(self),
            **self.attachments(),
            **renderer.beside(self),
        }
        if renderer.figures_are_saved if figures is None else figures:
            contents |= renderer.figures(self)
        return contents

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
        finish(folder)
        path = folder / cls.file
        if not path.exists():
            raise UsageError(f"{folder} holds no {cls.file}")
        values = read_saved(path)
        try:
            found = cls.from_dict(values, folder=folder)
            check_types(found)
            _check_attached(found, folder)
        except EvenhandError as error:
            raise type(error)(str(error) if str(folder) in str(error) else f"{path}: {error}") from error
        except UNREADABLE as error:
            what = f"{path} is not a result that this version of Evenhand can read"
            raise EvenhandError(f"{what} ({values.said(error)})") from error
        object.__setattr__(found, "_loaded_from", path)
        return found

    @classmethod
    def common(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Provenance and notes, for `from_dict`."""
        return {
            "provenance": Provenance.from_dict(values["provenance"]),
            "notes": tuple(Note.from_dict(note) for note in values.get("notes", ())),
        }


def known_kinds() -> list[type[Result]]:
    """Every kind of result that can be rendered."""
    return [kind for kind in Result.__subclasses__() if kind.kind in rendered_kinds()]


def kinds_in(folder: Path) -> list[type[Result]]:
    """The kinds of the results that a folder holds, without those that are a part of another."""
    finish(folder)
    there = [kind for kind in known_kinds() if (folder / kind.file).is_file()]
    parts = {file for kind in there for file in kind.companions}
    return [kind for kind in there if kind.file not in parts]


def files_of_results_in(folder: Path) -> set[str]:
    """The JSON, pages and attachments of the results that a folder holds."""
    if not kinds_in(folder):
        return set()
    names = {name for kind in known_kinds() for name in (kind.file, page_file_of(kind.kind))}
    return {name for name in {*names, SCORES_FILE, CORPUS_FILE, TAGS_FILE} if (folder / name).is_file()}


def check_out(folder: Path, kind: type[Result], subject: Subject, *, overwrite: bool = False) -> None:
    """Find out before hours of work, not after, that a folder cannot be written to, or holds somebody else's result."""
    check_writable(folder)
    subject = replace(subject, systems=tuple(dict.fromkeys((*subject.systems, *left_out()))))
    for there in [] if overwrite else kinds_in(folder):
        try:
            provenance = Provenance.from_dict(read_saved(folder / there.file)["provenance"])
        except (EvenhandError, *UNREADABLE) as error:
            raise UsageError(f"{folder} holds a result that cannot be read ({one_line(error)}); {INSTEAD}") from error
        found = there.subject_of(provenance)
        if there is not kind or not found.same_as(subject):
            held, new = f"{there.kind} of {found}", f"{kind.kind} of {subject}"
            raise UsageError(f"{folder} already holds another result ({held}; this one is {new}): {INSTEAD}")


def save_together(
    folder: str | Path,
    results: Mapping[str, Result],
    *,
    figures: bool | None = None,
    overwrite: bool = False,
    progress: bool | None = False,
) -> list[Path]:
    """Save a result, and others in folders below its own (by their places), all or none; gives what was written."""
    folder = Path(folder)
    contents: dict[str, Content] = {}
    outdated: list[str] = []
    for place, result in results.items():
        own = folder / place
        check_out(own, type(result), result.subject_of(result.provenance), overwrite=overwrite)
        made = result.contents(figures)
        pages = {str(path.relative_to(own)) for path in renderer_of(result).own_pages(own)}
        # They would be taken for this result's.
        outdated += [str(Path(place, name)) for name in sorted((files_of_results_in(own) | pages) - set(made))]
        contents |= {str(Path(place, name)): content for name, content in made.items()}
    last = [str(Path(place, result.file)) for place, result in results.items()][1:]
    return _write(folder, contents, last=last, outdated=outdated, progress=progress)


def _write(
    folder: Path, contents: Mapping[str, Content], *, progress: bool | None = False, **others: Sequence[str]
) -> list[Path]:
    with progress_bars(progress) as start:
        advance = start("saving", len(contents), 0)
        return write_together(folder, contents, advance=advance, **others)


class Attachment(Protocol):
    """What is read back from a file of its own: scores, corpora."""

    @classmethod
    def load(cls, path: Path) -> Self: ...


A = TypeVar("A", bound=Attachment)


def attached(kind: type[A], folder: Path | None, name: str) -> A | None:
    """An attachment of a saved result; None where it was not kept."""
    return kind.load(folder / name) if folder is not None and (folder / name).is_file() else None


def saved_bytes(known: Mapping[str, Scores | Corpus | Tags | None]) -> Files:
    """The attachments of a result that is drawn from them, where they are known."""
    return {name: one.to_bytes() for name, one in known.items() if one is not None}


def _check_attached(result: Result, folder: Path) -> None:
    """Refuse attachments of another result, and those that are about another corpus than the one beside them."""
    kept = getattr(result, "corpus", None)
    corpus = kept if isinstance(kept, Corpus) else None
    used = {one.digest for one in result.provenance.corpora}
    if corpus is not None and used and corpus.digest not in used:
        raise EvenhandError(f"{folder / CORPUS_FILE} is not the corpus that {result.file} is about; make it again")
    for name, about in ((SCORES_FILE, getattr(result, "scores", None)), (TAGS_FILE, getattr(result, "tags", None))):
        if about is None:
            continue
        if corpus is not None and (about.corpus_digest != corpus.digest or about.ids != Strings(corpus.frame["id"])):
            raise EvenhandError(f"{folder / name} is about another corpus than {CORPUS_FILE} beside it; make it again")
        known, there = set(result.provenance.system_names), {column.system for column in about.columns}
        if not there <= known:
            raise EvenhandError(f"{folder / name} is of {', '.join(there - known)}, whom {result.file} does not name")


def read_saved(path: Path) -> Noting:
    """The plain values of a saved result."""
    values = read_json(path)
    if not isinstance(values, dict):
        raise EvenhandError(f"{path} does not hold a result: an object is needed, not {type(values).__name__}")
    return Noting(values)
