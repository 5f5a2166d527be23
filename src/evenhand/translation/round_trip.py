"""There and back: texts through another language and home again, and a system that is asked about what came home."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.asking.cache import cache_root
from evenhand.asking.progress import Start, progress_bars
from evenhand.errors import UsageError
from evenhand.systems.base import Array, BaseScorer, fingerprint_of
from evenhand.systems.through import Asked, Through
from evenhand.translation.base import Translator, code, way_back
from evenhand.translation.kept import Kept


@dataclass(frozen=True)
class Journey:
    """A text, what became of it in the other language, and what came home."""

    text: str
    abroad: str
    home: str


class ThereAndBack:
    """Two translators, one for each way. Their translations are kept under the cache folder.

    `back` may be left out where the translator knows its own way home; `via`, where it is given, is the language that
    is passed through, to make sure that it is. `progress` shows a bar for each way (None: on a terminal only).
    """

    def __init__(
        self,
        there: Translator,
        back: Translator | None = None,
        *,
        via: str | None = None,
        cache: Path | None = None,
        progress: bool | None = None,
    ) -> None:
        self.there = there
        self.back = way_back(there) if back is None else back
        if (self.back.source, self.back.target) != (there.target, there.source):
            raise UsageError(
                f"{there.name!r} goes from {there.source} to {there.target}, but {self.back.name!r} from "
                f"{self.back.source} to {self.back.target}; that is not the way back"
            )
        if via is not None and code(via) != there.target:
            raise UsageError(f"{there.name!r} goes to {there.target}, not to {via}")
        self.name = there.name if back is None else f"{there.name},{back.name}"
        self.source, self.via = there.source, there.target
        self._cache = cache
        self._progress = progress
        self._kept: tuple[Kept, Kept] | None = None

    @property
    def fingerprint(self) -> str | None:
        """Of both translators; None where one has none."""
        both = self.there.fingerprint, self.back.fingerprint
        return None if None in both else fingerprint_of(type(self), translators=both)

    @property
    def resume_key(self) -> str:
        """Tells whether an interrupted run may go on, as far as the translators know."""
        said = [str(one.fingerprint or getattr(one, "resume_key", "")) for one in (self.there, self.back)]
        return hashlib.sha256("\n".join([self.name, *said]).encode()).hexdigest()

    def journeys(self, texts: Sequence[str]) -> list[Journey]:
        """Each text's way there and back."""
        there, back = self._both()
        with progress_bars(self._progress) as start:
            abroad = _translated(there, texts, start, self.there.name)
            home = _translated(back, abroad, start, self.back.name)
        return [Journey(*each) for each in zip(texts, abroad, home, strict=True)]

    def done(self) -> None:
        """What the translations were for is done: those that nobody vouches for are dropped."""
        for kept in self._both():
            kept.done()

    def _both(self) -> tuple[Kept, Kept]:
        if self._kept is None:
            root = cache_root(self._cache)
            self._kept = Kept(self.there, root), Kept(self.back, root)
        return self._kept


class RoundTrip(Through):
    """A system that is asked about texts as they come home from a round trip; a system like any other."""

    def __init__(self, system: BaseScorer, trip: ThereAndBack) -> None:
        super().__init__(system, name=f"roundtrip:{trip.name}+{system.name}", outputs=system.outputs)
        self.trip = trip

    def questions(self, texts: Sequence[str]) -> Asked:
        """Each text as it came home."""
        return [[journey.home] for journey in self.trip.journeys(texts)]

    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """What the system said about it."""
        return np.vstack(answers) if len(answers) else np.empty((0, len(self.outputs)))

    def settings(self) -> dict[str, object]:
        """The translators, as far as they are known."""
        return {"trip": self.trip.fingerprint or self.trip.resume_key}

    @property
    def fingerprint(self) -> str | None:
        """Of the system and both translators; None where one has none."""
        return None if self.trip.fingerprint is None else super().fingerprint

    def complete(self) -> None:
        """What was translated need not be kept if nobody vouches for it."""
        self.trip.done()


def _translated(kept: Kept, texts: Sequence[str], start: Start, name: str) -> list[str]:
    distinct = len(set(texts))
    return kept.translations(texts, start(name, distinct, distinct - len(kept.missing(texts))))
