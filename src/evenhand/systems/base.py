"""Who answers: what a system is, what its answers mean, and the table of known systems."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from evenhand.errors import EvenhandError, MissingExtra, UsageError, did_you_mean, one_line

Array = npt.NDArray[np.float64]
OutputKind = Literal["score", "probability", "ordinal", "class"]

CLASSES = "class"
"""What a classifier's probabilities are a distribution of, where its classes exclude each other and all are given."""


@dataclass(frozen=True)
class Output:
    """One number that a system gives per text.

    `low` and `high` bound it. An output without bounds has both None and names a `unit` instead: the distance on its
    scale that a reader would call the whole way, to which tolerances such as "1 %" then refer. One that is part of a
    distribution names what it is a distribution `of`: the outputs of one system that name the same add up to one, and
    `value` is what each label counts as, where labels are numbers.
    """

    name: str
    low: float | None = 0.0
    high: float | None = 1.0
    unit: float | None = None
    kind: OutputKind = "score"
    high_is_desirable: bool | None = None
    of: str | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise UsageError(f"output {self.name!r}: give both ends of its range, or none and a unit")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise UsageError(f"output {self.name!r}: its range {self.low}..{self.high} is empty")
        if self.low is None and not (self.unit and self.unit > 0):
            raise UsageError(f"output {self.name!r}: an output without a range needs a unit above zero")

    @property
    def span(self) -> float:
        """The width of the range, or the unit where there is none."""
        if self.low is not None and self.high is not None:
            return self.high - self.low
        assert self.unit is not None  # noqa: S101 - __post_init__ saw to it
        return self.unit


@runtime_checkable
class Scorer(Protocol):
    """A system that gives each text one number per output.

    `fingerprint` is a content hash that changes whenever the answers could, or None when that cannot be known.
    `batch_size` is how many texts it is asked at a time. A scorer with a tokeniser may also have
    `tokenise(text) -> list[str]`. One that answers differently when asked again says so with `samples = True`, and may
    have `draw(texts, number)`, which is told for the so-manieth time it is asked, from 1; `resume_key` is a hash that,
    where there is no fingerprint, tells whether an interrupted run may go on.
    """

    name: str

    @property
    def outputs(self) -> tuple[Output, ...]: ...

    @property
    def fingerprint(self) -> str | None: ...

    @property
    def batch_size(self) -> int: ...

    def score(self, texts: Sequence[str]) -> Array:
        """Answer for all texts: an array of shape (len(texts), len(outputs))."""
        ...


SCORER_PARTS = ("name", "outputs", "fingerprint", "batch_size", "score")


@dataclass(frozen=True)
class Entry:
    """A row of the table of systems."""

    name: str
    extra: str | None
    build: Callable[..., Scorer]
    summary: str
    address: str | None = None
    """For systems typed as NAME:ADDRESS, what the address is, such as `MODEL_OR_FOLDER`."""
    plugin: str | None = None
    """The package of a third party that brings it."""

    @property
    def typed(self) -> str:
        """What people type: the name, or NAME:ADDRESS."""
        return self.name if self.address is None else f"{self.name}:{self.address}"


REGISTRY: dict[str, Entry] = {}

C = TypeVar("C", bound=Callable[..., Any])


def system(name: str, *, extra: str | None = None, address: str | None = None) -> Callable[[C], C]:
    """Enter a class (or a function that builds a scorer) into the table under the name that people type.

    With `address`, it is typed as NAME:ADDRESS, and the address is the builder's first argument. Its other arguments
    are settings; those called `low`, `high` and `version` also take their values from the flags for them, and one
    called `corpus` gets the corpus.
    """

    def enter(build: C) -> C:
        summary = (inspect.getdoc(build) or "").partition("\n")[0]
        REGISTRY[name] = Entry(name, extra, build, summary, address)
        return build

    return enter


def build_system(name: str, *address: str, **settings: Any) -> Scorer:
    """Build a system of the table by its name (and its address, where it has one)."""
    entry = REGISTRY.get(name)
    if entry is None:
        raise UsageError(f"unknown system {name!r}{did_you_mean(name, REGISTRY)}")
    try:
        made = entry.build(*address, **settings)
    except ModuleNotFoundError as error:
        if entry.plugin is not None:
            raise EvenhandError(f"{_of_plugin(entry)} needs {error.name!r}, which is not installed") from error
        if entry.extra is None or (error.name or "").startswith("evenhand"):
            raise
        raise MissingExtra(f"the system {name!r}", entry.extra) from error
    except EvenhandError:
        raise
    except Exception as error:
        if entry.plugin is None:
            raise
        raise EvenhandError(f"{_of_plugin(entry)} failed: {type(error).__name__}: {one_line(error)}") from error
    lacking = [part for part in SCORER_PARTS if not hasattr(made, part)]
    if lacking:
        raise EvenhandError(f"{_of_plugin(entry)} is no scorer: it lacks {', '.join(lacking)}")
    return made


def _of_plugin(entry: Entry) -> str:
    return f"the system {entry.name!r}" + (f" of the plugin {entry.plugin!r}" if entry.plugin else "")


def fingerprint_of(adapter: type, *distributions: str, **settings: object) -> str:
    """Hash what an adapter's answers depend on: its own source file, the packages it calls, and its settings."""
    source = Path(inspect.getfile(adapter)).read_bytes()
    versions = [f"{name}=={importlib.metadata.version(name)}" for name in distributions]
    parts = [adapter.__qualname__, *versions, *(f"{key}={settings[key]!r}" for key in sorted(settings))]
    return hashlib.sha256(source + "\n".join(parts).encode()).hexdigest()
