"""Scores and predictions on disk, measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.asking import Column, Scores
from evenhand.comparing.audit import Audit
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.measuring import Measured, MeasureSettings, measure_file, measure_scores, predictions_of
from evenhand.metrics import METRICS
from evenhand.systems import Output
from evenhand.verbs.audit import audit

NEGATIVE_WORDS = {"negative": 0.9, "neutral": 0.2, "positive": 0.1}


def corpus() -> Corpus:
    """The age part of the identity corpus: three groups, three labels."""
    return load_corpus("identity").narrowed(["age"])


def scored(made: Corpus, matrix: np.ndarray, outputs: list[Output]) -> Scores:
    columns = tuple(Column("model", output, None) for output in outputs)
    return Scores(tuple(made.frame["id"]), matrix, columns, made.digest)


def probability_outputs(*names: str) -> list[Output]:
    return [Output(name, kind="probability") for name in names]


def perfect(made: Corpus, labels: tuple[str, ...] = ("negative", "neutral", "positive")) -> np.ndarray:
    return np.array([[0.98 if label == name else 0.01 for name in labels] for label in made.frame["label"]])


def test_a_perfect_classifier_has_ideal_metrics() -> None:
    made = corpus()
    scores = scored(made, perfect(made), probability_outputs("negative", "neutral", "positive"))
    (result,) = measure_scores(scores, made, attributes=["age"]).results
    found = result.measurements
    assert found.groups == made.attributes["age"]
    for name in ("tpr_gap", "cf_gap", "pert_ss", "disparity_score", "avg_gf"):
        for measurement in found[name].values():
            assert measurement.value == pytest.approx(0.0, abs=1e-12), name
    assert [behaviour.rate for behaviour in result.behaviours] == [0.0, 0.0]


def test_one_group_that_is_always_taken_for_another_class_shows() -> None:
    made = corpus()
    matrix = perfect(made)
    old = (made.frame["age"] == "old").to_numpy() & (made.frame["label"] == "positive").to_numpy()
    matrix[old] = [0.98, 0.01, 0.01]
    scores = scored(made, matrix, probability_outputs("negative", "neutral", "positive"))
    (result,) = measure_scores(scores, made).results
    tpr = result.measurements["tpr_gap"]["positive"]
    # Two of three pairs differ by one.
    assert tpr.value == pytest.approx(2 / 3)
    assert tpr.by_group == pytest.approx({"young": 0.5, "adult": 0.5, "old": 1.0})
    assert result.behaviours[0].rate == pytest.approx(1 / 3)  # the positive third of the sources
    general = result.tests["positive"].generalising
    assert general is not None
    assert general.by_group["old"].estimate == pytest.approx(-(0.98 - 0.01) / 3)


def test_a_binary_model_has_two_classes_and_neutral_gold_is_dropped() -> None:
    made = corpus()
    positive = perfect(made)[:, [2]]
    ((name, predictions),) = predictions_of(scored(made, positive, probability_outputs("POSITIVE")), made, "age")
    assert (name, predictions.classes) == ("model", ("negative", "positive"))
    assert predictions.probabilities is not None
    assert predictions.gold is not None
    right = predictions.probabilities[np.arange(len(predictions)), predictions.gold]
    assert (right > 0.9).all()  # what it says of the one class, and its mirror of the other
    neutral = int((made.frame["label"] == "neutral").sum())
    assert predictions.dropped == (("neutral", neutral),)
    assert len(predictions) == len(made) - neutral


def test_scores_that_are_no_probabilities_are_measured_one_by_one() -> None:
    made = corpus()
    matrix = np.random.default_rng(0).uniform(size=(len(made), 2))
    results = measure_scores(scored(made, matrix, [Output("joy"), Output("fear")]), made).results
    assert [result.system for result in results] == ["model joy", "model fear"]
    assert all(result.measurements.classes == ("score",) for result in results)
    assert results[0].measurements["cf_gap"]["score"].value is not None
    assert results[0].measurements["tpr_gap"]["score"].undefined


def test_classes_that_are_none_of_the_labels_are_told(tmp_path: Path) -> None:
    made = corpus()
    scores = scored(made, perfect(made), probability_outputs("LABEL_0", "LABEL_1", "LABEL_2"))
    report = measure_scores(scores, made)
    assert report.results == ()
    assert re.search(r"LABEL_0.*none of the labels.*outputs", report.left_out[0])
    made.save(tmp_path / "corpus.parquet")
    scores.save(tmp_path / "scores.parquet")
    with pytest.raises(EvenhandError, match="nothing can be measured: model, age"):
        measure_file(tmp_path)


def test_an_audit_stands_without_metrics() -> None:
    made = corpus()
    scores = scored(made, perfect(made), probability_outputs("LABEL_0", "LABEL_1", "LABEL_2"))
    report = evenhand.audit(scores, made, progress=False)
    assert report.findings
    assert report.measurements is None


def test_sentences_that_an_attribute_does_not_apply_to_are_left_out() -> None:
    made = load_corpus("identity")
    scores = scored(made, np.zeros((len(made), 1)) + 0.5, [Output("x")])
    ((_, predictions),) = predictions_of(scores, made, "religion")
    assert len(predictions) == made.frame["religion"].is_not_null().sum()


def test_an_audit_of_a_labelled_corpus_is_measured_and_saved(tmp_path: Path) -> None:
    report = evenhand.audit("textblob", "identity", attributes=["age"], out=tmp_path, progress=False)
    assert report.measurements is not None
    saved = json.loads((tmp_path / "metrics.json").read_text())
    assert saved["attribute"] == "age"
    assert "measurements" in json.loads(report.to_json())
    assert {"metrics.html", "metrics.csv"} <= {path.name for path in tmp_path.iterdir()}
    again = measure_file(tmp_path, settings=report.measurements.settings)
    assert again.to_dict()["metrics"] == report.measurements.to_dict()["metrics"]


def test_an_audit_without_labels_is_not_measured() -> None:
    assert evenhand.audit("planted(gap=0.01)", "eec", attributes=["race"], progress=False).measurements is None


def table(folder: Path) -> Path:
    path = folder / "predictions.csv"
    pl.DataFrame(
        {
            "source": ["a", "a", "b", "b"],
            "group": ["x", "y", "x", "y"],
            "term": ["t1", "t2", "t1", "t2"],
            "gold": ["p", "p", "n", "n"],
            "prob_n": [0.2, 0.4, 0.9, 0.7],
            "prob_p": [0.8, 0.6, 0.1, 0.3],
        }
    ).write_csv(path)
    return path


def test_a_table_of_predictions_is_measured_by_hand(tmp_path: Path) -> None:
    found = measure_file(table(tmp_path), attributes=["letter"])
    values = found.to_dict()
    assert (values["attribute"], values["groups"], values["classes"]) == ("letter", ["x", "y"], ["n", "p"])
    assert values["metrics"]["cf_gap"]["p"]["value"] == pytest.approx(0.2)
    assert values["metrics"]["pert_ss"]["all"]["value"] == pytest.approx(0.2)
    assert values["metrics"]["tpr_gap"]["p"]["value"] == 0.0
    assert values["metrics"]["tpr_difference"]["p"]["undefined"]


def test_signed_metrics_take_two_groups_in_order(tmp_path: Path) -> None:
    settings = MeasureSettings(metrics=("avg_score_difference",), groups=("y", "x"))
    found = measure_file(table(tmp_path), settings=settings).results[0].measurements
    # p(p): y 0.6 and 0.3, x 0.8 and 0.1.
    assert found["avg_score_difference"]["p"].value == pytest.approx(0.0)
    settings = MeasureSettings(metrics=("avg_score_difference",), groups=("x", "y"), bootstrap=50)
    one = measure_file(table(tmp_path), settings=settings).results[0].measurements["avg_score_difference"]["p"]
    assert one.interval is not None


def test_scores_without_their_corpus_cannot_be_measured(tmp_path: Path) -> None:
    made = corpus()
    scored(made, np.zeros((len(made), 1)), [Output("x")]).save(tmp_path / "scores.parquet")
    with pytest.raises(UsageError, match=r"corpus.parquet"):
        measure_file(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        measure_file(tmp_path / "nowhere.csv")


def test_an_unknown_attribute_has_a_suggestion() -> None:
    made = corpus()
    with pytest.raises(UsageError, match=r"no attribute 'aeg'.*age"):
        measure_scores(scored(made, np.zeros((len(made), 1)), [Output("x")]), made, attributes=["aeg"])


def results(report: Audit) -> tuple[Measured, ...]:
    assert report.measurements is not None
    return report.measurements.results


def test_a_tagger_that_misses_the_poorest_countries_is_seen(tmp_path: Path) -> None:
    made = load_corpus("ner-country")
    gold = {tuple(tokens): tags for tokens, tags in zip(made.frame["tokens"], made.frame["tags"], strict=True)}
    poor = {tuple(tokens) for tokens in made.frame.filter(pl.col("gdp_per_capita") == "lowest")["tokens"]}

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        return [["O"] * len(tokens) if tuple(tokens) in poor else list(gold[tuple(tokens)]) for tokens in sentences]

    report = audit(tag, made, out=tmp_path, progress=False)
    found = results(report)[0].measurements
    assert found["tpr_gap"]["LOC"].by_group["lowest"] == pytest.approx(1.0)
    # Five of fifteen pairs hold the group that is never found.
    assert found["tpr_gap"]["LOC"].value == pytest.approx(5 / 15)
    assert "true negatives" in (found["fped"]["LOC"].undefined or "")
    assert (tmp_path / "metrics.html").is_file()


def test_a_tagger_is_asked_about_what_was_chosen() -> None:
    made = load_corpus("ner-country")
    asked: list[int] = []

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        asked.append(len(sentences))
        return [["U-LOC"] * len(tokens) for tokens in sentences]

    part = audit(tag, made, subsets="objects", progress=False)
    assert results(part)[0].rows == sum(asked) == int(made.mask("objects").sum())
    assert part.provenance.details["subset"] == "objects"
    assert {finding.subset for finding in part.findings} == {"objects"}
    asked.clear()
    few = audit(tag, made, sample=200, progress=False)
    assert results(few)[0].rows == sum(asked) == 144  # two sources of 72 countries
    with pytest.raises(UsageError, match="no attribute 'gdp_per_capitas'; did you mean 'gdp_per_capita'"):
        audit(tag, made, attributes="gdp_per_capitas", progress=False)
    with pytest.raises(UsageError, match="no sentence in the subset"):
        audit(tag, made, subsets="subjects,objects", progress=False)


def test_a_perfect_tagger_has_no_gap() -> None:
    made = load_corpus("ner-country")
    gold = {tuple(tokens): tags for tokens, tags in zip(made.frame["tokens"], made.frame["tags"], strict=True)}
    report = audit(lambda sentences: [list(gold[tuple(tokens)]) for tokens in sentences], made, progress=False)
    known = [(name, found.value) for name, _, found in results(report)[0].measurements if found.value is not None]
    assert "tpr_gap" in dict(known)
    assert known == [(name, METRICS[name].ideal) for name, _ in known]


def test_tagged_sentences_on_disk_are_measured(tmp_path: Path) -> None:
    rows = [
        {"source": "1", "group": group, "term": term, "tokens": ["in", term], "slot_span": [1, 2],
         "gold": ["O", "U-LOC"], "pred": ["O", "U-LOC" if group == "x" else "O"]}
        for group, term in (("x", "Peru"), ("y", "Chad"))
    ]  # fmt: skip
    path = tmp_path / "tags.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    found = measure_file(path).results[0].measurements
    assert found["tpr_gap"]["LOC"].value == 1.0


def test_to_have_missed_none_of_these_countries_shows_no_gap_to_be_small() -> None:
    made = load_corpus("ner-country")
    gold = {tuple(tokens): tags for tokens, tags in zip(made.frame["tokens"], made.frame["tags"], strict=True)}
    report = audit(lambda sentences: [list(gold[tuple(tokens)]) for tokens in sentences], made, progress=False)
    for finding in report.findings:
        assert finding.verdict == "no reaction seen"
        assert finding.generalising.interval is None
        assert "up to 22 % of them could" in finding.undefined["equivalence.equivalent"]


def test_metrics_of_several_draws_say_that_they_are_of_the_majority() -> None:
    made = load_corpus("ner-country").sample(200)

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        return [["O"] * len(tokens) for tokens in sentences]

    tag.samples = True  # type: ignore[attr-defined]
    report = audit(tag, made, draws=3, progress=False)
    assert "metrics are of the tags that most of the 3 draws gave" in results(report)[0].notes
