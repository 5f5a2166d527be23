"""Who answers: an endpoint that takes JSON and answers JSON (`http:URL`)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.errors import BadAnswer, UsageError
from evenhand.systems.base import Array, BaseScorer, Output, RunsOn
from evenhand.systems.http.client import (
    AT_FIRST,
    AT_ONCE,
    Connection,
    Endpoint,
    hash_of,
    refuse_below,
    refuse_not_above,
)
from evenhand.systems.http.crowd import Crowd
from evenhand.systems.http.mapping import Request, response_of
from evenhand.systems.http.secrets import Secrets
from evenhand.systems.table import system
from evenhand.systems.yours.declared import named_outputs

TEXTS_A_REQUEST = 32
REQUESTS_A_BATCH = 16
"""The engine keeps answers by the batch: few enough to lose little in a kill. However many are asked at once, the
batches are the same."""
BATCHES_AHEAD = 4
"""So many batches more than are asked at once are begun: one question that has to wait keeps no other waiting."""


@system("http", address="URL")
class Http(BaseScorer):
    """An endpoint on the web or on this machine: JSON in, JSON out.

    By default {"texts": [...]} is posted and {"scores": [...]} is read, one number or one row of numbers a text.
    `request` is the JSON to send, with "$texts" where the list goes, or "$text" for one text a call; `response` is the
    path to the numbers, such as `data.*.score`, or a mapping from outputs to paths. `outputs` are names, or mappings
    with name, low, high and kind. `headers` may take values from the environment, as in `Bearer $TOKEN`; they are never
    shown or kept. At most `concurrency` requests are under way at once, `at_first` in the beginning: one more after
    each round that was not slower, three tenths fewer when it refuses one. An attempt may take `timeout` seconds,
    and all attempts at one request `within` seconds, waiting and all. `version` vouches for what it answers, `samples`
    says that it answers differently each time. Proxies are not used, and redirects are not followed.
    """

    def __init__(
        self,
        url: str,
        *,
        request: Any = None,
        response: Any = None,
        outputs: Any = None,
        low: float = 0.0,
        high: float = 1.0,
        batch_size: int = TEXTS_A_REQUEST,
        concurrency: int = AT_ONCE,
        at_first: int = AT_FIRST,
        timeout: float = 30.0,
        within: float = 60.0,
        retries: int = 4,
        headers: Any = None,
        samples: bool = False,
        version: str | None = None,
    ) -> None:
        refuse_below("http", {"batch_size": batch_size, "concurrency": concurrency, "at_first": at_first}, least=1)
        refuse_below("http", {"retries": retries}, least=0)
        refuse_not_above("http", {"timeout": timeout, "within": within})
        self.name = f"http:{url}"
        self.samples: bool = samples
        self.runs_on: RunsOn = "elsewhere"
        self._request = Request({"texts": "$texts"} if request is None else request)
        single = self._request.takes_one
        response = ("score" if single else "scores") if response is None else response
        self._response = response_of(response, takes_one=single)
        self.outputs: tuple[Output, ...] = _outputs(outputs, response, low, high)
        self._a_request = 1 if single else batch_size
        self.batch_size: int = self._a_request * REQUESTS_A_BATCH
        self.ahead: int = BATCHES_AHEAD + concurrency // REQUESTS_A_BATCH
        self._begun: dict[tuple[tuple[str, ...], int], Crowd[list[str], list[list[float]]]] = {}
        secrets = Secrets(headers)
        self._endpoint = Endpoint(
            url, secrets, timeout=timeout, within=within, retries=retries, concurrency=concurrency, at_first=at_first
        )
        # Of the headers only the names: their values may be secrets.
        asked = [url, request, response, self._a_request, [output.name for output in self.outputs], [*secrets.headers]]
        self.resume_key: str | None = hash_of(asked)
        self.fingerprint: str | None = None if version is None else hash_of([*asked, version])

    def score(self, texts: Sequence[str]) -> Array:
        """What the endpoint answers, in the order of the texts, however many requests are under way at once."""
        return self._matrix(self._begin(texts))

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """The same for the nth time; requests that were expected are under way already."""
        begun = self._begun.pop((tuple(texts), number), None)
        return self._matrix(begun or self._begin(texts))

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """Begin with what will be asked for, and stop what will not."""
        wanted = dict.fromkeys((tuple(texts), number) for texts, number in coming)
        for asked in self._begun.keys() - wanted.keys():
            self._begun.pop(asked).stop()
        for texts, number in wanted:
            if (texts, number) not in self._begun:
                self._begun[texts, number] = self._begin(texts)

    def _begin(self, texts: Sequence[str]) -> Crowd[list[str], list[list[float]]]:
        parts = [list(texts[start : start + self._a_request]) for start in range(0, len(texts), self._a_request)]
        return Crowd(self._endpoint, self._rows, parts)

    def _matrix(self, begun: Crowd[list[str], list[list[float]]]) -> Array:
        found = begun.answers()
        return np.array([row for rows in found for row in rows], dtype=np.float64).reshape(-1, len(self.outputs))

    def _rows(self, texts: list[str], connection: Connection, stop: threading.Event) -> list[list[float]]:
        answer = connection.ask(self._request.filled(texts), stop)
        try:
            return self._response.rows(answer, len(texts), len(self.outputs))
        except BadAnswer as error:
            raise BadAnswer(f"{self._endpoint.shown}: {self._endpoint.said(str(error), 300)}") from None


def _outputs(declared: object, response: object, low: float, high: float) -> tuple[Output, ...]:
    paths = [str(name) for name in response] if isinstance(response, Mapping) else None
    outputs = named_outputs(declared if declared is not None else paths or ["score"], low, high, "http")
    if paths is not None and [output.name for output in outputs] != paths:
        raise UsageError(f"'http': its outputs are not those of its response, in this order: {', '.join(paths)}")
    return outputs
