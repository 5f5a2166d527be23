"""What pytest loads where Evenhand is installed: a marker for slow systems, and a line about those that were slow.

Imports nothing: every run of pytest on this machine loads it, also where nobody uses Evenhand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

MARKER = "slow_system"
SLOW = 10.0
"""Seconds from which on a system is named at the end."""
PROPERTY = "evenhand_slow_system"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also with --strict-markers."""
    about = 'a test that asks a slow system (evenhand); leave such tests out with -m "not slow_system"'
    config.addinivalue_line("markers", f"{MARKER}: {about}")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Note who was slow with the test's report, which workers of xdist send home."""
    testing = sys.modules.get("evenhand.testing")
    if testing is None:
        return
    took = list(testing.TOOK)
    testing.TOOK.clear()
    if item.get_closest_marker(MARKER) is None:
        item.user_properties += [(PROPERTY, f"{name}, {seconds:.0f} s") for name, seconds in took if seconds >= SLOW]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name the tests that should be marked."""
    slow = sorted(set(_slow(terminalreporter.stats)))
    if slow:
        terminalreporter.section("slow systems")
        for test, who in slow:
            terminalreporter.write_line(f"{test}: {who}; mark it with @pytest.mark.{MARKER}")


def _slow(stats: dict[str, list[Any]]) -> Iterator[tuple[str, str]]:
    """The tests and systems that reports tell of."""
    for reports in stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    yield report.nodeid, value
