"""What a high value means: declared, read from files old and new, or known by an output's name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import UsageError
from evenhand.systems import Output
from evenhand.systems.base import CLASSES, fingerprint_of
from evenhand.systems.few_shot.task import Question, packaged_task
from evenhand.systems.lexicons.nrc import Nrc
from evenhand.systems.meaning import HighIsSaid, checked, declared, high_is, refuse_useless
from evenhand.systems.yours.declared import named_outputs


@pytest.mark.parametrize(
    ("output", "meaning"),
    [
        (Output("valence"), "good"),
        (Output("Identity-Attack"), "bad"),
        (Output("hate speech", kind="probability"), "bad"),
        (Output("anger.likely", kind="ordinal"), "bad"),
        (Output("joy"), "good"),
        (Output("intensity", 1, 5), "neither"),
        (Output("negative", of=CLASSES), "bad"),
        (Output("score"), None),
        (Output("LABEL_1"), None),
        (Output("valence", high_is="bad"), "bad"),  # what is declared counts
        (Output("anger=3", of="anger"), None),  # one grade of a distribution is neither more nor less
        (Output("anger.likely", kind="class"), None),
    ],
)
def test_it_is_declared_or_known_by_name(output: Output, meaning: str | None) -> None:
    assert high_is(output) == meaning


def test_an_unknown_meaning_is_refused() -> None:
    with pytest.raises(UsageError, match="high_is is one of good, bad, neither, not 'awful'"):
        Output("x", high_is="awful")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean 'good'"):
        checked({"x": "goood"})  # type: ignore[dict-item]


def test_files_of_before_can_be_read_and_their_readers_still_find_what_they_look_for() -> None:
    plain = {"name": "x", "low": 0.0, "high": 1.0}
    assert Output.from_dict({**plain, "high_is_desirable": True}) == Output("x", high_is="good")
    assert Output.from_dict({**plain, "high_is_desirable": False}) == Output("x", high_is="bad")
    assert Output.from_dict({**plain, "high_is_desirable": None}) == Output("x")
    for meaning, desirable in (("good", True), ("bad", False), ("neither", None), (None, None)):
        one = Output("x", high_is=meaning)  # type: ignore[arg-type]
        assert one.to_dict()["high_is_desirable"] is desirable
        assert Output.from_dict(one.to_dict()) == one
    assert Question.model_validate({"high_is_desirable": False}).high_is == "bad"
    (mapped,) = named_outputs([{"name": "x", "high_is_desirable": True}], 0.0, 1.0, "mine")
    assert mapped.high_is == "good"
    (new,) = named_outputs([{"name": "x", "high_is": "neither"}], 0.0, 1.0, "mine")
    assert new.high_is == "neither"


def test_fingerprints_stay_what_they_were_when_it_could_only_be_said_that_high_is_desirable() -> None:
    kept = "7d4e978fe56b4118f555371a5bb5a3b1fb3c697c59b62b9bf13145c65c09103f"
    assert fingerprint_of(Nrc, outputs=Nrc.outputs) == kept
    one = "2eda4fe45a9e1967b276d0955d17841bb1800b4ed861f83b526ad0e0f508803c"
    assert fingerprint_of(Nrc, outputs=(Output("x", value=1),)) == one
    assert packaged_task().digest == "b9b2b66b8a6c65c5b8846028264f56e0c0a628dc63d3701b9a1394326d59b2ef"


@pytest.mark.parametrize(
    ("said", "meanings"),
    [
        ("bad", ["good", "bad", "bad"]),  # one that declares its own keeps it; a name is only a guess
        ({"joy": "bad"}, ["bad", None, None]),  # who names an output is believed
        ({"score": "neither", "anger": "good"}, ["good", "neither", "good"]),
    ],
)
def test_what_is_said_of_outputs(said: HighIsSaid, meanings: list[str | None]) -> None:
    outputs = [Output("joy", high_is="good"), Output("score"), Output("anger")]
    assert [one.high_is for one in declared(outputs, said)] == meanings


def test_what_is_said_of_nobody_is_refused() -> None:
    with pytest.raises(UsageError, match="no output is called 'valense'; did you mean 'valence'"):
        refuse_useless({"valense": "bad"}, [Output("valence")])
    with pytest.raises(UsageError, match="as in valence=bad"):
        refuse_useless("bad", [Output("valence", high_is="good")])
    refuse_useless("bad", [Output("valence", high_is="good"), Output("score")])


def test_the_command_line_speaks_of_its_flag() -> None:
    refused = CliRunner().invoke(app, ["audit", "vader", "textblob", "--sample", "480", "--high-is", "bad"]).exception
    assert isinstance(refused, UsageError)
    assert "no system here has a use for --high-is: every output" in str(refused)
    refused = CliRunner().invoke(app, ["audit", "vader", "--sample", "480", "--range", "0,1"]).exception
    assert "no system here has a use for --range: every system" in str(refused)
    with pytest.raises(UsageError, match="no system here has a use for high_is: every output"):
        refuse_useless("bad", [Output("valence", high_is="good")])
