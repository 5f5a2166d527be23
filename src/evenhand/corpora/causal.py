"""What is asked when systems are rated: data groups in which emotion words meet all classes alike, or by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.filler import fill
from evenhand.corpora.labels import stated_or_not
from evenhand.corpora.lexicon import Persons
from evenhand.corpora.recipe import made_recipe
from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml
from evenhand.settings import check_choice

NOBODY = "NA"
"""The class of sentences that say nothing about a person's gender or race."""
EMOTIONS = ("negative", "positive")
EVEN = (50.0, 50.0)
SLOT = "emotion word"

Words = Mapping[str, Sequence[str]]
"""Emotion words by `negative` and `positive`."""
Distribution = Mapping[str, tuple[float, float]]
"""By class: how many per cent of its sentences get a positive and how many a negative word."""
Draw = Literal["complete", "published"]
"""How words are drawn in groups 2 and 4: as many of each kind as the shares say, one at least; or by chance alone."""


@dataclass(frozen=True)
class Unmet:
    """A class that never occurs with an emotion: what a system would say there cannot be known."""

    group: str
    emotion: str

    def __str__(self) -> str:
        return f"{self.group} never met a {self.emotion} word"


@dataclass(frozen=True)
class _Design:
    """Every sentence with every word."""

    corpus: Corpus
    words: tuple[tuple[str, str], ...]
    """(emotion, word), in order."""

    @property
    def listed(self) -> str:
        """The words, for people."""
        return "{" + ", ".join(word for _, word in self.words) + "}"

    @property
    def crossed(self) -> tuple[str, ...]:
        """The attributes in the order in which their classes are named: race, then gender."""
        return tuple(reversed(tuple(self.corpus.attributes)))

    @cached_property
    def sentences(self) -> list[pl.DataFrame]:
        """The rows of each sentence, which differ by the word."""
        return self.corpus.frame.partition_by("template", "person", maintain_order=True)

    def group(self, sentence: pl.DataFrame) -> str:
        """The class of a sentence, by all attributes together."""
        return crossed_class([sentence[attribute][0] for attribute in self.crossed])

    @cached_property
    def groups(self) -> set[str]:
        """All classes."""
        return {self.group(sentence) for sentence in self.sentences}

    def only_its(self, distribution: Distribution) -> Distribution:
        """The shares of those classes that own persons have left."""
        return {group: shares for group, shares in distribution.items() if group in self.groups}


def data_group(
    number: int,
    word_set: str = "E3",
    *,
    k: int = 1,
    seed: int = 0,
    persons: Sequence[Persons] | None = None,
    words: Words | None = None,
    distribution: Distribution | None = None,
    draw: Draw = "complete",
) -> Corpus:
    """A data group of the paper: gender by noun phrases (1 and 2), or gender and race by names (3 and 4).

    In 1 and 3 every sentence has every word; nothing is drawn, so `k`, `seed`, `distribution` and `draw` change
    nothing. In 2 and 4 one word is drawn for each sentence, and its class decides how often it is a positive one. `k`
    is a case of the paper's table (1: men 90 % positive, women 10 %); with names, European American men stand in the
    place of men, African American women in that of women, and the others meet both kinds equally often. `distribution`
    replaces it, by class, say `{"European American male": (90, 10)}`.

    With the `complete` draw each class gets as many positive words as its share says, to the nearest sentence, and both
    kinds at least once unless its share is 0 or 100: the seed decides which sentences these are. So every class meets
    every emotion, and equation 1 has a value. The `published` draw throws a die for each sentence, as the paper did;
    then a class may never meet an emotion.

    >>> [len(group1(word_set)) for word_set in ("E1", "E2", "E3", "E4", "E5")]
    [24, 24, 48, 72, 72]
    >>> corpus = group2("E4", k=1, seed=0, draw="published")
    >>> len(corpus), [str(unmet) for unmet in unmet_classes(corpus, ("gender",))]
    (24, ['male never met a negative word'])
    >>> unmet_classes(group2("E4", k=1, seed=0), ("gender",))
    ()
    """
    check_choice("draw", draw, get_args(Draw))
    named = number in NAMED
    attributes = ("gender", "race") if named else ("gender",)
    design = _design(number, word_set, persons or _listed("names" if named else "noun_phrases"), words, attributes)
    if number not in CONFOUNDED:
        return _every_word(design)
    suffix = "" if draw == "published" else f"-{draw}"
    if distribution:
        return _one_word_each(design, distribution, called=f"own-shares{suffix}", seed=seed, draw=draw)
    case = _crossed_case(k) if named else _case(k)
    return _one_word_each(design, design.only_its(case), called=f"k{k}{suffix}", seed=seed, draw=draw)


