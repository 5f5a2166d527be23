"""What was saved is checked when it is loaded: the key that does not fit is named, and attachments belong to it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand import Scores
from evenhand.errors import EvenhandError
from evenhand.results import Result
from evenhand.verbs.saved import load_result

AUDIT = Path(__file__).parents[1] / "promises" / "saved" / "audit"


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    for path in AUDIT.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_scores_of_another_corpus_are_refused(audit: Path) -> None:
    scores = Scores.load(audit / "scores.parquet")
    replace(scores, corpus_digest="0" * 64).save(audit / "scores.parquet")
    with pytest.raises(EvenhandError, match=r"scores\.parquet is about another corpus than corpus\.parquet beside it"):
        load_result(audit)


def test_scores_of_other_systems_are_refused(audit: Path) -> None:
    scores = Scores.load(audit / "scores.parquet")
    renamed = tuple(replace(column, system=f"other {column.system}") for column in scores.columns)
    replace(scores, columns=renamed).save(audit / "scores.parquet")
    with pytest.raises(EvenhandError, match=r"scores\.parquet is of other .*, whom report\.json does not name"):
        load_result(audit)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("p", "0.5", 'a number is needed, not "0.5"'),
        ("system", None, "a text is needed, not null"),
        ("first", ["female"], r'a text is needed, not \["female"\]'),
        ("significant", 1, "true or false is needed, not 1"),
        ("undefined", 3, ""),
    ],
)
def test_the_key_that_does_not_fit_is_named(audit: Path, key: str, value: object, said: str) -> None:
    values = json.loads((audit / "report.json").read_text())
    if key not in values["findings"][0]:
        pytest.fail(f"findings have no {key}")
    values["findings"][0][key] = value
    (audit / "report.json").write_text(json.dumps(values))
    with pytest.raises(EvenhandError, match=rf"report\.json .*\(findings: {key}: {said}"):
        load_result(audit)


def with_finding(audit: Path, **changes: object) -> Result:
    values = json.loads((audit / "report.json").read_text())
    values["findings"][0] |= changes
    (audit / "report.json").write_text(json.dumps(values))
    return load_result(audit)


def test_more_keys_than_are_known_are_welcome(audit: Path) -> None:
    assert "new" not in with_finding(audit, new=1).to_json()


def test_what_does_not_fit_together_is_told_with_its_file(audit: Path) -> None:
    loaded = with_finding(audit, attribute="age")
    with pytest.raises(EvenhandError, match=r"report\.json: corpus 'friends' has no attribute 'age'"):
        loaded.to_html()


def test_mistakes_of_ours_are_hidden_in_loaded_results_only(audit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load_result(audit)
    monkeypatch.setattr(type(loaded), "to_dict", lambda self: {}["lost"])
    with pytest.raises(EvenhandError, match=r"report\.json: what it holds does not fit together \(KeyError: 'lost'"):
        loaded.to_json()
    with pytest.raises(KeyError):
        replace(loaded).to_json()
