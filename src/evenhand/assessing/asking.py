"""The chain for ratings: every system asked about every dataset, as it is and after a round trip."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError
from evenhand.rating import long_form
from evenhand.results import Note
from evenhand.scoring import Scores, score
from evenhand.scoring.scores import Column
from evenhand.specs import resolve
from evenhand.systems import REGISTRY, BaseScorer, Scorer, as_scorer
from evenhand.systems.biased_female import BiasedFemale
from evenhand.systems.human import Human
from evenhand.translation import Drift, RoundTrip, ThereAndBack, drift

UNBROKEN = ", unbroken sentences"
COLUMNS = (
    "id", "system", "dataset", "data", "group", "via", "person", "gender", "race", "emotion", "emotion_word",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Asked:
    """Sentiments as tables to rate: as the texts are, after the round trip, and so without what it broke."""

    rated: list[pl.DataFrame]
    unbroken_before: pl.DataFrame | None = None
    """The sentences that the round trip left whole, before it."""


class Asking:
    """Asks all systems about one group of datasets after the other, as they are and after the round trip."""

    def __init__(
        self,
        systems: Sequence[str | Scorer],
        trip: ThereAndBack | None,
        output: str | None,
        *,
        cache: Path | None,
        progress: bool | None,
    ) -> None:
        self._systems = systems
        self._trip = trip
        self._output = output
        self._cache = cache
        self._progress = progress
        self._known: dict[str, BaseScorer | Scores] = {}
        self.drifts: dict[str, Drift] = {}
        self.corpora: list[Corpus] = []
        self.scores: list[Scores] = []
        self.notes: dict[Note, None] = {}
        """What was left out, and why; each once."""

    @property
    def via(self) -> str | None:
        """The language of the round trip."""
        return None if self._trip is None else self._trip.via

    def frames(self, datasets: Mapping[str, Corpus], *, data: str, group: str) -> Asked | None:
        """Every system about every dataset; None where no system can be asked."""
        where = f"{data}, {group}"
        systems = self._able(datasets, where)
        if not systems:
            return None
        setting = {"data": data, "group": group}
        plain = {name: self._frame(systems, corpus, name, setting) for name, corpus in datasets.items()}
        if self._trip is None:
            return Asked([pl.concat(plain.values())])
        drifts = {name: drift(corpus, self._trip) for name, corpus in datasets.items()}
        self.drifts |= {f"{data} {group} {name}": drifted for name, drifted in drifts.items()}
        there = [
            one for one in systems if self._can_travel(self._made(one, next(iter(datasets.values()))), drifts, where)
        ]
        if not there:
            return Asked([pl.concat(plain.values())])
        home = {name: self._frame(there, corpus, name, setting, trip=self._trip) for name, corpus in datasets.items()}
        kept = {name: _kept(drifted) for name, drifted in drifts.items()}
        rated = [pl.concat(plain.values()), pl.concat(home.values())]
        if all(len(kept[name]) == len(corpus) for name, corpus in datasets.items()):
            return Asked(rated)
        whole = {name: ids for name, ids in kept.items() if ids}
        gone = [name for name in kept if name not in whole]
        if gone:
            self._note(where, f"the round trip left no two classes to compare whole in {', '.join(gone)}")
        if not whole:
            return Asked(rated)
        return Asked([*rated, _only(home, whole, f"{group}{UNBROKEN}")], _only(plain, whole, f"{group}{UNBROKEN}"))

    def _able(self, datasets: Mapping[str, Corpus], where: str) -> list[str | Scorer]:
        """The systems that can be asked: people who did not label all of these texts cannot."""
        able = []
        texts = [text for corpus in datasets.values() for text in corpus.frame["text"]]
        for one in self._systems:
            made = self._made(one, next(iter(datasets.values())))
            if isinstance(made, Human) and not made.labelled(texts).all():
                number = int(made.labelled(texts).sum())
                self._note(made.name, f"not rated on {where}: {number:,} of its {len(texts):,} texts are labelled")
            else:
                able.append(one)
        return able

    def _can_travel(self, made: BaseScorer | Scores, drifts: Mapping[str, Drift], where: str) -> bool:
        """Whether a system can be asked about what came home: saved scores and people's labels are of other texts."""
        if isinstance(made, Scores):
            for name in dict.fromkeys(column.system for column in made.columns):
                self._note(name, "not rated after the round trip: its scores are of the texts as they were")
            return False
        if isinstance(made, Human):
            home = [text for drifted in drifts.values() for text in drifted.rows["home"]]
            if not made.labelled(home).all():
                self._note(made.name, f"not rated on {where} after the round trip: not all that came home is labelled")
                return False
        return True

    def _note(self, about: str, text: str) -> None:
        self.notes[Note(about, text)] = None

    def _frame(
        self,
        systems: Sequence[str | Scorer],
        corpus: Corpus,
        dataset: str,
        setting: Mapping[str, str],
        *,
        trip: ThereAndBack | None = None,
    ) -> pl.DataFrame:
        scores = Scores.join([self._asked(self._made(one, corpus), corpus, trip) for one in systems])
        self.corpora.append(corpus)
        self.scores.append(scores)
        via = None if trip is None else trip.via
        frame = long_form(scores, corpus, dataset=dataset, output=self._output, via=via, **setting)
        return frame.select(*(name for name in COLUMNS if name in frame.columns), "sentiment")

    def _asked(self, made: BaseScorer | Scores, corpus: Corpus, trip: ThereAndBack | None) -> Scores:
        if isinstance(made, Scores):
            return made
        if isinstance(made, BiasedFemale):
            # As in the paper, it goes by the row, so that it stays what it is on texts without a person's word.
            return _by_row(made, corpus)
        asked = made if trip is None else _named_as(made, RoundTrip(made, trip))
        return score([asked], corpus, cache=self._cache, progress=self._progress)

    def _made(self, one: str | Scorer, corpus: Corpus) -> BaseScorer | Scores:
        if not isinstance(one, str):
            return as_scorer(one)
        if one not in self._known or _knows_its_corpus(one):
            self._known[one] = resolve(one, corpus, cache=self._cache)
        return self._known[one]


def _by_row(system: BiasedFemale, corpus: Corpus) -> Scores:
    columns = (Column(system.name, system.outputs[0], system.fingerprint),)
    return Scores(tuple(corpus.frame["id"]), system.by_row(corpus), columns, corpus.digest)


def _only(frames: Mapping[str, pl.DataFrame], whole: Mapping[str, Sequence[str]], group: str) -> pl.DataFrame:
    """These sentences of these datasets, as a group of their own."""
    parts = [frames[name].filter(pl.col("id").is_in(list(ids))) for name, ids in whole.items()]
    return pl.concat(parts).with_columns(group=pl.lit(group))


def _kept(drifted: Drift) -> list[str]:
    """The sentences that the round trip left whole; none where nothing is left to compare."""
    try:
        return drifted.kept().frame["id"].to_list()
    except EvenhandError:
        return []


def _knows_its_corpus(spec: str) -> bool:
    """Whether a system is built for one corpus, as those with planted bias are; others are built once."""
    entry = REGISTRY.get(spec.partition("(")[0].strip())
    return spec.startswith("file:") or (entry is not None and "corpus" in inspect.signature(entry.build).parameters)


def _named_as(system: BaseScorer, trip: RoundTrip) -> RoundTrip:
    """A system keeps its name: where its texts went is said beside it."""
    trip.name = system.name
    return trip
