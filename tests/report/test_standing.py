"""No verdict looks good of a system that does not do its job, wherever it is shown; sentences say who is worse off."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.report.audit.figures import VERDICTS, forest, forest_row
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.notebook import notebook_table
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.terminal import print_report
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.results.rendering import renderer_of

GREEN = "\x1b[32m"
HAPPY = ("happy", "glad", "ecstatic", "great", "wonderful", "funny", "excited", "relieved", "amazing", "hilarious")


def able(texts: Sequence[str]) -> list[float]:
    """Reacts to emotion words and, a little, to men's names: equivalent, and able."""
    return [0.3 + 0.4 * any(word in text for word in HAPPY) + 0.0005 * ("Adam" in text) for text in texts]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    cache = tmp_path_factory.mktemp("cache")
    typed = "evenhand audit py:own:able --outputs valence"
    return evenhand.audit(able, outputs=["valence"], cache=cache, progress=False, command=typed)


def failing(audit: Audit, does_its_job: bool | None) -> Audit:
    """The same findings, of a system of which something else is known."""
    why = "it is blind" if does_its_job is False else None
    changed = [replace(one, does_its_job=does_its_job, why_not_its_job=why) for one in audit.findings]
    return replace(audit, findings=tuple(changed), abilities=())


def coloured(audit: Audit) -> str:
    out = io.StringIO()
    print_report(audit, Console(file=out, width=200, force_terminal=True, color_system="standard"))
    return out.getvalue()


def body(audit: Audit) -> str:
    return re.sub(r"<(script|style).*?</\1>", "", audit.to_html(), flags=re.DOTALL)


def test_the_fixture_is_equivalent_and_able(audit: Audit) -> None:
    assert {one.verdict for one in audit.findings} == {"equivalent"}
    assert {one.does_its_job for one in audit.findings} == {True}


def test_green_is_for_those_who_do_their_job(audit: Audit) -> None:
    assert GREEN in coloured(audit)
    assert 'class="equivalent"' in body(audit)
    assert {look(one) for one in audit.findings} == {"equivalent"}


@pytest.mark.parametrize("does_its_job", [False, None])
def test_nothing_is_green_of_others(audit: Audit, does_its_job: bool | None) -> None:
    other = failing(audit, does_its_job)
    assert GREEN not in coloured(other)
    assert not re.search(r'class="(tag )?equivalent"', body(other))
    specs = forest([forest_row(one, "x") for one in other.findings], delta=1)
    shown = {row["verdict"] for row in specs["data"]["values"]}
    colours = specs["layer"][2]["encoding"]["color"]["scale"]
    green = colours["range"][VERDICTS.index("equivalent")]
    assert all(colours["range"][colours["domain"].index(verdict)] != green for verdict in shown)


@pytest.mark.parametrize("verdict", ["equivalent", "no reaction seen"])
def test_what_says_little_says_so_and_why(audit: Audit, verdict: str) -> None:
    finding: Finding = replace(failing(audit, False).findings[0], verdict=verdict)  # type: ignore[arg-type]
    assert css(look(finding)) == "too-weak-to-say"
    assert short_verdict(finding).endswith(", too weak")
    assert "But the system does not do its job: it is blind, so this says little." in in_words(finding)
    assert "too weak" in notebook_table([finding])
    assert "so this says little" in notebook_table([finding])
    listed = renderer_of(audit).summary(replace(audit, findings=(finding,)))
    assert listed == f"1 {verdict} (too weak)"


def test_a_gap_of_a_weak_system_is_still_a_gap(audit: Audit) -> None:
    finding = replace(failing(audit, False).findings[0], verdict="higher")
    assert look(finding) == "higher"
    assert "says little" not in in_words(finding)


def test_a_weak_system_gets_its_own_next_step(audit: Audit) -> None:
    verdicts = [step.verdict for step in next_steps(failing(audit, False))]
    assert "does not do its job" in verdicts
    assert "equivalent" not in verdicts


@pytest.mark.parametrize(
    ("verdict", "high_is", "worse_off", "ends"),
    [
        ("lower", "good", "female", "): women are worse off (a high valence is good)."),
        ("higher", "good", "male", "): men are worse off (a high valence is good)."),
        ("higher", "bad", "female", "): women are worse off (a high valence is bad)."),
        ("higher", "neither", None, "); a high valence is neither good nor bad."),
        ("higher", None, None, ")."),
    ],
)
def test_a_shown_gap_says_who_is_worse_off(
    audit: Audit, verdict: str, high_is: str | None, worse_off: str | None, ends: str
) -> None:
    found = next(one for one in audit.findings if one.attribute == "gender")
    changed = replace(found, verdict=verdict, high_is=high_is, worse_off=worse_off)  # type: ignore[arg-type]
    assert in_words(changed).endswith(ends)


@pytest.mark.parametrize("verdict", ["equivalent", "no reaction seen", "cannot tell"])
def test_nobody_is_worse_off_where_no_gap_is_shown(audit: Audit, verdict: str) -> None:
    for finding in audit.findings:
        assert "worse off" not in in_words(replace(finding, verdict=verdict))  # type: ignore[arg-type]


def test_names_are_not_worse_off_but_those_who_bear_them(audit: Audit) -> None:
    race = next(one for one in audit.findings if one.attribute == "race")
    shown = in_words(replace(race, verdict="lower", high_is="good", worse_off=race.first))
    assert "people with African American names are worse off" in shown


def test_it_survives_saving(audit: Audit, tmp_path: Path) -> None:
    weak = failing(audit, False)
    weak.save(tmp_path)
    assert Audit.load(tmp_path).findings == weak.findings
