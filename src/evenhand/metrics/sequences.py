"""What a tagger said, for all metrics: spans that match exactly are counted, probabilities are summed per class.

Each token is a decision of its own (Czarnowska et al. 2021, section 5.1). The tokens of the identity term are averaged
into one, so that sentences of one source have the same tokens whatever the term; without that, a group with more names
of two words would differ from the others even for a tagger without fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics.counts import Counts
from evenhand.metrics.measurements import Measurements
from evenhand.metrics.measuring import measure
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.predictions import Predictions, term_of_group
from evenhand.numbering import UNKNOWN
from evenhand.schemes import OUTSIDE, Read, Scheme, Span, class_of, scheme_of
from evenhand.stats.types import Floats

ROUNDING = 1e-3
"""How far the probabilities of a token may add up to more than 1, as they do when each was rounded."""


@dataclass(frozen=True)
class TaggedSentence:
    """One sentence with its right tags and those that a tagger gave."""

    source: str
    group: str | None
    """None: the unperturbed sentence of its source, a background only."""
    tokens: tuple[str, ...]
    slot: tuple[int, int]
    """The tokens of the identity term: from the first up to, and not including, the second."""
    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    probabilities: tuple[Mapping[str, float], ...] | None = None
    """For each token, a probability by tag (or by class); tags that are not named have none."""
    term: str = ""
    where: str = "a sentence"
    """Its place in a file, for errors."""

    def __post_init__(self) -> None:
        given = {"gold": self.gold, "pred": self.predicted, "probs": self.probabilities}
        for name, values in given.items():
            if values is not None and len(values) != len(self.tokens):
                self._refuse(f"{len(self.tokens)} tokens and {len(values)} entries of {name!r}")
        start, end = self.slot
        if not 0 <= start < end <= len(self.tokens):
            self._refuse(
                f"slot_span [{start}, {end}] is not a part of {len(self.tokens)} tokens; it counts from 0, and its end "
                "is the token after the term's last"
            )
        classes = {class_of(tag) for tag in self.gold[start:end]}
        if len(classes) > 1:
            self._refuse(f"the term's tokens have the gold classes {', '.join(sorted(classes))}; a term has one")
        for token, by_tag in zip(self.tokens, self.probabilities or (), strict=False):
            wrong = [tag for tag, p in by_tag.items() if not 0 <= p <= 1]
            if wrong:
                self._refuse(f"token {token!r}: the probability {by_tag[wrong[0]]:g} of {wrong[0]!r} is outside 0..1")
            if sum(by_tag.values()) > 1 + ROUNDING:
                self._refuse(f"token {token!r}: its probabilities add up to {sum(by_tag.values()):g}")

    def _refuse(self, why: str) -> NoReturn:
        raise EvenhandError(f"{self.where}: {why}")

    @property
    def around(self) -> tuple[int, int]:
        """How many tokens stand before the term and after it."""
        return self.slot[0], len(self.tokens) - self.slot[1]

    def merged(self) -> Iterator[tuple[int, slice]]:
        """Positions and their tokens: 0 is the term, negative ones stand before it."""
        start, end = self.slot
        yield from ((place - start, slice(place, place + 1)) for place in range(start))
        yield 0, slice(start, end)
        yield from ((place - end + 1, slice(place, place + 1)) for place in range(end, len(self.tokens)))


@dataclass(frozen=True, eq=False)
class TaggedPredictions:
    """Tagged sentences, ready for `measure`: `predictions` for what rests on probabilities, `counts` for the rest.

    Schemes are found out by the letters of the tags where they are not named; gold and predictions may differ in
    theirs. Ill-formed predictions are repaired by the rule of `Scheme.read` and counted; ill-formed gold is refused.

    >>> said = [("female", "Anna", "U-PER"), ("male", "Adam", "O")]
    >>> tagged = TaggedPredictions(tuple(
    ...     TaggedSentence("1", group, (name, "left", "."), (0, 1), ("U-PER", "O", "O"), (tag, "O", "O"), term=name)
    ...     for group, name, tag in said))
    >>> measure_tags(tagged, ["tpr_gap"])["tpr_gap"]["PER"].value
    1.0
    """

    sentences: tuple[TaggedSentence, ...]
    gold_scheme: Scheme | None = None
    scheme: Scheme | None = None
    """Of the predictions."""

    def __post_init__(self) -> None:
        if not self.sentences:
            raise EvenhandError("there is no tagged sentence")
        with_probabilities = {sentence.probabilities is not None for sentence in self.sentences}
        if len(with_probabilities) > 1:
            without = next(sentence for sentence in self.sentences if sentence.probabilities is None)
            raise EvenhandError(f"{without.where}: it has no probabilities, and others have")
        self._refuse_uneven_sources()
        for sentence, read in zip(self.sentences, self._gold, strict=True):
            if read.misfits:
                place = min(read.misfits[0], len(sentence.gold) - 1)
                tag = f"{sentence.gold[place]!r} of the token {sentence.tokens[place]!r}"
                raise EvenhandError(f"{sentence.where}: the gold tags are ill-formed: {tag} does not fit")

    def __len__(self) -> int:
        return len(self.sentences)

    def __repr__(self) -> str:
        return f"<TaggedPredictions: {len(self):,} sentences; classes {', '.join(self.classes)}>"

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that occur, in gold or among the predictions."""
        return tuple(sorted({span.label for read in (*self._gold, *self._predicted) for span in read.spans}))

    @cached_property
    def repaired(self) -> dict[str, int]:
        """How many sentences had ill-formed predictions, by group; groups without any are there too."""
        number = Counter(one.group for one, read in zip(self.sentences, self._predicted, strict=True) if read.misfits)
        return {group: number[group] for group in self._groups}

    @cached_property
    def predictions(self) -> Predictions:
        """A row for every token, the term's as one: p of a class is the sum over its tags, averaged over the term.

        The term's class is the one that all its tokens have; where the predicted ones differ, it is O.
        """
        classes = (*self.classes, OUTSIDE)
        code = {name: place for place, name in enumerate(classes)}
        rows = [(sentence, position, part) for sentence in self.sentences for position, part in sentence.merged()]
        return Predictions(
            sources=tuple(self._sources),
            groups=tuple(self._groups),
            classes=classes,
            source=np.array([self._sources[one.source] for one, _, _ in rows]),
            group=np.array([UNKNOWN if one.group is None else self._groups[one.group] for one, _, _ in rows]),
            terms=tuple(one.term for one, _, _ in rows),
            gold=np.array([code[_shared_class(one.gold[part])] for one, _, part in rows]),
            predicted=np.array([code[_shared_class(one.predicted[part])] for one, _, part in rows]),
            probabilities=self._probabilities(rows, code),
            position=np.array([position for _, position, _ in rows]),
        )

    @cached_property
    def terms(self) -> Predictions:
        """The rows of the identity terms alone, one a sentence: for tests, which compare means per source and group."""
        rows = np.array([position == 0 for sentence in self.sentences for position, _ in sentence.merged()])
        return replace(self.predictions.select(rows), position=None)

    @cached_property
    def terms_found(self) -> list[bool]:
        """Whether each sentence's term was tagged right, from its first to its last token."""
        read = zip(self.sentences, self._gold, self._predicted, strict=True)
        return [_within(gold, one.slot) == _within(predicted, one.slot) for one, gold, predicted in read]

    @cached_property
    def counts(self) -> Counts:
        """Spans by source, group and class: found exactly, found though there is none, missed.

        There are no true negatives. What a group's sentences hold on average of a class is the share predicted.
        """
        classes = (*self.classes, OUTSIDE)
        shape = (len(self._sources), len(self._groups), len(classes))
        tp, fp, fn, examples = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for sentence, gold, predicted in zip(self.sentences, self._gold, self._predicted, strict=True):
            if sentence.group is None:
                continue
            cell = self._sources[sentence.source], self._groups[sentence.group]
            right, said = set(gold.spans), set(predicted.spans)
            for table, spans in ((tp, right & said), (fp, said - right), (fn, right - said)):
                _add(table[cell], spans, classes)
            examples[cell] += 1
        return Counts(tp=tp, fp=fp, fn=fn, tn=None, predicted=tp + fp, examples=examples)

    def by_term(self) -> TaggedPredictions:
        """The same sentences with every term as a group of its own; see `Predictions.by_term`."""
        sentences = tuple(
            one if one.group is None else replace(one, group=term_of_group(one.group, one.term))
            for one in self.sentences
        )
        return replace(self, sentences=sentences)

    @cached_property
    def _gold(self) -> list[Read]:
        scheme = self.gold_scheme or _found("gold", (tag for one in self.sentences for tag in one.gold))
        return [_read(scheme, sentence, sentence.gold) for sentence in self.sentences]

    @cached_property
    def _predicted(self) -> list[Read]:
        scheme = self.scheme or _found("predicted", (tag for one in self.sentences for tag in one.predicted))
        return [_read(scheme, sentence, sentence.predicted) for sentence in self.sentences]

    @cached_property
    def _sources(self) -> dict[str, int]:
        names = dict.fromkeys(sentence.source for sentence in self.sentences)
        return {name: code for code, name in enumerate(names)}

    @cached_property
    def _groups(self) -> dict[str, int]:
        names = dict.fromkeys(sentence.group for sentence in self.sentences if sentence.group is not None)
        return {name: code for code, name in enumerate(names)}

    def _refuse_uneven_sources(self) -> None:
        first: dict[str, TaggedSentence] = {}
        for sentence in self.sentences:
            other = first.setdefault(sentence.source, sentence)
            if sentence.around != other.around:
                raise EvenhandError(
                    f"{sentence.where}: source {sentence.source!r} has {sentence.around[0]} tokens before the term and "
                    f"{sentence.around[1]} after it, where {other.where} has {other.around[0]} and {other.around[1]}"
                )

    def _probabilities(self, rows: Sequence[tuple[TaggedSentence, int, slice]], code: dict[str, int]) -> Floats | None:
        if self.sentences[0].probabilities is None:
            return None
        summed = np.zeros((len(rows), len(code)))
        for row, (sentence, _, part) in enumerate(rows):
            tokens = (sentence.probabilities or ())[part]
            for by_tag in tokens:
                for tag, probability in by_tag.items():
                    place = code.get(class_of(tag))
                    if place is not None:  # a class that nobody has and nobody predicts
                        summed[row, place] += probability / len(tokens)
        return np.minimum(summed, 1.0)


