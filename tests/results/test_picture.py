"""Charts of results, as notebooks show them."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand
from evenhand.errors import UsageError
from evenhand.results.picture import picked, pictures_in

SVG, PNG = b"<svg>drawn</svg>", b"\x89PNG"


def test_charts_are_found_among_files_and_drawn_when_they_are_looked_at(tmp_path: Path) -> None:
    drawn: list[str] = []

    def draw() -> bytes:
        drawn.append("once")
        return SVG

    found = pictures_in({"figures/one.svg": draw, "figures/one.png": PNG, "table.csv": b"a", "figures/lonely.png": PNG})
    assert list(found) == ["one"]
    assert drawn == []
    assert found["one"]._repr_svg_() == SVG.decode()
    assert found["one"].save(tmp_path / "mine.png").read_bytes() == PNG
    with pytest.raises(UsageError, match=r"mine.pdf: a picture is saved as \.png or \.svg"):
        found["one"].save(tmp_path / "mine.pdf")


def test_a_chart_is_picked_by_its_name() -> None:
    found = pictures_in({"forest-gender.svg": SVG, "persons.svg": SVG})
    assert picked(found, None, "audit").name == "forest-gender"
    assert picked(found, "persons", "audit").name == "persons"
    with pytest.raises(UsageError, match="kind audit has no chart 'person'; did you mean 'persons'"):
        picked(found, "person", "audit")
    with pytest.raises(UsageError, match="kind drift has no charts"):
        picked({}, None, "drift")


def test_an_audit_is_drawn_and_its_table_begins_with_what_was_found() -> None:
    report = evenhand.audit("planted(gap=0.1)", sample=240, progress=False)
    assert report.charts[0].startswith("forest-gender")
    assert report.plot().svg.startswith("<svg")
    assert report.frame().columns[:8] == [
        "system", "output", "attribute", "first", "second", "subset", "verdict", "mean_difference",
    ]  # fmt: skip
