"""`evenhand annotate`: sheets that people can fill in, never written over, and what they agree on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from evenhand.annotating import check_sheets, write_sheets
from evenhand.asking import score
from evenhand.cli.app import app
from evenhand.corpora import Corpus, causal, load_corpus
from evenhand.corpora.chat import read_chat
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.people.human import Human
from evenhand.translation import ThereAndBack


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


def texts_in(folder: Path) -> set[str]:
    return set(pl.read_csv(folder / "annotator-1.csv", infer_schema=False)["text"])


def drawn(number: int, **how: object) -> set[str]:
    return {text for name in ("E3", "E4", "E5") for text in causal.data_group(number, name, **how).frame["text"]}  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [2, 4])
def test_sheets_of_confounded_groups_fit_whichever_words_are_drawn(tmp_path: Path, number: int) -> None:
    assert annotate("--groups", str(number), "--out", str(tmp_path)).exit_code == 0
    found = texts_in(tmp_path)
    assert len(found) == 24 * 4
    for k in range(7):
        assert drawn(number, k=k, seed=k) | drawn(number, k=k, seed=k, draw="published") <= found


def test_groups_conversations_and_a_corpus_share_their_sheets(tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    done = annotate("identity-names", "--groups", "1,2,3,4", "--chat", "example", "--out", str(folder))
    assert done.exit_code == 0, done.output
    found = texts_in(folder)
    # 24 sentences a group with four words; those about nobody are the same in both.
    groups = {
        text for number in (1, 3) for name in ("E3", "E5") for text in causal.data_group(number, name).frame["text"]
    }
    assert len(groups) == 2 * 96 - 32
    for one in (
        groups,
        set(load_corpus("chat:example").frame["text"]),
        set(load_corpus("identity-names").frame["text"]),
    ):
        assert one <= found
    assert f"evenhand rate human:{folder} vader --groups 1,2,3,4 --chat example" in done.output


@pytest.mark.parametrize("seed", [0, 3])
def test_sheets_hold_the_genders_by_lot_that_are_rated_with_the_same_seed(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "sheets"
    done = annotate("--chat", "example", "--seed", str(seed), "--annotators", "1", "--out", str(folder))
    assert done.exit_code == 0, done.output
    lots = {number: set(read_chat(["example"], seed=number).merged["text"]) for number in (0, 3)}
    assert lots[0] != lots[3]
    assert texts_in(folder) == {text.strip() for text in lots[seed]}
    assert ("--chat example --seed 3" in done.output) == (seed == 3)


class Shouting:
    """A translator whose round trip ends in capitals, and loses every sentence about grim."""

    batch_size = 100

    def __init__(self, source: str = "en", target: str = "xx") -> None:
        self.name, self.source, self.target = f"shout:{source}-{target}", source, target
        self.fingerprint: str | None = self.name

    def back(self) -> Shouting:
        return Shouting(self.target, self.source)

    def translate(self, texts: Sequence[str]) -> list[str]:
        return ["" if "grim" in text else text.upper() for text in texts]


def test_people_rate_what_came_home_and_answer_the_second_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ("annotate", "rate"):
        monkeypatch.setattr(
            f"evenhand.verbs.{room}.resolve_trip", lambda _, **how: ThereAndBack(Shouting(), cache=tmp_path / "cache")
        )
    folder = tmp_path / "sheets"
    done = annotate("--groups", "1,2", "--via", "xx", "--annotators", "2", "--out", str(folder))
    assert done.exit_code == 0, done.output
    found = texts_in(folder)
    assert {"This boy feels happy.", "THIS BOY FEELS HAPPY.", "This boy feels grim."} <= found
    assert "" not in found
    for sheet in folder.glob("annotator-*.csv"):
        frame = pl.read_csv(sheet, infer_schema=False)
        happy = pl.col("text").str.to_lowercase().str.contains("happy|glad")
        frame.with_columns(label=pl.when(happy).then(pl.lit("1")).otherwise(pl.lit("-1"))).write_csv(sheet)
    arguments = [f"human:{folder}", "biased-female", "--groups", "1,2", "--via", "xx", "--bootstrap", "0", "--json"]
    shown = CliRunner().invoke(app, ["rate", *arguments, "--cache", str(tmp_path / "c")])
    assert shown.exit_code == 0, shown.exception
    content = json.loads(shown.stdout)
    human = f"human:{folder}"
    raw = {(one["group"], one["via"]): one["raw"] for one in content["results"]}
    assert raw["Group-1", None][human] == raw["Group-2", None][human] == 0
    # What came home empty could not be labelled; the rest is rated.
    (part,) = (group for group, via in raw if via and group.startswith("Group-1, sentences labelled"))
    assert raw[part, "xx"][human] == 0
    assert any("after the round trip by the labelled sentences alone" in note["text"] for note in content["notes"])
    answers = [one for one in content["answers"] if one["question"] == "human ratings"]
    assert {(one["system"], one["via"]) for one in answers} == {("biased-female", None), ("biased-female", "xx")}
    assert all(one["before"] == 0 and one["change"] > 0 for one in answers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--groups", "5", "--out", "x"], "unknown data group '5'"),
        (["--groups", "one", "--out", "x"], "--groups: 'one' is not a whole number; write numbers with commas"),
        (["--groups", "1"], "name a corpus and a folder"),
        (["--via", "es", "--out", "x"], "name a corpus and a folder"),
        (["--check", "x", "--groups", "1"], "--groups is for new sheets"),
        (["--groups", "1", "--via", "tlh", "--out", "x"], "cannot translate from 'en' to 'tlh'"),
    ],
)
def test_what_no_sheets_can_be_made_of(arguments: list[str], message: str) -> None:
    done = annotate(*arguments)
    assert isinstance(done.exception, EvenhandError)
    assert message in str(done.exception)
