"""The input of all metrics: columns, codes, checks, and tables on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics import Predictions, measure, read_predictions_table

COLUMNS = {
    "source": ["s1", "s1", "s2", "s2"],
    "group": ["A", "B", "A", "B"],
    "term": ["a", "b", "a", "b"],
    "gold": ["pos", "pos", "neg", "neg"],
    "prob_neg": [0.1, 0.6, 0.8, 0.5],
    "prob_pos": [0.9, 0.4, 0.2, 0.5],
}


def test_the_most_likely_class_is_predicted_and_the_first_of_those_that_tie() -> None:
    predictions = Predictions.of(source=["s"] * 2, group=["A", "B"], probabilities={"x": [0.5, 0.4], "y": [0.5, 0.6]})
    assert predictions.predicted is not None
    assert predictions.predicted.tolist() == [0, 1]


def test_classes_without_probabilities_are_sorted_as_numbers() -> None:
    predictions = Predictions.of(source=["s"] * 3, group=["A"] * 3, gold=[10, 9, 2], predicted=[10, 10, 2])
    assert predictions.classes == ("2", "9", "10")


def test_arrays_cannot_be_written_to(worked: Predictions) -> None:
    for array in (worked.source, worked.group, worked.gold, worked.predicted, worked.probabilities):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_selecting_rows_forgets_sources_and_keeps_groups(worked: Predictions) -> None:
    kept = worked.select(worked.source == 1)
    assert (kept.sources, kept.groups, len(kept)) == (("s2",), ("A", "B"), 4)
    assert kept.terms == ("a1", "a2", "b1", "")
    assert worked.select(np.array([7, 0])).source.tolist() == [1, 0]


def test_groups_in_another_order(worked: Predictions) -> None:
    turned = worked.of_groups(("B", "A"))
    assert turned.groups == ("B", "A")
    assert turned.group.tolist() == [1, 1, 0, -1] * 2
    assert worked.of_groups(("B",)).group.tolist() == [0, -1] * 2


def test_a_two_class_model_on_three_class_gold_leaves_out_what_it_cannot_say() -> None:
    predictions = Predictions.of(
        source=["s1", "s2", "s3"],
        group=["A"] * 3,
        gold=["neg", "neutral", "pos"],
        probabilities={"neg": [0.9, 0.5, 0.1], "pos": [0.1, 0.5, 0.9]},
    )
    assert predictions.sources == ("s1", "s3")
    assert predictions.dropped == (("neutral", 1),)
    assert measure(predictions, ["fped"]).to_dict()["dropped"] == {"neutral": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": ["A"]}, "group has the shape"),
        ({"term": ["a"]}, "the shape"),
        ({"probabilities": {"x": [0.5, 1.5], "y": [0.5, 0.5]}}, "row 2 has the probability 1.5"),
        ({"probabilities": {"x": [0.5, float("nan")], "y": [0.5, 0.5]}}, "not finite"),
        ({"predicted": ["x", "z"]}, "predicted names 'z', which is none of the classes x, y"),
        ({"gold": ["0", "1"]}, "no gold label is one of the classes x, y; the first is '0'"),
        ({"arcs": [(2, 1), (0, 0)]}, "the first no larger than the second"),
        ({"score": [1.0, 2.0]}, "but not both"),
        ({"probabilities": None}, "predictions need"),
    ],
)
def test_what_does_not_fit(change: dict[str, object], message: str) -> None:
    columns: dict[str, object] = {
        "source": ["s", "s"],
        "group": ["A", "B"],
        "probabilities": {"x": [0.5, 0.5], "y": [0.5, 0.5]},
    }
    with pytest.raises(EvenhandError, match=message):
        Predictions.of(**{**columns, **change})  # type: ignore[arg-type]


def test_rounding_beyond_one_is_forgiven() -> None:
    predictions = Predictions.of(source=["s"], group=["A"], probabilities={"x": [1 + 1e-9], "y": [-1e-9]})
    assert predictions.probabilities is not None
    assert predictions.probabilities.tolist() == [[1.0, 0.0]]


def test_no_rows_are_left(worked: Predictions) -> None:
    with pytest.raises(EvenhandError, match="no rows are left"):
        worked.select(np.zeros(8, dtype=bool))
    with pytest.raises(UsageError, match="a mask of 3 entries"):
        worked.select(np.zeros(3, dtype=bool))
    with pytest.raises(UsageError, match="no value is given for the class 'pos'"):
        worked.with_values({"neg": 0})


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_of_every_kind(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"predictions.{ending}"
    frame = pl.DataFrame(COLUMNS)
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="," if ending == "csv" else "\t")
    predictions = read_predictions_table(path)
    assert predictions.classes == ("neg", "pos")
    assert predictions.groups == ("A", "B")
    assert predictions.terms == ("a", "b", "a", "b")
    assert predictions.gold is not None
    assert predictions.gold.tolist() == [1, 1, 0, 0]
    assert predictions.predicted is not None
    assert predictions.predicted.tolist() == [1, 0, 0, 0]
    assert measure(predictions, ["cf_gap"])["cf_gap"]["pos"].value == pytest.approx(0.4)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text(text)
    return path


def test_predicted_classes_only(tmp_path: Path) -> None:
    path = written(tmp_path, "source,group,term,gold,pred\ns,A,a,x,x\ns,B,b,x,y\n")
    found = measure(read_predictions_table(path), ["tpr_gap", "cf_gap"])
    assert found["tpr_gap"]["x"].value == 1.0
    assert found["cf_gap"]["x"].undefined == "no probabilities are given"


def test_given_predictions_go_before_the_most_likely_class(tmp_path: Path) -> None:
    path = written(tmp_path, "source,group,pred,prob_x,prob_y\ns,A,y,0.9,0.1\ns,B,x,0.9,0.1\n")
    assert measure(read_predictions_table(path), ["label_flip_rate"])["label_flip_rate"]["all"].value == 1.0


def test_scores_only(tmp_path: Path) -> None:
    path = written(tmp_path, "source,group,score\ns,A,-2\ns,B,0.5\n")
    predictions = read_predictions_table(path)
    assert predictions.regression
    assert measure(predictions, ["cf_gap"])["cf_gap"]["score"].value == 2.5


def test_empty_groups_are_unperturbed_sentences_and_empty_gold_is_unknown(tmp_path: Path) -> None:
    path = written(tmp_path, "source,group,gold,prob_x,prob_y\ns,A,x,0.9,0.1\ns,,,0.6,0.4\n")
    predictions = read_predictions_table(path)
    assert predictions.group.tolist() == [0, -1]
    assert predictions.gold is not None
    assert predictions.gold.tolist() == [0, -1]
    assert measure(predictions, ["cf_gap_background"])["cf_gap_background"]["x"].value == pytest.approx(0.3)


def test_counts_of_arcs(tmp_path: Path) -> None:
    path = written(tmp_path, "source,group,las_correct,las_total\ns,A,3,4\ns,B,1,2\n")
    found = measure(read_predictions_table(path), groups=("A", "B"))
    assert found["las_difference"]["all"].value == 0.25
    assert found["tpr_gap"]["all"].undefined == found["label_flip_rate"]["all"].undefined == "no classes are predicted"
    assert found["cf_gap"]["all"].undefined == "no probabilities are given"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,term,pred\ns,a,x\n", r"has no column 'group'; there are source, term, pred"),
        ("source,group,term\ns,A,a\n", r"neither columns prob_<class> nor a column 'pred' or 'score'"),
        ("source,group,prob_x\ns,A,0.5\n", r"has 'prob_x' only; the probability of every class is needed"),
        ("source,group,prob_x,prob_y\ns,A,1,0\ns,B,2,0\n", r"line 3, column 'prob_x': 2 is outside the range 0..1"),
        ("source,group,prob_x,prob_y\ns,A,1,zero\n", r"line 2, column 'prob_y': \"zero\" is not a number"),
        ("source,group,prob_x,prob_y\ns,A,,0\n", r"line 2, column 'prob_x': the value is missing"),
        ("source,group,pred\ns,A,x\n,B,x\n", r"line 3, column 'source': the value is missing"),
        ("source,group,pred\ns,A,x\ns,B,\n", r"line 3, column 'pred': the value is missing"),
        ("source,group,las_total\ns,A,1\n", r"a column 'las_total' but no 'las_correct'"),
        ("source,group,las_correct,las_total\ns,A,3,2\n", r"line 2: 3 correct of 2 arcs"),
        ("source,group,score\ns,A,inf\n", r"line 2, column 'score': inf is not a finite number"),
    ],
)
def test_errors_name_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(EvenhandError, match=message) as caught:
        read_predictions_table(written(tmp_path, text))
    assert "predictions.csv" in str(caught.value)
