"""Where a result comes from: corpora, systems, files, settings and versions. One shape for every kind of result."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from evenhand.asking.going_on import left_out
from evenhand.asking.scores import Scores
from evenhand.asking.tags import Tags
from evenhand.corpora.corpus import Corpus
from evenhand.files.plain import rebuild
from evenhand.results.statement import Statement
from evenhand.systems.apart.process import loaded_apart

PACKAGES = ("evenhand", "numpy", "scipy", "polars", "scikit-learn")
HEAVY = ("spacy", "tokenizers", "torch", "transformers", "xllamacpp")
"""Packages that answers may depend on, named only where they were used."""

LEFT_OUT = "left_out"
"""The detail that names systems that failed, each with why."""


@dataclass(frozen=True)
class CorpusUsed:
    """A corpus that was asked about."""

    name: str
    version: str
    sentences: int
    digest: str
    sentences_digest: str

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """What identifies a corpus."""
        return cls(corpus.name, corpus.version, len(corpus), corpus.digest, corpus.sentences_digest)


@dataclass(frozen=True)
class SystemUsed:
    """One output of a system that answered; `fingerprint` is None where nobody can know whether it changed."""

    system: str
    output: str
    fingerprint: str | None


@dataclass(frozen=True)
class FileUsed:
    """A file that was read: its name without its folder, and the SHA-256 of its content."""

    name: str
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """The name and digest of a file."""
        with path.open("rb") as content:
            return cls(path.name, hashlib.file_digest(content, "sha256").hexdigest())


@dataclass(frozen=True)
class Provenance:
    """What a result was made from, so that it can be made again. No time stamps: same input, same bytes."""

    corpora: tuple[CorpusUsed, ...] = ()
    systems: tuple[SystemUsed, ...] = ()
    files: tuple[FileUsed, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    """What only this kind of result has, such as the size of the family that was corrected for."""
    packages: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    command: str | None = None
    statement: Statement = field(default_factory=Statement)
    """What the person who answers for it says about it; nothing, unless they do."""

    @classmethod
    def collect(
        cls,
        *,
        corpora: Sequence[Corpus] = (),
        scores: Sequence[Scores] = (),
        tags: Sequence[Tags] = (),
        files: Iterable[str | Path] = (),
        settings: Mapping[str, Any] | None = None,
        details: Mapping[str, Any] | None = None,
        command: str | None = None,
    ) -> Self:
        """Gather it from the things themselves, with the versions of the packages that are at work."""
        columns = [column for part in scores for column in part.columns]
        systems = [SystemUsed(one.system, one.output.name, one.fingerprint) for one in columns]
        systems += [SystemUsed(one.system, "tags", one.fingerprint) for part in tags for one in part.columns]
        return cls(
            corpora=tuple(dict.fromkeys(CorpusUsed.of(corpus) for corpus in corpora)),
            systems=tuple(dict.fromkeys(systems)),
            files=tuple(FileUsed.of(path) for path in sorted(map(Path, files)) if path.is_file()),
            settings=dict(settings or {}),
            details={**(details or {}), **({LEFT_OUT: dict(left_out())} if left_out() else {})},
            packages=package_versions(),
            python=platform.python_version(),
            command=command,
        )

    @property
    def system_names(self) -> tuple[str, ...]:
        """The systems, each once, in order."""
        return tuple(dict.fromkeys(one.system for one in self.systems))

    @property
    def asked_names(self) -> tuple[str, ...]:
        """The same, and those that failed and were left out."""
        return tuple(dict.fromkeys((*self.system_names, *self.details.get(LEFT_OUT, ()))))

    @property
    def corpus_names(self) -> tuple[str, ...]:
        """The corpora, each once, in order."""
        return tuple(dict.fromkeys(one.name for one in self.corpora))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a single corpus also stands as `corpus`."""
        corpora = [asdict(one) for one in self.corpora]
        return {
            **({"corpus": corpora[0]} if len(corpora) == 1 else {}),
            "corpora": corpora,
            "files": [asdict(one) for one in self.files],
            "systems": [asdict(one) for one in self.systems],
            "settings": dict(self.settings),
            **self.details,
            "packages": dict(self.packages),
            "python": self.python,
            **({} if self.command is None else {"command": self.command}),
            **({"statement": self.statement.to_dict()} if self.statement else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        rest = dict(values)
        corpus = rest.pop("corpus", None)  # of results that were saved before there was a list
        corpora = rest.pop("corpora", [corpus] if isinstance(corpus, Mapping) else [])
        return cls(
            corpora=tuple(rebuild(CorpusUsed, one) for one in corpora),
            systems=tuple(rebuild(SystemUsed, one) for one in rest.pop("systems", ())),
            files=tuple(rebuild(FileUsed, one) for one in rest.pop("files", ())),
            settings=rest.pop("settings", {}),
            packages=rest.pop("packages", {}),
            python=rest.pop("python", ""),
            command=rest.pop("command", None),
            statement=Statement.from_dict(rest.pop("statement", {})),
            details=rest,
        )


def package_versions() -> dict[str, str]:
    """The versions of the packages that numbers depend on."""
    taking_part = [name for name in HEAVY if name in sys.modules or name in loaded_apart()]
    return {name: importlib.metadata.version(name) for name in (*PACKAGES, *taking_part)}
