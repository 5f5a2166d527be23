"""The paper's evaluation: paired t-tests over means by template and emotion word, before and after; words' means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.pairings import CELL, MINUEND, Pairing, pairings
from evenhand.repairs.variables import variables
from evenhand.stats import ROUNDING, PairedTest, paired_test
from evenhand.systems.base import Array, Output
from evenhand.systems.few_shot import most_likely

EXPECTED, LIKELY = "expected", "most likely"
"""How a distribution over numbers is read; a single score is `expected`, and so is the probability of a mere name."""
ALPHA = 0.05

IDENTICAL = "identical: no difference exceeds rounding"
CONSTANT = "constant: every pair gives the same difference, so there is no variance to test against"
TOO_FEW = "fewer than two pairs"
NO_SPREAD = "the mean score does not vary between templates and words"


@dataclass(frozen=True)
class PairedMeans:
    """One paired t-test: of one version of the scores, in one reading, over the pairs of one question.

    The mean difference is that of `first` − `second`, in the output's own units, with the 95 % interval of the same
    test. The effect size is the mean difference in standard deviations of the version's own means by template and word:
    softmax shrinks all differences, and this tells how large one is among what is left. What is None has its reason in
    `undefined`. The test speaks about these very persons, templates and words only.
    """

    version: str
    output: str
    reading: str
    question: str
    attribute: str
    first: str
    second: str
    n: int
    """The number of pairs."""
    span: float
    """The width of the output's range, or its unit."""
    mean: float
    standard_error: float | None
    interval: tuple[float, float] | None
    effect_size: float | None
    t: float | None
    p: float | None
    undefined: Mapping[str, str] = field(default_factory=dict)
    first_label: str = ""
    """What the first group is called where people read of it; empty where that is not known."""
    second_label: str = ""

    @property
    def significant(self) -> bool | None:
        """Whether p is below 0.05, as the paper marks it; None where there is no p."""
        return None if self.p is None else self.p < ALPHA


@dataclass(frozen=True)
class WordMean:
    """The mean score of all sentences with one emotion word (the paper's Figure 5)."""

    version: str
    output: str
    reading: str
    emotion: str | None
    word: str
    mean: float
    n: int | None
    """The number of sentences; None where it was not told."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The paper's evaluation of several versions of one system's scores."""

    tests: tuple[PairedMeans, ...]
    words: tuple[WordMean, ...]

    @property
    def versions(self) -> tuple[str, ...]:
        """In the order in which they were given."""
        return tuple(dict.fromkeys(one.version for one in self.tests))


@dataclass(frozen=True, eq=False)
class _Read:
    """One version of the scores in one reading: a column."""

    version: str
    output: Output
    reading: str
    values: Array


def evaluate(
    versions: Mapping[str, Scores] | Scores, corpus: Corpus, *, minuend: Mapping[str, str] = MINUEND
) -> Evaluation:
    """The paper's tests and its table of words, for all versions at once."""
    return Evaluation(paired_means(versions, corpus, minuend=minuend), word_means(versions, corpus))


def paired_means(
    versions: Mapping[str, Scores] | Scores, corpus: Corpus, *, minuend: Mapping[str, str] = MINUEND
) -> tuple[PairedMeans, ...]:
    """The paper's paired t-tests on the emotional sentences: by gender with and without names, and by race.

    `versions` are scores of one system by name: before, and after each calibration. On the whole `eec` there are 280,
    140 and 280 pairs; a sample has fewer. By race the paper takes European American − African American (`minuend`),
    the opposite of what Evenhand's other reports do.
    """
    columns = _columns(versions, corpus)
    table = np.column_stack([one.values for one in columns])
    found = pairings(corpus, minuend=minuend)
    if not found:
        raise UsageError(f"the corpus {corpus.name!r} has no template and word with persons of two groups")
    return tuple(one for pairing in found for one in _tests(pairing, columns, table))


def word_means(versions: Mapping[str, Scores] | Scores, corpus: Corpus) -> tuple[WordMean, ...]:
    """Each emotion word's mean over all its sentences, by emotion and in alphabetical order, for each version."""
    frame = corpus.frame.with_row_index("row")
    if "emotion_word" not in frame.columns:
        return ()
    by_emotion = ["emotion", "emotion_word"] if "emotion" in frame.columns else ["emotion_word"]
    words = frame.filter(pl.col("emotion_word").is_not_null()).partition_by(by_emotion, as_dict=True)
    columns = _columns(versions, corpus)
    return tuple(
        WordMean(one.version, one.output.name, one.reading, *_named(key), float(one.values[rows].mean()), len(rows))
        for key, part in sorted(words.items(), key=lambda item: [str(value) for value in item[0]])
        for rows in [part["row"].to_numpy()]
        for one in columns
    )


