"""What tests share: caches of their own, never the user's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# Machines are noisy: how long one example takes says nothing.
settings.register_profile("patient", deadline=None, max_examples=50)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers are cached in a folder that only this test sees."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--open` opens nothing on the machine that tests run on."""
    monkeypatch.setattr("webbrowser.open", lambda url: False)
