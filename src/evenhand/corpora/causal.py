"""What is asked when systems are rated: data groups in which emotion words meet all classes alike, or by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import yaml

from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.labels import stated_or_not
from evenhand.corpora.language import sentence_case
from evenhand.errors import UsageError, did_you_mean

NOBODY = "NA"
"""The class of sentences that say nothing about a person's gender or race."""
EMOTIONS = ("negative", "positive")
EVEN = (50.0, 50.0)

Words = Mapping[str, Sequence[str]]
"""Emotion words by `negative` and `positive`."""
Distribution = Mapping[str, tuple[float, float]]
"""By class: how many per cent of its sentences get a positive and how many a negative word."""


@dataclass(frozen=True)
class Person:
    """Somebody whom sentences are about; one without groups belongs to the class NA of every attribute."""

    term: str
    groups: Mapping[str, str]
    kind: str = "noun_phrase"
    pair: str | None = None
    object: str | None = None
    """As in `I made them feel grim`; the term itself where it is not given."""
    plural: bool = False
    templates: tuple[int, ...] | None = None
    """The templates that are about this person, counted from 1; None: all."""


@dataclass(frozen=True)
class Unmet:
    """A class that never occurs with an emotion: what a system would say there cannot be known."""

    group: str
    emotion: str

    def __str__(self) -> str:
        return f"{self.group} never met a {self.emotion} word"


@dataclass(frozen=True)
class _Sentence:
    template: int
    text: str
    shown: str
    role: str
    person: Person
    classes: Mapping[str, str]

    @property
    def term(self) -> str:
        """What stands for the person in the sentence."""
        return self.person.object or self.person.term if self.role == "object" else self.person.term


@dataclass(frozen=True)
class _Design:
    """Sentences with a place for a word, and the words."""

    name: str
    attributes: tuple[str, ...]
    sentences: tuple[_Sentence, ...]
    words: tuple[tuple[str, str], ...]
    """(emotion, word), in order."""

    @property
    def listed(self) -> str:
        """The words, for people."""
        return "{" + ", ".join(word for _, word in self.words) + "}"

    @property
    def crossed(self) -> tuple[str, ...]:
        """The attributes in the order in which their classes are named: race, then gender."""
        return tuple(reversed(self.attributes))

    @property
    def groups(self) -> list[str]:
        """The class of each sentence, by all attributes together."""
        return [crossed_class([sentence.classes[name] for name in self.crossed]) for sentence in self.sentences]

    def only_its(self, distribution: Distribution) -> Distribution:
        """The shares of those classes that own persons have left."""
        return {group: shares for group, shares in distribution.items() if group in self.groups}


def group1(
    word_set: str = "E3",
    *,
    k: int = 1,
    seed: int = 0,
    persons: Sequence[Person] | None = None,
    words: Words | None = None,
    distribution: Distribution | None = None,
) -> Corpus:
    """Gender by noun phrases, every sentence with every word.

    Nothing is drawn here, so `k`, `seed` and `distribution`, which all four groups take, change nothing.

    >>> [len(group1(word_set)) for word_set in ("E1", "E2", "E3", "E4", "E5")]
    [24, 24, 48, 72, 72]
    """
    return _every_word(_design(1, word_set, persons or _noun_phrases(), words, ("gender",)))


def group2(
    word_set: str = "E3",
    *,
    k: int = 1,
    seed: int = 0,
    persons: Sequence[Person] | None = None,
    words: Words | None = None,
    distribution: Distribution | None = None,
) -> Corpus:
    """Gender by noun phrases, one word drawn for each sentence: gender decides how often it is a positive one.

    `k` is a case of the paper's table (1: men 90 % positive, women 10 %); `distribution` replaces it.

    >>> corpus = group2("E4", k=1, seed=0)
    >>> len(corpus), [str(unmet) for unmet in unmet_classes(corpus, ("gender",))]
    (24, ['male never met a negative word'])
    """
    design = _design(2, word_set, persons or _noun_phrases(), words, ("gender",))
    drawn_by, called = (distribution, "own-shares") if distribution else (design.only_its(_case(k)), f"k{k}")
    return _one_word_each(design, drawn_by, called=called, seed=seed)


def group3(
    word_set: str = "E3",
    *,
    k: int = 1,
    seed: int = 0,
    persons: Sequence[Person] | None = None,
    words: Words | None = None,
    distribution: Distribution | None = None,
) -> Corpus:
    """Gender and race by names, every sentence with every word, as in `group1`."""
    return _every_word(_design(3, word_set, persons or _names(), words, ("gender", "race")))


def group4(
    word_set: str = "E3",
    *,
    k: int = 1,
    seed: int = 0,
    persons: Sequence[Person] | None = None,
    words: Words | None = None,
    distribution: Distribution | None = None,
) -> Corpus:
    """Gender and race by names, one word drawn for each sentence: race and gender together decide how often it is a
    positive one.

    `distribution` is by crossed class, say `{"European American male": (90, 10)}`. Cases `k` put European American men
    in the place of men, African American women in that of women; the others meet both kinds equally often.
    """
    design = _design(4, word_set, persons or _names(), words, ("gender", "race"))
    drawn_by, called = (distribution, "own-shares") if distribution else (design.only_its(_crossed_case(k)), f"k{k}")
    return _one_word_each(design, drawn_by, called=called, seed=seed)


