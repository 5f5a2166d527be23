"""The chain for ratings: ask systems about data groups and conversations, also after a round trip, and rate them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.corpora import Corpus, causal
from evenhand.corpora.chat import chat_corpora, read_chat
from evenhand.errors import EvenhandError, UsageError
from evenhand.files import check_writable
from evenhand.rating import Diagram, Rating, RatingReport, chat_diagram, long_form, rate
from evenhand.rating.questions import SYNTHETIC, Answer, answers
from evenhand.report.drift import drift_values
from evenhand.report.ratings import save_ratings
from evenhand.scoring import Scores, score
from evenhand.scoring.scores import Column
from evenhand.specs import resolve, resolve_trip
from evenhand.systems import REGISTRY, Scorer
from evenhand.systems.biased_female import BiasedFemale
from evenhand.systems.human import Human
from evenhand.translation import Drift, RoundTrip, ThereAndBack, drift

Setting = tuple[str | None, str | None, str, str | None]
UNBROKEN = ", unbroken sentences"
WORD_SETS = ("E1", "E2", "E3", "E4", "E5")
BOTH_KINDS = ("E3", "E4", "E5")
"""Word sets with positive and negative words, which confounding needs."""


COLUMNS = (
    "id", "system", "dataset", "data", "group", "via", "person", "gender", "race", "emotion", "emotion_word",
)  # fmt: skip


@dataclass(frozen=True)
class _Group:
    """A data group of the paper: its attributes, and what may confound."""

    make: Callable[..., Corpus]
    attributes: tuple[str, ...]
    confounders: tuple[str, ...] = ()
    word_sets: tuple[str, ...] = WORD_SETS


GROUPS = {
    1: _Group(causal.group1, ("gender",)),
    2: _Group(causal.group2, ("gender",), ("gender",), BOTH_KINDS),
    3: _Group(causal.group3, ("race", "gender", "race+gender")),
    4: _Group(causal.group4, ("race+gender",), ("race+gender",), BOTH_KINDS),
}


@dataclass(frozen=True, eq=False)
class Assessment:
    """Ratings of systems in all settings, the answers to the paper's questions, and what the round trip did."""

    ratings: RatingReport
    answers: tuple[Answer, ...]
    drifts: Mapping[str, Drift] = field(default_factory=dict)
    """By corpus: what translation did to its sentences."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            **self.ratings.to_dict(),
            "answers": [answer.to_dict() for answer in self.answers],
            "drift": {name: drift_values(found) for name, found in self.drifts.items()},
            "notes": list(self.notes),
            "provenance": self.provenance,
        }

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)


def rate_systems(
    systems: Sequence[str | Scorer],
    *,
    groups: Sequence[int] = tuple(GROUPS),
    chat: Sequence[str | Path] = (),
    via: str | None = None,
    k: int = 1,
    output: str | None = None,
    seed: int = 0,
    cache: Path | None = None,
    progress: bool | None = None,
    out: str | Path | None = None,
    command: str | None = None,
    **settings: Any,
) -> Assessment:
    """Rate systems on the paper's data groups, on conversations, and on both after a round trip through a language.

    `groups` are of the four data groups; `k` says how groups 2 and 4 are confounded. `chat` are logs of conversations,
    or `example`; users and chatbots are rated apart. `via` is a language or a translator (`es`, `apertium:eng-spa`).
    `output` chooses one of several outputs. `settings` are those of `rate`: levels, preset, bootstrap and so on.
    """
    if not systems:
        raise UsageError("name at least one system")
    unknown = [number for number in groups if number not in GROUPS]
    if unknown:
        raise UsageError(f"there is no data group {unknown[0]}; there are {', '.join(map(str, GROUPS))}")
    if not groups and not chat:
        raise UsageError("there is nothing to rate by: name data groups, or a log of conversations")
    folder = None if out is None else Path(out)
    if folder is not None:
        check_writable(folder)
    trip = None if via is None else resolve_trip(via, cache=cache)
    asking = _Asking(list(systems), trip, output, cache=cache, progress=progress)
    rating = _Rated(asking, {"seed": seed, **settings})
    for number in groups:
        group = GROUPS[number]
        asked = {word_set: group.make(word_set, k=k, seed=seed) for word_set in group.word_sets}
        rating.add(asked, SYNTHETIC, f"Group-{number}", group.attributes, group.confounders)
    for study, speaker, corpus in _conversations(chat, seed):
        diagram = chat_diagram(gender_may_change_words=not bool(corpus.frame["assigned"].all()))
        rating.add({study: corpus}, study, speaker, ("gender",), diagram=diagram)
    if not rating.reports:
        raise UsageError("; ".join(asking.notes))
    joined = RatingReport.join(rating.reports)
    made_from = {"groups": list(groups), "k": k, "seed": seed, "chat": [Path(path).name for path in chat], "via": via}
    provenance = made_from if command is None else {**made_from, "command": command}
    found = Assessment(joined, answers(joined, rating.baselines()), asking.drifts, tuple(asking.notes), provenance)
    if folder is not None:
        save_ratings(found.ratings, found.answers, found.to_dict(), folder)
    return found


def _conversations(paths: Sequence[str | Path], seed: int) -> Iterator[tuple[str, str, Corpus]]:
    """Each study's utterances by users and by chatbots; gender must be known or assigned for both."""
    if not paths:
        return
    merged = read_chat(paths, seed=seed).merged
    for study in merged["study"].unique(maintain_order=True):
        for speaker, corpus in chat_corpora(merged.filter(pl.col("study") == study)).items():
            yield str(study), speaker, corpus


