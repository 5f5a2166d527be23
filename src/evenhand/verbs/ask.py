"""Asking: the only place where what people type or give is resolved, asked about a corpus, and joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Unpack

import polars as pl

from evenhand.asking import Scores, Tags, scored, tagged
from evenhand.asking.going_on import left_out
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, SettingRefused, SystemsFailed, UsageError, foreign_code, one_line
from evenhand.measuring.tags import class_names, entities_found, in_corpus_terms
from evenhand.results import Note
from evenhand.specs.meaning import with_high_is
from evenhand.specs.resolving import Given, Resolver, name_of_given
from evenhand.systems import BaseScorer, BaseTagger, Output
from evenhand.systems.meaning import HighIsSaid, refuse_useless

Made = BaseScorer | BaseTagger | Scores
ABOUT = {
    "low": ("bounds", "every system here declares its own range"),
    "version": ("version", "it is for functions and others that cannot be looked into"),
    "base_url": ("base_url", "it is for openai:MODEL"),
    "outputs": ("outputs", "taggers give tags"),
    "kind": ("kind", "taggers give tags"),
}
"""The setting behind a flag, and why it is refused where no system has a use for it."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What systems answered about a corpus: `scores`, of taggers whether they found each entity; and `tags`."""

    systems: tuple[Made, ...]
    scores: Scores
    tags: Tags | None = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What systems say about the answers that they gave."""
        return remarks_of(self.systems)


def remarks_of(systems: Iterable[Made]) -> tuple[Note, ...]:
    """What systems say about the answers that they gave, and which others gave none."""
    said = {one.name: _remarks(one) for one in systems if not isinstance(one, Scores)}
    told = tuple(Note(name, one_line(remark, most=1_000)) for name, given in said.items() for remark in given)
    return (*(Note(name, f"it failed, and is left out: {why}") for name, why in left_out().items()), *told)


def _remarks(system: BaseScorer | BaseTagger) -> tuple[str, ...]:
    try:
        with foreign_code():
            return tuple(system.remarks())
    except Exception as error:  # its answers are there all the same
        return (f"what it says of its answers could not be asked for ({type(error).__name__}: {one_line(error)})",)


def ask(systems: Given | Sequence[Given], corpus: Corpus, **options: Unpack[AskOptions]) -> Scores | Tags:
    """Ask systems about a corpus: scorers give `Scores`; on a corpus of tokens, taggers give `Tags`."""
    settings = AskSettings(**options)
    with asked(resolved(systems, corpus, settings), corpus, settings) as answers:
        return answers.scores if answers.tags is None else answers.tags


def resolved(
    systems: Given | Sequence[Given],
    corpus: Corpus,
    settings: AskSettings,
    known: dict[object, BaseScorer] | None = None,
) -> list[Made]:
    """What is to be asked about this corpus, or scores that are there already; `known` were made for another corpus.

    A setting that no system has a use for is refused.
    """
    resolver = Resolver(corpus, settings, known)
    given = listed_systems(systems)
    made = _made(resolver, given, tagged=corpus.tagged)
    for flag in settings.flags:
        if flag not in resolver.taken and flag in ABOUT:
            raise _useless(*ABOUT[flag])
    return made if settings.high_is is None else _meaning(made, settings.high_is)


def _made(resolver: Resolver, given: Sequence[Given], *, tagged: bool) -> list[Made]:
    """All of them; those that cannot be made, though nothing is wrong with what was typed, fail together."""
    made: list[Made] = []
    failed: dict[str, EvenhandError] = {}
    for one in given:
        try:
            with foreign_code():
                made.append(resolver.given_tagger(one) if tagged else resolver.given(one))
        except UsageError:
            raise
        except EvenhandError as error:
            failed[name_of_given(one)] = error
        except Exception as error:
            if isinstance(one, str):
                raise
            name = name_of_given(one)  # an object may do anything when it is looked at
            failed[name] = EvenhandError(f"{name!r} cannot be asked: {type(error).__name__}: {one_line(error)}")
    if failed:
        first = next(iter(failed.values()))
        if len(given) == 1:
            raise first
        raise SystemsFailed({name: one_line(error, 1_000) for name, error in failed.items()}) from first
    return made


def _meaning(made: Sequence[Made], said: HighIsSaid) -> list[Made]:
    """The same with what is declared of their outputs; systems that were given stay as they are."""
    if any(isinstance(one, BaseTagger) for one in made):
        raise _useless("high_is", "to be found is good, and taggers give tags")
    asked = [one for one in made if not isinstance(one, BaseTagger)]
    refuse_useless(said, [output for _, output in outputs_of(made)])
    return [with_high_is(one, said) for one in asked]


def _useless(setting: str, why: str) -> SettingRefused:
    return SettingRefused(setting, f"no system here has a use for {{}}: {why}")


def listed_systems(systems: Given | Sequence[Given]) -> list[Given]:
    """One system or several."""
    several = isinstance(systems, Sequence) and not isinstance(systems, str)
    given: list[Given] = list(systems) if several else [systems]  # type: ignore[arg-type,list-item]
    if not given:
        raise UsageError("name at least one system")
    return given


def listed(names: str | Sequence[str] | None) -> list[str] | None:
    """One name, several, each once, or none."""
    return [names] if isinstance(names, str) else None if names is None else list(dict.fromkeys(names))


def names_of(made: Sequence[Made]) -> tuple[str, ...]:
    """The systems, each once, whether they are asked or were recorded."""
    named = [[c.system for c in one.columns] if isinstance(one, Scores) else [one.name] for one in made]
    return tuple(dict.fromkeys(name for names in named for name in names))


def outputs_of(made: Sequence[Made]) -> list[tuple[str, Output]]:
    """The systems with their outputs, as far as these are known before anybody is asked; taggers have none."""
    found: list[tuple[str, Output]] = []
    for one in made:
        if isinstance(one, Scores):
            found += [(column.system, column.output) for column in one.columns]
        elif isinstance(one, BaseScorer):
            found += [(one.name, output) for output in one.outputs]
    return found


@contextmanager
def asked(made: Sequence[Made], corpus: Corpus, settings: AskSettings) -> Iterator[Answers]:
    """The answers, for a block that makes something of them: what was asked is kept until it has ended well."""
    taggers = [one for one in made if isinstance(one, BaseTagger)]
    with _tags(taggers, corpus, settings) if taggers else _scores(made, corpus, settings) as answers:
        yield answers


@contextmanager
def _scores(made: Sequence[Made], corpus: Corpus, settings: AskSettings) -> Iterator[Answers]:
    """Ask the systems and put recorded scores between them, in the order in which they were named."""
    scorers = [one for one in made if isinstance(one, BaseScorer)]
    recorded = [one for one in made if isinstance(one, Scores)]
    if not scorers:
        if settings.draws > 1:
            raise UsageError("predictions that were recorded cannot be asked again; leave out the draws")
        yield Answers(tuple(made), Scores.join(recorded))
        return
    with scored(scorers, corpus, **settings.asking) as found:
        parts = [one if isinstance(one, Scores) else found.of_system(one.name) for one in made]
        yield Answers(tuple(made), Scores.join(parts))


@contextmanager
def _tags(taggers: Sequence[BaseTagger], corpus: Corpus, settings: AskSettings) -> Iterator[Answers]:
    names = [class_names(tagger, corpus) for tagger in taggers]
    with tagged(taggers, corpus, **settings.asking) as found:
        tags = in_corpus_terms(found, names)
        yield Answers(tuple(taggers), entities_found(tags, corpus), tags)


def part_of(corpus: Corpus, ids: Sequence[str]) -> Corpus | None:
    """These sentences of a corpus; None where they have no two groups of each attribute."""
    frame = corpus.frame.filter(pl.col("id").is_in(list(ids)))
    there = {name: set(frame[name]) for name in corpus.attributes}
    left = {
        name: tuple(group for group in groups if group in there[name]) for name, groups in corpus.attributes.items()
    }
    if any(len(groups) < 2 for groups in left.values()):
        return None
    return replace(corpus, frame=frame, attributes=left, drawn_from=corpus.drawn_from or corpus.digest)
