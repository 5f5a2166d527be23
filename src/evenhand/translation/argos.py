"""There and back: Argos Translate, with the packages for a pair that were installed for it (`argos:en-da`)."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import UsageError
from evenhand.systems.base import fingerprint_of
from evenhand.systems.transformers.checkpoint import digest_of
from evenhand.translation.base import code, pair_of, translator

PROJECT = "argostranslate"
PACKAGES = "OPENNMT"
"""What Argos calls it when the packages on this machine translate."""

SETTINGS = ("beam_size", "chunk_type", "compute_type", "device")
"""What else its translations depend on; it takes them from the environment or from its own file."""


@translator("argos", address="SOURCE-TARGET", extra="translate")
class Argos:
    """Argos Translate, by the codes of two languages; their package must have been installed with `argospm`.

    Where there is no package for the pair, Argos goes through a third language of its own accord. Some packages come
    without a model that splits sentences; Argos then fetches one at the first text.
    """

    batch_size = 64

    def __init__(self, pair: str) -> None:
        from argostranslate import package, settings, translate

        source, target = pair_of(pair, name="argos")
        self.name = f"argos:{pair}"
        self.source, self.target = code(source), code(target)
        self._homeward = f"{target}-{source}"
        self._translation = _translation(translate, source, target)
        # Set up to ask a service, Argos translates by what nobody here can look into.
        here = settings.model_provider.name == PACKAGES
        self.fingerprint: str | None = self._fingerprint(package, settings) if here else None

    def back(self) -> Argos:
        """The same pair in the other direction."""
        return Argos(self._homeward)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation a text."""
        return [said for _, said in self.each(texts)]

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Place and translation of each text, one after the other."""
        for place, text in enumerate(texts):
            yield place, self._translation.translate(text)

    def _fingerprint(self, package: Any, settings: Any) -> str:
        how = {name: str(getattr(settings, name, None)) for name in SETTINGS}
        version = importlib.metadata.version(PROJECT)
        return fingerprint_of(type(self), pair=self.name, version=version, packages=_digests(package), how=how)


def _translation(translate: Any, source: str, target: str) -> Any:
    languages = {language.code: language for language in translate.get_installed_languages()}
    found = None
    if source in languages and target in languages:
        found = languages[source].get_translation(languages[target])
    if found is None:
        known = ", ".join(sorted(languages)) or "none"
        raise UsageError(
            f"Argos Translate cannot go from {source!r} to {target!r} here (languages: {known}); install a package, as "
            f"in: argospm update && argospm install translate-{source}_{target}"
        )
    return found


def _digests(package: Any) -> list[str]:
    """Of all packages, as Argos may go through any of them."""
    folders = sorted(Path(one.package_path) for one in package.get_installed_packages())
    return [digest_of((file for file in folder.rglob("*") if file.is_file()), root=folder) for folder in folders]
