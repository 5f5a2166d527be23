"""The explorer in a real browser: every page, both widths, both themes, and every way through it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import polars as pl
import pytest
import uvicorn
from browsing import HEIGHT, IN_A_BROWSER, chromium, screens, serious_barriers
from playwright.sync_api import Browser, Page, expect

from evenhand.corpora import load_corpus
from evenhand.files.tables import table_bytes
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry

pytestmark = IN_A_BROWSER
PATIENCE = 120_000
"""Milliseconds that an audit may take on a busy machine."""


@pytest.fixture(scope="module")
def address(explorer: Explorer) -> Iterator[str]:
    """The explorer, served as it is served to people."""
    config = uvicorn.Config(application(explorer), port=0, log_config=None, access_log=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def addresses(entries: dict[str, Entry]) -> dict[str, str]:
    """Every kind of page."""
    id_ = {place: one.id for place, one in entries.items()}
    versions = f"id={id_['model/v1']}&id={id_['model/v2']}"
    return {
        "results": "/", "audit": f"/results/{id_['both']}?column=1", "study": f"/results/{id_['study']}",
        "comparison": f"/results/{id_['compared']}", "broken": f"/results/{id_['broken']}",
        "differences": f"/results/{id_['both']}/differences?finding=1",
        "difference": f"/results/{id_['both']}/differences/0?finding=0",
        "try": "/try", "compare": f"/compare?{versions}", "choose": "/compare", "follow": f"/follow?{versions}",
        "upload": "/upload", "jobs": "/jobs", "corpora": "/corpora", "api": "/api", "login": "/login",
    }  # fmt: skip


class Visit:
    """A page, and what was wrong on it."""

    def __init__(self, browser: Browser, address: str, *, width: int = 1280, scheme: str = "light") -> None:
        self.problems: list[str] = []
        self._address = address
        self.page = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)  # type: ignore[arg-type]
        self.page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda asked: self._noted(asked.url))

    def _noted(self, url: str) -> None:
        if not url.startswith((self._address, "data:", "blob:")):
            self.problems.append(url)

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, kind: object, *_: object) -> None:
        self.page.close()
        if kind is None:
            assert self.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_page_opens_without_errors_fits_and_puts_up_no_barrier(
    browser: Browser, address: str, addresses: dict[str, str], width: int, scheme: str
) -> None:
    visit = Visit(browser, address, width=width, scheme=scheme)
    with visit as page:
        for name, path in addresses.items():
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.locator("html").get_attribute("data-theme") == scheme
            expect(page.locator("h1")).to_have_count(1)
            assert screens(page) <= 4, name
            if (width, scheme) in ((1280, "light"), (400, "dark")):
                assert serious_barriers(page) == {}, name
            if name == "broken":
                visit.problems = [one for one in visit.problems if "422" not in one]


def test_results_are_filtered_and_sorted(browser: Browser, address: str) -> None:
    with Visit(browser, address) as page:
        page.goto(address)
        page.get_by_label("Search").fill("v2")
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page.locator(".results > li")).to_have_count(1)
        expect(page.locator(".lead")).to_contain_text("1 result match")
        page.get_by_role("link", name="Show all").click()
        page.get_by_label("Order").select_option("place")
        page.get_by_role("button", name="Show", exact=True).click()
        shown = page.locator(".results .place").all_text_contents()
        assert shown[:2] == ["both", "compared"]
        assert shown[-1] == "broken"
        expect(page.locator(".broken")).to_contain_text("Cannot be read")


@pytest.mark.parametrize("width", [1280, 400])
def test_from_verdict_to_sentence(browser: Browser, address: str, addresses: dict[str, str], width: int) -> None:
    with Visit(browser, address, width=width) as page:
        page.goto(address)
        page.locator(".results a", has_text="planted(gap=0.05)").first.click()
        page.get_by_label("System").select_option(label="planted(gap=0.05)")
        expect(page.locator("#system h2").first).to_contain_text("planted(gap=0.05)")
        behind = page.locator("#behind")
        expect(behind).to_be_empty()
        page.locator(".strip-of .behind").nth(2).click()
        expect(behind.locator("h2")).to_contain_text("differences from 0.0")
        expect(behind.locator("mark").first).to_be_visible()
        page.locator(".strip-of .point").last.dispatch_event("click")
        expect(behind.locator(".sides")).to_have_count(1)
        fold = page.locator("summary", has_text="Who is scored differently, and where")
        if width < 640:
            fold.click()
        cell = page.locator(".heat td a").first
        cell.click()
        expect(behind.locator(".pairs li").first).to_be_visible()
        first, second = behind.locator(".pairs li").first.locator("p:has(.score)").all_text_contents()
        assert re.sub(r"\S+\s*$", "", first) != re.sub(r"\S+\s*$", "", second)
        expect(behind.locator("mark").first).to_be_visible()
        behind.get_by_role("button", name="Close").click()
        expect(behind).to_be_empty()
        assert page.evaluate("document.activeElement.className") == cell.evaluate("cell => cell.className")


def test_it_works_without_a_script(browser: Browser, address: str, addresses: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + addresses["audit"])
    page.locator(".heat td a").first.click()
    expect(page.locator("h1")).to_contain_text("in “")
    expect(page.locator(".pairs li").first).to_be_visible()
    page.goto(f"{address}/try")
    page.get_by_role("button", name="Score all versions").click()
    expect(page.locator(".versions").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [1280, 400])
def test_a_sentence_is_tried(browser: Browser, address: str, width: int) -> None:
    with Visit(browser, address, width=width) as page:
        page.goto(f"{address}/try")
        page.get_by_label("Sentence").fill("Mohammed is a gay man.")
        page.get_by_role("button", name="Score all versions").click()
        expect(page.locator("#tried h2").last).to_contain_text("Sexual orientation: scores differ by 0.226")
        expect(page.locator("tr", has_text="heterosexual people").locator("mark")).to_have_text("straight")
        expect(page.locator("tr.own").last).to_contain_text("as typed")
        page.get_by_role("link", name="My sister feels angry.").click()
        expect(page.locator("#tried h2")).to_contain_text(["Gender: every version gets the same score"])
        assert page.url == f"{address}/try"


def test_two_audits_are_compared(browser: Browser, address: str) -> None:
    with Visit(browser, address) as page:
        page.goto(address)
        expect(page.get_by_role("button", name="Compare")).to_be_disabled()
        for version in ("v1", "v2"):
            page.get_by_label(f"Choose model/{version}").check()
        expect(page.locator("#chosen-said")).to_have_text("2 chosen")
        page.get_by_role("button", name="Compare").click()
        expect(page.locator("h1")).to_contain_text("against planted")
        expect(page.locator("#gaps tbody tr")).to_have_count(3)


def test_a_model_is_followed_through_its_versions(browser: Browser, address: str) -> None:
    with Visit(browser, address) as page:
        page.goto(address)
        for version in ("v1", "v2"):
            page.get_by_label(f"Choose model/{version}").check()
        page.get_by_role("button", name="Follow").click()
        assert page.locator("tbody th a").all_text_contents() == ["v1", "v2"]
        with page.expect_download() as saved:
            page.get_by_role("link", name="This chart as SVG").click()
        assert saved.value.path().read_text().startswith("<svg")


def test_predictions_are_sent_and_audited_through_a_reload(browser: Browser, address: str) -> None:
    frame = load_corpus("es-emotions").frame
    scores = pl.DataFrame({"id": frame["id"], "score": [0.5 + 0.05 * (one == "female") for one in frame["gender"]]})
    file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": table_bytes(scores)}
    with Visit(browser, address) as page:
        page.goto(f"{address}/upload")
        page.get_by_label("Which sentences were scored?").select_option("es-emotions")
        page.get_by_label("The file: csv").set_input_files(file)  # type: ignore[arg-type]
        page.get_by_label("What is the system called?").fill("<i>mine")
        page.get_by_role("button", name="Audit it").click()
        expect(page.locator("h1")).to_have_text("Audit of <i>mine on es-emotions")
        page.reload()
        page.get_by_role("link", name="Open the audit").click(timeout=PATIENCE)
        expect(page.locator("h1")).to_have_text("Scores sentences about women 0.050 higher than sentences about men")
        page.goto(f"{address}/jobs")
        expect(page.locator(".results li").first).to_contain_text("done")


def test_a_leaderboard_is_sorted_and_taken_along(browser: Browser, address: str, addresses: dict[str, str]) -> None:
    with Visit(browser, address) as page:
        page.goto(address + addresses["study"])
        assert page.locator(".board tbody th").all_text_contents() == ["a", "b", "c"]
        page.get_by_label("Order").select_option("bias")
        page.wait_for_url("**sort=bias**")
        expect(page.locator(".board .place").first).to_have_text(re.compile(r"^1–\d$"))
        with page.expect_download() as saved:
            page.get_by_role("link", name="This leaderboard as CSV").click()
        assert saved.value.path().read_text().startswith("system,dimension,table,spearman")


def test_tables_and_charts_are_taken_along(browser: Browser, address: str, addresses: dict[str, str]) -> None:
    with Visit(browser, address) as page:
        page.goto(address + addresses["audit"])
        for summary, name, begin in (("as CSV", "findings.csv", "system,"), ("as SVG", "persons-", "<svg")):
            page.locator("summary", has_text=summary).click()
            with page.expect_download() as saved:
                page.get_by_role("link", name=name).first.click()
            assert saved.value.path().read_text().startswith(begin)


def test_the_theme_is_chosen_and_kept(browser: Browser, address: str) -> None:
    with Visit(browser, address) as page:
        page.goto(address)
        page.get_by_role("button", name="Dark").click()
        page.goto(f"{address}/try")
        assert page.locator("html").get_attribute("data-theme") == "dark"
        expect(page.get_by_role("button", name="Light")).to_have_attribute("aria-pressed", "true")
