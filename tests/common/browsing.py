"""Pages in a real browser: opened, unfolded, and looked at for what goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDS_A_BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; `make test` installs it where apt is")
IN_A_BROWSER = [pytest.mark.slow, NEEDS_A_BROWSER]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
HEIGHT = 800
DRAWN = """() => [...document.querySelectorAll(".chart")].every(
    (chart) => chart.closest("details:not([open])") || chart.querySelector("svg.marks"))"""
"""Whether all charts are there, but for those that are folded away."""
LOCAL = ("file:", "data:", "blob:")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that asks nobody anything."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


def visit(
    browser: Browser, file: Path, *, width: int = 1280, height: int = HEIGHT, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """The page as a reader first sees it, and a list that fills with what goes wrong on it."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(LOCAL) else problems.append(request.url))
    page.goto(file.as_uri())
    return page, problems


def unfolded(
    browser: Browser, file: Path, *, charts: int, width: int = 1280, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """The same with every section open, once so many charts are drawn."""
    page, problems = visit(browser, file, width=width, scheme=scheme)
    page.evaluate("for (const one of document.querySelectorAll('.fold > details')) one.open = true")
    expect(page.locator("svg.marks")).to_have_count(charts, timeout=30_000)
    return page, problems


@dataclass(frozen=True)
class Look:
    """How many screens long a page is before anything is opened, whether it fits its width, and what went wrong."""

    screens: float
    fits: bool
    problems: list[str]


@contextmanager
def looker() -> Iterator[Callable[[Path, int, int], Look]]:
    """Looks at pages in a thread of its own, beside tests that have event loops of theirs."""
    with ThreadPoolExecutor(1) as thread, ExitStack() as done:
        browser = thread.submit(lambda: done.enter_context(chromium())).result()

        def look(file: Path, width: int, height: int) -> Look:
            page, problems = visit(browser, file, width=width, height=height)
            page.wait_for_function(DRAWN)
            tall, wide = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
            page.close()
            return Look(tall / height, wide <= width, problems)

        yield lambda file, width, height: thread.submit(look, file, width, height).result()
        thread.submit(done.close).result()


def screens(page: Page) -> float:
    """How many screens long the page is."""
    height: float = page.evaluate("document.documentElement.scrollHeight")
    return height / HEIGHT


def serious_barriers(page: Page) -> dict[str, str]:
    """What keeps people with disabilities out, and where."""
    found = Axe().run(page).response["violations"]
    return {v["id"]: v["nodes"][0]["html"][:200] for v in found if v["impact"] in ("serious", "critical")}
