"""Whatever options are given, a command ends with a result or with one line that says what is wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from evenhand.cli import _say_refused
from evenhand.cli.app import app
from evenhand.errors import EvenhandError

RECIPE = """
name: small
attributes: {gender: [female, male], age: [young, old]}
persons:
  - {kind: noun_phrase, gender: female, age: young, terms: [the girl, the schoolgirl]}
  - {kind: noun_phrase, gender: male, age: young, terms: [the boy, the schoolboy]}
  - {kind: noun_phrase, gender: female, age: old, terms: [the old woman, the grandmother]}
  - {kind: noun_phrase, gender: male, age: old, terms: [the old man, the grandfather]}
slots: {mood: {words: [happy, sad]}}
groupings: [template, mood]
templates: ['{person} is {mood}.', 'I met {person.object}.']
"""
PREDICTIONS = "source,group,term,gold,prob_n,prob_p\n" + "".join(
    f"s{source},{group},{group}{term},{'np'[source % 2]},0.{(source + term) % 7 + 1},0.{8 - (source + term) % 7 + 1}\n"
    for source in range(4) for group in "xy" for term in range(2)
)  # fmt: skip
QUALITY = "gold,predicted,who,author\n1,0.5,x,a\n0,0.5,y,b\n1,0.2,x,a\n0,0.1,y,b\n"
SCORES = "system,dataset,gender,emotion,sentiment\n" + "".join(
    f"s,d,{gender},{emotion},0.{place}\n"
    for gender in ("female", "male") for emotion in ("joy", "anger") for place in range(6)
)  # fmt: skip
CHAT = "conversation,user_gender,speaker,text\n" + "".join(
    f"{place},{gender},{speaker},hello {place}\n"
    for place, gender in enumerate(("male", "female", "male", "female")) for speaker in ("user", "chatbot")
)  # fmt: skip
RATED = "text,score\n" + "".join(f"day {place % 7} of joy {place},0.{place % 9}\n" for place in range(24))
TYPED = {
    "audit": "audit planted(gap=0.1) --corpus small.yaml",
    "explain": "explain planted(gap=0.1) --corpus small.yaml",
    "measure": "measure predictions.csv --bootstrap 10 --relabellings 20",
    "quality": "measure quality.csv --by who --bootstrap 10",
    "rate": "rate --scores scores.csv --attribute gender --bootstrap 10",
    "advise": "advise --question errors --harm unsure --task binary --data templates --groups 2 --gold",
    "chat": "chat chat.csv",
    "study": "study nowhere",
    "report": "report saved",
    "check": "check --config gate.toml",
    "annotate": "annotate small.yaml --out sheets",
    "drift": "drift nowhere:es --corpus small.yaml",
    "corpus": "corpus show small.yaml",
    "plan": "plan planted(gap=0.1)",
    "repair": "repair planted(gap=0.1) --corpus small.yaml --method terms --repetitions 1",
    "compare": "compare saved other",
    "phrases": "phrases planted(gap=0.1)",
    "rate a system": "rate planted(gap=0.1) --groups 1 --bootstrap 10",
    "train gru": "train gru --train rated.csv --dev rated.csv --dimension joy --out trained --epochs 1",
    "train": "train svm-unigrams --train quality.csv --dimension joy --out trained",
}
PLACES = {"--out", "--cache", "--example", "--junit", "--markdown"}
"""Where things are written, which is tested elsewhere."""
LONG = {"--bootstrap", "--relabellings", "--repetitions", "--draws", "--annotators", "--names", "--strength", "--waves",
        "--epochs"}  # fmt: skip
"""Options of which many may be asked for and then take long: up to a hundred, or far too many."""
WORDS = st.sampled_from(
    [
        *("", " ", ",", ",,", "+", "=", "#", "<", "A < A", "a,a", "1,1", "1,0", "nan,nan", "-inf,inf", "1e308,-1e308"),
        *("gender+gender", "gender", "age+gender", "gender+", "gender=", "gender=nobody", "a=b", "all,all", "none"),
        *("median,median", "0.5,0.5", "95,70,60", "60,60,60", "nan,1,2", "0,0,0", "2026-02-30", "0000-00-00", "HOLM"),
        *("\x1b]0;pwned\x07", "\u202e", "a\nb", "\ud800", "é", "x" * 300, "9" * 5000, "..", "/dev/null", "{0}", "("),
        *("planted(gap=nan)", "planted(gap=0.1,gap=0.2)", "file:", "py:", "http://", "vadr", "true", "\u0661"),
    ]
)
NUMBERS = st.one_of(
    st.integers(-3, 100),
    st.sampled_from([-(2**63), 2**31, 2**32, 2**63, 2**64, 10**40]),
    st.floats(),
    st.sampled_from([0.05, 0.5, 0.95, 1e-320, 1e308]),
)
VALUES = st.one_of(NUMBERS.map(str), WORDS)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    files = {"small.yaml": RECIPE, "predictions.csv": PREDICTIONS, "quality.csv": QUALITY, "scores.csv": SCORES}
    files["gate.toml"] = 'systems = ["planted(gap=0.1)"]\ncorpora = "small.yaml"\n'
    for name, content in (files | {"chat.csv": CHAT, "rated.csv": RATED}).items():
        (folder / name).write_text(content)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for gap, out in (("0.1", "saved"), ("0.2", "other")):
            done = CliRunner().invoke(app, ["audit", f"planted(gap={gap})", "--corpus", "small.yaml", "--out", out])
            assert done.exit_code == 0, done.output
    finally:
        os.chdir(before)
    return folder


def options_of(typed: list[str]) -> list[str]:
    """The options of a command that take a value."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command, typed = command.commands[typed[0]], typed[1:]
    found = (one.opts[0] for one in command.params if not getattr(one, "is_flag", True))
    return [name for name in found if name not in PLACES | LONG]


