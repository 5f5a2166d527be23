"""Asking: one system's way through its plan, in batches, through the cache."""

from __future__ import annotations

import contextlib
import logging
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking.answers import checked
from evenhand.asking.cache import Store, store_for
from evenhand.asking.engines.crew import Crew
from evenhand.asking.engines.engine import Engine
from evenhand.asking.forms import Answers, form_of
from evenhand.asking.going_on import left_out
from evenhand.asking.plan import Batch, Plan, make_plan
from evenhand.asking.progress import Advance, Start
from evenhand.errors import BadAnswer, EvenhandError, GivenUp, UsageError, foreign_code, one_line, quoted
from evenhand.systems.base import Array, BaseSystem
from evenhand.systems.through import Through, answers_to

log = logging.getLogger(__name__)

WITNESSES, SENTENCES = 4, 32
"""At least so many kept batches, and sentences, are asked again where nobody vouches for the system; at most half of
what is kept, if that is more."""

MOST_LOOKED_AT = 10_000
"""Of more kept batches, evenly spaced ones are looked at for words."""

PATIENCE = 3
"""After so many failing batches in a row, the engine asks itself whether the system is down."""

Waiting = Sequence[tuple[Batch, list[int]]]
"""The batches that are to be asked, and for which times."""
Questions = Sequence[str] | pl.Series
"""What is asked, again and again; a column where there is much of it."""
Answer = Callable[[int], object]
"""Gives the answer to the nth of all that is to be asked."""


@dataclass(frozen=True)
class Failure:
    """That a system could not answer."""

    summary: str
    error: Exception