def measure_tags(
    tagged: TaggedPredictions, metrics: Sequence[str | AnyMetric] | None = None, **settings: Any
) -> Measurements:
    """Measure a tagger with metrics of the table; settings are those of `measure`. O is no class of its own.

    FPR, TNR and accuracy need true negatives, which spans don't have: metrics on them are undefined.
    """
    by_term = tagged.by_term()
    found = measure(
        tagged.predictions,
        metrics,
        counts=tagged.counts,
        counted_by_term=(by_term.predictions, by_term.counts),
        **settings,
    )
    by_metric = {
        name: {label: measurement for label, measurement in by_class.items() if label != OUTSIDE}
        for name, by_class in found.metrics.items()
    }
    return replace(found, classes=tagged.classes, metrics=by_metric)


def _found(what: str, tags: Iterable[str]) -> Scheme:
    try:
        return scheme_of(tags)
    except UsageError as error:
        raise EvenhandError(f"the {what} tags: {error}") from error


def _read(scheme: Scheme, sentence: TaggedSentence, tags: Sequence[str]) -> Read:
    try:
        return scheme.read(tags)
    except UsageError as error:
        raise EvenhandError(f"{sentence.where}: {error}") from error


def _within(read: Read, slot: tuple[int, int]) -> set[Span]:
    return {span for span in read.spans if span.start < slot[1] and span.end > slot[0]}


def _shared_class(tags: Sequence[str]) -> str:
    classes = {class_of(tag) for tag in tags}
    return classes.pop() if len(classes) == 1 else OUTSIDE


def _add(table: Floats, spans: set[Span], classes: tuple[str, ...]) -> None:
    for span in spans:
        table[classes.index(span.label)] += 1
