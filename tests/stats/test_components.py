"""The generalising test, against a hand-computed example and a second implementation in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats import GroupedMeans, variance_components


def in_loops(
    cells: np.ndarray, stratum: list[int], c: list[float], groups: list[list[int]], pooled: bool
) -> tuple[float, float, float]:
    """Estimate, variance and degrees of freedom for one system: cells is (units, cells); written from the formula."""
    strata = range(len(c))
    members = [[i for i, s in enumerate(stratum) if s == wanted] for wanted in strata]
    m = [float(np.mean(row)) for row in cells]
    estimate = sum(c[s] * np.mean([m[i] for i in members[s]]) for s in strata)
    variances = [float(np.var([m[i] for i in members[s]], ddof=1)) for s in strata]
    n_of = [len(members[s]) for s in strata]
    parts = [(c[s] ** 2 * variances[s] / n_of[s], n_of[s] - 1) for s in strata]
    if pooled:
        freedom = sum(n - 1 for n in n_of)
        common = sum((n - 1) * v for n, v in zip(n_of, variances, strict=True)) / freedom
        parts = [_larger(common, freedom, [(c[s] ** 2 / n_of[s], variances[s], n_of[s] - 1) for s in strata])]
    taken_off = []
    for grouping in groups:
        labels = sorted(set(grouping))
        w = {g: grouping.count(g) / len(grouping) for g in labels}
        y = {
            (i, g): np.mean([cells[i, k] for k, h in enumerate(grouping) if h == g])
            for i in range(len(cells))
            for g in labels
        }
        sum_w2 = sum(w[g] ** 2 for g in labels)
        gap = {g: sum(c[s] * np.mean([y[i, g] for i in members[s]]) for s in strata) for g in labels}
        v_g = sum_w2 * sum(w[g] * (gap[g] - estimate) ** 2 for g in labels) / (1 - sum_w2)
        v_pg = 0.0
        for s in strata:
            n = len(members[s])
            mean_s = np.mean([m[i] for i in members[s]])
            for g in labels:
                mean_sg = np.mean([y[i, g] for i in members[s]])
                squares = sum((y[i, g] - m[i] - mean_sg + mean_s) ** 2 for i in members[s])
                v_pg += c[s] ** 2 / n * w[g] ** 2 / (1 - w[g]) * squares / (n - 1)
        # Fewer than five groups say too little about how persons react to them. A difference is as unsure as what it
        # was taken from.
        taken_off.append((v_pg * (len(labels) >= 5), v_g))
        parts.append((v_g, 1 / sum_w2 - 1))
    variance = sum(v for v, _ in parts) - sum(min(off, v) for off, v in taken_off)
    return float(estimate), float(variance), float(variance**2 / sum(v**2 / df for v, df in parts))


def _larger(common: float, freedom: int, strata: list[tuple[float, float, int]]) -> tuple[float, float]:
    """Each stratum's own variance or the common one, whichever is larger, with no more freedom than all have."""
    own = [(count * variance, df) for count, variance, df in strata if variance > common]
    shared = sum(count * common for count, variance, _ in strata if variance <= common)
    total = shared + sum(part for part, _ in own)
    df = total**2 / (shared**2 / freedom + sum(part**2 / one for part, one in own))
    return total, min(df, freedom)


def grouped(cells: np.ndarray, grouping: list[int]) -> GroupedMeans:
    """(units, cells, columns) averaged by group."""
    labels = sorted(set(grouping))
    chosen = [[k for k, h in enumerate(grouping) if h == g] for g in labels]
    means = np.stack([cells[:, where].mean(axis=1) for where in chosen], axis=1)
    return GroupedMeans(means, np.array([len(where) / len(grouping) for where in chosen]))


TEMPLATES, WORDS = [0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 2, 3, 4, 0, 1, 2]
COEFFICIENTS = [0.6, 0.4, -1.0]


