"""Who answers: a language model behind a server that speaks the OpenAI protocol and gives log-probabilities."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import BadAnswer, EvenhandError, UsageError, did_you_mean, quoted
from evenhand.systems.base import Array, RunsOn
from evenhand.systems.few_shot.echoed import ALIKE, asking_for, mass_in
from evenhand.systems.few_shot.few_shot import FewShot
from evenhand.systems.few_shot.first_tokens import FirstTokens, Repeat, between, in_a_chat, in_a_text
from evenhand.systems.few_shot.likeliest import Listed, Read, listed_in, masses_of
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.few_shot.notes import LIKELIER, Notes
from evenhand.systems.few_shot.server import KEY, address_of, hint_for, secrets_for, warn_if_readable
from evenhand.systems.http.client import (
    AT_FIRST,
    AT_ONCE,
    Connection,
    Endpoint,
    hash_of,
    refuse_below,
    refuse_not_above,
)
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

FEWER = 5
"""So many are asked for where a server refuses more: some give no more than five."""

REFUSED = re.compile(r": HTTP 4\d\d\b")


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
    concurrency: int = AT_ONCE,
    at_first: int = AT_FIRST,
    timeout: float = 60.0,
    within: float = 120.0,
    retries: int = 4,
    request: Any = None,
    version: str | None = None,
) -> FewShot:
    """A few-shot language model behind an OpenAI-compatible server that gives log-probabilities.

    `base_url` is where it listens (else OPENAI_BASE_URL): `http://127.0.0.1:8080`, or with a path such as `/v1`. `task`
    is the name or file of a task (else the intensity of emotions), `ask` what each sentence is asked for, `read` how
    the labels' probabilities are read. `api` is `completions`, or `chat` for servers that know chats only. `top` tokens
    are listed, or five where the server refuses so many; labels that are not among them are asked for one by one where
    the server can repeat a prompt (`echo`). The key is taken from the environment variable that `key_env` names; it is
    never shown or kept. At most `concurrency` prompts are under way at once, `at_first` in the beginning, and
    as many as the server takes. An attempt may take `timeout` seconds, and all attempts at one request, waiting and
    all, `within` seconds. `request` are further fields to send. `version` vouches for what the server answers.
    """
    made = ServedModel(
        model, base_url=base_url, api=api, top=top, key_env=key_env, concurrency=concurrency, at_first=at_first,
        timeout=timeout, within=within, retries=retries, request=request, version=version,
    )  # fmt: skip
    return FewShot(made, corpus, task=task, ask=ask, read=read)


class ServedModel(LabelModel):
    """Gives the probability of labels, as far as a server tells it: by their first tokens, among the likeliest.

    Where the server can repeat a prompt with its log-probabilities, labels that it does not list are asked one by one.
    """

    revision = 2
    runs_on: RunsOn = "elsewhere"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api: str = "completions",
        top: int = LIST,
        key_env: str = KEY,
        concurrency: int = AT_ONCE,
        at_first: int = AT_FIRST,
        timeout: float = 60.0,
        within: float = 120.0,
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
        refuse_below("openai", {"top": top, "concurrency": concurrency, "at_first": at_first}, least=1)
        refuse_below("openai", {"retries": retries}, least=0)
        refuse_not_above("openai", {"timeout": timeout, "within": within})
        self.name = f"openai:{model}"
        self.batch_size: int = PROMPTS_A_BATCH
        self._model, self._api, self._top = model, api, top
        self._more = dict(request or {})
        self._key_env = key_env
        secrets = secrets_for(key_env)
        self._endpoint = Endpoint(
            address_of(base_url, PATHS[api]), secrets, timeout=timeout, within=within, retries=retries,
            concurrency=concurrency, at_first=at_first,
        )  # fmt: skip
        warn_if_readable(self._endpoint)
        self._firsts: dict[tuple[str, ...], FirstTokens] = {}
        self._notes = Notes(self.name)
        self._echoes: bool | None = None if api == "completions" else False
        """Whether the server tells a single token's probability; None before it was tried."""
        told = [model, self._endpoint.shown, api, top, self._more]
        self.resume_key: str | None = hash_of(told)
        self.fingerprint: str | None = None if version is None else hash_of([*told, version, self.revision])

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label after each prompt, by its first token: an array of shape (endings, labels).

        For a label of several tokens that is the most it can have; so it is for one that the server neither lists nor
        tells by itself.
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
        put = [first.prompt(prompt) for first, prompt in zip(firsts, prompts, strict=True)]
        bodies = [self._asking(prompt) for prompt in put]
        found = []
        told = self._with_single(self._listed(bodies), firsts, put)
        for ending, first, (listed, singly) in zip(endings, firsts, told, strict=True):
            read = masses_of(listed, first.tokens, singly=singly)
            if read is None:
                raise EvenhandError(
                    f"{self.name!r}: none of the labels {', '.join(labels)} is among the {len(listed)} likeliest "
                    f"tokens after the prompt that ends in {quoted(ending[-60:])}; {LIKELIER}"
                )
            found.append(read)
        return found

    def _with_single(
        self, listed: Sequence[Listed], firsts: Sequence[FirstTokens], prompts: Sequence[str]
    ) -> list[tuple[Listed, Listed]]:
        """What is listed after each prompt, and beside it what was told of single labels that are not."""
        lacking = [
            [token for token in first.tokens if token not in known] for known, first in zip(listed, firsts, strict=True)
        ]
        if self._echoes is None and any(lacking):
            row = next(row for row, tokens in enumerate(lacking) if tokens)
            self._echoes = self._repeats(listed[row], prompts[row])
        if not self._echoes:
            return [(known, {}) for known in listed]
        asked = [(token, prompts[row]) for row, tokens in enumerate(lacking) for token in tokens]
        masses = iter(self._single(asked))
        told: list[tuple[Listed, Listed]] = []
        for known, tokens in zip(listed, lacking, strict=True):
            singly = {token: next(masses) for token in tokens}
            told.append((known, {token: mass for token, mass in singly.items() if mass is not None}))
        return told

    def _repeats(self, listed: Listed, prompt: str) -> bool:
        """Whether the server can repeat a prompt, and then gives a token the probability that it lists for it."""
        likeliest = next((token for token in listed if token.strip()), None)
        if likeliest is None:
            return False
        try:
            (mass,) = self._single([(likeliest, prompt)])
        except EvenhandError:  # a server may refuse, fail or hang up; it has answered what it was asked before
            return False
        return mass is not None and abs(mass - listed[likeliest]) <= ALIKE

    def _single(self, asked: Sequence[tuple[str, str]]) -> list[float | None]:
        """The probabilities of single tokens after their prompts."""

        def one(token_after: tuple[str, str], connection: Connection, stop: threading.Event) -> float | None:
            token, prompt = token_after
            body = {"model": self._model, **self._more, **asking_for(token, prompt)}
            answer = connection.ask({name: value for name, value in body.items() if value is not None}, stop)
            return mass_in(answer, token, prompt)

        return in_order(self._endpoint, one, asked)

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the scores should know, in sentences."""
        return tuple(self._endpoint.said(remark, 1_000) for remark in self._notes.remarks())

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
            return in_order(self._endpoint, self._one, bodies)
        except EvenhandError as error:
            if self._lists_fewer(str(error)):
                return self._listed([self._fewer(body) for body in bodies])
            hint = hint_for(str(error), model=self._model, api=self._api, key_env=self._key_env)
            if not hint:
                raise
            raise type(error)(f"{error}; {hint}") from error

    def _lists_fewer(self, said: str) -> bool:
        """Whether a refusal is about how many tokens were to be listed; then fewer are, from now on."""
        refused = REFUSED.search(said) and "logprobs" in said and self._top > FEWER
        if not refused or {"logprobs", "top_logprobs"} & self._more.keys():
            return False
        self._top = FEWER
        self._notes.lists = FEWER
        return True

    def _fewer(self, body: dict[str, Any]) -> dict[str, Any]:
        return {**body, ("logprobs" if self._api == "completions" else "top_logprobs"): self._top}

    def _one(self, body: dict[str, Any], connection: Connection, stop: threading.Event) -> Listed:
        answer = connection.ask(body, stop)
        try:
            return listed_in(answer)
        except BadAnswer as error:
            raise BadAnswer(f"{self._endpoint.shown}: {self._endpoint.said(str(error), 300)}") from None
