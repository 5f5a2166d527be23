"""What is asked: corpora of sentences that differ only in the person."""

from evenhand.corpora.catalogue import corpus_names, eec, load_corpus
from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.suites import read_suite
from evenhand.corpora.table import read_corpus_table, read_released_eec

__all__ = [
    "About",
    "Corpus",
    "corpus_names",
    "eec",
    "load_corpus",
    "read_corpus_table",
    "read_released_eec",
    "read_suite",
]
