"""Who tags: what a tagger is, what it answers, and the table of known ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evenhand.errors import BadAnswer, EvenhandError, UsageError, one_line, quoted
from evenhand.files.registry import C, Registry
from evenhand.systems.adopted import SHARED, take_over
from evenhand.systems.base import BaseSystem, Blueprint
from evenhand.systems.yours.callables import BATCH_SIZE, source_hash, vouched

TokenLists = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Tagging:
    """A tagger's answer for one sentence: a tag for each token and, where it has them, probabilities by tag."""

    tags: tuple[str, ...]
    probabilities: tuple[Mapping[str, float], ...] | None = None


@runtime_checkable
class Tagger(Protocol):
    """The least that an object of yours needs in order to be asked for tags; derive from `BaseTagger` to get the rest.

    What else it has of the parts of a `BaseTagger` is used too.
    """

    name: str

    @property
    def classes(self) -> tuple[str, ...] | None: ...

    @property
    def fingerprint(self) -> str | None: ...

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """Answer for all sentences, each a list of tokens."""
        ...


class BaseTagger(BaseSystem):
    """A system that gives each token a tag, of BILOU, BIO or IOBES. A subclass needs `name` and `tag`."""

    renamed: Mapping[str, str] | None = None
    """Which class of the corpus one of its own stands for, `{"GPE": "LOC"}`; None: as is usual."""

    if TYPE_CHECKING:

        @property
        def classes(self) -> tuple[str, ...] | None:
            """The classes that it can give; None where that is not known."""

    else:
        classes = None

    @property
    def answer_names(self) -> tuple[str, ...]:
        """Tags."""
        return ("tags",)

    @abstractmethod
    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """Answer for all sentences, each a list of tokens."""

    def draw(self, token_lists: TokenLists, number: int) -> list[Tagging]:
        """Answer for the nth time, counted from 1; for taggers that sample."""
        return self.tag(token_lists)


TAGGERS: Registry[Any] = Registry("tagger")


def tagger(name: str, *, extra: str | None = None, address: str, apart: bool = False) -> Callable[[C], C]:
    """Enter a class, or a function that builds a tagger, into the table; the address is its first argument.

    One that runs code, or reads files, that may kill a process belongs `apart`, in a process of its own.
    """
    return TAGGERS.enter(name, extra=extra, address=address, apart=apart)


def build_tagger(name: str, address: str, **settings: Any) -> BaseTagger:
    """Build a tagger of the table, apart if it belongs there."""
    entry = TAGGERS.find(name)
    drawn = Blueprint(name, (address,), settings, tagger=True)
    if entry.apart:
        from evenhand.systems.apart.proxies import TaggerApart

        TAGGERS.refuse_address(entry, address)
        made: BaseTagger = TaggerApart(drawn, called=TAGGERS.called(entry, address))
    else:
        made = build_tagger_here(name, address, **settings)
    made.blueprint = drawn
    return made


def build_tagger_here(name: str, address: str, **settings: Any) -> BaseTagger:
    """Build a tagger in this process, wherever it belongs."""
    return as_tagger(TAGGERS.build(name, address, **settings))


class AdoptedTagger(BaseTagger):
    """A tagger of somebody else's making: has what that one has, and the defaults for what it lacks."""

    def __init__(self, given: Tagger) -> None:
        self.given = given
        take_over(self, given, (*SHARED, "classes"))

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """What it answers."""
        return self.given.tag(token_lists)


class CallableTagger(BaseTagger):
    """A function from token lists to tags.

    For each sentence it answers with a list of tags, with a list of mappings from tags to probabilities (then the most
    likely tag of each token counts), or with a `Tagging`.
    """

    batch_size = BATCH_SIZE

    def __init__(self, function: Callable[[list[list[str]]], Any], *, name: str, version: str | None = None) -> None:
        self.name = name
        self.fingerprint: str | None = vouched(name, version)
        self.resume_key: str | None = source_hash(function)
        self.samples: bool = bool(getattr(function, "samples", False))
        self._function = function

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """What the function answers."""
        try:
            answers = list(self._function([list(tokens) for tokens in token_lists]))
        except EvenhandError:
            raise
        except Exception as error:
            raise EvenhandError(f"{self.name!r} failed: {type(error).__name__}: {one_line(error)}") from error
        return [self._tagging(answer) for answer in answers]

    def _tagging(self, answer: Any) -> Tagging:
        if isinstance(answer, Tagging):
            return answer
        entries = [] if isinstance(answer, str) or not isinstance(answer, Sequence) else list(answer)
        if entries and all(isinstance(entry, str) for entry in entries):
            return Tagging(tuple(entries))
        if entries and all(isinstance(entry, Mapping) and entry for entry in entries):
            probabilities = tuple({str(tag): float(p) for tag, p in entry.items()} for entry in entries)
            return Tagging(tuple(max(by_tag, key=by_tag.__getitem__) for by_tag in probabilities), probabilities)
        raise BadAnswer(
            f"{self.name!r} answered {one_line(repr(answer), 80)} for a sentence; expected for each token a tag, or "
            "its probabilities by tag"
        )


def as_tagger(
    obj: object, *, name: str | None = None, version: str | None = None, classes: Mapping[str, str] | None = None
) -> BaseTagger:
    """Make a tagger of an object: a tagger stays as it is, and anything that can be called answers by being called.

    `version` vouches for what a function answers: under the same version its answers are taken to be the same.
    `classes` says which class of the corpus one of the tagger's stands for, `{"GPE": "LOC"}`.

    >>> blind = as_tagger(lambda sentences: [["O"] * len(tokens) for tokens in sentences], name="blind")
    >>> blind.tag([["Peru", "won"]])
    [Tagging(tags=('O', 'O'), probabilities=None)]
    """
    made = _as_tagger(obj, name, version)
    if classes is not None:
        made.renamed = classes
    return made


def _as_tagger(obj: object, name: str | None, version: str | None) -> BaseTagger:
    if isinstance(obj, BaseTagger):
        return obj
    if isinstance(obj, Tagger) and not isinstance(obj, type):
        return AdoptedTagger(obj)
    name = name or str(getattr(obj, "__name__", type(obj).__name__))
    if not callable(obj):
        raise UsageError(f"{name!r} cannot be asked: it is not a tagger and cannot be called")
    return CallableTagger(obj, name=name, version=version)


def checked_answers(answers: Sequence[Tagging], token_lists: TokenLists, *, name: str) -> list[Tagging]:
    """The answers, if there is one for every sentence and a tag for every token."""
    if len(answers) != len(token_lists):
        raise BadAnswer(f"{name!r} answered for {len(answers):,} sentences of {len(token_lists):,}")
    for answer, tokens in zip(answers, token_lists, strict=True):
        for what, entries in (("tags", answer.tags), ("probabilities", answer.probabilities)):
            if entries is not None and len(entries) != len(tokens):
                sentence = quoted(" ".join(tokens), 80)
                raise BadAnswer(f"{name!r} gave {len(entries)} {what} for the {len(tokens)} tokens of {sentence}")
    return list(answers)
