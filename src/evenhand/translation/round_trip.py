"""There and back: texts through another language and home again, and a system that is asked about what came home."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.errors import UsageError
from evenhand.scoring.answers import checked
from evenhand.scoring.cache import cache_root
from evenhand.scoring.progress import Start, progress_bars
from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
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
    is passed through, to make sure that it is.
    """

    def __init__(
        self, there: Translator, back: Translator | None = None, *, via: str | None = None, cache: Path | None = None
    ) -> None:
        self.there = there
        self.back = way_back(there) if back is None else back
        if (self.back.source, self.back.target) != (there.target, there.source):
            raise UsageError(
                f"{there.name!r} goes from {there.source} to {there.target}, but {self.back.name!r} from "
                f"{self.back.source} to {self.back.target}; that is no way back"
            )
        if via is not None and code(via) != there.target:
            raise UsageError(f"{there.name!r} goes to {there.target}, not to {via}")
        self.name = there.name if back is None else f"{there.name},{back.name}"
        self.source, self.via = there.source, there.target
        self._cache = cache
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

    def journeys(self, texts: Sequence[str], *, progress: bool | None = False) -> list[Journey]:
        """Each text's way there and back; `progress` shows a bar for each way (None: on a terminal only)."""
        there, back = self._both()
        with progress_bars(progress) as start:
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


class RoundTrip(BaseScorer):
    """A system that is asked about texts as they come home from a round trip; a system like any other."""

    def __init__(
        self,
        system: BaseScorer,
        translator: Translator | ThereAndBack,
        back: Translator | None = None,
        *,
        via: str | None = None,
        cache: Path | None = None,
    ) -> None:
        if isinstance(translator, ThereAndBack):
            self.trip = translator
        else:
            self.trip = ThereAndBack(translator, back, via=via, cache=cache)
        self.system = system
        self.name = f"roundtrip:{self.trip.name}+{system.name}"
        self.samples: bool = system.samples
        # Whole batches of the system, and enough of them that a translator is not started for a handful of texts.
        self.batch_size: int = system.batch_size * -(-self.trip.there.batch_size // system.batch_size)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Those of the system."""
        return self.system.outputs

    @property
    def fingerprint(self) -> str | None:
        """Of the system and both translators; None where one has none."""
        parts = self.system.fingerprint, self.trip.fingerprint
        return None if None in parts else fingerprint_of(type(self), system=parts[0], trip=parts[1])

    @property
    def resume_key(self) -> str:
        """Tells whether an interrupted run may go on, as far as system and translators know."""
        own = self.system.fingerprint or self.system.resume_key
        return hashlib.sha256(f"{own}\n{self.trip.resume_key}".encode()).hexdigest()

    def score(self, texts: Sequence[str]) -> Array:
        """What the system answers about each text as it came home."""
        return self.draw(texts, 1)

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """Like `score`, for the so-manieth time."""
        home = [journey.home for journey in self.trip.journeys(texts)]
        size = self.system.batch_size
        answers = [self._drawn(home[start : start + size], number) for start in range(0, len(home), size)]
        self.trip.done()
        return np.vstack(answers) if answers else np.empty((0, len(self.outputs)))

    def _drawn(self, texts: list[str], number: int) -> Array:
        return checked(self.system, texts, self.system.draw(texts, number))


def _translated(kept: Kept, texts: Sequence[str], start: Start, name: str) -> list[str]:
    distinct = len(set(texts))
    return kept.translations(texts, start(name, distinct, distinct - len(kept.missing(texts))))
