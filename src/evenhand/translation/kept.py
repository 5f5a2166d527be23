"""Translations that are kept: in files that survive kills, crashes and company, like the answers of systems.

ROOT/translations/TRANSLATOR/*.answers    of a translator with a fingerprint; kept for every later run
ROOT/translating/TRANSLATOR/*.answers     of one without; dropped as soon as what they were for is done
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from evenhand.asking.cache import Store
from evenhand.asking.plan import key_of
from evenhand.files.records import read_texts, text_record
from evenhand.translation.base import Translator, each_of

log = logging.getLogger(__name__)

WITNESSES = 8
"""So many translations that an interrupted run left are asked for again, where nobody vouches for the translator."""

Advance = Callable[[int], None]


class Kept:
    """What one translator said: in earlier runs, and in this one. Blank texts are their own translation."""

    def __init__(self, chosen: Translator, root: Path) -> None:
        self._translator = chosen
        name = chosen.fingerprint or f"{chosen.name}={getattr(chosen, 'resume_key', '')}"
        lasting = chosen.fingerprint is not None
        folder = root / ("translations" if lasting else "translating") / key_of([name, chosen.source, chosen.target])
        self._store = Store(root, folder, lasting=lasting)
        self._trusted = lasting

    @cached_property
    def _known(self) -> dict[str, str]:
        return {key: said for content in self._store.contents() for key, said in read_texts(content)}

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The distinct texts that were not translated yet."""
        return [text for text in dict.fromkeys(texts) if text.strip() and key_of([text]) not in self._known]

    def translations(self, texts: Sequence[str], advance: Advance = lambda count: None) -> list[str]:
        """One translation a text; only what is missing is asked for, and what comes is kept at once."""
        if not self._trusted:
            self._refuse_old(texts)
        missing = self.missing(texts)
        if missing:
            with self._store:
                for start in range(0, len(missing), self._translator.batch_size):
                    self._ask(missing[start : start + self._translator.batch_size], advance)
        return [self._known[key_of([text])] if text.strip() else text for text in texts]

    def done(self) -> None:
        """What the translations were for is done: drop those that nobody vouches for."""
        self._store.complete()

    def _ask(self, texts: Sequence[str], advance: Advance) -> None:
        for place, said in each_of(self._translator, texts):
            key = key_of([texts[place]])
            self._store.append(text_record(key, said))
            self._known[key] = said
            advance(1)

    def _refuse_old(self, texts: Sequence[str]) -> None:
        """Ask again for some of what an interrupted run left, and drop it all if the translator has changed.

        Half of an old model and half of a new one would look like bias.
        """
        self._trusted = True
        left = [text for text in dict.fromkeys(texts) if text.strip() and key_of([text]) in self._known]
        witnesses = left[:: max(1, len(left) // WITNESSES)][:WITNESSES]
        said = dict(each_of(self._translator, witnesses)) if witnesses else {}
        if any(said[place] != self._known[key_of([text])] for place, text in enumerate(witnesses)):
            log.warning("%s translates differently than before; asking for all again", self._translator.name)
            self._store.complete()
            self._known.clear()
