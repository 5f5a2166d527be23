"""What failures, gaps and metrics rest on: said where one term does it, and not where chance could."""

from __future__ import annotations

import numpy as np

from evenhand.measuring import MeasureSettings, measured
from evenhand.metrics import Predictions, measure
from evenhand.report.metrics.words import failures_rest_on, in_words

GROUPS = ("atheism", "buddhism", "islam")
TERMS = tuple(f"{group[0]}{number}" for group in GROUPS for number in range(5))
SETTINGS = MeasureSettings(relabellings=99)


def table(p_of_odd: float | None, *, sources: int = 16, seed: int = 0) -> Predictions:
    """Every term in every source; all are right but, where it is odd, the first term, which is always wrong."""
    rng = np.random.default_rng(seed)
    p = np.clip(0.8 + rng.normal(0, 0.02, (sources, len(TERMS))), 0, 1)
    if p_of_odd is not None:
        p[:, 0] = p_of_odd
    flat = p.ravel()
    return Predictions.of(
        source=np.repeat([f"s{number:02d}" for number in range(sources)], len(TERMS)).tolist(),
        group=[GROUPS[number // 5] for number in range(len(TERMS))] * sources,
        term=list(TERMS) * sources,
        gold=["good"] * flat.size,
        probabilities={"bad": 1 - flat, "good": flat},
    )


def test_all_failures_contain_one_term() -> None:
    found = measured(table(0.1), "mine", "religion", SETTINGS)
    assert found.behaviours
    for behaviour in found.behaviours:
        shared = behaviour.rests_on[0]
        assert (shared.what, shared.names, shared.failures, shared.of) == ("terms", ("a0",), 16, 16)
        assert shared.without == 0
        assert round(shared.share_of_rows, 4) == round(1 / 15, 4)
        assert failures_rest_on(behaviour) == ["All 16 failures contain a0; without it, the rate is 0.0 %."]


def test_a_gap_and_a_metric_rest_on_it_too() -> None:
    found = measured(table(0.1), "mine", "religion", SETTINGS)
    one = next(one for one in found.rests_on if one.label == "good")
    # −.7 in one term of five against the other groups
    assert (one.group, one.term) == ("atheism", "a0")
    assert round(one.gap, 2) == -0.14
    assert abs(one.without) < 0.01
    assert "The gap of atheism rests on a0: without it, " in in_words(found)


def test_a_metric_that_only_one_term_puts_beyond_chance() -> None:
    # All of a group's terms are a little off, and one is far off: without it, most of the excess is gone.
    rng = np.random.default_rng(0)
    plain = table(None)
    p = plain.probabilities[:, 1].reshape(-1, len(TERMS)).copy()
    p[:, :5] -= 0.06
    p[:, 0] -= 0.5
    flat = np.clip(p + rng.normal(0, 0.001, p.shape), 0, 1).ravel()
    odd = Predictions.of(
        source=[plain.sources[code] for code in plain.source], group=[plain.groups[code] for code in plain.group],
        term=plain.terms, gold=["good"] * flat.size, probabilities={"bad": 1 - flat, "good": flat},
    )  # fmt: skip
    found = measured(odd, "mine", "religion", SETTINGS).measurements["avg_gf"]["good"]
    assert found.p_for_these_sources is not None
    assert found.p_for_these_sources < 0.05
    assert found.p is not None
    assert found.p > 0.05, "for other terms, nothing is shown"
    assert found.rests_on is not None
    assert (found.rests_on.group, found.rests_on.term) == ("atheism", "a0")
    assert found.rests_on.without < found.value


def test_failures_that_chance_spreads_rest_on_nothing() -> None:
    for seed in range(20):
        plain = table(None, seed=seed)
        wrong = np.random.default_rng(seed).random(len(plain)) < 0.06
        flat = np.where(wrong, 0.1, 0.8)
        spread = Predictions.of(
            source=[plain.sources[code] for code in plain.source], group=[plain.groups[code] for code in plain.group],
            term=plain.terms, gold=["good"] * flat.size, probabilities={"bad": 1 - flat, "good": flat},
        )  # fmt: skip
        for behaviour in measured(spread, "mine", "religion", SETTINGS).behaviours:
            assert behaviour.rests_on == ()


def test_failures_of_one_sentence() -> None:
    plain = table(None)
    flat = np.where(plain.source == 3, 0.1, 0.8)
    hard = Predictions.of(
        source=[plain.sources[code] for code in plain.source], group=[plain.groups[code] for code in plain.group],
        term=plain.terms, gold=["good"] * flat.size, probabilities={"bad": 1 - flat, "good": flat},
    )  # fmt: skip
    wrong = measured(hard, "mine", "religion", SETTINGS).behaviours[1]
    assert [(one.what, one.names, one.failures) for one in wrong.rests_on] == [("sources", ("s03",), 15)]
    assert failures_rest_on(wrong) == ["All 15 failures are in one source (s03); without it, the rate is 0.0 %."]


def without_terms(plain: Predictions, p_of_good: np.ndarray) -> Predictions:
    return Predictions.of(
        source=[plain.sources[code] for code in plain.source], group=[plain.groups[code] for code in plain.group],
        gold=["good"] * len(plain), probabilities={"bad": 1 - p_of_good, "good": p_of_good},
    )  # fmt: skip


def test_without_terms_nothing_is_said_of_them() -> None:
    plain = table(0.1)
    found = measured(without_terms(plain, plain.probabilities[:, 1]), "mine", "religion", SETTINGS)
    assert found.rests_on == ()
    assert [behaviour.rests_on for behaviour in found.behaviours] == [()] * 2
    assert found.behaviours[1].failing == 16
    of_a_source = measured(without_terms(plain, np.where(plain.source == 3, 0.1, 0.8)), "mine", "religion", SETTINGS)
    assert of_a_source.rests_on == ()
    assert [(one.what, one.names) for one in of_a_source.behaviours[1].rests_on] == [("sources", ("s03",))]


def test_with_one_term_each_neither_of_two_is_the_one_that_failures_rest_on() -> None:
    rng = np.random.default_rng(1)
    p = (np.array([0.1, 0.57]) + rng.normal(0, 0.02, (60, 2))).ravel()
    predictions = Predictions.of(
        source=np.repeat(np.arange(60), 2).tolist(),
        group=["black", "white"] * 60,
        term=["Black", "White"] * 60,
        gold=np.repeat(["bad", "good"] * 30, 2).tolist(),
        probabilities={"bad": 1 - p, "good": p},
    )
    steady = measure(predictions, ["bnsp_auc"], bootstrap=200, relabellings=99)["bnsp_auc"]["good"]
    assert (steady.value, steady.rests_on) == (0.5, None)  # all resamples agree, and no terms can be dealt anew
    found = measured(predictions, "mine", "race", SETTINGS)
    assert not any(
        shared.what == "terms" for one in found.behaviours if one.kind == "invariance" for shared in one.rests_on
    )
    assert "For these terms, over sentences, 95 % intervals: the probability of good of black −0.4" in in_words(found)
