"""A repair's charts: what they are drawn from, and that they can be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import Repair
from evenhand.report.repair.figures import (
    gap_chart,
    gap_rows,
    price_chart,
    price_figure_rows,
    questions,
    static_figures,
)

Make = Callable[..., Repair]


def test_there_is_a_question_for_each_output_comparison_and_kind_of_persons(repair_of: Make) -> None:
    asked = [(one.comparison, one.scope) for one in questions(repair_of())]
    assert asked == [
        ("gender: female − male", "everybody"),
        ("gender: female − male", "paired"),
        ("gender: female − male", "unpaired"),
        ("race: African American − European American", "everybody"),
    ]


def test_groups_are_called_the_same_among_names_as_among_everybody(
    repair_of: Make, made_outcomes: Callable[[], list[Outcome]]
) -> None:
    of_scope = {"unpaired": {"first_label": "women's names", "second_label": "men's names"}}
    usual = {"first_label": "women", "second_label": "men"}
    labelled = [replace(one, **of_scope.get(one.scope, usual)) for one in made_outcomes() if one.attribute == "gender"]
    asked = [(one.comparison, one.scope) for one in questions(repair_of(labelled))]
    assert asked == [("gender: women − men", scope) for scope in ("everybody", "paired", "unpaired")]


def test_rows_hold_both_gaps_with_their_intervals_the_advised_method_first(repair_of: Make) -> None:
    repair = repair_of()
    rows = gap_rows(repair, questions(repair)[0])
    assert [row["method"] for row in rows[:4]] == ["layers", "terms", "averaging", "additive"]
    assert list(dict.fromkeys(row["new"] for row in rows)) == ["new people", "new templates", "new emotion words"]
    additive = rows[3]
    assert (additive["before"], additive["after"]) == (0.05, -0.07)
    assert additive["before_low"] == pytest.approx(0.03, abs=1e-6)
    assert additive["after_high"] == pytest.approx(-0.05, abs=1e-6)
    assert (additive["family"], additive["verdict"]) == ("after, published", "reversed")


def test_what_is_undefined_is_left_empty(repair_of: Make, made_outcomes: Callable[[], list[Outcome]]) -> None:
    nothing = {"before": None, "after": None, "reduction": None, "verdict": "undefined", "undefined": "why"}
    repair = repair_of([replace(one, **nothing) for one in made_outcomes()])
    row = gap_rows(repair, questions(repair)[0])[0]
    assert [row[name] for name in ("before", "before_low", "after", "after_high")] == [None] * 4
    assert row["verdict"] == "undefined: why"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_before_is_grey_above_zero_has_a_line_and_families_have_colours_and_shapes(repair_of: Make, theme: str) -> None:
    repair = repair_of()
    spec = gap_chart(gap_rows(repair, questions(repair)[0]), theme=theme)
    assert spec["facet"]["sort"] == ["new people", "new templates", "new emotion words"]
    zero, before, _, after, points = spec["spec"]["layer"]
    assert zero["encoding"]["x"] == {"datum": 0}
    assert before["mark"]["yOffset"] < 0 < after["mark"]["yOffset"]
    assert before["encoding"]["color"]["datum"] == "before"
    colours = after["encoding"]["color"]["scale"]
    assert dict(zip(colours["domain"], colours["range"], strict=True))["before"] in ("#6b7280", "#a3a3a3")
    assert len(set(colours["range"])) == len(set(points["encoding"]["shape"]["scale"]["range"])) == 4


def test_the_chart_of_the_price_has_three_orders_for_each_method(repair_of: Make) -> None:
    rows = price_figure_rows(repair_of(), "valence")
    assert [(row["of"], row["correlation"]) for row in rows if row["method"] == "terms"] == [
        ("within groups", 0.9),
        ("of all sentences", 0.94),
        ("of the emotion words", 0.9999),
    ]
    assert price_chart(rows)["data"]["values"] == rows


def test_figures_have_names_of_their_own(repair_of: Make, made_outcomes: Callable[[], list[Outcome]]) -> None:
    assert list(static_figures(repair_of())) == [
        "gaps-gender: female − male",
        "gaps-gender: female − male-pairs of noun phrases",
        "gaps-gender: female − male-names",
        "gaps-race: African American − European American",
        "price",
        "published-gender, with names-expected",
    ]
    two = [*made_outcomes(), *(replace(one, output="anger") for one in made_outcomes())]
    names = list(static_figures(repair_of(two, published=None)))
    assert len(names) == 2 * 5
    assert "gaps-anger-gender: female − male-names" in names
    assert "price-anger" in names
