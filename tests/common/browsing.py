"""Pages in a real browser: opened, unfolded, and looked at for what goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; `make test` installs it where apt is"),
]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
HEIGHT = 900
LOCAL = ("file:", "data:", "blob:")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that asks nobody anything."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


def visit(browser: Browser, file: Path, *, width: int = 1280, scheme: str = "light") -> tuple[Page, list[str]]:
    """The page as a reader first sees it, and a list that fills with what goes wrong on it."""
    page = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)  # type: ignore[arg-type]
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


def screens(page: Page) -> float:
    """How many screens long the page is."""
    height: float = page.evaluate("document.documentElement.scrollHeight")
    return height / HEIGHT


def serious_barriers(page: Page) -> dict[str, str]:
    """What keeps people with disabilities out, and where."""
    found = Axe().run(page).response["violations"]
    return {v["id"]: v["nodes"][0]["html"][:200] for v in found if v["impact"] in ("serious", "critical")}