class _Rated:
    """Rates one group of datasets after the other, and what these ratings are to be compared with."""

    def __init__(self, asking: _Asking, settings: Mapping[str, Any]) -> None:
        self._asking = asking
        self._settings = settings
        self._unconfounded: list[pl.DataFrame] = []
        """Synthetic data by gender, as they are."""
        self._same_sentences: dict[Setting, list[Rating]] = {}
        self._by_classes: dict[tuple[str, ...], list[Rating]] = {}
        self.reports: list[RatingReport] = []

    def add(
        self,
        datasets: Mapping[str, Corpus],
        data: str,
        group: str,
        attributes: Sequence[str],
        confounders: Sequence[str] = (),
        diagram: Diagram | None = None,
    ) -> None:
        """Ask about all datasets of a group, as they are and after the round trip, and rate the answers."""
        asked = self._asking.frames(datasets, data=data, group=group)
        if asked is None:
            return
        named = {"attributes": attributes, "confounders": confounders or None, **self._settings}
        rated = rate(pl.concat(asked.rated), **named)
        if diagram is not None:
            rated = replace(rated, results=tuple(replace(one, diagram=diagram) for one in rated.results))
        self.reports.append(rated)
        if asked.unbroken_before is not None:
            for one in rate(asked.unbroken_before, **named).results:
                self._same_sentences[(*one.setting[:3], self._asking.via)] = [one]
        if data == SYNTHETIC and not confounders and "gender" in attributes:
            self._unconfounded.append(asked.rated[0])

    def baselines(self) -> dict[Setting, list[Rating]]:
        """What each rating is to be compared with, where that is no other rating of the report."""
        found = dict(self._same_sentences)
        for one in (one for report in self.reports for one in report.results):
            if one.data != SYNTHETIC and one.via is None and self._unconfounded:
                found[one.setting] = self._synthetic(tuple(sorted({name for test in one.tests for name in test.pair})))
        return found

    def _synthetic(self, classes: tuple[str, ...]) -> list[Rating]:
        """Ratings on synthetic data by these classes alone; none where fewer than two of them occur there."""
        known = set(self._unconfounded[0]["gender"])
        common = [name for name in classes if name in known]
        if len(common) < 2:
            return []
        if classes not in self._by_classes:
            self._by_classes[classes] = [
                one
                for frame in self._unconfounded
                for one in rate(frame, attributes=("gender",), classes={"gender": common}, **self._settings).results
            ]
        return self._by_classes[classes]


@dataclass(frozen=True, eq=False)
class _Asked:
    """Sentiments as tables to rate: as the texts are, after the round trip, and so without what it broke."""

    rated: list[pl.DataFrame]
    unbroken_before: pl.DataFrame | None = None
    """The sentences that the round trip left whole, before it."""


