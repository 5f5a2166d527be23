"""`compare`: which runs and systems are meant, what they share, what is refused; the result is like any other."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import evenhand
from evenhand import Audit, Comparison, compare
from evenhand.asking import Column, Scores
from evenhand.cli.app import app
from evenhand.comparing import Settings
from evenhand.comparing.differences import GapDifference
from evenhand.errors import UsageError
from evenhand.measuring import measure_file
from evenhand.report.comparison.figures import static_figures
from evenhand.report.comparison.terminal import print_comparison
from evenhand.report.comparison.words import in_words, levels_in_words, told
from evenhand.systems import Output
from evenhand.verbs.saved import load_result

LARGE, SMALL = "planted(gap=0.05, person_sd=0.005)", "planted(gap=0.02, person_sd=0.005)"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Two systems with the same name effects and gaps of 0.05 and 0.02."""
    return evenhand.audit([LARGE, SMALL], progress=False, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved runs: `one` holds two systems, `large` and `small` one each, `sample` the second on fewer sentences."""
    home = tmp_path_factory.mktemp("runs")
    options = {"progress": False, "cache": home / "cache"}
    evenhand.audit([LARGE, SMALL], out=home / "one", **options)  # type: ignore[arg-type]
    evenhand.audit(LARGE, out=home / "large", **options)  # type: ignore[arg-type]
    evenhand.audit(SMALL, out=home / "small", **options)  # type: ignore[arg-type]
    evenhand.audit(SMALL, out=home / "sample", sample=960, **options)  # type: ignore[arg-type]
    return home


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of classifiers on labelled sentences; the second moves less with the length of a text."""
    home = tmp_path_factory.mktemp("labelled")
    for name, share in (("moved", 1.0), ("steady", 0.3)):
        evenhand.audit(
            Lengths(name, share), "identity", attributes="age", sample=480, progress=False, out=home / name,
            cache=home / "cache",
        )  # fmt: skip
    return home


class Lengths:
    """Three probabilities that go by the length of the text."""

    outputs = tuple(Output(name, kind="probability") for name in ("negative", "neutral", "positive"))
    fingerprint = None
    batch_size = 100

    def __init__(self, name: str, share: float) -> None:
        self.name, self.share = name, share

    def score(self, texts: list[str]) -> np.ndarray:
        by_length = np.array([[1 + self.share * (len(text) % 7) / 7, 1.0, 1.2] for text in texts])
        return np.asarray(by_length / by_length.sum(axis=1, keepdims=True))


def test_two_systems_of_one_audit(two: Audit) -> None:
    gender, race = compare(two, two, systems=(LARGE, SMALL)).gaps
    assert (gender.difference.verdict, gender.size) == ("lower", "smaller")
    assert gender.difference.generalising.estimate == pytest.approx(-0.03)
    assert race.difference.verdict == "no reaction seen"
    assert (gender.one.system, gender.other.system) == (LARGE, SMALL)
    said = f"{SMALL}'s gap between women and men is 0.030 smaller than {LARGE}'s (0.030, p < 0.001)"
    assert said in in_words(gender)


def test_what_would_undo_or_settle_a_verdict_and_the_level_of_its_interval_are_told(two: Audit) -> None:
    found = compare(two, two, systems=(LARGE, SMALL))
    gap = found.gaps[0]
    equivalence = replace(gap.difference.equivalence, unseen_share=0.14, unseen_reaction=0.05)
    alike = replace(gap, difference=replace(gap.difference, verdict="equivalent", equivalence=equivalence))
    assert "unless other people (up to 14 %) set the two apart by 0.050 more than those tested" in in_words(alike)
    power = replace(
        gap.difference.power, persons_needed=30, needed_at_gap=25, vary="names", vary_per_group=20.0, alone=False
    )
    open_still = replace(gap, difference=replace(gap.difference, verdict="cannot tell", power=power))
    assert in_words(open_still).endswith(
        "if the difference is zero, about 10 more names per group would decide four times in five; if it is as large "
        "as it looks, 5 more."
    )
    printed = io.StringIO()
    print_comparison(found, Console(width=300, file=printed))
    level = "97.5 %, corrected for 2 questions; beside “equivalent”, 95 %, for that claim alone"
    assert f"is the one that the verdict was taken from ({level})" in " ".join(printed.getvalue().split())
    assert levels_in_words(replace(found, gaps=(alike,))) == "95\N{NO-BREAK SPACE}%, for each “equivalent” by itself"


def test_what_would_undo_the_equivalence_of_many_groups_is_told_once(two: Audit) -> None:
    gap = compare(two, two, systems=(LARGE, SMALL)).gaps[0]

    def small(share: float, reaction: float) -> GapDifference:
        equivalence = replace(gap.difference.equivalence, unseen_share=share, unseen_reaction=reaction)
        return replace(
            gap, difference=replace(gap.difference, verdict="equivalent", equivalence=equivalence, rest=("a", "b"))
        )

    ((_, _, text),) = told([small(0.45, 0.02), small(0.14, 0.05)])
    assert "equivalent for 2; each is in the table. “Equivalent” holds unless other people (up to 14 to 45 %" in text
    assert text.endswith("of a group's) set the two apart by 0.020 to 0.050 more than those tested.")


def test_two_saved_runs_give_the_same_as_two_systems_of_one(runs: Path, two: Audit) -> None:
    apart = compare(runs / "large", runs / "small")
    chosen = compare(f"{runs}/one#{LARGE}", f"{runs}/one#{SMALL}/score")
    assert [gap.to_dict() for gap in apart.gaps] == [gap.to_dict() for gap in chosen.gaps]
    assert apart.shared.all_of_both
    assert apart.notes == ()


def test_runs_of_several_systems_are_compared_by_name(runs: Path) -> None:
    found = compare(runs / "one", runs / "small")
    assert [gap.one_called for gap in found.gaps] == [f"{SMALL} in one"] * 2
    assert [gap.difference.generalising.estimate for gap in found.gaps] == [0, 0]
    assert [str(note) for note in found.notes] == [f"only one of the runs holds {LARGE}, so it is left out"]
    assert (found.one, found.other) == (f"{SMALL} in one", f"{SMALL} in small")


def test_only_shared_sentences_are_compared_and_that_is_said(runs: Path) -> None:
    found = compare(runs / "large", runs / "sample")
    assert (found.shared.sentences, found.shared.of_one, found.shared.of_other) == (960, 8640, 960)
    assert str(found.notes[0]) == (
        "the runs share 960 sentences, and only these are compared: large has 8,640, sample has 960"
    )
    assert found.gaps[0].difference.generalising.n_sources == 16
    assert found.gaps[0].difference.generalising.estimate == pytest.approx(-0.03)
    turned = compare(runs / "sample", runs / "large").gaps[0].difference.generalising
    assert turned.estimate == pytest.approx(0.03)


def changed(audit: Audit, **columns: pl.Expr) -> Audit:
    """The same audit on a corpus with other columns."""
    assert audit.corpus is not None
    assert audit.scores is not None
    frame = audit.corpus.frame.with_columns(**columns)
    corpus = replace(audit.corpus, frame=frame)
    scores = replace(audit.scores, ids=tuple(frame["id"]), corpus_digest=corpus.digest)
    return replace(audit, corpus=corpus, scores=scores)


def test_a_sentence_with_the_same_id_and_another_text_is_not_shared(two: Audit) -> None:
    third = pl.col("source").rank("dense") % 3 == 0
    other = changed(two, text=pl.when(third).then(pl.col("text") + "!").otherwise(pl.col("text")))
    found = compare(two, other, systems=(LARGE, SMALL))
    assert found.shared.sentences == 96 * 60


def test_nothing_shared_is_refused(two: Audit) -> None:
    with pytest.raises(UsageError, match="share no sentences that can be compared"):
        compare(two, changed(two, id="x" + pl.col("id")), systems=(LARGE, SMALL))


def test_a_run_without_scores_is_refused(two: Audit) -> None:
    with pytest.raises(UsageError, match="the second run was saved without scores and corpus"):
        compare(two, replace(two, scores=None), systems=(LARGE, SMALL))


def test_a_question_that_one_run_does_not_have_is_refused(two: Audit) -> None:
    assert two.corpus is not None
    by_gender = {"gender": two.corpus.attributes["gender"]}
    corpus = replace(two.corpus, attributes=by_gender)
    assert two.scores is not None
    other = replace(
        two, corpus=corpus, scores=replace(two.scores, corpus_digest=corpus.digest), findings=two.findings[:1]
    )
    with pytest.raises(UsageError, match="the second run has no attribute 'race' to compare by; its corpus has gender"):
        compare(two, other, systems=(LARGE, SMALL), attributes="race")
    assert [gap.difference.attribute for gap in compare(two, other, systems=(LARGE, SMALL)).gaps] == ["gender"]
    only_race = replace(two, findings=tuple(finding for finding in two.findings if finding.attribute == "race"))
    with pytest.raises(UsageError, match="asked about race, the second run about gender"):
        compare(only_race, other, systems=(LARGE, SMALL))


def renamed(audit: Audit, name: str) -> Audit:
    """The same audit of a system of another name."""
    assert audit.scores is not None
    columns = tuple(replace(column, system=name) for column in audit.scores.columns)
    return replace(audit, scores=replace(audit.scores, columns=columns))


def test_what_is_meant_must_be_clear(two: Audit, runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="compared with itself"):
        compare(two, two)
    with pytest.raises(UsageError, match="compared with itself"):
        compare(runs / "large", f"{runs}/small/../large")
    with pytest.raises(UsageError, match="holds no system 'vadr'"):
        compare(f"{runs}/one#vadr", runs / "small")
    with pytest.raises(UsageError, match=r"the first run holds 2 systems: choose one of .* \(RUN#SYSTEM"):
        compare(runs / "one", renamed(Audit.load(runs / "small"), "renamed"))
    with pytest.raises(UsageError, match="holds no saved result"):
        compare(tmp_path / "nothing", runs / "small")
    (tmp_path / "table.csv").write_text("source,group,score\na,x,0.1\na,y,0.2\nb,x,0.3\nb,y,0.1\n")
    measure_file(tmp_path / "table.csv").save(tmp_path / "metrics", figures=False)
    with pytest.raises(UsageError, match="holds metrics without scores"):
        compare(tmp_path / "metrics", runs / "small")


def test_outputs_that_have_no_name_in_common_must_be_chosen(labelled: Path, two: Audit) -> None:
    moved = Audit.load(labelled / "moved")
    assert moved.scores is not None
    names = {"negative": "anger", "neutral": "none", "positive": "joy"}
    columns = tuple(replace(c, output=replace(c.output, name=names[c.output.name])) for c in moved.scores.columns)
    other = renamed(replace(moved, scores=replace(moved.scores, columns=columns)), "other")
    with pytest.raises(UsageError, match=r"moved gives negative, .*; other gives anger, .*RUN#moved/negative"):
        compare(moved, other)
    found = compare(moved, other, systems=("moved/negative", "other/anger"), attributes="age")
    assert "the output negative is compared with anger" in str(found.notes[0])
    within = compare(moved, moved, systems=("moved/negative", "moved/positive"))
    assert (within.one, within.other) == ("moved negative", "moved positive")


def test_folders_may_have_the_sign_in_their_name(runs: Path, tmp_path: Path) -> None:
    Audit.load(runs / "one").save(tmp_path / "a#b")
    found = compare(f"{tmp_path}/a#b#{LARGE}", f"{tmp_path}/a#b#{SMALL}")
    assert found.gaps[0].size == "smaller"


def scaled(audit: Audit, output: Output, factor: float) -> Audit:
    assert audit.scores is not None
    columns = tuple(Column(column.system, output, None) for column in audit.scores.columns)
    return replace(
        audit, scores=Scores(audit.scores.ids, factor * audit.scores.matrix, columns, audit.scores.corpus_digest)
    )


def test_other_ranges_are_compared_as_shares_and_that_is_said(two: Audit) -> None:
    percent = scaled(two, Output("percent", low=0, high=100), 100)
    found = compare(two, percent, systems=(LARGE, SMALL))
    plain = compare(two, two, systems=(LARGE, SMALL))
    for mine, theirs in zip(found.gaps, plain.gaps, strict=True):
        assert mine.shares
        assert mine.difference.generalising.estimate == pytest.approx(theirs.difference.generalising.estimate)
        assert mine.difference.verdict == theirs.difference.verdict
    said = " ".join(str(note) for note in found.notes)
    assert "the output score is compared with percent" in said
    assert "all numbers are shares of the range" in said
    assert "0.030 of the range smaller" in in_words(found.gaps[0])


def test_an_output_that_is_good_when_low_is_pointed_out(two: Audit) -> None:
    good, bad = (scaled(two, Output("score", high_is=wanted), 1) for wanted in ("good", "bad"))
    found = compare(good, bad, systems=(LARGE, SMALL))
    assert "the gaps mean opposite things" in str(found.notes[0])


def test_settings_and_subsets(two: Audit) -> None:
    found = compare(
        two,
        two,
        systems=(LARGE, SMALL),
        attributes="gender",
        subsets=["all", "names"],
        settings=Settings(equivalence=0.04),
    )
    assert [(gap.difference.subset, gap.difference.verdict) for gap in found.gaps] == [
        ("all", "equivalent"), ("names", "equivalent"),
    ]  # fmt: skip


def test_metrics_are_compared_where_both_runs_have_them(labelled: Path) -> None:
    found = compare(labelled / "moved", labelled / "steady")
    (part,) = found.metrics
    assert (part.one_called, part.other_called, part.attribute) == ("moved", "steady", "age")
    gap = next(one for one in part.differences if (one.metric, one.label) == ("cf_gap", "negative"))
    assert gap.change == "closer"
    measured = [Audit.load(labelled / name).measurements for name in ("moved", "steady")]
    values = [one.results[0].measurements["cf_gap"]["negative"].value for one in measured if one is not None]
    assert [gap.one, gap.other] == pytest.approx(values)
    assert gap.difference == pytest.approx(values[1] - values[0])
    assert found.metric_frame().height == len(part.differences)


def test_gold_classes_that_one_system_lacks_are_left_out_of_both(labelled: Path) -> None:
    moved = Audit.load(labelled / "moved")
    assert moved.scores is not None
    matrix = moved.scores.matrix[:, [0, 2]]
    two_classes = Scores(
        moved.scores.ids, matrix / matrix.sum(axis=1, keepdims=True),
        tuple(replace(moved.scores.columns[place], system="binary") for place in (0, 2)), moved.scores.corpus_digest,
    )  # fmt: skip
    found = compare(moved, replace(moved, scores=two_classes))
    assert moved.corpus is not None
    known = moved.corpus.frame.filter(pl.col("label") != "neutral", pl.col("age").is_not_null())
    assert [part.rows for part in found.metrics] == [known.height]
    assert {one.label for one in found.metrics[0].differences} <= {"negative", "positive", "all"}


def test_classes_and_scores_have_no_metrics_in_common(labelled: Path) -> None:
    moved = Audit.load(labelled / "moved")
    assert moved.scores is not None
    column = Column("score", Output("negative"), None)
    scores = Scores(moved.scores.ids, moved.scores.matrix[:, :1], (column,), moved.scores.corpus_digest)
    found = compare(moved, replace(moved, scores=scores))
    assert found.metrics == ()
    assert "one system predicts classes, the other gives scores" in str(found.notes[-1])


@pytest.fixture(params=["gaps", "metrics"])
def comparison(request: pytest.FixtureRequest, two: Audit, labelled: Path) -> Comparison:
    if request.param == "gaps":
        return compare(two, two, systems=(LARGE, SMALL))
    return compare(labelled / "moved", labelled / "steady")


def test_it_is_saved_and_loaded_equal_to_the_byte(comparison: Comparison, tmp_path: Path) -> None:
    written = comparison.save(tmp_path / "first")
    assert (tmp_path / "first" / "figures" / "comparison.png") in written
    loaded = load_result(tmp_path / "first")
    assert isinstance(loaded, Comparison)
    assert loaded.to_json() == comparison.to_json()
    assert loaded.to_html() == comparison.to_html()
    loaded.save(tmp_path / "second")
    for path in (tmp_path / "first").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "second" / path.relative_to(tmp_path / "first")).read_bytes(), path
    json.loads(comparison.to_json(), parse_constant=pytest.fail)


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 120])
def test_no_verdict_and_no_number_is_cut(
    comparison: Comparison, width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.show(width=width)
    shown = " ".join(capsys.readouterr().out.split())
    assert "…" not in shown
    for gap in comparison.gaps:
        low, high = gap.difference.generalising.shown_interval or (0.0, 0.0)
        assert f"{abs(low):.3f}" in shown or abs(low) < 0.0005
        assert f"{abs(high):.3f}" in shown or abs(high) < 0.0005
    if any(gap.difference.verdict == "equivalent" for gap in comparison.gaps):
        assert "±0.010" in shown


def test_it_is_shown_in_other_ways(comparison: Comparison) -> None:
    assert len(comparison.summary().splitlines()) == 1
    assert str(comparison).count("\n") + 1 == len(comparison.gaps) + len(comparison.metrics)
    assert comparison.frame().height == len(comparison.gaps)
    assert len(repr(comparison)) < 200
    (figure,) = static_figures(comparison).values()
    assert len(figure["vconcat"]) == 1 + len(comparison.metrics)
    assert "fair" not in str(comparison)


def test_a_comparison_the_other_way_round_is_another_one(two: Audit, tmp_path: Path) -> None:
    for _ in range(2):
        compare(two, two, systems=(LARGE, SMALL), attributes="gender", out=tmp_path)
    turned = {"systems": (SMALL, LARGE), "attributes": "gender", "out": tmp_path}
    with pytest.raises(UsageError, match="already holds another result"):
        compare(two, two, **turned)  # type: ignore[arg-type]
    again = compare(two, two, **turned, overwrite=True)  # type: ignore[arg-type]
    assert load_result(tmp_path).to_json() == again.to_json()


def test_the_commands(runs: Path, tmp_path: Path) -> None:
    run, out = CliRunner(), str(tmp_path / "out")
    done = run.invoke(app, ["compare", str(runs / "large"), str(runs / "small"), "--out", out, "--json"])
    assert done.exit_code == 0, done.exception
    assert [gap["size"] for gap in json.loads(done.stdout)["gaps"]] == ["smaller", "cannot tell"]
    again = run.invoke(app, ["report", out, "--json"])
    assert again.stdout == done.stdout
    shown = run.invoke(app, ["report", out, "--full"])
    assert "0.030 smaller" in " ".join(shown.stdout.split())
    refused = run.invoke(app, ["compare", str(runs / "large"), str(runs / "one#vader"), "--out", out])
    assert isinstance(refused.exception, UsageError)
    other = ["compare", f"{runs}/one#{SMALL}", str(runs / "large"), "--attribute", "gender", "--out", str(runs / "one")]
    assert "already holds another result (audit of" in str(run.invoke(app, other).exception)


def test_metrics_of_taggers_are_not_made_up_from_what_was_found() -> None:
    def every(sentences: list[list[str]]) -> list[list[str]]:
        return [["U-LOC"] * len(tokens) for tokens in sentences]

    def none(sentences: list[list[str]]) -> list[list[str]]:
        return [["O"] * len(tokens) for tokens in sentences]

    one, other = (evenhand.audit(tagger, "ner-country", sample=200, progress=False) for tagger in (every, none))
    found = evenhand.compare(one, other)
    assert found.metrics == ()
    assert any("metrics of taggers are not compared" in note.text for note in found.notes)
    assert found.gaps


def test_a_run_is_not_compared_with_itself_by_another_path(tmp_path: Path) -> None:
    evenhand.audit("planted(gap=0.05)", sample=480, progress=False, out=tmp_path / "run")
    with pytest.raises(UsageError, match="compared with itself"):
        evenhand.compare(tmp_path / "run", tmp_path / "run" / "report.json")
