"""Records: saved ones stay readable, and whatever happens to the bytes around one, what is whole is read."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.asking.plan import key_of
from evenhand.files.records import MATRIX, TEXT, matrix_record, read_matrices, read_texts, text_record

KEYS = [key_of([text]) for text in "abc"]
VALUES = [np.array([[0.1, -0.0], [5e-324, number]]) for number in (1.0, 2.0, 3.0)]
RECORDS = [matrix_record(key, values) for key, values in zip(KEYS, VALUES, strict=True)]
SAID = st.dictionaries(st.text(min_size=1), st.text(), max_size=5)

SAVED_MATRIX = bytes.fromhex(
    "6576656e686e643132cba0b49a3948d1c010faad759f7d7b05c7d96aaae46d28940bd9d400780cc5abababababababababababab"
    "abababababababababababababababababababab01000000000000000200000000000000000000000000f03f000000000000e0bf"
)
SAVED_TEXT = bytes.fromhex(
    "6576656e6874723154659bb86ea431964c81d2dc2122565383c895445a3d643535a8df82a1feefcfcdcdcdcdcdcdcdcdcdcdcdcd"
    "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd0500000000000000457374c3a1"
)


def found(content: bytes) -> dict[str, bytes]:
    return {key: values.tobytes() for key, values in read_matrices(content)}


def expected(*places: int) -> dict[str, bytes]:
    return {KEYS[place]: VALUES[place].tobytes() for place in places}


def test_saved_caches_stay_readable_and_records_keep_their_bytes() -> None:
    assert matrix_record("ab" * 32, np.array([[1.0, -0.5]])) == SAVED_MATRIX
    assert [(key, values.tolist()) for key, values in read_matrices(SAVED_MATRIX)] == [("ab" * 32, [[1.0, -0.5]])]
    assert text_record("cd" * 32, "Está") == SAVED_TEXT
    assert list(read_texts(SAVED_TEXT)) == [("cd" * 32, "Está")]


def test_each_kind_is_read_from_among_the_other() -> None:
    content = RECORDS[0] + text_record(KEYS[0], "said") + RECORDS[1]
    assert found(content) == expected(0, 1)
    assert list(read_texts(content)) == [(KEYS[0], "said")]


def test_matrices_come_back_bit_for_bit() -> None:
    assert found(b"".join(RECORDS)) == expected(0, 1, 2)
    assert [values.shape for _, values in read_matrices(RECORDS[0])] == [(2, 2)]


@given(SAID)
def test_texts_come_back(said: dict[str, str]) -> None:
    content = b"".join(text_record(key_of([text]), translation) for text, translation in said.items())
    assert dict(read_texts(content)) == {key_of([text]): translation for text, translation in said.items()}


def test_a_record_cut_off_anywhere_is_not_there_and_the_ones_before_are() -> None:
    for length in range(len(RECORDS[1])):
        assert found(RECORDS[0] + RECORDS[1][:length]) == expected(0), length


@given(SAID, st.data())
def test_a_cut_costs_the_last_text_only(said: dict[str, str], data: st.DataObject) -> None:
    records = [text_record(key_of([text]), translation) for text, translation in said.items()]
    content = b"".join(records)
    cut = data.draw(st.integers(0, len(content)))
    whole = sum(1 for number in range(len(records)) if sum(map(len, records[: number + 1])) <= cut)
    assert len(list(read_texts(content[:cut]))) == whole


def test_every_flipped_bit_costs_its_own_record_only() -> None:
    for place in range(len(RECORDS[1])):
        damaged = bytearray(RECORDS[1])
        damaged[place] ^= 1
        assert found(RECORDS[0] + damaged + RECORDS[2]) == expected(0, 2), place


def test_zeros_as_after_a_power_cut_are_passed_over() -> None:
    assert found(RECORDS[0] + bytes(len(RECORDS[1])) + RECORDS[2]) == expected(0, 2)


def test_a_number_that_looks_like_the_start_of_a_record_is_a_number() -> None:
    trap = np.frombuffer(MATRIX.magic * 4, dtype="<f8").reshape(2, 2)
    content = matrix_record(KEYS[0], trap) + RECORDS[1]
    assert found(content) == {KEYS[0]: trap.tobytes(), **expected(1)}
    assert found(content[1:]) == expected(1)


@given(st.data())
def test_damage_to_a_text_is_noticed(data: st.DataObject) -> None:
    content = bytearray(b"".join(text_record(key_of([text]), text * 3) for text in ("one", "two", "three")))
    content[data.draw(st.integers(0, len(content) - 1))] ^= 0xFF
    left = dict(read_texts(bytes(content)))
    assert len(left) == 2
    assert left.items() <= {key_of([text]): text * 3 for text in ("one", "two", "three")}.items()


@given(st.binary(), st.binary())
def test_garbage_around_a_record_does_not_hide_it(before: bytes, after: bytes) -> None:
    assert found(before + RECORDS[0] + after) == expected(0)


@given(st.binary())
def test_garbage_holds_no_record(garbage: bytes) -> None:
    assert found(garbage) == found(MATRIX.magic + garbage) == {}
    assert list(read_texts(TEXT.magic + garbage)) == []