def random_cells(seed: int, stratum: list[int]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n = len(stratum)
    gap_by_template = np.array(TEMPLATES)[None, :, None] * np.array(COEFFICIENTS)[stratum][:, None, None]
    return rng.normal(size=(n, 8, 3)) + rng.normal(size=(n, 1, 3)) + gap_by_template


@pytest.mark.parametrize("sizes", [(5, 6, 7), (3, 2, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_plain_loops(seed: int, sizes: tuple[int, int, int]) -> None:
    stratum = np.repeat([0, 1, 2], sizes).tolist()
    cells = random_cells(seed, stratum)
    found = variance_components(
        [grouped(cells, TEMPLATES), grouped(cells, WORDS)],
        stratum=np.array(stratum), coefficients=np.array(COEFFICIENTS), scale=np.ones(3),
    )  # fmt: skip
    assert found.pooled == (min(sizes) < 5)
    for k in range(3):
        estimate, variance, df = in_loops(cells[:, :, k], stratum, COEFFICIENTS, [TEMPLATES, WORDS], found.pooled)
        assert found.estimate[k] == pytest.approx(estimate)
        assert found.variance[k] == pytest.approx(variance)
        assert found.degrees_of_freedom[k] == pytest.approx(df)
        persons = in_loops(cells[:, :, k], stratum, COEFFICIENTS, [], found.pooled)[1]
        assert found.persons[k] == pytest.approx(persons)


def test_two_persons_who_lie_close_together_leave_one_degree_of_freedom() -> None:
    """They may vary six times as much as the twenty and not show it: 10 % false alarms without this."""
    rng = np.random.default_rng(8)
    stratum = np.repeat([0, 1], [2, 20])
    effects = rng.normal(size=(22, 4000)) * np.repeat([6.0, 1.0], [2, 20])[:, None]
    found = variance_components(
        [GroupedMeans(effects[:, None, :], np.ones(1))],
        stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(4000),
    )  # fmt: skip
    assert (found.p() < 0.05).mean() <= 0.065


@pytest.mark.parametrize(("sizes", "share"), [((10, 100), 0.1), ((5, 40), 0.15), ((20, 100), 0.05), ((12, 18), 0.15)])
def test_a_few_who_happen_not_to_react_hide_nothing_beside_many(sizes: tuple[int, int], share: float) -> None:
    """Some react, on both sides alike; with variances of their own up to 39 % false alarms."""
    reacts = np.random.default_rng(6).random((sum(sizes), 4000)) < share
    found = variance_components(
        [GroupedMeans(reacts[:, None, :].astype(float), np.ones(1))],
        stratum=np.repeat([0, 1], sizes), coefficients=np.array([1.0, -1.0]), scale=np.ones(4000),
    )  # fmt: skip
    assert found.pooled
    assert (found.p() < 0.05).mean() <= 0.065


@pytest.mark.parametrize("words", [5, 8])
def test_what_is_left_of_a_difference_is_as_unsure_as_what_it_was_taken_from(words: int) -> None:
    """The gap differs by word, and persons react to words: 7 to 8 % alarms where what is left counted as if it had been
    seen."""
    rng, systems, stratum = np.random.default_rng(3), 8_000, np.repeat([0, 1], 12)
    means = 0.02 * rng.normal(size=(24, words, systems)) + 0.01 * rng.normal(size=(24, words, systems))
    means[:12] += 0.02 * rng.normal(size=(words, systems))
    found = variance_components(
        [GroupedMeans(means, np.full(words, 1 / words))],
        stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(systems),
    )  # fmt: skip
    assert 0.03 <= (found.p() < 0.05).mean() <= 0.06


def test_small_strata_share_their_variance_and_hold_their_level() -> None:
    """With 2 against 20 persons, separate variances would raise 12 % false alarms, and the shared one alone 47 % where
    the two vary six times as much."""
    stratum = np.repeat([0, 1], [2, 20])
    scores = np.random.default_rng(0).normal(size=(22, 1, 20_000))
    found = variance_components(
        [GroupedMeans(scores, np.ones(1))], stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(20_000)
    )
    assert found.pooled
    assert (found.p() < 0.05).mean() <= 0.05
    student = stats.ttest_ind(scores[:2, 0], scores[2:, 0])
    calm = scores[:2, 0].var(axis=0, ddof=1) < scores[2:, 0].var(axis=0, ddof=1)
    assert (found.p()[calm] >= student.pvalue[calm] - 1e-12).all()
    scores[2:] /= 6
    wide = variance_components(
        [GroupedMeans(scores, np.ones(1))], stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(20_000)
    )
    # Two persons say too little about how far apart persons lie, whatever the rule.
    assert (wide.p() < 0.05).mean() <= 0.11


@pytest.mark.parametrize(("smallest", "pooled"), [(4, True), (5, False)])
def test_strata_share_a_variance_below_five_units(smallest: int, pooled: bool) -> None:
    stratum = np.repeat([0, 1], [smallest, 5])
    values = np.random.default_rng(0).normal(size=len(stratum))
    found = variance_components(
        [GroupedMeans(values[:, None, None], np.ones(1))],
        stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(1),
    )  # fmt: skip
    assert found.pooled == pooled


def test_pairs_never_share_a_variance_with_persons() -> None:
    cells = np.concatenate([np.random.default_rng(0).normal(size=(10, 1, 1)) * 9, np.zeros((6, 1, 1))])
    found = variance_components(
        [grouped(cells, [0])],
        stratum=np.repeat([0, 1, 2], [10, 3, 3]), coefficients=np.array([0.5, 0.5, -0.5]), scale=np.ones(1),
        pairs=np.array([True, False, False]),
    )  # fmt: skip
    assert found.variance[0] == pytest.approx(0.25 * np.var(cells[:10], ddof=1) / 10)
    assert found.degrees_of_freedom[0] == pytest.approx(9)


def test_matched_sizes_tell_what_balanced_groups_would_give() -> None:
    cells = np.random.default_rng(0).normal(size=(40, 1, 1))
    stratum = np.repeat([0, 1], [22, 18])
    found = variance_components(
        [grouped(cells, [0])], stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(1),
        matched_sizes=np.array([20.0, 20.0]),
    )  # fmt: skip
    one, two = (np.var(cells[stratum == s], ddof=1) for s in (0, 1))
    assert found.persons[0] == pytest.approx(one / 22 + two / 18)
    assert found.persons_if_matched[0] == pytest.approx((one + two) / 20)


def test_less_than_one_degree_of_freedom_says_nothing() -> None:
    cells = np.random.default_rng(0).normal(size=(10, 50, 1)) * 1e-9
    cells[:5, 49] += 5.0
    found = variance_components(
        [grouped(cells, [0] * 49 + [1])],
        stratum=np.repeat([0, 1], 5),
        coefficients=np.array([1.0, -1.0]),
        scale=np.ones(1),
    )
    assert found.degrees_of_freedom[0] < 1
    assert found.too_thin[0]
    assert np.isnan(found.p()[0])
    assert np.isnan(found.interval(0.95)[0][0])


def test_a_hand_computed_example() -> None:
    # Two groups of two persons, one template: means 1, 3 against 0, 2. Gap 1; common variance 2; V = 2/2 + 2/2; df 2.
    cells = np.array([[1.0], [3.0], [0.0], [2.0]])[:, :, None]
    found = variance_components(
        [grouped(cells, [0])], stratum=np.array([0, 0, 1, 1]), coefficients=np.array([1.0, -1.0]), scale=np.ones(1)
    )
    assert (found.estimate[0], found.variance[0], found.degrees_of_freedom[0]) == (1, 2, 2)
    assert found.persons[0] == 2
    assert found.p()[0] == pytest.approx(2 * stats.t.sf(1 / np.sqrt(2), 2))
    low, high = (end[0] for end in found.interval(0.95))
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 2, 1, np.sqrt(2)))


def test_with_persons_alone_it_is_welchs_test() -> None:
    rng = np.random.default_rng(2)
    one, two = rng.normal(size=7), rng.normal(size=5) * 3
    cells = np.concatenate([one, two])[:, None, None]
    found = variance_components(
        [grouped(cells, [0])],
        stratum=np.repeat([0, 1], [7, 5]), coefficients=np.array([1.0, -1.0]), scale=np.ones(1),
    )  # fmt: skip
    welch = stats.ttest_ind(one, two, equal_var=False)
    assert found.p()[0] == pytest.approx(welch.pvalue)
    assert found.degrees_of_freedom[0] == pytest.approx(welch.df)


def test_without_any_variance_the_estimate_decides() -> None:
    cells = np.zeros((4, 6, 3))
    cells[:2, :, 0] = 2.0
    cells[:2, :, 2] = 1e-17
    found = variance_components(
        [grouped(cells, [0, 0, 1, 1, 2, 2])],
        stratum=np.array([0, 0, 1, 1]), coefficients=np.array([1.0, -1.0]), scale=np.ones(3),
    )  # fmt: skip
    assert found.p().tolist() == [0, 1, 1]
    assert found.estimate.tolist() == [2, 0, 0]
    assert np.isnan(found.degrees_of_freedom).all()
    assert found.interval(0.9)[0].tolist() == [2, 0, 0]


def test_a_stratum_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="two units"):
        variance_components(
            [grouped(np.zeros((3, 1, 1)), [0])],
            stratum=np.array([0, 0, 1]), coefficients=np.array([1.0, -1.0]), scale=np.ones(1),
        )  # fmt: skip


def by_families(cells: np.ndarray, stratum: np.ndarray, c: list[float], family: list[int]) -> tuple[float, float]:
    """The persons' variance and its degrees of freedom, from the formula: Σ c² F/(F − 1) Σ (Σ r)² / n²."""
    means, total, squared = cells.mean(axis=1), 0.0, 0.0
    for s, weight in enumerate(c):
        mine = np.flatnonzero(stratum == s)
        r = means[mine] - means[mine].mean()
        names = sorted({family[i] for i in mine})
        sums = [sum(r[k] for k, i in enumerate(mine) if family[i] == name) for name in names]
        part = weight**2 * len(names) / (len(names) - 1) * sum(x**2 for x in sums) / len(mine) ** 2
        total += part
        squared += part**2 / (len(names) - 1)
    return total, total**2 / squared


def test_families_count_as_one() -> None:
    rng = np.random.default_rng(4)
    stratum = np.repeat([0, 1], [7, 6])
    family = [0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9]
    cells = rng.normal(size=(13, 3, 1))
    found = variance_components(
        [grouped(cells, [0, 0, 0])],
        stratum=stratum, coefficients=np.array([1.0, -1.0]), scale=np.ones(1), family=np.array(family),
    )  # fmt: skip
    variance, df = by_families(cells[:, :, 0], stratum, [1.0, -1.0], family)
    assert found.variance[0] == pytest.approx(variance)
    assert found.degrees_of_freedom[0] == pytest.approx(df)


def test_a_family_that_is_all_of_a_group_of_the_rest_counts_as_one_unit() -> None:
    """Group 2 of the rest is one family of two: it varies as the widest of the others does, and not half as much."""
    cells = np.array([[0.0], [2.0], [1.0], [3.0], [8.0], [5.0], [5.5]])[:, :, None]
    shared = {"coefficients": np.array([1.0, -0.5, -0.5]), "scale": np.ones(1), "rest": np.array([False, True, True])}
    family = variance_components(
        [grouped(cells, [0])], stratum=np.array([0, 0, 1, 1, 1, 2, 2]), family=np.array([0, 1, 2, 3, 4, 5, 5]), **shared
    )
    one = cells[:6].copy()
    one[5] = 5.25
    unit = variance_components([grouped(one, [0])], stratum=np.array([0, 0, 1, 1, 1, 2]), **shared)
    # The rest's variance is 13: ¼ · 13/3 for the three, ¼ · 13 for the family, and for the group of two what all share.
    shared_by_all = (2 + 26) / 3
    assert family.persons[0] == pytest.approx(shared_by_all / 2 + 13 / 12 + 13 / 4)
    assert family.persons[0] == pytest.approx(unit.persons[0])


def test_two_families_by_hand() -> None:
    """Four names in three families, 1 and 3 in one: r = −2.5, −0.5, 0.5, 2.5, so V = 3/2 · (9 + 0.25 + 6.25) / 16."""
    means = np.array([1.0, 3.0, 4.0, 6.0, 0.0, 0.0])[:, None, None]
    found = variance_components(
        [GroupedMeans(means, np.ones(1))],
        stratum=np.array([0, 0, 0, 0, 1, 1]), coefficients=np.array([1.0, -1.0]), scale=np.ones(1),
        family=np.array([0, 0, 1, 2, 3, 4]), pairs=np.array([True, False]),
    )  # fmt: skip
    assert found.variance[0] == pytest.approx(1.5 * (9 + 0.25 + 6.25) / 16)
    assert found.degrees_of_freedom[0] == pytest.approx(2)


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.8])
def test_families_that_react_alike_raise_no_alarms(alike: float) -> None:
    """Families of two and three names; without them, 15 to 21 % false alarms."""
    rng = np.random.default_rng(5)
    family = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6] * 2) + np.repeat([0, 10], 10)
    n = 20_000
    common = rng.normal(size=(20, n))[family]
    means = np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.normal(size=(20, n))
    design = {
        "stratum": np.repeat([0, 1], 10), "coefficients": np.array([1.0, -1.0]), "scale": np.ones(n),
    }  # fmt: skip
    grouping = [GroupedMeans(means[:, None, :], np.ones(1))]
    found = variance_components(grouping, **design, family=family)
    # Seven families a side, one of them of three names: at 0.8 a little above the level.
    assert (found.p() < 0.05).mean() <= 0.068
    if alike:
        assert (variance_components(grouping, **design).p() < 0.05).mean() >= 0.09


