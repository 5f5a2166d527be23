"""`evenhand serve`: it says where it listens, answers there, and stops when it is told to."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError

COMMAND = [sys.executable, "-c", "from evenhand.cli import main; main()", "serve"]
TOKEN = "correct-horse-battery-staple"  # noqa: S105 - of these tests alone


def get(address: str, path: str, *headers: str) -> str:
    host, port = re.match(r"http://(.*):(\d+)/", address).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=60) as line:
        asked = "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", *headers, "", ""])
        line.sendall(asked.encode())
        parts = []
        while part := line.recv(65536):
            parts.append(part)
    return b"".join(parts).decode()


@pytest.mark.slow
def test_it_serves_until_it_is_stopped(saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(saved / "both", folder / "both")
    environment = {**os.environ, "EVENHAND_CACHE_DIR": str(tmp_path / "cache"), "EVENHAND_TOKEN": TOKEN}
    started = subprocess.Popen(
        [*COMMAND, str(folder), "--port", "0"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip
    assert started.stderr is not None
    said = started.stderr.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+/", said)
    assert address is not None, said
    assert "303" in get(address[0], "/").splitlines()[0]
    bearer = f"Authorization: Bearer {TOKEN}"
    end = time.monotonic() + 60
    while "vader" not in get(address[0], "/api/results", bearer) and time.monotonic() < end:
        time.sleep(0.1)
    assert "200" in get(address[0], "/", bearer).splitlines()[0]
    started.send_signal(signal.SIGINT)
    printed, logged = started.communicate(timeout=60)
    assert (started.returncode, printed, logged) == (0, "", "stopped\n")  # nothing was logged: no token, no address
    assert sorted(path.name for path in folder.iterdir()) == ["both"]


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, ["serve", *words])
    assert isinstance(done.exception, EvenhandError), done.exception
    return str(done.exception)


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen at 127.0.0.1, port {port}" in refused(str(tmp_path), "--port", str(port))


def test_who_lets_others_in_needs_a_token(tmp_path: Path) -> None:
    assert "needs a token" in refused(str(tmp_path), "--host", "0.0.0.0", "--port", "0")  # noqa: S104
    assert "at least 16 characters" in refused(str(tmp_path), "--token", "short", "--port", "0")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "there is no folder" in refused(str(tmp_path / "nothing"))


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("evenhand.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "needs the extra 'web': pip install 'evenhand[web]'" in refused(str(tmp_path))


def test_a_system_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    assert "did you mean 'vader'?" in refused(str(tmp_path), "--system", "vadr", "--port", "0")
