"""The page in a real browser: it opens, draws, sorts, filters, changes its theme, and puts up no barriers."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import IN_A_BROWSER, screens, serious_barriers, unfolded, visit
from playwright.sync_api import Browser, Page, expect

import evenhand
from evenhand.studies.synthetic import a_study, write_study

pytestmark = IN_A_BROWSER

SYSTEMS = ["vader", "planted(gap=0.05, person_sd=0.01)", "nrc"]
CHARTS = 9
"""Two comparisons as forest and box plots, emotion words, and heat maps of everybody and of those who differ most."""


@pytest.fixture(scope="module")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    evenhand.audit(SYSTEMS, cache=folder / "cache", out=folder / "out", progress=False)
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    write_study(folder, a_study(systems=5))
    (folder / "submissions" / "team-01" / "broken.csv").write_text("text,score\nx,1\n")
    evenhand.study(folder / "submissions", gold=folder / "gold", out=folder / "out", figures=False, progress=False)
    return folder / "out"


def open_page(
    browser: Browser, file: Path, *, width: int = 1280, scheme: str = "light", charts: int = CHARTS
) -> tuple[Page, list[str]]:
    return unfolded(browser, file, charts=charts, width=width, scheme=scheme)


def test_the_first_screen_answers_and_the_rest_opens_on_demand(browser: Browser, report_file: Path) -> None:
    page, problems = visit(browser, report_file)
    assert screens(page) <= 4
    first = page.locator(".answers details[open]")
    expect(first.locator("summary")).to_contain_text(
        "planted(gap=0.05, person_sd=0.01) (score), gender: women get higher"
    )
    pairs = first.locator("tbody tr")
    expect(pairs).to_have_count(5)
    assert len({pair.locator("mark").first.inner_text() for pair in pairs.all()}) == 5
    expect(page.locator("#first-heat svg.marks")).to_have_count(1)
    expect(page.locator("#ability summary h2")).to_be_visible()
    expect(page.locator("#words")).not_to_be_visible()
    page.locator("nav a", has_text="Does it do its job?").click()
    expect(page.locator("#words svg.marks")).to_have_count(1)
    assert problems == []
    page.close()


def test_a_link_from_elsewhere_opens_what_it_leads_to(browser: Browser, report_file: Path) -> None:
    page, problems = visit(browser, report_file)
    page.goto(f"{report_file.as_uri()}#limits")
    expect(page.locator("#limits li").first).to_be_visible()
    assert problems == []
    page.close()


def test_paper_shows_all_of_it(browser: Browser, report_file: Path) -> None:
    page, _ = visit(browser, report_file)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 5
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_opens_without_errors_fits_and_puts_up_no_barrier(
    browser: Browser, report_file: Path, width: int, scheme: str
) -> None:
    page, problems = open_page(browser, report_file, width=width, scheme=scheme)
    assert problems == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("html").get_attribute("data-theme") == scheme
    if (width, scheme) in ((1280, "light"), (400, "dark")):
        assert serious_barriers(page) == {}
    page.close()


def test_the_table_sorts_and_filters(browser: Browser, report_file: Path) -> None:
    page, problems = open_page(browser, report_file)
    heading = page.locator("#findings th button", has_text="gap, % of range")
    heading.click()
    gaps = [
        float(cell.get_attribute("data-value") or "nan")
        for cell in page.locator("#findings tbody tr td:nth-child(4)").all()
    ]
    assert gaps == sorted(gaps)
    expect(page.locator("#findings th[aria-sort=ascending]")).to_have_text("gap, % of range")
    heading.click()
    expect(page.locator("#findings th[aria-sort=descending]")).to_have_text("gap, % of range")
    page.locator("#filter").fill("planted")
    assert page.locator("#findings tbody tr:visible").count() == 2
    expect(page.locator("#shown")).to_have_text("2 of 12 shown")
    assert problems == []
    page.close()


def test_a_system_is_chosen_by_its_name_or_from_the_list(browser: Browser, report_file: Path) -> None:
    page, problems = open_page(browser, report_file)
    expect(page.locator("#detail")).to_contain_text("Tia alone accounts for it")
    expect(page.locator("#detail mark").first).to_have_text("Tia")
    page.locator("#choose").select_option(label="nrc joy")
    expect(page.locator("#detail")).to_contain_text("nrc (joy)")
    page.locator("#findings a", has_text="planted").first.click()
    expect(page.locator("#detail")).to_contain_text("For people like these: higher")
    assert problems == []
    page.close()


def test_words_of_another_output_are_chosen_from_the_list(browser: Browser, report_file: Path) -> None:
    page, problems = open_page(browser, report_file)
    expect(page.locator("#ability .sentences")).to_contain_text("its scores separate pleasant words from unpleasant")
    page.locator("#words summary").click()
    expect(page.locator("#words tbody tr")).to_have_count(40)
    page.locator("#words-of").select_option(label="nrc joy")
    page.locator("#words summary").click()
    expect(page.locator("#words tbody tr")).to_have_count(10)
    expect(page.locator("#words tbody th").first).to_have_text("ecstatic (5)")
    expect(page.locator("#words svg.marks")).to_have_count(1)
    expect(page.locator("#words svg.marks")).to_contain_text("ecstatic (5)")
    assert problems == []
    page.close()


def test_the_theme_is_the_readers_choice_and_the_keyboard_is_enough(browser: Browser, report_file: Path) -> None:
    page, problems = open_page(browser, report_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#theme").focus()
    page.keyboard.press("Enter")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    expect(page.locator("#theme")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("svg.marks")).to_have_count(CHARTS)
    assert problems == []
    page.close()


STUDY_CHARTS = 2
"""Two comparisons as box plots by rank; below each, a scatter plot is folded away."""


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_the_page_of_a_study_opens_fits_and_puts_up_no_barrier(
    browser: Browser, study_folder: Path, width: int, scheme: str
) -> None:
    file = study_folder / "study.html"
    page, problems = open_page(browser, file, width=width, scheme=scheme, charts=STUDY_CHARTS)
    page.evaluate("for (const one of document.querySelectorAll('#charts details')) one.open = true")
    expect(page.locator("svg.marks")).to_have_count(2 * STUDY_CHARTS)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_barriers(page) == {}
    assert problems == []
    page.close()


def test_a_study_shows_another_dimension_sorts_filters_and_leads_to_submissions(
    browser: Browser, study_folder: Path
) -> None:
    page, problems = open_page(browser, study_folder / "study.html", charts=STUDY_CHARTS)
    page.locator("#dimension").select_option("valence")
    expect(page.locator("#charts h3").first).to_have_text("valence, gender: women − men")
    expect(page.locator("svg.marks")).to_have_count(STUDY_CHARTS)
    page.locator("#filter").fill("unigrams")
    expect(page.locator("#shown")).to_have_text("5 of 25 shown")
    page.locator("#all th button", has_text="Spearman").click()
    expect(page.locator("#all th[aria-sort=ascending]")).to_have_text("Spearman")
    page.locator("#all tbody tr:visible a").first.click()
    expect(page.locator("h1")).to_contain_text("SVM-Unigrams")
    assert problems == []
    page.close()


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_of_a_submission_fits_and_puts_up_no_barrier(browser: Browser, study_folder: Path, width: int) -> None:
    page, problems = open_page(browser, study_folder / "submissions/team-02/joy.html", width=width, charts=0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_barriers(page) == {}
    assert problems == []
    page.close()


@pytest.fixture(scope="module")
def metrics_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("metrics")
    evenhand.audit("textblob", "identity", attributes=["age", "race"], out=folder, progress=False)
    return folder / "metrics.html"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_the_page_of_metrics_opens_fits_and_puts_up_no_barrier(
    browser: Browser, metrics_file: Path, width: int, scheme: str
) -> None:
    # Metric by attribute, and metric by group.
    page, problems = open_page(browser, metrics_file, width=width, scheme=scheme, charts=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_barriers(page) == {}
    page.locator("#attribute").select_option("race")
    expect(page.locator("#charts h3").last).to_contain_text("race")
    page.locator("#filter").fill("cf_gap")
    expect(page.locator("#shown")).to_contain_text("shown")
    assert problems == []
    page.close()
