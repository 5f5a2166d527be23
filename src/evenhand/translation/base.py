"""There and back: what a translator is, and the table of known ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from evenhand.errors import BadAnswer, UsageError, one_line
from evenhand.files.registry import C, Registry

THREE_LETTERS = {
    "ara": "ar", "cat": "ca", "ces": "cs", "cym": "cy", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "epo": "eo",
    "eus": "eu", "fin": "fi", "fra": "fr", "glg": "gl", "hbs": "sh", "hin": "hi", "isl": "is", "ita": "it", "jpn": "ja",
    "mkd": "mk", "nld": "nl", "nob": "nb", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es",
    "swe": "sv", "tur": "tr", "ukr": "uk", "zho": "zh",
}  # fmt: skip
"""Codes of ISO 639-3 whose language has one of two letters too."""

PAIR = re.compile(r"(?P<source>[A-Za-z]{2,3}(?:_\w+)?)-(?P<target>[A-Za-z]{2,3}(?:_\w+)?)")


@runtime_checkable
class Translator(Protocol):
    """Turns texts of one language into another.

    `source` and `target` are codes of languages, of two letters where there are such. `fingerprint` is a content hash
    that changes whenever the translations could, or None when that cannot be known; then `resume_key`, if it has one,
    tells whether an interrupted run may go on. `batch_size` is how many texts it is given at a time.

    One that can tell each translation as soon as it is there has `each(texts)`, which gives the text's place and its
    translation, in any order: what came before a failure is then kept. One that knows its way home has `back()`. One
    that makes its fingerprint with `fingerprint_of` has a `revision`, raised when a change of code may change what it
    says.
    """

    name: str
    source: str
    target: str

    @property
    def fingerprint(self) -> str | None: ...

    @property
    def batch_size(self) -> int: ...

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation a text, in their order."""
        ...


TRANSLATORS: Registry[Translator] = Registry("translator")


def translator(name: str, *, address: str, extra: str | None = None) -> Callable[[C], C]:
    """Enter a class into the table under the name that people type before the colon."""
    return TRANSLATORS.enter(name, extra=extra, address=address)


def build_translator(name: str, address: str, **settings: Any) -> Translator:
    """Build a translator of the table."""
    return TRANSLATORS.build(name, address, **settings)


def each_of(chosen: Translator, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Place and translation of each text, as they come; an answer that is no text, or none at all, is refused."""
    one_by_one = getattr(chosen, "each", None)
    given = enumerate(_all_of(chosen, texts)) if one_by_one is None else one_by_one(texts)
    left = set(range(len(texts)))
    for place, said in given:
        if not isinstance(said, str):
            raise BadAnswer(f"translator {chosen.name!r} answered {one_line(repr(said))}, which is not a text")
        left.discard(place)
        yield place, said
    if left:
        raise BadAnswer(f"translator {chosen.name!r} left out {len(left):,} of {len(texts):,} texts")


def _all_of(chosen: Translator, texts: Sequence[str]) -> list[str]:
    said = chosen.translate(texts)
    if len(said) != len(texts):
        raise BadAnswer(f"translator {chosen.name!r} gave {len(said):,} translations of {len(texts):,} texts")
    return said


def way_back(there: Translator) -> Translator:
    """The translator that goes the other way, where this one knows it."""
    back = getattr(there, "back", None)
    if not inspect.ismethod(back):
        raise UsageError(f"{there.name!r} does not know its way back; name the translator for it too, behind a comma")
    found: Translator = back()
    return found


def code(language: str) -> str:
    """The code of a language in two letters where there is one, without its region.

    >>> code("eng"), code("en_US"), code("DA"), code("gl")
    ('en', 'en', 'da', 'gl')
    """
    plain = re.split(r"[-_]", language.strip().lower())[0]
    return THREE_LETTERS.get(plain, plain)


def pair_of(written: str, *, name: str) -> tuple[str, str]:
    """Source and target as they are written in `SOURCE-TARGET`.

    >>> pair_of("eng-spa", name="apertium")
    ('eng', 'spa')
    """
    match = PAIR.fullmatch(written)
    if match is None:
        raise UsageError(f"{name + ':' + written!r} does not read as {name}:SOURCE-TARGET, such as en-da")
    return match["source"], match["target"]
