"""What a command says on the way: one line each, and none twice."""

from __future__ import annotations

import logging

import pytest

from evenhand.cli import _Said


def test_the_same_announcement_is_made_once(capsys: pytest.CaptureFixture[str]) -> None:
    handler = _Said()
    for line in ("24 of 24 answers come from the cache", "48 of 48", "24 of 24 answers come from the cache"):
        handler.emit(logging.makeLogRecord({"msg": line}))
    assert capsys.readouterr().err == "24 of 24 answers come from the cache\n48 of 48\n"
