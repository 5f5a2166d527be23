"""Systems in processes of their own: real functions that leave, crash and hang up, and a run that goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import BadAnswer, EvenhandError, SystemsFailed, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import BaseScorer
from evenhand.systems.apart.process import Child
from evenhand.systems.apart.proxies import ScorerApart, TaggerApart
from evenhand.systems.apart.values import packed, unpacked
from evenhand.systems.tagging import build_tagger
from evenhand.verbs.audit import audit

MODULE = '''
import os, signal, sys, threading, time

PID = os.getpid()

def fine(texts):
    return [len(text) / 1000 for text in texts]

def as_it_is(texts):
    return [[0.25, None]] * len(texts)

def where(texts):
    return [float(os.getpid() % 2**20)] * len(texts)

def unless_asked_first(texts, do):
    """Passes the first question, which finds out what it answers, and does the worst at the next."""
    if len(texts) > 3:
        do()
    return [0.5] * len(texts)

class Own(BaseException):
    pass

def raises(error):
    raise error

def leaves(texts): return unless_asked_first(texts, lambda: sys.exit("bye"))
def own(texts): return unless_asked_first(texts, lambda: raises(Own("mine")))
def interrupts(texts): return unless_asked_first(texts, lambda: raises(KeyboardInterrupt()))
def generator(texts): return unless_asked_first(texts, lambda: raises(GeneratorExit()))
def fails(texts): return unless_asked_first(texts, lambda: raises(ValueError("two\\nlines")))
def exits(texts): return unless_asked_first(texts, lambda: os._exit(7))
def well(texts): return unless_asked_first(texts, lambda: os._exit(0))
def crashes(texts): return unless_asked_first(texts, lambda: os.kill(os.getpid(), signal.SIGSEGV))
def aborts(texts): return unless_asked_first(texts, os.abort)
def out_of_memory(texts): return unless_asked_first(texts, lambda: os.kill(os.getpid(), signal.SIGKILL))
def closes(texts): return unless_asked_first(texts, lambda: os.closerange(0, 256))

def in_a_thread(texts):
    def later():
        os._exit(3)
    def do():
        thread = threading.Thread(target=later)
        thread.start()
        time.sleep(60)
    return unless_asked_first(texts, do)

def forks(texts):
    """The second of two processes returns, too; only one of them may answer."""
    os.fork()
    return fine(texts)

def prints(texts):
    print("from Python")
    os.write(1, b"from below\\n")
    return fine(texts)

def reads(texts):
    return [len(sys.stdin.read()) / 10] * len(texts)

def hangs(texts):
    open(os.environ["STARTED"], "w").write(str(os.getpid()))
    return unless_asked_first(texts, lambda: time.sleep(600))

def tags(token_lists):
    return [["O"] * len(tokens) for tokens in token_lists]

def tags_and_leaves(token_lists):
    os._exit(7)
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module, where functions are looked for."""
    (tmp_path / "worst.py").write_text(MODULE)
    for name, code in {
        "leaving": "raise SystemExit(3)",
        "killing": "import os; os._exit(4)",
        "own_kind": "class Own(BaseException): pass\nraise Own('x')",
        "interrupting": "raise KeyboardInterrupt",
        "closing": "import os; os.closerange(0, 256)",
    }.items():
        (tmp_path / f"{name}.py").write_text(f"{code}\ndef f(texts): return [0.5] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(spec: str) -> BaseScorer:
    from evenhand.corpora import eec

    system = resolve(spec, eec().sample(120))
    assert isinstance(system, BaseScorer)
    return system


def test_a_function_runs_elsewhere_and_answers_as_it_does_here(mine: Path) -> None:
    system = made("py:worst:fine")
    assert isinstance(system, ScorerApart)
    assert system.name == "py:worst:fine"
    assert system.score(["a", "bb"]).tolist() == [[0.001], [0.002]]
    assert made("py:worst:where").score(["a"]).tolist() != [[float(os.getpid() % 2**20)]]


def test_what_is_no_number_arrives_as_it_was_given(mine: Path) -> None:
    with pytest.raises(BadAnswer, match=r"'py:worst:as_it_is' answered \[\[0\.25, None\]\] to the list"):
        made("py:worst:as_it_is")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("leaving", "importing 'leaving' failed: RuntimeError: it called sys.exit(3)"),
        ("killing", "'py:killing:f' failed: it ended its process, with exit code 4"),
        ("own_kind", "importing 'own_kind' failed: RuntimeError: it raised Own: x"),
        ("interrupting", "'py:interrupting:f' failed: RuntimeError: it raised KeyboardInterrupt"),
        ("closing", "'py:closing:f' failed: it closed the descriptors of its process"),
    ],
)
def test_a_module_that_leaves_while_it_is_imported_has_failed(mine: Path, module: str, message: str) -> None:
    with pytest.raises(EvenhandError) as caught:
        made(f"py:{module}:f")
    assert str(caught.value) == message
    assert not isinstance(caught.value, UsageError)


