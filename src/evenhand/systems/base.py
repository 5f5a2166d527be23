"""Who answers: what a system is, and what its answers mean."""

from __future__ import annotations

import hashlib
import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt

from evenhand.errors import UsageError
from evenhand.settings import check_name, check_range, check_unit

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

PACKAGE = "evenhand"

Array = npt.NDArray[np.float64]
OutputKind = Literal["score", "probability", "ordinal", "class", "found"]
HighIs = Literal["good", "bad", "neither"]
"""What a high value means for the person whom a text is about."""

RunsOn = Literal["cpu", "gpu", "elsewhere"]
"""What a system keeps busy while it answers; one that runs elsewhere keeps nothing busy here."""

FOUND: OutputKind = "found"
"""The kind of output that says whether a tagger found an entity: 1 or 0."""

DESIRABLE = "high_is_desirable"
"""What files call it that can only say whether high is good."""

CLASSES = "class"
"""What a classifier's probabilities are a distribution of, where its classes exclude each other and all are given."""


def high_is_if(desirable: bool | None) -> HighIs | None:
    """What a high value means, as far as files say that only know whether it is desirable."""
    return None if desirable is None else "good" if desirable else "bad"


def is_desirable(high_is: HighIs | None) -> bool | None:
    """The other way round; None where high is neither good nor bad."""
    return {"good": True, "bad": False}.get(high_is or "")


