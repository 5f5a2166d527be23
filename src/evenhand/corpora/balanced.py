"""What is asked: a balanced part of the sources of a corpus, with every word once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from evenhand.corpora.corpus import Corpus

TEMPLATE = "template"

Word = tuple[str, ...]
"""Its categories, then the words of a source."""


def balanced_sources(corpus: Corpus, *, seed: int = 0) -> Corpus:
    """Each word in one template only, spread evenly over the templates that take it, and all sources without a word.

    Words of one category (an emotion) are spread over the templates, too. A corpus without words is returned as it is.

    >>> from evenhand.corpora import eec
    >>> balanced_sources(eec()).frame["source"].n_unique()
    44
    """
    words = [column for column in corpus.groupings if column != TEMPLATE]
    if not words or TEMPLATE not in corpus.frame.columns:
        return corpus
    categories = [column for column in corpus.slots if column not in (TEMPLATE, "label", *words)]
    sources = corpus.frame.unique("source", keep="first", maintain_order=True)
    kept = sources.filter(pl.all_horizontal(pl.col(words).is_null()))["source"].to_list()
    rows = sources.filter(pl.any_horizontal(pl.col(words).is_not_null()))
    by_word: dict[Word, dict[str, str]] = {}
    for row in rows.iter_rows(named=True):
        key = tuple(str(row[column] or "") for column in (*categories, *words))
        by_word.setdefault(key, {}).setdefault(row[TEMPLATE], row["source"])
    by_templates: dict[tuple[str, ...], list[Word]] = {}
    for word, places in by_word.items():
        by_templates.setdefault(tuple(places), []).append(word)
    generator = np.random.default_rng(seed)
    for templates, listed in by_templates.items():
        dealt = _dealt(listed, len(templates), len(words), generator)
        kept += [by_word[word][templates[place]] for word, place in dealt]
    frame = corpus.frame.filter(pl.col("source").is_in(kept))
    return replace(corpus, frame=frame, drawn_from=corpus.drawn_from or corpus.digest)


def _dealt(words: list[Word], templates: int, of_word: int, generator: np.random.Generator) -> list[tuple[Word, int]]:
    """Words with the place of the template that each gets: in turn, category by category, each shuffled."""
    shuffled = [words[place] for place in generator.permutation(len(words))]
    by_category = sorted(shuffled, key=lambda word: word[:-of_word])
    turns = generator.permutation(templates).tolist()
    return [(word, turns[place % templates]) for place, word in enumerate(by_category)]
