"""Worker processes: real ones, that die, differ and are interrupted."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from evenhand.asking import Scores
from evenhand.asking.engines.engine import why_here
from evenhand.asking.engines.local import GPUS, LocalEngine
from evenhand.asking.settings import AskSettings
from evenhand.corpora import load_corpus
from evenhand.errors import SystemsFailed, UsageError
from evenhand.systems import as_scorer, build_system
from evenhand.systems.base import Blueprint
from evenhand.verbs.ask import ask

MODULE = '''
import hashlib, os, time

HERE = os.path.dirname(os.path.abspath(__file__))

def number(text, texts):
    """Depends on the whole batch, as a transformer's does."""
    return int.from_bytes(hashlib.sha256("|".join([text, *texts]).encode()).digest()[:6], "big") / 2**48

def noted(texts):
    if len(texts) > 3:  # what it answers was found out with fewer
        handle = os.open(os.path.join(HERE, "asked.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{os.getpid()}\\t{texts[0]}\\n".encode())
        os.close(handle)
    return [number(text, texts) for text in texts]

def once(name):
    """Whether this is the first process that gets here."""
    try:
        os.close(os.open(os.path.join(HERE, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False

def dies_twice(texts):
    if len(texts) > 3 and (once("first") or once("second")):
        os.kill(os.getpid(), 9)
    return noted(texts)

def once_there_are_two(texts):
    """Waits for another process: who is ready first could otherwise answer all."""
    if len(texts) > 3:
        once(f"process-{os.getpid()}")
        end = time.monotonic() + 30
        while len([name for name in os.listdir(HERE) if name.startswith("process-")]) < 2 and time.monotonic() < end:
            time.sleep(0.02)
    return noted(texts)

def slow(texts):
    if len(texts) > 3:
        time.sleep(0.1)
    return noted(texts)

def tags(token_lists):
    return [["O"] * len(tokens) for tokens in token_lists]
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sentences(make_corpus: Callable[..., Any]) -> Any:
    return make_corpus([f"t{place:04}" for place in range(1_600)])


def _asked(mine: Path) -> list[tuple[str, str]]:
    """The process and the first text of each batch that was answered."""
    log = mine / "asked.log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines]


@pytest.mark.slow
def test_workers_give_the_same_bytes_and_ask_each_batch_once(mine: Path, sentences: Any) -> None:
    alone = ask("py:mine:noted", sentences, cache=mine / "alone", version="1").to_bytes()
    batches = Counter(first for _, first in _asked(mine))
    together = ask("py:mine:once_there_are_two", sentences, cache=mine / "together", version="1", workers=3)
    assert isinstance(together, Scores)
    renamed = Scores(together.ids, together.matrix, _columns(alone, mine), together.corpus_digest)
    assert renamed.to_bytes() == alone
    asked = _asked(mine)
    assert Counter(first for _, first in asked) == batches
    assert len({process for process, _ in asked}) > 1
    assert len(batches) > 4
    assert max(batches.values()) == 1


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_doubled(
    mine: Path, sentences: Any, caplog: pytest.LogCaptureFixture
) -> None:
    alone = ask("py:mine:noted", sentences, cache=mine / "alone").to_bytes()
    batches = Counter(first for _, first in _asked(mine))
    together = ask("py:mine:dies_twice", sentences, cache=mine / "cache", workers=2)
    assert isinstance(together, Scores)
    assert Counter(first for _, first in _asked(mine)) == batches
    renamed = Scores(together.ids, together.matrix, _columns(alone, mine), together.corpus_digest)
    assert renamed.to_bytes() == alone
    assert caplog.text.count("its process was killed by SIGKILL") == 2
    assert "is asked again" in caplog.text


def _columns(content: bytes, folder: Path) -> Any:
    (folder / "alone.parquet").write_bytes(content)
    return Scores.load(folder / "alone.parquet").columns


@pytest.mark.slow
def test_taggers_have_workers_too(mine: Path) -> None:
    corpus = load_corpus("ner-country").sample(300)
    alone = ask("py:mine:tags", corpus, cache=mine / "alone")
    together = ask("py:mine:tags", corpus, cache=mine / "together", workers=2)
    assert together.to_bytes() == alone.to_bytes()


@pytest.mark.slow
def test_a_worker_that_is_another_system_is_refused(mine: Path, sentences: Any) -> None:
    """Answers of another model beside those of the one here would look like bias."""
    made = build_system("py", "mine:noted", version="1")
    made.fingerprint = "of other files"  # type: ignore[misc]
    with pytest.raises(SystemsFailed, match="a worker of 'py:mine:noted' is another system than the one here"):
        ask(made, sentences, cache=mine / "cache", workers=2)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_run_that_is_stopped_leaves_no_process_behind_and_goes_on_where_it_was(mine: Path) -> None:
    texts = [f"t{place:04}" for place in range(3_200)]
    people = [f"p{place % 40}" for place in range(len(texts))]
    frame = pl.DataFrame(
        {"text": texts, "source": [f"s{place // 40}" for place in range(len(texts))], "person": people}
    ).with_columns(gender=pl.Series(["f" if int(one[1:]) % 2 else "m" for one in people]))
    frame.write_csv(mine / "corpus.csv")
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", "audit", "py:mine:slow", "--json",
               "--corpus", "corpus.csv", "--cache", "cache", "--workers", "2", "--system-version", "1"]  # fmt: skip
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (mine / "asked.log").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGTERM, said
    assert "the same command goes on from there" in said
    before = _asked(mine)
    assert all(_is_gone(int(process)) for process, _ in before)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 3), done.stderr
    after = Counter(first for _, first in _asked(mine))
    again = set(after) & {first for _, first in before}
    assert max(after.values()) == 1
    assert len(again) <= 10  # under way, or answered and not yet heard, when it was stopped
    assert set(after) | {first for _, first in before} == set(texts[:: _size(texts, after, before)])


def _size(texts: list[str], *asked: Any) -> int:
    """The size of batches: the distance between the first texts of two."""
    firsts = sorted({one if isinstance(one, str) else one[1] for part in asked for one in part})
    return texts.index(firsts[1]) - texts.index(firsts[0])


def _is_gone(process: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_objects_endpoints_and_samplers_answer_in_this_process_which_is_said(
    recorder: Any, sentences: Any, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    system = recorder(batch_size=32)
    ask(system, sentences, cache=cache, workers=2)
    assert len(system.asked) == 50
    assert "recorder: it answers in this process: it was given as an object" in caplog.text
    endpoint = build_system("http", "http://127.0.0.1:9/")
    assert "others do its work" in str(why_here(endpoint))
    sampler = as_scorer(lambda texts: [0.5] * len(texts), name="dice")
    sampler.samples = True  # type: ignore[misc]
    sampler.blueprint = Blueprint("py", ("dice:throw",), {})
    assert "it samples" in str(why_here(sampler))
    assert why_here(build_system("random")) is None
    sampler.blueprint = Blueprint("py", ("dice:throw",), {"outputs": object()})
    sampler.samples = False  # type: ignore[misc]
    assert "given as an object" in str(why_here(sampler))


def test_where_there_are_several_gpus_each_has_a_worker_that_sees_no_other(
    recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(cuda=SimpleNamespace(device_count=lambda: 3))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setenv(GPUS, "2, 5,GPU-1")
    system = recorder(runs_on="gpu", blueprint=Blueprint("hf", ("model",), {}))
    engine = LocalEngine()
    assert engine.number_for(system) == 3
    seen = [engine.start_at(place, system, bool).keywords["environment"] for place in range(4)]  # type: ignore[attr-defined]
    assert seen == [{GPUS: "2"}, {GPUS: "5"}, {GPUS: "GPU-1"}, {GPUS: "2"}]
    monkeypatch.delenv(GPUS)
    assert engine.start_at(1, system, bool).keywords == {"environment": {GPUS: "1"}}  # type: ignore[attr-defined]
    on_one = recorder(runs_on="gpu", blueprint=Blueprint("hf", ("model",), {"device": "cuda:1"}))
    assert engine.number_for(on_one) == 0
    assert engine.number_for(recorder()) == 0
    torch.cuda.device_count = lambda: 1
    assert engine.number_for(system) == 0


def test_one_worker_is_the_system_itself(recorder: Any) -> None:
    assert LocalEngine(1).number_for(recorder()) == 0
    assert LocalEngine(4).number_for(recorder()) == 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "dask"}, "unknown engine 'dask'"),
        ({"address": "auto"}, "address is for the engine ray"),
        ({"engine": "ray", "address": "ray://head:10001"}, "run the command on a node of the cluster"),
        ({"workers": 0}, "the number of workers must be a whole number from 1"),
    ],
)
def test_what_no_engine_takes_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        AskSettings(**given)
