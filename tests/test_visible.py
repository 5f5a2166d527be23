"""Whatever a text holds, nothing in it acts on a terminal, and all of it can be seen."""

from __future__ import annotations

import io
import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from evenhand.printing import visible, visible_line, visible_lines
from evenhand.printing.screen import Lines, Screen
from evenhand.report.common.console import Column, print_table
from evenhand.visible import visible_json

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(codec=None),
        st.sampled_from(
            "\x00\x07\x08\x1b\x7f\x85\x9b\r\n\t\xad\u200b\u200d\u202e\u2066\u2028\ufeff\ud800\U000e0041[]a"
        ),
    ),
    max_size=30,
)
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def acts(sign: str) -> bool:
    """Said without the table that is tested: by what Unicode says of signs."""
    return unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(sign) in TURNING


@given(HOSTILE)
def test_nothing_that_is_shown_acts(text: str) -> None:
    for shown in (visible(text), visible_line(text)):
        assert not [sign for sign in shown if acts(sign)]
        assert "\u200b" not in shown
        shown.encode()
    assert {sign for sign in visible_lines(text) if acts(sign)} <= {"\n", "\t"}


def test_every_sign_that_acts_is_known() -> None:
    signs = map(chr, range(0x110000))
    assert [sign for sign in signs if acts(sign) and visible(sign) == sign] == []


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Sm", "Zs"]), max_size=30))
def test_words_of_all_languages_stay_as_they_are(text: str) -> None:
    fillers = "\u115f\u1160\u3164\uffa0"
    if not set(fillers) & set(text):
        assert visible(text) == text


def test_joiners_shape_words_and_emojis_and_hide_nothing_else() -> None:
    for kept in ("می\u200cخواهم", "\U0001f469\u200d\U0001f467", "क्\u200dष"):
        assert visible(kept) == kept
    assert visible("pass\u200dword") == "pass\\u200dword"
    assert visible("é\u200d\u200dé") == "é\\u200d\\u200dé"
    assert visible("\u200d") == "\\u200d"


@given(st.recursive(HOSTILE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3)))
def test_json_says_the_same_and_does_nothing(value: object) -> None:
    written = json.dumps(value, ensure_ascii=False, indent=1)
    shown = visible_json(written)
    assert json.loads(shown) == value
    assert {sign for sign in shown if acts(sign)} <= {"\n"}


def test_an_error_that_cannot_say_what_it_is_is_named() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert visible_line(Silent()) == "(Silent)"


def printed(*what: object) -> str:
    file = io.StringIO()
    screen = Screen(file=file, width=60)
    screen.print(*what)
    return file.getvalue()


@given(HOSTILE)
def test_a_screen_shows_what_is_printed_as_one_line_that_does_nothing(text: str) -> None:
    for one in (text, Text(text), Text.assemble(("• ", "bold"), text)):
        assert {sign for sign in printed(one) if acts(sign)} <= {"\n"}
    table = Table()
    table.add_row(Text(text))
    assert {sign for sign in printed(table) if acts(sign)} <= {"\n"}


def test_markup_and_emoji_codes_are_words() -> None:
    assert printed("[red]x[/red] :bomb:") == "[red]x[/red] :bomb:\n"


def test_styles_stay_where_they_were() -> None:
    file = io.StringIO()
    screen = Screen(file=file, width=60)
    text = Text.assemble(("a\x1b", "bold"), "b\n", ("c", "red"))
    screen.print(text)
    assert file.getvalue() == "a\\x1bb\\nc\n"


@given(HOSTILE, st.sampled_from([30, 200]))
def test_a_table_makes_room_for_what_is_spelled_out(name: str, width: int) -> None:
    file = io.StringIO()
    print_table(
        Screen(file=file, width=width), [Column(name), Column("gap", right=True)], [(name, "0.1"), ("x", "0.2")]
    )
    shown = file.getvalue()
    assert {sign for sign in shown if acts(sign)} <= {"\n"}
    assert "0.1" in shown


def test_a_cell_has_the_lines_that_it_was_given() -> None:
    file = io.StringIO()
    print_table(Screen(file=file, width=60), [Column("")], [(Lines("one\nline", "another"),)])
    assert [line.strip() for line in file.getvalue().splitlines()] == ["", "one\\nline", "another"]
