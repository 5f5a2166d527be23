"""A chain over tags against brute force: every sequence written down, its score added up by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import EvenhandError, UsageError
from evenhand.schemes import BILOU
from evenhand.systems.base import Array
from evenhand.systems.training.chain_training import ChainLayer
from evenhand.systems.transformers.chain import FILE, PARTS, Chain, barriers, read_chain

TAGS = ("O", "B-LOC", "I-LOC", "L-LOC", "U-LOC", "B-PER", "I-PER", "L-PER", "U-PER")


def drawn(tags: int, words: int, seed: int) -> tuple[Chain, Array]:
    rng = np.random.default_rng(seed)
    return Chain(rng.normal(size=tags), rng.normal(size=(tags, tags)), rng.normal(size=tags)), rng.normal(
        size=(words, tags)
    )


def by_hand(chain: Chain, emissions: Array, tags: tuple[int, ...]) -> float:
    """The score of one sequence, in a loop."""
    score = chain.start[tags[0]] + chain.end[tags[-1]]
    for word, tag in enumerate(tags):
        score += emissions[word, tag] + (chain.moves[tags[word - 1], tag] if word else 0.0)
    return float(score)


def everything(chain: Chain, emissions: Array) -> dict[tuple[int, ...], float]:
    words, tags = emissions.shape
    return {one: by_hand(chain, emissions, one) for one in product(range(tags), repeat=words)}


SIZES = {"tags": st.integers(2, 4), "words": st.integers(1, 5), "seed": st.integers(0, 10_000)}


@settings(deadline=None, max_examples=60)
@given(**SIZES)
def test_the_likeliest_sequence_is_that_with_the_highest_score(tags: int, words: int, seed: int) -> None:
    chain, emissions = drawn(tags, words, seed)
    scores = everything(chain, emissions)
    assert tuple(chain.likeliest(emissions).tolist()) == max(scores, key=scores.__getitem__)


@settings(deadline=None, max_examples=60)
@given(**SIZES)
def test_marginals_add_up_the_sequences_that_hold_a_tag(tags: int, words: int, seed: int) -> None:
    chain, emissions = drawn(tags, words, seed)
    scores = everything(chain, emissions)
    weights = {one: np.exp(score) for one, score in scores.items()}
    total = sum(weights.values())
    expected = np.zeros((words, tags))
    for one, weight in weights.items():
        for word, tag in enumerate(one):
            expected[word, tag] += weight / total
    np.testing.assert_allclose(chain.marginals(emissions), expected, rtol=1e-9, atol=1e-12)


def layer_of(chain: Chain, tags: int) -> ChainLayer:
    """A layer with these weights, without barriers."""
    layer = ChainLayer(["O"] * tags)
    for name in PARTS:
        layer._learned[name].data = torch.tensor(getattr(chain, name), dtype=torch.float64)
        layer._bars[name] = layer._bars[name].double() * 0
    return layer


@settings(deadline=None, max_examples=30)
@given(**SIZES)
def test_the_error_is_how_unlikely_the_right_sequence_is_among_all(tags: int, words: int, seed: int) -> None:
    chain, emissions = drawn(tags, words, seed)
    scores = everything(chain, emissions)
    right = tuple(np.random.default_rng(seed).integers(0, tags, size=words).tolist())
    expected = np.log(sum(np.exp(score) for score in scores.values())) - scores[right]
    # Beside a longer sentence, so that it is padded.
    longer = np.random.default_rng(seed + 1).normal(size=(words + 2, tags))
    both = torch.zeros((2, words + 2, tags), dtype=torch.float64)
    both[0, :words], both[1] = torch.tensor(emissions), torch.tensor(longer)
    wanted, there = torch.zeros((2, words + 2), dtype=torch.long), torch.ones((2, words + 2), dtype=torch.long)
    wanted[0, :words], there[0, words:] = torch.tensor(right), 0
    found = layer_of(chain, tags).error(both, wanted, there)
    assert float(found[0].detach()) == pytest.approx(expected)
    alone = np.log(sum(map(np.exp, everything(chain, longer).values()))) - by_hand(chain, longer, (0,) * (words + 2))
    assert float(found[1].detach()) == pytest.approx(alone)


@settings(deadline=None, max_examples=40)
@given(words=st.integers(1, 6), seed=st.integers(0, 10_000))
def test_whatever_the_words_say_the_sequence_is_well_formed(words: int, seed: int) -> None:
    emissions = np.random.default_rng(seed).normal(scale=20, size=(words, len(TAGS)))
    tags = [TAGS[place] for place in barriers(TAGS).likeliest(emissions)]
    assert not BILOU.read(tags).misfits
    marginals = barriers(TAGS).marginals(emissions)
    np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
    forbidden_first = [place for place, tag in enumerate(TAGS) if tag[0] in "IL"]
    assert marginals[0, forbidden_first].max() == pytest.approx(0.0, abs=1e-12)


def test_barriers_allow_what_bilou_reads_without_repair_and_nothing_else() -> None:
    bars = barriers(TAGS)
    for sequence in product(range(len(TAGS)), repeat=3):
        free = by_hand(bars, np.zeros((3, len(TAGS))), sequence) == 0
        assert free == (not BILOU.read([TAGS[place] for place in sequence]).misfits), sequence


def test_it_is_saved_and_read_and_a_file_of_another_tagger_is_refused(tmp_path: Path) -> None:
    chain, emissions = drawn(4, 3, 7)
    assert read_chain(tmp_path, 4) is None
    chain.save(tmp_path)
    again = read_chain(tmp_path, 4)
    assert again is not None
    np.testing.assert_array_equal(again.marginals(emissions), chain.marginals(emissions))
    with pytest.raises(EvenhandError, match="is not the chain of a tagger with 5 tags"):
        read_chain(tmp_path, 5)
    (tmp_path / FILE).write_bytes(b"no such thing")
    with pytest.raises(EvenhandError, match="cannot be read"):
        read_chain(tmp_path, 4)


def test_a_chain_is_for_tags(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from evenhand.cli.app import app

    words = ["train", "transformer", "--task", "classify", "--base", "x", "--train", "x", "--dev", "x", "--out", "y"]
    done = CliRunner().invoke(app, [*words, "--crf"])
    assert isinstance(done.exception, UsageError)
    assert "--crf is for --task tag" in str(done.exception)