class Asking:
    """One system's way through its plan; `drawn` then holds its answers, draws by questions."""

    def __init__(self, system: BaseSystem, questions: Questions, root: Path, draws: int, engine: Engine) -> None:
        self.system = system
        self._engine = engine
        self.plan: Plan = make_plan(questions, system.batch_size)
        self.failure: Failure | None = None
        self._form = form_of(system)
        self._root = root
        self._draws = draws
        self._witness: str | None = None
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._store: Store = store_for(self.system, self.plan, self._root)
        self.drawn: Answers = self._form.empty(self._draws, len(self.plan.texts))

    def forget(self) -> None:
        """The answers were taken: neither they nor the plan are needed any more, and they may be large."""
        del self.plan, self.drawn

    def complete(self) -> None:
        """What the answers were for is done."""
        self._store.complete()

    def run(self, start: Start) -> None:
        """Take what the cache has and ask the rest."""
        waiting = self._recall_all()
        if len(waiting) < len(self.plan.batches) and not self._may_reuse(waiting):
            self._store.complete()
            self._start_afresh()
            waiting = self._recall_all()
        advance = start(self.system.name, len(self.plan.texts), self._known(waiting))
        if waiting:
            with self._store, self._answering(waiting) as answer:
                self._ask_all(waiting, advance, answer)

    @contextlib.contextmanager
    def _answering(self, waiting: Waiting) -> Iterator[Answer]:
        """Who answers: workers where the engine has some, else the system here."""
        tasks = [(batch.texts, number) for batch, missing in waiting for number in missing]
        hired = self._engine.hire(self.system, len(tasks))
        if hired is not None:
            with Crew(hired, tasks, ahead=self._form.ahead) as crew:
                yield crew.answer
            return
        firsts = list(accumulate((len(missing) for _, missing in waiting), initial=0))

        def answer(place: int) -> object:
            first = bisect_right(firsts, place) - 1
            if firsts[first] == place:
                self._expect(waiting[first : first + 1 + self._form.ahead])
            texts, number = tasks[place]
            return self._form.draw(list(texts), number)

        try:
            yield answer
        finally:
            self._expect(())

    def _known(self, waiting: Waiting) -> int:
        return len(self.plan.texts) - sum(len(batch.texts) for batch, _ in waiting)

    def _recall_all(self) -> list[tuple[Batch, list[int]]]:
        return [(batch, missing) for batch in self.plan.batches if (missing := self._recall(batch))]

    def _may_reuse(self, waiting: Waiting) -> bool:
        """Whether kept answers may be used, which is said either way."""
        if left_out():  # they were given a moment ago
            return True
        known, name = f"{self._known(waiting):,} of {len(self.plan.texts):,}", self.system.name
        if self._store.lasting:
            log.info("%s: %s answers come from the cache", name, known)
            return True
        missing = {batch.key for batch, _ in waiting}
        kept = [batch for batch in self.plan.batches if batch.key not in missing]
        if self.system.samples or self._drew_differently(kept):  # one that samples cannot be checked
            log.info("%s: %s answers are kept from a run that did not finish, and were not checked again", name, known)
            return True
        least = max(WITNESSES, -(-SENTENCES // self.system.batch_size))
        witnesses = telling(kept, least, max(least, len(kept) // 2))
        if all(self._still_answers_the_same(batch) for batch in witnesses):
            log.info(
                "%s: %s answers are kept from a run that did not finish; %s of %s batches were asked again and agree",
                name,
                known,
                len(witnesses),
                len(kept),
            )
            return True
        log.warning("%s answers differently than in the run that did not finish; asking everything again", name)
        return False

    def _drew_differently(self, kept: Sequence[Batch]) -> bool:
        """Whether the draws of one sentence differ, so that it samples though it does not say so."""
        return any(
            not self._form.same(self.drawn[0, batch.rows], other[batch.rows])
            for batch in kept
            for other in self.drawn[1:]
        )

    def _still_answers_the_same(self, kept: Batch) -> bool:
        """Ask a kept batch again: answers of an old model beside those of a new one would look like bias."""
        try:
            with foreign_code():
                answers = self._form.checked(kept.texts, self._form.draw(list(kept.texts), 1))
        except GivenUp:
            raise  # it is away, which says nothing about what it answered
        except Exception:
            return False
        return self._form.same(answers, self.drawn[0, kept.rows])

    def _ask_all(self, waiting: Waiting, advance: Advance, answer: Answer) -> None:
        unscored = sum(len(batch.texts) for batch, _ in waiting)
        failed: list[tuple[Batch, Exception]] = []
        in_a_row, down, place = 0, False, 0
        for batch, missing in waiting:
            error = self._ask(batch, missing, place, answer)
            place += len(missing)
            if error is None:
                in_a_row = 0
                unscored -= len(batch.texts)
                advance(len(batch.texts))
                continue
            if isinstance(error, GivenUp):
                self.failure = Failure(f"{self._unscored(unscored)}: {_said(error)}", error)
                return
            failed.append((batch, error))
            in_a_row += 1
            down = in_a_row % PATIENCE == 0 and self._is_down()
            if down:
                break
        if failed:
            self.failure = self._diagnose(*failed[0], unscored=unscored, down=down)

    def _expect(self, coming: Waiting) -> None:
        with contextlib.suppress(Exception):  # what goes wrong here will go wrong, and be told, when it is asked
            self._form.expect([(batch.texts, number) for batch, missing in coming for number in missing])

    def _recall(self, batch: Batch) -> list[int]:
        """Take the draws that the cache has; gives the numbers of those that it has not."""
        missing = []
        for number in range(1, self._draws + 1):
            kept = self._form.kept(self._store, batch.draw_key(number), batch.texts)
            if kept is None:
                missing.append(number)
            else:
                self._take(batch, number, kept)
        return missing

    def _ask(self, batch: Batch, numbers: Sequence[int], place: int, answer: Answer) -> Exception | None:
        """Take these draws of a batch; the first of them is the answer at this place."""
        for nth, number in enumerate(numbers):
            try:
                with foreign_code():
                    said = answer(place + nth)
            except (BadAnswer, UsageError):
                raise  # not about these sentences: nothing would come of asking on
            except Exception as error:
                return error
            answers = self._form.checked(batch.texts, said)
            self._form.keep(self._store, batch.draw_key(number), answers)
            self._take(batch, number, answers)
        return None

    def _take(self, batch: Batch, number: int, answers: Answers) -> None:
        self.drawn[number - 1, batch.rows] = answers
        self._witness = batch.texts[0]

    def _is_down(self) -> bool:
        """Whether it fails even on a sentence it has answered before (on the last one, if it has answered none).

        Neighbours in the plan are alike, so a few failing batches in a row may be about their sentences; giving up on
        them would never get to the others, however often the run is started again.
        """
        return self._error(self._witness or self.plan.texts[-1]) is not None

    def _error(self, question: str) -> Exception | None:
        try:
            with foreign_code():
                self._form.draw([question], 1)
        except Exception as error:
            return error
        return None

    def _diagnose(self, batch: Batch, error: Exception, *, unscored: int, down: bool) -> Failure:
        """Find the first sentence that fails by itself. Answers given here are not kept: they were not in the plan."""
        question, where = batch.texts[0], "asked together, though not alone, from the sentence"
        for candidate in batch.texts:
            alone = self._error(candidate)
            if alone is not None:
                question, error, where = candidate, alone, "the first of them"
                break
        stopped = "; stopped asking, as it fails on everything now" if down else ""
        return Failure(
            f"{self._unscored(unscored)}, {where} {quoted(self._form.shown(question))} ({_said(error)}){stopped}",
            error,
        )

    def _unscored(self, unscored: int) -> str:
        return f"system {self.system.name!r} could not score {unscored:,} of {len(self.plan.texts):,} sentences"


class AskingThrough:
    """The way of a system that asks another: the other one's questions are planned, cached and asked."""

    def __init__(self, system: Through, texts: Questions, root: Path, draws: int, engine: Engine) -> None:
        self.system: Through = system
        self.plan = make_plan(texts, system.batch_size)
        self._inner: Asking | AskingThrough | None = None
        self._failure: Failure | None = None
        try:
            self._questions = system.questions(tuple(self.plan.texts))
        except UsageError:
            raise
        except Exception as error:
            self._failure = Failure(f"system {system.name!r} could not be asked: {_said(error)}", error)
        else:
            self._inner = asking_of(system.inner, list(chain.from_iterable(self._questions)), root, draws, engine)

    @property
    def failure(self) -> Failure | None:
        """That it found no questions, or that the inner system could not answer them."""
        return self._failure if self._inner is None else self._inner.failure

    def run(self, start: Start) -> None:
        """Have the inner system answer, and read what it said."""
        if self._inner is not None:
            self._inner.run(start)
            if self.failure is None:
                self.drawn: Array = np.array([self._read(said, self._inner.plan) for said in self._inner.drawn])

    def forget(self) -> None:
        """As above."""
        if self._inner is not None:
            self._inner.forget()
        del self.plan, self._questions

    def complete(self) -> None:
        """What the answers were for is done."""
        if self._inner is not None:
            self._inner.complete()
        self.system.complete()

    def _read(self, answers: Array, asked: Plan) -> Array:
        dealt = answers_to(self._questions, asked.texts, answers)
        texts = tuple(self.plan.texts)
        return checked(self.system, texts, self.system.read(texts, dealt))


def asking_of(
    system: BaseSystem, questions: Questions, root: Path, draws: int, engine: Engine
) -> Asking | AskingThrough:
    """The way of a system through these questions, each of which may occur several times."""
    kind = AskingThrough if isinstance(system, Through) else Asking
    return kind(system, questions, root, draws, engine)  # type: ignore[arg-type]  # the condition sees to it


def telling(batches: Sequence[Batch], least: int, most: int) -> list[Batch]:
    """Some batches from all over the plan, and more until each word stands in one: a model may change by a name.

    >>> [batch.texts for batch in telling(make_plan("abcdefghi", 1).batches, 3, 4)]
    [('a',), ('e',), ('i',), ('b',)]
    """
    if len(batches) > MOST_LOOKED_AT:
        batches = batches[:: -(-len(batches) // MOST_LOOKED_AT)]
    places = np.linspace(0, len(batches) - 1, min(least, len(batches))).round().astype(int)
    chosen = dict.fromkeys(places.tolist())
    words = [{word for text in batch.texts for word in text.split()} for batch in batches]
    unseen = set().union(*words) - set().union(*(words[place] for place in chosen))
    while unseen and len(chosen) < most:
        best = max(range(len(batches)), key=lambda place: len(words[place] & unseen))
        chosen[best] = None
        unseen -= words[best]
    return [batches[place] for place in chosen]


def _said(error: Exception) -> str:
    # What is worded for people needs no name of a class before it.
    return one_line(error) if isinstance(error, EvenhandError) else f"{type(error).__name__}: {one_line(error)}"
