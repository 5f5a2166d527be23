"""Saving does not overwrite: a folder that holds another result is refused, before anybody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evenhand
from evenhand.cli.app import app
from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.measuring import Metrics, measure_file
from evenhand.results import Result, Subject, check_out
from evenhand.results.result import known_kinds
from evenhand.verbs.saved import KINDS, load_result

COLLEAGUES = """
name: {name}
attributes: {{age: [young, old]}}
persons:
  - {{kind: noun_phrase, age: young, terms: [the trainee, the intern, the apprentice]}}
  - {{kind: noun_phrase, age: old, terms: [the veteran, the partner, the pensioner]}}
slots:
  mood: {{words: [pleased, upset]}}
groupings: [template, mood]
templates:
  - "{{person}} looked {{mood}}."
  - "We met {{person.object}}, who was {{mood}}."
"""


class Length:
    """A system that counts how often it is asked."""

    outputs = (evenhand.Output("length", low=0, high=100),)
    fingerprint = None
    batch_size = 100

    def __init__(self, name: str = "length", factor: float = 1.0) -> None:
        self.name, self.factor, self.asked = name, factor, 0

    def score(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += 1
        return [[self.factor * len(text)] for text in texts]


def corpus_file(folder: Path, name: str = "colleagues") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(COLLEAGUES.format(name=name), encoding="utf-8")
    return path


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A folder that holds the audit of `length` on `colleagues`."""
    audit(Length(), corpus_file(tmp_path), out=tmp_path / "held")
    return tmp_path / "held"


def audit(system: Length, corpus: Path, **options: object) -> Audit:
    return evenhand.audit(system, corpus, progress=False, **options)  # type: ignore[arg-type]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_another_systems_result_is_not_overwritten_and_nobody_is_asked(held: Path, tmp_path: Path) -> None:
    before, other = contents(held), Length("other")
    with pytest.raises(UsageError, match=r"already holds .*audit of length on colleagues.*other.*--overwrite"):
        audit(other, corpus_file(tmp_path), out=held)
    assert other.asked == 0
    assert contents(held) == before


