"""Conversations compared: does the user's gender change what is said, and does it change the sentiment given to it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.corpora.chat.properties import BOTH, per_conversation, words
from evenhand.corpora.chat.steps import CHATBOT, KEY, USER, ordered_genders
from evenhand.stats import ROUNDING, permutation_p
from evenhand.stats.multiplicity import holm
from evenhand.stats.types import Floats, Ints

VOCABULARY = "vocabulary"
DRAWS = 9_999
DIVERGENCE_DRAWS = 1_999
"""Relabellings for the vocabulary, whose whole table of words is summed again for each."""
RESAMPLES = 2_000
LEVEL = 0.95
AT_ONCE = 250


@dataclass(frozen=True)
class Difference:
    """How far the conversations of two genders differ in one respect.

    `effect` comes first. For numbers it is Cliff's delta: how much more often a conversation of the first gender has
    more than one of the second than the other way round, from −1 to 1; 0 is no difference. For the vocabulary it is the
    Jensen-Shannon divergence of all words, from 0 (the same shares) to 1 (no word in common), and `by_chance` is its
    mean when genders are dealt out anew, which is never 0. `difference` is the first mean minus the second, `interval`
    its 95 % bootstrap interval over conversations. `p` is the share of relabellings of whole conversations, within
    their study, that give at least as much, and `p_adjusted` Holm's for all differences that were asked for together.
    Studies with only one of the two genders say nothing and are left out. `assigned`: the genders are lots, not the
    users' own. What has no value is None, and `undefined` says why.
    """

    measure: str
    speaker: str
    first: str
    second: str
    system: str | None
    conversations: tuple[int, int]
    effect: float | None
    means: tuple[float, float] | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    by_chance: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    assigned: bool = False
    undefined: str | None = None


@dataclass(frozen=True)
class _Pair:
    """The conversations of two genders in the studies that have both: sides, studies, and the weights of a contrast."""

    rows: Ints
    first: str
    second: str
    is_first: np.ndarray[tuple[int], np.dtype[np.bool_]]
    block: Ints
    weights: Floats
    assigned: bool

    @property
    def conversations(self) -> tuple[int, int]:
        return int(self.is_first.sum()), int((~self.is_first).sum())

    @property
    def undefined(self) -> str | None:
        """Why nothing can be said."""
        for gender, number in zip((self.first, self.second), self.conversations, strict=True):
            if number < 2:
                few = "no conversation" if number == 0 else "only one conversation"
                return f"{few} with gender {gender} in a study that has both; two are needed"
        return None


def what_is_said(utterances: pl.DataFrame, *, seed: int = 0, draws: int = DRAWS) -> tuple[Difference, ...]:
    """Whether users, and chatbots with them, say more, or other things, when the user's gender is another.

    `utterances` are those of `Conversations`, as they were typed; prefixes do not count. For each speaker: words and
    stop words in an utterance, and utterances, by conversation; the vocabulary; and the turns. Conversations whose
    gender was assigned are left out: what was said before a lot was drawn cannot depend on it.
    """
    utterances = utterances.filter(~pl.col("assigned"))
    counted = per_conversation(utterances)
    found: list[Difference] = []
    for speaker in (USER, CHATBOT):
        of_speaker = counted.filter(pl.col("speaker") == speaker)
        measures = of_speaker.select(
            pl.col("utterances").cast(pl.Float64).alias("utterances in a conversation"),
            (pl.col("words") / pl.col("utterances")).alias("words in an utterance"),
            (pl.col("stop_words") / pl.col("utterances")).alias("stop words in an utterance"),
        )
        found += _differences(of_speaker, measures, speaker, seed=seed, draws=draws)
        found += _vocabularies(of_speaker, utterances, speaker, seed=seed, draws=min(draws, DIVERGENCE_DRAWS))
    turns = counted.filter(pl.col("speaker") == USER)
    measured = turns.select(pl.col("turns").cast(pl.Float64).alias("turns in a conversation"))
    return _adjusted([*found, *_differences(turns, measured, BOTH, seed=seed, draws=draws)])


def sentiment_given(scores: Scores, corpus: Corpus, *, seed: int = 0, draws: int = DRAWS) -> tuple[Difference, ...]:
    """Whether systems give another sentiment to what is said when the user's gender is another.

    `corpus` is one of `chat_corpus`. The mean score of each conversation is one observation: utterances of one
    conversation are not independent. Where users stated their gender, a difference may come from what they said; where
    it was assigned, only from the prefix or from chance. So the two are told apart.
    """
    frame = corpus.frame.join(scores.frame(), on="id", how="left", maintain_order="left")
    names = [column.name for column in scores.columns]
    found: list[Difference] = []
    for speaker, assigned in product((USER, CHATBOT), (False, True)):
        means = (
            frame.filter((pl.col("speaker") == speaker) & (pl.col("assigned") == assigned))
            .group_by("study", "person", maintain_order=True)
            .agg(pl.col("gender", "assigned").first(), pl.col(names).mean())
        )
        found += _differences(means, means.select(names), speaker, seed=seed, draws=draws, systems=names)
    return _adjusted(found)


def _adjusted(found: Sequence[Difference]) -> tuple[Difference, ...]:
    raw = np.array([one.p for one in found if one.p is not None], dtype=np.float64)
    adjusted = iter(holm(raw).tolist())
    return tuple(one if one.p is None else replace(one, p_adjusted=next(adjusted)) for one in found)


def _differences(
    conversations: pl.DataFrame,
    measures: pl.DataFrame,
    speaker: str,
    *,
    seed: int,
    draws: int,
    systems: Sequence[str] = (),
) -> Iterator[Difference]:
    values = measures.to_numpy()
    for pair in _pairs(conversations):
        observed = values[pair.rows]
        # A conversation in which this speaker is silent has no mean; the others are compared.
        for place, name in enumerate(measures.columns):
            spoken = np.isfinite(observed[:, place])
            part = pair if spoken.all() else _weighted(conversations, pair.rows[spoken], pair.first, pair.second)
            about = ("sentiment", name) if name in systems else (name, None)
            yield _difference(part, observed[spoken, place], about, speaker, seed=seed, draws=draws)


def _difference(
    pair: _Pair, values: Floats, about: tuple[str, str | None], speaker: str, *, seed: int, draws: int
) -> Difference:
    measure, system = about
    if pair.undefined is not None:
        return Difference(
            measure, speaker, pair.first, pair.second, system, pair.conversations, None,
            assigned=pair.assigned, undefined=pair.undefined,
        )  # fmt: skip
    rng = np.random.default_rng(seed)
    scale = np.array([max(float(np.abs(values).max()), 1.0)])
    p = permutation_p(values[:, None], pair.weights, block=pair.block, scale=scale, rng=rng, draws=draws)
    sides = (np.where(pair.is_first, pair.weights, 0), np.where(pair.is_first, 0, -pair.weights))
    first, second = (float(side @ values) for side in sides)
    difference = first - second if abs(first - second) > ROUNDING * float(scale[0]) else 0.0
    return Difference(
        measure, speaker, pair.first, pair.second, system, pair.conversations,
        effect=_cliff(pair, values), means=(first, second), difference=difference,
        interval=_bootstrap(pair, values, rng), p=float(p[0]), assigned=pair.assigned,
    )  # fmt: skip


def _pairs(conversations: pl.DataFrame) -> Iterator[_Pair]:
    everyone = np.arange(conversations.height)
    for first, second in combinations(ordered_genders(conversations["gender"]), 2):
        yield _weighted(conversations, everyone, first, second)


def _weighted(conversations: pl.DataFrame, among: Ints, first: str, second: str) -> _Pair:
    """The conversations of two genders; within each study the means are compared, and studies weigh as n₁n₂/(n₁+n₂)."""
    gender = conversations["gender"].to_numpy()[among]
    study = conversations["study"].to_numpy()[among]
    both = set(study[gender == first]) & set(study[gender == second])
    kept = np.flatnonzero(np.isin(gender, [first, second]) & np.isin(study, sorted(both)))
    is_first = gender[kept] == first
    names, block = np.unique(study[kept], return_inverse=True)
    weights = np.zeros(len(kept))
    total = 0.0
    for number in range(len(names)):
        sides = [np.flatnonzero((block == number) & (is_first == side)) for side in (True, False)]
        share = len(sides[0]) * len(sides[1]) / (len(sides[0]) + len(sides[1]))
        weights[sides[0]], weights[sides[1]] = share / len(sides[0]), -share / len(sides[1])
        total += share
    lots = conversations["assigned"].to_numpy()[among][kept]
    return _Pair(
        rows=among[kept], first=first, second=second, is_first=is_first, block=block.astype(np.int64),
        weights=weights / total if total else weights, assigned=bool(len(lots) and lots.all()),
    )  # fmt: skip


def _cliff(pair: _Pair, values: Floats) -> float:
    """Cliff's delta within each study, weighted like the means."""
    delta = 0.0
    for number in np.unique(pair.block):
        mine = pair.block == number
        first, second = values[mine & pair.is_first], values[mine & ~pair.is_first]
        share = float(pair.weights[mine & pair.is_first].sum())
        delta += share * float(np.sign(first[:, None] - second[None, :]).mean())
    return delta


