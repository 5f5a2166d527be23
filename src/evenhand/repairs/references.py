"""Reference inputs, which hold no emotion: bare identities, somebody without one, and no content at all."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import polars as pl
from pydantic import BaseModel, Field

from evenhand.corpora import About, Corpus
from evenhand.corpora.corpus import CORE
from evenhand.corpora.lexicon import STRICT
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.structured import read_yaml, validated

COLUMN = "reference"
"""The column of a reference corpus that says what a row is for."""
IDENTITY, NEUTRAL, CONTENT_FREE = "identity", "neutral", "content-free"
SHAPE = "holds no references: write name, identity, neutral and content_free, each with its inputs"

Texts = Annotated[list[str], Field(min_length=1)]


class ReferenceFile(BaseModel):
    """Reference inputs as their author writes them: by attribute and group, of nobody in particular, of nothing."""

    model_config = STRICT

    name: str
    version: str = "1"
    source: str = ""
    partial: bool = False
    """Whether groups of an attribute may be missing; sentences about them are left as they are."""
    identity: dict[str, dict[str, Texts]] = {}
    neutral: list[str] = []
    content_free: list[str] = []

    def rows(self) -> Iterator[dict[str, str | None]]:
        """A row for each input."""
        for attribute, by_group in self.identity.items():
            for group, texts in by_group.items():
                for text in texts:
                    yield {"text": text, "source": attribute, "person": text, COLUMN: IDENTITY, attribute: group}
        for role, texts in ((NEUTRAL, self.neutral), (CONTENT_FREE, self.content_free)):
            for text in texts:
                yield {"text": text, "source": role, "person": None, COLUMN: role}


def reference_names() -> list[str]:
    """The reference inputs that come with Evenhand."""
    folder = files("evenhand") / "data" / "references"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def reference_corpus(kind: str | Path = "phrases") -> Corpus:
    """Reference inputs as a corpus that can be scored: those of the paper, or a file of the same shape.

    `phrases` are the paper's, `identity` holds some for every group of the corpus identity.

    Its column `reference` holds the role of each row (identity, neutral, content-free), and identities have their group
    in the column of their attribute. One of the published inputs is the empty text.

    >>> references = reference_corpus()
    >>> len(references), dict(references.attributes)["gender"]
    (13, ('female', 'male'))
    """
    return _corpus(read_references(kind))


def read_references(kind: str | Path) -> ReferenceFile:
    """Those that come with Evenhand, by name, or those of a file."""
    if str(kind) in reference_names():
        with as_file(files("evenhand") / "data" / "references" / f"{kind}.yaml") as path:
            return _read(path)
    path = Path(kind).expanduser()
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise UsageError(
            f"unknown references {str(kind)!r}{did_you_mean(str(kind), reference_names())} (or a .yaml file)"
        )
    return _read(path)


def _read(path: Path) -> ReferenceFile:
    return validated(ReferenceFile, read_yaml(path), path, shape=SHAPE)


def _corpus(file: ReferenceFile) -> Corpus:
    attributes = {attribute: tuple(groups) for attribute, groups in file.identity.items()}
    rows = [{"id": f"{file.name}-{number}", **row} for number, row in enumerate(file.rows(), start=1)]
    if not rows:
        raise EvenhandError(f"the references {file.name!r} hold no input; give identity, neutral or content_free")
    taken = sorted({*CORE, COLUMN} & set(attributes))
    if taken:
        raise EvenhandError(f"the references {file.name!r}: {taken[0]!r} is a column of its own and no attribute")
    names = ["id", "text", "source", "person", *attributes, COLUMN]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))
    about = About(title=f"Reference inputs: {file.name}", source=file.source)
    return Corpus(frame, file.name, attributes, version=file.version, about=about)
