"""Neutral substitution: the system is asked about a neutral person instead, so that it never learns who it is."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.corpora.neutral import neutral_texts, neutralised
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator
from evenhand.repairs.rows import Rows
from evenhand.repairs.wrapping import Bools, Wrapped
from evenhand.systems.base import Array, BaseScorer
from evenhand.systems.through import Asked

log = logging.getLogger(__name__)


@calibrator("neutral")
@dataclass(frozen=True, eq=False)
class Neutral(Calibrator):
    """The answers about the same sentences with a neutral person in place of the one who stands there.

    Nothing is fitted, but the system has to be asked: scores alone do not say what it would answer.
    """

    fitted_for: FittedFor

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus) -> Self:
        """Nothing is fitted; whose scores these are is kept."""
        return cls(FittedFor.of(scores, corpus))

    def apply(self, scores: Scores, corpus: Corpus, *, neutral: Array | None = None) -> Scores:
        """The scores with the answers of `neutral` (a row for each sentence) where a neutral version can be made."""
        if scores.corpus_digest != corpus.digest:
            raise EvenhandError("these scores were made for another corpus (or another version of it)")
        found = FittedFor.of(scores, corpus)
        self.fitted_for.refuse_another(found.fingerprint, found.outputs, found.system)
        if neutral is None:
            raise _not_from_scores()
        if neutral.shape != scores.matrix.shape:
            raise UsageError(
                f"the answers about a neutral person have the shape {neutral.shape}, not that of the scores"
            )
        made = [text is not None for text in neutral_texts(corpus)]
        use = np.array(made, dtype=bool) & Rows.of(corpus).named
        return replace(scores, matrix=np.where(use[:, None], neutral, scores.matrix))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """Only rows without a person can be answered from their scores alone: as they are."""
        if rows.named.any():
            raise _not_from_scores()
        return columns.copy()

    def content(self) -> dict[str, Any]:
        """Nothing was fitted."""
        return {}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        if content:
            raise ValueError("neutral substitution fits nothing")
        return cls(fitted_for)


class Neutralised(Wrapped):
    """A system that is asked about a neutral person instead; one question a sentence, and fewer different ones.

    Texts that are not in the corpus, sentences without a group and those of which no neutral version can be made are
    asked as they are; `left` is how many sentences of the last kind there are, and `reason` what the first of them
    lacks. `language` is that of the corpus, such as `en`; it is known for those that come with Evenhand.
    """

    def __init__(self, system: BaseScorer, corpus: Corpus, *, language: str | None = None) -> None:
        made = _neutral_versions(corpus, language)
        self._versions = {text: version for text, (version, _) in made.items() if version is not None}
        super().__init__(system.with_corpus(with_versions(corpus, self._versions)), how=Neutral.method)
        self._corpus_digest = corpus.digest
        self.left = len(made) - len(self._versions)
        self.reason = next((why for version, why in made.values() if version is None), None)
        self._told = not self.left

    def questions(self, texts: Sequence[str]) -> Asked:
        """The neutral version, where there is one."""
        if not self._told:
            log.warning("%s: %s", self.name, self._left_in_words())
            self._told = True
        return [(self._versions.get(text, text),) for text in texts]

    def named(self, texts: Sequence[str]) -> Bools:
        """Those that have a group in the corpus, and a neutral version."""
        return np.array([text in self._versions for text in texts], dtype=bool)

    def repaired(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """What was answered about the neutral version."""
        return np.array([answer[0] for answer in answers]).reshape(len(texts), len(self.inner.outputs))

    def settings(self) -> dict[str, object]:
        """The versions come from the corpus."""
        return {**super().settings(), "corpus": self._corpus_digest, "versions": sorted(self._versions.items())}

    @property
    def distinct(self) -> int:
        """How many different neutral versions the sentences of the corpus have."""
        return len(set(self._versions.values()))

    def remarks(self) -> tuple[str, ...]:
        """Also what the substitution costs, and how many sentences it leaves as they are."""
        said = (
            f"neutral substitution asks one question a sentence, {self.distinct:,} different ones about "
            f"{len(self._versions):,} sentences of the corpus"
        )
        return (*super().remarks(), said, *([self._left_in_words()] if self.left else []))

    def _left_in_words(self) -> str:
        total = self.left + len(self._versions)
        return f"{self.left:,} of {total:,} sentences about a person have no neutral version and keep their scores"


def _neutral_versions(corpus: Corpus, language: str | None) -> dict[str, tuple[str | None, str | None]]:
    """The texts that have a group, each with its neutral version, or without and why; of several rows the first."""
    made = neutralised(corpus, code=language)
    found: dict[str, tuple[str | None, str | None]] = {}
    for row in np.flatnonzero(Rows.of(corpus).named).tolist():
        found.setdefault(corpus.frame["text"][row], (made.texts[row], made.reasons[row]))
    return found


def with_versions(corpus: Corpus, versions: Mapping[str, str]) -> Corpus:
    """The corpus and its neutral versions, each in the slots of the sentence that it was made of, about nobody."""
    if not versions:
        return corpus
    frame = corpus.frame
    nobody = [name for name in ("person", "term", "kind", "pair", *corpus.attributes) if name in frame.columns]
    made = (
        frame.filter(pl.col("text").is_in(list(versions)))
        .with_columns(
            pl.col("text").replace_strict(dict(versions)),
            pl.concat_str(pl.lit("neutral "), "id").alias("id"),
            *(pl.lit(None, dtype=frame.schema[name]).alias(name) for name in nobody),
        )
        .unique(["text", "source"], maintain_order=True)
    )
    return replace(corpus, frame=pl.concat([frame, made]), drawn_from=corpus.drawn_from or corpus.digest)


def _not_from_scores() -> UsageError:
    return UsageError(
        "neutral substitution asks the system about other sentences, so scores alone are not enough; ask it as "
        "repaired:neutral+SYSTEM, or give the answers about the neutral versions"
    )
