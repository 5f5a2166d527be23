"""The tables of the supplement: cells as the paper prints them, files that can be read again, and round trips."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import polars as pl
import pytest

from evenhand.published.rating_figures import published_scores, recorded_tests
from evenhand.rating import Ratings, rate_scores
from evenhand.report.ratings.supplement import (
    impact_frame,
    impact_tables,
    side_by_side,
    supplement_files,
    t_tables,
    test_frame,
)

test_frame.__test__ = False  # type: ignore[attr-defined]


def rated(group: str, **settings: object) -> Ratings:
    frame = published_scores().filter(group=group)
    return rate_scores(frame, attributes=["gender"], preset="published", bootstrap=0, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def unconfounded() -> Ratings:
    return rated("Group-1")


@pytest.fixture(scope="module")
def confounded() -> Ratings:
    return rated("Group-2", confounders=["gender"])


def test_cells_are_those_of_the_authors_files(unconfounded: Ratings) -> None:
    (table,) = t_tables(unconfounded)
    (recorded,) = (one for one in recorded_tests() if one.group == "Group-1")
    shown = {
        (row[0], row[1], frozenset(heading.split(" / "))): cell
        for row in table.rows
        for heading, cell in zip(table.headings[2:], row[2:], strict=True)
    }
    for cell in recorded.cells:
        text, _, mark = shown[cell.system, cell.dataset, frozenset(cell.pair)].partition("^")
        assert int(mark or 0) == cell.mark
        assert text == "H" if cell.t > 10_000 else float(text) == pytest.approx(cell.t, abs=0.006)


def test_t_values_as_csv(unconfounded: Ratings) -> None:
    frame = pl.read_csv(io.BytesIO(bytes(supplement_files(unconfounded)["tables/t_values.csv"])))  # type: ignore[arg-type]
    assert frame.height == test_frame(unconfounded).height == 5 * 5 * 3
    assert {"rejected_at_97.5", "rejected_at_85", "rejected_at_80"} <= set(frame.columns)
    weights = frame.select(
        1.0 * pl.col("rejected_at_97.5") + 0.7 * pl.col("rejected_at_85") + 0.6 * pl.col("rejected_at_80")
    )
    scores = frame.with_columns(score=weights.to_series()).group_by("system").agg(pl.col("score").sum())
    # The score of a system is the sum over its rows.
    assert dict(scores.iter_rows()) == pytest.approx(unconfounded.results[0].raw)


def test_means_before_and_after(confounded: Ratings) -> None:
    (table,) = impact_tables(confounded)
    rows = {row[:2]: row[2:] for row in table.rows}
    # By hand: E4 of S_b, in which every class met both emotions, has two means of each kind.
    observed, adjusted, impacts, largest = rows["S_b", "E4"]
    frame = published_scores().filter(group="Group-2", system="S_b", dataset="E4")
    means = [frame.filter(emotion=emotion)["sentiment"].mean() for emotion in ("negative", "positive")]
    assert observed == "(" + ", ".join(f"{mean:.2f}".rstrip("0").rstrip(".") for mean in means) + ")"
    do = []
    for emotion in ("negative", "positive"):
        parts = frame.filter(emotion=emotion).group_by("gender").agg(pl.col("sentiment").mean())
        share = {gender: frame.filter(gender=gender).height / frame.height for gender in ("male", "female", "NA")}
        do.append(sum(share[gender] * mean for gender, mean in parts.iter_rows()))
    assert adjusted == "(" + ", ".join(f"{mean:.2f}".rstrip("0").rstrip(".") for mean in do) + ")"
    numbers = [100 * abs(after - before) / abs(before) for before, after in zip(means, do, strict=True)]
    assert [float(text) for text in impacts.strip("()").split(", ")] == pytest.approx(numbers, abs=0.006)
    assert float(largest) == pytest.approx(max(numbers), abs=0.006)


def test_what_is_undefined_says_so(confounded: Ratings) -> None:
    (table,) = impact_tables(confounded)
    cells = next(row for row in table.rows if row[:2] == ("S_t", "E3"))
    assert "undefined" in cells[3]
    assert cells[5].endswith("*")
    frame = impact_frame(confounded)
    assert frame.filter(pl.col("adjusted").is_null())["undefined"].null_count() == 0
    assert not any(math.isnan(value) for value in frame["observed"])


def test_latex_is_whole(unconfounded: Ratings, confounded: Ratings) -> None:
    for ratings, name in ((unconfounded, "t_values"), (confounded, "impacts")):
        text = bytes(supplement_files(ratings)[f"tables/{name}.tex"]).decode()  # type: ignore[arg-type]
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
        body = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len({line.count("&") for line in body}) == 1
        assert "^" not in text
    marked = bytes(supplement_files(unconfounded)["tables/t_values.tex"]).decode()  # type: ignore[arg-type]
    assert re.search(r"H\\textsuperscript\{1\}", marked)


def test_names_cannot_break_the_latex() -> None:
    frame = (
        published_scores().filter(group="Group-1").with_columns(system=pl.lit("a_b & c%\nd ^2"), group=pl.lit("x\n&"))
    )
    found = rate_scores(frame, attributes=["gender"], bootstrap=0)
    text = bytes(supplement_files(found)["tables/t_values.tex"]).decode()  # type: ignore[arg-type]
    assert text.splitlines()[1].startswith(r"\begin{tabular}")
    assert r"a\_b \& c\%" in text


def test_round_trips_stand_side_by_side(tmp_path: Path) -> None:
    plain = published_scores().filter(group="Group-1", system="S_g")
    frame = pl.concat(
        [
            plain.with_columns(via=pl.lit(None, dtype=pl.String)),
            plain.with_columns(via=pl.lit("es"), sentiment=-pl.col("sentiment")),
            plain.with_columns(via=pl.lit("da"), sentiment=pl.lit(0.0)),
        ]
    )
    found = rate_scores(frame, attributes=["gender"], preset="published", bootstrap=0, out=tmp_path)
    table = side_by_side(found)
    assert table is not None
    assert table.headings == ("data", "system", "as they are", "via es", "via da")
    # Turned round, the same pairs differ; where all is 0, none does.
    assert table.rows == (("Group-1, by gender", "S_g", "0.6 (1)", "0.6 (1)", "0 (1)"),)
    found.export(tmp_path, tables=True)
    assert pl.read_csv(tmp_path / "tables" / "side_by_side.csv").columns == list(table.headings)
    page = (tmp_path / "rating.html").read_text(encoding="utf-8")
    assert "Side by side" in page
    assert "<sup>3</sup>" in page
    assert side_by_side(rated("Group-1")) is None
