"""The paper's tables and charts, for any system."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.published.calibration_figures import printed_evaluation
from evenhand.repairs.paired_means import Evaluation, PairedMeans, WordMean
from evenhand.report.audit.figures import figure_files
from evenhand.report.repair.published import evaluation_frame, paired_tables, to_markdown, word_tables, words_frame
from evenhand.report.repair.published_figures import bar_rows, bars, became, static_figures

ONE = PairedMeans(
    *("baseline", "intensity", "expected", "race", "race", "European American", "African American", 280, 4.0),
    *(-0.0292, 0.0092, (-0.0473, -0.0111), -0.21, -3.174, 0.00167),
)


def version(name: str, mean: float, p: float) -> PairedMeans:
    return replace(ONE, version=name, mean=mean, interval=(mean - 0.05, mean + 0.05), p=p)


def evaluation() -> Evaluation:
    constant = replace(version("additive", 0.4, 0.0), t=None, undefined={"t": "constant: all the same"})
    few = replace(constant, version="contextual", t=None)
    likely = replace(ONE, reading="most likely")
    words = [
        WordMean(name, "intensity", "expected", "anger", "vexing", mean, 180)
        for name, mean in (("baseline", 4.12), ("additive", 3.5))
    ]
    words.append(WordMean("baseline", "intensity", "expected", None, "odd", 3.0, 10))
    return Evaluation((ONE, likely, constant, few), tuple(words))


def test_a_table_for_each_question_and_reading() -> None:
    expected, likely = paired_tables(evaluation())
    assert expected.title == "Race: European American − African American, intensity (expected), 280 pairs"
    assert likely.title.endswith("(most likely), 280 pairs")
    assert expected.rows[0] == (
        *("baseline", "−0.029", "−0.047 to −0.011", "0.009", "−3.174", "0.0017", "−0.21", "yes"),
    )
    assert expected.rows[1][4] == "undefined"
    assert expected.rows[1][5] == "< 0.0001"
    assert [row[0] for row in expected.rows] == ["baseline", "additive", "contextual"]
    assert expected.notes == ("T undefined for additive, contextual: constant: all the same.",)
    assert len(expected.headings) == len(expected.alignment) == len(expected.rows[0])


def test_without_a_test_nothing_is_called_significant() -> None:
    reasons = dict.fromkeys(("standard_error", "interval", "t", "p", "effect_size"), "fewer than two pairs")
    alone = replace(ONE, n=1, standard_error=None, interval=None, t=None, p=None, effect_size=None, undefined=reasons)
    (table,) = paired_tables(Evaluation((alone,), ()))
    assert table.title.endswith(", 1 pair")
    assert table.rows == (("baseline", "−0.029", *["undefined"] * 6),)
    assert bar_rows([alone])[0]["low"] is None


def test_the_table_of_words_leaves_nothing_out() -> None:
    (table,) = word_tables(evaluation())
    assert table.headings == ("emotion", "emotion word", "baseline", "additive")
    assert table.rows == (("anger", "vexing", "4.12", "3.50"), ("", "odd", "3.00", "undefined"))


def test_markdown_and_latex() -> None:
    text = to_markdown(evaluation())
    assert text.count("### ") == 3
    assert "| baseline | −0.029 |" in text
    assert "T undefined for additive" in text
    assert "baseline & $-$0.029 &" in paired_tables(evaluation())[0].to_latex()


def test_frames_hold_all_numbers() -> None:
    frame = evaluation_frame(evaluation())
    assert frame["mean"].to_list() == [-0.0292, -0.0292, 0.4, 0.4]
    assert frame["significant"].to_list() == [True] * 4
    assert frame["undefined"].to_list()[1:3] == [None, "t: constant: all the same"]
    assert (frame["low"][0], frame["high"][0], frame["n"][0]) == (-0.0473, -0.0111, 280)
    assert words_frame(evaluation()).height == 3


@pytest.mark.parametrize(
    ("after", "before", "word"),
    [
        (version("additive", 0.4, 0.001), ONE, "reversed"),
        (version("additive", -0.4, 0.001), ONE, "same direction"),
        (version("additive", 0.4, 0.06), ONE, "zero not ruled out"),
        (version("additive", 0.4, 0.001), replace(ONE, p=0.2), "newly significant"),
        (ONE, ONE, "before"),
        (replace(ONE, version="additive", p=None), ONE, "zero not ruled out"),
    ],
)
def test_what_became_of_the_gap(after: PairedMeans, before: PairedMeans, word: str) -> None:
    assert became(after, before) == word


def test_bars_have_means_intervals_and_a_zero_line() -> None:
    tests = [ONE, version("additive", 0.4, 0.001), version("additive-mean", 0.02, 0.3)]
    spec = bars(tests)
    rows = spec["data"]["values"]
    assert [(row["version"], row["mean"], row["became"]) for row in rows] == [
        ("baseline", -0.0292, "before"),
        ("additive", 0.4, "reversed"),
        ("additive-mean", 0.02, "zero not ruled out"),
    ]
    assert (rows[0]["low"], rows[0]["high"]) == (-0.0473, -0.0111)
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["bar", "rule", "rule"]
    axes = [layer["encoding"]["x"].get("title") for layer in spec["layer"]]
    assert axes[0] == "mean difference, European American − African American"
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["before", "reversed", "zero not ruled out"]
    assert bars(tests, theme="dark")["layer"][0]["encoding"]["color"]["scale"] != scale


def test_a_figure_for_each_question_and_reading() -> None:
    assert list(static_figures(printed_evaluation())) == [
        "published-gender, with names-most likely",
        "published-gender, without names-most likely",
        "published-race-most likely",
    ]


@pytest.mark.slow
def test_figures_can_be_drawn() -> None:
    figures, name = static_figures(printed_evaluation()), "published-race-most likely"
    drawn = figure_files({name: figures[name]})
    assert list(drawn) == [f"figures/published-race-most-likely.{ending}" for ending in ("svg", "png")]
    svg, png = (content() for content in drawn.values() if callable(content))
    assert png.startswith(b"\x89PNG")
    drawing = svg.decode()
    for words in ("multiplicative-mean", "reversed", "mean difference, European American − African American"):
        assert words in drawing


def test_figures_of_several_outputs_and_groups_have_names_of_their_own() -> None:
    other = replace(ONE, output="anger")
    third = replace(ONE, second="Asian American")
    assert list(static_figures(Evaluation((ONE, other), ()))) == [
        "published-race-intensity-expected",
        "published-race-anger-expected",
    ]
    assert list(static_figures(Evaluation((ONE, third), ()))) == [
        "published-race-European American-African American-expected",
        "published-race-European American-Asian American-expected",
    ]
