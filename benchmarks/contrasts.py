"""The published tests of many systems as matrix work, beside the same per system with data frames and scipy."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from evenhand.contrasts import contrast
from evenhand.corpora import eec
from evenhand.stats import paired_test

SYSTEMS = 219
PLAIN_SYSTEMS = 12
"""The plain way is timed on some of the systems and scaled up: it is linear in their number."""


def plain(frame: pd.DataFrame, scores: np.ndarray) -> tuple[float, float]:
    """One system, gender and race, as one would first write it."""
    frame = frame.assign(score=scores)
    nouns = frame[frame["pair"].notna()].pivot_table(index=["source", "pair"], columns="gender", values="score")
    names = frame[frame["kind"] == "name"]
    by_gender = names.pivot_table(index="source", columns="gender", values="score")
    by_race = names.pivot_table(index="source", columns="race", values="score")
    female = np.concatenate([nouns["female"], by_gender["female"]])
    male = np.concatenate([nouns["male"], by_gender["male"]])
    race = stats.ttest_rel(by_race["African American"], by_race["European American"])
    return float(stats.ttest_rel(female, male).statistic), float(race.statistic)


def timed(work: Callable[[], object], rounds: int = 1) -> float:
    """The best of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def run() -> list[tuple[str, str, str, str]]:
    """Both ways on the same scores; their t-values must agree."""
    corpus = eec()
    scores = np.random.default_rng(0).uniform(size=(len(corpus), SYSTEMS))
    frame = pd.DataFrame(corpus.frame.to_dict(as_series=False))
    gender, race = contrast(corpus, "gender"), contrast(corpus, "race")
    scale = np.ones(SYSTEMS)

    def matrix() -> tuple[np.ndarray, np.ndarray]:
        return (
            paired_test(gender.matrix @ scores, scale=scale).t,
            paired_test(race.matrix @ scores, scale=scale).t,
        )

    slow = [plain(frame, scores[:, k]) for k in range(PLAIN_SYSTEMS)]
    np.testing.assert_allclose(np.stack(matrix())[:, :PLAIN_SYSTEMS].T, slow)
    plain_time = timed(lambda: [plain(frame, scores[:, k]) for k in range(PLAIN_SYSTEMS)]) * SYSTEMS / PLAIN_SYSTEMS
    fast_time = timed(matrix, rounds=7)
    ratio = plain_time / fast_time
    measured = f"{ratio:.0f} × faster ({1000 * fast_time:.0f} ms against {plain_time:.1f} s)"
    return [
        (
            f"published tests of {SYSTEMS} systems against pandas + scipy",
            measured,
            "at least 100 ×",
            "yes" if ratio >= 100 else "no",
        )
    ]
