"""Tests of groups on predictions: the published ones, those over terms, and what neither can say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import UsageError
from evenhand.metrics import Predictions
from evenhand.metrics.crossing import Sampled
from evenhand.metrics.testing import GroupTests, group_tests

TERMS = {"young": ["teen", "youth", "kid"], "adult": ["grown-up", "adult"], "old": ["senior", "elder", "aged", "gray"]}


def scored(
    effects: dict[str, float] | None = None, *, sources: int = 12, seed: int = 0, shift: float = 0.0
) -> Predictions:
    """A regression system with an effect for each term; the last group is shifted."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{source}", group, term) for source in range(sources) for group, terms in TERMS.items() for term in terms
    ]
    scores = [
        0.5 + (effects or {}).get(term, 0.0) + shift * (group == "old") + rng.normal(0, 0.01) for _, group, term in rows
    ]
    source, group, term = zip(*rows, strict=True)
    return Predictions.of(source=source, group=group, term=term, score=scores)


def by_hand(predictions: Predictions) -> np.ndarray:
    """The mean per source and group, in loops."""
    matrix = np.empty((len(predictions.sources), len(predictions.groups)))
    for source in range(len(predictions.sources)):
        for group in range(len(predictions.groups)):
            rows = (predictions.source == source) & (predictions.group == group)
            matrix[source, group] = predictions.probabilities[rows, 0].mean()
    return matrix


def test_published_is_friedman_on_the_means_of_sources_and_groups() -> None:
    predictions = scored()
    found = group_tests(predictions)["score"].published
    means = by_hand(predictions)
    assert found.omnibus.name == "Friedman"
    assert found.omnibus.p == pytest.approx(stats.friedmanchisquare(*means.T).pvalue)
    pair = found.pairs[1]
    assert (pair.first, pair.second, pair.test.name) == ("young", "old", "Wilcoxon")
    assert pair.test.p == pytest.approx(stats.wilcoxon(means[:, 0], means[:, 2]).pvalue)


def test_two_groups_are_wilcoxons() -> None:
    predictions = scored().of_groups(["old", "young"])
    found = group_tests(predictions)["score"].published
    means = by_hand(predictions)
    assert found.omnibus.name == "Wilcoxon"
    assert found.omnibus.p == pytest.approx(stats.wilcoxon(means[:, 0], means[:, 1]).pvalue)
    assert len(found.pairs) == 1


def test_generalising_is_the_variance_components_of_an_audit() -> None:
    """In loops: of two groups of 4 and 3 terms each has its own variance or the shared one, if that is larger; that of
    three terms is as unsure as if it were all. Sources add what the gap varies by, less the noise."""
    predictions = scored(seed=4).of_groups(["old", "young"])
    found = group_tests(predictions)["score"].generalising
    terms = np.array(predictions.terms)
    table = {
        name: np.array([predictions.probabilities[terms == term, 0] for term in TERMS[name]])
        for name in ("old", "young")
    }
    means = {name: part.mean(axis=1) for name, part in table.items()}
    shared = sum(((one - one.mean()) ** 2).sum() for one in means.values()) / 5
    own = {name: (one.var(ddof=1), len(one)) for name, one in means.items()}
    of_terms = sum(max(variance, shared) / n for variance, n in own.values())
    unsure, of_both = 0.0, 0.0
    for variance, n in own.values():
        if variance > shared:
            unsure += variance / n * (of_terms if n == 3 else variance / n) / (n - 1)
        else:
            of_both += shared / n
    df_terms = min(of_terms**2 / (unsure + of_both**2 / 5), 5)
    gaps = table["old"].mean(axis=0) - table["young"].mean(axis=0)
    noise = 0.0
    for part in table.values():
        left = part - part.mean(axis=1, keepdims=True) - part.mean(axis=0) + part.mean()
        noise += (left**2).sum() / (len(part) - 1) / 11 / len(part)
    of_sources = max(gaps.var(ddof=1) - noise, 0.0) / 12
    with_noise = gaps.var(ddof=1) / 12  # which is what tells how unsure it is
    variance = of_terms + of_sources
    test = found.by_group["old"]
    assert found.method == "variance components"
    assert (found.over, found.sources) == (("source",), 12)
    assert test.estimate == pytest.approx(means["old"].mean() - means["young"].mean())
    assert test.standard_error == pytest.approx(np.sqrt(variance))
    assert test.df == pytest.approx(variance**2 / (of_terms**2 / df_terms + with_noise**2 / 11))
    assert test.pooled


