"""A small made-up study on disk, shared by the tests that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand
from evenhand.studies import Study
from evenhand.studies.synthetic import Planted, write_study

WOBBLE = {"gender": 0.02, "race": 0.008}


def planted(system: str, dimension: str, gender: float, race: float, *, noise: float = 0.1) -> Planted:
    """Gaps with the usual wobble."""
    gaps = {"gender": (gender, WOBBLE["gender"]), "race": (race, WOBBLE["race"])}
    return Planted(system, dimension, gaps, noise=noise)


SMALL = [
    planted("amber", "anger", 0.010, 0.004, noise=0.05),
    planted("amber", "valence", -0.012, 0.0, noise=0.05),
    planted("birch", "anger", -0.012, -0.006, noise=0.15),
    planted("birch", "valence", 0.030, 0.010, noise=0.15),
    planted("cedar", "anger", 0.0, 0.0, noise=0.4),
    planted("cedar", "valence", 0.0, -0.002, noise=0.4),
    planted("SVM-Unigrams", "anger", 0.006, 0.004, noise=0.25),
    planted("SVM-Unigrams", "valence", -0.004, 0.0, noise=0.25),
]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four systems, two dimensions, with gold and a manifest. Not to be written to."""
    folder = tmp_path_factory.mktemp("small")
    write_study(folder, SMALL)
    return folder


@pytest.fixture(scope="session")
def small_study(small: Path) -> Study:
    """That study, examined."""
    return evenhand.study(small / "submissions", gold=small / "gold", progress=False)
