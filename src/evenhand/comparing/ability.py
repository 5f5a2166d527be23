"""Scores → does the system do its job? Whether its scores follow the intended order of the emotion words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Strings
from evenhand.corpora.intensity import EMOTION, WORD, intensities
from evenhand.errors import EvenhandError
from evenhand.files.plain import rebuild
from evenhand.numbering import numbered
from evenhand.stats.explained import explained_share
from evenhand.stats.ordering import Ordering, ordering
from evenhand.stats.types import ROUNDING
from evenhand.systems.base import HeldOut, Output

CONSTANT = -np.inf
"""Stands for the share that is explained where nothing varies."""
FAINT = 0.3
"""A rank correlation below this explains less than a tenth of how the words are ordered (0.3² = 0.09)."""
FEWEST_HELD_OUT = 10
"""From fewer texts, a correlation says next to nothing."""
FEWEST_SOURCES = 10
"""Fewer sentences may say much the same by chance, so that an able system looks blind."""
INTENSITY, PLEASANT, UNPLEASANT = "intensity", "pleasant", "unpleasant"
"""Orders that are no emotion's: of each sentence's own emotion, and of all words together."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WordScore:
    """The mean score of the sentences with one emotion word."""

    word: str
    emotion: str
    intended: float | None
    """Its place in the order that is intended for the output; None where nobody has judged the word."""
    mean: float
    n: int
    """Sentences."""