def test_another_corpus_is_refused_too(held: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this one is audit of length on friends"):
        audit(Length(), corpus_file(tmp_path, "friends"), out=held)


def test_the_same_audit_may_replace_itself(held: Path, tmp_path: Path) -> None:
    again = audit(Length(factor=2), corpus_file(tmp_path), out=held)
    assert load_result(held).to_json() == again.to_json()


def test_the_order_of_systems_does_not_matter(tmp_path: Path) -> None:
    both = [Length("one"), Length("two", 2)]
    evenhand.audit(both, corpus_file(tmp_path), progress=False, out=tmp_path / "held")
    evenhand.audit(both[::-1], corpus_file(tmp_path), progress=False, out=tmp_path / "held")


def test_what_may_be_overwritten_is_replaced_whole(held: Path, tmp_path: Path) -> None:
    other = audit(Length("other"), corpus_file(tmp_path), out=held, overwrite=True)
    assert load_result(held).to_json() == other.to_json()


def test_the_command_asks_for_overwrite(held: Path, tmp_path: Path) -> None:
    asked = ["audit", "textblob", "--corpus", str(corpus_file(tmp_path)), "--out", str(held)]
    refused = CliRunner().invoke(app, asked)
    assert isinstance(refused.exception, UsageError)
    done = CliRunner().invoke(app, [*asked, "--overwrite"])
    assert done.exit_code == 0, done.exception
    assert load_result(held).provenance.system_names == ("textblob",)


def test_another_tagger_is_not_overwritten_and_nobody_is_asked(tmp_path: Path) -> None:
    asked = []

    def capitals(sentences: list[list[str]]) -> list[list[str]]:
        asked.append(sentences)
        return [["U-LOC" if token[:1].isupper() else "O" for token in tokens] for tokens in sentences]

    def nothing(sentences: list[list[str]]) -> list[list[str]]:
        asked.append(sentences)
        return [["O" for _ in tokens] for tokens in sentences]

    evenhand.audit(capitals, "ner-country", sample=240, progress=False, out=tmp_path / "held")
    times = len(asked)
    with pytest.raises(UsageError, match="already holds another result"):
        evenhand.audit(nothing, "ner-country", sample=240, progress=False, out=tmp_path / "held")
    assert len(asked) == times
    evenhand.audit(capitals, "ner-country", sample=240, progress=False, out=tmp_path / "held")
    evenhand.audit(nothing, "ner-country", sample=240, progress=False, out=tmp_path / "held", overwrite=True)


def predictions(path: Path) -> Path:
    path.write_text("source,group,term,score\n" + "".join(
        f"s{source},{group},{group}{source % 3},{0.1 * (source % 5)}\n" for source in range(8) for group in "AB"
    ))  # fmt: skip
    return path


def test_another_kind_of_result_is_refused(held: Path, tmp_path: Path) -> None:
    metrics = measure_file(predictions(tmp_path / "predictions.csv"))
    with pytest.raises(UsageError, match="audit of length on colleagues; this one is metrics of predictions"):
        metrics.save(held)


def test_an_overwritten_result_of_another_kind_leaves_nothing_behind_that_would_be_loaded(
    held: Path, tmp_path: Path
) -> None:
    metrics = measure_file(predictions(tmp_path / "predictions.csv"))
    metrics.save(held, overwrite=True, figures=False)
    assert load_result(held).to_json() == metrics.to_json()
    assert set(contents(held)) == {"metrics.json", "metrics.html", "metrics.csv"}


def test_metrics_of_another_file_are_refused_and_early(tmp_path: Path) -> None:
    one, other = predictions(tmp_path / "one.csv"), predictions(tmp_path / "other.csv")
    out = str(tmp_path / "out")
    run = CliRunner()
    assert run.invoke(app, ["measure", str(one), "--bootstrap", "0", "--out", out]).exit_code == 0
    assert run.invoke(app, ["measure", str(one), "--bootstrap", "0", "--out", out]).exit_code == 0
    refused = run.invoke(app, ["measure", str(other), "--bootstrap", "0", "--out", out])
    assert isinstance(refused.exception, UsageError)
    assert run.invoke(app, ["measure", str(other), "--bootstrap", "0", "--out", out, "--overwrite"]).exit_code == 0
    assert [result.system for result in Metrics.load(out).results] == ["other"]


def test_metrics_of_a_labelled_audit_belong_to_it(tmp_path: Path) -> None:
    asked = ["audit", "vader", "--corpus", "identity", "--attribute", "age", "--sample", "240"]
    for _ in range(2):
        done = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "held")])
        assert done.exit_code == 0, done.exception
    assert isinstance(load_result(tmp_path / "held"), Audit)
    refused = CliRunner().invoke(app, ["measure", str(tmp_path / "held"), "--out", str(tmp_path / "held")])
    assert "audit of vader on identity; this one is metrics of vader on identity" in str(refused.exception)


def test_what_metrics_will_be_about_is_known_beforehand(held: Path, tmp_path: Path) -> None:
    from evenhand.measuring import subject_of_file

    table = predictions(tmp_path / "predictions.csv")
    assert subject_of_file(table) == Metrics.subject_of(measure_file(table).provenance)
    assert (
        subject_of_file(held)
        == Subject(("length",), ("colleagues",))
        == Metrics.subject_of(measure_file(held).provenance)
    )


def test_a_damaged_result_is_not_overwritten_unasked(held: Path, tmp_path: Path) -> None:
    (held / "report.json").write_text("{")
    with pytest.raises(UsageError, match=r"cannot be read .*report\.json.*--overwrite"):
        audit(Length(), corpus_file(tmp_path), out=held)
    audit(Length(), corpus_file(tmp_path), out=held, overwrite=True)


def test_files_that_are_no_result_stay(tmp_path: Path) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "corpus.parquet").write_bytes(b"mine")
    (tmp_path / "held" / "notes.json").write_text("[]")
    check_out(tmp_path / "held", Metrics, Subject())
    measure_file(predictions(tmp_path / "predictions.csv")).save(tmp_path / "held", figures=False)
    assert (tmp_path / "held" / "corpus.parquet").read_bytes() == b"mine"


def test_every_kind_is_known_to_saving_and_to_loading() -> None:
    kinds: set[type[Result]] = set(known_kinds())
    assert kinds == set(KINDS)
    assert len({kind.file for kind in kinds}) == len({kind.kind for kind in kinds}) == len(kinds)
