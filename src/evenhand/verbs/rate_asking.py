"""The chain for ratings: every system asked about every dataset, as it is and after each round trip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.scores import Column
from evenhand.asking.settings import AskSettings
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.rating import long_form
from evenhand.rating.ratings import LABELLED, PART, UNBROKEN
from evenhand.results import Note
from evenhand.specs.resolving import Given
from evenhand.systems import BaseScorer
from evenhand.systems.known_bias.biased_female import BiasedFemale
from evenhand.systems.people.human import Human
from evenhand.translation import Drift, RoundTrip, ThereAndBack, drift
from evenhand.verbs.ask import Made, asked, part_of, remarks_of, resolved

COLUMNS = (
    "id", "system", "dataset", "data", "group", "via", "person", "gender", "race", "emotion", "emotion_word",
)  # fmt: skip

Texts = Mapping[str, Mapping[str, str]]
"""By dataset and id: what a system reads there."""


@dataclass(frozen=True)
class Part:
    """Some sentences after a round trip, beside the same sentences before it; None where others were asked then."""

    group: str
    via: str
    before: pl.DataFrame | None


@dataclass(frozen=True, eq=False)
class Asked:
    """Sentiments as tables to rate: as the texts are, and after each round trip, of all sentences and of parts."""

    rated: list[pl.DataFrame] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Answered:
    """What was answered about some datasets: by those who answer everything, and by people who labelled a part."""

    whole: dict[str, pl.DataFrame]
    labelled: dict[str, dict[str, pl.DataFrame]]
    """By the name of a system of people, then by dataset: their answers to what they labelled."""


@dataclass(frozen=True)
class Trip:
    """A round trip, and what the texts that took it are called by."""

    way: ThereAndBack
    via: str


def named_trips(ways: Sequence[ThereAndBack]) -> tuple[Trip, ...]:
    """Trips by the language that they go through; by the translator, where two go through one language."""
    often = Counter(way.via for way in ways)
    trips = tuple(Trip(way, way.via if often[way.via] == 1 else way.name) for way in ways)
    for name, number in Counter(trip.via for trip in trips).items():
        if number > 1:
            raise UsageError(f"the round trip through {name} is named twice")
    return trips


class Asking:
    """Asks all systems about one group of datasets after the other, as they are and after each round trip.

    What was asked is kept until the block ends well.
    """

    def __init__(
        self, systems: Sequence[Given], trips: Sequence[Trip], output: str | None, settings: AskSettings
    ) -> None:
        self._systems = systems
        self._trips = trips
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

    def frames(self, datasets: Mapping[str, Corpus], *, data: str, group: str) -> Asked:
        """Every system about every dataset; nothing where no system can be asked."""
        where = f"{data}, {group}"
        made = {name: resolved(self._systems, corpus, self._settings, self._known) for name, corpus in datasets.items()}
        setting = {"data": data, "group": group}
        plain = self._answered(made, datasets, _texts_of(datasets), setting, where=where)
        found = Asked()
        found.rated.extend(_tables(plain, group))
        for trip in self._trips:
            self._after(trip, made, datasets, setting, plain, found)
        return found

    def _after(
        self,
        trip: Trip,
        made: Mapping[str, Sequence[Made]],
        datasets: Mapping[str, Corpus],
        setting: Mapping[str, str],
        plain: _Answered,
        found: Asked,
    ) -> None:
        """The same after a round trip: all sentences, and those that it left whole."""
        data, group = setting["data"], setting["group"]
        where = f"{data}, {group} after the round trip"
        if len(self._trips) > 1:
            where += f" via {trip.via}"
        drifts = {name: drift(corpus, trip.way) for name, corpus in datasets.items()}
        through = f" via {trip.via}" if len(self._trips) > 1 else ""
        self.drifts |= {f"{data} {group} {name}{through}": drifted for name, drifted in drifts.items()}
        came_home = {name: dict(drifted.rows.select("id", "home").iter_rows()) for name, drifted in drifts.items()}
        home = self._answered(made, datasets, came_home, setting, where=where, trip=trip)
        found.rated.extend(_tables(home, group))
        for people, frames in home.labelled.items():
            if _ids(frames) != _ids(plain.labelled.get(people, {})):
                found.parts.append(Part(_part(group, LABELLED + people), trip.via, None))
        if not home.whole:
            return
        kept = {name: _kept(drifted) for name, drifted in drifts.items()}
        if all(len(kept[name]) == len(corpus) for name, corpus in datasets.items()):
            return
        whole = {name: ids for name, ids in kept.items() if ids}
        gone = [name for name in kept if name not in whole]
        if gone:
            self._note(
                f"{data}, {group}", f"the round trip{through} left no two classes to compare whole in {', '.join(gone)}"
            )
        if whole:
            unbroken = _part(group, UNBROKEN)
            found.rated.append(_only(home.whole, whole, unbroken))
            found.parts.append(Part(unbroken, trip.via, _only(plain.whole, whole, unbroken)))

    def _answered(
        self,
        made: Mapping[str, Sequence[Made]],
        datasets: Mapping[str, Corpus],
        texts: Texts,
        setting: Mapping[str, str],
        *,
        where: str,
        trip: Trip | None = None,
    ) -> _Answered:
        """Everybody about everything that they can answer: people about what they labelled."""
        whole: list[int] = []
        labelled: dict[str, dict[str, pl.DataFrame]] = {}
        for place, one in enumerate(next(iter(made.values()))):
            if isinstance(one, Scores) and trip is not None:
                self._does_not_travel(one)
            elif not isinstance(one, Human) or self._knows_all(one, texts):
                whole.append(place)
            else:
                part = self._labelled(one, datasets, texts, where=where)
                frames = {
                    name: self._frame([made[name][place]], corpus, name, setting, trip=trip)
                    for name, corpus in part.items()
                }
                labelled |= {one.name: frames} if frames else {}
        frames = {
            name: self._frame([made[name][place] for place in whole], corpus, name, setting, trip=trip)
            for name, corpus in datasets.items()
            if whole
        }
        return _Answered(frames, labelled)

    def _knows_all(self, people: Human, texts: Texts) -> bool:
        return all(people.labelled(by_id.values()).all() for by_id in texts.values())

    def _labelled(
        self, people: Human, datasets: Mapping[str, Corpus], texts: Texts, *, where: str
    ) -> dict[str, Corpus]:
        """What people labelled of each dataset; nothing where no two classes are left to compare."""
        known = {name: people.labelled(by_id.values()) for name, by_id in texts.items()}
        number, total = sum(int(each.sum()) for each in known.values()), sum(len(each) for each in known.values())
        told = f"{number:,} of its {total:,} texts are labelled"
        kept = {name: [id_ for id_, there in zip(texts[name], known[name], strict=True) if there] for name in datasets}
        parts = {name: part for name, corpus in datasets.items() if (part := part_of(corpus, kept[name])) is not None}
        if not parts:
            why = (
                f"{told}, which leaves no two classes to compare"
                if number
                else f"none of its {total:,} texts is labelled"
            )
            self._note(people.name, f"not rated on {where}: {why}")
            return {}
        rest = total - sum(len(part) for part in parts.values())
        self._note(people.name, f"rated on {where} by the labelled sentences alone: {told}; {rest:,} are left out")
        return parts

    def _does_not_travel(self, made: Scores) -> None:
        for name in dict.fromkeys(column.system for column in made.columns):
            self._note(name, "not rated after the round trip: its scores are of the texts as they were")

    def _note(self, about: str, text: str) -> None:
        self._notes[Note(about, text)] = None

    def _frame(
        self,
        made: Sequence[Made],
        corpus: Corpus,
        dataset: str,
        setting: Mapping[str, str],
        *,
        trip: Trip | None = None,
    ) -> pl.DataFrame:
        self._said |= {one.name: one for one in made if not isinstance(one, Scores)}
        on_its_way = [_on_its_way(one, corpus, trip) for one in made]
        scores = self._under_way.enter_context(asked(on_its_way, corpus, self._settings)).scores
        self.corpora.append(corpus)
        self.scores.append(scores)
        via = None if trip is None else trip.via
        frame = long_form(scores, corpus, dataset=dataset, output=self._output, via=via, **setting)
        return frame.select(*(name for name in COLUMNS if name in frame.columns), "sentiment")


def _texts_of(datasets: Mapping[str, Corpus]) -> Texts:
    return {name: dict(corpus.frame.select("id", "text").iter_rows()) for name, corpus in datasets.items()}


def _part(group: str, which: str) -> str:
    return f"{group}{PART}{which}"


def _tables(answered: _Answered, group: str) -> list[pl.DataFrame]:
    """All sentences; and, for people who labelled some, these sentences by everybody."""
    tables = [pl.concat(answered.whole.values())] if answered.whole else []
    for people, frames in answered.labelled.items():
        part = _part(group, LABELLED + people)
        theirs = pl.concat(frames.values()).with_columns(group=pl.lit(part))
        ids = {name: frame["id"].to_list() for name, frame in frames.items()}
        others = [_only(answered.whole, ids, part)] if answered.whole else []
        tables.append(pl.concat([theirs, *others]))
    return tables


def _ids(frames: Mapping[str, pl.DataFrame]) -> set[str]:
    return {id_ for frame in frames.values() for id_ in frame["id"]}


def _on_its_way(made: Made, corpus: Corpus, trip: Trip | None) -> Made:
    """A system as it is asked: after the round trip, where there is one."""
    if isinstance(made, BiasedFemale):
        # As in the paper, it goes by the row, so that it stays what it is on texts without a person's word.
        return _by_row(made, corpus)
    return _named_as(made, RoundTrip(made, trip.way)) if trip is not None and isinstance(made, BaseScorer) else made


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
