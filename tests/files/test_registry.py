"""Tables of what people call by name; plugins have tests of their own."""

from __future__ import annotations

from typing import Any

import pytest

from evenhand.errors import MissingExtra, UsageError
from evenhand.files.registry import Registry


@pytest.fixture
def fruit() -> Registry[Any]:
    table: Registry[Any] = Registry("fruit")

    @table.enter("apple")
    class Apple:
        """A pome.

        And more of it.
        """

        def __init__(self, *, weight: float = 0.1) -> None:
            self.weight = weight

    @table.enter("tin", extra="canned", address="SHELF")
    def tin(shelf: str) -> str:
        """Fruit in a tin."""
        if shelf == "high":
            import no_such_ladder  # noqa: F401
        return f"from {shelf}"

    return table


def test_an_entry_knows_what_to_type_and_its_first_line(fruit: Registry[Any]) -> None:
    assert [(one.typed, one.summary) for one in fruit.values()] == [
        ("apple", "A pome."),
        ("tin:SHELF", "Fruit in a tin."),
    ]


def test_what_is_entered_is_built_with_its_address_and_settings(fruit: Registry[Any]) -> None:
    assert fruit.build("apple", weight=0.25).weight == 0.25
    assert fruit.build("tin", "low") == "from low"


def test_an_unknown_name_is_told_with_a_guess(fruit: Registry[Any]) -> None:
    with pytest.raises(UsageError, match="unknown fruit 'aple'; did you mean 'apple'"):
        fruit.build("aple")
    with pytest.raises(UsageError, match="did you mean 'pear'"):
        fruit.find("peer", also=["pear"])
    assert fruit.lookup("pear") is None


def test_an_address_that_is_missing_is_told(fruit: Registry[Any]) -> None:
    with pytest.raises(UsageError, match="'tin:' does not read as tin:SHELF"):
        fruit.build("tin", "")


def test_a_missing_extra_names_what_to_install(fruit: Registry[Any]) -> None:
    with pytest.raises(MissingExtra, match=r"the fruit 'tin' needs the extra 'canned': pip install"):
        fruit.build("tin", "high")


def test_a_table_without_a_group_has_no_plugins(fruit: Registry[Any]) -> None:
    assert fruit.announced() == []
