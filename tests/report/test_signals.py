"""Is it the group, or that its names are rare? What the terminal, the page, the figures and the tables say of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.corpora.asked_names import Names
from evenhand.corpora.pools import load_pool
from evenhand.printing import console_of
from evenhand.report.audit import RENDERER
from evenhand.report.audit.next_steps import next_steps

BEARERS = {one.name: one.bearers for one in load_pool("us-names").names}


def rare_is_low(texts: Sequence[str]) -> list[float]:
    """A score that follows how common a name is, and a little luck."""
    found = [next((word for word in re.findall(r"[A-Z]\w+", text) if word in BEARERS), None) for text in texts]
    return [
        0.5 if name is None else min(0.4 + 0.1 * len(str(BEARERS[name])) + 0.002 * (sum(map(ord, name)) % 17), 1.0)
        for name in found
    ]


@pytest.fixture(scope="module")
def both() -> Audit:
    """Matched and unmatched names, of which rare ones are scored low."""
    return evenhand.audit(
        rare_is_low, "eec", names=Names(20, "both"), attributes="race", sample=2400, progress=False, command=COMMAND
    )


COMMAND = "evenhand audit py:mine:score --names '20 both' --attribute race"


def test_the_terminal_shows_both_gaps(both: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    RENDERER.show(both, console_of(100))
    said = capsys.readouterr().out
    assert "Is it the group, or that its names are rare?" in said
    assert "gap as drawn" in said
    assert "between names equally common, old and long, the gap cannot be told from none" in " ".join(said.split())
    assert "bearers who are Black" in said
    assert "fair" not in said.split("Is it the group")[1].split("Does the system")[0].lower()


def test_the_page_has_a_section_and_the_charts(both: Audit) -> None:
    page = both.to_html()
    assert 'id="names"' in page
    assert '"called":"Black"' in page
    assert "What the groups' names are like" in page or "What the groups&#39; names are like" in page


def test_a_page_without_names_has_none() -> None:
    audit = evenhand.audit("planted(gap=0.02)", "noun-phrases", attributes="gender", sample=400, progress=False)
    assert 'id="names"' not in audit.to_html()
    assert not [name for name in RENDERER.tables(audit) if "signals" in name]


def test_figures_and_tables_are_files(both: Audit) -> None:
    figures = RENDERER.figures(both)
    drawn = [name for name in figures if name.startswith(("figures/share-", "figures/bearers-"))]
    assert len(drawn) == 8  # two of each subset, as PNG and SVG
    made = figures[next(name for name in drawn if name.startswith("figures/share-") and name.endswith(".svg"))]
    assert b"bearers who are Black, %" in (made() if callable(made) else made)
    tables = RENDERER.tables(both)
    names = tables["tables/names.csv"]
    assert isinstance(names, bytes)
    lines = names.decode().splitlines()
    assert lines[0].startswith("system,output,attribute,subset,name,group,share_of,share,bearers,birth_year")
    assert len(lines) == 1 + 2 * 80
    assert "tables/signals.csv" in tables
    assert "tables/signals.tex" in tables


def test_unmatched_names_lead_to_matched_ones(both: Audit) -> None:
    asked = {"attributes": "race", "sample": 1600, "progress": False}
    one = evenhand.audit(
        rare_is_low, "eec", names=Names(20), command="evenhand audit py:mine:score --names 20 --attribute race", **asked
    )
    commands = [command for step in next_steps(one) for command in step.commands]
    assert "evenhand audit py:mine:score --attribute race --names '20 both'" in commands
    assert not [command for step in next_steps(both) for command in step.commands if "matched" in command]


def test_the_names_of_the_eec_lead_to_the_pool() -> None:
    command = "evenhand audit py:mine:score --attribute race"
    audit = evenhand.audit(rare_is_low, "eec", attributes="race", progress=False, command=command)
    assert audit.findings[0].verdict == "lower"
    commands = [command for step in next_steps(audit) for command in step.commands]
    assert "evenhand audit py:mine:score --attribute race --names '40 both'" in commands


def test_what_was_saved_is_shown_again(both: Audit, tmp_path: Path) -> None:
    both.save(tmp_path / "saved")
    loaded = Audit.load(tmp_path / "saved")
    assert loaded.to_html() == both.to_html()
