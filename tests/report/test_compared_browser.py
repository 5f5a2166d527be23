"""The page of a comparison in a real browser: it opens, fits, draws, and puts up no barriers; names are only text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect, sync_playwright

import evenhand

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; `make test` installs it where apt is"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
HOSTILE = "<img src=x onerror=alert(1)></script>"


class Lengths:
    """A probability that goes by the length of the text."""

    outputs = (evenhand.Output("positive", kind="probability"),)
    fingerprint = None
    batch_size = 100

    def __init__(self, name: str, share: float) -> None:
        self.name, self.share = name, share

    def score(self, texts: list[str]) -> np.ndarray:
        return np.array([[0.4 + self.share * (len(text) % 7) / 7] for text in texts])


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    both = [Lengths(HOSTILE, 0.4), Lengths("steady", 0.1)]
    audit = evenhand.audit(
        both, "identity", attributes="age", sample=480, progress=False, cache=folder / "cache"
    )  # fmt: skip
    evenhand.compare(audit, audit, systems=(HOSTILE, "steady"), out=folder / "out")
    return folder / "out" / "comparison.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_opens_fits_and_puts_up_no_barrier(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.goto(page_file.as_uri())
    expect(page.locator("svg.marks")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert {v["id"] for v in found if v["impact"] in ("serious", "critical")} == set()
    assert problems == []
    page.close()
