"""Asking: every system answers every distinct sentence, in planned batches, through the cache."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError, one_line, quoted
from evenhand.scoring.answers import checked, usable
from evenhand.scoring.cache import Store, cache_root, store_for
from evenhand.scoring.plan import Batch, Plan, make_plan
from evenhand.scoring.progress import Advance, Start, progress_bars
from evenhand.scoring.scores import Column, Scores
from evenhand.systems.adopted import adopted
from evenhand.systems.base import Array, BaseScorer, Scorer
from evenhand.systems.through import Through, answers_to

log = logging.getLogger(__name__)

SAME = 1e-6
"""Answers to one batch that differ by less than this share of the span are the same: a GPU may round differently."""

PATIENCE = 3
"""After so many failing batches in a row, the engine asks itself whether the system is down."""


def score(
    systems: Sequence[Scorer],
    corpus: Corpus,
    *,
    cache: Path | None = None,
    progress: bool | None = None,
    draws: int = 1,
) -> Scores:
    """Ask all systems about all sentences of the corpus.

    `cache` is the folder of answers (None: EVENHAND_CACHE_DIR, else the platform's cache folder); `progress` shows a
    bar (None: on a terminal only). Systems that sample may be asked several times (`draws`): the scores are then the
    means, and each column says how far the draws lie apart. Raises `BadAnswer` at the first answer that cannot be used,
    and `ScoringFailed` after all systems were asked if one of them could not answer; what was scored is kept.
    """
    with scored(systems, corpus, cache=cache, progress=progress, draws=draws) as scores:
        return scores


@contextlib.contextmanager
def scored(
    systems: Sequence[Scorer],
    corpus: Corpus,
    *,
    cache: Path | None = None,
    progress: bool | None = None,
    draws: int = 1,
) -> Iterator[Scores]:
    """Like `score`, for a block that makes something of the scores.

    What systems without a fingerprint answered is kept until the block has ended well, so that a kill or an error in
    there costs no second asking.
    """
    made = [adopted(system) for system in systems]
    _refuse_unusable(made)
    _refuse_needless_draws(made, draws)
    texts = _texts(corpus)
    root = cache_root(cache)
    asked = [_asking(system, texts, root, draws) for system in made]
    with progress_bars(progress) as start:
        for asking in asked:
            asking.run(start)
    failures = [asking.failure for asking in asked if asking.failure is not None]
    if failures:
        summary = "; ".join(failure.summary for failure in failures)
        raise ScoringFailed(
            f"{summary}; what was scored is kept, and the same command asks only the rest"
        ) from failures[0].error
    yield _scores(corpus, texts, asked)
    for asking in asked:
        asking.complete()


@dataclass(frozen=True)
class Failure:
    """That a system could not answer."""

    summary: str
    error: Exception


class _Answered:
    """One system's answers to the texts of its plan, as often as each was drawn."""

    system: BaseScorer
    plan: Plan
    drawn: Array

    def values(self) -> Array:
        """The mean of the draws of each sentence."""
        # Rounding must not carry a mean beyond what was drawn, which lies in the output's range.
        mean: Array = np.clip(self.drawn.mean(axis=0), self.drawn.min(axis=0), self.drawn.max(axis=0))
        return mean

    def spreads(self, rows: npt.NDArray[np.intp]) -> list[float | None]:
        """For each output, the standard deviation between draws: its root mean square over these rows."""
        if len(self.drawn) == 1 or not len(rows):
            return [None] * len(self.system.outputs)
        variance = self.drawn.var(axis=0, ddof=1)[rows]
        return [float(spread) for spread in np.sqrt(variance.mean(axis=0))]


class AskingThrough(_Answered):
    """The way of a system that asks another: the other one's questions are planned, cached and asked."""

    def __init__(self, system: Through, texts: Sequence[str], root: Path, draws: int) -> None:
        self.system: Through = system
        self.plan = make_plan(texts, system.batch_size)
        self._questions = system.questions(self.plan.texts)
        self._inner = _asking(system.inner, list(chain.from_iterable(self._questions)), root, draws)

    @property
    def failure(self) -> Failure | None:
        """That the inner system could not answer."""
        return self._inner.failure

    def run(self, start: Start) -> None:
        """Have the inner system answer, and read what it said."""
        self._inner.run(start)
        if self.failure is None:
            self.drawn = np.array([self._read(answers) for answers in self._inner.drawn])

    def complete(self) -> None:
        """What the answers were for is done."""
        self._inner.complete()

    def _read(self, answers: Array) -> Array:
        dealt = answers_to(self._questions, self._inner.plan.texts, answers)
        return checked(self.system, self.plan.texts, self.system.read(self.plan.texts, dealt))


class Asking(_Answered):
    """One system's way through its plan."""

    def __init__(self, system: BaseScorer, texts: Sequence[str], root: Path, draws: int) -> None:
        self.system = system
        self.plan = make_plan(texts, system.batch_size)
        self._root = root
        self._draws = draws
        self._start_afresh()
        self.failure: Failure | None = None
        self._witness: str | None = None

    def complete(self) -> None:
        """What the answers were for is done."""
        self.store.complete()

    def _start_afresh(self) -> None:
        self.store: Store = store_for(self.system, self.plan, self._root)
        self.drawn: Array = np.full((self._draws, len(self.plan.texts), len(self.system.outputs)), np.nan)

    def run(self, start: Start) -> None:
        """Take what the cache has and ask the rest."""
        waiting = self._recall_all()
        known = len(self.plan.texts) - sum(len(batch.texts) for batch, _ in waiting)
        if known and not self.store.lasting:
            if self._still_answers_the_same(waiting):
                log.info("%s: %s answers are kept from a run that was not finished", self.system.name, f"{known:,}")
            else:
                log.warning(
                    "%s answers differently than in the run that was not finished; asking all again", self.system.name
                )
                self.store.complete()
                self._start_afresh()
                waiting = self._recall_all()
                known = 0
        advance = start(self.system.name, len(self.plan.texts), known)
        if waiting:
            with self.store:
                self._ask_all(waiting, advance)

    def _recall_all(self) -> list[tuple[Batch, list[int]]]:
        return [(batch, missing) for batch in self.plan.batches if (missing := self._recall(batch))]

    def _still_answers_the_same(self, waiting: Sequence[tuple[Batch, list[int]]]) -> bool:
        """Ask one kept batch again, as nobody vouches for this system.

        Answers of an old model beside those of a new one would look like bias. One that samples cannot be checked so.
        """
        if self.system.samples or self._draws > 1:
            return True
        missing = {batch.key for batch, _ in waiting}
        kept = next(batch for batch in self.plan.batches if batch.key not in missing)
        try:
            values = checked(self.system, kept.texts, self._draw(list(kept.texts), 1))
        except Exception:
            return False
        margin = np.array([SAME * output.span for output in self.system.outputs])
        return bool((np.abs(values - self.drawn[0, kept.rows]) <= margin).all())

    def _ask_all(self, waiting: Sequence[tuple[Batch, list[int]]], advance: Advance) -> None:
        unscored = sum(len(batch.texts) for batch, _ in waiting)
        failed: list[tuple[Batch, Exception]] = []
        in_a_row, down = 0, False
        for batch, missing in waiting:
            error = self._ask(batch, missing)
            if error is None:
                in_a_row = 0
                unscored -= len(batch.texts)
                advance(len(batch.texts))
                continue
            failed.append((batch, error))
            in_a_row += 1
            down = in_a_row % PATIENCE == 0 and self._is_down()
            if down:
                break
        if failed:
            self.failure = self._diagnose(*failed[0], unscored=unscored, down=down)

    def _recall(self, batch: Batch) -> list[int]:
        """Take the draws that the cache has; gives the numbers of those that it has not."""
        missing = []
        for number in range(1, len(self.drawn) + 1):
            kept = self.store.read(batch.draw_key(number), (len(batch.texts), len(self.system.outputs)))
            # Checked again: the system may have come to declare a narrower range since.
            if kept is None or not usable(kept, self.system.outputs):
                missing.append(number)
            else:
                self._take(batch, number, kept)
        return missing

    def _ask(self, batch: Batch, numbers: Sequence[int]) -> Exception | None:
        for number in numbers:
            try:
                answer = self._draw(list(batch.texts), number)
            except (BadAnswer, UsageError):
                raise  # not about these sentences: nothing would come of asking on
            except SystemExit as error:
                return _exited(error)
            except Exception as error:
                return error
            values = checked(self.system, batch.texts, answer)
            self.store.write(batch.draw_key(number), values)
            self._take(batch, number, values)
        return None

    def _draw(self, texts: list[str], number: int) -> object:
        """A system that knows how to draw is told for the nth time it is asked."""
        return self.system.draw(texts, number)

    def _take(self, batch: Batch, number: int, values: Array) -> None:
        self.drawn[number - 1, batch.rows] = values
        self._witness = batch.texts[0]

    def _is_down(self) -> bool:
        """Whether it fails even on a sentence it has answered before (on the last one, if it has answered none).

        Neighbours in the plan are alike, so a few failing batches in a row may be about their sentences; giving up on
        them would never get to the others, however often the run is started again.
        """
        return self._error(self._witness or self.plan.texts[-1]) is not None

    def _error(self, text: str) -> Exception | None:
        try:
            self._draw([text], 1)
        except SystemExit as error:
            return _exited(error)
        except Exception as error:
            return error
        return None

    def _diagnose(self, batch: Batch, error: Exception, *, unscored: int, down: bool) -> Failure:
        """Find the first sentence that fails by itself. Answers given here are not kept: they were not in the plan."""
        text, where = batch.texts[0], "asked together, though not alone, from the sentence"
        for candidate in batch.texts:
            alone = self._error(candidate)
            if alone is not None:
                text, error, where = candidate, alone, "the first of them"
                break
        stopped = "; stopped asking, as it fails on everything now" if down else ""
        return Failure(
            f"system {self.system.name!r} could not score {unscored:,} of {len(self.plan.texts):,} sentences, "
            f"{where} {quoted(text)} ({_said(error)}){stopped}",
            error,
        )


def _asking(system: BaseScorer, texts: Sequence[str], root: Path, draws: int) -> Asking | AskingThrough:
    if isinstance(system, Through):
        return AskingThrough(system, texts, root, draws)
    return Asking(system, texts, root, draws)


def _exited(error: SystemExit) -> Exception:
    """A system that ends the process has failed; the audit goes on."""
    return RuntimeError(f"it called sys.exit({error.code})")


def _refuse_unusable(systems: Sequence[BaseScorer]) -> None:
    if not systems:
        raise UsageError("no system to ask")
    names = [system.name for system in systems]
    for system in systems:
        if names.count(system.name) > 1:
            raise UsageError(f"two systems are called {system.name!r}; give each its own name, or ask it once")
        outputs = [output.name for output in system.outputs]
        if not outputs or len(set(outputs)) < len(outputs):
            raise UsageError(f"system {system.name!r} needs outputs with different names; it has {outputs}")
        if system.batch_size < 1:
            raise UsageError(f"system {system.name!r} has the batch size {system.batch_size}; it must be 1 or more")


def _refuse_needless_draws(systems: Sequence[BaseScorer], draws: int) -> None:
    if draws < 1:
        raise UsageError(f"each sentence is asked at least once, not {draws} times")
    for system in systems if draws > 1 else []:
        if system.fingerprint is not None and not system.samples:
            raise UsageError(
                f"system {system.name!r} always gives the same answer, so it is of no use to ask it {draws} times; "
                "leave out the draws, or ask it in a run of its own"
            )


def _said(error: Exception) -> str:
    # What is worded for people needs no name of a class before it.
    return one_line(error) if isinstance(error, EvenhandError) else f"{type(error).__name__}: {one_line(error)}"


def _texts(corpus: Corpus) -> list[str]:
    column = corpus.frame["text"]
    if column.dtype != pl.String:
        raise EvenhandError(f"corpus {corpus.name!r}: its column 'text' holds {column.dtype}, not text")
    if column.null_count():
        without = corpus.frame["id"].filter(column.is_null())[0]
        raise EvenhandError(f"corpus {corpus.name!r}: the sentence {without!r} has no text")
    return column.to_list()


def _scores(corpus: Corpus, texts: list[str], asked: Sequence[Asking | AskingThrough]) -> Scores:
    place = {text: row for row, text in enumerate(asked[0].plan.texts)}
    rows = np.array([place[text] for text in texts], dtype=np.intp)
    columns = tuple(
        Column(asking.system.name, output, asking.system.fingerprint, len(asking.drawn), spread)
        for asking in asked
        for output, spread in zip(asking.system.outputs, asking.spreads(rows), strict=True)
    )
    ids = tuple(corpus.frame["id"].cast(pl.String))
    return Scores(ids, np.hstack([asking.values()[rows] for asking in asked]), columns, corpus.digest)
