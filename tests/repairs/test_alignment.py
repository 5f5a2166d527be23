"""Score alignment: groups meet in their barycentre, and nobody is overtaken on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.contrasts import EVERYBODY, PAIRED, UNPAIRED
from evenhand.corpora import Corpus, eec
from evenhand.repairs import alignment
from evenhand.repairs.alignment import STEPS, Alignment, Path, barycentre_paths
from evenhand.repairs.evidence import evidence
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, Output

Tells = Callable[[Corpus], Array]


def crossed(groups: tuple[str, ...] = ("female", "male"), persons: int = 8, sources: int = 12) -> Corpus:
    """Every person in every source; templates and words as in the corpora that come with Evenhand."""
    rows = [
        {
            "id": f"{source}-{group}-{person}",
            "text": f"{group} {person} feels {source}.",
            "source": f"s{source}",
            "person": f"{group}{person}",
            "template": f"t{source % 3}",
            "word": f"w{source // 3}",
            "gender": group,
        }
        for source in range(sources)
        for group in groups
        for person in range(persons)
    ]
    return Corpus(pl.DataFrame(rows), "crossed", {"gender": groups}, groupings=("template", "word"))


def scored(corpus: Corpus, matrix: Array, outputs: tuple[Output, ...] = (Output("score"),)) -> Scores:
    columns = tuple(Column("s", output, "f") for output in outputs)
    return Scores(tuple(corpus.frame["id"]), matrix.reshape(len(corpus), -1), columns, corpus.digest)


def levels(corpus: Corpus, *, noise: float = 0.01, seed: int = 0) -> Array:
    """A level for each source and a little of each sentence's own."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(corpus.frame["source"]))
    of_source = dict(zip(names, rng.uniform(0.3, 0.7, len(names)), strict=True))
    return np.array([of_source[source] for source in corpus.frame["source"]]) + noise * rng.normal(size=len(corpus))


def where(corpus: Corpus, **values: str) -> Array:
    return np.array(pl.all_horizontal([pl.col(k).eq_missing(pl.lit(v)) for k, v in values.items()]).pipe(
        lambda condition: corpus.frame.select(condition).to_series().to_numpy()
    ))  # fmt: skip


def mean_gap(scores: Scores, corpus: Corpus, attribute: str = "gender", place: int = 0) -> float:
    first, second = (
        scores.matrix[where(corpus, **{attribute: group}), place] for group in corpus.attributes[attribute][:2]
    )
    return float(first.mean() - second.mean())


def test_tied_values_go_to_the_mean_of_the_ranks_that_they_take_up() -> None:
    # Quantile functions: the first 0 up to 1/2, then 1; the second 0 up to 1/4, then 1.
    # Their mean: 0 up to 1/4, 1/2 up to 1/2, then 1.
    first, second = barycentre_paths([np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 1, 1])], [np.ones(4)] * 2)
    assert first.starts.tolist() == second.starts.tolist() == [0.0, 1.0]
    assert first.ends == pytest.approx([0.25, 1.0])
    assert second.ends == pytest.approx([0.0, (0.25 * 0.5 + 0.5 * 1) / 0.75])


def test_without_ties_and_of_one_size_sorted_values_are_averaged() -> None:
    rng = np.random.default_rng(1)
    groups = [rng.normal(loc=loc, scale=1 + loc, size=40) for loc in (0.0, 0.5, 1.0)]
    paths = barycentre_paths(groups, [np.ones(40)] * 3)
    together = np.mean([np.sort(group) for group in groups], axis=0)
    for path, group in zip(paths, groups, strict=True):
        assert path.starts == pytest.approx(np.sort(group))
        assert path.ends == pytest.approx(together)


def test_of_different_sizes_it_agrees_with_numpys_quantiles() -> None:
    rng = np.random.default_rng(2)
    groups = [rng.integers(0, 9, 30) / 10, rng.normal(size=50)]
    grid = (np.arange(300_000) + 0.5) / 300_000
    barycentre = np.mean([np.quantile(group, grid, method="inverted_cdf") for group in groups], axis=0)
    for path, group in zip(barycentre_paths(groups, [np.ones(len(group)) for group in groups]), groups, strict=True):
        at = np.quantile(group, grid, method="inverted_cdf")
        expected = [barycentre[at == value].mean() for value in path.starts]
        assert path.starts.tolist() == np.unique(group).tolist()
        assert path.ends == pytest.approx(np.array(expected), abs=1e-4)


def test_weights_count_as_repetitions() -> None:
    weighted = barycentre_paths([np.array([0.0, 1.0]), np.array([2.0])], [np.array([3.0, 1.0]), np.ones(1)])
    repeated = barycentre_paths([np.array([0.0, 0, 0, 1]), np.array([2.0])], [np.ones(4), np.ones(1)])
    assert [path.ends.tolist() for path in weighted] == [path.ends.tolist() for path in repeated]


def test_beyond_the_steps_the_nearest_shift_holds_and_between_them_it_is_interpolated() -> None:
    path = Path(np.array([0.0, 1.0]), np.array([0.1, 1.3]))
    assert path.shift(np.array([-5.0, 0.0, 0.5, 1.0, 7.0])) == pytest.approx([0.1, 0.1, 0.2, 0.3, 0.3])