class _Asking:
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
        self._known: dict[str, Scorer | Scores] = {}
        self.drifts: dict[str, Drift] = {}
        self.notes: dict[str, None] = {}
        """What was left out, and why; each once."""

    @property
    def via(self) -> str | None:
        """The language of the round trip."""
        return None if self._trip is None else self._trip.via

    def frames(self, datasets: Mapping[str, Corpus], *, data: str, group: str) -> _Asked | None:
        """Every system about every dataset; None where no system can be asked."""
        where = f"{data}, {group}"
        systems = self._able(datasets, where)
        if not systems:
            return None
        setting = {"data": data, "group": group}
        plain = {name: self._frame(systems, corpus, name, setting) for name, corpus in datasets.items()}
        if self._trip is None:
            return _Asked([pl.concat(plain.values())])
        drifts = {name: drift(corpus, self._trip, progress=self._progress) for name, corpus in datasets.items()}
        self.drifts |= {f"{data} {group} {name}": drifted for name, drifted in drifts.items()}
        there = [
            one for one in systems if self._can_travel(self._made(one, next(iter(datasets.values()))), drifts, where)
        ]
        if not there:
            return _Asked([pl.concat(plain.values())])
        home = {name: self._frame(there, corpus, name, setting, trip=self._trip) for name, corpus in datasets.items()}
        kept = {name: _kept(drifts[name], corpus) for name, corpus in datasets.items()}
        rated = [pl.concat(plain.values()), pl.concat(home.values())]
        if all(len(kept[name]) == len(corpus) for name, corpus in datasets.items()):
            return _Asked(rated)
        whole = {name: ids for name, ids in kept.items() if ids}
        gone = [name for name in kept if name not in whole]
        if gone:
            self._note(f"{where}: the round trip left no two classes to compare whole in {', '.join(gone)}")
        if not whole:
            return _Asked(rated)
        return _Asked([*rated, _only(home, whole, f"{group}{UNBROKEN}")], _only(plain, whole, f"{group}{UNBROKEN}"))

    def _able(self, datasets: Mapping[str, Corpus], where: str) -> list[str | Scorer]:
        """The systems that can be asked: people who did not label all of these texts cannot."""
        able = []
        texts = [text for corpus in datasets.values() for text in corpus.frame["text"]]
        for one in self._systems:
            made = self._made(one, next(iter(datasets.values())))
            if isinstance(made, Human) and not made.labelled(texts).all():
                number = int(made.labelled(texts).sum())
                self._note(f"{made.name} is not rated on {where}: {number:,} of its {len(texts):,} texts are labelled")
            else:
                able.append(one)
        return able

    def _can_travel(self, made: Scorer | Scores, drifts: Mapping[str, Drift], where: str) -> bool:
        """Whether a system can be asked about what came home: saved scores and people's labels are of other texts."""
        if isinstance(made, Scores):
            for name in dict.fromkeys(column.system for column in made.columns):
                self._note(f"{name} is not rated after the round trip: its scores are of the texts as they were")
            return False
        if isinstance(made, Human):
            home = [text for drifted in drifts.values() for text in drifted.rows["home"]]
            if not made.labelled(home).all():
                self._note(
                    f"{made.name} is not rated on {where} after the round trip: not all that came home is labelled"
                )
                return False
        return True

    def _note(self, text: str) -> None:
        self.notes[text] = None

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
        via = None if trip is None else trip.via
        frame = long_form(scores, corpus, dataset=dataset, output=self._output, via=via, **setting)
        return frame.select(*(name for name in COLUMNS if name in frame.columns), "sentiment")

    def _asked(self, made: Scorer | Scores, corpus: Corpus, trip: ThereAndBack | None) -> Scores:
        if isinstance(made, Scores):
            return made
        if isinstance(made, BiasedFemale):
            # As in the paper, it goes by the row, so that it stays what it is on texts without a person's word.
            return _by_row(made, corpus)
        asked = made if trip is None else _named_as(made, RoundTrip(made, trip))
        return score([asked], corpus, cache=self._cache, progress=self._progress)

    def _made(self, one: str | Scorer, corpus: Corpus) -> Scorer | Scores:
        if not isinstance(one, str):
            return one
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


def _kept(drifted: Drift, corpus: Corpus) -> list[str]:
    """The sentences that the round trip left whole; none where nothing is left to compare."""
    try:
        return drifted.kept(corpus).frame["id"].to_list()
    except EvenhandError:
        return []


def _knows_its_corpus(spec: str) -> bool:
    """Whether a system is built for one corpus, as those with planted bias are; others are built once."""
    entry = REGISTRY.get(spec.partition("(")[0].strip())
    return spec.startswith("file:") or (entry is not None and "corpus" in inspect.signature(entry.build).parameters)


def _named_as(system: Scorer, trip: RoundTrip) -> RoundTrip:
    """A system keeps its name: where its texts went is said beside it."""
    trip.name = system.name
    return trip
