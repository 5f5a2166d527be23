"""The chain for ratings: every system asked about every dataset, as it is and after a round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.scores import Column
from evenhand.asking.settings import AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError
from evenhand.rating import long_form
from evenhand.results import Note
from evenhand.specs.resolving import Given
from evenhand.systems import BaseScorer
from evenhand.systems.known_bias.biased_female import BiasedFemale
from evenhand.systems.people.human import Human
from evenhand.translation import Drift, RoundTrip, ThereAndBack, drift
from evenhand.verbs.ask import Made, asked, remarks_of, resolved

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
    """Asks all systems about one group of datasets after the other, as they are and after the round trip.

    What was asked is kept until the block ends well.
    """

    def __init__(
        self, systems: Sequence[Given], trip: ThereAndBack | None, output: str | None, settings: AskSettings
    ) -> None:
        self._systems = systems
        self._trip = trip
        self._output = output
        self._settings = settings
        self._known: dict[object, BaseScorer] = {}
        self._under_way = ExitStack()
        self._said: dict[str, Made] = {}
        self._notes: dict[Note, None] = {}
        self.drifts: dict[str, Drift] = {}
        self.corpora: list[Corpus] = []
        self.scores: list[Scores] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._under_way.__exit__(kind, error, where)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, and why, each once; and what systems say about the answers that they gave."""
        return (*self._notes, *remarks_of(self._said.values()))

    @property
    def via(self) -> str | None:
        """The language of the round trip."""
        return None if self._trip is None else self._trip.via

    def frames(self, datasets: Mapping[str, Corpus], *, data: str, group: str) -> Asked | None:
        """Every system about every dataset; None where no system can be asked."""
        where = f"{data}, {group}"
        made = {name: resolved(self._systems, corpus, self._settings, self._known) for name, corpus in datasets.items()}
        able = self._able(made, datasets, where)
        if not able:
            return None
        setting = {"data": data, "group": group}
        plain = {name: self._frame(_at(able, made[name]), one, name, setting) for name, one in datasets.items()}
        if self._trip is None:
            return Asked([pl.concat(plain.values())])
        drifts = {name: drift(corpus, self._trip) for name, corpus in datasets.items()}
        self.drifts |= {f"{data} {group} {name}": drifted for name, drifted in drifts.items()}
        first = next(iter(made.values()))
        there = [place for place in able if self._can_travel(first[place], drifts, where)]
        if not there:
            return Asked([pl.concat(plain.values())])
        home = {
            name: self._frame(_at(there, made[name]), one, name, setting, trip=self._trip)
            for name, one in datasets.items()
        }
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

    def _able(self, made: Mapping[str, Sequence[Made]], datasets: Mapping[str, Corpus], where: str) -> list[int]:
        """The places of systems that can be asked: people who did not label all of these texts cannot."""
        able = []
        texts = [text for corpus in datasets.values() for text in corpus.frame["text"]]
        for place, one in enumerate(next(iter(made.values()))):
            if isinstance(one, Human) and not one.labelled(texts).all():
                number = int(one.labelled(texts).sum())
                self._note(one.name, f"not rated on {where}: {number:,} of its {len(texts):,} texts are labelled")
            else:
                able.append(place)
        return able

    def _can_travel(self, made: Made, drifts: Mapping[str, Drift], where: str) -> bool:
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
        self._notes[Note(about, text)] = None

    def _frame(
        self,
        made: Sequence[Made],
        corpus: Corpus,
        dataset: str,
        setting: Mapping[str, str],
        *,
        trip: ThereAndBack | None = None,
    ) -> pl.DataFrame:
        self._said |= {one.name: one for one in made if not isinstance(one, Scores)}
        on_its_way = [_on_its_way(one, corpus, trip) for one in made]
        scores = self._under_way.enter_context(asked(on_its_way, corpus, self._settings)).scores
        self.corpora.append(corpus)
        self.scores.append(scores)
        via = None if trip is None else trip.via
        frame = long_form(scores, corpus, dataset=dataset, output=self._output, via=via, **setting)
        return frame.select(*(name for name in COLUMNS if name in frame.columns), "sentiment")


def _at(places: Sequence[int], made: Sequence[Made]) -> list[Made]:
    return [made[place] for place in places]


def _on_its_way(made: Made, corpus: Corpus, trip: ThereAndBack | None) -> Made:
    """A system as it is asked: after the round trip, where there is one."""
    if isinstance(made, BiasedFemale):
        # As in the paper, it goes by the row, so that it stays what it is on texts without a person's word.
        return _by_row(made, corpus)
    return _named_as(made, RoundTrip(made, trip)) if trip is not None and isinstance(made, BaseScorer) else made


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


def _named_as(system: BaseScorer, trip: RoundTrip) -> RoundTrip:
    """A system keeps its name: where its texts went is said beside it."""
    trip.name = system.name
    return trip
