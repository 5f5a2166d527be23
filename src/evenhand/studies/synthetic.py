"""Studies of many systems: a made-up study with known gaps and known quality, for tests, benchmarks and trying out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evenhand.corpora import Corpus, eec
from evenhand.files.task_files import DIMENSIONS, NONE
from evenhand.files.whole import write_whole
from evenhand.stats.types import Floats
from evenhand.studies.against import BASELINE

HEADER = ("ID", "Tweet", "Affect Dimension", "Intensity Score")
INTENSITY = {"anger": 0.62, "fear": 0.58, "joy": 0.35, "sadness": 0.55, None: 0.45}
TWEETS, MYSTERY = 200, 300
PARTS = {
    "architecture": ("svr", "lstm", "transformer"),
    "lexicons": ("AFINN", "NRC", "AFINN; NRC"),
}


@dataclass(frozen=True)
class Planted:
    """A submission with known answers.

    Every comparison by an attribute differs by exactly `gap + wobble` in half of the sources and by `gap − wobble` in
    the others, so that the means of its positive and of its negative differences are known.
    """

    system: str
    dimension: str
    gaps: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By attribute: gap and wobble."""
    wander: float = 0.0
    """The standard deviation of random differences between persons, and between sentences; 0: gaps are exact."""
    noise: float = 0.1
    """The standard deviation of its error on the tweets, where gold scores lie in 0..1; 0: perfect."""

    def scores(self, corpus: Corpus) -> Floats:
        """Its answers for the sentences of the corpus."""
        frame = corpus.frame
        numbers = np.array([INTENSITY.get(emotion, 0.5) for emotion in frame["emotion"]])
        source = frame["source"].rank("dense").to_numpy().astype(np.int64) - 1
        # Each attribute follows another binary digit of the source's number, so that they do not wobble together.
        for bit, (attribute, (gap, wobble)) in enumerate(self.gaps.items()):
            sign = np.where((source >> bit) & 1, -1.0, 1.0)
            first, second = corpus.attributes[attribute][:2]
            side = (frame[attribute] == first).fill_null(False).to_numpy().astype(float)
            side -= (frame[attribute] == second).fill_null(False).to_numpy()
            numbers = numbers + side * (gap + wobble * sign) / 2
        return np.clip(numbers + self._wandering(corpus), 0.0, 1.0)

    def _wandering(self, corpus: Corpus) -> Floats:
        if self.wander == 0:
            return np.zeros(len(corpus))
        rng = np.random.default_rng([*self.system.encode(), *self.dimension.encode()])
        person = corpus.frame["person"].rank("dense").to_numpy().astype(np.int64) - 1
        by_person = rng.normal(0.0, self.wander, size=person.max() + 1)
        wandering: Floats = by_person[person] + rng.normal(0.0, self.wander, size=len(corpus))
        return wandering


def a_study(*, systems: int = 12, dimensions: Sequence[str] = DIMENSIONS, seed: int = 0) -> list[Planted]:
    """Some systems for each dimension, the better ones first, with gaps as a shared task might see them."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(systems):
        name = BASELINE if number == systems - 1 else f"team-{number + 1:02d}"
        for dimension in dimensions:
            gender, race = rng.normal(0.0, 0.012), rng.normal(0.004, 0.006)
            still = rng.uniform() < 0.25
            gaps = {"gender": (0.0 if still else gender, 0.002), "race": (0.0 if still else race, 0.001)}
            wander = rng.uniform(0.002, 0.02)
            found.append(Planted(name, dimension, gaps, wander=wander, noise=0.08 + 0.3 * number / systems))
    return found


def write_study(
    folder: Path,
    planted: Sequence[Planted],
    *,
    corpus: Corpus | None = None,
    tweets: int = TWEETS,
    mystery: int = MYSTERY,
    manifest: bool = True,
    seed: int = 0,
) -> None:
    """Write `submissions/SYSTEM/EI-reg_en_anger_pred.txt` and so on, `gold/`, and a manifest, as the task has them."""
    corpus = corpus or eec("released")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(corpus) + mystery)
    texts = [*corpus.frame["text"], *(f"Sentence {number} has nothing to do with it." for number in range(mystery))]
    for dimension in dict.fromkeys(one.dimension for one in planted):
        gold = rng.uniform(size=tweets)
        asked = [
            *((f"2018-En-{number:05d}", f'tweet {number} about "{dimension}"') for number in range(tweets)),
            *((f"2018-En-mystery-{place:05d}", texts[row]) for place, row in enumerate(order)),
        ]
        known = [*(f"{score:.3f}" for score in gold), *([NONE] * len(order))]
        write_whole(folder / "gold" / gold_name(dimension), _file(asked, dimension, known))
        for one in (one for one in planted if one.dimension == dimension):
            answers = np.concatenate([one.scores(corpus), rng.uniform(size=mystery)])[order]
            guessed = np.clip(gold + rng.normal(0.0, one.noise, size=tweets), 0.0, 1.0)
            cells = [f"{score:.6f}" for score in (*guessed, *answers)]
            path = folder / "submissions" / one.system / submission_name(dimension)
            write_whole(path, _file(asked, dimension, cells))
    if manifest:
        write_whole(folder / "submissions" / "manifest.csv", _manifest(planted))


def submission_name(dimension: str) -> str:
    """What a team calls its file.

    >>> submission_name("anger"), submission_name("valence")
    ('EI-reg_en_anger_pred.txt', 'V-reg_en_pred.txt')
    """
    return "V-reg_en_pred.txt" if dimension == "valence" else f"EI-reg_en_{dimension}_pred.txt"


def gold_name(dimension: str) -> str:
    """What the task calls its gold file.

    >>> gold_name("joy"), gold_name("valence")
    ('2018-EI-reg-En-joy-test-gold.txt', '2018-Valence-reg-En-test-gold.txt')
    """
    task = "Valence-reg-En" if dimension == "valence" else f"EI-reg-En-{dimension}"
    return f"2018-{task}-test-gold.txt"


def _file(asked: Sequence[tuple[str, str]], dimension: str, cells: Sequence[str]) -> bytes:
    lines = ["\t".join(HEADER)]
    lines += [f"{id_}\t{text}\t{dimension}\t{cell}" for (id_, text), cell in zip(asked, cells, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _manifest(planted: Sequence[Planted]) -> bytes:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(["system", *PARTS])
    for number, system in enumerate(dict.fromkeys(one.system for one in planted)):
        writer.writerow([system, *_parts(number)])
    return content.getvalue().encode()


def _parts(number: int) -> Iterator[str]:
    for place, values in enumerate(PARTS.values()):
        yield values[(number // (1 + 2 * place)) % len(values)]
