"""What tests of the explorer share: a folder of saved results, and the explorer of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import evenhand
from evenhand.results import Statement
from evenhand.studies.synthetic import Planted, write_study
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry, Wanted

HOST = "http://localhost"
VERSIONS = {"v1": (0.06, "2026-06-01"), "v2": (0.02, "2026-07-01")}
GAPS = {"gender": (0.02, 0.005), "race": (0.0, 0.004)}


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a model, an audit of two systems, a study, a comparison, and one that is damaged."""
    folder = tmp_path_factory.mktemp("saved")
    cache = tmp_path_factory.mktemp("answers")
    for version, (gap, day) in VERSIONS.items():
        evenhand.audit(
            f"planted(gap={gap}, person_sd=0.01)", attributes="gender", sample=1200, cache=cache, progress=False,
            out=folder / "model" / version, statement=Statement(date=day, model_version=version),
        )  # fmt: skip
    systems = ["vader", "planted(gap=0.05)"]
    evenhand.audit(systems, sample=2400, cache=cache, progress=False, out=folder / "both")
    evenhand.compare(folder / "model" / "v1", folder / "model" / "v2", out=folder / "compared")
    task = tmp_path_factory.mktemp("task")
    made = [Planted(name, "anger", GAPS, noise=0.1 * place) for place, name in enumerate("abc", start=1)]
    write_study(task, [*made, Planted("<b>", "valence", GAPS)])
    evenhand.study(task / "submissions", gold=task / "gold", out=folder / "study", figures=False, progress=False)
    (folder / "broken").mkdir()
    (folder / "broken" / "report.json").write_text('{"kind": "audit", "findings": [')
    return folder


@pytest.fixture(scope="session")
def explorer(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """Of that folder."""
    made = Explorer(saved, systems=["vader", "textblob"], cache=tmp_path_factory.mktemp("explorer"), most_upload=10**6)
    made.index.refresh(now=True)
    yield made
    made.close()


@pytest.fixture(scope="session")
def client(explorer: Explorer) -> TestClient:
    """A visitor from this machine."""
    return TestClient(application(explorer), base_url=HOST, raise_server_exceptions=False)


@pytest.fixture(scope="session")
def entries(explorer: Explorer) -> dict[str, Entry]:
    """What is listed, by its place."""
    return {one.place: one for one in explorer.index.listed(Wanted())[0]}
