"""What every system of the table keeps to."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from evenhand.corpora.corpus import Corpus
from evenhand.systems import REGISTRY, Scorer, build_system

# svr has to be trained first, and smollm takes its time; their own files ask the same of them. Those with an address
# have tests of their own.
NAMES = sorted({name for name, entry in REGISTRY.items() if entry.address is None} - {"svr", "smollm"})


def build(name: str, corpus: Corpus) -> Scorer:
    takes_corpus = "corpus" in inspect.signature(REGISTRY[name].build).parameters
    return build_system(name, **({"corpus": corpus} if takes_corpus else {}))


@pytest.fixture(params=NAMES)
def scorer(request: pytest.FixtureRequest, corpus: Corpus) -> Scorer:
    return build(request.param, corpus)


def test_the_table_holds_the_first_systems() -> None:
    first = {"afinn", "biased-female", "nrc", "planted", "random", "svr", "textblob", "vader"}
    assert first <= set(REGISTRY)


def test_every_system_has_a_summary_for_people() -> None:
    assert all(entry.summary.endswith(".") for entry in REGISTRY.values())


def test_it_is_a_scorer_under_its_own_name(scorer: Scorer) -> None:
    assert isinstance(scorer, Scorer)
    assert scorer.name in REGISTRY
    assert scorer.batch_size >= 1


def test_it_gives_one_finite_number_per_text_and_output(scorer: Scorer, corpus: Corpus) -> None:
    answers = scorer.score(corpus.frame["text"].to_list())
    assert answers.shape == (len(corpus), len(scorer.outputs))
    assert answers.dtype == np.float64
    assert np.isfinite(answers).all()


def test_it_stays_within_its_declared_range(scorer: Scorer, corpus: Corpus) -> None:
    answers = scorer.score(corpus.frame["text"].to_list())
    for column, output in zip(answers.T, scorer.outputs, strict=True):
        if output.low is not None and output.high is not None:
            assert output.low <= column.min() <= column.max() <= output.high


def test_no_texts_give_no_rows(scorer: Scorer) -> None:
    assert scorer.score([]).shape == (0, len(scorer.outputs))


def test_answers_depend_on_neither_batch_nor_order(scorer: Scorer, corpus: Corpus) -> None:
    texts = corpus.frame["text"].to_list()
    together = scorer.score(texts)
    backwards = scorer.score(texts[::-1])[::-1]
    alone = np.vstack([scorer.score([text]) for text in texts])
    np.testing.assert_array_equal(together, backwards)
    np.testing.assert_array_equal(together, alone)


def test_the_same_system_built_twice_has_the_same_fingerprint(scorer: Scorer, corpus: Corpus) -> None:
    assert scorer.fingerprint == build(scorer.name, corpus).fingerprint


def test_no_two_systems_share_a_fingerprint(corpus: Corpus) -> None:
    assert len({build(name, corpus).fingerprint for name in NAMES}) == len(NAMES)
