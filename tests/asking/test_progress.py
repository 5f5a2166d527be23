from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.asking.progress import progress_bars

CHILD = Path(__file__).with_name("child.py")


def test_without_a_terminal_nothing_is_shown_and_rich_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys; before = 'rich.progress' in sys.modules\n"
        "from evenhand.asking.progress import progress_bars\n"
        "with progress_bars() as start: start('s', 10, 0)(5)\n"
        "assert not before and 'rich.progress' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_on_a_terminal_the_bar_shows_the_system_the_rate_and_the_time_left(tmp_path: Path) -> None:
    shown, tail = pty.openpty()
    arguments = [f"--cache={tmp_path / 'cache'}", f"--out={tmp_path / 'out'}", f"--log={tmp_path / 'log'}"]
    command = [sys.executable, str(CHILD), *arguments, "--sentences=60", "--batch=2", "--delay=0.03"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=tail, env=environment) as child:
        os.close(tail)
        written = b""
        while chunk := _read(shown):
            written += chunk
        assert child.stdout is not None
        assert child.stdout.read() == b""
    os.close(shown)
    assert child.returncode == 0
    for part in ("slow", "/60", "/s", "0:00:0"):
        assert part in written.decode(), part


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_the_bar_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bars(True) as start:
        start("[red]vader[/red]", 10, 4)(6)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "[red]vader[/red]" in captured.err


def test_no_stderr_at_all_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bars() as start:
        start("vader", 10, 4)(6)
