"""Asking: every system answers every distinct sentence once, in planned batches, through the cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError, one_line, quoted
from evenhand.scoring.answers import checked, usable
from evenhand.scoring.cache import Store, cache_root, store_for
from evenhand.scoring.plan import Batch, Plan, make_plan
from evenhand.scoring.progress import Advance, Start, progress_bars
from evenhand.scoring.scores import Column, Scores
from evenhand.systems.base import Array, Scorer

PATIENCE = 3
"""After so many failing batches in a row, the engine asks itself whether the system is down."""


def score(
    systems: Sequence[Scorer], corpus: Corpus, *, cache: Path | None = None, progress: bool | None = None
) -> Scores:
    """Ask all systems about all sentences of the corpus.

    `cache` is the folder of answers (None: EVENHAND_CACHE_DIR, else the platform's cache folder); `progress` shows a
    bar (None: on a terminal only). Raises `BadAnswer` at the first answer that cannot be used, and `ScoringFailed`
    after all systems were asked if one of them could not answer; in both cases what was scored is kept.
    """
    with scored(systems, corpus, cache=cache, progress=progress) as scores:
        return scores


@contextlib.contextmanager
def scored(
    systems: Sequence[Scorer], corpus: Corpus, *, cache: Path | None = None, progress: bool | None = None
) -> Iterator[Scores]:
    """Like `score`, for a block that makes something of the scores.

    What systems without a fingerprint answered is kept until the block has ended well, so that a kill or an error in
    there costs no second asking.
    """
    _refuse_unusable(systems)
    texts = _texts(corpus)
    sizes = {system.batch_size for system in systems}
    plans = {size: make_plan(texts, size) for size in sizes}
    root = cache_root(cache)
    asked = [Asking(system, plans[system.batch_size], root) for system in systems]
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
        asking.store.complete()


@dataclass(frozen=True)
class Failure:
    """That a system could not answer."""

    summary: str
    error: Exception


class Asking:
    """One system's way through its plan."""

    def __init__(self, system: Scorer, plan: Plan, root: Path) -> None:
        self.system = system
        self.plan = plan
        self.store: Store = store_for(system, plan, root)
        self.values: Array = np.full((len(plan.texts), len(system.outputs)), np.nan)
        self.failure: Failure | None = None
        self._witness: str | None = None

    def run(self, start: Start) -> None:
        """Take what the cache has and ask the rest."""
        waiting = [batch for batch in self.plan.batches if not self._recall(batch)]
        known = len(self.plan.texts) - sum(len(batch.texts) for batch in waiting)
        advance = start(self.system.name, len(self.plan.texts), known)
        if waiting:
            with self.store:
                self._ask_all(waiting, advance)

    def _ask_all(self, waiting: Sequence[Batch], advance: Advance) -> None:
        unscored = sum(len(batch.texts) for batch in waiting)
        failed: list[tuple[Batch, Exception]] = []
        in_a_row, down = 0, False
        for batch in waiting:
            error = self._ask(batch)
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

    def _recall(self, batch: Batch) -> bool:
        kept = self.store.read(batch.key, (len(batch.texts), len(self.system.outputs)))
        # Checked again: the system may have come to declare a narrower range since.
        if kept is None or not usable(kept, self.system.outputs):
            return False
        self._take(batch, kept)
        return True

    def _ask(self, batch: Batch) -> Exception | None:
        try:
            answer = self.system.score(list(batch.texts))
        except (BadAnswer, UsageError):
            raise  # not about these sentences: nothing would come of asking on
        except Exception as error:
            return error
        values = checked(self.system, batch.texts, answer)
        self.store.write(batch.key, values)
        self._take(batch, values)
        return None

    def _take(self, batch: Batch, values: Array) -> None:
        self.values[batch.rows] = values
        self._witness = batch.texts[0]

    def _is_down(self) -> bool:
        """Whether it fails even on a sentence it has answered before (on the last one, if it has answered none).

        Neighbours in the plan are alike, so a few failing batches in a row may be about their sentences; giving up on
        them would never get to the others, however often the run is started again.
        """
        return self._error(self._witness or self.plan.texts[-1]) is not None

    def _error(self, text: str) -> Exception | None:
        try:
            self.system.score([text])
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
            f"{where} {quoted(text)} ({type(error).__name__}: {one_line(error)}){stopped}",
            error,
        )


def _refuse_unusable(systems: Sequence[Scorer]) -> None:
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


def _texts(corpus: Corpus) -> list[str]:
    column = corpus.frame["text"]
    if column.dtype != pl.String:
        raise EvenhandError(f"corpus {corpus.name!r}: its column 'text' holds {column.dtype}, not text")
    if column.null_count():
        without = corpus.frame["id"].filter(column.is_null())[0]
        raise EvenhandError(f"corpus {corpus.name!r}: the sentence {without!r} has no text")
    return column.to_list()


def _scores(corpus: Corpus, texts: list[str], asked: list[Asking]) -> Scores:
    place = {text: row for row, text in enumerate(asked[0].plan.texts)}
    rows = np.array([place[text] for text in texts], dtype=np.intp)
    columns = tuple(
        Column(asking.system.name, output, asking.system.fingerprint)
        for asking in asked
        for output in asking.system.outputs
    )
    ids = tuple(corpus.frame["id"].cast(pl.String))
    return Scores(ids, np.hstack([asking.values[rows] for asking in asked]), columns, corpus.digest)
