"""The page of a repair in a real browser: it opens, fits, draws what is chosen, and puts up no barriers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from browsing import IN_A_BROWSER, screens, serious_barriers, unfolded, visit
from playwright.sync_api import Browser, Page, expect

from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import Repair

pytestmark = IN_A_BROWSER
CHARTS = 3
"""Gaps, the price, and one question of the paper."""


@pytest.fixture(scope="module")
def page_file(
    tmp_path_factory: pytest.TempPathFactory,
    repair_of: Callable[..., Repair],
    made_outcomes: Callable[[], list[Outcome]],
) -> Path:
    folder = tmp_path_factory.mktemp("repair")
    hidden = {"reduction": None, "reduction_interval": None, "verdict": "nothing to repair"}
    # In anger, no gap is visible: the page has to find the output and the persons that it begins with.
    anger = [replace(one, output="anger", **hidden) for one in made_outcomes()]
    repair_of([*anger, *made_outcomes()]).save(folder, figures=False)
    return folder / "repair.html"


def open_page(browser: Browser, file: Path, *, width: int = 1280, scheme: str = "light") -> tuple[Page, list[str]]:
    page, problems = unfolded(browser, file, charts=CHARTS, width=width, scheme=scheme)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.locator("#methods").select_option("rows")
    return page, problems


def test_it_begins_with_the_advised_method_by_part_and_folds_the_others(browser: Browser, page_file: Path) -> None:
    page, problems = visit(browser, page_file)
    assert screens(page) <= 4
    expect(page.locator("#gap-chart svg.marks")).to_contain_text("on average")
    expect(page.locator("#outcomes")).not_to_be_visible()
    page.locator("#methods").select_option("rows")
    expect(page.locator("#gap-chart svg.marks")).not_to_contain_text("on average")
    assert problems == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_opens_fits_and_puts_up_no_barrier(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    page, problems = open_page(browser, page_file, width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("html").get_attribute("data-theme") == scheme
    chart = page.locator("#gap-chart svg.marks").bounding_box()
    assert chart is not None
    assert 250 < chart["width"] <= width
    assert serious_barriers(page) == {}
    assert problems == []
    page.close()


def test_what_is_chosen_is_drawn_and_only_what_was_asked_is_offered(browser: Browser, page_file: Path) -> None:
    page, problems = open_page(browser, page_file)
    visible = page.locator("#outcomes tbody tr:visible")
    expect(page.locator("#output")).to_have_value("valence")
    expect(page.locator("#about")).to_have_text("valence, gender: female − male, among everybody")
    assert visible.count() == 12
    page.locator("#scope").select_option("names")
    expect(page.locator("#about")).to_have_text("valence, gender: female − male, among names")
    page.locator("#comparison").select_option("race: African American − European American")
    assert page.locator("#scope option").all_text_contents() == ["everybody"]
    expect(page.locator("#about")).to_have_text("valence, race: African American − European American, among everybody")
    assert visible.count() == 12
    assert set(page.locator("#outcomes tbody tr:visible td:nth-child(7)").all_text_contents()) == {"no gap visible"}
    page.locator("#output").select_option("anger")
    title = "anger, race: African American − European American, among everybody: Dots with intervals"
    expect(page.locator("#gap-chart .chart")).to_have_attribute("aria-label", re.compile(f"^{title}"))
    page.locator("#price-of").select_option("valence")
    expect(page.locator("#price-chart .chart")).to_have_attribute("aria-label", re.compile("^The cost, valence: Dot"))
    expect(page.locator("#paper-charts .chart")).to_have_attribute("aria-label", re.compile("^Gender, with names: "))
    expect(page.locator("svg.marks")).to_have_count(CHARTS)
    assert problems == []
    page.close()


def test_panels_stand_in_order_with_every_method_in_each(browser: Browser, page_file: Path) -> None:
    page, problems = open_page(browser, page_file)
    texts = page.locator("#gap-chart svg text").all_text_contents()
    panels = [page.locator("#gap-chart svg text", has_text=name) for name in ("new people", "new templates", "new emo")]
    heights = [panel.bounding_box()["y"] for panel in panels]  # type: ignore[index]
    assert heights == sorted(heights)
    for method in ("layers", "terms", "averaging", "additive"):
        assert texts.count(method) == 3
    assert {"before", "after, fitted", "after, exact", "after, published"} <= set(texts)
    assert problems == []
    page.close()


def test_the_table_sorts_and_the_keyboard_is_enough(browser: Browser, page_file: Path) -> None:
    page, problems = open_page(browser, page_file)
    page.locator("#outcomes th button", has_text="after").focus()
    page.keyboard.press("Enter")
    cells = page.locator("#outcomes tbody tr:visible td:nth-child(4)").all()
    values = [float(cell.get_attribute("data-value") or "nan") for cell in cells]
    assert values == sorted(values)
    assert values[0] == -0.07
    page.locator("#scope").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#about")).to_have_text("valence, gender: female − male, among pairs of noun phrases")
    page.locator("#theme").focus()
    page.keyboard.press("Enter")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    expect(page.locator("#scope")).to_have_value("pairs of noun phrases")
    expect(page.locator("svg.marks")).to_have_count(CHARTS)
    assert problems == []
    page.close()
