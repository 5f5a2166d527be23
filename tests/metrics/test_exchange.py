"""Terms dealt to other groups: by hand, against the plain definition, and on systems that are known to be fair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from evenhand.metrics import METRICS, Counts, Metric, Predictions, comparisons, measure, scores
from evenhand.metrics import metric as parts
from evenhand.metrics.deals import NO_TERMS, ONE_TERM_EACH, deals_of
from evenhand.metrics.design import Design, Outcome
from evenhand.metrics.excess import OF_ITS_OWN, Excess
from evenhand.metrics.exchange import ALIKE, NOT_BY_TERM, NOT_OF_GROUPS, Exchange
from evenhand.metrics.measuring import STEADY, resting
from evenhand.metrics.metric import OwnMetric
from evenhand.metrics.table import metric_named
from evenhand.metrics.testing import group_tests
from evenhand.metrics.undefined import Undefined

Random = Callable[..., Predictions]
SIZES = (5, 6, 5, 8, 4, 3)


def three_terms() -> Predictions:
    """One source; group A has two terms, group B one: three ways to deal them."""
    return Predictions.of(
        source=["s", "s", "s"], group=["A", "A", "B"], term=["a1", "a2", "b1"],
        gold=["yes"] * 3, probabilities={"no": [0.9, 0.8, 0.4], "yes": [0.1, 0.2, 0.6]},
    )  # fmt: skip


def test_every_deal_by_hand() -> None:
    # B = {b1}: (.5 + .4) / 2 = .45; B = {a1}: (.1 + .5) / 2 = .30; B = {a2}: (.1 + .4) / 2 = .25
    found = measure(three_terms(), ["cf_gap"], relabellings=500)["cf_gap"]["yes"]
    assert found.value == pytest.approx(0.45)
    assert found.expected_if_exchangeable == pytest.approx(1.0 / 3)
    assert found.excess == pytest.approx(0.45 - 1.0 / 3)
    assert found.p_for_these_sources == pytest.approx(1 / 3)  # of three deals, only the true one goes so far
    assert (found.p, found.why_no_p) == (None, "cannot generalise over terms: the other group has one term")


def test_a_rate_by_hand() -> None:
    # Only b1 is recognised. B = {b1}: |0 − 1| = 1; B = {a1} or {a2}: |½ − 0| = ½.
    found = measure(three_terms(), ["tpr_gap"], relabellings=500)["tpr_gap"]["yes"]
    assert (found.value, found.expected_if_exchangeable, found.p_for_these_sources) == (
        1.0, pytest.approx(2 / 3), pytest.approx(1 / 3),
    )  # fmt: skip


def test_a_signed_metric_by_hand() -> None:
    # A − B. B = {b1}: .15 − .6 = −.45; B = {a1}: .4 − .1 = .3; B = {a2}: .35 − .2 = .15. Two-sided around their mean 0.
    found = measure(three_terms(), ["avg_score_difference"], groups=("A", "B"), relabellings=500)
    difference = found["avg_score_difference"]["yes"]
    assert difference.value == pytest.approx(-0.45)
    assert difference.expected_if_exchangeable == pytest.approx(0.0)
    assert difference.p_for_these_sources == pytest.approx(1 / 3)


def test_drawn_deals_count_the_true_one() -> None:
    # 2 of 12 terms are odd, and both are in B: no drawn deal goes further, and p is (1 + those as far) / (1 + draws).
    terms = [f"t{number:02d}" for number in range(12)]
    table = Predictions.of(source=["s"] * 12, group=["A"] * 6 + ["B"] * 6, term=terms, score=[0.1] * 10 + [0.9] * 2)
    exchange = Exchange(Design(table), draws=99)
    found = measure(table, ["avg_gf"], relabellings=99)["avg_gf"]["score"]
    assert found.value is not None
    as_far = int((exchange.values(metric_named("avg_gf"), 0) >= found.value - 1e-9).sum())
    assert not exchange.deals.exact
    assert found.p_for_these_sources == pytest.approx((1 + as_far) / 100)


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, 0.0),
        ({"groups": ("g0", "g1")}, 0.0),
        ({"background": "g2"}, 0.0),
        ({"background": "rest"}, 0.0),
        ({}, 0.25),
    ],
    ids=["all groups", "two groups", "a privileged group", "the rest", "sources that lack terms"],
)
def test_dealing_together_is_dealing_one_by_one(
    settings: dict[str, object], missing: float, random_predictions: Random
) -> None:
    predictions = random_predictions(seed=3)
    predictions = predictions.select(np.random.default_rng(1).random(len(predictions)) >= missing)
    exchange = Exchange(Design(predictions, **settings), draws=10)  # type: ignore[arg-type]
    compared = 0
    for metric in METRICS.values():
        for code in range(3 if metric.per_class else 1):
            try:
                together = exchange.values(metric, code)
            except Undefined:
                continue
            assert together == pytest.approx(exchange.one_by_one(metric, code), abs=1e-12, nan_ok=True), metric.name
            compared += 1
    assert compared > 60


def test_sequences_are_dealt_position_by_position(random_predictions: Random) -> None:
    one = random_predictions(classes=2, unperturbed=False)
    both = one.select(np.tile(np.arange(len(one)), 2))
    # The second position has another gold class, so that metrics of a class look at one of the two positions.
    position = np.repeat([0, 1], len(one))
    predictions = replace(
        both,
        position=position,
        gold=np.where(position == 0, both.gold, 1 - both.gold),
        probabilities=np.random.default_rng(5).dirichlet(np.ones(2), size=len(both)),
    )
    exchange = Exchange(Design(predictions), draws=10)
    for name in ("cf_gap", "cf_gap_tc", "pert_ss", "pert_sr", "pert_sd", "invariance_failure_rate", "avg_if"):
        metric = METRICS[name]
        together = exchange.values(metric, 0)
        assert together == pytest.approx(exchange.one_by_one(metric, 0), abs=1e-12), name


def test_a_metric_of_ones_own_is_dealt_one_by_one(random_predictions: Random) -> None:
    own = Metric("precision_gap", "PCM", scores.PRECISION, comparisons.ABSOLUTE, normaliser=parts.pairs)
    ratio = Metric(
        "cf_ratio", "PCM", scores.EACH_PROBABILITY, comparisons.RATIO, normaliser=parts.pairs, counterfactual=True
    )
    found = measure(random_predictions(), [own, ratio], relabellings=20)
    assert all(one.p_for_these_sources is not None for _, _, one in found)


def test_sampled_tuples_come_to_the_same(random_predictions: Random) -> None:
    # 8 · 9 · 7 = 504 tuples a source, of which 64 are looked at.
    exchange = Exchange(Design(random_predictions(terms=(8, 9, 7), sources=20)), draws=20)
    together, plain = (way(METRICS["pert_sd"], 0) for way in (exchange.values, exchange.one_by_one))
    assert together.mean() == pytest.approx(plain.mean(), rel=0.01)


def test_pooled_and_sampled_tuples_are_dealt_too(random_predictions: Random) -> None:
    for settings in ({"weight": "tuples"}, {"sample": 2}):
        found = measure(random_predictions(sources=4), ["cf_gap"], relabellings=20, **settings)  # type: ignore[arg-type]
        assert found["cf_gap"]["c0"].p_for_these_sources is not None


def test_every_way_is_listed_where_there_are_few() -> None:
    listed = deals_of(np.array([0, 0, 1, 2]), list("abcd"), draws=12, seed=0)
    assert listed.exact
    assert len({tuple(way) for way in listed.dealt.tolist()}) == 12
    drawn = deals_of(np.array([0, 0, 1, 2]), list("abcd"), draws=11, seed=0)
    assert not drawn.exact
    assert {tuple(sorted(way)) for way in drawn.dealt.tolist()} == {(0, 0, 1, 2)}


def test_why_terms_cannot_be_dealt(worked: Predictions, counted: Predictions) -> None:
    without = measure(counted, ["tpr_gap"], relabellings=20)["tpr_gap"]["1"]
    assert (without.expected_if_exchangeable, without.excess, without.p) == (None, None, None)
    assert without.not_exchangeable == NO_TERMS
    alone = Predictions.of(source=["s", "s"], group=["A", "B"], term=["a", "b"], score=[0.1, 0.4])
    assert measure(alone, ["cf_gap"], relabellings=20)["cf_gap"]["score"].not_exchangeable == ONE_TERM_EACH
    background = measure(worked, ["cf_gap_background"], relabellings=20)["cf_gap_background"]["pos"]
    assert background.not_exchangeable == NOT_OF_GROUPS
    same = replace(three_terms(), probabilities=np.full((3, 2), 0.5), predicted=np.zeros(3, dtype=np.int64))
    assert measure(same, ["cf_gap"], relabellings=20)["cf_gap"]["yes"].not_exchangeable == ALIKE


def test_counts_by_group_cannot_be_dealt(worked: Predictions) -> None:
    ones = np.ones((2, 2, 2))
    found = measure(worked, ["tpr_gap"], counts=Counts(ones, ones, ones, ones), relabellings=20)
    assert found["tpr_gap"]["pos"].not_exchangeable == NOT_BY_TERM


def test_nothing_is_dealt_unless_asked_for(random_predictions: Random) -> None:
    found = measure(random_predictions(), ["cf_gap"])["cf_gap"]["c0"]
    assert (found.p, found.not_exchangeable) == (None, None)
    assert "p" not in found.to_dict()


def test_the_order_of_rows_changes_nothing(random_predictions: Random) -> None:
    predictions = random_predictions(sources=5)
    shuffled = predictions.select(np.random.default_rng(2).permutation(len(predictions)))
    names = ["cf_gap", "tpr_gap", "avg_gf"]
    assert [one.p for *_, one in measure(predictions, names, relabellings=50)] == [
        one.p for *_, one in measure(shuffled, names, relabellings=50)
    ]


def world(
    rng: np.random.Generator,
    effects: np.ndarray,
    *,
    sources: int = 60,
    group: Sequence[float] = (0.0,) * 6,
    by_source: float = 0.0,
) -> Predictions:
    """Half of the sources are positive; terms have effects of their own, and so may groups, everywhere or by source."""
    code = np.repeat(np.arange(len(SIZES)), SIZES)
    gold = np.arange(sources) % 2
    level = rng.normal(0, 1, sources) + np.where(gold, 1.0, -1.0)
    noise = rng.normal(0, 0.5, (sources, len(code)))
    own = by_source * rng.normal(0, 1, (sources, len(SIZES)))[:, code] if by_source else 0.0
    p = (1 / (1 + np.exp(-(level[:, None] + effects + np.asarray(group)[code] + own + noise)))).ravel()
    terms = tuple(f"t{number:02d}" for number in range(len(code)))
    return Predictions(
        sources=tuple(f"s{number:05d}" for number in range(sources)),
        groups=tuple("abcdef"),
        classes=("-", "+"),
        source=np.repeat(np.arange(sources), len(code)),
        group=np.tile(code, sources),
        terms=terms * sources,
        gold=np.repeat(gold, len(code)),
        predicted=(p > 0.5).astype(np.int64),
        probabilities=np.stack([1 - p, p], axis=1),
    )


NAMES = ("fped_normalised", "tpr_gap", "cf_gap", "avg_if")


@pytest.mark.slow
def test_fair_systems_whose_terms_vary_are_rarely_beyond_chance() -> None:
    """Deals alone keep to their level in such a world; `p`, which allows for more, is no smaller than theirs."""
    small: dict[str, list[bool]] = {name: [] for name in NAMES}
    for seed in range(1000):  # so many that luck moves the rates by 0.7 points
        rng = np.random.default_rng(seed)
        found = measure(world(rng, rng.normal(0, 0.5, sum(SIZES)), sources=20), NAMES, relabellings=199, seed=seed)
        for name in NAMES:
            one = found[name]["+"]
            assert one.p is not None
            assert one.p_for_these_sources is not None
            assert one.p >= one.p_for_these_sources
            small[name].append(one.p_for_these_sources <= 0.05)
    for name, found_small in small.items():
        assert 0.02 <= np.mean(found_small) <= 0.065, name


GENERAL = ("fped_normalised", "tpr_gap", "avg_gf", "cf_gap", "avg_eg", "bpsn_auc", "label_flip_rate")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by_source", "wide"), [(0.5, 1.0), (0.0, 6.0)], ids=["gap by source", "one group varies more"]
)
def test_p_allows_for_gaps_by_source_and_for_groups_that_vary_more(by_source: float, wide: float) -> None:
    """Deals of the terms alone take these for bias in up to all of the systems."""
    code = np.repeat(np.arange(len(SIZES)), SIZES)
    general, dealt = [], []
    for seed in range(120):
        rng = np.random.default_rng([5, seed])
        effects = rng.normal(0, 0.2, len(code)) * np.where(code == len(SIZES) - 1, wide, 1.0)
        found = measure(world(rng, effects, sources=30, by_source=by_source), GENERAL, relabellings=99, seed=seed)
        each = [next(one for one in reversed(found[name].values())) for name in GENERAL]
        general.append([one.p is not None and one.p <= 0.05 for one in each])
        dealt.append([one.p_for_these_sources is not None and one.p_for_these_sources <= 0.05 for one in each])
    assert np.mean(general, axis=0).max() <= 0.065 + 0.02  # 120 systems: luck moves a rate by 2 points
    assert np.mean(dealt, axis=0).max() >= 0.5, "this world does not tell the two apart"


def test_a_group_that_is_off_is_beyond_chance() -> None:
    rng = np.random.default_rng(0)
    found = measure(world(rng, rng.normal(0, 0.1, sum(SIZES)), group=(0, 0, 1.5, 0, 0, 0)), NAMES, relabellings=199)
    for name in NAMES:
        assert found[name]["+"].p <= 0.05
        assert found[name]["+"].excess > 0


def two_by_two() -> Predictions:
    """Two groups of two terms in two sources; b1 and b2 are taken for bad in one source each."""
    bad = {("s", "b1"), ("t", "b2")}
    rows = [(source, term) for source in "st" for term in ("a1", "a2", "b1", "b2")]
    return Predictions.of(
        source=[source for source, _ in rows], group=[term[0] for _, term in rows], term=[term for _, term in rows],
        gold=["good"] * 8, predicted=["bad" if row in bad else "good" for row in rows],
    )  # fmt: skip


def test_p_is_the_larger_of_deals_and_of_the_generalising_test_by_hand() -> None:
    """False positives of bad: no a, half of each b. Among six deals, {a1, a2} and {b1, b2} alone give ½, so 2/6."""
    found = measure(two_by_two(), ["fped_normalised"], relabellings=50)["fped_normalised"]["bad"]
    assert found.p_for_these_sources == pytest.approx(1 / 3)
    # Terms of a group do not differ, nor do sources in the gap: again the share of deals.
    assert found.p == pytest.approx(1 / 3)
    dealt = Exchange(Design(two_by_two()), draws=50)
    assert Excess(dealt.design, dealt.finest, dealt.true).p(metric_named("fped_normalised"), 0) == pytest.approx(1 / 3)


def test_p_is_that_of_the_test_of_groups() -> None:
    """CFGap compares p(c), so what is asked in general is what `group_tests` asks."""
    rng = np.random.default_rng(3)
    predictions = world(rng, rng.normal(0, 0.3, sum(SIZES)), group=(0.4, 0, 0, 0, 0, 0), by_source=0.5, sources=20)
    exchange = Exchange(Design(predictions), draws=50)
    general = group_tests(predictions)["+"].generalising
    assert general is not None
    smallest = min(test.p for test in general.by_group.values() if test.p is not None)
    assert exchange.excess.p(metric_named("cf_gap"), 1) == pytest.approx(min(1.0, len(SIZES) * smallest))
    found = measure(predictions, ["cf_gap"], relabellings=50)["cf_gap"]["+"]
    assert found.p == max(found.p_for_these_sources or 0.0, min(1.0, len(SIZES) * smallest))


def test_a_metric_with_a_function_of_its_own_has_no_p(random_predictions: Random) -> None:
    own = OwnMetric("largest", compute=lambda metric, design, code: lambda weights: Outcome(
        design.groups, np.zeros((len(weights), 3)),
        np.full(len(weights), float(design.predictions.probabilities[design.column == 0, 0].max()))
    ), basis="probabilities")  # fmt: skip
    found = measure(random_predictions(terms=(3, 3, 3)), [own], relabellings=50)["largest"]["c0"]
    assert found.p_for_these_sources is not None
    assert (found.p, found.why_no_p) == (None, OF_ITS_OWN)
    assert "why_no_p" in found.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize(("names", "systems"), [(("fped_normalised", "tpr_gap", "fpr_range"), 200), (("avg_gf",), 40)])
@pytest.mark.parametrize(
    ("sd", "off"), [(0.0, 0.0), (0.5, 0.0), (0.3, 1.0)], ids=["fair", "terms vary", "one group off"]
)
def test_intervals_of_sizes_hold_the_value_with_many_more_sources(
    names: tuple[str, ...], systems: int, sd: float, off: float
) -> None:
    held: dict[str, list[bool]] = {name: [] for name in names}
    for seed in range(systems):
        rng = np.random.default_rng(seed)
        effects, group = rng.normal(0, sd, sum(SIZES)), (0.0, 0.0, off, 0.0, 0.0, 0.0)
        found = measure(world(rng, effects, group=group), names, bootstrap=200, seed=seed)
        truth = measure(world(rng, effects, group=group, sources=1800), names)
        for name in names:
            low, high = found[name]["+"].interval or (1.0, 0.0)
            held[name].append(low <= truth[name]["+"].value <= high)
    for name in names:
        assert np.mean(held[name]) >= 0.935, name


def test_intervals_of_exactly_fair_systems_begin_at_zero() -> None:
    begins = []
    for seed in range(40):
        found = measure(world(np.random.default_rng(seed), np.zeros(sum(SIZES))), ["tpr_gap"], bootstrap=200, seed=seed)
        interval = found["tpr_gap"]["+"].interval
        assert interval is not None
        begins.append(interval[0])
    assert np.mean(np.array(begins) == 0) >= 0.935


def one_term_fails() -> Predictions:
    """Three groups of three terms in four sources; a0 alone is taken for bad, in every source."""
    rows = [(source, group, f"{group}{place}") for source in range(4) for group in "abc" for place in range(3)]
    source, group, term = zip(*rows, strict=True)
    said = ["bad" if name == "a0" else "good" for name in term]
    return Predictions.of(source=source, group=group, term=term, gold=["good"] * len(rows), predicted=said)


def test_a_value_that_no_deal_changes_is_what_a_fair_system_would_get() -> None:
    # Rates ⅓, 0, 0 around 1/9: (2/9 + 1/9 + 1/9) / 3 = 4/27, whichever group a0 is dealt to.
    found = measure(one_term_fails(), ["fped_normalised"], relabellings=50, bootstrap=50)["fped_normalised"]["bad"]
    assert found.value == pytest.approx(4 / 27)
    assert found.expected_if_exchangeable == pytest.approx(4 / 27)
    assert found.excess == pytest.approx(0.0)
    assert (found.p, found.not_exchangeable) == (1.0, None)


def test_an_interval_without_width_is_none_and_names_the_term() -> None:
    found = measure(one_term_fails(), ["fped_normalised"], relabellings=50, bootstrap=50)["fped_normalised"]["bad"]
    assert found.interval is None
    assert found.rests_on is not None
    assert (found.rests_on.term, found.rests_on.without) == ("a0", 0.0)
    assert found.undefined == resting(found.rests_on)
    undealt = measure(one_term_fails(), ["fped_normalised"], bootstrap=50)["fped_normalised"]["bad"]
    assert (undealt.interval, undealt.undefined) == (None, STEADY)
    right = replace(one_term_fails(), predicted=one_term_fails().gold)
    assert measure(right, ["fped_normalised"], bootstrap=50)["fped_normalised"]["bad"].interval == (0.0, 0.0)
