"""From comparisons to a metric's value: pairs, backgrounds, all groups at once."""

from __future__ import annotations

import numpy as np

from evenhand.metrics.metric import AnyMetric, Metric
from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints


def pair_places(groups: int) -> tuple[Ints, Ints]:
    """All pairs of groups, the first before the second."""
    first, second = np.triu_indices(groups, k=1)
    return first.astype(np.int64), second.astype(np.int64)


def mean_of_pairs(compared: Floats, groups: int) -> Floats:
    """By group: the mean over the pairs (resamples, pairs) that contain it and are defined."""
    first, second = pair_places(groups)
    contains = ((first[:, None] == np.arange(groups)) | (second[:, None] == np.arange(groups))).astype(np.float64)
    defined = ~np.isnan(compared)
    return share(np.where(defined, compared, 0.0) @ contains, defined.astype(np.float64) @ contains)


def over_pairs(metric: Metric, compared: Floats, groups: int) -> tuple[Floats, Floats]:
    """By group and value of a PCM from its comparisons (resamples, pairs); the value needs all of them."""
    return mean_of_pairs(compared, groups), compared.sum(axis=1) / metric.normaliser(groups)


def over_groups(metric: AnyMetric, compared: Floats) -> Floats:
    """The value of a BCM, or of a VBCM (its mean), from its comparisons (resamples, groups)."""
    if metric.shape == "VBCM":
        return np.asarray(compared.mean(axis=1), dtype=np.float64)
    return np.asarray(compared.sum(axis=1) / metric.normaliser(compared.shape[1]), dtype=np.float64)
