"""An audit in the terminal: whole at every width, in the words of the corpus, and with commands that run."""

from __future__ import annotations

import io
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import evenhand
from evenhand import Names, Settings
from evenhand.cli.app import app
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Verdict, Withheld
from evenhand.comparing.verdicts import NOT_AT_THIS_GAP, NOT_BY_PERSONS_ALONE
from evenhand.corpora import eec, load_corpus
from evenhand.report.audit.amounts import number
from evenhand.report.audit.figures import charts_of
from evenhand.report.audit.many import told_all
from evenhand.report.audit.naming import labels
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.terminal import print_report
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.systems import as_tagger

LONG = "planted(gap=0.02, attribute=gender, person_sd=0.005)"


def printed(audit: Audit, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    print_report(audit, console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    cache = tmp_path_factory.mktemp("cache")
    return evenhand.audit([LONG, "vader"], attributes=["race", "race+gender"], cache=cache, progress=False)


@pytest.mark.parametrize("width", [40, 60, 70, 80, 100, 120])
def test_verdicts_and_numbers_are_whole_at_every_width(audit: Audit, width: int) -> None:
    lines = printed(audit, width).splitlines()
    table = lines[: next(place for place, line in enumerate(lines) if line.startswith("Gap: "))]
    assert max(map(len, table)) <= width
    assert not any("…" in line for line in table)
    for finding in audit.findings:
        ends = finding.generalising.shown_interval
        between = "undefined" if ends is None else " to ".join(number(end, span=finding.span) for end in ends)
        for text in (short_verdict(finding), number(finding.mean_difference, span=finding.span), between):
            assert any(re.search(rf"(^| ){re.escape(text)}( |$)", line) for line in table), text


def test_groups_are_called_what_the_corpus_calls_them(audit: Audit) -> None:
    shown = " ".join(printed(audit, 100).split())
    assert "scores sentences with African American women's names" in shown
    assert "race: African American names − European American names" in shown
    assert "female" not in shown


def test_a_corpus_without_labels_shows_its_own_names(tmp_path: Path) -> None:
    bare = replace(eec(), labels={})
    found = evenhand.audit("planted(gap=0.05)", bare, attributes="gender", cache=tmp_path, progress=False)
    assert "scores sentences of the group female 0.050 higher than the same sentences of the group male" in str(found)


def test_people_and_names_are_told_apart(audit: Audit) -> None:
    identity = load_corpus("identity").narrowed(["disability"]).sample(480)
    found = evenhand.audit("random", identity, attributes="disability", progress=False)
    text = in_words(found.findings[0])
    assert "sentences about people with" in text
    assert "For terms like these" in text
    assert "For names like these" in in_words(audit.findings[0])


def test_what_was_seen_in_one_template_is_said_of_no_other(tmp_path: Path) -> None:
    corpus = eec()
    one = replace(corpus, frame=corpus.frame.filter(pl.col("template") == corpus.frame["template"][0]))
    found = evenhand.audit(
        "planted(gap=0.05)", one, attributes="race", thresholds=[0.5], cache=tmp_path, progress=False
    )
    for text in (printed(found, 300), evenhand.export(found, "model-card").decode(), found.to_html()):
        assert "names and words like these, in this one template" in text
    assert "templates and words like these" not in printed(found, 300)


def test_what_is_not_significant_is_said_after_the_gap_and_never_called_fair(audit: Audit) -> None:
    text = in_words(replace(audit.findings[0], significant=False, p_adjusted=0.21))
    assert "higher than the same sentences with European American names, for the names tested; that is not" in text
    assert "significant (p 0.210)." in text
    assert "fair" not in str(audit)


COMMANDS = [
    "audit vader textblob 'planted(gap=0.05)' svr",
    "audit 'planted(gap=0.05, person_sd=0.02)' --sample 480 --spelling released",
    "audit 'planted(gap=0.02, person_sd=0.03)' vader --corpus identity-names --attribute race+gender",
]


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    arguments = shlex.split(command)
    monkeypatch.setattr(sys, "argv", arguments)
    done = CliRunner().invoke(app, arguments[1:])
    assert done.exit_code == 0, (command, done.output)
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_an_audit_prints_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path / "cache"))
    shown = run(f"evenhand {command}", monkeypatch)
    offered = [line.strip() for line in shown.splitlines() if line.startswith("    evenhand ")]
    assert offered
    for line in offered:
        assert run(f"{line} --repetitions 1" if " repair " in line else line, monkeypatch)


