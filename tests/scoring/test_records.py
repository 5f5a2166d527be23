from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scoring.plan import key_of
from evenhand.scoring.records import MAGIC, from_records, to_record

KEYS = [key_of([text]) for text in "abc"]
VALUES = [np.array([[0.1, -0.0], [5e-324, number]]) for number in (1.0, 2.0, 3.0)]
RECORDS = [to_record(key, values) for key, values in zip(KEYS, VALUES, strict=True)]


def found(content: bytes) -> dict[str, bytes]:
    return {key: values.tobytes() for key, values in from_records(content)}


def expected(*places: int) -> dict[str, bytes]:
    return {KEYS[place]: VALUES[place].tobytes() for place in places}


def test_records_come_back_bit_for_bit() -> None:
    assert found(b"".join(RECORDS)) == expected(0, 1, 2)
    assert [values.shape for _, values in from_records(RECORDS[0])] == [(2, 2)]


def test_a_record_cut_off_anywhere_is_not_there_and_the_ones_before_are() -> None:
    for length in range(len(RECORDS[1])):
        assert found(RECORDS[0] + RECORDS[1][:length]) == expected(0), length


def test_every_flipped_bit_costs_its_own_record_only() -> None:
    for place in range(len(RECORDS[1])):
        damaged = bytearray(RECORDS[1])
        damaged[place] ^= 1
        assert found(RECORDS[0] + damaged + RECORDS[2]) == expected(0, 2), place


def test_zeros_as_after_a_power_cut_are_passed_over() -> None:
    assert found(RECORDS[0] + bytes(len(RECORDS[1])) + RECORDS[2]) == expected(0, 2)


def test_a_number_that_looks_like_the_start_of_a_record_is_a_number() -> None:
    trap = np.frombuffer(MAGIC * 4, dtype="<f8").reshape(2, 2)
    content = to_record(KEYS[0], trap) + RECORDS[1]
    assert found(content) == {KEYS[0]: trap.tobytes(), **expected(1)}
    assert found(content[1:]) == expected(1)


@given(st.binary(), st.binary())
def test_garbage_around_a_record_does_not_hide_it(before: bytes, after: bytes) -> None:
    assert found(before + RECORDS[0] + after) == expected(0)


@given(st.binary())
def test_garbage_holds_no_record(garbage: bytes) -> None:
    assert found(garbage) == {}
    assert found(MAGIC + garbage) == {}
