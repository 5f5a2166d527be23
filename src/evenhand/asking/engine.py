"""Asking: every system answers every distinct sentence, in planned batches, through the cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from evenhand.asking.cache import cache_root
from evenhand.asking.engines.engine import Engine
from evenhand.asking.engines.local import LocalEngine
from evenhand.asking.forms import question_of
from evenhand.asking.going_on import left_out
from evenhand.asking.one_system import Asking, AskingThrough, Failure, asking_of
from evenhand.asking.progress import Start, progress_bars
from evenhand.asking.scores import Drawn, Scores
from evenhand.asking.settings import AskSettings
from evenhand.asking.tags import TagColumn, Tags
from evenhand.corpora.coded import Strings
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, GivenUp, SystemsFailed, UsageError, one_line
from evenhand.settings import check_name
from evenhand.systems.adopted import adopted
from evenhand.systems.base import BaseScorer, BaseSystem, Scorer
from evenhand.systems.tagging import BaseTagger

HERE = LocalEngine()
Answered = Sequence[Asking | AskingThrough]
AT_ONCE = (BadAnswer, UsageError)
"""Failures that are about no single sentence: nothing would come of asking on."""
KEPT = "what was scored is kept, and the same command asks only the rest"


def score(
    systems: Sequence[Scorer],
    corpus: Corpus,
    *,
    cache: Path | None = None,
    progress: bool | None = None,
    draws: int = 1,
    engine: Engine = HERE,
) -> Scores:
    """Ask all systems about all sentences of the corpus.

    `cache` is the folder of answers (None: EVENHAND_CACHE_DIR, else the platform's cache folder); `progress` shows a
    bar (None: on a terminal only). Systems that sample may be asked several times (`draws`): the scores are then the
    means, and each column says how far the draws lie apart. `engine` says who answers: by default each system itself,
    or where it runs on GPUs, a worker for each. Raises `SystemsFailed` after all systems were asked if one
    of them could not answer; what was scored is kept. A system that is asked alone and gives an answer that cannot be
    used raises `BadAnswer`.
    """
    with scored(systems, corpus, cache=cache, progress=progress, draws=draws, engine=engine) as scores:
        return scores


def score_as(systems: Sequence[Scorer], corpus: Corpus, settings: AskSettings) -> Scores:
    """Like `score`, with what was said about asking in one object."""
    with scored(systems, corpus, **settings.asking) as scores:
        return scores


@contextlib.contextmanager
def scored(
    systems: Sequence[Scorer],
    corpus: Corpus,
    *,
    cache: Path | None = None,
    progress: bool | None = None,
    draws: int = 1,
    engine: Engine = HERE,
) -> Iterator[Scores]:
    """Like `score`, for a block that makes something of the scores.

    What systems without a fingerprint answered is kept until the block has ended well, so that a kill or an error in
    there costs no second asking.
    """
    made = [adopted(system) for system in systems]
    _refuse_without_outputs(made)
    texts = _texts(corpus)
    with _answered(made, texts, cache=cache, progress=progress, draws=draws, engine=engine) as asked:
        yield _scores(corpus, texts, made, asked)


@contextlib.contextmanager
def tagged(
    taggers: Sequence[BaseTagger],
    corpus: Corpus,
    *,
    cache: Path | None = None,
    progress: bool | None = None,
    draws: int = 1,
    engine: Engine = HERE,
) -> Iterator[Tags]:
    """The same for taggers, on a corpus that has tokens."""
    if not corpus.tagged:
        raise UsageError(
            f"corpus {corpus.name!r} has no tokens and tags; taggers are asked about corpora such as 'ner-country'"
        )
    questions = pl.Series([question_of(tokens) for tokens in corpus.frame["tokens"].to_list()], dtype=pl.String)
    with _answered(taggers, questions, cache=cache, progress=progress, draws=draws, engine=engine) as asked:
        answers = tuple(tuple(tuple(draw[one.plan.places_of(questions)]) for draw in one.drawn) for one in asked)
        columns = tuple(TagColumn(tagger.name, tagger.fingerprint, tagger.classes) for tagger in taggers)
        yield Tags(tuple(_ids(corpus)), answers, columns, corpus.digest)


@contextlib.contextmanager
def _answered(
    systems: Sequence[BaseSystem],
    questions: pl.Series,
    *,
    cache: Path | None,
    progress: bool | None,
    draws: int,
    engine: Engine,
) -> Iterator[Answered]:
    _refuse_unusable(systems)
    _refuse_needless_draws(systems, draws)
    asked = [asking_of(system, questions, cache_root(cache), draws, engine) for system in systems]
    with progress_bars(progress) as start:
        failures = {asking.system.name: failure for asking in asked if (failure := _run(asking, start)) is not None}
    if failures:
        first = next(iter(failures.values())).error
        if len(asked) == 1 and isinstance(first, AT_ONCE):
            raise first
        raise SystemsFailed({name: f"{failure.summary}; {KEPT}" for name, failure in failures.items()}) from first
    yield asked
    for asking in [] if left_out() else asked:  # those that failed are to be asked again, and the others not
        asking.complete()


def _run(asking: Asking | AskingThrough, start: Start) -> Failure | None:
    """Ask one system; what it does wrong is its failure, so that the others are asked all the same."""
    try:
        asking.run(start)
    except (*AT_ONCE, GivenUp) as error:
        name, said = asking.system.name, one_line(error, 1_000)
        return Failure(said if name in said else f"system {name!r}: {said}", error)
    return asking.failure


def _refuse_unusable(systems: Sequence[BaseSystem]) -> None:
    if not systems:
        raise UsageError("no system to ask")
    names = [system.name for system in systems]
    for name in names:
        check_name("the name of a system", name)
    for system in systems:
        if names.count(system.name) > 1:
            raise UsageError(f"two systems are called {system.name!r}; give each its own name, or ask it once")
        if system.batch_size < 1:
            raise UsageError(f"system {system.name!r} has the batch size {system.batch_size}; it must be 1 or more")


def _refuse_without_outputs(systems: Sequence[BaseScorer]) -> None:
    for system in systems:
        outputs = list(system.answer_names)
        if not outputs or len(set(outputs)) < len(outputs):
            raise UsageError(f"system {system.name!r} needs outputs with different names; it has {one_line(outputs)}")


def _refuse_needless_draws(systems: Sequence[BaseSystem], draws: int) -> None:
    if draws < 1:
        raise UsageError(f"each sentence is asked at least once, not {draws} times")
    for system in systems if draws > 1 else []:
        if system.fingerprint is not None and not system.samples:
            raise UsageError(
                f"system {system.name!r} always gives the same answer, so it is of no use to ask it {draws} times; "
                "leave out the draws, or ask it in a run of its own"
            )


def _texts(corpus: Corpus) -> pl.Series:
    column = corpus.frame["text"]
    if column.dtype != pl.String:
        raise EvenhandError(f"corpus {corpus.name!r}: its column 'text' holds {column.dtype}, not text")
    if column.null_count():
        without = corpus.frame["id"].filter(column.is_null())[0]
        raise EvenhandError(f"corpus {corpus.name!r}: the sentence {without!r} has no text")
    return column


def _ids(corpus: Corpus) -> Strings:
    return Strings(corpus.frame["id"].cast(pl.String))


def _scores(corpus: Corpus, texts: pl.Series, systems: Sequence[BaseScorer], asked: Answered) -> Scores:
    rows = asked[0].plan.places_of(texts)
    drawn = [
        Drawn(system.name, system.outputs, system.fingerprint, one.drawn[:, rows], system.held_out)
        for system, one in zip(systems, asked, strict=True)
    ]
    for one in asked:
        one.forget()
    return Scores.of_draws(_ids(corpus), drawn, corpus.digest)
