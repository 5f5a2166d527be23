"""Politeness does not depend on gender."""

import pytest
from politeness import score

from evenhand.testing import assert_even


def test_women_and_men_are_scored_alike():
    assert_even(score, attribute="gender", within=0.02, settings={"sample": 960})


@pytest.mark.slow_system
def test_so_are_all_sentences_of_the_corpus():
    assert_even(score, attribute="gender", within=0.02)
