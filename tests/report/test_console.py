"""Tables in the terminal: as wide as it is, and nothing cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from evenhand.report.common.console import Column, print_table

COLUMNS = (
    Column("system"),
    Column("comparison", wraps=True),
    Column("gap", right=True),
    Column("95 % interval", right=True),
    Column("p, names tested"),
    Column("verdict"),
)
LABELS = "people with a chronic illness − people without a disability"
ROWS = (
    ("vader", "gender", "0.002", "−0.003 to 0.007", "< 0.001", Text("equivalent ±0.020", style="green")),
    ("vader", LABELS, "−12.34", "−112.34 to −0.03", "identical", Text("cannot tell")),
    ("hf:models/a-long-name/of-a-folder", "gender", "0.023", "undefined", "0.041", Text("higher")),
)
WIDTHS = (40, 60, 70, 80, 100, 120)


def printed(width: int, columns: tuple[Column, ...] = COLUMNS, **how: int) -> str:
    console = Console(width=width, file=io.StringIO())
    print_table(console, columns, ROWS, **how)  # type: ignore[arg-type]
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_cell_is_whole_and_no_line_too_long(width: int) -> None:
    shown = printed(width, leads=2)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in shown
    for row in ROWS:
        for cell in map(str, (row[0], *row[2:])):
            assert any(cell in line for line in lines), cell
    words = shown.split()
    assert all(word in words for word in LABELS.split())


def test_a_narrow_terminal_gets_blocks_that_name_each_value() -> None:
    first, second, *_ = printed(60, leads=2).splitlines()
    assert first.rstrip() == "vader, gender"
    assert second.rstrip() == "  gap 0.002  95 % interval −0.003 to 0.007"


def test_a_wide_terminal_gets_a_table_without_repeats() -> None:
    heading, first, second, *_ = printed(160, leads=2).splitlines()
    assert heading.split() == ["system", "comparison", "gap", "95", "%", "interval", "p,", "names", "tested", "verdict"]
    assert first.startswith("vader ")
    assert second.startswith("   ")


def test_headings_give_way_before_cells_do() -> None:
    tight = (Column("system"), *COLUMNS[1:])
    lines = printed(120, tight, leads=2).splitlines()
    assert "tested" in lines[1]
    assert "p, names" in lines[0]


def test_nothing_is_printed_for_no_rows() -> None:
    console = Console(width=80, file=io.StringIO())
    print_table(console, COLUMNS, ())
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]