def test_every_verdict_has_a_next_step(tmp_path: Path) -> None:
    systems = ["planted(gap=0.05)", "vader"]
    typed = f"evenhand audit {shlex.join(systems)}"
    found = evenhand.audit(systems, cache=tmp_path, progress=False, command=typed)
    assert {finding.verdict for finding in found.findings} == {
        "higher",
        "equivalent",
        "no reaction seen",
        "cannot tell",
    }
    steps = next_steps(found)
    assert list(dict.fromkeys(step.verdict for step in steps)) == [
        "higher or lower", "cannot tell", "equivalent", "no reaction seen", "two systems",
    ]  # fmt: skip
    assert steps[0].commands == ("evenhand audit 'planted(gap=0.05)' vader --high-is bad",)
    assert steps[1].commands == ("evenhand repair 'planted(gap=0.05)' --attribute gender",)


def test_the_offered_tolerance_settles_what_could_not_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "evenhand audit vader --attribute race"
    found = evenhand.audit("vader", attributes="race", cache=tmp_path, progress=False, command=typed)
    assert found.findings[0].verdict == "cannot tell"
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path))
    wider = next(command for step in next_steps(found) for command in step.commands if "--equivalence" in command)
    assert "cannot tell" not in run(wider, monkeypatch).split("Gap:")[0]


def test_until_settled_is_offered_unless_names_alone_will_not_settle_it(tmp_path: Path) -> None:
    typed = "evenhand audit vader --attribute race"
    found = evenhand.audit("vader", attributes="race", cache=tmp_path, progress=False, command=typed)
    assert f"{typed} --until-settled" in commands_for(found)
    only_small = {"power.persons_needed": NOT_BY_PERSONS_ALONE}
    assert f"{typed} --until-settled" in commands_for(with_reasons(found, only_small))
    hopeless = with_reasons(found, only_small | {"power.needed_at_gap": NOT_AT_THIS_GAP})
    assert f"{typed} --out my-audit" in commands_for(hopeless)
    assert "--until-settled" not in " ".join(commands_for(hopeless))
    assert "corpus export" not in " ".join(commands_for(hopeless))


@pytest.mark.parametrize(
    ("options", "asked", "offered"),
    [
        ("--correction holm", {}, "evenhand audit planted --until-settled"),
        ("--correction none", {}, "evenhand audit planted --correction none --until-settled"),
        ("--names 5", {"names": Names(5)}, "evenhand audit planted --seed 1 --until-settled"),
        (
            "--names '5 matched'",
            {"names": Names(5, drawn="matched")},
            "evenhand audit planted --seed 1 --names matched --until-settled",
        ),
        ("--attribute race+gender", {}, "evenhand audit planted --attribute race+gender --until-settled"),
    ],
)
def test_until_settled_is_offered_as_a_command_that_is_taken(
    options: str, asked: dict[str, Names], offered: str, tmp_path: Path
) -> None:
    words = dict(zip(*[iter(shlex.split(options))] * 2, strict=True))
    found = evenhand.audit(
        "planted(gap=0.003, attribute=gender, person_sd=0.03)",
        attributes=words.get("--attribute", ["gender", "race"]),
        settings=Settings(correction=words.get("--correction", "bonferroni")),
        cache=tmp_path,
        progress=False,
        command=f"evenhand audit planted {options}",
        **asked,
    )
    assert offered in commands_for(found)


def commands_for(found: Audit) -> list[str]:
    """What is offered where it cannot be told."""
    return [one for step in next_steps(found) if step.verdict == "cannot tell" for one in step.commands]


def with_reasons(found: Audit, reasons: dict[str, str]) -> Audit:
    """The same audit, where these numbers are undefined for these reasons."""
    return replace(found, findings=tuple(replace(one, undefined=one.undefined | reasons) for one in found.findings))


def test_what_was_asked_in_python_offers_no_commands(audit: Audit) -> None:
    assert next_steps(audit) == []


def short_words(sentences: list[list[str]]) -> list[list[str]]:
    """Finds entities that are written short, whoever they are."""
    return [[f"U-{'LOC' if word[:1].isupper() and len(word) < 8 else 'PER'}" for word in words] for words in sentences]


@pytest.fixture(scope="module")
def countries() -> Audit:
    return evenhand.audit(as_tagger(short_words, name="short"), "ner-country", progress=False)