def test_one_group_against_the_rest_by_hand() -> None:
    """A group of two, a rest of three groups: two units, one unit, three units."""
    values = np.array([0.1, 0.5, 0.2, 0.4, 0.9, 0.3, 0.6, 0.6])
    found = variance_components(
        [GroupedMeans(values[:, None, None], np.ones(1))],
        stratum=np.array([0, 0, 1, 1, 2, 3, 3, 3]), coefficients=np.array([1, -1 / 3, -1 / 3, -1 / 3]),
        scale=np.ones(1), rest=np.array([False, True, True, True]),
    )  # fmt: skip
    # Squares 0.08, 0.02, -, 0.06 over 1, 1, 0, 2: the group's own 0.08 is more than the shared 0.16 / 4 = 0.04, which
    # counts for the others; the single unit has the largest variance of the rest, 0.03.
    own, pair, triple, single = 0.08 / 2, 0.04 / 2 / 9, 0.04 / 3 / 9, 0.03 / 9
    variance = own + pair + triple + single
    assert found.estimate[0] == pytest.approx(0.3 - (0.3 + 0.9 + 0.5) / 3)
    assert found.variance[0] == pytest.approx(variance)
    # Pairs count by their share, not by its square, and one of the rest has half a degree of freedom.
    by_share = own / variance + pair / variance / 0.5 + (triple / variance) ** 2 / 6 + (single / variance) ** 2 / 3
    assert found.degrees_of_freedom[0] == pytest.approx(1 / by_share)
    assert found.pooled


