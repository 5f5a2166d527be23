"""How commands grow with their input: CPU seconds, peak memory, exponent; and two million rows of `measure`.

Every command runs in a process of its own. Seconds are those of the processor, which others on the machine blur less.
`python -m benchmarks size` takes small inputs, `python -m benchmarks size --full` those of real size.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.help import OURS
from evenhand.studies.synthetic import a_study, write_study

MOST_EXPONENT = 1.1
MOST_SECONDS = 240.0
"""Of the processor: two minutes on two cores."""
MOST_MEMORY = 4.0
"""GiB."""
TEN_MILLION, ROOM = 10_000_000, 2.0
"""Rows of texts and their versions that should be audited in so many GiB."""
LARGEST = 2_000_000
FULL = "--full"
ONLY = "EVENHAND_SIZE_OF"
"""The variable that names the one case to run."""
GROUPS, CLASSES = ("women", "men", "nonbinary"), ("negative", "neutral", "positive")
Rows = list[tuple[str, str, str, str]]


@dataclass(frozen=True)
class Spent:
    """What one process took."""

    seconds: float
    memory: float
    """GiB at most."""


@dataclass(frozen=True)
class Case:
    """A command at several sizes: what writes its input to a folder, and gives its arguments."""

    name: str
    prepare: Callable[[Path, int], Sequence[str]]
    small: tuple[int, int]
    full: tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """How many rows a source has, and how many terms there are; None: as many as it takes."""

    rows: int | None = 12
    terms: int | None = 60

    def placed(self, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Each row's source and term."""
        number = np.arange(rows)
        each = self.rows or -(-rows // FEW)
        source = number // each
        return source, number if self.terms is None else (source * 7 + number % each * 5) % self.terms


FEW = 20
USUAL = Shape()


def run() -> Rows:
    """A row for each command, which is shown as soon as it is there; what fails is said, and the others go on."""
    rows: Rows = []
    for case in [one for one in CASES if ONLY not in os.environ or one.name == os.environ[ONLY]]:
        last: float | None = None
        try:
            row, last = measured(case, case.full if FULL in sys.argv else case.small)
        except RuntimeError as error:
            row = (case.name, str(error), "it runs", "no")
        print(" | ".join(row), file=sys.stderr, flush=True)
        rows.append(row)
        if case.prepare is versions and last is not None:
            rows.append(_ten_million(last))
    return rows


def _ten_million(memory: float) -> tuple[str, str, str, str]:
    """What ten million rows would take, from what a row takes between two sizes (in GiB)."""
    what, needed = "audit of ten million texts and versions", memory * TEN_MILLION
    said = f"{memory * 2**30:.0f} bytes a row: {needed:.1f} GiB beside the start"
    return what, said, f"{ROOM:g} GiB", "yes" if needed <= ROOM else "no"


def measured(case: Case, sizes: tuple[int, int]) -> tuple[tuple[str, str, str, str], float]:
    """One command at two sizes, and the GiB that each row more takes."""
    spent = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            spent.append(spent_by(case.prepare(Path(folder), size)))
    first, last = spent
    exponent = math.log(last.seconds / first.seconds) / math.log(sizes[-1] / sizes[0])
    said = f"{sizes[-1]:,}: {last.seconds:.1f} s, {last.memory:.2f} GiB; exponent {exponent:.2f}"
    met = exponent <= MOST_EXPONENT
    goal = f"exponent at most {MOST_EXPONENT}"
    if sizes[-1] == LARGEST:
        met = met and last.seconds <= MOST_SECONDS and last.memory <= MOST_MEMORY
        goal += f", {MOST_SECONDS:.0f} s of the processor, {MOST_MEMORY:.0f} GiB"
    a_row = (last.memory - first.memory) / (sizes[-1] - sizes[0])
    return (case.name, said, goal, "yes" if met else "no"), a_row


def spent_by(arguments: Sequence[str]) -> Spent:
    """Run a command to its end."""
    command = [sys.executable, "-c", OURS, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        raise RuntimeError(f"{' '.join(arguments)}: {said.decode()[-500:]}")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20)


def _people(rows: int, shape: Shape = USUAL) -> dict[str, np.ndarray]:
    """Sources, terms and their groups, and probabilities that mean nothing."""
    rng = np.random.default_rng(0)
    source, term = shape.placed(rows)
    return {
        "source": source,
        "term": term,
        "group": np.array(GROUPS)[term % len(GROUPS)],
        "gold": np.array(CLASSES)[source % len(CLASSES)],
        "probability": rng.dirichlet(np.ones(len(CLASSES)), rows).round(6),
    }


def _predictions(folder: Path, rows: int, form: str, shape: Shape) -> Path:
    made = _people(rows, shape)
    frame = pl.DataFrame({name: made[name] for name in ("source", "group", "term", "gold")})
    probability = made["probability"]
    if form == "prob":
        extra = {f"prob_{name}": probability[:, place] for place, name in enumerate(CLASSES)}
    elif form == "pred":
        extra = {"pred": np.array(CLASSES)[probability.argmax(axis=1)]}
    else:
        extra = {"score": probability[:, 0]}
        frame = frame.with_columns(gold=pl.Series(probability[:, 1]))
    path = folder / "predictions.csv"
    frame.with_columns(pl.Series(name, column) for name, column in extra.items()).write_csv(path)
    return path


def measure(form: str, *more: str, shape: Shape = USUAL) -> Callable[[Path, int], Sequence[str]]:
    """`measure` of predictions in this form."""
    return lambda folder, rows: ["measure", str(_predictions(folder, rows, form, shape)), "--json", *more]


def _corpus(folder: Path, rows: int) -> tuple[Path, Path]:
    """A corpus as a table, and what a system said about it."""
    made = _people(rows)
    text = [f"Person {term} has the day {source}." for term, source in zip(made["term"], made["source"], strict=True)]
    frame = pl.DataFrame({"text": text, "source": made["source"], "gender": made["group"]})
    frame = frame.with_columns(person=pl.Series(made["term"]).cast(pl.String), id=pl.int_range(rows).cast(pl.String))
    corpus, said = folder / "corpus.csv", folder / "said.csv"
    frame.write_csv(corpus)
    frame.select("id", score=pl.Series(made["probability"][:, 0])).write_csv(said)
    return corpus, said


def audit(folder: Path, rows: int) -> Sequence[str]:
    """`audit` of recorded predictions."""
    corpus, said = _corpus(folder, rows)
    return ["audit", f"file:{said}", "--corpus", str(corpus), "--json"]


def versions(folder: Path, rows: int) -> Sequence[str]:
    """`audit` of a system that takes next to no time, asked about texts and their versions as `perturb` writes them."""
    texts = rows // 3
    text, version = np.repeat(np.arange(texts), 3), np.tile(np.arange(3), texts)
    said = "Yesterday evening the visitor of house number {} told us that {} had been waiting for a very long time."
    frame = pl.DataFrame({"source": text, "version": version}).with_columns(
        gender=pl.col("version").replace_strict({0: None, 1: "female", 2: "male"}, return_dtype=pl.String),
        status=pl.col("version").replace_strict({0: "original", 1: "unchanged", 2: "changed"}),
        reason=pl.lit(None, dtype=pl.String),
        who=pl.col("version").replace_strict({0: "she", 1: "she", 2: "he"}),
    )
    made = frame.select(
        pl.format("{}-{}", "source", pl.col("gender").fill_null("original")).alias("id"),
        pl.col("source").cast(pl.String),
        pl.format(said, "source", "who").alias("text"),
        pl.format(said, "source", pl.lit("she")).alias("original"),
        "gender",
        "status",
        "reason",
    )
    made.write_parquet(folder / "versions.parquet")
    return ["audit", "random", "--corpus", str(folder / "versions.parquet"), "--cache", str(folder / "c"), "--json"]


def _saved_audit(folder: Path, rows: int, name: str = "run") -> Path:
    corpus, said = _corpus(folder, rows)
    spent_by(["audit", f"file:{said}", "--corpus", str(corpus), "--out", str(folder / name)])
    return folder / name


def report(folder: Path, rows: int) -> Sequence[str]:
    """`report` of a saved audit."""
    return ["report", str(_saved_audit(folder, rows)), "--json"]


def compare(folder: Path, rows: int) -> Sequence[str]:
    """`compare` of two saved audits."""
    return ["compare", str(_saved_audit(folder, rows)), str(_saved_audit(folder, rows, "other")), "--json"]


def export(folder: Path, rows: int) -> Sequence[str]:
    """`corpus export` of a table."""
    return ["corpus", "export", str(_corpus(folder, rows)[0]), "--out", str(folder / "out.csv")]


def annotate(folder: Path, rows: int) -> Sequence[str]:
    """`annotate` of a corpus."""
    return ["annotate", str(_corpus(folder, rows)[0]), "--out", str(folder / "sheets")]


def rate(folder: Path, rows: int) -> Sequence[str]:
    """`rate` of recorded scores."""
    rng = np.random.default_rng(0)
    emotion = np.array(["negative", "positive"])[rng.integers(0, 2, rows)]
    pl.DataFrame(
        {
            "system": ["one"] * rows,
            "dataset": ["all"] * rows,
            "gender": np.array(["male", "female", "NA"])[rng.integers(0, 3, rows)],
            "emotion": emotion,
            "sentiment": rng.uniform(-1, 1, rows).round(6),
        }
    ).write_csv(folder / "scores.csv")
    return ["rate", "--scores", str(folder / "scores.csv"), "--attribute", "gender", "--json"]


def chat(folder: Path, rows: int) -> Sequence[str]:
    """`chat` of a log."""
    number = np.arange(rows)
    rng = np.random.default_rng(0)
    words = np.array(["happy", "sad", "table", "angry", "window", "great", "awful", "walk"])
    pl.DataFrame(
        {
            "conversation": number // 10,
            "speaker": np.array(["user", "chatbot"])[number % 2],
            "gender": np.array(["male", "female"])[number // 10 % 2],
            "text": [" ".join(words[rng.integers(0, len(words), 8)]) for _ in range(rows)],
        }
    ).write_csv(folder / "log.csv")
    return ["chat", str(folder / "log.csv"), "--json"]


def study(folder: Path, systems: int) -> Sequence[str]:
    """`study` of so many submissions."""
    made = a_study(systems=-(-systems // 5))
    write_study(folder / "study", made[:systems], tweets=200, mystery=8_360, manifest=False)
    return ["study", str(folder / "study" / "submissions"), "--no-figures", "--json"]


def runs(folder: Path, number: int) -> Sequence[str]:
    """`runs` of many saved results."""
    saved = _saved_audit(folder, 1_200)
    for place in range(number):
        shutil.copytree(saved, folder / f"run {place}")
    return ["runs", str(folder), "--json"]


SMALL, ROWS = (25_000, 100_000), (LARGEST // 8, LARGEST)
CASES = (
    Case("measure prob_<class>", measure("prob"), SMALL, ROWS),
    Case("measure pred", measure("pred"), SMALL, ROWS),
    Case("measure score", measure("score"), SMALL, ROWS),
    Case("measure score --expect", measure("score", "--expect", "women < men"), SMALL, ROWS),
    Case("measure pred --by", measure("pred", "--by", "group"), SMALL, ROWS),
    Case("measure score --by", measure("score", "--by", "group"), SMALL, ROWS),
    Case("measure pred, three rows a source", measure("pred", shape=Shape(rows=3)), SMALL, ROWS),
    Case("measure pred, one row a source", measure("pred", shape=Shape(rows=1)), SMALL, ROWS),
    Case("measure pred, few sources", measure("pred", shape=Shape(rows=None, terms=600)), SMALL, ROWS),
    Case("measure pred, a new term in every row", measure("pred", shape=Shape(terms=None)), SMALL, ROWS),
    Case("audit file:", audit, (10_000, 80_000), (125_000, 1_000_000)),
    Case("audit of texts and their versions", versions, (10_000, 80_000), (100_000, 1_000_000)),
    Case("compare", compare, (10_000, 40_000), (50_000, 400_000)),
    Case("report DIR", report, (10_000, 80_000), (125_000, 1_000_000)),
    Case("corpus export", export, (10_000, 80_000), (125_000, 1_000_000)),
    Case("annotate", annotate, (5_000, 20_000), (12_500, 100_000)),
    Case("rate --scores", rate, (10_000, 40_000), (50_000, 400_000)),
    Case("chat", chat, (5_000, 20_000), (25_000, 200_000)),
    Case("study", study, (5, 20), (28, 219)),
    Case("runs", runs, (20, 80), (125, 1_000)),
)