def test_a_tagger_is_said_to_find_and_not_to_score(countries: Audit) -> None:
    finding = countries.findings[0]
    text = in_words(finding)
    points = f"{100 * abs(finding.mean_difference):.1f} points more often than the other groups"
    assert text.startswith(f"short finds countries in the lowest sixth by GDP per capita {points}")
    assert "For countries like these: cannot tell (the gap could be anywhere from −" in text
    page = re.sub(r"<(script|style).*?</\1>", "", countries.to_html(), flags=re.DOTALL)
    shown = [" ".join(printed(countries, 100).split()), str(countries), page, countries._repr_html_()]
    assert not any(re.search(r"scores? sentences|\(found\)|mean score", text) for text in shown)
    assert "% of the range" not in shown[0]
    assert "gap, points interval, points" in shown[0]


def test_many_groups_stay_readable(countries: Audit) -> None:
    assert len(countries.findings) == 6
    shown = printed(countries, 80)
    assert len(shown.splitlines()) < 40
    assert "short, gdp per capita, each group against the others: cannot tell for 6 of 6" in " ".join(shown.split())
    assert "A group has 12 countries" in " ".join(shown.split())
    assert shown.count("short finds ") == 0


def test_gaps_that_were_shown_are_told_among_many(countries: Audit) -> None:
    found = [
        replace(one, verdict="higher" if place in (3, 5) else one.verdict)
        for place, one in enumerate(countries.findings)
    ]
    assert [one.verdict for one in told_all(found)] == ["higher", "higher", "cannot tell"]


def test_pairs_on_demand_are_told_as_few_words(countries: Audit) -> None:
    pairs = [replace(one, rest=(), second=f"{one.second} {n}") for one in countries.findings for n in range(3)]
    assert [one.verdict for one in told_all(pairs)] == ["cannot tell"] * 2
    assert "cannot tell for 17 more comparisons" in told_all(pairs)[1].text


def test_a_single_system_has_all_groups_of_an_attribute_in_one_chart(countries: Audit) -> None:
    ((name, rows),) = charts_of(countries.findings, labels(countries.findings)).items()
    largest = max(countries.findings, key=lambda finding: abs(finding.mean_difference))
    assert (name, len(rows)) == ("gdp_per_capita, each group against the others", 6)
    assert rows[0][0] == largest.first


def test_a_family_of_names_is_them_and_one_name_is_it(audit: Audit) -> None:
    family = Withheld("higher", "person", "Lakisha, Latisha, Latoya", 0.001, "cannot tell")
    finding = next(one for one in audit.findings if one.generalising.shown_interval is not None)
    several = in_words(replace(finding, verdict="cannot tell", withheld=family))
    assert "hangs on names of one spelling family (Lakisha, Latisha, Latoya): without them the gap is 0.001" in several
    alone = in_words(replace(finding, verdict="cannot tell", withheld=replace(family, label="Tia")))
    assert "hangs on Tia: without it the gap is 0.001" in alone


def with_verdicts(audit: Audit, *verdicts: Verdict) -> str:
    """What is printed below the table, of findings with these verdicts that the corpus asks two comparisons of."""
    found = next(one for one in audit.findings if one.generalising.shown_interval is not None)
    findings = tuple(
        replace(
            found,
            verdict=verdict,
            generalising=replace(
                found.generalising, comparisons=2, shown_level=0.95 if verdict == "equivalent" else 0.975
            ),
        )
        for verdict in verdicts
    )
    return " ".join(printed(replace(audit, findings=findings), 300).split())


def test_the_level_of_each_interval_is_told(audit: Audit) -> None:
    asked = "corrected for the 2 comparisons that this corpus asks of each system"
    beside = "beside “equivalent”, 95 %, for that claim alone."
    assert f"Intervals are 97.5 % ({asked}); {beside}" in with_verdicts(audit, "higher", "equivalent")
    only = f"Verdicts are {asked}; intervals beside “equivalent” are 95 %, for that claim alone."
    assert only in with_verdicts(audit, "equivalent")


def test_no_table_says_equivalent_without_its_condition(audit: Audit) -> None:
    condition = "that react as those tested do; below is what others could do"
    assert condition in with_verdicts(audit, "higher", "equivalent")
    assert condition not in with_verdicts(audit, "higher", "cannot tell")