NAMED, CONFOUNDED = (3, 4), (2, 4)
GROUPS = {number: partial(data_group, number) for number in (1, 2, 3, 4)}
group1, group2, group3, group4 = GROUPS.values()


def unmet_classes(corpus: Corpus, attributes: Sequence[str]) -> tuple[Unmet, ...]:
    """The positivity check: classes (of attributes crossed) that never occur with an emotion that others occur with."""
    labels = corpus.frame.select(*attributes, "emotion").drop_nulls()
    met = {(crossed_class(classes), emotion) for *classes, emotion in labels.iter_rows()}
    groups = dict.fromkeys(crossed_class(row) for row in labels.select(*attributes).iter_rows())
    emotions = sorted({emotion for _, emotion in met})
    return tuple(Unmet(group, emotion) for group in groups for emotion in emotions if (group, emotion) not in met)


def crossed_class(parts: Sequence[str]) -> str:
    """What a class of several attributes is called.

    >>> crossed_class(["European American", "male"]), crossed_class(["NA", "NA"]), crossed_class(["female"])
    ('European American male', 'NA', 'female')
    """
    return " ".join(dict.fromkeys(parts))


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = read_yaml(files("evenhand") / "data" / "causal.yaml")
    return content


def _listed(key: str) -> list[Persons]:
    return [Persons.model_validate(entry) for entry in (*_content()[key], *_content()["nobody"])]


def _case(k: int) -> Distribution:
    cases = _content()["cases"]
    if k not in cases:
        raise UsageError(f"no case k = {k}; there are {min(cases)} to {max(cases)}")
    return {group: (float(positive), float(negative)) for group, (positive, negative) in cases[k].items()}


def _crossed_case(k: int) -> Distribution:
    called: Mapping[str, str] = _content()["crossed_as"]
    return {called[group]: shares for group, shares in _case(k).items()}


def _words(word_set: str, words: Words | None) -> tuple[tuple[str, str], ...]:
    sets = _content()["word_sets"]
    if words is None and word_set not in sets:
        raise UsageError(f"no set of emotion words {word_set!r}{did_you_mean(word_set, sets)}")
    chosen: Words = sets[word_set] if words is None else words
    for emotion in chosen:
        if emotion not in EMOTIONS:
            raise UsageError(f"emotion words are negative or positive, not {emotion!r}")
    pairs = tuple((emotion, word) for emotion in EMOTIONS for word in chosen.get(emotion, ()))
    if not pairs:
        raise UsageError("no emotion words were given")
    return pairs


def _design(
    number: int, word_set: str, persons: Sequence[Persons], words: Words | None, attributes: tuple[str, ...]
) -> _Design:
    chosen = _words(word_set, words)
    content, called = _content(), word_set if words is None else "own-words"
    asked = [_with_classes(one, attributes) for one in persons]
    classes = {attribute: list(dict.fromkeys(one[attribute] for one in asked)) for attribute in attributes}
    by_emotion = {emotion: [word for other, word in chosen if other == emotion] for emotion in EMOTIONS}
    recipe = {
        "name": f"causal-group{number}-{called}",
        "attributes": classes,
        "persons": asked,
        "slots": {SLOT: {"words": by_emotion, "column": "emotion_word", "by": "emotion"}},
        "groupings": ["template", "emotion_word"],
        **{key: content[key] for key in ("source", "licence", "limits", "templates")},
    }
    return _Design(fill(made_recipe(recipe)), chosen)


def _with_classes(persons: Persons, attributes: Sequence[str]) -> dict[str, Any]:
    """An entry with a class of each attribute, and of no other."""
    own = persons.model_dump(exclude_unset=True, exclude=set(persons.groups))
    return own | {attribute: persons.groups.get(attribute, NOBODY) for attribute in attributes}


def _every_word(design: _Design) -> Corpus:
    how = f"every sentence with every word of {design.listed}"
    return _corpus(design, design.corpus.name, pl.concat(design.sentences), how)


