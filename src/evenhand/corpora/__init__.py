"""What is asked: corpora of sentences that differ only in the person."""

from evenhand.corpora.balanced import balanced_sources
from evenhand.corpora.catalogue import corpus_names, eec, load_corpus
from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.names import first_names, with_names
from evenhand.corpora.pools import Pool, load_pool
from evenhand.corpora.suites import read_suite
from evenhand.corpora.table import read_corpus_table, read_released_eec

__all__ = [
    "About",
    "Corpus",
    "Pool",
    "balanced_sources",
    "corpus_names",
    "eec",
    "first_names",
    "load_corpus",
    "load_pool",
    "read_corpus_table",
    "read_released_eec",
    "read_suite",
    "with_names",
]