values = arrays(np.float64, st.integers(2, 30), elements=st.floats(-2, 2).map(lambda value: round(value, 2)))


@given(first=values, second=values, asked=values, weight=st.floats(0, 1), steps=st.sampled_from([3, STEPS]))
def test_nobody_is_overtaken_within_a_group(
    first: Array, second: Array, asked: Array, weight: float, steps: int
) -> None:
    asked = np.sort(np.concatenate([asked, 3 * asked, first]))
    for path in barycentre_paths([first, second], [np.ones(len(first)), np.ones(len(second))], steps=steps):
        assert len(path.starts) <= steps
        moved = asked + weight * path.shift(asked)
        assert (np.diff(moved) >= -1e-12).all()


@given(first=values, second=values, third=values, steps=st.sampled_from([3, STEPS]))
def test_all_groups_come_to_one_mean(first: Array, second: Array, third: Array, steps: int) -> None:
    groups = [first, second, third]
    paths = barycentre_paths(groups, [np.ones(len(group)) for group in groups], steps=steps)
    everybody = np.mean([group.mean() for group in groups])
    for path, group in zip(paths, groups, strict=True):
        if len(np.unique(group)) <= steps:  # every value is a step of its own
            assert (group + path.shift(group)).mean() == pytest.approx(everybody, abs=1e-9)


def test_distributions_of_another_place_and_another_width_become_one() -> None:
    corpus = crossed(persons=20)
    female = where(corpus, gender="female")
    plain = levels(corpus, noise=0.02)
    matrix = np.where(female, 0.45 + 0.6 * (plain - 0.5), plain)
    scores = scored(corpus, matrix)
    fitted = Alignment.fit(scores, corpus)
    after = fitted.apply(scores, corpus).matrix[:, 0]
    weight = fitted.moves[0].weight
    assert 0.9 < weight < 1
    before = stats.wasserstein_distance(matrix[female], matrix[~female])
    left = stats.wasserstein_distance(after[female], after[~female])
    assert left == pytest.approx((1 - weight) * before, abs=0.05 * before)
    for group in (female, ~female):
        assert stats.spearmanr(matrix[group], after[group]).statistic == pytest.approx(1, abs=1e-9)


def test_a_fair_system_is_left_alone_to_the_last_bit() -> None:
    corpus = crossed()
    scores = scored(corpus, levels(corpus))
    fitted = Alignment.fit(scores, corpus)
    assert [move.weight for move in fitted.moves] == [0.0]
    assert (fitted.apply(scores, corpus).matrix == scores.matrix).all()


def test_three_groups_meet_in_the_middle() -> None:
    corpus = crossed(groups=("a", "b", "c"))
    gaps = {"a": 0.1, "b": 0.0, "c": -0.04}
    own = np.array([gaps[group] for group in corpus.frame["gender"]])
    scores = scored(corpus, levels(corpus) + own)
    after = Alignment.fit(scores, corpus).apply(scores, corpus)
    means = [after.matrix[where(corpus, gender=group), 0].mean() for group in "abc"]
    assert means == pytest.approx([levels(corpus).mean() + 0.02] * 3, abs=0.003)


def test_two_attributes_are_both_closed() -> None:
    corpus = eec()
    gap = 0.06 * where(corpus, gender="female") + 0.04 * where(corpus, race="African American")
    scores = scored(corpus, levels(corpus) + gap)
    after = Alignment.fit(scores, corpus).apply(scores, corpus)
    names = where(corpus, kind="name")
    for gender in ("female", "male"):
        for race in corpus.attributes["race"]:
            mine = names & where(corpus, gender=gender, race=race)
            assert after.matrix[mine, 0].mean() == pytest.approx(after.matrix[names, 0].mean(), abs=0.002)


def test_kinds_of_persons_that_differ_move_apart() -> None:
    corpus = eec()
    female, names = where(corpus, gender="female"), where(corpus, kind="name")
    scores = scored(corpus, levels(corpus) + np.where(female, np.where(names, 0.05, -0.05), 0.0))
    fitted = Alignment.fit(scores, corpus)
    assert [move.kind for move in fitted.moves if move.attribute == "gender"] == [PAIRED, UNPAIRED]
    after = fitted.apply(scores, corpus).matrix[:, 0]
    for kind in (names, ~names):
        assert after[kind & female].mean() - after[kind & ~female].mean() == pytest.approx(0, abs=0.002)