def test_a_few_units_close_together_get_what_all_groups_share() -> None:
    values = np.array([0.3, 0.3, 0.2, 0.4, 0.9, 0.3])
    found = variance_components(
        [GroupedMeans(values[:, None, None], np.ones(1))],
        stratum=np.array([0, 0, 1, 1, 2, 2]), coefficients=np.array([1, -1 / 2, -1 / 2]),
        scale=np.ones(1), rest=np.array([False, True, True]),
    )  # fmt: skip
    shared = (0.0 + 0.02 + 0.18) / 3
    assert found.variance[0] == pytest.approx(shared / 2 + shared / 2 / 4 + 0.18 / 2 / 4)


def test_only_groups_of_a_rest_may_be_single() -> None:
    design = {"coefficients": np.array([1, -1 / 2, -1 / 2]), "scale": np.ones(1)}
    rest = np.array([False, True, True])
    for stratum in ([0, 1, 1, 2, 2], [0, 0, 1, 2]):
        means = [GroupedMeans(np.zeros((len(stratum), 1, 1)), np.ones(1))]
        with pytest.raises(ValueError, match="two units"):
            variance_components(means, stratum=np.array(stratum), rest=rest, **design)
    means = [GroupedMeans(np.zeros((4, 1, 1)), np.ones(1))]
    with pytest.raises(ValueError, match="two units"):
        variance_components(means, stratum=np.array([0, 0, 1, 2]), **design)