ENDS = {
    "leaves": "RuntimeError: it called sys.exit(bye)",
    "own": "RuntimeError: it raised Own: mine",
    "interrupts": "RuntimeError: it raised KeyboardInterrupt",
    "generator": "RuntimeError: it raised GeneratorExit",
    "fails": "ValueError: two lines",
    "exits": "it ended its process, with exit code 7",
    "well": "it ended its process, with exit code 0",
    "crashes": "its process was killed by SIGSEGV: native code",
    "aborts": "its process was killed by SIGABRT: native code",
    "out_of_memory": "its process was killed by SIGKILL; most often because it needed more memory than there is",
    "closes": "it closed the descriptors of its process",
    "in_a_thread": "it ended its process, with exit code 3",
}


def test_one_that_ends_its_process_fails_alone_and_the_others_are_found_out_about(mine: Path) -> None:
    worst = [f"py:worst:{name}" for name in ENDS]
    with pytest.raises(SystemsFailed) as caught:
        audit(["planted(gap=0.05)", *worst, "py:worst:fine"], attributes=["gender"], sample=120, out=mine / "out")
    failed, found = caught.value.failed, caught.value.result
    assert list(failed) == worst
    for name, said in ENDS.items():
        assert f"({said}" in failed[f"py:worst:{name}"]
        assert "\n" not in failed[f"py:worst:{name}"]
    systems = {"planted(gap=0.05)", "py:worst:fine"}
    assert {finding.system for finding in found.findings} == systems  # type: ignore[attr-defined]
    saved = json.loads((mine / "out" / "report.json").read_text())
    assert {finding["system"] for finding in saved["findings"]} == systems
    assert list(saved["provenance"]["left_out"]) == worst
    assert {note["about"] for note in saved["notes"]} >= set(worst)


def test_a_run_whose_function_was_mended_takes_the_place_of_what_was_found_without_it(mine: Path) -> None:
    given = {"attributes": ["gender"], "sample": 120, "out": mine / "out"}
    with pytest.raises(SystemsFailed):
        audit(["random", "py:worst:exits"], **given)  # type: ignore[arg-type]
    (mine / "worst.py").write_text(MODULE.replace("lambda: os._exit(7)", "lambda: None"))
    found = audit(["random", "py:worst:exits"], **given)  # type: ignore[arg-type]
    assert {finding.system for finding in found.findings} == {"random", "py:worst:exits"}
    assert "left_out" not in json.loads((mine / "out" / "report.json").read_text())["provenance"]


def test_what_the_others_answered_is_not_asked_for_again(mine: Path) -> None:
    asked: list[str] = []

    def counted(texts: list[str]) -> list[float]:
        asked.extend(texts)
        return [0.5] * len(texts)

    with pytest.raises(SystemsFailed) as caught:
        audit([counted, "py:worst:exits"], attributes=["gender"], sample=120)
    assert caught.value.result is not None
    assert max(asked.count(text) for text in set(asked) if "sentence" not in text and "feel wonderful" not in text) == 1


def test_where_all_fail_there_is_nothing_to_show(mine: Path) -> None:
    with pytest.raises(SystemsFailed) as caught:
        audit(["py:worst:exits", "py:worst:leaves"], attributes=["gender"], sample=120)
    assert caught.value.result is None
    assert list(caught.value.failed) == ["py:worst:exits", "py:worst:leaves"]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("error", [SystemExit(2), GeneratorExit(), type("Own", (BaseException,), {})("x")])
