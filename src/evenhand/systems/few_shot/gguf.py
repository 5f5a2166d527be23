"""Who answers: a language model in a GGUF file, run by llama.cpp, that is shown a few labelled examples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import Array, fingerprint_of
from evenhand.systems.few_shot import label_tokens
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.gguf_file import checked_gguf
from evenhand.systems.few_shot.gguf_worker import GgufWorker
from evenhand.systems.few_shot.llama import cores, import_xllamacpp
from evenhand.systems.few_shot.llama_apart import LlamaApart
from evenhand.systems.few_shot.models import LabelModel, Questions
from evenhand.systems.table import system

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

CONTEXT = 2048

SMALL = 2**30
"""Files up to this size run in several processes: there is memory for that, and little work for threads to share."""

PROCESSES = 8
"""No more than so many."""

RUN = 8
"""So many prompts in a row go to the same process."""


@system("gguf", extra="llm", address="FILE")
def gguf(
    file: str,
    corpus: Corpus | None = None,
    *,
    task: str | None = None,
    ask: str = "own",
    read: str = "expected",
    context: int = CONTEXT,
    threads: int = 0,
    prefix_cache: bool = True,
) -> FewShot:
    """A language model in a GGUF file, shown a few labelled examples: it says how strong an emotion is, from 1 to 5.

    `ask` is own, emotions, all or a question; `read` is expected, likely, distribution or all; `task` is a file with a
    prompt of one's own. `context` is the number of tokens that fit, `threads` the number of cores (0: all).
    """
    model = Gguf(Path(file).expanduser(), name=f"gguf:{file}", context=context, threads=threads, cache=prefix_cache)
    return FewShot(model, corpus, task=task, ask=ask, read=read)


class Gguf(LabelModel):
    """A language model in a GGUF file.

    Each prompt's numbers are the same, to the bit, whatever was asked before, and with any number of threads. What
    prompts share is read once; without `cache` each is read from its start. Small models run in several processes,
    one for each core as far as that goes: threads that share the work of a small model wait for each other a lot.
    """

    batch_size = 1
    """The cache of answers then knows single questions, which audits and repairs share."""

    def __init__(self, path: Path, *, name: str, context: int = CONTEXT, threads: int = 0, cache: bool = True) -> None:
        import_xllamacpp()  # a missing extra is told before anything is looked for
        if context < 1 or threads < 0:
            raise UsageError(f"{name!r}: context must be 1 or more, and threads 0 (all cores) or more")
        self.name = name
        self._path = path
        header = checked_gguf(path)
        self._made_for = header.context
        self._context = min(context, header.context or context)
        self._cache = cache
        most = threads or cores()
        self._processes = min(most, PROCESSES) if path.stat().st_size <= SMALL else 1
        self._threads = most // self._processes
        self.ahead = 2 * RUN * self._processes if self._processes > 1 else 0
        try:
            self._workers = [self._worker()]
        except RuntimeError as error:
            raise EvenhandError(
                f"llama.cpp cannot load {path}, a model of the kind {header.architecture!r}: it is too large for the "
                "memory, or newer than the package xllamacpp that is installed"
            ) from error
        self._begun: dict[Questions, Future[Array]] = {}
        self._turn = 0

    def _worker(self) -> GgufWorker:
        llama = LlamaApart(self._path, context=self._context, threads=self._threads)
        return GgufWorker(
            llama,
            context=self._context,
            cache=self._cache,
            steady=lambda: self._llama.reads_in_parts,
            overflow=self._overflow,
        )

    @property
    def _llama(self) -> LlamaApart:
        return self._workers[0].llama

    @cached_property
    def fingerprint(self) -> str | None:
        """Of the file's content, of llama.cpp, and of what it computes on; the number of threads changes no answer."""
        with self._path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        devices = [one["description"] for one in import_xllamacpp().get_device_info() if one["name"] != "CPU"]
        return fingerprint_of(
            type(self), "xllamacpp",
            content=content, context=self._context, cache=self._cache, devices=devices, labels=label_tokens.REVISION,
        )  # fmt: skip

    def tokenise(self, text: str) -> list[str]:
        """The pieces that the model reads a text in."""
        return self._llama.pieces(text)

    def expect(self, coming: Sequence[Questions]) -> None:
        """Begin to answer what will be asked next: some in a row each, as neighbours begin alike."""
        if self._processes == 1:
            return
        for questions in self._begun.keys() - set(coming):
            self._begun.pop(questions).cancel()
        if len(coming) > 1 and len(self._workers) < self._processes:
            self._llama.reads_in_parts  # noqa: B018 - tried out once, before others ask for it
            self._start_others()
        for questions in coming:
            if questions not in self._begun:
                self._begun[questions] = self._workers[self._turn // RUN % len(self._workers)].begin(questions)
                self._turn += 1

    def _start_others(self) -> None:
        try:
            while len(self._workers) < self._processes:
                self._workers.append(self._worker())
        except (EvenhandError, RuntimeError):  # there is no memory for more: those that are there do the work
            self._processes = len(self._workers)

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label, whole, after each prompt."""
        questions = (prefix, tuple(endings), tuple(labels))
        begun = self._begun.pop(questions, None)
        return (self._workers[0].begin(questions) if begun is None else begun).result()

    def _overflow(self, what: str, tokens: int) -> str:
        most = self._made_for
        advice = f"the model was made for no more than {most:,}" if most == self._context else "set a larger context"
        return f"{self.name!r}: {what} has {tokens:,} tokens, and {self._context:,} fit; {advice}"
