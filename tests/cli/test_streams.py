"""Standard output is for results alone, whatever systems print; streams that are closed or full are no accident."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each test starts processes; `make quick` does without

NOISY = """
import atexit, ctypes, os, subprocess, sys, threading, time
libc = ctypes.CDLL(None)

def noise(where):
    # In one piece and at once: the thread below writes at the same time, and so do other processes; what a full buffer
    # leaves to a pipe is more than a pipe takes in one piece.
    sys.stdout.write(f"python {where}\\n")
    sys.stdout.flush()
    sys.__stdout__.write(f"its first stream {where}\\n")
    sys.__stdout__.flush()
    libc.printf(f"C {where}\\n".encode())  # kept by C until the process ends
    os.write(1, f"descriptor {where}\\n".encode())
    subprocess.run(["echo", f"child {where}"])
    with open("/dev/stdout", "a") as file:
        file.write(f"device {where}\\n")

def for_ever():
    while True:
        sys.stdout.write("thread\\n")
        sys.stdout.flush()
        time.sleep(0.001)

noise("imported")
threading.Thread(target=for_ever, daemon=True).start()
subprocess.Popen(["sh", "-c", "sleep 0.3; echo orphan"], stdin=subprocess.DEVNULL)
atexit.register(noise, "at exit")

def score(texts):
    noise("scoring")
    return [len(text) / 100 for text in texts]
"""
RECIPE = """
name: small
attributes: {gender: [female, male]}
persons:
  - {kind: noun_phrase, gender: female, terms: [the woman, the girl]}
  - {kind: noun_phrase, gender: male, terms: [the man, the boy]}
slots: {mood: {words: [happy, sad]}}
groupings: [template, mood]
templates: ['{person} is {mood}.']
"""
MAIN = "from evenhand.cli import main; main()"
SOUGHT = "saved in"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "noisy.py").write_text(NOISY)
    (tmp_path / "small.yaml").write_text(RECIPE)
    return tmp_path


def evenhand(
    *arguments: str, cwd: Path, encoding: str = "utf-8", **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments], cwd=cwd, check=False, capture_output=True, timeout=600,
        encoding=encoding, env=os.environ | environment,
    )  # fmt: skip


def in_shell(redirected: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command with streams that a shell closed or redirected."""
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$0" -c "$1" "${{@:2}}" {redirected}', sys.executable, MAIN, *arguments],
        cwd=cwd, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


AUDIT = ("audit", "planted(gap=0.1)", "--corpus", "small.yaml")


@pytest.mark.parametrize(
    "typed",
    [
        ("audit", "py:noisy:score", "--corpus", "small.yaml", "--json"),
        ("repair", "py:noisy:score", "--corpus", "small.yaml", "--repetitions", "1", "--method", "additive", "--json"),
        ("phrases", "py:noisy:score", "--json"),
        ("rate", "py:noisy:score", "--groups", "1", "--bootstrap", "0", "--json"),
    ],
)
def test_json_is_pure_whatever_a_function_prints_wherever_and_whenever(place: Path, typed: tuple[str, ...]) -> None:
    done = evenhand(*typed, cwd=place)
    assert done.returncode == 0, done.stderr[-2000:]
    json.loads(done.stdout)
    for said in ("imported", "scoring", "at exit"):
        for by in ("python", "its first stream", "C", "descriptor", "child", "device"):
            assert f"{by} {said}" in done.stderr
    assert "thread" in done.stderr


def test_what_people_read_is_pure_as_well(place: Path) -> None:
    done = evenhand("audit", "py:noisy:score", "--corpus", "small.yaml", cwd=place)
    assert done.stdout.startswith("Scored: py:noisy:score")
    assert "scoring" not in done.stdout.replace("scoring well", "")


@pytest.mark.parametrize("as_json", [(), ("--json",)])
@pytest.mark.parametrize("redirected", [">&-", "> /dev/full"])
def test_a_result_that_cannot_be_written_is_a_failure(place: Path, redirected: str, as_json: tuple[str, ...]) -> None:
    done = in_shell(redirected, *AUDIT, *as_json, cwd=place)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: cannot write the output: ")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("typed", [AUDIT, (*AUDIT, "--json"), ("--help",), ("systems",), ("audit", "--help")])
def test_a_reader_that_goes_away_ends_it_without_a_word(place: Path, typed: tuple[str, ...]) -> None:
    done = in_shell("| true", *typed, cwd=place)
    assert done.returncode in (141, 0)  # 0: all was written before the reader had gone
    assert "error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_more_than_a_pipe_holds_ends_with_the_code_of_a_broken_pipe(place: Path) -> None:
    done = in_shell("| head -c 1", "reproduce", "rating", "--all", "--json", cwd=place)
    assert (done.returncode, done.stdout) == (141, "{")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("redirected", ["2>&-", "2> /dev/full", "2>&1 >&- | true", "<&-", "<&- 2>&-"])
