"""Frames: whatever a text holds, it comes out of them as it went in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.translation.stream import from_frames, to_frame

MARKUP = st.text(alphabet="^$/[]{}@\\<>~*.'\"+#_ \n\t\r\x0b\x1f\x85\u00a0\u2028aé漢", max_size=30)


@given(st.lists(st.one_of(MARKUP, st.text(max_size=30)), max_size=6))
def test_texts_come_out_as_they_went_in(texts: list[str]) -> None:
    said = from_frames(b"".join(map(to_frame, texts)))
    assert said == [text.replace("\0", " ") for text in texts]


@given(MARKUP)
def test_no_character_that_means_something_is_left_bare(text: str) -> None:
    """Outside brackets, what Apertium takes for markup stands behind a backslash, and blanks are single spaces."""
    rest = to_frame(text).decode().removesuffix(".[]\0")
    bare, place = [], 0
    while place < len(rest):
        if rest[place] == "[":
            place = rest.index("]", place)
        elif rest[place] == "\\":
            place += 1
        else:
            bare.append(rest[place])
        place += 1
    assert not set(bare) & set("^$/[]{}@\\<>~\n\t\r\x0b\x1f\x85\u00a0\u2028")


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (b"Se\xc3\xb1or[]\0", "Señor"),  # an abbreviation has swallowed the full stop
        (b"Hola..[]\0", "Hola."),
        (b".[]\0", ""),
        (b"a[ \n ]b.[]\0", "a \n b"),
        (b"\\[2\\] \\\\ \\^.[]\0", "[2] \\ ^"),
    ],
)
def test_what_apertium_writes_is_read(frame: bytes, text: str) -> None:
    assert from_frames(frame) == [text]


def test_what_was_cut_off_is_left_out() -> None:
    whole = to_frame("one") + to_frame("two")
    assert from_frames(whole[:-1]) == ["one"]
    assert from_frames(b"") == []
