"""The engine of a Ray cluster, on a real one of several nodes: what is lost comes again, and nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.asking.engines.on_ray import QUIET, connect
from evenhand.asking.settings import AskSettings
from evenhand.errors import MissingExtra
from evenhand.files.records import read_matrices
from evenhand.verbs.ask import ask

MODULE = '''
import hashlib, os, time

HERE = os.path.dirname(os.path.abspath(__file__))

def noted(texts):
    """Its numbers depend on the whole batch; who answered it, and on which node, is written down."""
    if len(texts) > 3:  # what it answers was found out with fewer
        time.sleep(0.1)
        handle = os.open(os.path.join(HERE, "asked.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{texts[0]} {os.getpid()} {os.environ.get('RAY_RAYLET_PID', 0)}\\n".encode())
        os.close(handle)
    joined = "|".join(texts)
    return [int.from_bytes(hashlib.sha256((one + joined).encode()).digest()[:6], "big") / 2**48 for one in texts]
'''
TEXTS = [f"t{place:04}" for place in range(256 * 24)]
KILLED = """
import sys
from pathlib import Path
import polars as pl
from evenhand.corpora import Corpus
from evenhand.verbs.ask import ask

texts = Path("texts").read_text().split()
frame = pl.DataFrame({"id": [f"s{n}" for n in range(len(texts))], "text": texts, "source": "source"})
corpus = Corpus(frame=frame.with_columns(person=pl.col("id")), name="tiny", attributes={})
ask("py:mine:noted", corpus, cache="killed", version="1", engine="ray", address=sys.argv[1], workers=2)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head on which nothing runs, and two nodes with room for one worker each."""
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ.update(QUIET)
    import ray
    from ray.cluster_utils import Cluster

    room = {"object_store_memory": 80_000_000}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **room})
    try:
        made.two = [made.add_node(num_cpus=1, wait=False, **room) for _ in range(2)]
        connect(made.address)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({} if value is None else {name: value})


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _asked(folder: Path) -> list[list[str]]:
    """The first text of each batch that was answered, and in which process of which node."""
    log = folder / "asked.log"
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def _await(folder: Path, batches: int) -> list[list[str]]:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and len(_asked(folder)) < batches:
        time.sleep(0.02)
    return _asked(folder)


def _kept(cache: Path) -> Counter[str]:
    """How often each batch stands in the cache."""
    return Counter(key for path in cache.rglob("*.answers") for key, _ in read_matrices(path.read_bytes()))


def test_a_killed_driver_goes_on_where_it_was(cluster: Any, mine: Path, make_corpus: Callable[..., Any]) -> None:
    (mine / "texts").write_text("\n".join(TEXTS))
    (mine / "killed.py").write_text(KILLED)
    run = subprocess.Popen([sys.executable, "killed.py", cluster.address], stderr=subprocess.PIPE, text=True)
    _await(mine, 8)
    run.kill()
    _, said = run.communicate(timeout=60)
    answered = len(_asked(mine))
    assert 8 <= answered < 24, said
    kept = _kept(mine / "killed")
    assert 0 < len(kept) < 24
    together = ask("py:mine:noted", make_corpus(TEXTS), cache=mine / "killed", version="1",
                   engine="ray", address=cluster.address, workers=2)  # fmt: skip
    assert len(_asked(mine)) - answered == 24 - len(kept)
    assert set(_kept(mine / "killed").values()) == {1}
    alone = ask("py:mine:noted", make_corpus(TEXTS), cache=mine / "alone", version="1")
    assert together.to_bytes() == alone.to_bytes()


def test_a_lost_worker_and_a_lost_node_cost_nothing(cluster: Any, mine: Path, make_corpus: Callable[..., Any]) -> None:
    lost: list[str] = []

    def lose() -> None:
        """Kill a worker, then take away the node of another one."""
        worker = _await(mine, 4)[-1][1]
        os.kill(int(worker), signal.SIGKILL)
        lost.append(worker)
        node = next(line[2] for line in reversed(_await(mine, 9)) if line[1] != worker)
        lost.append(node)
        cluster.remove_node(
            next(one for one in cluster.two if str(one.all_processes["raylet"][0].process.pid) == node),
            allow_graceful=False,
        )

    losing = threading.Thread(target=lose)
    losing.start()
    together = ask("py:mine:noted", make_corpus(TEXTS), cache=mine / "together", version="1",
                   engine="ray", address=cluster.address, workers=2)  # fmt: skip
    losing.join()
    asked = _asked(mine)
    assert len(lost) == 2
    assert len({process for _, process, _ in asked}) >= 3  # somebody took their places
    assert len({first for first, _, _ in asked}) == 24
    assert len(asked) <= 24 + 2  # both may have died between the answer and its delivery
    assert set(_kept(mine / "together").values()) == {1}
    assert len(_kept(mine / "together")) == 24
    alone = ask("py:mine:noted", make_corpus(TEXTS), cache=mine / "alone", version="1")
    assert together.to_bytes() == alone.to_bytes()


def test_without_ray_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"the engine 'ray' needs the extra 'ray': pip install 'evenhand\[ray\]'"):
        AskSettings(engine="ray").asking  # noqa: B018
