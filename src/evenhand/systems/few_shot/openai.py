"""Who answers: a language model behind a server that speaks the OpenAI protocol and gives log-probabilities."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import BadAnswer, EvenhandError, UsageError, did_you_mean, quoted
from evenhand.systems.base import Array
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.first_tokens import FirstTokens, Repeat, between, in_a_chat, in_a_text
from evenhand.systems.few_shot.likeliest import Listed, Read, listed_in, masses_of
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.few_shot.notes import LIKELIER, Notes
from evenhand.systems.few_shot.server import KEY, address_of, hint_for, secrets_for, warn_if_readable
from evenhand.systems.http.client import Connection, Endpoint, hash_of, refuse_below
from evenhand.systems.http.crowd import in_order
from evenhand.systems.table import system

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

IN_BRACKETS = re.compile(r"\(\s*\w+\s*=.*\)\s*$", re.DOTALL)
PATHS = {"completions": "completions", "chat": "chat/completions"}
PROMPTS_A_BATCH = 16
"""The engine keeps answers by the batch: few enough to lose little in a kill, enough to keep all threads busy."""

AGAIN = 4
"""So many of the first prompts are asked a second time, to see how steady the server is."""

LIST = 20
"""So many likely tokens are asked for; many servers give no more."""


@system("openai", address="MODEL")
def openai(
    model: str,
    corpus: Corpus | None = None,
    *,
    task: str | None = None,
    ask: str = "own",
    read: str = "expected",
    base_url: str | None = None,
    api: str = "completions",
    top: int = LIST,
    key_env: str = KEY,
    concurrency: int = 4,
    timeout: float = 60.0,
    retries: int = 4,
    request: Any = None,
    version: str | None = None,
) -> FewShot:
    """A few-shot language model behind an OpenAI-compatible server that gives log-probabilities.

    `base_url` is where it listens (else OPENAI_BASE_URL): `http://127.0.0.1:8080`, or with a path such as `/v1`. `task`
    is the file of a task (else the intensity of emotions), `ask` what each sentence is asked for, `read` how the
    labels' probabilities are read. `api` is `completions`, or `chat` for servers that know chats only. `top` tokens are
    listed. The key is taken from the environment variable that `key_env` names; it is never shown or kept. `request`
    are further fields to send. `version` vouches for what the server answers.
    """
    made = ServedModel(
        model, base_url=base_url, api=api, top=top, key_env=key_env, concurrency=concurrency, timeout=timeout,
        retries=retries, request=request, version=version,
    )  # fmt: skip
    return FewShot(made, corpus, task=task, ask=ask, read=read)


class ServedModel(LabelModel):
    """Gives the probability of labels, as far as a server lists it: by their first tokens, among the likeliest."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api: str = "completions",
        top: int = LIST,
        key_env: str = KEY,
        concurrency: int = 4,
        timeout: float = 60.0,
        retries: int = 4,
        request: Any = None,
        version: str | None = None,
    ) -> None:
        if IN_BRACKETS.search(model):
            # Not shown, as a key may stand among them. Many servers take any name for a model, and settings were lost.
            raise UsageError("'openai': its settings do not stand in brackets; write a system file: system, settings")
        if api not in PATHS:
            raise UsageError(f"'openai': there is no api {api!r}{did_you_mean(str(api), PATHS)}")
        if not isinstance(request, Mapping | None):
            raise UsageError("'openai': its request must be a mapping of further fields to send")
        refuse_below("openai", {"top": top, "concurrency": concurrency}, least=1)
        refuse_below("openai", {"retries": retries}, least=0)
        if not timeout > 0:
            raise UsageError(f"'openai': timeout must be above 0 seconds, not {timeout}")
        self.name = f"openai:{model}"
        self.batch_size: int = max(PROMPTS_A_BATCH, concurrency)
        self._model, self._api, self._top, self._concurrency = model, api, top, concurrency
        self._more = dict(request or {})
        self._key_env = key_env
        secrets = secrets_for(key_env)
        self._endpoint = Endpoint(address_of(base_url, PATHS[api]), secrets, timeout=timeout, retries=retries)
        warn_if_readable(self._endpoint)
        self._firsts: dict[tuple[str, ...], FirstTokens] = {}
        self._notes = Notes(self.name)
        told = [model, self._endpoint.shown, api, top, self._more]
        self.resume_key: str | None = hash_of(told)
        self.fingerprint: str | None = None if version is None else hash_of([*told, version, self.revision])

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label after each prompt, by its first token: an array of shape (endings, labels).

        For a label of several tokens that is the most it can have; so it is for one that the server does not list.
        """
        prompts = [prefix + ending for ending in endings]
        read = self._read(prompts, endings, labels)
        for one in read:
            self._notes.take(one)
        if read and self._notes.apart is None:
            # One by one, as what is computed together may come out differently.
            few = list(zip(prompts, endings, strict=True))[:AGAIN]
            self._notes.compare(read[:AGAIN], [self._read([prompt], [ending], labels)[0] for prompt, ending in few])
        return np.array([one.masses for one in read]).reshape(len(endings), len(labels))

    def _read(self, prompts: Sequence[str], endings: Sequence[str], labels: Sequence[str]) -> list[Read]:
        firsts = [self._first_tokens(prompt, labels) for prompt in prompts]
        bodies = [self._asking(first.prompt(prompt)) for first, prompt in zip(firsts, prompts, strict=True)]
        found = []
        for ending, first, listed in zip(endings, firsts, self._listed(bodies), strict=True):
            read = masses_of(listed, first.tokens)
            if read is None:
                raise EvenhandError(
                    f"{self.name!r}: none of the labels {', '.join(labels)} is among the {len(listed)} likeliest "
                    f"tokens after the prompt that ends in {quoted(ending[-60:])}; {LIKELIER}"
                )
            found.append(read)
        return found

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the scores should know, in sentences."""
        return self._notes.remarks()

    def _first_tokens(self, prompt: str, labels: Sequence[str]) -> FirstTokens:
        before = between(prompt)
        found = self._firsts.get((before, *labels))
        if found is None:
            chat = self._api == "chat"
            found = in_a_chat(self._repeated, labels) if chat else in_a_text(self._repeated, before, labels)
            self._firsts[before, *labels] = found
            told = zip(labels, found.tokens, strict=True)
            self._notes.partly |= {label: token for label, token in told if token.strip() != label.strip()}
        return found

    def _repeated(self, repeats: Sequence[Repeat]) -> list[Listed]:
        return self._listed([self._body(one.turns if self._api == "chat" else one.text) for one in repeats])

    def _asking(self, prompt: str) -> dict[str, Any]:
        return self._body([{"role": "user", "content": prompt}] if self._api == "chat" else prompt)

    def _body(self, content: Any) -> dict[str, Any]:
        """The JSON to send; fields of the user's own come last, and None takes one away."""
        own = {"messages": content, "logprobs": True, "top_logprobs": self._top}
        if self._api == "completions":
            own = {"prompt": content, "logprobs": self._top}
        body = {"model": self._model, **own, "max_tokens": 1, "temperature": 0, **self._more}
        return {name: value for name, value in body.items() if value is not None}

    def _listed(self, bodies: Sequence[dict[str, Any]]) -> list[Listed]:
        try:
            return in_order(self._endpoint, self._one, bodies, at_once=self._concurrency)
        except EvenhandError as error:
            hint = hint_for(str(error), model=self._model, api=self._api, key_env=self._key_env)
            if not hint:
                raise
            raise type(error)(f"{error}; {hint}") from error

    def _one(self, body: dict[str, Any], connection: Connection, stop: threading.Event) -> Listed:
        answer = connection.ask(body, stop)
        try:
            return listed_in(answer)
        except BadAnswer as error:
            raise BadAnswer(f"{self._endpoint.shown}: {self._endpoint.secrets.hide(str(error), 300)}") from None
