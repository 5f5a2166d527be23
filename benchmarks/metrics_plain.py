"""Fairness metrics as one would first write them: data frames, group-by and loops. Written once and then left alone."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Callable, Iterator

import pandas as pd
from scipy.stats import mannwhitneyu, wasserstein_distance
from sklearn.metrics import roc_auc_score

MOST_TUPLES = 1000
"""Tuples of terms a source at most, where all of them are too many."""


def measure(frame: pd.DataFrame, classes: list[str]) -> dict[str, dict[str, float]]:
    """Every metric for more than two groups, by name and class. Columns: source, group, gold, pred and the classes."""
    frame = frame.copy()
    frame["p_gold"] = [row[row["gold"]] for _, row in frame.iterrows()]
    found: dict[str, dict[str, float]] = {}
    for label in classes:
        for name, value in _of_class(frame, label).items():
            found.setdefault(name, {})[label] = value
    found["accuracy_gap"] = {"all": _pairwise(_by_group(frame, accuracy))}
    found["pert_ss"] = {"all": _over_pairs(frame, "p_gold", _gap)}
    found["pert_sd"] = {"all": _over_tuples(frame, "p_gold", statistics.pstdev)}
    found["pert_sr"] = {"all": _over_tuples(frame, "p_gold", lambda values: max(values) - min(values))}
    found["label_flip_rate"] = {"all": _over_pairs(frame, "pred", lambda a, b: float(a != b))}
    found["invariance_failure_rate"] = {"all": _over_tuples(frame, "pred", lambda values: float(len(set(values)) > 1))}
    return found


def _of_class(frame: pd.DataFrame, label: str) -> dict[str, float]:
    groups = list(frame["group"].unique())
    of_class = frame[frame["gold"] == label]
    others = frame[frame["gold"] != label]
    fpr = _by_group(frame, lambda rows: false_positive_rate(rows, label))
    fnr = _by_group(frame, lambda rows: 1 - true_positive_rate(rows, label))
    tpr = _by_group(frame, lambda rows: true_positive_rate(rows, label))
    tnr = _by_group(frame, lambda rows: 1 - false_positive_rate(rows, label))
    f1 = _by_group(frame, lambda rows: f1_score(rows, label))
    shares = _by_group(frame, lambda rows: (rows["pred"] == label).mean())
    all_fpr, all_fnr = false_positive_rate(frame, label), 1 - true_positive_rate(frame, label)
    fped = sum(abs(fpr[group] - all_fpr) for group in groups)
    fned = sum(abs(fnr[group] - all_fnr) for group in groups)
    disparity = _pairwise(f1)
    frame = frame.assign(log_odds=[math.log(p / (1 - p)) for p in frame[label]])
    return {
        "fped": fped,
        "fned": fned,
        "fped_normalised": fped / len(groups),
        "fned_normalised": fned / len(groups),
        "fpr_ratio": _mean_against_rest(frame, lambda own, rest: _fpr_ratio(own, rest, label)),
        "fnr_ratio": _mean_against_rest(frame, lambda own, rest: _fnr_ratio(own, rest, label)),
        "disparity_score": disparity * len(groups) * (len(groups) - 1) / 2 / len(groups),
        "disparity_score_normalised": disparity,
        "tpr_gap": _pairwise(tpr),
        "tnr_gap": _pairwise(tnr),
        "parity_gap": _pairwise(shares),
        "fpr_range": max(fpr.values()) - min(fpr.values()),
        "fnr_range": max(fnr.values()) - min(fnr.values()),
        "avg_gf": statistics.fmean(
            wasserstein_distance(frame[frame["group"] == group][label], frame[label]) for group in groups
        ),
        "avg_gf_tc": _mean_against_rest(of_class, lambda own, rest: wasserstein_distance(own[label], rest[label])),
        "avg_eg": _mean_against_rest(of_class, lambda own, rest: equality_gap(own[label], rest[label])),
        "pos_avg_eg": _mean_against_rest(of_class, lambda own, rest: equality_gap(own[label], rest[label])),
        "neg_avg_eg": _mean_against_rest(others, lambda own, rest: equality_gap(own[label], rest[label])),
        "bpsn_auc": _mean_against_rest(frame, lambda own, rest: _auc(rest, own, label)),
        "bnsp_auc": _mean_against_rest(frame, lambda own, rest: _auc(own, rest, label)),
        "cf_gap": _over_pairs(frame, label, _gap),
        "cf_gap_tc": _over_pairs(of_class, label, _gap),
        "log_odds_gap": _over_pairs(frame, "log_odds", _gap),
        "avg_if": _over_sets(frame, label),
        "avg_if_tc": _over_sets(of_class, label),
        "pi": _pi(of_class, label),
    }


def accuracy(rows: pd.DataFrame) -> float:
    """The share of right predictions."""
    return float((rows["pred"] == rows["gold"]).mean())


def false_positive_rate(rows: pd.DataFrame, label: str) -> float:
    """How many of the other classes are taken for this one."""
    others = rows[rows["gold"] != label]
    return float((others["pred"] == label).mean())


def true_positive_rate(rows: pd.DataFrame, label: str) -> float:
    """How many of this class are recognised."""
    own = rows[rows["gold"] == label]
    return float((own["pred"] == label).mean())


def f1_score(rows: pd.DataFrame, label: str) -> float:
    """2tp / (2tp + fp + fn)."""
    right = ((rows["pred"] == label) & (rows["gold"] == label)).sum()
    return float(2 * right / ((rows["pred"] == label).sum() + (rows["gold"] == label).sum()))


def equality_gap(own: pd.Series, rest: pd.Series) -> float:
    """½ − the share of pairs in which the rest is higher."""
    return float(0.5 - mannwhitneyu(rest, own).statistic / (len(own) * len(rest)))


def _fpr_ratio(own: pd.DataFrame, rest: pd.DataFrame, label: str) -> float:
    return false_positive_rate(own, label) / false_positive_rate(rest, label)


def _fnr_ratio(own: pd.DataFrame, rest: pd.DataFrame, label: str) -> float:
    return (1 - true_positive_rate(own, label)) / (1 - true_positive_rate(rest, label))


def _auc(positives: pd.DataFrame, negatives: pd.DataFrame, label: str) -> float:
    chosen = pd.concat([positives[positives["gold"] == label], negatives[negatives["gold"] != label]])
    return float(roc_auc_score(chosen["gold"] == label, chosen[label]))


def _by_group(frame: pd.DataFrame, score: Callable[[pd.DataFrame], float]) -> dict[str, float]:
    return {str(group): float(score(rows)) for group, rows in frame.groupby("group")}


def _pairwise(scores: dict[str, float]) -> float:
    return statistics.fmean(abs(a - b) for a, b in itertools.combinations(scores.values(), 2))


def _mean_against_rest(frame: pd.DataFrame, compare: Callable[[pd.DataFrame, pd.DataFrame], float]) -> float:
    return statistics.fmean(
        compare(frame[frame["group"] == group], frame[frame["group"] != group]) for group in frame["group"].unique()
    )


def _gap(first: float, second: float) -> float:
    return abs(first - second)


def _sources(frame: pd.DataFrame, column: str) -> Iterator[list[list[float]]]:
    """For each source, the values of each group."""
    for _, rows in frame.groupby("source"):
        yield [list(values) for _, values in rows.groupby("group")[column]]


def _over_pairs(frame: pd.DataFrame, column: str, compare: Callable[[float, float], float]) -> float:
    means = []
    for groups in _sources(frame, column):
        of_pairs = []
        for first, second in itertools.combinations(groups, 2):
            of_pairs.append(statistics.fmean(compare(a, b) for a in first for b in second))
        means.append(statistics.fmean(of_pairs))
    return statistics.fmean(means)


def _over_sets(frame: pd.DataFrame, column: str) -> float:
    means = []
    for groups in _sources(frame, column):
        distances = [wasserstein_distance(first, second) for first, second in itertools.combinations(groups, 2)]
        means.append(statistics.fmean(distances))
    return statistics.fmean(means)


def _over_tuples(frame: pd.DataFrame, column: str, compare: Callable[[list[float]], float]) -> float:
    """Over all tuples of a source, or some where they are too many."""
    rng = random.Random(0)  # noqa: S311
    means = []
    for groups in _sources(frame, column):
        if math.prod(len(group) for group in groups) <= MOST_TUPLES:
            tuples = [list(chosen) for chosen in itertools.product(*groups)]
        else:
            tuples = [[rng.choice(group) for group in groups] for _ in range(MOST_TUPLES)]
        means.append(statistics.fmean(compare(chosen) for chosen in tuples))
    return statistics.fmean(means)


def _pi(of_class: pd.DataFrame, label: str) -> float:
    by_group = {}
    groups = list(of_class["group"].unique())
    for group in groups:
        recovered, missed = 0.0, 0
        for _, rows in of_class.groupby("source"):
            wrong = ((rows["group"] == group) & (rows["pred"] != label)).sum()
            others = [(rows[rows["group"] == other]["pred"] == label).mean() for other in groups if other != group]
            recovered += wrong * statistics.fmean(others)
            missed += wrong
        by_group[group] = recovered / missed
    return statistics.fmean(by_group.values())
