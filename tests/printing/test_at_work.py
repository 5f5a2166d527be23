"""Whatever takes long says so, on a terminal, and takes that back before anything else is printed."""

from __future__ import annotations

import io
import threading
import time

import pytest

from evenhand.asking import progress
from evenhand.cli import _said_to_work
from evenhand.printing import at_work as place
from evenhand.printing.at_work import ERASED, at_work, make_way, others_move
from evenhand.printing.streams import Result, Shown


class Terminal:
    """What was written to it, and that something was."""

    def __init__(self) -> None:
        self.content = b""
        self.written = threading.Event()

    def write(self, content: bytes) -> None:
        self.content += content
        if content != ERASED:
            self.written.set()

    @property
    def line(self) -> bytes:
        """What can be seen."""
        return self.content.rpartition(ERASED)[2]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(place, "_write", made.write)
    monkeypatch.setattr(place, "_is_terminal", lambda: True)
    monkeypatch.setattr(place, "A_MOMENT", 0.0)
    monkeypatch.setattr(place, "EVERY", 0.01)
    return made


def test_it_says_so_until_the_end(terminal: Terminal) -> None:
    with at_work("audit"):
        assert terminal.written.wait(60)
        assert terminal.line == b"audit: at work, 0 s"
    assert terminal.line == b""


def test_it_makes_way_for_what_is_printed_and_for_bars(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_work("audit"):
        for way in (lambda: Shown(2).write(""), lambda: Result(1).write(""), make_way):
            assert terminal.written.wait(60)
            monkeypatch.setattr(place, "A_MOMENT", 1e9)
            way()
            assert terminal.line == b""
            terminal.written.clear()
            monkeypatch.setattr(place, "A_MOMENT", 0.0)
        with others_move():
            terminal.written.clear()
            assert not terminal.written.wait(0.1)
        assert terminal.written.wait(60)


def test_bars_own_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with at_work("audit"), progress.progress_bars(show=True):
        terminal.written.clear()
        assert not terminal.written.wait(0.1)


@pytest.mark.parametrize("typed", [["audit", "vader", "--quiet"], ["serve"], ["--help"], []])
def test_nobody_is_told_who_wants_quiet_or_has_a_server_wait(terminal: Terminal, typed: list[str]) -> None:
    with _said_to_work(typed):
        time.sleep(0.1)
    assert terminal.content == b""


def test_where_nobody_watches_nothing_is_written(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_is_terminal", lambda: False)
    with _said_to_work(["audit"]):
        time.sleep(0.1)
    assert terminal.content == b""