@dataclass(frozen=True)
class Output:
    """One number that a system gives per text.

    `low` and `high` bound it. An output without bounds has both None and names a `unit` instead: the distance on its
    scale that a reader would call the whole way, to which tolerances such as "1 %" then refer. One that is part of a
    distribution names what it is a distribution `of`: the outputs of one system that name the same add up to one, and
    `value` is what each label counts as, where labels are numbers. `high_is` says what a high value means for the
    person whom a text is about; None where nobody declared it (see `evenhand.systems.meaning`).
    """

    name: str
    low: float | None = 0.0
    high: float | None = 1.0
    unit: float | None = None
    kind: OutputKind = "score"
    high_is: HighIs | None = None
    of: str | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        check_name("the name of an output", self.name)
        for name in ("low", "high", "unit", "value"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, float(given))  # 1 and 1.0 are one range, also when saved
        if (self.low is None) != (self.high is None):
            raise UsageError(f"output {self.name!r}: give both ends of its range, or none and a unit")
        if self.low is not None and self.high is not None:
            if self.low >= self.high:
                raise UsageError(f"output {self.name!r}: its range {self.low}..{self.high} is empty")
            check_range(self.low, self.high, f"output {self.name!r}: a range")
        if self.low is None and not (self.unit and self.unit > 0):
            raise UsageError(f"output {self.name!r}: an output without a range needs a unit above zero")
        if self.unit is not None:
            check_unit(self.unit, f"output {self.name!r}")
        if self.high_is is not None and self.high_is not in get_args(HighIs):
            said = ", ".join(get_args(HighIs))
            raise UsageError(f"output {self.name!r}: high_is is one of {said}, not {self.high_is!r}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave, or what was declared or saved when it could only say whether high is desirable."""
        given = dict(values)
        desirable = given.pop(DESIRABLE, None)
        if given.get("high_is") is None:
            given["high_is"] = high_is_if(desirable)
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for files; those who read `high_is_desirable` still find it."""
        return {**asdict(self), DESIRABLE: is_desirable(self.high_is)}

    @property
    def in_fingerprints(self) -> str:
        """The output as fingerprints have always had it: what is kept under one stays."""
        values = {DESIRABLE if key == "high_is" else key: value for key, value in asdict(self).items()}
        values[DESIRABLE] = is_desirable(self.high_is)
        return f"Output({', '.join(f'{key}={value!r}' for key, value in values.items())})"

    @property
    def span(self) -> float:
        """The width of the range, or the unit where there is none."""
        if self.low is not None and self.high is not None:
            return self.high - self.low
        assert self.unit is not None  # noqa: S101 - __post_init__ saw to it
        return self.unit


@dataclass(frozen=True)
class HeldOut:
    """How well an output goes with what people said of texts that the system had not learned from.

    A correlation is None where it is undefined: all the scores, or all that people said, are the same.
    """

    n: int
    pearson: float | None
    spearman: float | None
    how: str
    """On which texts, as in `five folds`."""


@runtime_checkable
class Scorer(Protocol):
    """The least that an object of yours needs in order to be asked; derive from `BaseScorer` to get the rest.

    What else it has of the parts of a `BaseScorer` (`samples`, `draw`, `resume_key`, `tokenise`, `remarks`,
    `with_corpus`) is used too.
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


@dataclass(frozen=True)
class Blueprint:
    """How a system of a table is built once more, in another process: plain values, which travel as JSON."""

    name: str
    address: tuple[str, ...]
    settings: Mapping[str, Any]
    tagger: bool = False
    inner: int = 0
    """How many layers of what is built then are taken off: the model that a few-shot reading asks is 1 deep."""


class BaseSystem(ABC):
    """What all systems have, with defaults for what is optional."""

    name: str
    revision: ClassVar[int] = 1
    """Part of the fingerprint: raised when a change of code may change answers; see `fingerprint_of`."""
    blueprint: Blueprint | None = None
    """How workers build it; None for objects that were made by hand."""

    if TYPE_CHECKING:  # declared so that a subclass may have an attribute or a property, as it likes

        @property
        def fingerprint(self) -> str | None:
            """A content hash that changes whenever the answers could; None where that cannot be known."""

        @property
        def resume_key(self) -> str | None:
            """Where there is no fingerprint, a hash that tells whether an interrupted run may go on."""

        @property
        def batch_size(self) -> int:
            """How many texts it is asked at a time."""

        @property
        def samples(self) -> bool:
            """Whether it answers differently when asked again."""

        @property
        def runs_on(self) -> RunsOn:
            """What it keeps busy while it answers."""

    else:
        fingerprint = None
        resume_key = None
        batch_size = 1024
        samples = False
        runs_on = "cpu"

    @property
    def answer_names(self) -> tuple[str, ...]:
        """What its answers consist of; answers of other parts are never taken for them."""
        return ()

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the results should know, in sentences; asked for after the answers were given."""
        return ()


class BaseScorer(BaseSystem):
    """A system that gives each text one number per output. A subclass needs `name`, `outputs` and `score`."""

    if TYPE_CHECKING:

        @property
        def outputs(self) -> tuple[Output, ...]:
            """The numbers that it gives, with different names."""

        @property
        def held_out(self) -> Mapping[str, HeldOut]:
            """How good its outputs are known to be, by name: of those that were trained here, or held against gold."""

        @property
        def ahead(self) -> int:
            """How many batches it wants to know of before they are asked."""

    else:
        held_out = MappingProxyType({})
        ahead = 0

    @property
    def answer_names(self) -> tuple[str, ...]:
        """The names of its outputs."""
        return tuple(output.name for output in self.outputs)

    @abstractmethod
    def score(self, texts: Sequence[str]) -> Array:
        """Answer for all texts: an array of shape (len(texts), len(outputs))."""

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """Answer for the nth time, counted from 1; for systems that sample."""
        return self.score(texts)

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """Learn what `draw` will be asked for next, and that what was expected before and is not among it will not be.

        Told of `ahead` batches beside the one that is next, and of none in the end.
        """

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that it reads a text in; None where it does not tell."""
        return None

    def with_corpus(self, corpus: Corpus) -> BaseScorer:
        """The same system, told of another corpus; for those that look sentences up in one."""
        return self


def fingerprint_of(adapter: type, *distributions: str, **settings: object) -> str:
    """Hash what an adapter's answers depend on: its name, its `revision`, the packages it calls, and its settings.

    The code itself is not looked at, so that a better comment costs nobody the answers that are kept or the calibrators
    that were fitted. Whoever changes an adapter, or code that it calls, so that the same settings may give other
    answers has to raise the `revision` of its class (1 where it has none). An adapter in a package of its own does well
    to name that package among the `distributions`: each release then is a system of its own.
    """
    own = adapter.__module__.partition(".")[0] == PACKAGE
    home = PACKAGE if own else adapter.__module__  # in here, files may move
    versions = [f"{name}=={importlib.metadata.version(name)}" for name in distributions]
    revision = f"revision {getattr(adapter, 'revision', 1)}"
    told = [f"{key}={_in_fingerprints(settings[key])}" for key in sorted(settings)]
    parts = [home, adapter.__qualname__, revision, *versions, *told]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _in_fingerprints(setting: object) -> str:
    """A setting as it is hashed."""
    if isinstance(setting, tuple) and setting and all(isinstance(one, Output) for one in setting):
        return f"({', '.join(one.in_fingerprints for one in setting)}{',' if len(setting) == 1 else ''})"
    return repr(setting)