def test_a_kind_may_be_moved_by_what_others_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names follow noun phrases where the evidence rests on those, as these were before they moved themselves."""
    corpus = eec()
    female, names = where(corpus, gender="female"), where(corpus, kind="name")
    scores = scored(corpus, levels(corpus) + np.where(female, np.where(names, -0.1, 0.1), 0.0))
    (paired,) = (
        one for one in evidence(scores, corpus, variables([Output("score")])[0], "gender") if one.kind == PAIRED
    )
    resting_on_paired = paired, replace(paired, kind=UNPAIRED)
    monkeypatch.setattr(alignment, "evidence", lambda *_: resting_on_paired)
    fitted = Alignment.fit(scores, corpus, attributes=["gender"])
    shift = fitted.corrected(scores.matrix, Rows.of(corpus))[:, 0] - scores.matrix[:, 0]
    for kind in (names, ~names):
        assert shift[kind & female].mean() == pytest.approx(-0.05, abs=0.002)
        assert shift[kind & ~female].mean() == pytest.approx(0.05, abs=0.002)


def test_what_the_evidence_found_is_what_is_closed() -> None:
    corpus = crossed(persons=5)
    scores = scored(corpus, levels(corpus) + 0.1 * where(corpus, gender="female"))
    fitted = Alignment.fit(scores, corpus)
    (found,) = evidence(scores, corpus, fitted.variables[0], "gender")
    (gap,) = found.gaps
    left = gap.operator @ fitted.apply(scores, corpus).matrix
    assert left == pytest.approx((1 - found.weight) * gap.estimate, abs=1e-4)


def test_what_two_attributes_tell_alike_is_corrected_once() -> None:
    corpus = crossed()
    twice = replace(
        corpus,
        frame=corpus.frame.with_columns(sex=pl.col("gender")),
        attributes={**corpus.attributes, "sex": corpus.attributes["gender"]},
    )
    scores = scored(twice, levels(twice) + 0.1 * where(twice, gender="female"))
    fitted = Alignment.fit(scores, twice)
    assert [move.weight > 0.9 for move in fitted.moves] == [True, True]
    assert mean_gap(fitted.apply(scores, twice), twice) == pytest.approx(0, abs=0.005)


def test_only_the_attributes_that_are_named_are_aligned() -> None:
    corpus = eec()
    gap = 0.06 * where(corpus, gender="female") + 0.04 * where(corpus, race="African American")
    fitted = Alignment.fit(scored(corpus, levels(corpus) + gap), corpus, attributes=["race"])
    assert {move.attribute for move in fitted.moves} == {"race"}


def test_persons_of_one_kind_speak_for_the_other_where_that_is_not_there() -> None:
    corpus = crossed()
    scores = scored(corpus, levels(corpus) + 0.1 * where(corpus, gender="female"))
    fitted = Alignment.fit(scores, corpus)
    assert [move.kind for move in fitted.moves] == [EVERYBODY]
    rows = replace(Rows.of(corpus), paired=np.ones(len(corpus), dtype=bool))
    assert (fitted.corrected(scores.matrix, rows) == fitted.apply(scores, corpus).matrix).all()


def test_scores_stay_within_their_range() -> None:
    corpus = crossed()
    female = where(corpus, gender="female")
    scores = scored(corpus, np.clip(levels(corpus) + np.where(female, 0.25, -0.25), 0, 1))
    fitted = Alignment.fit(scores, corpus)
    beyond = np.where(female, 0.0, 1.0)[:, None]
    moved = fitted.corrected(beyond, Rows.of(corpus))
    assert moved.min() == 0
    assert moved.max() == 1


def test_a_distribution_adds_up_to_one_and_its_expected_label_is_even() -> None:
    corpus = crossed(persons=12)
    outputs = tuple(Output(f"mood={n}", kind="probability", of="mood", value=n) for n in (1.0, 2.0, 3.0))
    tilt = levels(corpus) * 2 + 0.3 * where(corpus, gender="female")
    odds = np.exp(np.outer(tilt, [-1.0, 0.0, 1.0]))
    scores = scored(corpus, odds / odds.sum(axis=1, keepdims=True), outputs)
    after = Alignment.fit(scores, corpus).apply(scores, corpus)
    assert after.matrix.sum(axis=1) == pytest.approx(np.ones(len(corpus)))
    assert after.matrix.min() >= 0
    expected = [one.matrix @ np.array([1.0, 2, 3]) for one in (scores, after)]
    female = where(corpus, gender="female")
    gaps = [float(one[female].mean() - one[~female].mean()) for one in expected]
    assert gaps[0] > 0.1
    assert abs(gaps[1]) < 0.03 * gaps[0]


def test_groups_are_compared_in_the_same_sentences_whatever_their_size() -> None:
    """A group that is seen more often in sad sentences is not the sadder for it."""
    corpus = crossed(persons=8)
    plain = levels(corpus)
    female = where(corpus, gender="female")
    dear = plain > np.median(plain)
    once = ~(female & dear) | corpus.frame["person"].is_in([f"female{n}" for n in range(7)]).to_numpy()
    smaller = replace(corpus, frame=corpus.frame.filter(pl.Series(once)))
    scores = scored(smaller, (plain + 0.1 * female)[once])
    after = Alignment.fit(scores, smaller)
    shift = after.apply(scores, smaller).matrix[:, 0] - scores.matrix[:, 0]
    weight = after.moves[0].weight
    assert shift[female[once]].mean() == pytest.approx(-0.05 * weight, abs=0.002)
    assert shift[~female[once]].mean() == pytest.approx(0.05 * weight, abs=0.002)
