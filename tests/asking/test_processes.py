"""Real processes: killed, crowded, and out of disk."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from evenhand.asking.cache import store_for
from evenhand.asking.plan import key_of, make_plan
from evenhand.files.records import matrix_record

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True)
class Run:
    """How a child is to be started."""

    folder: Path
    name: str
    sentences: int
    batch: int
    delay: float = 0.0
    fingerprint: str | None = "v1"
    cache: Path | None = None
    draws: int = 1

    @property
    def out(self) -> Path:
        return self.folder / f"{self.name}.parquet"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def cache_folder(self) -> Path:
        return self.cache or self.folder / "cache"

    @property
    def command(self) -> list[str]:
        settings = [f"--sentences={self.sentences}", f"--batch={self.batch}", f"--delay={self.delay}"]
        settings += [f"--draws={self.draws}"]
        places = [f"--cache={self.cache_folder}", f"--out={self.out}", f"--log={self.log}"]
        version = [f"--fingerprint={self.fingerprint}"] if self.fingerprint else []
        return [sys.executable, str(CHILD), *places, *settings, *version]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)

    def asked(self) -> list[str]:
        """The first sentence of each batch that was asked."""
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="module")
def child() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scoring_child", CHILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _complete(run: Run) -> bytes:
    process = run.start()
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    return run.out.read_bytes()


def _answered(child: ModuleType, run: Run) -> tuple[set[str], set[str]]:
    """The first sentences of the batches that the cache can answer, and of all."""
    settings = {"delay": 0, "fingerprint": run.fingerprint, "batch_size": run.batch}
    system = child.Slow(run.folder / "unused.log", **settings)
    plan = make_plan(child.texts(run.sentences), run.batch)
    store = store_for(system, plan, run.cache_folder)
    kept = {b.texts[0] for b in plan.batches if store.read(b.key, (len(b.texts), len(system.outputs))) is not None}
    return kept, {batch.texts[0] for batch in plan.batches}


def _kill_after(run: Run, batches: int, moment: float) -> None:
    """Let the child ask so many batches, wait a moment, and kill it in a way that it cannot notice."""
    process = run.start()
    deadline = time.monotonic() + 60
    while len(run.asked()) < batches and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(moment)
    process.kill()
    process.communicate()


@pytest.mark.parametrize("fingerprint", ["v1", None], ids=["fingerprint", "no fingerprint"])
@pytest.mark.parametrize(
    ("sentences", "batch", "delay"), [(160, 4, 0.01), (3_000, 1, 0.0)], ids=["slow system", "writing all the time"]
)
def test_after_kills_at_random_points_only_unanswered_batches_are_asked_and_the_bytes_are_the_same(
    child: ModuleType, tmp_path: Path, sentences: int, batch: int, delay: float, fingerprint: str | None
) -> None:
    undisturbed = Run(tmp_path, "undisturbed", sentences, batch, 0.0, fingerprint, tmp_path / "another cache")
    expected = _complete(undisturbed)
    chance = random.Random(f"{sentences} {fingerprint}")  # noqa: S311
    share = len(undisturbed.asked()) // 6
    kills = 0
    for attempt in range(4):
        run = Run(tmp_path, f"killed {attempt}", sentences, batch, delay, fingerprint)
        before, all_batches = _answered(child, run)
        _kill_after(run, chance.randint(1, share), chance.random() * max(delay, 0.003))
        after, _ = _answered(child, run)
        if run.out.exists():  # too fast for us; what follows holds all the same
            break
        kills += 1
        assert not before & set(run.asked())
        assert len(run.asked()) == len(set(run.asked()))
        # What was answered is kept; only the batch in hand at the kill may be lost.
        assert before <= after <= before | set(run.asked())
        assert len((before | set(run.asked())) - after) <= 1
    assert kills >= 1
    last = Run(tmp_path, "last", sentences, batch, delay, fingerprint)
    assert _complete(last) == expected
    assert sorted(last.asked()) == sorted(all_batches - after)


@pytest.mark.parametrize("fingerprint", ["v1", None], ids=["fingerprint", "no fingerprint"])
def test_after_a_kill_only_the_missing_draws_are_asked_and_the_bytes_are_the_same(
    tmp_path: Path, fingerprint: str | None
) -> None:
    undisturbed = Run(tmp_path, "undisturbed", 80, 4, 0.0, fingerprint, tmp_path / "another cache", draws=3)
    expected = _complete(undisturbed)
    killed = Run(tmp_path, "killed", 80, 4, 0.01, fingerprint, draws=3)
    _kill_after(killed, 20, 0.005)
    assert not killed.out.exists()
    last = Run(tmp_path, "last", 80, 4, 0.0, fingerprint, draws=3)
    assert _complete(last) == expected
    assert sorted({*killed.asked(), *last.asked()}) == sorted(undisturbed.asked())
    assert len(set(killed.asked()) & set(last.asked())) <= 1  # the one in hand at the kill


@pytest.mark.parametrize("fingerprint", ["v1", None], ids=["fingerprint", "no fingerprint"])
def test_processes_at_once_on_one_cache_do_each_other_no_harm(tmp_path: Path, fingerprint: str | None) -> None:
    expected = _complete(Run(tmp_path, "alone", 600, 2, 0.0, fingerprint, tmp_path / "another cache"))
    runs = [Run(tmp_path, f"run {number}", 600, 2, 0.001 + 0.001 * number, fingerprint) for number in range(3)]
    processes = [run.start() for run in runs]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    assert [run.out.read_bytes() == expected for run in runs] == [True] * 3
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert (1 <= len(left) <= 3) if fingerprint else not left
    if fingerprint:
        later = replace(runs[0], name="later")
        assert _complete(later) == expected
        assert later.asked() == []


def _in_small_disk(command: list[str], disk: Path, size: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a tiny file system at `disk`, in a mount namespace of its own, and list what it left there."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        pytest.skip("needs Linux and unshare")
    disk.mkdir()
    mount = f'mount -t tmpfs -o size={size} tmpfs "$0"'
    script = f'{mount} || exit 99; "$@"; status=$?; find "$0" -type f -printf "%f %s\\n"; exit $status'
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    done = subprocess.run(
        [*namespace, "sh", "-c", script, str(disk), *command], capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    return done


def test_a_disk_that_fills_up_is_one_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    run = Run(tmp_path, "run", 2_000, 4, cache=disk / "cache")
    done = _in_small_disk(run.command, disk, "16k")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"cannot write to the cache {disk / 'cache'}: No space left on device; ")
    ((name, size),) = [line.split() for line in done.stdout.splitlines()]
    assert name.endswith(".answers")
    assert int(size) % len(matrix_record(key_of([]), np.zeros((4, 2)))) == 0
    assert not run.out.exists()


def test_scores_that_do_not_fit_on_the_disk_leave_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    run = Run(disk, "run", 2_000, 100, cache=tmp_path / "cache")
    command = [part.replace(str(run.log), str(tmp_path / "log")) for part in run.command]
    done = _in_small_disk(command, disk, "4k")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{run.out} cannot be written: No space left on device\n"