SIZES = ((3, 6, 5, 3, 4, 5, 7, 4, 5, 3, 5, 5, 3), (5, 3, 5, 8, 4, 6, 6, 4, 4, 3), (6, 1, 4, 4))
"""Terms of the groups of disability and religion in the identity corpus, and a rest with a group of one."""


@pytest.mark.parametrize("spread", [0.0, 0.7])
def test_false_alarms_of_groups_against_the_rest_with_few_terms_and_unequal_spreads(spread: float) -> None:
    """Over all groups of an attribute, corrected; one variance for all would raise 10 to 25 % where spreads differ."""
    rng, systems = np.random.default_rng(7), 3_000
    for sizes in SIZES:
        k, stratum = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
        values = rng.normal(size=(len(stratum), systems)) * np.exp(spread * rng.normal(size=(k, systems)))[stratum]
        p = []
        for group in np.flatnonzero(np.array(sizes) > 1):
            coefficients = np.where(np.arange(k) == group, 1.0, -1 / (k - 1))
            found = variance_components(
                [GroupedMeans(values[:, None, :], np.ones(1))],
                stratum=stratum, coefficients=coefficients, scale=np.ones(systems), rest=np.arange(k) != group,
            )  # fmt: skip
            p.append(found.p())
        # Nothing shows how much a group of one would vary.
        most = 0.075 if 1 in sizes else 0.065
        assert (np.min(p, axis=0) < 0.05 / len(p)).mean() <= most
