"""`evenhand annotate`: sheets that people can fill in, never written over, and what they agree on."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from evenhand.annotating import check_sheets, write_sheets
from evenhand.asking import score
from evenhand.cli.app import app
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import UsageError
from evenhand.systems.people.human import Human


def annotate(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["annotate", *arguments])


def fill(path: Path, label: str | None = None) -> None:
    """Label what has an exclamation mark 1, a question 0, and the rest -1; or everything alike."""
    frame = pl.read_csv(path, infer_schema=False)
    rule = pl.when(pl.col("text").str.contains("!", literal=True)).then(pl.lit("1"))
    rule = rule.when(pl.col("text").str.contains("?", literal=True)).then(pl.lit("0")).otherwise(pl.lit("-1"))
    frame.with_columns(label=rule if label is None else pl.lit(label)).write_csv(path)


@pytest.fixture
def sheets(tmp_path: Path) -> Path:
    folder = tmp_path / "sheets"
    done = annotate("chat:example", "--out", str(folder))
    assert done.exit_code == 0, done.output
    assert f"ask human:{folder}" in done.output
    return folder


def test_each_annotator_gets_every_text_once_in_another_order(sheets: Path) -> None:
    assert sorted(path.name for path in sheets.iterdir()) == [
        "annotator-1.csv", "annotator-2.csv", "annotator-3.csv", "instructions.md",
    ]  # fmt: skip
    frames = [pl.read_csv(sheets / f"annotator-{number}.csv", infer_schema=False) for number in (1, 2, 3)]
    wanted = set(load_corpus("chat:example").frame["text"])
    for frame in frames:
        assert frame.columns == ["id", "text", "label"]
        assert frame["label"].null_count() == frame.height == len(wanted)
        assert set(frame["text"]) == wanted
    orders = {tuple(frame["id"]) for frame in frames}
    assert len(orders) == 3
    instructions = (sheets / "instructions.md").read_text(encoding="utf-8")
    assert f"{len(wanted)} texts" in instructions
    assert "-1" in instructions


def test_the_seed_decides_the_order(tmp_path: Path) -> None:
    corpus = load_corpus("chat:example")
    same = [write_sheets(corpus, tmp_path / name, seed=seed)[0] for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    assert same[0].read_bytes() == same[1].read_bytes() != same[2].read_bytes()


def test_what_people_wrote_is_never_written_over(sheets: Path) -> None:
    fill(sheets / "annotator-1.csv")
    before = (sheets / "annotator-1.csv").read_bytes()
    again = annotate("eec", "--out", str(sheets))
    assert isinstance(again.exception, UsageError)
    assert "holds sheets already" in str(again.exception)
    assert (sheets / "annotator-1.csv").read_bytes() == before


def test_filled_sheets_are_a_system(sheets: Path) -> None:
    corpus = load_corpus("chat:example")
    for number in (1, 2, 3):
        fill(sheets / f"annotator-{number}.csv")
    scores = score([Human(str(sheets), corpus=corpus)], corpus, progress=False)
    for text, value in zip(corpus.frame["text"], scores.matrix[:, 0], strict=True):
        assert value == (1 if "!" in text else 0 if "?" in text else -1)


def test_the_check_tells_agreement_and_what_is_missing(sheets: Path) -> None:
    for number in (1, 2):
        fill(sheets / f"annotator-{number}.csv")
    half = pl.read_csv(sheets / "annotator-3.csv", infer_schema=False)
    fill(sheets / "annotator-3.csv")
    labelled = pl.read_csv(sheets / "annotator-3.csv", infer_schema=False)
    pl.concat([labelled[:100], half[100:]]).write_csv(sheets / "annotator-3.csv")
    found = json.loads(annotate("--check", str(sheets), "--json").stdout)
    assert [(one["name"], one["labelled"] + one["missing"]) for one in found["annotators"]] == [
        (f"annotator-{number}", half.height) for number in (1, 2, 3)
    ]
    assert found["annotators"][2]["labelled"] == 100
    assert (found["percent_agreement"], found["krippendorff_alpha"]["ordinal"]["alpha"]) == (100.0, 1.0)
    assert found["pairs"][0] == {"annotators": ["annotator-1", "annotator-2"], "percent": 100.0}
    shown = annotate("--check", str(sheets)).stdout
    assert "Krippendorff's alpha: 1.000 (ordinal), 1.000 (nominal)" in shown


def test_the_agreement_is_saved_with_what_it_was_read_from(sheets: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        fill(sheets / f"annotator-{number}.csv")
    done = annotate("chat:example", "--check", str(sheets), "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"agreement.html", "agreement.json"}
    assert (tmp_path / "out" / "agreement.json").read_text() == done.stdout
    provenance = json.loads(done.stdout)["provenance"]
    assert [one["name"] for one in provenance["files"]] == [f"annotator-{number}.csv" for number in (1, 2, 3)]
    assert provenance["corpus"]["digest"] == load_corpus("chat:example").digest


def test_labels_that_do_not_vary_have_no_alpha(sheets: Path) -> None:
    for number in (1, 2, 3):
        fill(sheets / f"annotator-{number}.csv", "0")
    assert "alpha: undefined (all labels are 0" in annotate("--check", str(sheets)).stdout
    found = check_sheets(sheets)
    assert found.agreement.percent == 100.0
    assert found.to_dict()["krippendorff_alpha"]["ordinal"]["alpha"] is None


def test_a_text_that_looks_like_a_formula_is_no_formula(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"id": ["1", "2"], "text": ["=1+1", "plain"], "source": ["s", "s"], "person": ["p", "q"], "g": ["x", "y"]}
    )
    corpus = Corpus(frame, "own", {"g": ("x", "y")})
    (path,) = write_sheets(corpus, tmp_path / "sheets", annotators=1)
    assert set(pl.read_csv(path)["text"]) == {" =1+1", "plain"}
    fill(path, "1")
    assert Human(str(path)).score(["=1+1"]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a corpus and a folder"),
        (("eec",), "name a corpus and a folder"),
        (("eec", "--out", "{}/x", "--annotators", "0"), "the number of annotators must be a whole number from 1"),
        (("no-such-corpus", "--out", "{}/x"), "unknown corpus"),
        (("--check", "{}"), "holds no sheets"),
        (("--check", "{}", "--annotators", "3"), "--annotators and --seed are for new sheets"),
        (("--check", "{}", "--seed", "1"), "--annotators and --seed are for new sheets"),
        (("eec", "--out", "{}/x", "--json"), "--json goes with --check"),
        (("eec", "--out", "{}/x", "--seed", "-4"), "a seed must be a whole number from 0"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = annotate(*(argument.format(tmp_path) for argument in arguments))
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_agreement_of_other_texts_is_replaced_on_request_only(sheets: Path, tmp_path: Path) -> None:
    out, other = str(tmp_path / "out"), tmp_path / "other.csv"
    for sheet in sheets.glob("*.csv"):
        fill(sheet)
    assert annotate("--check", str(sheets), "--out", out).exit_code == 0
    other.write_bytes((sheets / "annotator-1.csv").read_bytes())
    again = ["--check", f"{other},{sheets / 'annotator-2.csv'}", "--out", out]
    assert "already holds another result" in str(annotate(*again).exception)
    assert annotate(*again, "--overwrite").exit_code == 0


def test_sheets_are_never_overwritten(sheets: Path) -> None:
    assert "--overwrite goes with --check" in str(
        annotate("chat:example", "--out", str(sheets), "--overwrite").exception
    )
