"""The chain for ratings: ask systems about data groups and conversations, also after a round trip, and rate them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.assessing.asking import Asking
from evenhand.corpora import Corpus, causal
from evenhand.corpora.chat import chat_corpora, read_chat
from evenhand.errors import UsageError
from evenhand.files import check_writable
from evenhand.rating import Diagram, Rating, RatingReport, chat_diagram, rate
from evenhand.rating.questions import SYNTHETIC, Answer, answers
from evenhand.report.drift import drift_values
from evenhand.report.ratings import save_ratings
from evenhand.specs import resolve_trip
from evenhand.systems import Scorer
from evenhand.translation import Drift

Setting = tuple[str | None, str | None, str, str | None]
WORD_SETS = ("E1", "E2", "E3", "E4", "E5")
BOTH_KINDS = ("E3", "E4", "E5")
"""Word sets with positive and negative words, which confounding needs."""


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
    asking = Asking(list(systems), trip, output, cache=cache, progress=progress)
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

    def __init__(self, asking: Asking, settings: Mapping[str, Any]) -> None:
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