@pytest.mark.parametrize(("typed", "code"), [(AUDIT, 0), (("audit", "vadr"), 2)])
def test_nobody_to_talk_to_changes_no_code(place: Path, redirected: str, typed: tuple[str, ...], code: int) -> None:
    done = in_shell(redirected, *typed, cwd=place)
    closed = ">&- |" in redirected
    assert done.returncode == (1 if closed and not code else code)
    assert "Traceback" not in done.stdout + done.stderr
    if not closed and not code:
        assert done.stdout.startswith("Scored: planted(gap=0.1)")


def test_a_closed_stream_is_no_file_of_ours(place: Path) -> None:
    """Else the first file that is opened would be given its number, and the messages would be written to it."""
    done = in_shell(">&- 2>&-", *AUDIT, "--out", "out", cwd=place)
    assert done.returncode == 1
    saved = json.loads((place / "out" / "report.json").read_text())
    assert saved["kind"] == "audit"
    for path in (place / "out").iterdir():
        assert SOUGHT.encode() not in path.read_bytes()


def on_a_terminal(*arguments: str, cwd: Path, **environment: str) -> tuple[bytes, int]:
    """What a terminal receives, on both streams, and the exit code."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"} | environment,
    )  # fmt: skip
    os.close(theirs)
    got = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        got += some
    os.close(ours)
    return got, started.wait(timeout=600)


def test_a_message_is_not_longer_because_of_how_it_is_spelled(place: Path) -> None:
    (place / "long.csv").write_bytes(b"\0" * 1_990 + b"\n1\n")
    done = evenhand("measure", "long.csv", cwd=place)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("error: long.csv")
    assert len(done.stderr) < 2_100


PWNED = "\x1b]0;pwned\x07\u202e\x9b31m\nerror: all is fine\r"
ACTING = (b"\x1b]", b"\x07", "\u202e".encode(), "\x9b".encode(), b"\nerror: all is fine")


@pytest.fixture
def hostile(place: Path) -> Path:
    name = json.dumps(PWNED)
    (place / "evil.yaml").write_text(RECIPE.replace("female", name).replace("happy", f'"happy{name[1:]}'))
    (place / "evil.csv").write_text(f'"{PWNED}",text\n1,x\n')
    (place / "evil.py").write_text(
        "import logging, sys, warnings\n"
        f"def fails(texts):\n    raise ValueError({PWNED!r})\n"
        f"def talks(texts):\n    warnings.warn({PWNED!r}); logging.getLogger('x').warning({PWNED!r})\n"
        f"    sys.stderr.write({PWNED!r})\n    return [len(one) / 100 for one in texts]\n"
    )
    (place / f"[red]{PWNED.replace('/', '')}.csv").write_text("text,score\nx,1\n")
    return place


@pytest.mark.parametrize(
    "typed",
    [
        ("audit", "py:evil:fails", "--corpus", "small.yaml"),
        ("audit", "py:evil:fails", "--corpus", "small.yaml", "--debug"),
        ("audit", "py:evil:talks", "--corpus", "small.yaml"),
        ("audit", "planted(gap=0.1)", "--corpus", "evil.yaml"),
        ("audit", "planted(gap=0.1)", "--corpus", "evil.yaml", "--json"),
        ("corpus", "show", "evil.yaml"),
        ("corpus", "names", "evil.yaml"),
        ("audit", "planted(gap=0.1)", "--corpus", "evil.csv"),
        ("audit", f"file:[red]{PWNED}.csv", "--corpus", "small.yaml"),
        ("audit", PWNED),
        ("audit", f"--{PWNED}"),
        (PWNED,),
        ("audit", "vader", "--seed", PWNED),
        ("measure", "evil.csv"),
        ("rate", "--scores", "evil.csv", "--attribute", PWNED),
        ("runs", PWNED),
        ("chat", "evil.csv"),
        ("compare", PWNED, PWNED),
    ],
)
def test_nothing_from_outside_acts_on_a_terminal(hostile: Path, typed: tuple[str, ...]) -> None:
    got, code = on_a_terminal(*typed, cwd=hostile)
    assert code in (0, 1, 2)
    # Functions of one's own may write lines of their own, and tracebacks have several.
    for acting in ACTING[: -1 if {"py:evil:talks", "--debug"} & {*typed} else None]:
        assert acting not in got, got
    assert got


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_is_enough(hostile: Path, encoding: str) -> None:
    how = {"LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "encoding": encoding}
    shown = evenhand("audit", "planted(gap=0.1)", "--corpus", "evil.yaml", cwd=hostile, **how)
    assert shown.returncode == 0, shown.stderr
    assert "\\x1b]0;pwned" in shown.stdout
    written = evenhand("audit", "planted(gap=0.1)", "--corpus", "evil.yaml", "--json", cwd=hostile, **how)
    found = json.loads(written.stdout)
    assert PWNED in (found["findings"][0]["first"], found["findings"][0]["second"])
