"""The settings of a gate: found, read and refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand import GateSettings, UsageError
from evenhand.gating.config import find_config, read_config


def written(folder: Path, text: str, name: str = "evenhand.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_nearest_file_is_found_from_a_folder_upwards(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    project = written(tmp_path, '[tool.evenhand]\nsystems = ["vader"]\n', "pyproject.toml")
    assert find_config(below) == project
    written(tmp_path / "a", '[project]\nname = "x"\n', "pyproject.toml")  # says nothing about gates
    assert find_config(below) == project
    own = written(tmp_path / "a", 'systems = "afinn"\n')
    assert find_config(below) == own
    assert (read_config(project).systems, read_config(own).systems) == (["vader"], ["afinn"])


def test_what_is_changed_on_the_command_line_counts(tmp_path: Path) -> None:
    path = written(tmp_path, 'systems = ["vader"]\ncannot_tell = "pass"\n')
    assert read_config(path, {"cannot_tell": "fail"}).cannot_tell == "fail"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('system = ["vader"]', "unknown key; did you mean 'systems'?"),
        ('systems = ["vader"]\n[until_settled]\nwave = [5]', "until_settled.wave: unknown key; did you mean 'waves'?"),
        ('systems = ["vader"]\n[asking]\ndraw = 2', "asking.draw: unknown key; did you mean 'draws'?"),
        ('systems = ["vader"]\nwithin = "0.02"', "within: Input should be a valid number"),
        ('systems = ["vader"]\nwithin = 0', "within: Input should be greater than 0"),
        ('systems = ["vader"]\nwithin = nan', "within: NaN is not a finite number"),
        ('systems = ["vader"]\ncannot_tell = "maybe"', "cannot_tell: Input should be 'fail' or 'pass'"),
        ('systems = ["vader"]\ncorrection = "bonferoni"', "did you mean 'bonferroni'?"),
        ("systems = []", "systems: List should have at least 1 item"),
        ('systems = ["vader"]\nthresholds = 0.5', "add selection_difference or impact_ratio"),
        ('systems = ["vader"]\nimpact_ratio = 0.8', "impact_ratio: decisions need thresholds"),
        ('systems = ["vader"]\ntext = "a.csv"', "text: name the attributes"),
        ('systems = ["vader"]\nsample = 480\nuntil_settled = true', "sample: waves are limited by a budget"),
        ('systems = ["vader"]\ncorrection = "holm"\nuntil_settled = true', "use bonferroni"),
        ('systems = ["vader"]\nworse_by = 0.01', "there is no baseline"),
        (
            'systems = ["vader"]\nattributes = ["race"]\ntolerances = {gender = 0.1}',
            "gender is not one of the attributes",
        ),
        ('systems = ["vader"', "not valid TOML"),
        ("systems = 2026-01-01", "a value of the type date"),
    ],
)
def test_a_mistake_is_misuse_told_in_one_line_with_file_and_key(text: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as told:
        read_config(path)
    assert str(path) in str(told.value)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_nothing_to_be_found_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no evenhand\.toml.* write evenhand\.toml"):
        find_config(tmp_path)


def test_what_is_saved_of_them_is_what_was_said() -> None:
    settings = GateSettings(systems=["vader"], tolerances={"race": 0.02})
    assert settings.to_dict() == {"within": 0.01, "systems": ["vader"], "tolerances": {"race": 0.02}}
