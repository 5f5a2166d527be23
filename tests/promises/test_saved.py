"""What was saved once stays readable, and gives the same numbers: scores, corpora, reports, calibrators and the cache.

The files in `saved/` were written by version 0.1.0 and are never written again: `friends.yaml` and `texts.csv`, small
corpora; `audit/`, what `audit 'planted(gap=0.2)+vader' vader --corpus friends.yaml --out audit` left; `calibrators/`,
one of each method for the first of these systems; `cache/`, the answers of `Frozen` and the translations of `Mirror`,
both about `texts.csv`; `numbers.json`, what all of them gave then.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand import Calibrator, Corpus, Output, Scores, load_calibrator, load_corpus, score
from evenhand.cli.app import app
from evenhand.corpora import corpus_names
from evenhand.repairs.calibrator import METHODS
from evenhand.systems.base import Array
from evenhand.translation import ThereAndBack

SAVED = Path(__file__).parent / "saved"
AUDIT = SAVED / "audit"
NUMBERS: dict[str, Any] = json.loads((SAVED / "numbers.json").read_text(encoding="utf-8"))
BIASED = "planted(gap=0.2)+vader"
TEXTS = SAVED / "texts.csv"
EVERY = 8
"""Of so many corrected scores, one is in the numbers."""


class Frozen:
    """A system whose answers are known; asked in earnest, it fails."""

    name = "frozen"
    outputs = (Output("length"), Output("vowels", low=-1.0, high=1.0))
    fingerprint: str | None = "frozen 1"
    batch_size = 2

    def score(self, texts: Sequence[str]) -> Array:
        """Not to be asked: all answers are kept."""
        raise AssertionError(f"asked about {texts}, though the answers are kept")


@dataclass
class Mirror:
    """A translator whose translations are known; asked in earnest, it fails."""

    source: str = "en"
    target: str = "xx"
    name: str = "mirror"
    fingerprint: str | None = "mirror 1"
    batch_size: int = 4

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Not to be asked: all translations are kept."""
        raise AssertionError(f"asked for {texts}, though the translations are kept")

    def back(self) -> Mirror:
        """The way home."""
        return Mirror(source=self.target, target=self.source)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A copy of what was kept, as runs open files in it."""
    return Path(shutil.copytree(SAVED / "cache", tmp_path / "cache"))


def biased() -> tuple[Scores, Corpus]:
    """The scores that the calibrators were fitted on."""
    return Scores.load(AUDIT / "scores.parquet").of_system(BIASED), load_corpus(AUDIT / "corpus.parquet")


def calibrator(method: str) -> Calibrator:
    return load_calibrator(SAVED / "calibrators" / f"{method}.json")


def lost(now: Any, saved: Any, path: str = "") -> list[str]:
    """Where something is not what it was; new keys are welcome."""
    if isinstance(now, dict) and isinstance(saved, dict):
        return [
            place
            for key, value in saved.items()
            for place in (lost(now[key], value, f"{path}.{key}") if key in now else [f"{path}.{key} is gone"])
        ]
    if isinstance(now, list) and isinstance(saved, list) and len(now) == len(saved):
        pairs = enumerate(zip(now, saved, strict=True))
        return [where for place, pair in pairs for where in lost(*pair, f"{path}[{place}]")]
    return [] if now == saved else [f"{path} was {saved!r} and is {now!r}"]


@pytest.mark.parametrize("name", NUMBERS["corpora"])
def test_a_corpus_that_comes_along_has_the_sentences_it_had(name: str) -> None:
    corpus = load_corpus(name)
    found = {"sentences": len(corpus), "digest": corpus.digest, "sentences_digest": corpus.sentences_digest}
    assert found == NUMBERS["corpora"][name]


def test_no_corpus_went_away() -> None:
    assert set(NUMBERS["corpora"]) <= {*corpus_names(), "chat:example"}


def test_a_saved_corpus_is_the_one_that_its_recipe_makes() -> None:
    read, made = load_corpus(AUDIT / "corpus.parquet"), load_corpus(SAVED / "friends.yaml")
    assert read.digest == made.digest == NUMBERS["friends"]["digest"]
    assert read.sentences_digest == made.sentences_digest == NUMBERS["friends"]["sentences_digest"]
    assert (read.name, read.version, len(read)) == ("friends", "1", NUMBERS["friends"]["sentences"])
    assert read.attributes == {"gender": ("female", "male"), "race": ("African American", "European American")}
    assert read.frame["text"].to_list() == made.frame["text"].to_list()


def test_saved_scores_are_read_with_their_provenance() -> None:
    scores = Scores.load(AUDIT / "scores.parquet")
    assert [column.name for column in scores.columns] == [f"{BIASED}/valence", "vader/valence"]
    assert [column.fingerprint for column in scores.columns] == NUMBERS["scores"]["fingerprints"]
    assert scores.columns[0].output == Output("valence", low=-1.0, high=1.0, high_is="good")
    assert scores.corpus_digest == NUMBERS["friends"]["digest"]
    assert scores.matrix.sum(axis=0) == pytest.approx(NUMBERS["scores"]["sums"], rel=1e-12)
    assert scores.matrix[:5].tolist() == NUMBERS["scores"]["first"]


def test_saved_scores_are_audited_again_with_the_same_findings() -> None:
    asked = ["audit", f"file:{AUDIT}/scores.parquet", "--corpus", str(AUDIT / "corpus.parquet"), "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.exception
    saved = json.loads((AUDIT / "report.json").read_text(encoding="utf-8"))["findings"]
    found = {(one["system"], one["attribute"]): one for one in json.loads(done.stdout)["findings"]}
    assert len(found) == len(saved) == 4
    for one in saved:
        again = found[one["system"], one["attribute"]]
        assert again["verdict"] == one["verdict"]
        for name in ("mean_difference", "p", "effect_size"):
            assert again[name] == pytest.approx(one[name], rel=1e-9), name


def test_a_saved_report_is_shown_as_it_was() -> None:
    done = CliRunner().invoke(app, ["report", str(AUDIT), "--json"])
    assert done.exit_code == 0, done.exception
    shown, saved = json.loads(done.stdout), json.loads((AUDIT / "report.json").read_text(encoding="utf-8"))
    assert lost(shown, saved) == []


def test_there_is_a_calibrator_of_every_method() -> None:
    assert {path.stem for path in (SAVED / "calibrators").iterdir()} == set(NUMBERS["calibrators"]) <= set(METHODS)


@pytest.mark.parametrize("method", NUMBERS["calibrators"])
def test_a_saved_calibrator_corrects_as_it_did(method: str) -> None:
    read = calibrator(method)
    assert read.method == method
    assert read.fitted_for.system == BIASED
    frozen = NUMBERS["calibrators"][method]
    if frozen is not None:  # neutral substitution has to ask the system
        scores, corpus = biased()
        after = read.apply(scores, corpus).matrix
        assert after[::EVERY, 0] == pytest.approx(np.array(frozen), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", NUMBERS["calibrators"])
def test_a_calibrator_is_written_as_it_was_read(method: str, tmp_path: Path) -> None:
    calibrator(method).save(tmp_path / "again.json")
    saved = json.loads((SAVED / "calibrators" / f"{method}.json").read_text(encoding="utf-8"))
    assert lost(json.loads((tmp_path / "again.json").read_text(encoding="utf-8")), saved) == []


def test_kept_answers_are_found_and_the_system_is_not_asked(cache: Path) -> None:
    scores = score([Frozen()], load_corpus(TEXTS), cache=cache, progress=False)
    assert scores.matrix.tolist() == NUMBERS["answers"]


def test_kept_translations_are_found_and_the_translator_is_not_asked(cache: Path) -> None:
    journeys = ThereAndBack(Mirror(), cache=cache).journeys(load_corpus(TEXTS).frame["text"].to_list())
    assert [[one.text, one.abroad, one.home] for one in journeys] == NUMBERS["journeys"]
