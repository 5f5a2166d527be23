"""Tag schemes: BILOU, BIO and IOBES, read into spans, repaired where they don't fit, and written again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evenhand.errors import UsageError, did_you_mean

OUTSIDE = "O"


class Span(NamedTuple):
    """An entity: from the token `start` up to, and not including, the token `end`."""

    start: int
    end: int
    label: str


class Read(NamedTuple):
    """Tags as spans, and the places whose tag does not fit what stands before it (the last place: nothing ends it)."""

    spans: tuple[Span, ...]
    misfits: tuple[int, ...]


@dataclass(frozen=True)
class Scheme:
    """The letters that say where in its entity a token stands. BIO has none for the last and the only token."""

    name: str
    last: str | None = None
    only: str | None = None

    @property
    def letters(self) -> str:
        """All of them, without O."""
        return "BI" + (self.last or "") + (self.only or "")

    def read(self, tags: Sequence[str]) -> Read:
        """The spans that tags mean; ill-formed tags are repaired by one rule, and their places told.

        The rule: an entity goes on through I and L (E) of its own class and ends before any other tag; an I or L that
        continues nothing begins an entity. So every tag but O belongs to a span of its class, and none is dropped.

        >>> BILOU.read(["B-LOC", "L-LOC", "O", "U-PER"])
        Read(spans=(Span(start=0, end=2, label='LOC'), Span(start=3, end=4, label='PER')), misfits=())
        >>> BILOU.read(["O", "I-LOC", "L-PER"])
        Read(spans=(Span(start=1, end=2, label='LOC'), Span(start=2, end=3, label='PER')), misfits=(1, 2))
        """
        spans: list[Span] = []
        misfits: list[int] = []
        begun: tuple[int, str] | None = None
        for place, tag in enumerate(tags):
            letter, label = self.parted(tag)
            continuing = letter in ("I", self.last)
            goes_on = continuing and begun is not None and begun[1] == label
            if begun is not None and not goes_on:
                spans.append(Span(begun[0], place, begun[1]))
            if (continuing and not goes_on) or (begun is not None and not goes_on and self.last is not None):
                misfits.append(place)
            if label is None:
                begun = None
            elif not goes_on:
                begun = (place, label)
            if begun is not None and letter in (self.last, self.only):
                spans.append(Span(begun[0], place + 1, begun[1]))
                begun = None
        if begun is not None:
            spans.append(Span(begun[0], len(tags), begun[1]))
            if self.last is not None:
                misfits.append(len(tags))
        return Read(tuple(spans), tuple(misfits))

    def write(self, spans: Iterable[Span], length: int) -> list[str]:
        """The tags of so many tokens.

        >>> BILOU.write([Span(0, 3, "LOC")], 4), BIO.write([Span(0, 3, "LOC")], 4)
        (['B-LOC', 'I-LOC', 'L-LOC', 'O'], ['B-LOC', 'I-LOC', 'I-LOC', 'O'])
        """
        tags = [OUTSIDE] * length
        for start, end, label in spans:
            tags[start:end] = [f"I-{label}"] * (end - start)
            tags[end - 1] = f"{self.last or 'I'}-{label}"
            tags[start] = f"B-{label}"
            if end == start + 1:
                tags[start] = f"{self.only or 'B'}-{label}"
        return tags

    def parted(self, tag: str) -> tuple[str, str | None]:
        """Letter and class of a tag; the class of O is None."""
        if tag == OUTSIDE:
            return OUTSIDE, None
        letter, dash, label = tag.partition("-")
        if not dash or not label or len(letter) != 1 or letter not in self.letters:
            letters = ", ".join(f"{letter}-CLASS" for letter in self.letters)
            raise UsageError(f"{tag!r} is not a tag of {self.name}: O, {letters}")
        return letter, label


BILOU = Scheme("BILOU", last="L", only="U")
BIO = Scheme("BIO")
IOBES = Scheme("IOBES", last="E", only="S")
SCHEMES: Mapping[str, Scheme] = {scheme.name: scheme for scheme in (BILOU, BIO, IOBES)}


def scheme_named(name: str) -> Scheme:
    """A scheme by its name."""
    if name not in SCHEMES:
        raise UsageError(f"no tag scheme {name!r}{did_you_mean(name, SCHEMES)}")
    return SCHEMES[name]


def scheme_of(tags: Iterable[str]) -> Scheme:
    """The scheme that these tags are of, by their letters; B, I and O alone are BIO, and O alone fits all.

    >>> scheme_of(["O", "U-LOC"]).name, scheme_of(["O", "B-LOC", "I-LOC"]).name, scheme_of(["S-LOC"]).name
    ('BILOU', 'BIO', 'IOBES')
    """
    seen = sorted(set(tags))
    letters = {tag[:1] for tag in seen if tag != OUTSIDE}
    if letters & set("LU") and letters & set("ES"):
        raise UsageError(f"these tags mix BILOU (L, U) and IOBES (E, S): {', '.join(seen[:12])}")
    if letters & set("ES"):
        return IOBES
    return BILOU if letters & set("LU") or not letters else BIO


def class_of(tag: str) -> str:
    """The class of a tag of any scheme; O is the class of O, and a name without a letter is a class already.

    >>> class_of("B-LOC"), class_of("O"), class_of("LOC"), class_of("I-work-of-art")
    ('LOC', 'O', 'LOC', 'work-of-art')
    """
    return tag[2:] if len(tag) > 2 and tag[1] == "-" else tag


def converted(tags: Sequence[str], *, to: Scheme, scheme: Scheme | None = None) -> list[str]:
    """The same spans in another scheme.

    >>> converted(["B-LOC", "L-LOC", "U-PER"], to=IOBES)
    ['B-LOC', 'E-LOC', 'S-PER']
    """
    return to.write((scheme or scheme_of(tags)).read(tags).spans, len(tags))


def stretched(tags: Sequence[str], place: int, width: int, *, scheme: Scheme = BILOU) -> list[str]:
    """The tags when the one token at `place` becomes `width` tokens: spans that hold it grow, later ones move.

    >>> stretched(["O", "U-LOC", "O"], 1, 2), stretched(["U-LOC"], 0, 3)
    (['O', 'B-LOC', 'L-LOC', 'O'], ['B-LOC', 'I-LOC', 'L-LOC'])
    """
    more = width - 1
    moved = [
        Span(start + more * (start > place), end + more * (end > place), label)
        for start, end, label in scheme.read(tags).spans
    ]
    return scheme.write(moved, len(tags) + more)
