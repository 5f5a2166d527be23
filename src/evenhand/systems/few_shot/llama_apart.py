"""llama.cpp in a process of its own: a file that it chokes on ends that process, and is an error message here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.systems.apart.process import Child, Died, Raised
from evenhand.systems.few_shot.label_tokens import Tokens
from evenhand.systems.few_shot.llama import Llama, Probabilities


class HostedLlama(Llama):
    """The child's side, with what does not travel by itself made plain."""

    def __init__(self, path: str, context: int, threads: int) -> None:
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # it would start a debugger before it ends its process
        super().__init__(Path(path), context=context, threads=threads)

    def next_of(self, tokens: list[int], wanted: list[int], afresh: bool) -> list[list[float]]:
        """Tokens with their probabilities."""
        found = self.next_token(tuple(tokens), wanted, afresh=afresh)
        return [[token, probability] for token, probability in found.items()]

    def read_on(self, tokens: list[int], afresh: bool) -> None:
        """Read a prompt."""
        self.read(tuple(tokens), afresh=afresh)

    def has(self, tokens: list[int]) -> bool:
        """Whether it need not read these again."""
        return self.remembers(tuple(tokens))

    def drop(self, tokens: list[int], after: int) -> None:
        """Remember no more than so many tokens."""
        self.forget(tuple(tokens), after)

    def steady(self) -> bool:
        """Whether its numbers do not depend on how a prompt is cut."""
        return self.reads_in_parts


class LlamaApart:
    """What `Llama` does, in a process of its own."""

    def __init__(self, path: Path, *, context: int, threads: int = 0) -> None:
        self._path = path
        try:
            self._child = Child(f"{__name__}:HostedLlama", str(path), context, threads, quiet=True)
        except Died as error:
            raise EvenhandError(
                f"llama.cpp cannot load {path}: {error}; the file is damaged, or not made for it"
            ) from error
        except Raised as error:
            raise RuntimeError(str(error)) from error

    def tokens(self, text: str) -> Tokens:
        """A text's tokens, after those that the model wants to begin with."""
        return tuple(self._asked("tokens", text))

    def pieces(self, text: str) -> list[str]:
        """The text cut into tokens, as text."""
        return list(self._asked("pieces", text))

    def read(self, tokens: Tokens, *, afresh: bool = False) -> None:
        """Read a prompt, so that one which begins with it need not be read from the start."""
        self._asked("read_on", tokens, afresh)

    def remembers(self, tokens: Tokens) -> bool:
        """Whether it need not read these again."""
        return bool(self._asked("has", tokens))

    def forget(self, tokens: Tokens, after: int) -> None:
        """Remember no more of a prompt than its first tokens."""
        self._asked("drop", tokens, after)

    def next_token(self, tokens: Tokens, wanted: Iterable[int] = (), *, afresh: bool = False) -> Probabilities:
        """How probable tokens are after a prompt: the most probable ones, and those that are wanted."""
        found = self._asked("next_of", tokens, list(wanted), afresh)
        return {int(token): probability for token, probability in found}

    @cached_property
    def reads_in_parts(self) -> bool:
        """Whether its numbers are the same, to the bit, however a prompt is cut into parts."""
        return bool(self._asked("steady"))

    def _asked(self, method: str, *given: Any) -> Any:
        try:
            return self._child.call(method, *given)
        except Died as error:
            raise EvenhandError(f"llama.cpp, with {self._path}: {error}") from error