@dataclass(frozen=True)
class Ability:
    """Whether one output of one system follows the intended order of the emotion words.

    `rho` is Spearman's rank correlation of the words' mean scores with the intended order, among words of the same kind
    (states or situations, which fill different templates) and emotion, averaged by the number of words; 1 is ideal. `p`
    is the share of shuffles of the words that do at least as well. `weak` says that rho is next to nothing (below 0.3):
    what such a system does to persons means little. It is None where the words cannot tell: rho is not small, but
    chance gives as much too often (p ≥ α). Where it is known how the output goes with people's scores of other texts
    (`held_out`), and the interval of that correlation lies on one side of 0.3, that decides instead of the words;
    unless what a sentence says explains next to nothing of the scores here.

    Where it is not known what order is intended, it can only be too weak: what a sentence says explains next to nothing
    of its score. What is None has its reason in `undefined`. After Huang, Wang and
    Zhang (Contextual Calibration for Bias Mitigation), figure 5.
    """

    system: str
    output: str
    span: float
    order: str | None
    """The emotion that the output is of, `intensity` (each sentence's own emotion), `pleasant` or `unpleasant`."""
    words: tuple[WordScore, ...]
    rho: float | None
    p: float | None
    weak: bool | None
    undefined: str | None
    explained: float | None = None
    """The share of the scores' variance that lies between sentences that say different things, whoever they are about
    (omega squared); None where scores don't vary. Where no order is intended, less than 0.09 is too weak."""
    held_out: HeldOut | None = None
    """How well the output goes with what people said of texts that it had not learned from, where that is known."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


@dataclass(frozen=True)
class _Words:
    """The emotion words of a corpus, with the mean scores of each: (words, columns)."""

    emotions: list[str]
    words: list[str]
    counts: npt.NDArray[np.int64]
    means: Floats
    strengths: Floats
    """NaN where nobody has judged the word."""
    kinds: list[str]
    explained: Floats
    """By column: the share of its variance that lies between sentences; NaN where it does not vary."""
    sources: int
    """How many different things the sentences say, whoever they are about."""

    def signs(self) -> Floats:
        """1 for words of pleasant emotions, −1 for those of unpleasant ones."""
        return np.array([float(intensities().pleasant.get(emotion, np.nan)) for emotion in self.emotions])


def abilities(scores: Scores, corpus: Corpus, *, alpha: float = 0.05, seed: int = 0) -> tuple[Ability, ...]:
    """Say of each output whether it follows the intended order of the emotion words.

    For an output called as an emotion, its words count; for `intensity`, all words, each among those of its emotion;
    for valence, all words, from the most unpleasant to the most pleasant. Outputs that are part of a distribution are
    left out; without the columns `emotion` and `emotion_word` there is nothing to say.
    """
    if scores.corpus_digest != corpus.digest:
        raise EvenhandError("these scores were made for another corpus (or another version of it)")
    if EMOTION not in corpus.frame.columns or WORD not in corpus.frame.columns:
        return ()
    words = _words(scores, corpus)
    if not words.words:
        return ()
    asked = [place for place, column in enumerate(scores.columns) if column.output.of is None]
    orders = {place: _order(scores.columns[place].output, words.emotions) for place in asked}
    found: dict[int, Ability] = {}
    for order in dict.fromkeys(orders.values()):
        places = [place for place in asked if orders[place] == order]
        found |= _judged(order, places, scores.columns, words, alpha=alpha, seed=seed)
    return tuple(found[place] for place in asked)


def _words(scores: Scores, corpus: Corpus) -> _Words:
    rows = corpus.frame.select(EMOTION, WORD).with_row_index("row").drop_nulls()
    named = rows.select(EMOTION, WORD).unique(maintain_order=True).with_row_index("word")
    emotions, words = named[EMOTION].cast(str).to_list(), named[WORD].cast(str).to_list()
    place = rows.join(named, on=[EMOTION, WORD], maintain_order="left")["word"].to_numpy()
    everything = scores.select(Strings(corpus.frame["id"])).matrix
    values = everything[rows["row"].to_numpy()]
    totals = np.zeros((len(words), values.shape[1]))
    np.add.at(totals, place, values)
    counts = np.bincount(place, minlength=len(words)).astype(np.int64)
    meant = [intensities().by_word().get(key) for key in zip(emotions, words, strict=True)]
    strengths = np.array([np.nan if one is None else float(one.strength) for one in meant])
    kinds = ["" if one is None else one.kind for one in meant]
    varies = np.ptp(everything, axis=0) > ROUNDING * scores.spans
    # A constant explains nothing by what sentences say.
    explained = np.where(varies, explained_share(everything, numbered(corpus.frame["source"].to_list())), CONSTANT)
    return _Words(
        emotions,
        words,
        counts,
        totals / counts[:, None],
        strengths,
        kinds,
        explained,
        corpus.frame["source"].n_unique(),
    )


def _order(output: Output, emotions: list[str]) -> str | None:
    """The order that is intended for an output, as far as its name (up to a dot, as in `anger.likely`) and what is
    declared of it say."""
    name, known = _called(output), intensities().outputs
    if output.kind == "class":
        return None
    if name in emotions:
        return name
    if name in known.intensity:
        return INTENSITY
    pleasant = name in known.pleasant or (name in known.pleasant_if_desirable and output.high_is == "good")
    if pleasant and output.high_is != "bad":
        return PLEASANT
    return UNPLEASANT if pleasant or name in known.unpleasant else None


def _called(output: Output) -> str:
    return output.name.casefold().partition(".")[0]


def _judged(
    order: str | None, places: list[int], columns: tuple[Column, ...], words: _Words, *, alpha: float, seed: int
) -> dict[int, Ability]:
    """The outputs for which the same order is intended, all at once."""
    shown, intended = _intended(order, words)
    known = shown[~np.isnan(intended[shown])]
    test = None
    if order is not None and len(known):
        emotions = ["" if order in (PLEASANT, UNPLEASANT) else words.emotions[word] for word in known]
        test = ordering(
            words.means[known][:, places],
            intended[known],
            within=numbered([(emotion, words.kinds[word]) for emotion, word in zip(emotions, known, strict=True)]),
            tolerance=ROUNDING * np.array([columns[place].output.span for place in places]),
            rng=np.random.default_rng(seed),
        )
    return {
        place: _ability(
            columns[place],
            order,
            _table(words, shown, intended, place),
            test,
            number,
            alpha=alpha,
            explained=float(words.explained[place]),
            sources=words.sources,
        )
        for number, place in enumerate(places)
    }


def _intended(order: str | None, words: _Words) -> tuple[npt.NDArray[np.intp], Floats]:
    """The words that count, and the intended place of every word."""
    everybody = np.arange(len(words.words))
    if order in (PLEASANT, UNPLEASANT):
        return everybody, words.strengths * words.signs() * (1 if order == PLEASANT else -1)
    if order in (INTENSITY, None):
        return everybody, words.strengths
    return np.flatnonzero([emotion == order for emotion in words.emotions]), words.strengths


def _table(words: _Words, shown: npt.NDArray[np.intp], intended: Floats, column: int) -> tuple[WordScore, ...]:
    return tuple(
        WordScore(
            word=words.words[word],
            emotion=words.emotions[word],
            intended=None if np.isnan(intended[word]) else float(intended[word]),
            mean=float(words.means[word, column]),
            n=int(words.counts[word]),
        )
        for word in shown
    )


def _ability(
    column: Column,
    order: str | None,
    table: tuple[WordScore, ...],
    test: Ordering | None,
    number: int,
    *,
    alpha: float,
    explained: float,
    sources: int,
) -> Ability:
    rho = p = weak = undefined = None
    known = sum(word.intended is not None for word in table)
    blind = _blind(explained, sources)
    if order is None:
        undefined = blind or f"it is not known what order is intended for the output {column.output.name!r}"
        weak = True if blind else None
    elif test is None or np.isnan(test.best_p):
        undefined = f"no two of its {len(table)} emotion words are known to differ in intensity"
    elif np.isnan(test.rho[number]):
        undefined, weak = f"it gives all {known} words the same score", True
    else:
        rho, p = float(test.rho[number]), float(test.p[number])
        if test.best_p >= alpha:
            as_well = f"even in the intended order, chance does as well in {100 * test.best_p:.0f} % of shuffles"
            undefined = f"{known} words are too few: {as_well}"
        elif rho < FAINT and _guessed(column.output) and not blind:
            undefined = f"its scores do not follow pleasantness, and an output called {column.output.name!r} need not"
        elif rho < FAINT:
            weak = True
        elif p < alpha:
            weak = False
        else:
            undefined = f"the order that it gives to these {known} words may be chance"
    if explained != CONSTANT and (known_good := able_elsewhere(column.held_out)) is not None:
        weak, undefined = not known_good, _elsewhere(column.held_out, good=known_good)
        if known_good and blind:
            weak, undefined = True, blind
    return Ability(
        system=column.system,
        output=column.output.name,
        span=column.output.span,
        order=order,
        words=table,
        rho=rho,
        p=p,
        weak=weak,
        undefined=undefined,
        explained=None if np.isnan(explained) or explained == CONSTANT else max(explained, 0.0),
        held_out=column.held_out,
    )


def able_elsewhere(held_out: HeldOut | None) -> bool | None:
    """Whether scores of texts not learned from go with people's: the 95 % interval (Fisher's) is above 0.3 or below it.

    >>> able_elsewhere(HeldOut(388, 0.53, 0.52, "on dev.csv")), able_elsewhere(HeldOut(388, 0.1, 0.1, "on dev.csv"))
    (True, False)
    >>> able_elsewhere(HeldOut(30, 0.4, 0.4, "on dev.csv")) is None
    True
    """
    if held_out is None or held_out.spearman is None or held_out.n < FEWEST_HELD_OUT:
        return None
    middle = np.arctanh(np.clip(held_out.spearman, -1 + 1e-12, 1 - 1e-12))
    half = 1.96 / np.sqrt(held_out.n - 3)
    low, high = np.tanh(middle - half), np.tanh(middle + half)
    return True if low >= FAINT else False if high < FAINT else None


def _elsewhere(held_out: HeldOut | None, *, good: bool) -> str | None:
    """Why a system is too weak that is known by its scores of other texts."""
    if good or held_out is None:
        return None
    rho = f"{held_out.spearman:.2f}".replace("-", "−")
    return f"its scores of {held_out.n:,} other texts hardly go with people's (rank correlation {rho}, {held_out.how})"


def _blind(explained: float, sources: int) -> str | None:
    """Why a system cannot know what it is asked about, whatever its scores are meant to follow."""
    if explained == CONSTANT:
        return "it gives all sentences the same score"
    if np.isnan(explained) or explained >= FAINT**2 or sources < FEWEST_SOURCES:
        return None
    return f"what a sentence says explains {100 * max(explained, 0.0):.0f} % of how its scores vary"


def _guessed(output: Output) -> bool:
    """Whether it is taken for valence only because it is called as anything may be, and high is good."""
    return _called(output) in intensities().outputs.pleasant_if_desirable
