"""What cannot be asked of a study is refused before its files are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand
from evenhand import Settings, UsageError
from evenhand.studies import reading


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"bounds": (1.0, 0.0)}, "a range needs two numbers, the lower first, not 1 and 0"),
        ({"bounds": (0.0, float("inf"))}, "a range needs two numbers"),
        ({"attributes": ["gnder"]}, "has no attribute 'gnder'; did you mean 'gender'?"),
        ({"baseline": "cedr"}, "no system 'cedr' to hold the others against; did you mean 'cedar'?"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_options_that_cannot_be_are_refused_before_a_file_is_read(
    small: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], complaint: str
) -> None:
    def never(*arguments: object, **named: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(reading.Reader, "read", never)
    with pytest.raises(UsageError) as refused:
        evenhand.study(small / "submissions", progress=False, **options)
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"alpha": 7}, "alpha must lie between 0 and 0.5, not 7"),
        ({"seed": -4}, "a seed must be a whole number from 0, not -4"),
        ({"correction": "holms"}, "unknown correction 'holms'; did you mean 'holm'?"),
        ({"equivalence": 0}, "must lie between 0 and 1, not 0"),
    ],
)
def test_settings_of_the_tests_are_checked_as_for_an_audit(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        Settings(**settings)
    assert complaint in str(refused.value)
