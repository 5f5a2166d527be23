"""What a comparison was made from, so that it can be made again."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Mapping
from typing import Any, Protocol

from evenhand.comparing.settings import Settings
from evenhand.corpora import Corpus
from evenhand.scoring import Scores

HEAVY = ("spacy", "tokenizers", "torch", "transformers", "xllamacpp")
PACKAGES = ("evenhand", "numpy", "scipy", "polars", "scikit-learn")


class _Compared(Protocol):
    @property
    def assessments(self) -> int: ...

    @property
    def threshold(self) -> float: ...

    @property
    def generalising_threshold(self) -> float: ...


def provenance_of(
    compared: _Compared,
    scores: Scores,
    corpus: Corpus,
    *,
    settings: Settings,
    asked_for: Mapping[str, Any],
    command: str | None = None,
) -> dict[str, Any]:
    """The corpus, the systems, the settings, the family of the correction and the versions of what did the work."""
    return {
        "corpus": {
            "name": corpus.name,
            "version": corpus.version,
            "sentences": len(corpus),
            "digest": corpus.digest,
            "sentences_digest": corpus.sentences_digest,
        },
        "systems": [
            {"system": column.system, "output": column.output.name, "fingerprint": column.fingerprint}
            for column in scores.columns
        ],
        "settings": {
            "alpha": settings.alpha,
            "correction": settings.correction,
            "equivalence": settings.equivalence,
            "seed": settings.seed,
            "permutations": settings.permutations,
            **asked_for,
        },
        "assessments": compared.assessments,
        "threshold": compared.threshold,
        "generalising_threshold": compared.generalising_threshold,
        **versions(),
        **({} if command is None else {"command": command}),
    }


def versions() -> dict[str, Any]:
    """The versions of Python and of the packages that numbers depend on."""
    packages = {name: importlib.metadata.version(name) for name in (*PACKAGES, *_taking_part())}
    return {"packages": packages, "python": platform.python_version()}


def _taking_part() -> list[str]:
    """The heavy packages that answers may depend on, as far as they were used."""
    return [name for name in HEAVY if name in sys.modules]
