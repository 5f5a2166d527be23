"""The chain for ratings: ask systems about data groups and conversations, also after a round trip, and rate them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import polars as pl

from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.corpora import Corpus, causal
from evenhand.corpora.chat import EXAMPLE, chat_corpora, read_chat
from evenhand.errors import UsageError
from evenhand.rating import Diagram, Rating, Ratings, RatingSettings, chat_diagram
from evenhand.rating.questions import SYNTHETIC, answers
from evenhand.rating.ratings import REPLICATES, rate_table
from evenhand.rating.result import rating_settings
from evenhand.rating.table import checked
from evenhand.results import Provenance, Statement, Subject, check_out
from evenhand.settings import check_choice, check_count
from evenhand.specs.resolving import Given, resolve_trip
from evenhand.verbs.ask import listed_systems, names_of, resolved
from evenhand.verbs.chat import chat_notes
from evenhand.verbs.going_on import others_go_on
from evenhand.verbs.rate_asking import Asking, named_trips

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


@others_go_on
def rate(
    systems: Given | Sequence[Given],
    *,
    groups: Sequence[int] = tuple(GROUPS),
    chat: Sequence[str | Path] = (),
    via: str | Sequence[str] = (),
    k: int | None = None,
    draw: str | None = None,
    output: str | None = None,
    levels: int = 3,
    preset: str = "stated",
    confidence: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    supported_only: bool = False,
    overall: str = "worst",
    bootstrap: int = REPLICATES,
    seed: int = 0,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    statement: Statement | None = None,
    **asking: Unpack[AskOptions],
) -> Ratings:
    """Rate systems on the paper's data groups, on conversations, and on both after round trips through languages.

    `groups` are of the four data groups; `k` says how groups 2 and 4 are confounded (case 1 of 0 to 6 if it is not
    given) and `draw` how their words are drawn: `complete`, so that every class meets every emotion, or `published`, by
    chance alone, which the preset `published` does if nothing is said. `chat` are logs of conversations, or `example`;
    users and chatbots are rated apart. `via` are languages or translators (`es`, `apertium:eng-spa`), one or several.
    People's labels (`human:FILE,FILE`) rate what they labelled. `output` chooses one of several outputs. How systems
    are asked is said as in `AskSettings`; the other settings are those of `rate_scores`. A `statement` of who made it
    and when goes into the provenance.
    """
    how = rating_settings(
        preset,
        confidence=confidence,
        weights=weights,
        levels=levels,
        supported_only=supported_only,
        overall=overall,
        bootstrap=bootstrap,
        seed=seed,
    )
    given, ask_how = listed_systems(systems), AskSettings(**asking)
    ways = [via] if isinstance(via, str) else list(via)
    _check(groups, chat, k, draw, how)
    case, drawn = 1 if k is None else k, draw or ("published" if preset == "published" else "complete")
    datasets = [*_synthetic(groups, case, seed, drawn), *_conversations(chat, seed)]
    if out is not None:
        made = resolved(given, next(iter(datasets[0].corpora.values())), ask_how)
        logs = tuple(Path(path).name for path in chat if str(path) != EXAMPLE)
        check_out(Path(out), Ratings, Subject(names_of(made), files=logs), overwrite=overwrite)
    trips = named_trips([resolve_trip(way, cache=ask_how.folder, progress=ask_how.progress) for way in ways])
    with Asking(given, trips, output, ask_how) as asked:
        rating = _Rated(asked, how)
        for one in datasets:
            rating.add(one)
        if not rating.results:
            raise UsageError("; ".join(map(str, asked.notes)))
        made_from = {"groups": list(groups), "k": case, "draw": drawn, "seed": seed}
        made_from |= {"chat": [Path(path).name for path in chat], "via": " and ".join(ways) or None, "output": output}
        remarks = () if not chat else chat_notes(read_chat(chat, seed=seed).utterances)
        found = Ratings(
            tuple(rating.results),
            how,
            answers(rating.results, rating.baselines()),
            {name: drifted.content() for name, drifted in asked.drifts.items()},
            notes=(*remarks, *asked.notes),
            provenance=Provenance.collect(
                corpora=asked.corpora,
                scores=asked.scores,
                files=[path for path in chat if str(path) != EXAMPLE],
                settings=how.to_dict(),
                details=made_from,
                command=command,
            ),
        ).stated(statement)
        if out is not None:
            found.save(out, overwrite=overwrite)
    return found


def _check(groups: Sequence[int], chat: Sequence[object], k: int | None, draw: str | None, how: RatingSettings) -> None:
    for number in groups:
        check_choice("data group", str(number), map(str, GROUPS))
    if not groups and not chat:
        raise UsageError("there is nothing to rate by: name data groups, or a log of conversations")
    if k is not None:
        check_count("the case k of confounding", k)
    given = [name for name, value in {"k": k, "draw": draw}.items() if value is not None]
    given += ["supported_only"] if how.supported_only else []
    if given and not any(GROUPS[number].confounders for number in groups):
        raise UsageError(f"{given[0]} is for groups 2 and 4, where something confounds, and neither of them is rated")


@dataclass(frozen=True)
class _Dataset:
    """Corpora that are rated together, by which attributes, and what may confound."""

    corpora: Mapping[str, Corpus]
    data: str
    group: str
    attributes: tuple[str, ...]
    confounders: tuple[str, ...] = ()
    diagram: Diagram | None = None


def _synthetic(groups: Sequence[int], case: int, seed: int, draw: str) -> Iterator[_Dataset]:
    for number in groups:
        group = GROUPS[number]
        corpora = {word_set: group.make(word_set, k=case, seed=seed, draw=draw) for word_set in group.word_sets}
        yield _Dataset(corpora, SYNTHETIC, f"Group-{number}", group.attributes, group.confounders)


def _conversations(paths: Sequence[str | Path], seed: int) -> Iterator[_Dataset]:
    """Each study's utterances by users and by chatbots; gender must be known or assigned for both."""
    if not paths:
        return
    merged = read_chat(paths, seed=seed).merged
    for study in merged["study"].unique(maintain_order=True):
        for speaker, corpus in chat_corpora(merged.filter(pl.col("study") == study)).items():
            diagram = chat_diagram(gender_may_change_words=not bool(corpus.frame["assigned"].all()))
            yield _Dataset({str(study): corpus}, str(study), speaker, ("gender",), diagram=diagram)


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

    def add(self, dataset: _Dataset) -> None:
        """Ask about all corpora of a dataset, as they are and after the round trip, and rate the answers."""
        asked = self._asking.frames(dataset.corpora, data=dataset.data, group=dataset.group)
        if not asked.rated:
            return
        by = (dataset.attributes, dataset.confounders)
        diagram = dataset.diagram
        rated = [one for frame in asked.rated for one in self._rate(frame, *by)]
        self.results += rated if diagram is None else [replace(one, diagram=diagram) for one in rated]
        for part in asked.parts:
            before = [] if part.before is None else self._rate(part.before, *by)
            for attribute in dataset.attributes:
                mine = [one for one in before if one.attribute == attribute]
                self._same_sentences[dataset.data, part.group, attribute, part.via] = mine
        whole = asked.rated[0]["group"][0] == dataset.group
        if whole and dataset.data == SYNTHETIC and not dataset.confounders and "gender" in dataset.attributes:
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
            if one.data != SYNTHETIC and one.via is None and one.part is None and self._unconfounded:
                found[one.setting] = self._on_synthetic(
                    tuple(sorted({name for test in one.tests for name in test.pair}))
                )
        return found

    def _on_synthetic(self, classes: tuple[str, ...]) -> list[Rating]:
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
