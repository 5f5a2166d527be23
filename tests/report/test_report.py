"""A report from Python: short repr, frames, words."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyRegressor

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.errors import EvenhandError, UsageError
from evenhand.report.audit.words import in_words


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    cache = tmp_path_factory.mktemp("cache")
    return evenhand.audit(["planted(gap=0.02, person_sd=0.005)", "textblob"], cache=cache, progress=False)


def test_the_repr_is_short(report: Audit) -> None:
    assert repr(report) == "<Audit: 4 findings (1 equivalent, 1 higher, 2 no reaction seen)>"


def test_frames_have_one_row_per_finding(report: Audit) -> None:
    frame = report.frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.height == len(report.findings) == 4
    assert {"verdict", "generalising_p", "generalising_interval_low", "equivalence_bound", "rests_on"} <= set(
        frame.columns
    )
    pandas = report.to_pandas()
    assert isinstance(pandas, pd.DataFrame)
    assert pandas["verdict"].tolist() == frame["verdict"].to_list()


def test_words_say_what_was_found_and_never_fair(report: Audit) -> None:
    higher, _, gender, race = (in_words(finding) for finding in report.findings)
    assert "For people like these: higher (the gap is between 0.0" in higher
    assert "gives sentences about women and the same sentences about men exactly the same scores" in gender
    assert "For names like these: no reaction seen. None of those tested changes a score, but up to 14" in race
    assert "fair" not in str(report)


def test_a_report_survives_saving(report: Audit, tmp_path: Path) -> None:
    report.save(tmp_path)
    loaded = Audit.load(tmp_path)
    assert loaded.findings == report.findings
    assert loaded.to_json() == report.to_json()
    assert loaded.scores is not None
    assert report.scores is not None
    assert (loaded.scores.matrix == report.scores.matrix).all()


def test_a_broken_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no report\.json"):
        Audit.load(tmp_path)
    (tmp_path / "report.json").write_text("{}")
    with pytest.raises(EvenhandError, match="this version of Evenhand can read"):
        Audit.load(tmp_path)


def test_callables_and_estimators_are_systems(tmp_path: Path) -> None:
    def length(texts: list[str]) -> list[float]:
        return [len(text) / 100 for text in texts]

    constant = DummyRegressor(strategy="constant", constant=0.5).fit([["x"]], [0.5])
    found = evenhand.audit([length, constant], attributes=["gender"], cache=tmp_path, progress=False)
    assert [finding.system for finding in found.findings] == ["length", "DummyRegressor"]
    assert found.findings[1].direction == "none"


def test_pieces_come_from_the_systems_tokeniser(tmp_path: Path) -> None:
    class Spelling:
        name = "spelling"
        outputs = (evenhand.Output("score"),)
        fingerprint = None
        batch_size = 1000

        def score(self, texts: list[str]) -> list[float]:
            return [0.5] * len(texts)

        def tokenise(self, text: str) -> list[str]:
            return list(text)

    found = evenhand.audit(Spelling(), attributes=["race"], cache=tmp_path, progress=False).findings[0]  # type: ignore[arg-type]
    assert found.rests_on.pieces is not None
    assert found.rests_on.pieces.by_person["Tia"] == 3


def test_no_system_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="at least one system"):
        evenhand.audit([])
