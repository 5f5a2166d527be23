"""Who answers: an endpoint that takes JSON and answers JSON (`http:URL`)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.errors import BadAnswer, UsageError
from evenhand.systems.base import Array, BaseScorer, Output
from evenhand.systems.http.client import Connection, Endpoint, hash_of, refuse_below
from evenhand.systems.http.crowd import in_order
from evenhand.systems.http.mapping import Request, response_of
from evenhand.systems.http.secrets import Secrets
from evenhand.systems.table import system
from evenhand.systems.yours.declared import named_outputs

TEXTS_A_REQUEST = 32
REQUESTS_A_BATCH = 16
"""The engine keeps answers by the batch: few enough to lose little in a kill, enough to keep all threads busy."""


@system("http", address="URL")
class Http(BaseScorer):
    """An endpoint on the web or on this machine: JSON in, JSON out.

    By default {"texts": [...]} is posted and {"scores": [...]} is read, one number or one row of numbers a text.
    `request` is the JSON to send, with "$texts" where the list goes, or "$text" for one text a call; `response` is the
    path to the numbers, such as `data.*.score`, or a mapping from outputs to paths. `outputs` are names, or mappings
    with name, low, high and kind. `headers` may take values from the environment, as in `Bearer $TOKEN`; they are never
    shown or kept. `version` vouches for what it answers, `samples` says that it answers differently each time.
    Proxies are not used, and redirects are not followed.
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
        concurrency: int = 4,
        timeout: float = 30.0,
        retries: int = 4,
        headers: Any = None,
        samples: bool = False,
        version: str | None = None,
    ) -> None:
        refuse_below("http", {"batch_size": batch_size, "concurrency": concurrency}, least=1)
        refuse_below("http", {"retries": retries}, least=0)
        if not timeout > 0:
            raise UsageError(f"'http': timeout must be above 0 seconds, not {timeout}")
        self.name = f"http:{url}"
        self.samples: bool = samples
        self._request = Request({"texts": "$texts"} if request is None else request)
        single = self._request.takes_one
        response = ("score" if single else "scores") if response is None else response
        self._response = response_of(response, takes_one=single)
        self.outputs: tuple[Output, ...] = _outputs(outputs, response, low, high)
        self._a_request = 1 if single else batch_size
        self.batch_size: int = self._a_request * max(REQUESTS_A_BATCH, concurrency)
        self._concurrency = concurrency
        secrets = Secrets(headers)
        self._endpoint = Endpoint(url, secrets, timeout=timeout, retries=retries)
        # Of the headers only the names: their values may be secrets.
        asked = [url, request, response, self._a_request, [output.name for output in self.outputs], [*secrets.headers]]
        self.resume_key: str | None = hash_of(asked)
        self.fingerprint: str | None = None if version is None else hash_of([*asked, version])

    def score(self, texts: Sequence[str]) -> Array:
        """What the endpoint answers, in the order of the texts, however many requests are under way at once."""
        parts = [list(texts[start : start + self._a_request]) for start in range(0, len(texts), self._a_request)]
        found = in_order(self._endpoint, self._rows, parts, at_once=self._concurrency)
        return np.array([row for rows in found for row in rows], dtype=np.float64).reshape(-1, len(self.outputs))

    def _rows(self, texts: list[str], connection: Connection, stop: threading.Event) -> list[list[float]]:
        answer = connection.ask(self._request.filled(texts), stop)
        try:
            return self._response.rows(answer, len(texts), len(self.outputs))
        except BadAnswer as error:
            raise BadAnswer(f"{self._endpoint.shown}: {self._endpoint.secrets.hide(str(error), 300)}") from None


def _outputs(declared: object, response: object, low: float, high: float) -> tuple[Output, ...]:
    paths = [str(name) for name in response] if isinstance(response, Mapping) else None
    outputs = named_outputs(declared if declared is not None else paths or ["score"], low, high, "http")
    if paths is not None and [output.name for output in outputs] != paths:
        raise UsageError(f"'http': its outputs are not those of its response, in this order: {', '.join(paths)}")
    return outputs
