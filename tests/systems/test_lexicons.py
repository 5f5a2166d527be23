"""VADER, TextBlob, AFINN and the NRC lexicon: what they say, from what is on this machine."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from evenhand.errors import MissingExtra
from evenhand.files.registry import Entry
from evenhand.systems import REGISTRY, build_system

HAPPY = "She is happy and full of joy."
SAD = "She is sad, gloomy and miserable."


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a lexicon must not touch the network")

    for name in ("create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["vader", "textblob", "afinn"])
def test_happy_lies_above_zero_and_sad_below_without_network(name: str) -> None:
    (happy,), (sad,) = build_system(name).score([HAPPY, SAD])
    assert happy > 0 > sad


@pytest.mark.usefixtures("no_network")
def test_nrc_finds_joy_in_happy_words_and_sadness_in_sad_ones() -> None:
    system = build_system("nrc")
    happy, sad = (
        dict(zip(["anger", "fear", "joy", "sadness"], row, strict=True)) for row in system.score([HAPPY, SAD])
    )
    assert happy["joy"] > 0 == happy["sadness"]
    assert sad["sadness"] > 0 == sad["joy"]


@pytest.mark.usefixtures("no_network")
def test_nrc_polarity_is_the_share_of_positive_words_less_that_of_negative_ones() -> None:
    # happy, full and joy are positive; gloomy and miserable negative, sad is not in the list.
    scores = build_system("nrc-polarity").score([HAPPY, SAD, "The table.", ""])[:, 0]
    np.testing.assert_allclose(scores, [3 / 7, -2 / 6, 0, 0])
    assert (build_system("nrc-polarity").outputs[0].low, build_system("nrc-polarity").outputs[0].high) == (-1, 1)


@pytest.mark.usefixtures("no_network")
def test_afinn_with_emoticons_counts_them_and_is_the_same_without() -> None:
    words, both = build_system("afinn"), build_system("afinn-emoticons")
    assert words.score(["I saw her :-)"])[0, 0] == 0
    np.testing.assert_allclose(both.score(["I saw her :-)", "I saw her :-("])[:, 0], [2, -2])
    texts = [HAPPY, SAD, "I made him feel furious."]
    np.testing.assert_allclose(both.score(texts), words.score(texts))
    assert words.fingerprint != both.fingerprint


@pytest.mark.usefixtures("no_network")
def test_danish_afinn_reads_danish() -> None:
    good, bad = build_system("afinn-da").score(["Det er bare vidunderligt.", "Det er forfærdeligt og trist."])[:, 0]
    assert good > 0 > bad
    assert build_system("afinn-da").fingerprint != build_system("afinn").fingerprint


@pytest.mark.usefixtures("no_network")
def test_subjectivity_is_that_of_the_words_textblob_knows() -> None:
    system = build_system("textblob-subjectivity")
    # In its lexicon, great has a subjectivity of 0.75, and table none.
    np.testing.assert_allclose(system.score(["great", "The table."])[:, 0], [0.75, 0])
    assert (system.outputs[0].name, system.outputs[0].high_is) == ("subjectivity", "neither")


def test_vader_takes_the_name_tia_for_a_thank_you() -> None:
    tia, ellen = build_system("vader").score(["I talked to Tia yesterday.", "I talked to Ellen yesterday."])
    assert tia > ellen == 0


def test_textblob_gives_the_mean_polarity_of_the_words_it_knows() -> None:
    # In its lexicon, great is 0.8 and bad is -0.7.
    np.testing.assert_allclose(build_system("textblob").score(["great", "bad", "great, bad"])[:, 0], [0.8, -0.7, 0.05])


def test_afinn_adds_up_word_ratings() -> None:
    # In its list, good is 3, bad is -3 and outstanding is 5.
    answers = build_system("afinn").score(["good", "good and outstanding", "good, bad", "a table"])
    assert answers[:, 0].tolist() == [3, 8, 0, 0]


def test_afinn_has_no_bounds_and_the_width_of_the_word_scale_as_its_unit() -> None:
    (output,) = build_system("afinn").outputs
    assert (output.low, output.high, output.span) == (None, None, 10)


@pytest.mark.slow
def test_afinn_can_be_imported_afresh_where_warnings_are_errors(tmp_path: Path) -> None:
    code = "from evenhand.systems.lexicons.afinn import Afinn; print(Afinn().score(['good'])[0, 0])"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    # Only what concerns afinn's own source: other packages are compiled afresh in there, too.
    flags = ["-W", "error::DeprecationWarning:afinn", "-W", "error:invalid escape sequence"]
    ran = subprocess.run(
        [sys.executable, *flags, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (ran.stdout.strip(), ran.stderr) == ("3.0", "")


def test_nrc_gives_the_share_of_words_that_carry_an_emotion() -> None:
    # The lexicon lists happy under joy; miserable under anger and sadness; neither a nor table.
    answers = build_system("nrc").score(["happy", "a happy table", "Happy, happy... MISERABLE!", "42"])
    expected = np.array([[0, 0, 3, 0], [0, 0, 1, 0], [1, 0, 2, 1], [0, 0, 0, 0]]) / 3
    np.testing.assert_allclose(answers, expected)


def test_nrc_reads_the_name_harry_as_a_verb() -> None:
    harry, jack = build_system("nrc").score(["I saw Harry.", "I saw Jack."])
    assert harry.tolist() == [1 / 3, 0, 0, 1 / 3]
    assert jack.tolist() == [0, 0, 0, 0]


def test_nrc_takes_no_lexicon_that_happens_to_lie_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nrc_en.json").write_text(json.dumps({"table": ["joy"]}))
    monkeypatch.chdir(tmp_path)
    assert build_system("nrc").score(["table"]).tolist() == [[0, 0, 0, 0]]


def test_a_missing_package_is_one_line_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def build() -> NoReturn:
        raise ModuleNotFoundError("No module named 'vaderSentiment'", name="vaderSentiment")

    monkeypatch.setitem(REGISTRY, "vader", Entry("vader", "lexicon", build, ""))
    with pytest.raises(MissingExtra, match=r"pip install 'evenhand\[lexicon\]'"):
        build_system("vader")