def baseline_gaps(scores: Scores, corpus: Corpus) -> dict[str, dict[str, float]]:
    """By variable and attribute, the mean difference by which the ratio variants weigh their layers.

    That of sentences of which the most other attributes are known (names), as only those have several layers to be
    weighed; the largest where there are more than two groups. Empty where the corpus has no templates and words.
    """
    gaps: dict[str, dict[str, float]] = {}
    found = pairings(corpus) if set(CELL) <= set(corpus.frame.columns) else ()
    for variable in variables([column.output for column in scores.columns]):
        read = variable.read(scores.matrix[:, list(variable.places)])
        for attribute in dict.fromkeys(one.attribute for one in found):
            own = [one for one in found if one.attribute == attribute]
            most = max(one.others_known for one in own)
            means = [(one.differences @ read).mean(axis=0) for one in own if one.others_known == most]
            gap = max(np.concatenate(means), key=abs)
            gaps.setdefault(variable.name, {})[attribute] = float(gap)
    return gaps


def _named(key: tuple[object, ...]) -> tuple[str | None, str]:
    emotion = key[0] if len(key) > 1 else None
    return None if emotion is None else str(emotion), str(key[-1])


def _columns(versions: Mapping[str, Scores] | Scores, corpus: Corpus) -> list[_Read]:
    given = {"scores": versions} if isinstance(versions, Scores) else dict(versions)
    if not given:
        raise UsageError("no scores to compare")
    for name, scores in given.items():
        if scores.corpus_digest != corpus.digest:
            raise EvenhandError(f"{name}: these scores were made for another corpus (or another version of it)")
    return [one for name, scores in given.items() for one in _read(name, scores)]


def _read(version: str, scores: Scores) -> Iterator[_Read]:
    for variable in variables([column.output for column in scores.columns]):
        columns = scores.matrix[:, list(variable.places)]
        for output, values in zip(variable.readings, variable.read(columns).T, strict=True):
            yield _Read(version, output, EXPECTED, values)
        if variable.is_distribution and variable.values is not None:
            yield _Read(version, variable.readings[0], LIKELY, most_likely(columns, variable.values))


def _tests(pairing: Pairing, columns: list[_Read], table: Array) -> Iterator[PairedMeans]:
    differences = pairing.differences @ table
    spans = np.array([one.output.span for one in columns])
    test = paired_test(differences, scale=spans) if pairing.n > 1 else None
    means = pairing.cells @ table
    spreads = means.std(axis=0, ddof=1) if len(means) > 1 else np.zeros(len(columns))
    spreads = np.where(spreads > ROUNDING * spans, spreads, np.nan)
    for place, one in enumerate(columns):
        about = (one.version, one.output.name, one.reading, pairing.question, pairing.attribute)
        design = (pairing.first, pairing.second, pairing.n, one.output.span)
        mean = float(differences[0, place]) if test is None else float(test.mean[place])
        effect = None if np.isnan(spreads[place]) else mean / float(spreads[place])
        reasons = {} if effect is not None else {"effect_size": NO_SPREAD}
        error, interval, t, p, why = _tested(test, place)
        found = PairedMeans(*about, *design, mean, error, interval, effect, t, p, reasons | why)
        yield replace(found, first_label=pairing.first_label, second_label=pairing.second_label)


def _tested(
    test: PairedTest | None, place: int
) -> tuple[float | None, tuple[float, float] | None, float | None, float | None, dict[str, str]]:
    """Standard error, interval, t and p of one column, and why some of them are None."""
    if test is None:
        return None, None, None, None, dict.fromkeys(("standard_error", "interval", "t", "p"), TOO_FEW)
    error, interval = float(test.standard_error[place]), (float(test.low[place]), float(test.high[place]))
    p = float(test.p[place])
    if np.isnan(test.t[place]):
        return error, interval, None, p, {"t": IDENTICAL if test.identical[place] else CONSTANT}
    return error, interval, float(test.t[place]), p, {}