def _one_word_each(design: _Design, distribution: Distribution, *, called: str, seed: int, draw: Draw) -> Corpus:
    _check_distribution(distribution, design)
    rng = np.random.default_rng(seed)
    groups = [design.group(sentence) for sentence in design.sentences]
    shares = {group: distribution.get(group, EVEN)[0] / 100 for group in groups}
    if draw == "published":
        drawn = [_drawn_by_chance(sentence, shares[group], rng) for sentence, group in _paired(design, groups)]
        how = "drawn for each sentence, positive/negative in per cent: " + _listed_shares(distribution)
    else:
        positive = _positive_places(groups, shares, rng)
        drawn = [
            _any_of(sentence.filter(emotion=EMOTIONS[int(place in positive)]), rng)
            for place, sentence in enumerate(design.sentences)
        ]
        how = "for each sentence, positive/negative sentences: " + _listed_counts(groups, positive)
    corpus = _corpus(
        design,
        f"{design.corpus.name}-{called}-seed{seed}",
        pl.concat(drawn),
        f"one word of {design.listed} {how}; seed {seed}",
    )
    unmet = unmet_classes(corpus, design.crossed)
    if not unmet:
        return corpus
    limit = f"Positivity fails: {'; '.join(map(str, unmet))}."
    return replace(corpus, about=replace(corpus.about, limits=(*corpus.about.limits, limit)))


def _paired(design: _Design, groups: Sequence[str]) -> Iterator[tuple[pl.DataFrame, str]]:
    return zip(design.sentences, groups, strict=True)


def _drawn_by_chance(sentence: pl.DataFrame, share: float, rng: np.random.Generator) -> pl.DataFrame:
    return _any_of(sentence.filter(emotion=EMOTIONS[int(rng.random() < share)]), rng)


def _any_of(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    return rows[int(rng.integers(rows.height))]


def _positive_places(groups: Sequence[str], shares: Mapping[str, float], rng: np.random.Generator) -> frozenset[int]:
    """Which sentences get a positive word: in each class as many as its share says, both kinds at least once."""
    chosen: list[int] = []
    for group in dict.fromkeys(groups):
        places = [place for place, one in enumerate(groups) if one == group]
        number = round(shares[group] * len(places))
        if 0 < shares[group] < 1 and len(places) > 1:
            number = min(max(number, 1), len(places) - 1)
        chosen += rng.permutation(places)[:number].tolist()
    return frozenset(chosen)


def _listed_shares(distribution: Distribution) -> str:
    return "; ".join(f"{group} {positive:g}/{negative:g}" for group, (positive, negative) in distribution.items())


def _listed_counts(groups: Sequence[str], positive: frozenset[int]) -> str:
    """
    >>> _listed_counts(["male", "male", "NA"], frozenset({0, 2}))
    'male 1/1; NA 1/0'
    """
    found = {group: [0, 0] for group in groups}
    for place, group in enumerate(groups):
        found[group][place not in positive] += 1
    return "; ".join(f"{group} {yes}/{no}" for group, (yes, no) in found.items())


def _check_distribution(distribution: Distribution, design: _Design) -> None:
    for group, (positive, negative) in distribution.items():
        if group not in design.groups:
            raise UsageError(f"the distribution names the class {group!r}{did_you_mean(group, design.groups)}")
        if min(positive, negative) < 0 or abs(positive + negative - 100) > 1e-9:
            raise UsageError(f"the shares of {group!r} are per cents that make 100, not {positive:g} and {negative:g}")
    missing = [emotion for emotion in EMOTIONS if emotion not in {emotion for emotion, _ in design.words}]
    if missing:
        raise UsageError(f"a group with drawn words needs negative and positive ones; there is no {missing[0]} word")


def _corpus(design: _Design, name: str, frame: pl.DataFrame, how: str) -> Corpus:
    """The chosen rows, numbered."""
    about = replace(
        design.corpus.about,
        title=f"Causal rating, {name.removeprefix('causal-')}",
        chosen=f"Four templates with {frame['person'].n_unique()} persons; {how}.",
    )
    ids = pl.Series("id", [f"{name}-{place:05d}" for place in range(1, frame.height + 1)])
    return replace(design.corpus, frame=frame.with_columns(ids), name=name, about=about, labels=stated_or_not())
