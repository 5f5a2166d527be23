"""All fairness metrics over seven attributes beside a plain reference, and how the time grows with groups and terms."""

from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import polars as pl

from benchmarks import metrics_plain
from benchmarks.contrasts import timed
from evenhand.corpora import Corpus, load_corpus
from evenhand.metrics import Measurements, Predictions, measure

TEMPLATES = 60
CLASSES = (2, 3)
SAMPLED = ("pert_sd", "pert_sr", "invariance_failure_rate")
"""Where there are too many tuples to enumerate, the plain reference only samples them."""
GROUPS, TERMS = (3, 6, 13, 26), (2, 8, 32)
GOAL = 50
MOST_SECONDS = 1.0
MOST_EXPONENT = 1.1
"""A little above one: a busy machine blurs the fit."""


def random_predictions(groups: int, terms: int, classes: int, *, seed: int) -> Predictions:
    """Sixty templates, each filled with every term; probabilities at random."""
    rng = np.random.default_rng(seed)
    group_of_term = np.sort(np.arange(terms) % groups)
    rows = TEMPLATES * terms
    probabilities = rng.dirichlet(np.ones(classes), size=rows)
    names = [f"class {code}" for code in range(classes)]
    return Predictions.of(
        source=np.repeat(np.arange(TEMPLATES), terms).tolist(),
        group=[f"group {code}" for code in np.tile(group_of_term, TEMPLATES)],
        term=[f"term {code}" for code in np.tile(np.arange(terms), TEMPLATES)],
        gold=[names[code] for code in np.repeat(np.arange(TEMPLATES) % classes, terms)],
        probabilities=dict(zip(names, probabilities.T, strict=True)),
    )


def on_own_corpus(corpus: Corpus, attribute: str, classes: int, *, seed: int) -> Predictions:
    """The project's own templates, groups and terms; probabilities at random. With two classes, neutral is no class."""
    labels = ("negative", "positive", "neutral")[:classes]
    frame = corpus.frame.filter(pl.col(attribute).is_not_null() & pl.col("label").is_in(labels))
    probabilities = np.random.default_rng(seed).dirichlet(np.ones(classes), size=frame.height)
    return Predictions.of(
        source=frame["source"].to_list(),
        group=frame[attribute].to_list(),
        term=frame["person"].to_list(),
        gold=frame["label"].to_list(),
        probabilities=dict(zip(labels, probabilities.T, strict=True)),
    )


def as_frame(predictions: Predictions) -> pd.DataFrame:
    """The same as a data frame."""
    assert predictions.gold is not None  # noqa: S101
    assert predictions.predicted is not None  # noqa: S101
    assert predictions.probabilities is not None  # noqa: S101
    frame = pd.DataFrame(predictions.probabilities, columns=list(predictions.classes))
    frame["source"] = predictions.source
    frame["group"] = [predictions.groups[code] for code in predictions.group]
    frame["gold"] = [predictions.classes[code] for code in predictions.gold]
    frame["pred"] = [predictions.classes[code] for code in predictions.predicted]
    return frame


def check(ours: Measurements, plain: dict[str, dict[str, float]]) -> None:
    """Both ways must agree; where one samples, roughly."""
    for name, by_class in plain.items():
        for label, value in by_class.items():
            tolerance = 0.01 if name in SAMPLED else 1e-9
            np.testing.assert_allclose(ours[name][label].value, value, atol=tolerance, err_msg=f"{name} {label}")


def exponent(sizes: list[float], seconds: list[float]) -> float:
    """How time grows with size: the slope of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def timed_measure(predictions: Predictions) -> float:
    """The best of some rounds."""
    return timed(lambda: measure(predictions), rounds=5)


def growth(what: str, data: dict[int, Predictions], sizes: list[float], unit: str) -> tuple[str, str, str, str]:
    """The time for each number of something, and the exponent with which it grows in its unit."""
    seconds = [timed_measure(predictions) for predictions in data.values()]
    slope, last = exponent(sizes, seconds), exponent(sizes[-2:], seconds[-2:])
    steps = ", ".join(f"{number}: {1000 * second:.0f} ms" for number, second in zip(data, seconds, strict=True))
    return (
        f"growth with the number of {what}",
        f"exponent {slope:.2f}, of the last step {last:.2f} ({steps})",
        f"linear in {unit} at most",
        "yes" if max(slope, last) <= MOST_EXPONENT else "no",
    )


def against_plain(classes: int) -> list[tuple[str, str, str, str]]:
    """The same predictions both ways."""
    corpus = load_corpus("identity")
    data = [on_own_corpus(corpus, attribute, classes, seed=place) for place, attribute in enumerate(corpus.attributes)]
    slow = fast = 0.0
    # One attribute after the other, so that a busy moment hits both ways.
    for predictions in data:
        frame, labels = as_frame(predictions), list(predictions.classes)
        start = time.perf_counter()
        plain = metrics_plain.measure(frame, labels)
        slow += time.perf_counter() - start
        fast += timed_measure(predictions)
        check(measure(predictions), plain)
    return [
        (
            f"all metrics, {classes} classes, seven attributes, {sum(map(len, data)):,} rows, against pandas and loops",
            f"{slow / fast:.0f} × faster ({1000 * fast:.0f} ms against {slow:.1f} s)",
            f"at least {GOAL} ×, under {MOST_SECONDS:g} s",
            "yes" if slow / fast >= GOAL and fast < MOST_SECONDS else "no",
        )
    ]


def run() -> list[tuple[str, str, str, str]]:
    """Speed for two and three classes, and growth: eight terms a group, and six groups."""
    by_groups = {groups: random_predictions(groups, 8 * groups, 3, seed=0) for groups in GROUPS}
    by_terms = {terms: random_predictions(6, 6 * terms, 3, seed=0) for terms in TERMS}
    pairs = [groups * (groups - 1) / 2 for groups in GROUPS]
    rows = [len(predictions) * math.log(len(predictions)) for predictions in by_terms.values()]
    return [
        *(row for classes in CLASSES for row in against_plain(classes)),
        growth("groups", by_groups, pairs, "pairs of groups"),
        growth("terms a group", by_terms, rows, "rows · log rows"),
    ]