def _bootstrap(pair: _Pair, values: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The percentiles of the difference when conversations are drawn again, within their study and gender."""
    drawn = np.zeros(RESAMPLES)
    for number in np.unique(pair.block):
        for side in (True, False):
            members = np.flatnonzero((pair.block == number) & (pair.is_first == side))
            places = rng.integers(len(members), size=(RESAMPLES, len(members)))
            drawn += (pair.weights[members][places] * values[members][places]).sum(axis=1)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _vocabularies(
    conversations: pl.DataFrame, utterances: pl.DataFrame, speaker: str, *, seed: int, draws: int
) -> Iterator[Difference]:
    counts = _word_counts(conversations, utterances.filter(pl.col("speaker") == speaker))
    for pair in _pairs(conversations):
        common = (VOCABULARY, speaker, pair.first, pair.second, None, pair.conversations)
        table = counts[pair.rows]
        silent = [g for g, side in ((pair.first, True), (pair.second, False)) if not table[pair.is_first == side].any()]
        reason = pair.undefined or (f"nobody says a word where the gender is {silent[0]}" if silent else None)
        if reason is not None:
            yield Difference(*common, effect=None, assigned=pair.assigned, undefined=reason)
            continue
        observed, relabelled = _divergences(table, pair, np.random.default_rng(seed), draws)
        p = (1 + int((relabelled >= observed - 1e-12).sum())) / (draws + 1)
        yield Difference(*common, effect=observed, by_chance=float(relabelled.mean()), p=p, assigned=pair.assigned)


def _word_counts(conversations: pl.DataFrame, utterances: pl.DataFrame) -> Floats:
    """How often each conversation (in this order) has each word."""
    found = utterances.select(*KEY, words(utterances["original"]).alias("word")).explode("word").drop_nulls()
    place = conversations.select(*KEY).with_row_index("row")
    counted = found.join(place, on=list(KEY)).group_by("row", "word").len()
    vocabulary = counted["word"].unique().sort()
    column = vocabulary.search_sorted(counted["word"])
    table = np.zeros((conversations.height, len(vocabulary)))
    table[counted["row"].to_numpy(), np.asarray(column)] = counted["len"].to_numpy()
    return table


def _divergences(table: Floats, pair: _Pair, rng: np.random.Generator, draws: int) -> tuple[float, Floats]:
    """The divergence of the two vocabularies, and what it is when the genders are dealt out anew."""
    observed = _jensen_shannon(pair.is_first[None].astype(np.float64), table)[0]
    relabelled = []
    for start, end in pairwise([*range(0, draws, AT_ONCE), draws]):
        labels = np.tile(pair.is_first, (end - start, 1))
        for number in np.unique(pair.block):
            members = np.flatnonzero(pair.block == number)
            labels[:, members] = rng.permuted(labels[:, members], axis=1)
        relabelled.append(_jensen_shannon(labels.astype(np.float64), table))
    return float(observed), np.concatenate(relabelled)


def _jensen_shannon(labels: Floats, table: Floats) -> Floats:
    """The divergence in bits between the words of the conversations labelled 1 and those labelled 0, for each row."""
    first, second = labels @ table, (1 - labels) @ table
    # A relabelling that leaves one side without a word shares none with the other.
    shares = [side / np.maximum(side.sum(axis=1, keepdims=True), 1) for side in (first, second)]
    middle = (shares[0] + shares[1]) / 2
    divergence: Floats = _entropy(middle) - (_entropy(shares[0]) + _entropy(shares[1])) / 2
    return np.clip(divergence, 0.0, 1.0)


def _entropy(shares: Floats) -> Floats:
    bits: Floats = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1)
    return bits
