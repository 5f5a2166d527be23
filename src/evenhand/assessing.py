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
from evenhand.rating import RatingReport, chat_diagram, long_form, rate
from evenhand.rating.questions import Answer, answers
from evenhand.report.drift import drift_values
from evenhand.report.ratings import save_ratings
from evenhand.scoring import Scores, score
from evenhand.specs import resolve, resolve_trip
from evenhand.systems import REGISTRY, Scorer
from evenhand.translation import Drift, RoundTrip, ThereAndBack, drift

SYNTHETIC = "SD"
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
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            **self.ratings.to_dict(),
            "answers": [answer.to_dict() for answer in self.answers],
            "drift": {name: drift_values(found) for name, found in self.drifts.items()},
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
    reports = []
    for number in groups:
        group = GROUPS[number]
        frame = pl.concat(
            [
                part
                for word_set in group.word_sets
                for part in asking.frames(
                    group.make(word_set, k=k, seed=seed), dataset=word_set, data=SYNTHETIC, group=f"Group-{number}"
                )
            ]
        )
        reports.append(
            rate(frame, attributes=group.attributes, confounders=group.confounders or None, seed=seed, **settings)
        )
    for study, speaker, corpus in _conversations(chat, seed):
        frame = pl.concat(list(asking.frames(corpus, dataset=study, data=study, group=speaker)))
        rated = rate(frame, attributes=("gender",), seed=seed, **settings)
        diagram = chat_diagram(gender_may_change_words=True)
        reports.append(replace(rated, results=tuple(replace(one, diagram=diagram) for one in rated.results)))
    joined = RatingReport.join(reports)
    made_from = {"groups": list(groups), "k": k, "seed": seed, "chat": [Path(path).name for path in chat], "via": via}
    provenance = made_from if command is None else {**made_from, "command": command}
    found = Assessment(joined, answers(joined), asking.drifts, provenance)
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


class _Asking:
    """Asks all systems about one corpus after the other, as it is and after the round trip."""

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

    def frames(self, corpus: Corpus, *, dataset: str, data: str, group: str) -> Iterator[pl.DataFrame]:
        """The sentiments as a table to rate: one as it is, one after the round trip."""
        made = [self._made(one, corpus) for one in self._systems]
        setting = {"data": data, "group": group}
        yield self._frame(made, corpus, dataset, **setting, via=None)
        if self._trip is not None:
            drifted = drift(corpus, self._trip, progress=self._progress)
            self.drifts[f"{data} {group} {dataset}"] = drifted
            there = [one if isinstance(one, Scores) else _named_as(one, RoundTrip(one, self._trip)) for one in made]
            home = self._frame(there, corpus, dataset, **setting, via=self._trip.via)
            yield home
            kept = _kept(drifted, corpus)
            if len(kept) < len(corpus):
                # Once more without the sentences that translation broke.
                yield home.filter(pl.col("id").is_in(kept)).with_columns(group=pl.lit(f"{group}{UNBROKEN}"))

    def _frame(
        self, made: Sequence[Scorer | Scores], corpus: Corpus, dataset: str, **setting: str | None
    ) -> pl.DataFrame:
        asked = [one for one in made if not isinstance(one, Scores)]
        parts = [one for one in made if isinstance(one, Scores)]
        if asked:
            parts.append(score(asked, corpus, cache=self._cache, progress=self._progress))
        frame = long_form(Scores.join(parts), corpus, dataset=dataset, output=self._output, **setting)
        return frame.select(*(name for name in COLUMNS if name in frame.columns), "sentiment")

    def _made(self, one: str | Scorer, corpus: Corpus) -> Scorer | Scores:
        if not isinstance(one, str):
            return one
        if one not in self._known or _knows_its_corpus(one):
            self._known[one] = resolve(one, corpus, cache=self._cache)
        return self._known[one]


def _kept(drifted: Drift, corpus: Corpus) -> list[str]:
    """The sentences that the round trip left whole; all of them where nothing would be left to compare."""
    try:
        return drifted.kept(corpus).frame["id"].to_list()
    except EvenhandError:
        return corpus.frame["id"].to_list()


def _knows_its_corpus(spec: str) -> bool:
    """Whether a system is built for one corpus, as those with planted bias are; others are built once."""
    entry = REGISTRY.get(spec.partition("(")[0].strip())
    return spec.startswith("file:") or (entry is not None and "corpus" in inspect.signature(entry.build).parameters)


def _named_as(system: Scorer, trip: RoundTrip) -> RoundTrip:
    """A system keeps its name: where its texts went is said beside it."""
    trip.name = system.name
    return trip
