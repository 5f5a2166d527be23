"""The paper about calibration: what follows from what it printed, and what only its model's answers could show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evenhand.corpora import eec
from evenhand.published.calibration_figures import LABELS, PrintedTest, content, errata, p_of, printed_tests
from evenhand.published.checks import Check, checked, counted
from evenhand.repairs.pairings import pairings
from evenhand.repairs.reference_layers import all_layers, mean_layer

BABBAGE = "the answers of GPT-3 Babbage, which were not published"
LARGEST_STEP = 3.0
"""The most by which one label can lead another before softmax, additive mean: 1 of its own, ½ · 2 from each layer."""


def reproduce_calibration() -> tuple[Check, ...]:
    """Every claim of the paper that can be held against something."""
    return (*_design(), *_tests(), *_statements(), *_words(), *_examples(), *_without_race(), *_said(), *_beyond())


def _design() -> Iterator[Check]:
    found = {one.question: one.n for one in pairings(eec())}
    for question, pairs in content()["design"]["pairs"].items():
        here = found[question]
        yield checked(f"pairs of means: {question}", "section 5", f"{pairs}", f"{here}", agree=pairs == here)
    words = {(emotion, word) for emotion, by_word in content()["words"]["rows"].items() for word in by_word}
    ours = {row for row in eec().frame.select("emotion", "emotion_word").iter_rows() if None not in row}
    yield checked(
        "emotion words", "figure 5", f"{len(words)}", f"{len(words & ours)} of our {len(ours)}", agree=words == ours
    )


def _tests() -> Iterator[Check]:
    for where in dict.fromkeys(one.where for one in printed_tests()):
        rows = [one for one in printed_tests() if one.where == where]
        yield from counted("t from the mean and its standard error", where, [_t(one) for one in rows], what="rows")
        yield from counted("p from t and the number of pairs", where, [_p(one) for one in rows], what="rows")
        yield from counted("p below 0.05", where, [_flag(one) for one in rows], what="rows")
    design = content()["design"]
    marked, all_of_them = sum(one.significant for one in printed_tests()), len(printed_tests())
    agree = (marked, all_of_them) == (design["significant"], design["tests"])
    yield checked("significant in all but one test", "section 6", "12 of 13", f"{marked} of {all_of_them}", agree=agree)
    before = {one.question: float(one.mean) for one in printed_tests() if one.version == "baseline"}
    after = [one for one in printed_tests() if one.version != "baseline"]
    turned = sum(float(one.mean) * before[one.question] < 0 for one in after)
    claim = "the direction is reversed in all calibrated models"
    yield checked(claim, "section 6", f"{len(after)}", f"{turned} of {len(after)}", agree=turned == len(after))


def _t(one: PrintedTest) -> Check:
    low, high = sorted(abs(end) for end in _ends(one.mean))
    least, most = _ends(one.standard_error)
    agree = _overlap(_ends(one.t.lstrip("-")), (low / most, high / least)) and (one.t[0] == "-") == (one.mean[0] == "-")
    here = f"{low / most:.3g} to {high / least:.3g}"
    return checked(f"{one.name}: size of t", one.where, one.t, here, agree=agree, counted=True)


def _p(one: PrintedTest) -> Check:
    low, high = sorted(p_of(end, one.n) for end in _ends(one.t))
    agree = low < float(one.p[1:]) if one.p[0] == "<" else _overlap(_ends(one.p), (low, high))
    return checked(f"{one.name}: p", one.where, one.p, f"{low:.2g} to {high:.2g}", agree=agree, counted=True)


def _flag(one: PrintedTest) -> Check:
    p = p_of(float(one.t), one.n)
    printed, here = ("yes" if flag else "no" for flag in (one.significant, p < content()["design"]["alpha"]))
    return checked(f"{one.name}: p below 0.05", one.where, printed, here, agree=printed == here, counted=True)


def _ends(printed: str) -> tuple[float, float]:
    """What may have been printed like that.

    >>> _ends("0.05")
    (0.045, 0.055)
    """
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return round(float(printed) - half, 12), round(float(printed) + half, 12)


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _statements() -> Iterator[Check]:
    """What the text says about a figure."""
    rows = {(one.question, one.version): one for one in printed_tests()}
    for said in content()["statements"]:
        row = rows[said["question"], said["version"]]
        agree = _overlap(_ends(said["printed"]), _ends(row.mean))
        yield checked(
            f"{row.name}: mean difference", said["where"], said["printed"], f"{row.mean} in {row.where}", agree=agree
        )
    words = content()["words"]
    means = {word: row[0] for by_word in words["rows"].values() for word, row in by_word.items()}
    for word, printed in words["statements"].items():
        low, high = _ends(printed)
        agree, here = low <= means[word] <= high, f"{means[word]:.2f} in {words['where']}"
        why = errata(words["errata"].get(word))
        yield checked(f"baseline, {word}: mean score", "section 5", printed, here, agree=agree, errata=why)


def _words() -> Iterator[Check]:
    """Which columns of figure 5 are the same, and how they were read."""
    words = content()["words"]
    rows = np.array([row for by_word in words["rows"].values() for row in by_word.values()])
    column = dict(zip(words["versions"], rows.T, strict=True))
    for version, other, erratum in (
        ("multiplicative", "baseline", "C02"),
        ("additive", "baseline", "C02"),
        ("additive-mean", "multiplicative-mean", "C03"),
    ):
        different = int((column[version] != column[other]).sum())
        tests = [_compared(one, other) for one in printed_tests() if one.version == version]
        here = f"their tests: {'; '.join(text for text in tests if text)}"
        claim = f"emotion words that {version} and {other} score differently"
        printed = f"{different} of {len(rows)}"
        yield checked(claim, words["where"], printed, here, agree=different > 0, errata=errata(erratum))
    highest = _highest_expected()
    claim = "additive-mean, enraged: the score is that of the most likely label"
    here = f"an expected score would be at most {highest:.2f}"
    score = words["rows"]["anger"]["enraged"][words["versions"].index("additive-mean")]
    yield checked(claim, words["where"], f"{score:.2f}", here, agree=score > highest)


def _compared(one: PrintedTest, version: str) -> str:
    found = [row.mean for row in printed_tests() if (row.question, row.version) == (one.question, version)]
    return f"{one.mean} and {found[0]} ({one.question})" if found else ""


def _highest_expected() -> float:
    """The highest expected label that softmax can give after additive mean calibration, whatever the references say."""
    rest = math.exp(-LARGEST_STEP)
    return (LABELS[-1] + rest * sum(LABELS[:-1])) / (1 + rest * len(LABELS[:-1]))


def _examples() -> Iterator[Check]:
    examples: Mapping[str, Any] = content()["examples"]
    where = examples["where"]
    corpus = {word.strip(".") for text in eec().frame["text"] for word in text.lower().split()}
    for emotion, row in examples["rows"].items():
        words = ", ".join(row["words"])
        agree = row["of"] == emotion
        why = () if agree else errata(examples["erratum"])
        yield checked(f"examples of {emotion}", where, words, f"words of {row['of']}", agree=agree, errata=why)
    new = [word for row in examples["rows"].values() for word in row["words"] if word not in corpus]
    total = sum(len(row["words"]) for row in examples["rows"].values())
    claim = "words of examples that are not in the corpus"
    yield checked(claim, "section 5", f"{total}", f"{len(new)}", agree=len(new) == total)


def _without_race() -> Iterator[Check]:
    """That a mean over the one layer of sentences without a race is that layer."""
    layers = np.random.default_rng(0).uniform(0.5, 2.0, (2, 100, len(LABELS)))
    there = np.array([[False] * 100, [True] * 100])
    mean = mean_layer(layers, there, [1.0, 1.0])
    same = [np.array_equal(mean, all_layers(layers, there, multiplies=multiplies)) for multiplies in (True, False)]
    here = "identical" if all(same) else "different"
    yield checked("without a race, mean variants", "footnote 2", "identical", here, agree=all(same))


def _said() -> Iterator[Check]:
    for one in content()["said"]:
        yield checked(
            one["claim"], one["where"], one["printed"], one["meant"], agree=False, errata=errata(one["erratum"])
        )


def _beyond() -> Iterator[Check]:
    for one in printed_tests():
        shown = f"{one.mean} ({one.standard_error})"
        yield Check(f"{one.name}: mean difference and standard error", one.where, shown, None, "needs data", BABBAGE)
    for version in content()["words"]["versions"]:
        where, claim = content()["words"]["where"], f"{version}: mean scores of the emotion words"
        yield Check(claim, where, "as tabled", None, "needs data", BABBAGE)
