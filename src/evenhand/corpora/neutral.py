"""What is asked: the sentences of a corpus about a neutral person, of whom nothing is told."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import polars as pl

from evenhand.corpora.catalogue import corpus_names, packaged_recipe
from evenhand.corpora.corpus import Corpus
from evenhand.corpora.language import language, languages
from evenhand.corpora.neutral_sentence import IDENTITY, PRONOUN, CannotBeMade, Sentence

PERSONS = ("name", "noun_phrase", PRONOUN, IDENTITY)
"""The kinds of terms that stand for a person; a country or a conversation is none."""


@dataclass(frozen=True)
class NeutralTexts:
    """For each sentence of a corpus the one about a neutral person or, where that is None, the reason."""

    texts: tuple[str | None, ...]
    reasons: tuple[str | None, ...]


def neutral_texts(corpus: Corpus, *, code: str | None = None) -> tuple[str | None, ...]:
    """For each sentence the same one about a neutral person; None where it cannot be made.

    >>> from evenhand.corpora import eec
    >>> eec().frame["text"][0], neutral_texts(eec())[0]
    ('Ebony feels angry.', 'This person feels angry.')
    """
    return neutralised(corpus, code=code).texts


def neutralised(corpus: Corpus, *, code: str | None = None) -> NeutralTexts:
    """The sentences of a corpus about a neutral person, with the reasons where there are none.

    `code` is the language, which is known for the corpora that come with Evenhand. A sentence in which more than the
    person would have to change (`They feel angry.`), or that cannot be told on its own (whether `her` is an object),
    takes what the others of its source give, if they all give the same.
    """
    code = code or language_of(corpus)
    rules = language(code) if code in languages() else None
    made: list[str | None] = []
    reasons: list[str | None] = []
    columns = [_column(corpus, name) for name in ("text", "term", "kind", "role", "gender", "others")]
    for text, term, kind, role, gender, others in zip(*columns, strict=True):
        try:
            if rules is None or rules.neutral is None:
                raise CannotBeMade(_no_rules(corpus, code))
            if kind is not None and kind not in PERSONS:
                raise CannotBeMade(f"it is about a {kind} and not about a person")
            if others is not None and rules.pronoun_of.get(gender or "") in (None, *others.split(" ")):
                raise CannotBeMade("its pronouns may stand for another person in it")
            made.append(Sentence(str(text), rules, rules.neutral).about_nobody(term, kind, role, gender))
            reasons.append(None)
        except CannotBeMade as reason:
            made.append(None)
            reasons.append(str(reason))
    return _from_siblings(corpus, made, reasons, _column(corpus, "kind"))


def language_of(corpus: Corpus) -> str | None:
    """The language that a corpus names or, of one that comes with Evenhand, that its name tells; None for others."""
    if corpus.language is not None:
        return corpus.language
    return packaged_recipe(corpus.name).language if corpus.name in corpus_names() else None


def _column(corpus: Corpus, name: str) -> list[str | None]:
    frame = corpus.frame
    return frame[name].cast(pl.String).to_list() if name in frame.columns else [None] * len(corpus)


def _no_rules(corpus: Corpus, code: str | None) -> str:
    if code is None:
        return f"it is not known which language the corpus {corpus.name!r} is in"
    return f"there are no rules for a neutral person in the language {code!r}"


def _from_siblings(
    corpus: Corpus, made: list[str | None], reasons: list[str | None], kinds: list[str | None]
) -> NeutralTexts:
    """Where a sentence has none of its own, the one that all others of its source give."""
    by_source: dict[str, set[str]] = defaultdict(set)
    sources = corpus.frame["source"].to_list()
    for source, text in zip(sources, made, strict=True):
        if text is not None:
            by_source[source].add(text)
    texts = list(made)
    for row, (source, kind) in enumerate(zip(sources, kinds, strict=True)):
        if texts[row] is None and len(by_source[source]) == 1 and kind in (None, *PERSONS):
            texts[row] = next(iter(by_source[source]))
    return NeutralTexts(
        tuple(texts), tuple(None if text is not None else why for text, why in zip(texts, reasons, strict=True))
    )
