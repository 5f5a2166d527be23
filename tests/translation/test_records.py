"""Records of translations: whatever happens to the bytes around them, what is whole is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evenhand.scoring.plan import key_of
from evenhand.translation.records import from_records, to_record

PAIRS = st.dictionaries(st.text(min_size=1), st.text(), max_size=5)


@given(PAIRS)
def test_what_was_written_is_read(said: dict[str, str]) -> None:
    content = b"".join(to_record(key_of([text]), translation) for text, translation in said.items())
    assert dict(from_records(content)) == {key_of([text]): translation for text, translation in said.items()}


@given(PAIRS, st.data())
def test_a_cut_costs_the_last_record_only(said: dict[str, str], data: st.DataObject) -> None:
    records = [to_record(key_of([text]), translation) for text, translation in said.items()]
    content = b"".join(records)
    cut = data.draw(st.integers(0, len(content)))
    whole = sum(1 for number in range(len(records)) if sum(map(len, records[: number + 1])) <= cut)
    assert len(list(from_records(content[:cut]))) == whole


@given(st.data())
def test_damage_is_noticed(data: st.DataObject) -> None:
    content = bytearray(b"".join(to_record(key_of([text]), text * 3) for text in ("one", "two", "three")))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 0xFF
    found = dict(from_records(bytes(content)))
    assert len(found) == 2
    assert found.items() <= {key_of([text]): text * 3 for text in ("one", "two", "three")}.items()
