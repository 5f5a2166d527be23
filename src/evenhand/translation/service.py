"""There and back: a service on the web or on this machine that takes JSON and answers JSON (`http:URL`)."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.errors import BadAnswer
from evenhand.systems.http.client import Connection, Endpoint, hash_of, refuse_below, refuse_not_above
from evenhand.systems.http.crowd import in_order
from evenhand.systems.http.mapping import Path, Request
from evenhand.systems.http.secrets import Secrets
from evenhand.translation.base import code, translator

LANGUAGE = re.compile(r"\$(source|target)\b")


@translator("http", address="URL")
class Service:
    """A translation service: its request and its answer are declared, in a file.

    `request` is the JSON to send, with "$texts" where the list goes, or "$text" for one text a call, and "$source" and
    "$target" for the languages, which are written as the service wants them ("en", "EN"). `response` is the path to the
    translations, such as `translations.*.text`. `headers` may take values from the environment, as in `Bearer $TOKEN`;
    they are never shown or kept. An attempt may take `timeout` seconds, and all attempts at one request `within`
    seconds, waiting and all. `version` vouches for what it answers: without one, translations are not kept for
    later runs.
    """

    def __init__(
        self,
        url: str,
        *,
        source: str,
        target: str,
        request: Any = None,
        response: str = "translations",
        batch_size: int = 32,
        concurrency: int = 4,
        timeout: float = 30.0,
        within: float = 60.0,
        retries: int = 4,
        headers: Any = None,
        version: str | None = None,
    ) -> None:
        refuse_below("http", {"batch_size": batch_size, "concurrency": concurrency}, least=1)
        refuse_below("http", {"retries": retries}, least=0)
        refuse_not_above("http", {"timeout": timeout, "within": within})
        self._homeward: dict[str, Any] = {
            "source": target, "target": source, "request": request, "response": response, "batch_size": batch_size,
            "concurrency": concurrency, "timeout": timeout, "within": within, "retries": retries, "headers": headers,
            "version": version,
        }  # fmt: skip
        self.name = f"http:{url}"
        self.source, self.target = code(source), code(target)
        declared = {"texts": "$texts", "source": "$source", "target": "$target"} if request is None else request
        self._request = Request(_with_languages(declared, {"source": source, "target": target}))
        self._response = Path(response)
        self._a_request = 1 if self._request.takes_one else batch_size
        self.batch_size = self._a_request * concurrency
        secrets = Secrets(headers)
        self._endpoint = Endpoint(
            url, secrets, timeout=timeout, within=within, retries=retries, concurrency=concurrency
        )
        # Of the headers only the names: their values may be secrets.
        asked = [url, source, target, declared, response, self._a_request, [*secrets.headers]]
        self.resume_key = hash_of(asked)
        self.fingerprint: str | None = None if version is None else hash_of([*asked, version])

    def back(self) -> Service:
        """The same service with its languages exchanged."""
        return Service(self._endpoint.shown, **self._homeward)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation a text, however many requests are under way at once."""
        said = dict(self.each(texts))
        return [said[place] for place in range(len(texts))]

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Place and translation of each text; when a request fails, of those that were answered."""
        done: dict[int, str] = {}

        def ask(places: range, connection: Connection, stop: threading.Event) -> None:
            done.update(zip(places, self._asked([texts[place] for place in places], connection, stop), strict=True))

        parts = [
            range(start, min(start + self._a_request, len(texts))) for start in range(0, len(texts), self._a_request)
        ]
        failure: Exception | None = None
        try:
            in_order(self._endpoint, ask, parts)
        except Exception as error:
            failure = error
        yield from sorted(dict(done).items())  # a copy: whoever was given up on may answer yet
        if failure is not None:
            raise failure

    def _asked(self, texts: list[str], connection: Connection, stop: threading.Event) -> list[str]:
        answer = connection.ask(self._request.filled(texts), stop)
        try:
            found = self._response.of(answer)
            return _texts([found] if self._request.takes_one else found, len(texts), self._response.written)
        except BadAnswer as error:
            raise BadAnswer(f"{self._endpoint.shown}: {self._endpoint.said(str(error), 300)}") from None


def _texts(found: object, count: int, path: str) -> list[str]:
    if not isinstance(found, list):
        raise BadAnswer(f"{path!r} of its answer is not a list with one translation per text, but {found!r}")
    if len(found) != count:
        raise BadAnswer(f"it gave {len(found):,} translations of {count:,} texts")
    for one in found:
        if not isinstance(one, str):
            raise BadAnswer(f"{path!r} of its answer holds {one!r} where a text is expected")
    return found


def _with_languages(declared: Any, languages: Mapping[str, str]) -> Any:
    """The request with the languages in their places."""
    if isinstance(declared, str):
        return LANGUAGE.sub(lambda match: languages[match[1]], declared)
    if isinstance(declared, Mapping):
        return {key: _with_languages(item, languages) for key, item in declared.items()}
    return [_with_languages(item, languages) for item in declared] if isinstance(declared, list) else declared
