"""The command line, as people use it: real processes, exit codes, stdout and stderr apart."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.corpora import eec
from evenhand.files.tables import write_table

pytestmark = pytest.mark.slow  # each test starts processes; `make quick` does without

PLANTED = "planted(gap=0.02,person_sd=0.005)"
FAIR = "planted(gap=0,person_sd=0.005)"


def evenhand(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, cwd=cwd, env=os.environ | environment, check=False,
    )  # fmt: skip


def findings(*arguments: str, **environment: str) -> list[dict[str, object]]:
    done = evenhand("audit", *arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return content["findings"]  # type: ignore[no-any-return]


def test_a_planted_gap_is_found_and_a_fair_system_is_equivalent() -> None:
    found = {(f["system"], f["attribute"]): f["verdict"] for f in findings(PLANTED, FAIR)}
    assert found[PLANTED, "gender"] == "higher"
    assert found[PLANTED, "race"] != "higher"
    assert found[PLANTED, "race"] != "lower"
    assert found[FAIR, "gender"] == found[FAIR, "race"] == "equivalent"


def test_json_has_the_promised_shape_and_nothing_else_is_on_stdout() -> None:
    done = evenhand("audit", "vader", "--json", "--subset", "all", "--subset", "neutral")
    assert done.returncode == 0
    content = json.loads(done.stdout)
    assert set(content) == {"kind", "findings", "abilities", "signals", "notes", "provenance"}
    assert [(f["attribute"], f["subset"], f["n"]) for f in content["findings"]] == [
        ("gender", "all", 1584), ("race", "all", 144), ("gender", "neutral", 44), ("race", "neutral", 4),
    ]  # fmt: skip
    promised = {
        *("system", "output", "range", "attribute", "first", "second", "subset", "n", "mean_difference"),
        *("standard_error", "t", "p", "p_adjusted", "significant", "interval", "delta_spread", "mean_positive"),
        *("mean_negative", "effect_size", "generalising", "equivalence", "rests_on", "direction", "verdict"),
        "undefined",
    }
    for finding in content["findings"]:
        assert promised <= set(finding)
        assert {"p", "p_adjusted", "significant", "interval", "df", "n_persons", "n_templates", "p_permutation"} <= set(
            finding["generalising"]
        )
        assert {"delta", "equivalent", "bound"} <= set(finding["equivalence"])
    assert (content["findings"][0]["first"], content["findings"][0]["second"]) == ("female", "male")
    assert content["findings"][1]["first"] == "African American"
    assert content["provenance"]["corpus"]["digest"] == eec().digest
    assert content["provenance"]["assessments"] == 2


def test_the_tia_story() -> None:
    race = findings("vader", "--attribute", "race")[0]
    assert race["significant"]
    assert race["p"] < 1e-80  # type: ignore[operator]
    assert race["verdict"] == "cannot tell"
    assert race["rests_on"]["person"] == "Tia"  # type: ignore[index]
    assert race["rests_on"]["without"] == 0  # type: ignore[index]
    said = " ".join(evenhand("audit", "vader", "--attribute", "race", "--full").stdout.split())
    assert "Tia alone accounts for it: without Tia the gap is 0.000" in said
    assert "For names like these: cannot tell" in said
    assert "more names per group would decide four times in five" in said


def test_the_same_audit_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = evenhand("audit", PLANTED, "--out", str(tmp_path / name), "--cache", str(tmp_path / f"cache-{name}"))
        assert done.returncode == 0, done.stderr
    for file in ("report.json", "scores.parquet", "report.html", "corpus.parquet"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    files = ["corpus.parquet", "report.html", "report.json", "scores.parquet"]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == files


def test_a_report_is_shown_again_without_scoring(tmp_path: Path) -> None:
    first = evenhand("audit", PLANTED, "--out", str(tmp_path / "out"))
    again = evenhand("report", str(tmp_path / "out"))
    assert again.returncode == 0
    assert again.stdout == first.stdout
    as_json = evenhand("report", str(tmp_path / "out"), "--json").stdout
    assert as_json == (tmp_path / "out" / "report.json").read_text()


def test_saved_scores_are_audited_again_as_a_file(tmp_path: Path) -> None:
    evenhand("audit", "vader", "--out", str(tmp_path / "out"))
    again = findings(f"file:{tmp_path}/out/scores.parquet", "--attribute", "gender")
    assert (again[0]["system"], again[0]["range"]) == ("vader", [-1, 1])
    sampled = findings(f"file:{tmp_path}/out/scores.parquet", PLANTED, "--attribute", "gender", "--sample", "960")
    assert [finding["n"] for finding in sampled] == [176, 176]


def test_own_predictions_and_own_functions(tmp_path: Path) -> None:
    frame = eec().frame.select("text", score=pl.col("text").str.len_chars() / 100)
    write_table(frame, tmp_path / "mine.csv")
    (tmp_path / "mine.py").write_text("def length(texts):\n    return [len(text) / 100 for text in texts]\n")
    done = evenhand("audit", f"file:{tmp_path}/mine.csv", "py:mine:length", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    read, asked = (
        [f["mean_difference"] for f in json.loads(done.stdout)["findings"] if str(f["system"]).startswith(kind)]
        for kind in ("file:", "py:")
    )
    assert read == pytest.approx(asked)
    assert all(math.isfinite(value) for value in read)


def test_own_corpus_with_three_groups(tmp_path: Path) -> None:
    (tmp_path / "ages.yaml").write_text(
        "name: ages\n"
        "attributes: {age: [young, grown, old]}\n"
        "persons:\n"
        "  - {kind: noun_phrase, age: young, terms: [the child, the teenager, the pupil]}\n"
        "  - {kind: noun_phrase, age: grown, terms: [the adult, the parent, the colleague]}\n"
        "  - {kind: noun_phrase, age: old, terms: [the pensioner, the grandparent, the elder]}\n"
        "slots: {mood: {words: [happy, sad, calm]}}\n"
        "groupings: [template, mood]\n"
        "templates: ['{person} is {mood}.', 'I met {person.object}.', 'We saw that {person} looked {mood}.']\n"
    )
    found = findings("textblob", "--corpus", str(tmp_path / "ages.yaml"))
    assert [(f["first"], f["second"], f["n"]) for f in found] == [
        ("young", "grown", 7), ("young", "old", 7), ("grown", "old", 7),
    ]  # fmt: skip
    shown = evenhand("corpus", "show", str(tmp_path / "ages.yaml")).stdout
    assert "63 sentences" in shown


def test_intersections_are_six_pairs_and_an_interaction() -> None:
    found = findings(PLANTED, "--attribute", "race+gender")
    assert len(found) == 7
    assert {f["n"] for f in found} == {144}
    assert found[-1]["first"] == "race gap (female)"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["audit", "vadr"], 2, "unknown system 'vadr'; did you mean 'vader'"),
        (["audit", "vader", "--corpus", "ecc"], 2, "unknown corpus 'ecc'; did you mean 'eec'"),
        (["audit", "vader", "--attribute", "gendr"], 2, "no attribute 'gendr'; did you mean 'gender'"),
        (["audit", "vader", "--subset", "neutrl"], 2, "unknown subset 'neutrl'; did you mean 'neutral'"),
        (["audit", "vader", "--attribute", "race", "--subset", "noun-phrases"], 2, "needs two groups, has none"),
        (["audit", "vader", "--correction", "bonferoni"], 2, "did you mean 'bonferroni'"),
        (["audit", "vader", "--alpha", "5"], 2, "alpha must lie between"),
        (["audit", "vader", "--sample", "10"], 2, "ask for at least 120"),
        (["audit", "vader", "--range", "1"], 2, "give two numbers"),
        (["audit", "vader", "vader"], 2, "two systems are called 'vader'"),
        (["audit", "file:nowhere.csv"], 2, "no such file: nowhere.csv"),
        (["audit", "py:nowhere:f"], 2, "nowhere"),
        (["audit", PLANTED, "--out", "/dev/null/out"], 1, "/dev/null/out cannot be written to: Not a directory"),
        (["audit", PLANTED, "--cache", "/dev/null"], 1, "cannot write to the cache /dev/null"),
        (["report", "/nowhere"], 2, "/nowhere holds no saved result"),
        (["corpus", "show", "ecc"], 2, "did you mean 'eec'"),
        (["corpus", "export", "eec", "--out", "eec.xlsx"], 2, "unknown ending '.xlsx'"),
        (["corpus", "export", "eec", "--out", "/dev/null/eec.csv"], 1, "cannot be written"),
    ],
)
def test_wrong_input_is_one_clear_line(arguments: list[str], code: int, message: str) -> None:
    done = evenhand(*arguments)
    assert message in done.stderr
    assert done.returncode == code
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_traceback_comes_only_with_debug() -> None:
    assert "Traceback" in evenhand("audit", "vadr", "--debug").stderr
    assert "Traceback" in evenhand("--debug", "audit", "vadr").stderr


def test_a_missing_extra_names_the_install_command(tmp_path: Path) -> None:
    blocked = tmp_path / "vaderSentiment"
    blocked.mkdir()
    (blocked / "__init__.py").write_text("raise ModuleNotFoundError('gone', name='vaderSentiment')")
    done = evenhand("audit", "vader", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "error: the system 'vader' needs the extra 'lexicon': pip install 'evenhand[lexicon]'\n"


def test_predictions_that_miss_sentences_are_counted(tmp_path: Path) -> None:
    frame = eec().frame.select("text", score=pl.lit(0.5))
    write_table(frame[2:], tmp_path / "mine.csv")
    done = evenhand("audit", f"file:{tmp_path}/mine.csv")
    assert done.returncode == 1
    assert 'misses 2 sentences ("Ebony feels angry.", "Jasmine feels angry.")' in done.stderr


def test_a_failing_system_keeps_what_it_scored(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def moody(texts):\n"
        "    if any('Tia' in text for text in texts) and not __import__('pathlib').Path('calm').exists():\n"
        "        raise RuntimeError('I know Tia')\n"
        "    open('asked', 'a').write('x' * len(texts))\n"
        "    return [0.5] * len(texts)\n"
    )
    failed = evenhand("audit", "py:mine:moody", "--out", "out", cwd=tmp_path)
    assert failed.returncode == 1
    assert "could not score" in failed.stderr
    assert "Tia" in failed.stderr
    assert not (tmp_path / "out").exists()
    before = len((tmp_path / "asked").read_text())
    (tmp_path / "calm").touch()
    again = evenhand("audit", "py:mine:moody", "--out", "out", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    asked = len((tmp_path / "asked").read_text())
    # One probe a run, and no sentence twice but those of the diagnosis.
    assert asked < 8640 + before
    assert (tmp_path / "out" / "report.json").exists()


def test_what_systems_print_stays_off_stdout(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import os\n"
        "def chatty(texts):\n"
        "    print('hello')\n"
        "    os.write(1, b'hello from below')\n"
        "    return [0.5] * len(texts)\n"
    )
    done = evenhand("audit", "py:mine:chatty", "--json", cwd=tmp_path)
    assert done.returncode == 0
    json.loads(done.stdout)
    assert "hello from below" in done.stderr


def test_an_interrupt_says_that_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import pathlib, time\n"
        "def slow(texts):\n"
        "    pathlib.Path('begun').touch()\n"
        "    time.sleep(0.3)\n"
        "    return [0.5] * len(texts)\n"
    )
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", "audit", "py:mine:slow"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert said.startswith("interrupted; sentences already scored are kept")


def test_a_full_disk_changes_neither_report_nor_scores(tmp_path: Path) -> None:
    evenhand("audit", PLANTED, "--attribute", "race", "--out", str(tmp_path / "out"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    code = (
        "import pathlib\n"
        "from evenhand.cli import main\n"
        "whole = pathlib.Path.write_bytes\n"
        "def full(self, content):\n"
        "    if 'scores' in self.name: raise OSError(28, 'No space left on device')\n"
        "    return whole(self, content)\n"
        "pathlib.Path.write_bytes = full\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", PLANTED, "--out", str(tmp_path / "out")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_square_brackets_in_names_are_shown_as_they_are(tmp_path: Path) -> None:
    write_table(eec().frame.select("text", score=pl.lit(0.5)), tmp_path / "[bold]x[-bold].csv")
    done = evenhand("audit", "file:[bold]x[-bold].csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "file:[bold]x[-bold].csv" in done.stdout


@pytest.mark.parametrize("columns", ["40", "60", "80", "200"])
def test_any_terminal_is_wide_enough(columns: str) -> None:
    done = evenhand("audit", PLANTED, "nrc", "--full", COLUMNS=columns)
    assert done.returncode == 0
    # Commands are printed in one piece, to be copied.
    lines = [line for line in done.stdout.splitlines() if not line.startswith("    evenhand ")]
    assert max(map(len, lines)) <= int(columns)
    assert "For people like these: higher" in " ".join(done.stdout.split())


def test_a_subset_leaves_out_what_it_does_not_have() -> None:
    done = evenhand("audit", PLANTED, "--subset", "noun-phrases", "--json")
    assert done.returncode == 0
    assert [f["attribute"] for f in json.loads(done.stdout)["findings"]] == ["gender"]
    assert "left out: race on the subset 'noun-phrases'" in done.stderr


def test_the_provenance_tells_how_to_repeat_it(tmp_path: Path) -> None:
    evenhand("audit", PLANTED, "--seed", "3", "--out", str(tmp_path / "out"), "--attribute", "race")
    command = json.loads((tmp_path / "out" / "report.json").read_text())["provenance"]["command"]
    assert command.startswith("evenhand audit 'planted(")
    assert command.endswith("--seed 3 --attribute race")


def test_thresholds_of_a_saved_audit_need_no_system(tmp_path: Path) -> None:
    out = tmp_path / "out"
    evenhand("audit", "planted(gap=0.05, person_sd=0.03)", "--sample", "480", "--out", str(out))
    saved = (out / "report.json").read_text()
    assert "decisions" not in json.loads(saved)
    shown = evenhand("report", str(out), "--threshold", "0.5,median", "--json")
    assert [found["rule"] for found in json.loads(shown.stdout)["decisions"]] == ["number", "median"] * 2
    assert (out / "report.json").read_text() == saved
    assert "What it does to decisions" in evenhand("report", str(out), "--threshold", "0.5").stdout
    refused = evenhand("report", str(out), "--threshold", "7")
    assert refused.returncode == 2
    assert "the threshold 7 would select nobody" in refused.stderr


def test_figures_tables_and_page_are_written_from_a_saved_report(tmp_path: Path) -> None:
    out = tmp_path / "out"
    evenhand("audit", PLANTED, "--out", str(out))
    (out / "report.html").unlink()
    done = evenhand("report", str(out), "--html", "--tables", "--figures")
    assert done.returncode == 0, done.stderr
    assert (out / "report.html").exists()
    written = {path.name for path in (out / "tables").iterdir()}
    assert {path.rpartition(".")[0] for path in written} == {"findings", "names", "signals"}
    assert written >= {"findings.csv", "findings.md", "findings.tex"}
    assert len(list((out / "figures").glob("*.png"))) == len(list((out / "figures").glob("*.svg"))) == 10


def test_a_bad_answer_names_system_sentence_and_value(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def high(texts):\n    return [3.0 if 'Tia' in text else 0.5 for text in texts]\n"
    )
    done = evenhand("audit", "py:mine:high", cwd=tmp_path)
    assert done.returncode == 1
    assert "'py:mine:high'" in done.stderr
    assert "Tia" in done.stderr
    assert "3.0" in done.stderr
    assert "range 0..1" in done.stderr


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_corpus_is_exported_by_ending(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"eec.{ending}"
    done = evenhand("corpus", "export", "eec", "--spelling", "released", "--out", str(out))
    assert done.returncode == 0, done.stderr
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[ending](out)
    assert read.height == 8640
    assert read["text"].str.contains("dissapointed").sum() == 240


def test_corpora_are_listed_and_shown() -> None:
    assert "eec  Equity Evaluation Corpus: 8,640 sentences" in evenhand("corpus", "list").stdout
    shown = evenhand("corpus", "show", "eec").stdout
    for part in ("8,640 sentences", "How its sentences were chosen", "Licence", "Source", "What it cannot show"):
        assert part in shown


def test_help_and_version() -> None:
    assert "audit" in evenhand("--help").stdout
    assert "--equivalence" in evenhand("audit", "--help", COLUMNS="200").stdout
    assert evenhand("--version").stdout.startswith("evenhand ")


def test_an_exported_corpus_that_was_edited_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "mine.csv"
    export = ["corpus", "export", "eec", "--out", str(out)]
    for _ in range(2):  # the same content again does no harm
        assert CliRunner().invoke(app, export).exit_code == 0
    with out.open("a", encoding="utf-8") as file:
        file.write("one more\n")
    edited = out.read_bytes()
    refused = CliRunner().invoke(app, export)
    assert "holds something else" in str(refused.exception)
    assert out.read_bytes() == edited
    assert CliRunner().invoke(app, [*export, "--overwrite"]).exit_code == 0
    assert out.read_bytes() != edited
