"""Who answers: a language model in a GGUF file, run by llama.cpp, that is shown a few labelled examples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import Array, fingerprint_of
from evenhand.systems.few_shot import label_tokens
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.gguf_file import checked_gguf
from evenhand.systems.few_shot.label_tokens import Cutter, Tokens, in_common
from evenhand.systems.few_shot.llama import LEAST, import_xllamacpp
from evenhand.systems.few_shot.llama_apart import LlamaApart
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.table import system

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

CONTEXT = 2048


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
    prompts share is read once; without `cache` each is read from its start.
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
        try:
            self._llama = LlamaApart(path, context=self._context, threads=threads)
        except RuntimeError as error:
            raise EvenhandError(
                f"llama.cpp cannot load {path}, a model of the kind {header.architecture!r}: it is too large for the "
                "memory, or newer than the package xllamacpp that is installed"
            ) from error
        self._cutter = Cutter(self._llama.tokens)
        self._prefixes: dict[str, Tokens] = {}
        self._kept: Tokens | None = None

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

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label, whole, after each prompt."""
        if prefix not in self._prefixes:
            self._prefixes[prefix] = self._llama.tokens(prefix)
        shared = self._prefixes[prefix]
        if len(shared) >= self._context:
            raise UsageError(self._overflow("what all prompts begin with", len(shared)))
        rows = [self._masses(shared, prefix + ending, labels) for ending in endings]
        return np.array(rows).reshape(len(endings), len(labels))

    def _masses(self, shared: Tokens, prompt: str, labels: Sequence[str]) -> Array:
        cut = self._cutter.cut(prompt, labels)
        if cut.longest > self._context:
            raise EvenhandError(self._overflow("the prompt with this sentence", cut.longest))
        if self._cache and not self._llama.reads_in_parts:
            self._go_back_to(shared[: in_common(shared, cut.prompt[:-LEAST])], cut.prompt)
        probabilities = {
            stem: self._llama.next_token(cut.prompt + stem, cut.following(stem), afresh=not self._cache)
            for stem in cut.stems
        }
        return cut.masses(probabilities)

    def _go_back_to(self, kept: Tokens, prompt: Tokens) -> None:
        """Remember what all prompts begin with, read in the same way each time, and nothing that came after it."""
        if kept != self._kept or not kept or not self._llama.remembers(kept):
            self._kept = None
            self._llama.read(kept or prompt[:LEAST], afresh=True)
            self._kept = kept
        self._llama.forget(prompt, len(kept))

    def _overflow(self, what: str, tokens: int) -> str:
        most = self._made_for
        advice = f"the model was made for no more than {most:,}" if most == self._context else "set a larger context"
        return f"{self.name!r}: {what} has {tokens:,} tokens, and {self._context:,} fit; {advice}"
