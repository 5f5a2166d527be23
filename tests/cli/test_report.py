"""`evenhand report --format`: where exports go, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand import audit
from evenhand.cli.app import app
from evenhand.errors import UsageError

run = CliRunner(env={"COLUMNS": "120"})


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    audit(["vader", "planted(gap=0.05)"], sample=480, progress=False, out=folder)
    return folder


def reported(*words: str | Path) -> str:
    done = run.invoke(app, ["report", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*words: str | Path) -> str:
    done = run.invoke(app, ["report", *map(str, words)])
    assert isinstance(done.exception, UsageError), done.output
    return str(done.exception)


def test_text_goes_to_stdout_and_nothing_else_does(saved: Path) -> None:
    before = sorted(saved.iterdir())
    assert reported(saved, "--format", "model-card", "--system", "vader").startswith("---\nmodel-index:\n")
    assert reported(saved / "report.json", "--format", "test-record").startswith("# Test record: ")
    assert sorted(saved.iterdir()) == before


def test_text_goes_to_a_file_that_is_not_there_yet(saved: Path, tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    assert reported(saved, "--format", "model-card", "--system", "vader", "--out", card) == f"{card}\n"
    written = card.read_text(encoding="utf-8")
    assert written == reported(saved, "--format", "model-card", "--system", "vader")
    assert "is there already" in refused(saved, "--format", "test-record", "--out", card)
    assert card.read_text(encoding="utf-8") == written
    reported(saved, "--format", "test-record", "--out", card, "--overwrite")
    assert card.read_text(encoding="utf-8").startswith("# Test record")


@pytest.mark.parametrize(
    ("name", "message"),
    [("report.json", "part of the saved result"), ("", "not a file"), ("x" * 300, "cannot be written")],
)
def test_an_export_replaces_no_part_of_the_result_and_no_folder(saved: Path, name: str, message: str) -> None:
    before = (saved / "report.json").read_bytes()
    assert message in refused(saved, "--format", "pdf", "--out", saved / name, "--overwrite")
    assert (saved / "report.json").read_bytes() == before


def test_the_page_to_print_lies_beside_the_result(saved: Path, tmp_path: Path) -> None:
    assert reported(saved, "--format", "pdf") == f"{saved / 'report.pdf'}\n"
    content = (saved / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    reported(saved, "--format", "pdf")
    assert (saved / "report.pdf").read_bytes() == content
    reported(saved, "--format", "pdf", "--out", tmp_path / "other.pdf")
    assert (tmp_path / "other.pdf").read_bytes() == content


def test_what_is_said_goes_into_the_record_and_not_into_the_result(saved: Path) -> None:
    kept = (saved / "report.json").read_bytes()
    text = reported(saved, "--format", "test-record", "--auditor", "Ada", "--date", "2026-11-18")
    assert "| Auditor | Ada (said when the record was made, not with the test) |" in text
    assert (saved / "report.json").read_bytes() == kept


def test_what_does_not_apply_is_refused(saved: Path) -> None:
    assert refused(saved, "--auditor", "Ada") == "--auditor does not apply without --format"
    assert refused(saved, "--system", "vader") == "--system does not apply without --format"
    assert refused(saved, "--format", "pdf", "--json") == "--json does not apply with --format"
    assert refused(saved, "--format", "docx").startswith("--format takes model-card, ")
    assert "must be written as in 2026-11-18" in refused(saved, "--format", "pdf", "--date", "yesterday")


def test_an_audit_takes_what_is_said(tmp_path: Path) -> None:
    typed = ["audit", "planted(gap=0.05)", "--sample", "480", "--json"]
    plain = json.loads(run.invoke(app, typed).stdout)
    said = ["--auditor", "Ada", "--date", "2026-11-18", "--model-version", "4", "--tolerance-set-on", "2026-10-02"]
    stated = json.loads(run.invoke(app, [*typed, *said, "--tolerance-reason", "minutes, 12"]).stdout)
    assert stated["provenance"].pop("statement") == {
        "auditor": "Ada",
        "date": "2026-11-18",
        "model_version": "4",
        "tolerance_set_on": "2026-10-02",
        "tolerance_reason": "minutes, 12",
    }
    for one in (plain, stated):
        one["provenance"].pop("command")  # of the process that runs the tests
    assert stated == plain


def test_a_repair_takes_when_and_why_its_tolerance_was_set() -> None:
    typed = ["repair", "planted(gap=0.05)", "--sample", "480", "--attribute", "gender", "--method", "layers", "--json"]
    said = ["--repetitions", "1", "--tolerance-set-on", "2026-10-02", "--tolerance-reason", "minutes, 12"]
    stated = json.loads(run.invoke(app, [*typed, *said]).stdout)["provenance"]["statement"]
    assert stated == {"tolerance_set_on": "2026-10-02", "tolerance_reason": "minutes, 12"}


def test_impact_ratios_come_from_any_saved_audit(saved: Path, tmp_path: Path) -> None:
    shown = reported(saved, "--format", "impact-ratios", "--system", "vader", "--auditor", "Ada")
    assert shown.startswith("# Scoring rates and impact ratios\n\n**This is not a bias audit")
    assert "Auditor: Ada (said when the record was made, not with the test)" in shown
    assert [line for line in shown.splitlines() if line.startswith("## ")] == ["## vader, valence"]
    table = tmp_path / "impact.csv"
    reported(saved, "--format", "impact-ratios", "--out", table)
    assert table.read_text(encoding="utf-8").startswith("system,output,attribute,group")
    assert "--threshold does not apply" in refused(saved, "--format", "impact-ratios", "--threshold", "0.5")


def test_impact_ratios_are_of_scores(tmp_path: Path) -> None:
    audit(lambda sentences: [[{"O": 1.0} for _ in tokens] for tokens in sentences], "ner-country", sample=200,
          progress=False, out=tmp_path)  # fmt: skip
    assert "taggers find an entity or they do not" in refused(tmp_path, "--format", "impact-ratios")
