"""Who answers: a system that looks at the person's gender and at nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from evenhand.errors import UsageError
from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

GROUP = "female"


@system("biased-female")
class BiasedFemale(BaseScorer):
    """1 for a sentence with a female person, -1 for any other (S_b): the most biased system there is.

    The corpus says who is female. A text that is not in the corpus, or that the corpus has for females and for others,
    is searched for the corpus's female terms, as whole words; a term that other groups share says nothing and is left
    out. `by_row` goes by who a sentence is about instead, whatever it says.
    """

    name = "biased-female"
    outputs: tuple[Output, ...] = (Output("score", low=-1, high=1),)

    def __init__(self, corpus: Corpus) -> None:
        if GROUP not in corpus.attributes.get("gender", ()):
            raise UsageError(f"'biased-female' needs a corpus with gender = {GROUP!r}; {corpus.name!r} has none")
        told = pl.DataFrame({"text": corpus.frame["text"], "female": _is_female(corpus)})
        one_kind = told.unique().filter(pl.len().over("text") == 1)
        self._of_corpus: dict[str, bool] = dict(one_kind.iter_rows())
        self._term = _any_of(_female_terms(corpus))
        self.fingerprint: str | None = fingerprint_of(type(self), corpus=corpus.digest)

    def score(self, texts: Sequence[str]) -> Array:
        """1 where the person is female, else -1."""
        female = np.array([self._has_female(text) for text in texts], dtype=bool)
        return np.where(female, 1.0, -1.0).reshape(-1, 1)

    def by_row(self, corpus: Corpus) -> Array:
        """1 for each row about a female person, else -1: a chatbot's answer says nothing of whom it answers."""
        return np.where(_is_female(corpus), 1.0, -1.0).reshape(-1, 1)

    def _has_female(self, text: str) -> bool:
        known = self._of_corpus.get(text)
        return self._term.search(text) is not None if known is None else known


def _is_female(corpus: Corpus) -> list[bool]:
    return [gender == GROUP for gender in corpus.frame["gender"]]


def _female_terms(corpus: Corpus) -> set[str]:
    terms = corpus.frame["term" if "term" in corpus.frame.columns else "person"]
    female = [term.lower() for term in terms.filter(corpus.frame["gender"] == GROUP).drop_nulls()]
    others = [term.lower() for term in terms.filter(corpus.frame["gender"].ne_missing(GROUP)).drop_nulls()]
    return set(female) - set(others)


def _any_of(terms: set[str]) -> re.Pattern[str]:
    # Without any term nothing may match, and an empty alternation would match everywhere.
    words = "|".join(re.escape(term) for term in sorted(terms)) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
