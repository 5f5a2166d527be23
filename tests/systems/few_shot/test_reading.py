"""Reading label probabilities, and labels that are several tokens: by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.errors import UsageError
from evenhand.systems.few_shot.label_tokens import Cutter, LabelTokens, label_tokens, refuse_shared_first
from evenhand.systems.few_shot.reading import distribution_of, expected, most_likely

MASSES = arrays(np.float64, (4, 5), elements=st.floats(0.001, 1))


def test_masses_are_renormalised_within_the_labels() -> None:
    # 0.1 + 0.2 + 0.1 = 0.4 lies on the labels, 0.6 outside.
    np.testing.assert_allclose(distribution_of(np.array([[0.1, 0.2, 0.1]])), [[0.25, 0.5, 0.25]])


def test_no_mass_at_all_is_undefined_and_not_zero() -> None:
    shares = distribution_of(np.array([[0.0, 0.0], [0.2, 0.2]]))
    assert np.isnan(shares[0]).all()
    assert shares[1].tolist() == [0.5, 0.5]
    assert np.isnan(expected(shares, [1, 2])[0])
    assert np.isnan(most_likely(shares, [1, 2])[0])


def test_masses_next_to_nothing_are_still_shared_out() -> None:
    np.testing.assert_allclose(distribution_of(np.array([[1e-300, 3e-300]])), [[0.25, 0.75]])


def test_the_expected_label_by_hand() -> None:
    # 1 * 0.1 + 2 * 0.2 + 3 * 0.3 + 4 * 0.4 = 3.0; values need neither order nor even steps.
    assert expected(np.array([[0.1, 0.2, 0.3, 0.4]]), [1, 2, 3, 4])[0] == pytest.approx(3.0)
    assert expected(np.array([[0.5, 0.25, 0.25]]), [10, -2, 0])[0] == pytest.approx(4.5)


def test_the_most_likely_label_by_hand() -> None:
    found = most_likely(np.array([[0.1, 0.6, 0.3], [0.4, 0.2, 0.4], [0.3, 0.35, 0.35]]), [3, 2, 1])
    assert found.tolist() == [2, 1, 1]  # of two that are as likely, the lower value, wherever it stands


@given(MASSES)
def test_readings_agree_with_numpys_own_weighted_mean(masses: np.ndarray) -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    read = expected(distribution_of(masses), values)
    theirs = [np.average(values, weights=row) for row in masses]
    np.testing.assert_allclose(read, theirs, rtol=1e-12)
    assert ((read >= 1) & (read <= 5)).all()
    top = [values[int(np.argmax(row / row.sum()))] for row in masses]
    assert most_likely(distribution_of(masses), values).tolist() == top


@given(MASSES)
def test_a_row_is_read_alike_alone_and_in_company_to_the_bit(masses: np.ndarray) -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    together = expected(distribution_of(masses), values)
    alone = [expected(distribution_of(row[None]), values)[0] for row in masses]
    strided = expected(distribution_of(np.asfortranarray(masses)), values)
    assert together.tolist() == alone == strided.tolist()


# Tokenisers, toy-sized: each takes the longest piece that it knows.


class Toy:
    """Reads text in its pieces, longest first, and single characters."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = sorted(pieces, key=len, reverse=True)
        self.calls = 0

    def __call__(self, text: str) -> list[int]:
        self.calls += 1
        tokens = []
        while text:
            piece = next((one for one in self.pieces if text.startswith(one)), text[0])
            tokens.append(hash_of(piece))
            text = text[len(piece) :]
        return tokens


def hash_of(piece: str) -> int:
    return int.from_bytes(piece.encode(), "big")


def ids(*pieces: str) -> tuple[int, ...]:
    return tuple(map(hash_of, pieces))


def test_a_label_is_what_it_adds_to_the_prompts_tokens() -> None:
    cut = label_tokens(Toy("Score"), "Score: ", ["1", "2"])
    assert cut == LabelTokens(ids("Score", ":", " "), (ids("1"), ids("2")))


def test_a_space_that_joins_a_label_goes_with_all_labels() -> None:
    cut = label_tokens(Toy("Score", " 1", " 2"), "Score: ", ["1", "2", "3"])
    assert cut.prompt == ids("Score", ":")
    assert cut.chains == (ids(" 1"), ids(" 2"), ids(" ", "3"))


def test_the_mass_of_a_label_is_the_product_along_its_tokens() -> None:
    cut = label_tokens(Toy("very ", "bad", "good", "fine"), "So: ", ["very bad", "very good", "fine"])
    very, bad, good, fine = (hash_of(piece) for piece in ("very ", "bad", "good", "fine"))
    assert cut.stems == ((), (very,))  # what labels begin with alike is asked once
    assert set(cut.following(())) == {very, fine}
    assert set(cut.following((very,))) == {bad, good}
    masses = cut.masses({(): {very: 0.5, fine: 0.2}, (very,): {bad: 0.6, good: 0.1}})
    np.testing.assert_allclose(masses, [0.3, 0.05, 0.2])
    assert cut.longest == len(cut.prompt) + 2


def test_a_longer_beginning_follows_the_one_that_it_extends() -> None:
    stems = LabelTokens((), ((3, 1, 2), (3, 1, 4), (1, 9), (3, 5))).stems
    assert stems == ((), (1,), (3,), (3, 1))


def test_a_label_that_begins_another_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError) as caught:
        label_tokens(Toy(), "Score: ", ["1", "2", "10"])
    assert "the label '1' is how the label '10' begins" in str(caught.value)
    assert "\n" not in str(caught.value)
    label_tokens(Toy("10"), "Score: ", ["1", "2", "10"])  # two tokens that differ can be told apart


def test_how_labels_are_cut_is_found_out_once_for_each_end_of_a_prompt() -> None:
    tokens = Toy("Score", " 1", " 2", " 3")
    cutter = Cutter(tokens)
    first = cutter.cut("Ann. Score: ", ["1", "2", "3"])
    assert tokens.calls == 4
    second = cutter.cut("Bob is here. Score: ", ["1", "2", "3"])
    assert tokens.calls == 5
    assert second.chains == first.chains
    assert second.prompt == tuple(tokens("Bob is here. Score:"))
    assert cutter.cut("Ann. Grade: ", ["1", "2", "3"]) == label_tokens(tokens, "Ann. Grade: ", ["1", "2", "3"])
    other = cutter.cut("Ann. Score: ", ["1", "a"])
    assert other.chains == (ids(" 1"), ids(" ", "a"))


def test_labels_that_share_a_first_token_are_refused_where_only_that_is_seen() -> None:
    refuse_shared_first(["low", "high"], ["l", "h"])
    with pytest.raises(UsageError, match="the labels 'very bad' and 'very good' begin with the same token 'very'"):
        refuse_shared_first(["very bad", "fine", "very good"], ["very", "fine", "very"])
