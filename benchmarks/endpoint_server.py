"""A server to ask: 20 ms an answer, with or without a limit. Goes when its standard input ends, or after two minutes.

`python -m benchmarks.endpoint_server KIND` prints its port, and in the end what it saw, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter

LATENCY = 0.020
TIMER = 0.0006
"""Seconds; timers of the event loop are so much late on average, as they are rounded up to milliseconds."""
LONGEST_LIFE = 120.0
SLOTS = 4
RATE = 100


class Seen:
    """What all connections share."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.answered: Counter[str] = Counter()
        self.refused = 0
        self.connections = 0
        self.at_once = 0
        self.most_at_once = 0
        self.seconds = 0.0
        self.window, self.used = 0, 0
        self.by_second: Counter[int] = Counter()

    def refusal(self) -> bool:
        """Whether it takes no more now."""
        if self.kind == "slots":
            return self.at_once >= SLOTS
        if self.kind in ("rate", "told"):
            if int(time.time()) != self.window:
                self.window, self.used = int(time.time()), 0
            self.used += 1
            self.by_second[self.window] += self.used <= RATE
            return self.used > RATE
        return False

    def headers(self, refused: bool) -> str:
        """What it tells about its limit."""
        if self.kind == "told":
            left, renewed = max(0, RATE - self.used), self.window + 1 - time.time()
            return f"x-ratelimit-remaining-requests: {left}\r\nx-ratelimit-reset-requests: {max(0.0, renewed):.3f}s\r\n"
        return "Retry-After: 1\r\n" if refused and self.kind == "rate" else ""

    def report(self) -> str:
        """What it saw."""
        count = self.answered.total()
        return json.dumps(
            {
                "answered": count,
                "distinct": len(self.answered),
                "refused": self.refused,
                "connections": self.connections,
                "most_at_once": self.most_at_once,
                "own_latency": self.seconds / max(1, count),
                "full_seconds": [count for _, count in sorted(self.by_second.items())][1:-1],
            }
        )


class Line(asyncio.Protocol):
    """One connection: requests with a body of JSON, one after another."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there."""
        self._transport = transport
        self._seen.connections += 1

    def data_received(self, data: bytes) -> None:
        """Answer when a request is complete."""
        self._read += data
        head, found, rest = self._read.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(rest) < length:
            return
        self._read = rest[length:]
        self._asked(json.loads(rest[:length])["texts"])

    def _asked(self, texts: list[str]) -> None:
        seen, now = self._seen, time.perf_counter()
        if seen.refusal():
            seen.refused += 1
            self._say("429 Too Many Requests", "{}", seen.headers(refused=True))
            return
        seen.at_once += 1
        seen.most_at_once = max(seen.most_at_once, seen.at_once)
        asyncio.get_running_loop().call_later(LATENCY - TIMER, self._answer, texts, now)

    def _answer(self, texts: list[str], asked: float) -> None:
        seen = self._seen
        seen.answered.update(texts)
        self._say("200 OK", json.dumps({"scores": [len(text) / 1000 for text in texts]}), seen.headers(refused=False))
        seen.at_once -= 1
        seen.seconds += time.perf_counter() - asked

    def _say(self, status: str, body: str, headers: str) -> None:
        said = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}"
        if not self._transport.is_closing():
            self._transport.write(said.encode())  # type: ignore[attr-defined]


async def _serve(kind: str) -> None:
    seen = Seen(kind)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Line(seen), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = loop.run_in_executor(None, sys.stdin.read)
    await asyncio.wait([ended], timeout=LONGEST_LIFE)
    print(seen.report(), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
