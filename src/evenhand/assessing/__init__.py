"""The chain for ratings: ask systems about data groups and conversations, also after a round trip, and rate them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.assessing.asking import Asking
from evenhand.corpora import Corpus, causal
from evenhand.corpora.chat import EXAMPLE, chat_corpora, read_chat
from evenhand.errors import UsageError
from evenhand.files import check_writable
from evenhand.rating import Diagram, Rating, Ratings, RatingSettings, chat_diagram
from evenhand.rating.questions import SYNTHETIC, answers
from evenhand.rating.ratings import rate_table
from evenhand.rating.result import rating_settings
from evenhand.rating.table import checked
from evenhand.results import Provenance
from evenhand.settings import check_choice, check_count
from evenhand.specs import resolve_trip
from evenhand.systems import Scorer

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


def rate_systems(
    systems: Sequence[str | Scorer],
    *,
    groups: Sequence[int] = tuple(GROUPS),
    chat: Sequence[str | Path] = (),
    via: str | None = None,
    k: int | None = None,
    output: str | None = None,
    seed: int = 0,
    cache: Path | None = None,
    progress: bool | None = None,
    out: str | Path | None = None,
    command: str | None = None,
    preset: str = "stated",
    **settings: Any,
) -> Ratings:
    """Rate systems on the paper's data groups, on conversations, and on both after a round trip through a language.

    `groups` are of the four data groups; `k` says how groups 2 and 4 are confounded (case 1 of 0 to 6 if it is not
    given). `chat` are logs of conversations, or `example`; users and chatbots are rated apart. `via` is a language or a
    translator (`es`, `apertium:eng-spa`). `output` chooses one of several outputs. `settings` are those of `rate`:
    levels, bootstrap and so on.
    """
    how = rating_settings(preset, seed=seed, **settings)
    _check(systems, groups, chat, k, how)
    if out is not None:
        check_writable(Path(out))
    case = 1 if k is None else k
    trip = None if via is None else resolve_trip(via, cache=cache)
    asking = Asking(list(systems), trip, output, cache=cache, progress=progress)
    rating = _Rated(asking, how)
    for number in groups:
        group = GROUPS[number]
        asked = {word_set: group.make(word_set, k=case, seed=seed) for word_set in group.word_sets}
        rating.add(asked, SYNTHETIC, f"Group-{number}", group.attributes, group.confounders)
    for study, speaker, corpus in _conversations(chat, seed):
        diagram = chat_diagram(gender_may_change_words=not bool(corpus.frame["assigned"].all()))
        rating.add({study: corpus}, study, speaker, ("gender",), diagram=diagram)
    if not rating.results:
        raise UsageError("; ".join(map(str, asking.notes)))
    made_from = {"groups": list(groups), "k": case, "seed": seed, "chat": [Path(path).name for path in chat]}
    found = Ratings(
        tuple(rating.results),
        how,
        answers(rating.results, rating.baselines()),
        {name: drifted.content() for name, drifted in asking.drifts.items()},
        notes=tuple(asking.notes),
        provenance=Provenance.collect(
            corpora=asking.corpora,
            scores=asking.scores,
            files=[path for path in chat if str(path) != EXAMPLE],
            settings=how.to_dict(),
            details={**made_from, "via": via, "output": output},
            command=command,
        ),
    )
    if out is not None:
        found.save(out)
    return found


def _check(
    systems: Sequence[object], groups: Sequence[int], chat: Sequence[object], k: int | None, how: RatingSettings
) -> None:
    if not systems:
        raise UsageError("name at least one system")
    for number in groups:
        check_choice("data group", str(number), map(str, GROUPS))
    if not groups and not chat:
        raise UsageError("there is nothing to rate by: name data groups, or a log of conversations")
    if k is not None:
        check_count("the case k of confounding", k)
    if (k is not None or how.supported_only) and not any(GROUPS[number].confounders for number in groups):
        given = "k" if k is not None else "supported_only"
        raise UsageError(f"{given} is for groups 2 and 4, where something confounds, and neither of them is rated")


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

    def __init__(self, asking: Asking, settings: RatingSettings) -> None:
        self._asking = asking
        self._settings = settings
        self._unconfounded: list[pl.DataFrame] = []
        """Synthetic data by gender, as they are."""
        self._same_sentences: dict[Setting, list[Rating]] = {}
        self._by_classes: dict[tuple[str, ...], list[Rating]] = {}
        self.results: list[Rating] = []

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
        rated = self._rate(pl.concat(asked.rated), attributes, confounders)
        self.results += rated if diagram is None else [replace(one, diagram=diagram) for one in rated]
        if asked.unbroken_before is not None:
            for one in self._rate(asked.unbroken_before, attributes, confounders):
                self._same_sentences[(*one.setting[:3], self._asking.via)] = [one]
        if data == SYNTHETIC and not confounders and "gender" in attributes:
            self._unconfounded.append(asked.rated[0])

    def _rate(
        self,
        frame: pl.DataFrame,
        attributes: Sequence[str],
        confounders: Sequence[str] = (),
        classes: Mapping[str, Sequence[str]] | None = None,
    ) -> list[Rating]:
        table = checked(frame, attributes=attributes, confounders=confounders)
        named = {"attributes": attributes, "confounders": confounders}
        return list(rate_table(table, self._settings, **named, classes=classes))

    def baselines(self) -> dict[Setting, list[Rating]]:
        """What each rating is to be compared with, where that is no other rating of the result."""
        found = dict(self._same_sentences)
        for one in self.results:
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
                for one in self._rate(frame, ("gender",), classes={"gender": common})
            ]
        return self._by_classes[classes]