GROUPS = {1: group1, 2: group2, 3: group3, 4: group4}
CONFOUNDED = (2, 4)


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
    content: dict[str, Any] = yaml.safe_load((files("evenhand") / "data" / "causal.yaml").read_text("utf-8"))
    return content


def _read_persons(key: str) -> list[Person]:
    return [Person(**{"groups": {}} | entry | _templates(entry)) for entry in (*_content()[key], *_content()["nobody"])]


def _templates(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"templates": tuple(entry["templates"])} if "templates" in entry else {}


def _noun_phrases() -> list[Person]:
    return _read_persons("noun_phrases")


def _names() -> list[Person]:
    return _read_persons("names")


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
    number: int, word_set: str, persons: Sequence[Person], words: Words | None, attributes: tuple[str, ...]
) -> _Design:
    sentences = tuple(_sentences(persons, attributes))
    if not sentences:
        raise UsageError("no person fits any template")
    called = word_set if words is None else "own-words"
    return _Design(f"causal-group{number}-{called}", attributes, sentences, _words(word_set, words))


def _sentences(persons: Sequence[Person], attributes: Sequence[str]) -> Iterator[_Sentence]:
    templates: list[str] = _content()["templates"]
    for (number, template), person in product(enumerate(templates, start=1), persons):
        if person.templates is not None and number not in person.templates:
            continue
        role = "object" if "{person.object}" in template else "subject"
        text = template.replace("{person}", sentence_case(person.term) if template.startswith("{") else person.term)
        text = text.replace("{person.object}", person.object or person.term)
        text = text.replace("{feels|feel}", "feel" if person.plural else "feels")
        shown = template.replace("{person.object}", "<person>").replace("{person}", "<person>")
        shown = shown.replace("{feels|feel}", "feels/feel").replace("{word}", "<emotion word>")
        classes = {attribute: person.groups.get(attribute, NOBODY) for attribute in attributes}
        yield _Sentence(number, text, shown, role, person, classes)


def _every_word(design: _Design) -> Corpus:
    asked = list(product(design.sentences, design.words))
    return _corpus(design, design.name, asked, f"every sentence with every word of {design.listed}")


def _one_word_each(design: _Design, distribution: Distribution, *, called: str, seed: int) -> Corpus:
    _check_distribution(distribution, design)
    rng = np.random.default_rng(seed)
    asked = []
    for sentence, group in zip(design.sentences, design.groups, strict=True):
        positive, _ = distribution.get(group, EVEN)
        emotion = EMOTIONS[int(rng.random() < positive / 100)]
        fitting = [pair for pair in design.words if pair[0] == emotion]
        asked.append((sentence, fitting[int(rng.integers(len(fitting)))]))
    shares = "; ".join(f"{group} {positive:g}/{negative:g}" for group, (positive, negative) in distribution.items())
    how = f"one word of {design.listed} drawn for each sentence, positive/negative in per cent: {shares}; seed {seed}"
    corpus = _corpus(design, f"{design.name}-{called}-seed{seed}", asked, how)
    unmet = unmet_classes(corpus, design.crossed)
    if not unmet:
        return corpus
    limit = f"Positivity fails: {'; '.join(map(str, unmet))}."
    return replace(corpus, about=replace(corpus.about, limits=(*corpus.about.limits, limit)))


def _check_distribution(distribution: Distribution, design: _Design) -> None:
    groups = set(design.groups)
    for group, (positive, negative) in distribution.items():
        if group not in groups:
            raise UsageError(f"the distribution names the class {group!r}{did_you_mean(group, groups)}")
        if min(positive, negative) < 0 or abs(positive + negative - 100) > 1e-9:
            raise UsageError(f"the shares of {group!r} are per cents that make 100, not {positive:g} and {negative:g}")
    missing = [emotion for emotion in EMOTIONS if emotion not in {emotion for emotion, _ in design.words}]
    if missing:
        raise UsageError(f"a group with drawn words needs negative and positive ones; there is no {missing[0]} word")


def _corpus(design: _Design, name: str, asked: Sequence[tuple[_Sentence, tuple[str, str]]], how: str) -> Corpus:
    rows = [
        {
            "id": f"{name}-{place:05d}",
            "text": sentence.text.replace("{word}", word),
            "source": f"{sentence.template}:{word}",
            "person": sentence.person.term,
            "term": sentence.term,
            "kind": sentence.person.kind,
            "pair": sentence.person.pair,
            "role": sentence.role,
            **sentence.classes,
            "template": sentence.shown,
            "emotion": emotion,
            "emotion_word": word,
        }
        for place, (sentence, (emotion, word)) in enumerate(asked, start=1)
    ]
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(rows[0], pl.String))
    content = _content()
    about = About(
        title=f"Causal rating, {name.removeprefix('causal-')}",
        chosen=f"Four templates with {frame['person'].n_unique()} persons; {how}.",
        source=content["source"],
        licence="Sentences generated from published tables; no file of the authors is redistributed.",
        limits=tuple(content["limits"]),
    )
    groups = {attribute: tuple(frame[attribute].unique(maintain_order=True)) for attribute in design.attributes}
    return Corpus(
        frame=frame,
        name=name,
        attributes=groups,
        groupings=("template", "emotion_word"),
        about=about,
        labels=stated_or_not(),
    )
