"""Asking: what can be said about how systems are asked, the same for every command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from evenhand.asking.engines.choice import LOCAL, check_engine, engine_called
from evenhand.asking.engines.engine import Engine
from evenhand.settings import check_range, check_resamples
from evenhand.systems.meaning import HighIsSaid, checked


class AskOptions(TypedDict, total=False):
    """The fields of `AskSettings` as keyword arguments, for functions that hand them on."""

    bounds: tuple[float, float] | None
    version: str | None
    base_url: str | None
    outputs: Sequence[str] | None
    kind: str | None
    high_is: HighIsSaid | None
    draws: int
    cache: str | Path | None
    progress: bool | None
    engine: str
    address: str | None
    workers: int | None


class How(TypedDict):
    """What the engine room makes of the settings: keyword arguments of `scored` and `tagged`."""

    cache: Path | None
    progress: bool | None
    draws: int
    engine: Engine


@dataclass(frozen=True)
class AskSettings:
    """How systems are asked.

    `bounds` is the range of outputs that declare none (0 to 1 if not given). `version` vouches for a system that cannot
    be looked into: under the same version its answers are taken to be the same. `base_url` is where the server of
    language models listens. `outputs` names the numbers that a function or a file gives, and `kind` says what they are:
    score, probability, ordinal or class; systems that know it themselves refuse both. `high_is` says what a high value
    means for the person whom a text is about: good, bad or neither, for all outputs that declare nothing, or by an
    output's name, which is then believed against what its system declares. Systems that sample may be asked
    several times (`draws`): the means are compared. Answers are kept in `cache` (None: EVENHAND_CACHE_DIR, else the
    platform's cache folder); `progress` shows bars (None: on a terminal only). `engine` is `local`, this machine, with
    so many `workers` (None: the system itself, or one for each GPU), or `ray`, with workers on the cluster at `address`
    (None: one of this machine's own). Neither changes an answer.
    """

    bounds: tuple[float, float] | None = None
    version: str | None = None
    base_url: str | None = None
    outputs: Sequence[str] | None = None
    kind: str | None = None
    high_is: HighIsSaid | None = None
    draws: int = 1
    cache: str | Path | None = None
    progress: bool | None = None
    engine: str = LOCAL
    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.bounds is not None:
            check_range(*self.bounds)
        if self.high_is is not None:
            checked(self.high_is)
        check_resamples("the number of draws", self.draws, least=1)
        check_engine(self.engine, self.address, self.workers)

    @property
    def folder(self) -> Path | None:
        """The folder of the cache, where one was named."""
        return None if self.cache is None else Path(self.cache)

    @property
    def asking(self) -> How:
        """What the engine needs to know."""
        engine = engine_called(self.engine, self.address, self.workers)
        return {"cache": self.folder, "progress": self.progress, "draws": self.draws, "engine": engine}

    @property
    def flags(self) -> dict[str, object]:
        """What was said about systems, by the names that their builders have for it."""
        named: dict[str, object] = {name: getattr(self, name) for name in ("version", "base_url", "outputs", "kind")}
        if self.bounds is not None:
            named |= {"low": self.bounds[0], "high": self.bounds[1]}
        return {name: value for name, value in named.items() if value is not None}
