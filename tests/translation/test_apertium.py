"""Apertium: the real program, and stand-ins for it that hang, fail and are missing."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import EvenhandError, UsageError
from evenhand.translation import Apertium, direction_via
from evenhand.translation.apertium import directions

SENTENCES = ["She feels angry.", "My sister has two children.", "I made her feel happy.", "Mr. Frank is 3.5 m tall."]
PIECES = st.sampled_from([*'^$/[]{}@\\<>~*\n\t"+#_|%&()', "qzx", "xqj", "wqk", "\n\n", "  ", "漢", "🙂"])
UNKNOWN = st.lists(PIECES, min_size=1, max_size=8).map(" ".join)
"""Words that no dictionary has, between characters that mean something to Apertium."""


def test_a_round_trip_that_is_known(apertium: Apertium) -> None:
    there = apertium.translate(["She feels angry.", "He feels angry.", "This woman feels sad."])
    assert there == ["Siente enojada.", "Siente enojado.", "Esta mujer siente triste."]
    assert apertium.back().translate(there) == ["It feels angry.", "It feels angry.", "This woman feels sad."]
    assert (apertium.source, apertium.target) == (apertium.back().target, apertium.back().source) == ("en", "es")


def test_it_says_what_the_program_says_to_each_text_alone(apertium: Apertium) -> None:
    plain = [
        subprocess.run(["apertium", "-u", "eng-spa"], input=text, capture_output=True, text=True, check=True).stdout
        for text in SENTENCES
    ]
    assert apertium.translate(SENTENCES) == [text.strip() for text in plain]


def test_a_text_without_full_stop_does_not_run_into_the_next(apertium: Apertium) -> None:
    texts = ["She made me", "feel angry", "no period here", "and another line"]
    assert apertium.translate(texts) == [apertium.translate([text])[0] for text in texts]


def test_order_blank_texts_and_ends_are_kept(apertium: Apertium) -> None:
    texts = ["", "She is sad.", "  ", "\n", "  He is\n\nsad. \t", "She is sad.", ""]
    said = apertium.translate(texts)
    assert [said[place] for place in (0, 2, 3, 6)] == ["", "  ", "\n", ""]
    assert said[1] == said[5] == "Es triste."
    assert said[4].startswith("  Es") or said[4].startswith("  Él")
    assert "\n\n" in said[4]
    assert said[4].endswith(". \t")


@settings(max_examples=5)
@given(st.lists(UNKNOWN, min_size=1, max_size=20))
def test_what_it_does_not_know_survives_whatever_stands_around_it(apertium: Apertium, texts: list[str]) -> None:
    assert apertium.translate(texts) == texts


@pytest.mark.slow
@settings(max_examples=4)
@given(st.lists(st.text(max_size=40), max_size=30))
def test_any_texts_come_back_one_for_one_whatever_their_company(apertium: Apertium, texts: list[str]) -> None:
    said = apertium.translate(texts)
    assert len(said) == len(texts)
    assert apertium.translate(texts[::-1]) == said[::-1]


def test_no_texts_start_no_program(apertium: Apertium, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(subprocess, "Popen")
    assert apertium.translate([]) == []


def test_the_fingerprint_is_of_the_direction_and_its_data(apertium: Apertium) -> None:
    assert apertium.fingerprint is not None
    assert apertium.fingerprint == Apertium("eng-spa", timeout=1).fingerprint
    assert apertium.fingerprint != apertium.back().fingerprint


def test_a_direction_is_found_by_codes_of_any_length(apertium: Apertium) -> None:
    assert direction_via("en", "es") == direction_via("eng", "spa") == "eng-spa"
    assert {"eng-spa", "spa-eng"} <= set(directions())


# Stand-ins


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A script in the place of Apertium that lists eng-spa and then does as it is told."""

    def write(behaviour: str) -> Path:
        script = tmp_path / "bin" / "apertium"
        script.parent.mkdir(exist_ok=True)
        listing = '#!/bin/sh\ncase "$*" in -l) echo "  eng-spa"; echo "  spa-eng"; exit;; -V) echo 0; exit;; esac\n'
        script.write_text(listing + behaviour)
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
        return script

    return write


