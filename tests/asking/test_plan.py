from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from evenhand.asking.plan import key_of, make_plan

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])))


def test_the_plan_is_of_the_sorted_distinct_texts() -> None:
    plan = make_plan(["d", "a", "c", "a", "b", "e"], 2)
    assert plan.texts == ("a", "b", "c", "d", "e")
    assert [batch.texts for batch in plan.batches] == [("a", "b"), ("c", "d"), ("e",)]
    assert [plan.texts[batch.rows] for batch in plan.batches] == [batch.texts for batch in plan.batches]


def test_no_texts_give_no_batches() -> None:
    assert make_plan([], 64).batches == ()


@given(TEXTS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_row_order_and_repetition_do_not_change_the_plan(texts: list[str], size: int, chance: random.Random) -> None:
    shuffled = texts + texts[:2]
    chance.shuffle(shuffled)
    assert make_plan(shuffled, size) == make_plan(texts, size)


@given(TEXTS, TEXTS)
def test_different_texts_have_different_keys(one: list[str], other: list[str]) -> None:
    assert (key_of(one) == key_of(other)) == (one == other)


def test_a_key_sees_where_one_text_ends_and_the_next_begins() -> None:
    lists = [["ab"], ["a", "b"], ["", "ab"], ["ab", ""], ["a\n", "b"], ["a", "\nb"], ["b", "a"]]
    assert len({key_of(texts) for texts in lists}) == len(lists)


def test_the_key_of_a_plan_depends_on_the_batch_size() -> None:
    assert make_plan("abc", 2).key != make_plan("abc", 3).key