def refused_in_one_line(error: BaseException | None) -> bool:
    """Whether a command ended with a result, or with words of ours or of the parser."""
    in_words = error is None or isinstance(error, EvenhandError | SystemExit) or hasattr(error, "format_message")
    return in_words and getattr(error, "exit_code", 0) in (0, 1, 2)


def ends_well(typed: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["evenhand", *typed])  # what a result says of how it was made
        done = CliRunner().invoke(app, typed)
    if not refused_in_one_line(done.exception):
        assert done.exception is not None
        raise AssertionError(typed) from done.exception


@pytest.mark.slow
@pytest.mark.parametrize("command", TYPED)
def test_any_value_of_any_option_is_taken_or_refused(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    typed = TYPED[command].split()

    @settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.tuples(st.sampled_from(options_of(typed)), VALUES), min_size=1, max_size=2))
    def try_it(given: list[tuple[str, str]]) -> None:
        ends_well([*typed, *(f"{name}={value}" for name, value in given)])

    try_it()


@pytest.mark.parametrize(
    ("command", "option", "message"),
    [
        ("audit", "--seed=-1", "a seed must be a whole number from 0, not -1"),
        ("audit", "--seed=4294967296", "a seed must be a whole number from 0 to 4,294,967,295, not 4294967296"),
        ("audit", "--attribute=gender+gender", "'gender+gender' crosses an attribute with itself"),
        ("audit", "--attribute=+", "'+' names no attribute"),
        ("audit", "--attribute=gendr", "did you mean 'gender'"),
        ("audit", "--sample=-1", "a sample, a number of sentences, must be a whole number from 1, not -1"),
        ("audit", "--alpha=nan", "alpha must lie between 0 and 0.5, not nan"),
        ("audit", "--alpha=1e-320", "alpha must be at least 1e-12"),
        ("chat", "--separator=é", "the separator must be one character"),
        ("audit", "--correction=homl", "unknown correction 'homl'; did you mean 'holm'"),
        ("audit", "--range=1,0", "the first number must be below the second"),
        ("audit", "--names=" + "9" * 5000, "is too large"),
        ("audit", "--draws=2147483648", "the number of draws must be a whole number from 1 to 1,000,000"),
        ("audit", "--strength=nan", "the strength of names"),
        ("explain", "--attribute=gender+gender", "'gender+gender' crosses an attribute with itself"),
        ("rate", "--attribute=gender+gender", "'gender+gender' crosses an attribute with itself"),
        ("rate", "--levels=2147483648", "the number of levels must be a whole number from 2 to 1,000"),
        ("measure", "--bootstrap=2147483648", "the number of resamples must be a whole number from 0 to 1,000,000"),
        (
            "measure",
            "--relabellings=2147483648",
            "relabellings must be a whole number from 0 to 1,000,000",
        ),
        ("measure", f"--seed={10**40}", "not one of more than 30 digits"),
        ("chat", "--seed=-1", "a seed must be a whole number from 0, not -1"),
        ("report", "--threshold=nan", "a threshold is a number, or 'median'"),
        ("compare", "--attribute=gender+gender", "'gender+gender' crosses an attribute with itself"),
        ("repair", "--repetitions=0", "the number of repetitions must be a whole number from 1, not 0"),
        ("rate a system", "--bootstrap=-1", "the number of draws must be a whole number from 0, not -1"),
        ("plan", "--waves=\u0665,10", "'\u0665' is not a whole number"),
        ("plan", "--corpus=", "''"),
        ("train gru", "--batch-size=99999999999999999999", "batch size must be less than or equal to 1000000000"),
        ("train gru", "--target=rank", "target must be 'regression' or 'ordinal', not 'rank'"),
        ("audit", "--cache=", "--cache is empty: give a path, or . for this folder"),
        ("phrases", "--out=", "--out is empty: give a path, or . for this folder"),
        ("annotate", "--out=", "--out is empty"),
        ("rate a system", "--chat=", "--chat is empty"),
        ("corpus", "--spelling=\udcff", "is not text in UTF-8"),
    ],
)
def test_a_setting_that_cannot_be_is_named(
    command: str, option: str, message: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    name = option.partition("=")[0]
    typed = TYPED[command].split()
    kept = typed[: typed.index(name)] + typed[typed.index(name) + 2 :] if name in typed else typed
    done = CliRunner().invoke(app, [*kept, option])
    assert isinstance(done.exception, EvenhandError), done.output
    assert done.exception.exit_code == 2
    assert message in str(done.exception)


@pytest.mark.parametrize("typed", [["runs", ""], ["study", ""], ["measure", ""]])
def test_a_path_that_is_empty_is_not_this_folder(typed: list[str]) -> None:
    done = CliRunner().invoke(app, typed)
    assert isinstance(done.exception, EvenhandError), done.output
    assert "is empty: give a path, or . for this folder" in str(done.exception)


def test_a_number_that_cannot_be_read_is_refused_in_words(
    capfd: pytest.CaptureFixture[str],
) -> None:
    _say_refused(
        Exception(), "Invalid value for '--seed': Input should be a valid integer, unable to parse string as an integer"
    )
    assert capfd.readouterr().err == "error: invalid value for '--seed': give a whole number\n"
