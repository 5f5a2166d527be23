"""Who stands on which side of each unit."""

from __future__ import annotations

import numpy as np

from evenhand.contrasts.members import Members
from evenhand.corpora.coded import Strings

NAMES = Strings(["mum", "mom", "dad", "Ryan"])
MADE = Members(NAMES, np.array([0, 1, 2, 3], dtype=np.int32), np.array([[2, 1], [0, 1]]))


def test_members_are_a_sequence_of_both_sides() -> None:
    assert MADE == ((("mum", "mom"), ("dad",)), ((), ("Ryan",)))
    assert len(MADE) == 2
    assert MADE[0] == (("mum", "mom"), ("dad",))
    assert MADE[-1] == ((), ("Ryan",))
    assert MADE[1:] == (((), ("Ryan",)),)
    assert MADE[:0] == ()


def test_members_are_counted_by_side() -> None:
    assert MADE.number == 4
    assert MADE.on_each_side == (2, 2)


def test_members_of_two_comparisons_stand_one_after_the_other() -> None:
    other = Members(Strings(["Ann"]), np.array([0], dtype=np.int32), np.array([[1, 0]]))
    assert MADE + other == (*MADE, (("Ann",), ()))
