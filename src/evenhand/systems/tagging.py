"""Who tags: what a tagger is, what it answers, and the table of known ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from evenhand.errors import BadAnswer, EvenhandError, MissingExtra, UsageError, did_you_mean, one_line, quoted

TokenLists = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Tagging:
    """A tagger's answer for one sentence: a tag for each token and, where it has them, probabilities by tag."""

    tags: tuple[str, ...]
    probabilities: tuple[Mapping[str, float], ...] | None = None


@runtime_checkable
class Tagger(Protocol):
    """A system that gives each token a tag, of BILOU, BIO or IOBES.

    `classes` are those it can give, or None where that is not known; `fingerprint` as for a `Scorer`.
    """

    name: str

    @property
    def classes(self) -> tuple[str, ...] | None: ...

    @property
    def fingerprint(self) -> str | None: ...

    def tag(self, token_lists: TokenLists) -> list[Tagging]:
        """Answer for all sentences, each a list of tokens."""
        ...


@dataclass(frozen=True)
class TaggerEntry:
    """A row of the table of taggers, which are all typed as NAME:ADDRESS."""

    name: str
    extra: str | None
    build: Callable[..., Tagger]
    summary: str
    address: str


TAGGERS: dict[str, TaggerEntry] = {}

C = TypeVar("C", bound=Callable[..., Any])


def tagger(name: str, *, extra: str | None = None, address: str) -> Callable[[C], C]:
    """Enter a class, or a function that builds a tagger, into the table; the address is its first argument."""

    def enter(build: C) -> C:
        summary = (inspect.getdoc(build) or "").partition("\n")[0]
        TAGGERS[name] = TaggerEntry(name, extra, build, summary, address)
        return build

    return enter


def build_tagger(name: str, address: str, **settings: Any) -> Tagger:
    """Build a tagger of the table."""
    if name not in TAGGERS:
        raise UsageError(f"unknown tagger {name!r}{did_you_mean(name, TAGGERS)}")
    entry = TAGGERS[name]
    try:
        return entry.build(address, **settings)
    except ModuleNotFoundError as error:
        if entry.extra is None or (error.name or "").startswith("evenhand"):
            raise
        raise MissingExtra(f"the tagger {name!r}", entry.extra) from error


class CallableTagger:
    """A function from token lists to tags.

    For each sentence it answers with a list of tags, with a list of mappings from tags to probabilities (then the most
    likely tag of each token counts), or with a `Tagging`.
    """

    classes = None

    def __init__(self, function: Callable[[list[list[str]]], Any], *, name: str) -> None:
        self.name = name
        self.fingerprint: str | None = None
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


def as_tagger(obj: object, *, name: str | None = None) -> Tagger:
    """Make a tagger of an object: a tagger stays as it is, and anything that can be called answers by being called.

    >>> blind = as_tagger(lambda sentences: [["O"] * len(tokens) for tokens in sentences], name="blind")
    >>> blind.tag([["Peru", "won"]])
    [Tagging(tags=('O', 'O'), probabilities=None)]
    """
    if isinstance(obj, Tagger) and not isinstance(obj, type):
        return obj
    name = name or str(getattr(obj, "__name__", type(obj).__name__))
    if not callable(obj):
        raise UsageError(f"{name!r} cannot be asked: it is no tagger and cannot be called")
    return CallableTagger(obj, name=name)


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
