"""Folders and manifests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import EvenhandError
from evenhand.studies import find_entries


def test_a_folder_has_a_system_per_sub_folder_and_passes_over_other_files(tmp_path: Path) -> None:
    for name in ("b/one.txt", "b/notes.md", "b/.hidden.txt", "a/two.csv", ".git/three.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    entries, about = find_entries(tmp_path)
    assert [(entry.system, entry.path.name) for entry in entries] == [("a", "two.csv"), ("b", "one.txt")]
    assert about == {}


@pytest.mark.parametrize("ending", ["csv", "yaml"])
def test_a_manifest_names_files_and_describes_systems(tmp_path: Path, ending: str) -> None:
    manifest = tmp_path / f"list.{ending}"
    if ending == "csv":
        manifest.write_text("System,dimension,path,lexicons\nA,Anger,files/a.txt,NRC; AFINN\nA,joy,files/b.txt,\n")
    else:
        manifest.write_text(
            "- {system: A, dimension: Anger, path: files/a.txt, lexicons: [NRC, AFINN]}\n"
            "- {system: A, dimension: joy, path: files/b.txt}\n"
        )
    entries, about = find_entries(manifest)
    assert [(entry.system, entry.dimension, entry.path) for entry in entries] == [
        ("A", "anger", tmp_path / "files/a.txt"),
        ("A", "joy", tmp_path / "files/b.txt"),
    ]
    assert about == {"A": {"lexicons": ("NRC", "AFINN")}}


def test_a_manifest_without_paths_describes_the_sub_folders(small: Path) -> None:
    entries, about = find_entries(small / "submissions")
    assert len(entries) == 8
    assert about["amber"] == {"architecture": ("svr",), "lexicons": ("AFINN",)}
    assert about["SVM-Unigrams"]["architecture"] == ("svr",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("system,path\n,a.txt\n", "row 1: the system's name is missing"),
        ("system\nnobody\n", "row 1: 'nobody' has neither a path nor a folder"),
        ("system\n..\n", "neither a path nor a folder"),
    ],
)
def test_a_manifest_that_cannot_be_meant_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "list.csv").write_text(content)
    with pytest.raises(EvenhandError, match=message):
        find_entries(tmp_path / "list.csv")


def test_a_yaml_manifest_must_be_a_list(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("system: A\n")
    with pytest.raises(EvenhandError, match="a list of mappings"):
        find_entries(tmp_path / "list.yaml")


def test_a_dimension_that_contradicts_the_file_is_left_out(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / "submissions", tmp_path, dirs_exist_ok=True)
    (tmp_path / "manifest.csv").write_text(
        "system,dimension,path\namber,fear,amber/EI-reg_en_anger_pred.txt\nbirch,anger,birch/EI-reg_en_anger_pred.txt\n"
    )
    found = evenhand.study(tmp_path, progress=False)
    assert [one.system for one in found.submissions] == ["birch"]
    assert found.problems[0].message == "wrong dimension: the manifest says fear, the file's rows anger"


def test_a_file_that_is_not_there_is_told(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / "submissions", tmp_path, dirs_exist_ok=True)
    (tmp_path / "manifest.csv").write_text("system,path\namber,amber/gone.txt\nbirch,birch/EI-reg_en_anger_pred.txt\n")
    found = evenhand.study(tmp_path, progress=False)
    assert "no such file" in found.problems[0].message