FIRST_TWO = "printf 'uno.[]\\0dos.[]\\0tr'\n"


def test_what_was_done_before_it_failed_is_kept(stand_in: Callable[[str], Path]) -> None:
    stand_in(f"{FIRST_TWO}cat > /dev/null; echo 'Error: no more' >&2; exit 1\n")
    done: list[tuple[int, str]] = []
    with pytest.raises(EvenhandError) as caught:
        done.extend(Apertium("eng-spa").each(["one", "two", "three"]))
    assert str(caught.value) == 'apertium:eng-spa failed: Error: no more, at the text "three"'
    assert done == [(0, "uno"), (1, "dos")]


@pytest.mark.slow
def test_one_that_hangs_is_ended_with_all_that_it_started(stand_in: Callable[[str], Path], tmp_path: Path) -> None:
    started, ended = tmp_path / "started", tmp_path / "ended"
    os.mkfifo(ended)  # held open by what was started: it ends when nobody is left
    stand_in(f"sleep 600 > {ended} & echo $! > {started}\n{FIRST_TWO}cat > /dev/null; wait\n")
    held = os.open(ended, os.O_RDONLY | os.O_NONBLOCK)
    said = Apertium("eng-spa", timeout=3).each(["one", "two", "three"])
    assert [next(said), next(said)] == [(0, "uno"), (1, "dos")]
    with pytest.raises(EvenhandError, match=r'did not end within 3 s, at the text "three"'):
        next(said)
    assert started.read_text().strip().isdigit()
    assert select.select([held], [], [], 60)[0] == [held]
    os.close(held)


def test_fewer_texts_than_it_was_given_are_refused(stand_in: Callable[[str], Path]) -> None:
    stand_in(f"{FIRST_TWO}cat > /dev/null\n")
    with pytest.raises(EvenhandError, match=r'gave 2 texts for 3, at the text "three"'):
        Apertium("eng-spa").translate(["one", "two", "three"])


def test_more_texts_than_it_was_given_are_refused(stand_in: Callable[[str], Path]) -> None:
    stand_in("printf 'uno.[]\\0dos.[]\\0'; cat > /dev/null\n")
    with pytest.raises(EvenhandError, match="gave 2 texts for 1"):
        Apertium("eng-spa").translate(["one"])


def test_without_its_data_nothing_vouches_for_it(stand_in: Callable[[str], Path]) -> None:
    stand_in("cat\n")
    assert Apertium("eng-spa").fingerprint is None


@pytest.mark.parametrize(
    ("direction", "message"),
    [
        ("eng-spa", "the program 'apertium' is not installed; on Debian and Ubuntu: apt-get install apertium "
                    "apertium-eng-spa"),
        ("spa-eng", "apt-get install apertium apertium-eng-spa"),
        ("eng-dan", "Debian has no package for this pair; translate with hf:, argos: or http:"),
    ],
)  # fmt: skip
def test_a_missing_program_is_named_with_its_package(
    direction: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        Apertium(direction)
    assert message in str(caught.value)
    assert directions() == []
    with pytest.raises(UsageError, match="apt-get install apertium apertium-eng-spa"):
        direction_via("en", "es")


def test_a_missing_pair_is_named_with_its_package(stand_in: Callable[[str], Path]) -> None:
    stand_in("cat\n")
    with pytest.raises(UsageError, match=r"no direction 'eng-cat' here, only eng-spa, spa-eng; .* apertium-eng-cat"):
        Apertium("eng-cat")
    with pytest.raises(UsageError, match=r"cannot translate from 'en' to 'da' here; Debian has no package"):
        direction_via("en", "da")


@pytest.mark.parametrize("direction", ["", "eng", "eng-spa-x", "-l", "../x"])
def test_what_is_no_direction_is_refused(direction: str) -> None:
    with pytest.raises(UsageError, match="does not read as apertium:SOURCE-TARGET"):
        Apertium(direction)


def test_a_timeout_must_be_some_time() -> None:
    with pytest.raises(UsageError, match="timeout must be above 0"):
        Apertium("eng-spa", timeout=0)
