"""The page of a comparison in a real browser: it opens, fits, draws, and puts up no barriers; names are only text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from browsing import IN_A_BROWSER, serious_barriers, unfolded
from playwright.sync_api import Browser

import evenhand

pytestmark = IN_A_BROWSER
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_opens_fits_and_puts_up_no_barrier(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    page, problems = unfolded(browser, page_file, charts=2, width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_barriers(page) == {}
    assert problems == []
    page.close()