def by_source(rng: np.random.Generator, sizes: tuple[int, ...], *, holes: float = 0.0) -> Predictions:
    """A fair system whose gap between groups differs by source (sd 0.5 logit), on sixty sources."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    logit = rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, len(sizes)))[:, group]
    logit = logit + 0.1 * rng.normal(size=logit.shape)
    kept = rng.random(logit.shape) >= holes
    source, term = np.nonzero(kept)
    return Predictions.of(
        source=source, group=[f"g{group[place]}" for place in term], term=[f"t{place}" for place in term],
        score=1 / (1 + np.exp(-logit[kept])),
    )  # fmt: skip


@pytest.mark.parametrize(("sizes", "holes"), [((6, 6, 7), 0.0), ((5, 3, 5, 8, 4), 0.0), ((6, 6, 7), 0.3)])
def test_false_alarms_where_the_gap_differs_by_source(sizes: tuple[int, ...], holes: float) -> None:
    """Over term means alone, 40 to 70 % of such systems were called different."""
    rng, systems = np.random.default_rng(23), 250
    alarmed, covered = 0, []
    for _ in range(systems):
        general = group_tests(by_source(rng, sizes, holes=holes))["score"].generalising
        assert general.method == ("terms and sources apart" if holes else "variance components")
        alarmed += any(test.significant for test in general.by_group.values())
        covered += [test.interval[0] <= 0 <= test.interval[1] for test in general.by_group.values()]
        for test in general.by_group.values():
            assert test.shown_interval[0] <= test.interval[0]
    # Two standard errors of the count above the goals of 6.5 and 93.5 %.
    assert alarmed / systems <= 0.065 + 0.03
    assert np.mean(covered) >= 0.935 - 0.02


def test_templates_and_words_count_where_they_are_known() -> None:
    """Twelve sources of three templates: what varies by template has two degrees of freedom, not eleven."""
    plain = scored(seed=5)
    template = {source: f"t{int(source[1:]) % 3}" for source in plain.sources}
    found = group_tests(replace(plain, sampled=Sampled({"template": template})))["score"].generalising
    assert found.over == ("template",)
    families = {("old", term): "one" for term in ("senior", "elder", "aged")}
    together = group_tests(replace(plain, sampled=Sampled(families=families)))["score"].generalising
    assert (
        together.by_group["old"].standard_error
        != group_tests(plain)["score"].generalising.by_group["old"].standard_error
    )


def test_terms_that_are_missing_from_many_sources_are_left_out_and_named() -> None:
    whole = scored()
    holed = whole.select(~((np.array(whole.terms) == "kid") & (whole.source > 5)))
    found = group_tests(holed)["score"].generalising
    assert found.terms_left_out == ("kid",)
    assert found.by_group["young"].terms == 2
    assert found.method == "variance components"


def test_the_limits_of_what_is_not_crossed_are_said() -> None:
    assert "each source is about one group" in group_tests(natural())["score"].generalising.limits
    holed = by_source(np.random.default_rng(0), (6, 6, 7), holes=0.4)
    assert "counted twice" in group_tests(holed)["score"].generalising.limits


def test_one_odd_term_is_a_finding_on_these_terms_and_none_in_general() -> None:
    found = group_tests(scored({"elder": 0.2}))["score"]
    assert found.published.omnibus.p < 0.001
    assert any(pair.significant for pair in found.published.pairs)
    assert found.generalising.omnibus.p > 0.05
    assert not any(test.significant for test in found.generalising.by_group.values())


def test_a_shift_of_all_terms_is_found_by_both() -> None:
    found = group_tests(scored(shift=0.1))["score"]
    assert found.published.omnibus.p < 0.001
    assert found.generalising.by_group["old"].significant
    assert found.generalising.by_group["old"].estimate == pytest.approx(0.1, abs=0.01)
    assert found.generalising.by_group["young"].estimate < 0


def test_a_term_in_some_sources_only_is_not_blamed_for_them() -> None:
    """Sources differ much, terms not at all; one term stands only where scores are high."""
    rows = [(source, group, term) for source in range(6) for group, terms in TERMS.items() for term in terms]
    rows = [row for row in rows if row[2] != "kid" or row[0] > 3]
    source, group, term = zip(*rows, strict=True)
    level = [0.1 * number for number in source]
    found = group_tests(Predictions.of(source=source, group=group, term=term, score=level))["score"]
    assert found.generalising.by_group["young"].estimate == 0
    assert found.generalising.by_group["young"].undefined.startswith("identical")
    assert found.published.omnibus.undefined.startswith("identical: all values tie")


def test_each_class_and_the_gold_class_are_tested(random_predictions: Callable[..., Predictions]) -> None:
    predictions = random_predictions(sources=20)
    found = group_tests(predictions)
    assert list(found.classes) == ["c0", "c1", "c2", "all"]
    of_gold = Predictions.of(
        source=[predictions.sources[code] for code in predictions.source],
        group=[None if code < 0 else predictions.groups[code] for code in predictions.group],
        term=predictions.terms,
        score=predictions.probabilities[np.arange(len(predictions)), predictions.gold],
    )
    alone = group_tests(of_gold)["score"]
    assert found["all"].published.omnibus.p == pytest.approx(alone.published.omnibus.p)
    assert found["all"].generalising.omnibus.p == pytest.approx(alone.generalising.omnibus.p)


def test_unperturbed_sentences_are_no_group(random_predictions: Callable[..., Predictions]) -> None:
    predictions = random_predictions()
    without = predictions.select(predictions.group >= 0)
    assert group_tests(predictions).to_dict() == group_tests(without).to_dict()


def test_rows_may_come_in_any_order(random_predictions: Callable[..., Predictions]) -> None:
    predictions = random_predictions()
    shuffled = predictions.select(np.random.default_rng(1).permutation(len(predictions)))
    assert group_tests(shuffled).to_dict() == group_tests(predictions).to_dict()


def natural(n: int = 60) -> Predictions:
    rng = np.random.default_rng(3)
    group = rng.choice(["a", "b", "c"], size=n)
    score = rng.normal(size=n) + (group == "c")
    return Predictions.of(
        source=range(n), group=group, term=[f"{one}{i % 7}" for i, one in enumerate(group)], score=score
    )


def test_sources_that_several_terms_of_one_group_share_count_as_a_sample() -> None:
    """Over term means alone, 37 % of these fair systems were called different."""
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng([9, seed])
        level, effect = rng.normal(size=(2, 10)), 0.3 * rng.normal(size=(2, 5))
        logit = level[:, :, None] + effect[:, None, :] + 0.3 * rng.normal(size=(2, 10, 5))
        rows = [
            (f"{group}-{source}", group, f"{group}{term}")
            for group in "ab"
            for source in range(10)
            for term in range(5)
        ]
        source, group, term = zip(*rows, strict=True)
        found = group_tests(
            Predictions.of(source=source, group=group, term=term, score=1 / (1 + np.exp(-logit.ravel())))
        )["score"].generalising
        assert found is not None
        assert (found.method, found.over) == ("terms and sources apart", ("source",))
        alarms += bool(found.by_group["a"].significant)
    assert alarms / 200 <= 0.09  # luck moves it by 1.5 points


def test_sources_with_one_group_each_are_independent() -> None:
    predictions = natural()
    found = group_tests(predictions)
    parts = [predictions.probabilities[predictions.group == code, 0] for code in range(3)]
    assert found.design == "independent"
    assert found.complete == 0
    published = found["score"].published
    assert published.omnibus.name == "Kruskal-Wallis"
    assert published.omnibus.p == pytest.approx(stats.kruskal(*parts).pvalue)
    assert published.pairs[0].test.p == pytest.approx(stats.mannwhitneyu(parts[0], parts[1]).pvalue)
    assert found["score"].generalising.by_group[predictions.groups[0]].terms == 7
    two = group_tests(predictions.of_groups(["a", "b"]))
    assert two["score"].published.omnibus.name == "Mann-Whitney"


def test_the_design_may_be_said() -> None:
    assert group_tests(scored(), design="independent")["score"].published.omnibus.name == "Kruskal-Wallis"


def test_sources_that_lack_a_group_are_left_out_and_counted() -> None:
    whole = scored()
    holed = whole.select(~((whole.source == 0) & (whole.group == 1)))
    found = group_tests(holed)
    rest = group_tests(whole.select(whole.source != 0))
    assert (found.sources, found.complete) == (12, 11)
    assert found["score"].published.omnibus == rest["score"].published.omnibus
    assert found["score"].generalising.omnibus.p == pytest.approx(rest["score"].generalising.omnibus.p)
    pair = found["score"].published.pairs[1]  # young and old stand together in all twelve
    assert pair.test.n == 12


def test_no_source_with_every_group_leaves_pairs_only() -> None:
    whole = scored()
    holed = whole.select(whole.group != whole.source % 3)
    found = group_tests(holed)["score"]
    assert found.published.omnibus.undefined.startswith("there are no blocks")
    assert found.published.pairs[0].test.p is not None
    assert found.published.pairs[0].significant is None
    assert found.generalising is None
    assert found.undefined["generalising"].startswith("no source holds every group")


def reasons(found: GroupTests, label: str) -> set[str]:
    return set(found[label].undefined.values())


def test_what_is_missing_is_said() -> None:
    labels = Predictions.of(source=[0, 0], group=["a", "b"], term=["x", "y"], predicted=["1", "0"])
    assert reasons(group_tests(labels), "1") == {"no probabilities are given"}
    no_gold = Predictions.of(source=[0, 0], group=["a", "b"], probabilities={"0": [0.2, 0.3], "1": [0.8, 0.7]})
    assert reasons(group_tests(no_gold), "all") == {"no gold classes are given"}
    assert group_tests(no_gold)["1"].undefined == {
        "generalising": "no terms are given, so it cannot be said how they differ"
    }
    one = Predictions.of(source=[0, 1], group=["a", "a"], score=[0.1, 0.2])
    assert reasons(group_tests(one), "score") == {"there is one group only, and nothing to compare it with"}


def test_one_term_a_group_cannot_generalise() -> None:
    found = group_tests(
        Predictions.of(source=[0, 0, 1, 1], group=["a", "b"] * 2, term=["x", "y"] * 2, score=[0.1, 0.2, 0.3, 0.5])
    )
    test = found["score"].generalising.by_group["a"]
    assert test.undefined == "cannot generalise over terms: the group has one term"
    assert test.estimate == pytest.approx(-0.15)
    assert found["score"].generalising.left_out == ("a", "b")


def test_plain_values_have_no_nan_and_a_reason_for_each_none(random_predictions: Callable[..., Predictions]) -> None:
    for predictions in (random_predictions(), random_predictions(extreme=True), natural(), scored()):
        plain = json.loads(json.dumps(group_tests(predictions).to_dict(), allow_nan=False))
        for tests in plain["classes"].values():
            for kind in ("published", "generalising"):
                assert (tests[kind] is None) == (kind in tests["undefined"])
            generalising = tests["generalising"] or {"by_group": {}}
            for test in [*generalising["by_group"].values(), tests["published"]["omnibus"]]:
                assert (test["effect"] is None) == (test["undefined"] is not None)
                assert test["p"] is not None or test["undefined"]
            assert {"first", "second", "p", "p_adjusted", "effect", "effect_name", "significant"} <= set(
                tests["published"]["pairs"][0]
            )


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        group_tests(scored(), correction="hollm")
    with pytest.raises(UsageError, match="alpha must lie between"):
        group_tests(scored(), alpha=5)


@pytest.mark.slow
def test_false_alarms_where_only_terms_differ() -> None:
    """The whole way from predictions: the published test is fooled by terms, the other is not."""
    rng = np.random.default_rng(17)
    fooled = alarmed = 0
    for seed in range(400):
        effects = {term: rng.normal(0, 0.03) for terms in TERMS.values() for term in terms}
        found = group_tests(scored(effects, seed=seed))["score"]
        fooled += found.published.omnibus.p < 0.05
        alarmed += any(test.significant for test in found.generalising.by_group.values())
    assert fooled / 400 > 0.90
    assert alarmed / 400 < 0.08


def one_term_each(gap: float = 0.3, sources: int = 15) -> Predictions:
    """Two groups of one term each, which differ in every source, by about the same."""
    rng = np.random.default_rng(3)
    rows = [(f"s{source}", group, rng.normal(0.5, 0.02)) for source in range(sources) for group in ("old", "young")]
    return Predictions.of(
        source=[source for source, *_ in rows],
        group=[group for _, group, _ in rows],
        term=["elder" if group == "old" else "teen" for _, group, _ in rows],
        score=[value + gap * (group == "old") for _, group, value in rows],
    )


def test_where_a_group_has_one_term_the_answer_is_for_these_terms_over_sentences() -> None:
    predictions = one_term_each()
    tests = group_tests(predictions)["score"]
    assert tests.generalising is not None
    assert tests.generalising.omnibus.p is None
    assert tests.these_terms is not None
    means = by_hand(predictions)
    assert tests.these_terms["old"].difference == pytest.approx((means[:, 0] - means[:, 1]).mean())
    assert tests.these_terms["old"].p == pytest.approx(stats.ttest_rel(*means.T).pvalue)
    assert tests.these_terms["old"].sources == 15


def test_where_terms_are_a_sample_they_are_the_answer() -> None:
    assert group_tests(scored())["score"].these_terms is None
    unnamed = replace(scored(), terms=("",) * len(scored()))
    assert group_tests(unnamed)["score"].these_terms is not None


def test_groups_of_different_sources_cannot_be_compared_within_them() -> None:
    predictions = one_term_each()
    apart = predictions.select(np.array([source % 2 == group for source, group in zip(
        predictions.source, predictions.group, strict=True)]))  # fmt: skip
    assert group_tests(apart)["score"].these_terms is None


def test_the_answer_for_these_terms_is_saved_and_read_again() -> None:
    found = group_tests(one_term_each())
    again = GroupTests.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    older = found.to_dict()
    del older["classes"]["score"]["these_terms"]
    assert GroupTests.from_dict(older)["score"].these_terms is None
