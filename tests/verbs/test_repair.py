"""The chain of a repair, end to end: a planted bias is taken away, a fair system is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand import audit, eec, score
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.result import Repair
from evenhand.repairs.workshop import ALL_METHODS, RECORDED, RepairSettings
from evenhand.specs.resolving import resolve
from evenhand.verbs.repair import repair

pytestmark = pytest.mark.slow

PLANTED = "planted(gap=0.05, person_sd=0.01, noise=0.02)"
FEW = RepairSettings(methods=("layers", "averaging"), repetitions=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repair")


@pytest.fixture(scope="module")
def gold(folder: Path) -> Path:
    corpus = eec().sample(960)
    texts = [*corpus.frame["text"][:40], *corpus.frame["text"][-40:]]
    path = folder / "gold.csv"
    pl.DataFrame({"text": texts, "gold": np.linspace(0, 1, len(texts))}).write_csv(path)
    return path


@pytest.fixture(scope="module")
def repaired(folder: Path, gold: Path) -> Repair:
    return repair(
        PLANTED,
        sample=960,
        settings=FEW,
        gold=gold,
        progress=False,
        cache=folder / "cache",
        out=folder / "out",
        figures=False,
    )


def test_a_planted_gap_is_found_and_closed_on_persons_that_are_new(repaired: Repair) -> None:
    assert repaired.advised == "layers"
    (names,) = [
        one for one in repaired.outcomes(method="layers", new="person", scope="unpaired") if one.attribute == "gender"
    ]
    assert names.verdict == "closed"
    assert names.reduction is not None
    assert names.reduction > 0.8
    price = repaired.price("layers", "person", "score")
    assert price is not None
    assert price.within is not None
    assert price.within > 0.98


def test_race_was_not_planted_and_is_left_alone(repaired: Repair) -> None:
    weights = {layer.attribute: layer.weight for layer in repaired.layers}
    assert weights["race"] == 0
    assert 0.5 < weights["gender"] <= 1


def test_the_calibrator_that_was_saved_repairs_the_system(repaired: Repair, folder: Path) -> None:
    calibrator = folder / "out" / "calibrators" / "layers.json"
    report = audit(
        [PLANTED, f"repaired:{calibrator}+{PLANTED}"],
        sample=960,
        attributes="gender",
        progress=False,
        cache=folder / "cache",
    )
    before, after = (finding.mean_difference for finding in report.findings)
    assert abs(before) > 0.04
    assert abs(after) < 0.01


def test_a_calibrator_for_another_system_is_refused(repaired: Repair, folder: Path) -> None:
    calibrator = folder / "out" / "calibrators" / "layers.json"
    with pytest.raises(UsageError, match="fitted for"):
        resolve(f"repaired:{calibrator}+planted(gap=0.01)", eec())
    with pytest.raises(UsageError, match="outputs"):
        resolve(f"repaired:{calibrator}+vader", eec())


def test_texts_that_name_nobody_keep_their_scores(folder: Path, repaired: Repair) -> None:
    gold = folder / "nobody.csv"
    texts = ["It rains.", "This woman feels angry.", "The plan failed.", "This man feels angry.", "We won."]
    pl.DataFrame({"text": texts, "gold": [0.4, 0.1, 0.2, 0.1, 0.9]}).write_csv(gold)
    found = repair("vader", sample=960, settings=FEW, gold=gold, progress=False, cache=folder / "cache")
    assert {one.method for one in found.gold} == {"layers", "averaging"}
    for one in found.gold:
        assert one.kept
        # Averaging knows the sentences of the corpus only.
        assert (one.texts, one.named) == (5, 2 if one.method == "layers" else 0)


def test_what_is_saved_says_the_same(repaired: Repair, folder: Path) -> None:
    saved = json.loads((folder / "out" / "repair.json").read_text())
    assert saved["advised"] == "layers"
    assert saved["gold"]
    assert len(saved["outcomes"]) == len(repaired.judgement.outcomes)
    assert saved["provenance"]["settings"]["repetitions"] == 1
    assert "<html" in (folder / "out" / "repair.html").read_text()
    assert "time" not in saved["provenance"]


def test_a_system_to_whom_persons_are_all_the_same_has_nothing_to_repair(folder: Path) -> None:
    found = repair("planted(gap=0)", sample=960, settings=FEW, progress=False, cache=folder / "cache")
    assert found.nothing_to_repair
    assert found.advised is None
    assert all(one.left_alone == 1 for one in found.outcomes(method="layers", scope=None))


def test_recorded_scores_are_repaired_as_far_as_they_allow(folder: Path) -> None:
    corpus = eec().sample(960)
    scores = score([resolve(PLANTED, corpus)], corpus, progress=False, cache=folder / "cache")
    found = repair(scores, corpus, settings=RepairSettings(repetitions=1), progress=False)
    assert set(found.methods) == {"layers", "terms", "sentence-weights", "alignment", "averaging"}
    assert set(found.left_out) == set(ALL_METHODS) - set(found.methods)
    assert set(found.left_out.values()) == {RECORDED}


def test_recorded_scores_know_nothing_of_gold_texts(folder: Path, gold: Path) -> None:
    corpus = eec().sample(960)
    scores = score([resolve(PLANTED, corpus)], corpus, progress=False, cache=folder / "cache")
    with pytest.raises(UsageError, match="gold"):
        repair(scores, corpus, settings=FEW, gold=gold, progress=False)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("text,score\na,1\nb,2\nc,3\n", "no column 'gold'"),
        ("text,gold\na,1\nb,much\nc,3\n", "line 3, column 'gold': \"much\" is not a number"),
        ("text,gold\na,1\nb,2\n", "a correlation needs 3"),
        ("text,gold\na,1\n,2\nc,3\n", "line 3, column 'text': the value is missing"),
    ],
)
def test_gold_that_cannot_be_read_is_told_before_anything_is_asked(
    tmp_path: Path, content: str, complaint: str
) -> None:
    (tmp_path / "gold.csv").write_text(content)

    def never(texts: list[str]) -> list[float]:
        raise AssertionError("asked")

    with pytest.raises(EvenhandError, match=complaint):
        repair(never, sample=960, settings=FEW, gold=tmp_path / "gold.csv", progress=False)


def test_an_attribute_or_a_range_that_cannot_be_is_named_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match="no attribute 'gnder'"):
        repair(PLANTED, attributes="gnder", progress=False)
    with pytest.raises(UsageError, match="a range needs two numbers, the lower first, not 1 and 0"):
        repair(PLANTED, bounds=(1, 0), progress=False)


def test_the_same_seed_gives_the_same_answer(folder: Path) -> None:
    both = [repair(PLANTED, sample=960, settings=FEW, progress=False, cache=folder / "cache") for _ in range(2)]
    assert both[0].to_json() == both[1].to_json()
