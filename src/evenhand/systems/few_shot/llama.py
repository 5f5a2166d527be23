"""llama.cpp in this process, through xllamacpp: tokens in, probabilities of the next token out."""

from __future__ import annotations

import http.client
import json
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evenhand.errors import EvenhandError, one_line
from evenhand.systems.few_shot.label_tokens import Tokens, in_common

LISTED = 100
"""So many of the most probable next tokens are told at once, which costs nothing; others are asked for one by one."""

FORCED = 1e4
"""Added to a token's logit, so that it is the one that is chosen. What is told are probabilities without it."""

NO_FLASH_ATTENTION = 0
PROBE = "Is it all the same whether a sentence is read in one go, or part by part, with two, three or five tokens each?"
PARTS = (2, 3, 5, 7)
"""So many tokens each: kernels take them by fours or eights, and do otherwise with what is left."""

MOST, LEAST = 512, 2
"""How many tokens are read at a time. One by itself goes another way through the processor, with other rounding."""

Probabilities = Mapping[int, float]


class Llama:
    """A model that llama.cpp runs on all cores (`threads` 0) or on some; `context` tokens are the most that fit.

    It remembers what it read last and reads on where the next prompt departs from that (`afresh`: from the start).
    """

    def __init__(self, path: Path, *, context: int, threads: int = 0) -> None:
        xllamacpp = import_xllamacpp()
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = MOST
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads or cores()
        # Fused attention gives other numbers, by up to 0.02, when a prompt is read in parts; the plain one, hardly any.
        parameters.flash_attn_type = NO_FLASH_ATTENTION
        # Nothing may be restored from earlier prompts but what the last one left.
        parameters.cache_ram_mib = 0
        parameters.cache_idle_slots = False
        parameters.n_ctx_checkpoints = 0
        parameters.swa_full = True  # or models that look back a little way only could not go back to a prefix
        parameters.fit_params = False  # or it would make the context smaller where memory is short
        parameters.warmup = False
        parameters.verbosity = -1
        parameters.ui = False
        # The server that comes with it listens on this machine; nobody else shall be able to use it.
        self._key = secrets.token_hex(16)
        parameters.api_keys = [self._key]
        self._server = xllamacpp.Server(parameters)
        self._held: Tokens | None = None
        """What it remembers; None where that is not known."""
        self._address = urlsplit(self._server.listening_address).netloc
        # A server that is dropped before its loop has begun waits for it for good; once it has answered, it has.
        self._ask(self.tokens("A")[:1])
        self._held = None

    def tokens(self, text: str) -> Tokens:
        """A text's tokens, after those that the model wants to begin with; nothing in it counts as a control token."""
        answer = self._posted("/tokenize", {"content": text, "add_special": True, "parse_special": False})
        return tuple(answer["tokens"])

    def pieces(self, text: str) -> list[str]:
        """The text cut into tokens, as text."""
        question = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
        pieces = (one["piece"] for one in self._posted("/tokenize", question)["tokens"])
        return [one if isinstance(one, str) else bytes(one).decode(errors="replace") for one in pieces]

    def read(self, tokens: Tokens, *, afresh: bool = False) -> None:
        """Read a prompt, so that one which begins with it need not be read from the start."""
        self._complete(tokens, afresh=afresh)

    def remembers(self, tokens: Tokens) -> bool:
        """Whether it need not read these again."""
        return self._held is not None and self._held[: len(tokens)] == tokens

    def forget(self, tokens: Tokens, after: int) -> None:
        """Remember no more of a prompt than its first tokens, so that the others are read together next time."""
        if self._held is not None and in_common(self._held, tokens) > after:
            self._ask((*tokens[:after], tokens[after] - 1 if tokens[after] else 1))

    def next_token(self, tokens: Tokens, wanted: Iterable[int] = (), *, afresh: bool = False) -> Probabilities:
        """How probable tokens are after a prompt: the most probable ones, and those that are wanted."""
        first = self._complete(tokens, n_probs=LISTED, afresh=afresh)
        found = {one["id"]: math.exp(one["logprob"]) for one in first["top_logprobs"]}
        return found | {token: self._forced(tokens, token) for token in wanted if token not in found}

    def _forced(self, tokens: Tokens, token: int) -> float:
        """How probable one token is, though it is not among the most probable."""
        first = self._complete(tokens, n_probs=1, logit_bias=[[token, FORCED]])
        if first["id"] != token:
            raise EvenhandError(f"llama.cpp chose the token {first['id']} where it was made to choose {token}")
        return math.exp(first["logprob"])

    @cached_property
    def reads_in_parts(self) -> bool:
        """Whether its numbers are the same, to the bit, however a prompt is cut into parts of two tokens or more.

        That depends on the kinds of numbers that a file holds, and on the processor; so it is tried out, once.
        """
        tokens = self.tokens(PROBE)
        whole = self.next_token(tokens, afresh=True)
        return all(self._in_parts(tokens, size) == whole for size in PARTS)

    def _in_parts(self, tokens: Tokens, size: int) -> Probabilities:
        for end in range(size, len(tokens) - LEAST + 1, size):
            self.read(tokens[:end], afresh=end == size)
        return self.next_token(tokens)

    def _complete(self, tokens: Tokens, *, afresh: bool = False, **more: Any) -> Any:
        """What is said about the token after a prompt, of which no token is read by itself."""
        known = 0 if afresh or self._held is None else in_common(self._held, tokens)
        new = len(tokens) - known
        if new < LEAST < len(tokens):
            self.forget(tokens, len(tokens) - LEAST)
        elif new > MOST and 0 < new % MOST < LEAST:
            self._ask(tokens[:-LEAST], afresh=afresh)
            afresh = False
        return self._ask(tokens, afresh=afresh, **more)

    def _ask(self, tokens: Tokens, *, n_probs: int = 0, afresh: bool = False, **more: Any) -> Any:
        """What is said about the token after a prompt: the one that was chosen, and the most probable ones."""
        on = not afresh and self._held is not None
        self._held = None  # until it has answered, nobody knows what it remembers
        question = {"prompt": list(tokens), "max_tokens": 1, "temperature": 0.0, "cache_prompt": on, "n_probs": n_probs}
        answer = self._server.handle_completions(question | more)
        _refuse_error(answer)
        self._held = tokens
        return answer["choices"][0]["logprobs"]["content"][0] if n_probs else None

    def _posted(self, path: str, question: Mapping[str, object]) -> dict[str, Any]:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        try:
            connection.request("POST", path, json.dumps(question), headers)
            answer = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise EvenhandError(f"llama.cpp does not answer within this process: {one_line(error)}") from error
        finally:
            connection.close()
        _refuse_error(answer)
        return dict(answer)


def import_xllamacpp() -> Any:
    """Import it, on a busy machine so that its threads sleep while they wait for each other.

    Otherwise they spin: nearly twice as fast where nothing else runs, and ten times slower where something does.
    """
    with _environment("OMP_WAIT_POLICY", "passive") if _is_busy() else nullcontext():
        import xllamacpp

    return xllamacpp


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable that is set meanwhile, unless the user has set it."""
    before = os.environ.get(name)
    os.environ.setdefault(name, value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def _is_busy() -> bool:
    """Whether others had use for more than half of the cores in the last minute."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > cores() / 2


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _refuse_error(answer: Any) -> None:
    if "error" in answer:
        raise EvenhandError(f"llama.cpp: {one_line(answer['error'].get('message', answer['error']))}")
