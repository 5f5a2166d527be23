"""Who answers: one of the processes that run a GGUF file, with what it keeps from prompt to prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import Array
from evenhand.systems.few_shot.label_tokens import Cutter, Tokens, in_common
from evenhand.systems.few_shot.llama import LEAST
from evenhand.systems.few_shot.llama_apart import LlamaApart
from evenhand.systems.few_shot.models import Questions


class GgufWorker:
    """Asks its own llama.cpp, in a thread of its own: what is begun goes on while others are waited for."""

    def __init__(
        self, llama: LlamaApart, *, context: int, cache: bool, steady: Callable[[], bool], overflow: Callable[..., str]
    ) -> None:
        self.llama = llama
        self._context, self._cache = context, cache
        self._steady, self._overflow = steady, overflow
        self._cutter = Cutter(llama.tokens)
        self._prefixes: dict[str, Tokens] = {}
        self._kept: Tokens | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evenhand-llama")

    def begin(self, questions: Questions) -> Future[Array]:
        """Ask for masses behind everything that was begun before."""
        return self._thread.submit(self._masses_of, questions)

    def _masses_of(self, questions: Questions) -> Array:
        prefix, endings, labels = questions
        if prefix not in self._prefixes:
            self._prefixes[prefix] = self.llama.tokens(prefix)
        shared = self._prefixes[prefix]
        if len(shared) >= self._context:
            raise UsageError(self._overflow("what all prompts begin with", len(shared)))
        rows = [self._masses(shared, prefix + ending, labels) for ending in endings]
        return np.array(rows).reshape(len(endings), len(labels))

    def _masses(self, shared: Tokens, prompt: str, labels: Sequence[str]) -> Array:
        cut = self._cutter.cut(prompt, labels)
        if cut.longest > self._context:
            raise EvenhandError(self._overflow("the prompt with this sentence", cut.longest))
        if self._cache and not self._steady():
            self._go_back_to(shared[: in_common(shared, cut.prompt[:-LEAST])], cut.prompt)
        probabilities = {
            stem: self.llama.next_token(cut.prompt + stem, cut.following(stem), afresh=not self._cache)
            for stem in cut.stems
        }
        return cut.masses(probabilities)

    def _go_back_to(self, kept: Tokens, prompt: Tokens) -> None:
        """Remember what all prompts begin with, read in the same way each time, and nothing that came after it."""
        if kept != self._kept or not kept or not self.llama.remembers(kept):
            self._kept = None
            self.llama.read(kept or prompt[:LEAST], afresh=True)
            self._kept = kept
        self.llama.forget(prompt, len(kept))