def test_a_function_that_was_given_in_python_may_raise_anything(error: BaseException, at_once: bool) -> None:
    def worst(texts: list[str]) -> list[float]:
        if at_once or len(texts) > 3:
            raise error
        return [0.5] * len(texts)

    with pytest.raises(SystemsFailed) as caught:
        audit(["random", worst], attributes=["gender"], sample=120)
    assert list(caught.value.failed) == ["worst"]
    assert caught.value.result is not None


def test_an_interrupt_of_ones_own_ends_the_run() -> None:
    def interrupted(texts: list[str]) -> list[float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(["random", interrupted], attributes=["gender"], sample=120)


@pytest.mark.slow
def test_in_waves_and_ratings_the_others_go_on_too(mine: Path) -> None:
    waves = ("--until-settled", "--waves", "3,5", "--out", "waves")
    for command, out in ((("audit", *waves), "waves"), (("rate", "--groups", "1", "--out", "rated"), "rated")):
        done = evenhand(command[0], "random", "py:worst:exits", *command[1:])
        assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
        assert "random" in done.stdout
        assert "could not score" in done.stderr.splitlines()[-1]
        assert list((mine / out).glob("*.json"))


def test_the_command_line_shows_the_others_and_exits_with_1(mine: Path) -> None:
    done = evenhand("audit", "random", "py:worst:exits", "py:worst:prints", "--sample", "120", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert {one["system"] for one in found["findings"]} == {"random", "py:worst:prints"}
    assert "error: system 'py:worst:exits' could not score" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "from Python" in done.stderr
    assert "from below" in done.stderr


def test_a_single_one_that_fails_is_an_error_as_ever(mine: Path) -> None:
    done = evenhand("audit", "py:worst:exits", "--sample", "120")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


def test_only_one_of_two_processes_answers(mine: Path) -> None:
    assert made("py:worst:forks").score(["abc"] * 5).tolist() == [[0.003]] * 5


def test_it_finds_nothing_to_read(mine: Path) -> None:
    assert made("py:worst:reads").score(["a"]).tolist() == [[0.0]]


def test_the_next_question_starts_another_process(mine: Path) -> None:
    system = made("py:worst:exits")
    for _ in range(2):
        with pytest.raises(EvenhandError, match="exit code 7"):
            system.score(["a"] * 5)
        assert system.score(["a"]).tolist() == [[0.5]]


def test_a_tagger_runs_elsewhere_too(mine: Path) -> None:
    tagger = build_tagger("py", "worst:tags")
    assert isinstance(tagger, TaggerApart)
    assert tagger.tag([["Peru", "won"]])[0].tags == ("O", "O")
    with pytest.raises(EvenhandError, match="it ended its process, with exit code 7"):
        build_tagger("py", "worst:tags_and_leaves").tag([["Peru"]])


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_function_that_hangs_ends_with_the_run(mine: Path, how: signal.Signals) -> None:
    started = mine / "started"
    run = subprocess.Popen(
        [sys.executable, "-c", "from evenhand.cli import main; main()", "audit", "py:worst:hangs", "--sample", "120"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"STARTED": str(started)},
    )  # fmt: skip
    wait_for(lambda: started.is_file() and started.read_text().isdigit())
    time.sleep(1)
    run.send_signal(how)
    _, said = run.communicate(timeout=600)
    if how == signal.SIGINT:
        assert run.returncode == 130
        assert "interrupted" in said
        assert "Traceback" not in said
    wait_for(lambda: not alive(int(started.read_text())))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_values_arrive_as_they_were(value: object) -> None:
    form, payload = packed(value)
    assert repr(unpacked(json.loads(json.dumps(form)), payload)) == repr(value) or _has_a_large_number(value)


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "u1", "?", ">f8"])
def test_arrays_arrive_to_the_bit(kind: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(kind)
    form, payload = packed(array[:, ::-1])
    arrived = unpacked(json.loads(json.dumps(form)), payload)
    assert (arrived == array[:, ::-1]).all()
    assert arrived.dtype == array.dtype


def test_a_child_is_gone_when_nobody_holds_it() -> None:
    child = Child("os:getcwd")
    process = child._line._process  # type: ignore[union-attr]
    assert process.poll() is None
    del child
    wait_for(lambda: process.poll() is not None)


def evenhand(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path(f"/proc/{pid}").exists() else False


def _has_a_large_number(value: object) -> bool:
    return any(len(digits) > 300 for digits in repr(value).replace("-", " ").split())
