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
    found = find_entries(tmp_path)
    assert [(entry.system, entry.path.name) for entry in found.entries] == [("a", "two.csv"), ("b", "one.txt")]
    assert (found.about, found.problems) == ({}, ())


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
    found = find_entries(manifest)
    assert [(entry.system, entry.dimension, entry.path) for entry in found.entries] == [
        ("A", "anger", tmp_path / "files/a.txt"),
        ("A", "joy", tmp_path / "files/b.txt"),
    ]
    assert found.about == {"A": {"lexicons": ("NRC", "AFINN")}}


def test_a_manifest_without_paths_describes_the_sub_folders(small: Path) -> None:
    found = find_entries(small / "submissions")
    assert len(found.entries) == 8
    assert found.about["amber"] == {"architecture": ("svr",), "lexicons": ("AFINN",)}
    assert found.about["SVM-Unigrams"]["architecture"] == ("svr",)


def test_a_row_without_a_system_is_refused(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("system,path\n,a.txt\n")
    with pytest.raises(EvenhandError, match="row 1: the system's name is missing"):
        find_entries(tmp_path / "list.csv")


@pytest.mark.parametrize("content", ["system;path\nA;a.txt\n", "System\tPath\n\nA\ta.txt\n"])
def test_a_manifest_may_have_another_separator(tmp_path: Path, content: str) -> None:
    (tmp_path / "list.csv").write_text(content)
    (entry,) = find_entries(tmp_path / "list.csv").entries
    assert (entry.system, entry.path.name) == ("A", "a.txt")


@pytest.mark.parametrize("name", ["nobody", "..", "amber/../birch"])
def test_a_row_without_a_folder_is_told_and_the_others_go_on(small: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(small / "submissions", tmp_path, dirs_exist_ok=True)
    (tmp_path / "list.csv").write_text(f"system\n{name}\nbirch\n")
    found = find_entries(tmp_path / "list.csv")
    assert {entry.system for entry in found.entries} == {"birch"}
    (problem,) = found.problems
    assert problem.message == f"row 1: {name!r} has neither a path nor a folder of its own"
    assert (problem.system, problem.file, problem.left_out) == (name, "list.csv", True)
    with pytest.raises(EvenhandError, match="neither a path nor a folder"):
        evenhand.study(tmp_path / "list.csv", strict=True, progress=False)


def test_a_folder_with_nothing_to_read_is_told(tmp_path: Path) -> None:
    for name in ("good/anger.csv", "pdf/anger.pdf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")
    (tmp_path / "empty").mkdir()
    found = find_entries(tmp_path)
    assert [entry.system for entry in found.entries] == ["good"]
    messages = {problem.system: problem.message for problem in found.problems if problem.left_out}
    assert messages.keys() == {"pdf", "empty"}
    assert messages["pdf"].startswith("none of its files can be read; known endings: .csv")
    assert messages["empty"].startswith("it is empty")
    with pytest.raises(EvenhandError, match="it is empty"):
        evenhand.study(tmp_path, strict=True, progress=False)


def test_a_manifest_that_only_describes_leaves_nobody_out(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / "submissions", tmp_path, dirs_exist_ok=True)
    (tmp_path / "manifest.csv").write_text("system,architecture\nbirch,lstm\n")
    found = find_entries(tmp_path)
    assert {entry.system for entry in found.entries} == {"amber", "birch", "cedar", "SVM-Unigrams"}
    assert found.about == {"birch": {"architecture": ("lstm",)}}
    # One that gives paths lists, and so does one that is named.
    assert {entry.system for entry in find_entries(tmp_path / "manifest.csv").entries} == {"birch"}
    (tmp_path / "manifest.csv").write_text("system,path\nbirch,birch/V-reg_en_pred.txt\n")
    assert len(find_entries(tmp_path).entries) == 1


def test_a_dimension_without_a_path_limits_to_it(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / "submissions", tmp_path, dirs_exist_ok=True)
    (tmp_path / "list.csv").write_text("system,dimension\namber,anger\nbirch,anger\nbirch,valence\ncedar,joy\n")
    found = evenhand.study(tmp_path / "list.csv", progress=False)
    assert {(one.system, one.dimension) for one in found.submissions} == {
        ("amber", "anger"), ("birch", "anger"), ("birch", "valence"),
    }  # fmt: skip
    assert [(one.system, one.message) for one in found.problems] == [
        ("cedar", "the manifest asks for joy: no file is of it")
    ]


def test_a_dimension_of_ones_own_is_read_and_one_that_is_misspelt_is_noted(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("system,dimension,path\nA,Angre,a.csv\nA,toxicity,b.csv\n")
    found = find_entries(tmp_path / "list.csv")
    assert [entry.dimension for entry in found.entries] == ["angre", "toxicity"]
    (problem,) = found.problems
    assert problem.message == "row 1: the dimension 'angre'; did you mean 'anger'?"
    assert not problem.left_out


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
