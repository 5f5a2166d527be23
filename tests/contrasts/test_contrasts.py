"""Comparisons are those of the paper, and those that any corpus asks for."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.comparing import compare
from evenhand.contrasts import (
    PAIRED,
    UNPAIRED,
    Contrast,
    against_rest,
    comparisons_asked,
    contrast,
    contrasts,
    interaction,
    on_demand,
)
from evenhand.contrasts.build import build
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.report.audit.details import Details
from evenhand.systems.base import Output


def in_families(family: dict[str, str]) -> Corpus:
    """Two groups of four persons in three sources; some are of one family."""
    persons = [f"{group}{number}" for group in "ab" for number in range(4)]
    rows = [
        {"id": f"{person} {source}", "text": f"{person} {source}", "source": f"s{source}", "person": person}
        | {"group": person[0], "family": family.get(person)}
        for source in range(3)
        for person in persons
    ]
    return Corpus(pl.DataFrame(rows), "families", {"group": ("a", "b")})


def test_a_group_of_one_family_is_as_good_as_one_person() -> None:
    one = in_families(dict.fromkeys(["a0", "a1", "a2", "a3"], "x"))
    reason = contrast(one, "group").not_general or ""
    assert "one family (a0, a1, a2 and 1 more)" in reason
    matrix = np.random.default_rng(0).normal(size=(24, 1)) / 100
    scores = Scores(tuple(one.frame["id"]), matrix, (Column("made", Output("score"), None),), one.digest)
    finding = compare(scores, one, attributes=["group"]).findings[0]
    assert (finding.verdict, finding.generalising.p) == ("cannot tell", None)
    assert "one family" in finding.undefined["generalising.p"]
    two = in_families({"a0": "x", "a1": "x", "a2": "y", "a3": "y"})
    assert contrast(two, "group").not_general is None


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    return np.random.default_rng(5).normal(size=(8640, 2))


@pytest.mark.parametrize(
    ("attribute", "subset", "comparisons"),
    [
        ("gender", "all", 1584),
        ("race", "all", 144),
        ("gender", "neutral", 44),
        ("race", "neutral", 4),
        ("gender", "emotional", 1540),
        ("race", "emotional", 140),
        *[("gender", f"emotion={emotion}", 385) for emotion in ("anger", "fear", "joy", "sadness")],
        *[("race", f"emotion={emotion}", 35) for emotion in ("anger", "fear", "joy", "sadness")],
        ("gender", "noun-phrases", 1440),
        ("gender", "names", 144),
        ("race", "gender=female", 144),
        ("gender", "race=African American", 144),
    ],
)
def test_published_designs_have_their_number_of_comparisons(attribute: str, subset: str, comparisons: int) -> None:
    assert contrast(eec(), attribute, subset=subset).shape == (comparisons, 8640)


def by_hand(frame: pl.DataFrame, attribute: str) -> dict[tuple[str, str], float]:
    """The published differences, one data frame operation at a time."""
    first, second = eec().attributes[attribute]
    found = {}
    for (source,), cell in frame.group_by("source"):
        names = cell.filter(pl.col("kind") == "name")
        means = {group: names.filter(pl.col(attribute) == group)["score"].mean() for group in (first, second)}
        found[source, "average"] = means[first] - means[second]
        if attribute == "gender":
            for (pair,), both in cell.filter(pl.col("pair").is_not_null()).group_by("pair"):
                score = dict(both.select("gender", "score").iter_rows())
                found[source, pair] = score["female"] - score["male"]
    return found


@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_the_matrix_gives_every_published_difference(attribute: str, scores: np.ndarray) -> None:
    made = contrast(eec(), attribute)
    expected = by_hand(eec().frame.with_columns(score=scores[:, 0]), attribute)
    labels = list(made.comparisons.select("source", "label").iter_rows())
    assert set(labels) == set(expected)
    np.testing.assert_allclose(made.matrix @ scores[:, 0], [expected[label] for label in labels], atol=1e-12)


def test_no_comparison_crosses_a_source_and_each_is_balanced() -> None:
    made = contrast(eec(), "gender")
    sources = eec().frame["source"].to_numpy()
    entries = made.matrix.tocoo()
    row, sentence = entries.coords
    assert (sources[sentence] == made.comparisons["source"].to_numpy()[row]).all()
    np.testing.assert_allclose(made.matrix.sum(axis=1), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("attribute", "subset"),
    [
        *product(("gender", "race"), ("all", "neutral", "names", "emotion=joy")),
        ("gender", "noun-phrases"),
        ("race", "gender=female"),
    ],
)
def test_both_views_have_one_estimate(attribute: str, subset: str, scores: np.ndarray) -> None:
    made = contrast(eec(), attribute, subset=subset)
    np.testing.assert_allclose(
        made.unit_weights @ made.unit_means(scores), (made.matrix @ scores).mean(axis=0), atol=1e-12
    )


def test_gender_has_ten_pairs_and_four_strata_of_ten_names() -> None:
    made = contrast(eec(), "gender")
    assert made.stratum_sizes.tolist() == [10] * 5
    np.testing.assert_allclose(made.coefficients, [10 / 11, 1 / 22, -1 / 22, 1 / 22, -1 / 22])
    assert made.units[0] == "she/he"
    assert made.members[0] == (("she",), ("he",))
    assert made.members[-1] == ((), ("Ryan",))
    assert made.n_persons == 60


def test_words_are_40_and_each_neutral_sentence_is_its_own() -> None:
    words = contrast(eec(), "race").by("emotion_word")
    assert len(words.labels) == 44
    assert words.unlabelled.sum() == 4
    assert words.weights.sum() == pytest.approx(1)


def test_crossed_attributes_give_six_pairs_and_their_interaction(scores: np.ndarray) -> None:
    made = contrasts(eec(), "race+gender")
    assert [one.interaction for one in made] == [False] * 6 + [True]
    assert {one.shape for one in made} == {(144, 8640)}
    frame = eec().frame.with_columns(score=scores[:, 0])
    mean = {
        key: value
        for *key, value in frame.group_by("race", "gender").agg(pl.col("score").mean()).iter_rows()
        for key in [tuple(key)]
    }
    african, european = eec().attributes["race"]
    expected = (mean[african, "female"] - mean[european, "female"]) - (mean[african, "male"] - mean[european, "male"])
    both = interaction(eec(), "race", "gender")
    assert (both.matrix @ scores)[:, 0].mean() == pytest.approx(expected)
    assert (both.unit_weights @ both.unit_means(scores))[0] == pytest.approx(expected)


def small(persons: list[tuple[str, str]], sources: int = 3, **columns: list[str]) -> Corpus:
    """Every person in every source."""
    rows = [
        {
            "id": f"{source}-{person}-{group}",
            "text": f"{person} {source}",
            "source": str(source),
            "person": person,
            "group": group,
        }
        | {name: values[place] for name, values in columns.items()}
        for source in range(sources)
        for place, (person, group) in enumerate(persons)
    ]
    groups = tuple(dict.fromkeys(group for _, group in persons))
    others = {name: tuple(dict.fromkeys(values)) for name, values in columns.items()}
    return Corpus(frame=pl.DataFrame(rows), name="small", attributes={"group": groups, **others})


PAIRS_OF_FOUR = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]


def test_up_to_three_groups_are_compared_in_pairs_and_more_with_the_rest() -> None:
    three = contrasts(small([(f"{group}{number}", group) for group in "abc" for number in range(2)]), "group")
    assert [(one.first, one.second) for one in three] == [("a", "b"), ("a", "c"), ("b", "c")]
    corpus = small([(f"{group}{number}", group) for group in "abcd" for number in range(2)])
    many = contrasts(corpus, "group")
    assert [(one.first, one.second) for one in many] == [(group, "rest") for group in "abcd"]
    assert many[1].rest == ("a", "c", "d")
    both = contrasts(corpus, "group", pairs=True)
    assert [(one.first, one.second) for one in both] == [(group, "rest") for group in "abcd"] + PAIRS_OF_FOUR
    assert both[:4] == many
    assert [on_demand(corpus, one) for one in both] == [False] * 4 + [True] * 6
    assert all(one.not_general is None for one in both)
    assert comparisons_asked(corpus) == 4


def test_a_group_against_the_rest_in_which_every_group_counts_the_same() -> None:
    sizes = {"a": 2, "b": 3, "c": 1, "d": 5}
    corpus = small([(f"{group}{number}", group) for group, size in sizes.items() for number in range(size)])
    scores = np.random.default_rng(0).normal(size=(len(corpus), 2))
    made = against_rest(corpus, "group", "a")
    frame = corpus.frame.with_columns(value=pl.Series(scores[:, 0]))
    rows = []
    for (_,), source in frame.group_by("source", maintain_order=True):
        mean = {group: source.filter(pl.col("group") == group)["value"].mean() for group in sizes}
        rows.append(mean["a"] - np.mean([mean["b"], mean["c"], mean["d"]]))
    np.testing.assert_allclose((made.matrix @ scores)[:, 0], rows)
    np.testing.assert_allclose((made.operator @ scores)[0], np.mean(rows))
    assert sorted(made.coefficients.tolist()) == pytest.approx([-1 / 3] * 3 + [1])
    assert made.not_general is None, "a group of one may stand in the rest"
    assert "single person (c0)" in (against_rest(corpus, "group", "c").not_general or "")
    assert made.per_group == 11 / 4
    # Two of eleven: one way to deal them in 55, and its mirror.
    assert made.relabellings_p == pytest.approx(2 / 55)


def test_a_rest_of_single_persons_says_nothing() -> None:
    corpus = small([("a0", "a"), ("a1", "a"), ("b0", "b"), ("c0", "c"), ("d0", "d"), ("d1", "d")])
    assert "half of the other groups" in (against_rest(corpus, "group", "a").not_general or "")


def test_persons_who_stand_in_all_groups_are_compared_with_themselves() -> None:
    corpus = small([(name, group) for group in "abcd" for name in ("x", "y", "z")])
    scores = np.random.default_rng(1).normal(size=(len(corpus), 1))
    made = against_rest(corpus, "group", "b")
    assert made.units == ("x", "y", "z")
    frame = corpus.frame.with_columns(value=pl.Series(scores[:, 0]))
    of = {key: part["value"].mean() for key, part in frame.group_by("person", "group")}
    expected = [of[name, "b"] - np.mean([of[name, group] for group in "acd"]) for name in "xyz"]
    np.testing.assert_allclose(made.unit_means(scores)[:, 0], expected)


def test_persons_of_some_groups_belong_to_none_of_them() -> None:
    persons = [("x", "a"), ("x", "b"), *((f"{group}{number}", group) for group in "abcd" for number in range(2))]
    made = against_rest(small(persons), "group", "a")
    assert made.left_out == ("x",)
    assert made.not_general is None
    only = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b"), *((f"{g}{n}", g) for g in "cd" for n in range(2))]
    assert against_rest(small(only), "group", "c").not_general == (
        "people belong to several of the groups, but not to all of them"
    )


def test_no_gap_to_a_group_that_is_left_out_as_a_whole() -> None:
    """Nobody of b is in enough sources: the gap would be a's mean score."""
    whole = small([("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b")], sources=20)
    stays = {("b1", 0), ("b2", 1), ("b3", 2)}
    sources = {source: number for number, source in enumerate(whole.frame["source"].unique(maintain_order=True))}
    kept = [
        not person.startswith("b") or (person, sources[source] % 3) in stays
        for person, source in whole.frame.select("person", "source").iter_rows()
    ]
    made = contrast(replace(whole, frame=whole.frame.filter(pl.Series(kept))), "group")
    assert made.not_general is not None


def test_a_stratum_without_two_persons_a_side_is_not_made() -> None:
    persons = [("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b")]
    balanced = small([*persons, ("a4", "a"), ("b4", "b")], side=["l", "l", "r", "l", "l", "r", "r", "r"])
    assert contrast(balanced, "group").stratum_sizes.tolist() == [2, 2, 2, 2]
    thin = small(persons, side=["l", "l", "r", "l", "l", "r"])
    assert contrast(thin, "group").stratum_sizes.tolist() == [3, 3]


def test_unequal_strata_are_compared_within_themselves() -> None:
    # Group a lives mostly on the high side; within each side the groups are equal.
    persons = [
        ("a1", "a"),
        ("a2", "a"),
        ("a3", "a"),
        ("a4", "a"),
        ("a5", "a"),
        ("b1", "b"),
        ("b2", "b"),
        ("b3", "b"),
        ("b4", "b"),
    ]
    side = ["high", "high", "high", "low", "low", "high", "high", "low", "low"]
    corpus = small(persons, side=side)
    scores = np.where(corpus.frame["side"].to_numpy() == "high", 1.0, 0.0)[:, None]
    np.testing.assert_allclose(contrast(corpus, "group").matrix @ scores, 0, atol=1e-12)


def test_a_single_person_or_an_uncrossed_design_cannot_generalise() -> None:
    assert "single person (a1)" in (contrast(small([("a1", "a"), ("b1", "b"), ("b2", "b")]), "group").not_general or "")
    crossed = small([("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")], sources=4)
    # Each person stands in one half of the sources only.
    keep = (pl.col("source").cast(pl.Int64) % 2) == (pl.col("person").str.slice(1).cast(pl.Int64) % 2)
    torn = Corpus(frame=crossed.frame.filter(keep), name="torn", attributes=crossed.attributes)
    assert "only 0 of 4 sources" in (contrast(torn, "group").not_general or "")


@pytest.mark.parametrize(
    ("attribute", "subset", "message"),
    [
        ("gendr", "all", "no attribute 'gendr'; did you mean 'gender'"),
        ("race", "noun-phrases", "needs two groups, has none"),
        ("gender", "gender=female", "needs two groups, has female"),
        ("race+race", "all", "crosses an attribute with itself"),
        ("race", "emotion_word=angry,template=<person> feels <state>.", "1 comparisons; needs two"),
    ],
)
def test_impossible_comparisons_are_refused(attribute: str, subset: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        contrasts(eec(), attribute, subset=subset)


def test_unknown_groups_get_a_hint() -> None:
    with pytest.raises(UsageError, match="no group 'femal'; did you mean 'female'"):
        contrast(eec(), "gender", groups=("femal", "male"))


def one_view(corpus: Corpus, scores: np.ndarray) -> tuple[float, float]:
    made = contrast(corpus, "group")
    published = (made.matrix @ scores)[:, 0].mean()
    return float(published), float((made.unit_weights @ made.unit_means(scores))[0])


def test_who_stands_in_both_groups_is_their_own_counterpart() -> None:
    rows = [
        {"id": f"{s}{p}{g}", "text": f"{g} {p} {s}", "source": str(s), "person": f"p{p}", "group": g}
        for s in range(6) for p in range(5) for g in "ab"
    ]  # fmt: skip
    corpus = Corpus(frame=pl.DataFrame(rows), name="both", attributes={"group": ("a", "b")})
    made = contrast(corpus, "group")
    assert made.shape[0] == 30
    assert made.pairs.tolist() == [True]
    scores = 0.5 + np.random.default_rng(0).normal(0, 0.01, (60, 1))
    assert one_view(corpus, scores)[1] == pytest.approx(one_view(corpus, scores)[0])
    assert abs(one_view(corpus, scores)[1]) < 0.01


def test_a_person_weighs_the_same_with_one_sentence_or_five() -> None:
    crossed = small([("a0", "a"), ("a1", "a"), ("b0", "b"), ("b1", "b")])
    more = crossed.frame.filter(pl.col("person") == "a0")
    copies = [more.with_columns(pl.col("id") + f"-{n}", pl.col("text") + f" {n}") for n in range(4)]
    corpus = Corpus(frame=pl.concat([crossed.frame, *copies]), name="more", attributes=crossed.attributes)
    scores = np.where(corpus.frame["person"] == "a0", 0.1, 0.0)[:, None]
    assert one_view(corpus, scores) == pytest.approx((0.05, 0.05))


def test_a_stray_person_is_left_out_of_the_general_answer_only() -> None:
    persons = [(f"{group}{number}", group) for group in "ab" for number in range(6)]
    crossed = small(persons, sources=30)
    torn = crossed.frame.filter((pl.col("person") != "a0") | pl.col("source").is_in(["0", "1"]))
    made = contrast(Corpus(frame=torn, name="torn", attributes=crossed.attributes), "group")
    assert made.left_out == ("a0",)
    assert made.not_general is None
    assert made.cells.height == 30
    assert made.stratum_sizes.tolist() == [5, 6]
    assert "a0" not in made.units


def test_too_few_complete_sources_are_said() -> None:
    persons = [(f"{group}{number}", group) for group in "ab" for number in range(6)]
    crossed = small(persons, sources=20)
    # Each person misses one source of the first twelve, so that only eight hold everybody.
    places = {person: str(number) for number, (person, _) in enumerate(persons)}
    missing = pl.col("person").replace_strict(places) == pl.col("source")
    made = contrast(Corpus(frame=crossed.frame.filter(~missing), name="torn", attributes=crossed.attributes), "group")
    assert made.left_out == ()
    assert made.not_general == "only 8 of 20 sources hold all of the persons compared"


def test_a_thin_stratum_is_left_out_and_the_others_stay() -> None:
    sizes = {("f", "A"): 10, ("f", "B"): 3, ("f", "C"): 4, ("m", "A"): 3, ("m", "B"): 10, ("m", "C"): 1}
    persons = [(f"{g}{r}{n}", g, r) for (g, r), size in sizes.items() for n in range(size)]
    corpus = small([(name, g) for name, g, _ in persons], race=[r for *_, r in persons])
    made = contrast(corpus, "group")
    assert sorted(made.stratum_sizes.tolist()) == [3, 3, 10, 10]
    assert len(made.left_out) == 5
    # Race A scores higher; within each race the groups are equal.
    scores = np.where(corpus.frame["race"] == "A", 0.6, 0.5)[:, None]
    assert one_view(corpus, scores) == pytest.approx((0, 0))
    assert (made.matrix @ scores).max() == pytest.approx(0)


def test_thin_strata_are_put_together_where_that_is_enough() -> None:
    persons = [(f"{g}{r}{n}", g, r) for g in "fm" for r, size in {"A": 5, "B": 1, "C": 1}.items() for n in range(size)]
    corpus = small([(name, g) for name, g, _ in persons], race=[r for *_, r in persons])
    made = contrast(corpus, "group")
    assert sorted(made.stratum_sizes.tolist()) == [2, 2, 5, 5]
    assert made.left_out == ()


def test_an_attribute_that_changes_within_a_person_makes_no_strata() -> None:
    crossed = small([(f"{g}{n}", g) for g in "ab" for n in range(6)], sources=4)
    age = np.where(np.random.default_rng(0).random(len(crossed)) < 0.5, "young", "old")
    corpus = Corpus(
        frame=crossed.frame.with_columns(age=pl.Series(age)), name="ages",
        attributes={"group": ("a", "b"), "age": ("young", "old")},
    )  # fmt: skip
    assert contrast(corpus, "group").stratum_sizes.tolist() == [6, 6]


def test_one_partition_is_counted_once() -> None:
    assert contrast(eec(), "race").sampled_columns == ("template", "emotion_word")
    assert contrast(eec(), "race", subset="neutral").sampled_columns == ("template",)


def test_all_persons_of_a_pair_are_members() -> None:
    rows = [
        {"id": f"{s}{p}", "text": f"{p} {s}", "source": str(s), "person": p, "group": g, "pair": pair}
        for s in range(3)
        for p, g, pair in [
            ("mum", "a", "1"),
            ("mom", "a", "1"),
            ("dad", "b", "1"),
            ("aunt", "a", "2"),
            ("uncle", "b", "2"),
        ]
    ]
    corpus = Corpus(frame=pl.DataFrame(rows), name="pairs", attributes={"group": ("a", "b")})
    made = contrast(corpus, "group")
    assert made.members == ((("mum", "mom"), ("dad",)), (("aunt",), ("uncle",)))
    assert made.n_persons == 5
    scores = np.array(
        [{"mum": 0.4, "mom": 0.6, "dad": 0.3, "aunt": 0.5, "uncle": 0.5}[p] for p in corpus.frame["person"]]
    )
    assert one_view(corpus, scores[:, None]) == pytest.approx((0.1, 0.1))


def test_matched_sizes_even_out_the_sides_of_a_stratum() -> None:
    made = contrast(small([(f"a{n}", "a") for n in range(9)] + [(f"b{n}", "b") for n in range(3)]), "group")
    assert made.stratum_sizes.tolist() == [9, 3]
    assert made.matched_sizes.tolist() == [6, 6]


def test_an_interaction_needs_all_four_groups() -> None:
    persons = [(f"{g}{r}{n}", g, r) for g, r in (("a", "x"), ("a", "y"), ("b", "x")) for n in range(3)]
    corpus = small([(name, g) for name, g, _ in persons], race=[r for *_, r in persons])
    assert [one.interaction for one in contrasts(corpus, "race+group")] == [False] * 3


def test_a_contrast_is_made_once_for_a_corpus_and_a_question() -> None:
    corpus = replace(eec())
    assert contrast(corpus, "gender") is contrast(corpus, "gender", groups=("female", "male"))
    assert contrast(corpus, "gender") is not contrast(corpus, "gender", groups=("male", "female"))
    assert contrast(corpus, "gender") is not contrast(corpus, "gender", subset="names")
    assert contrast(corpus, "gender", among=PAIRED) is not contrast(corpus, "gender", among=UNPAIRED)
    assert interaction(corpus, "race", "gender") is interaction(corpus, "race", "gender")
    assert contrast(corpus, "gender") is not contrast(replace(corpus), "gender")


def test_an_audit_and_its_pictures_make_each_contrast_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noting(corpus: Corpus, attribute: str, *rest: Any) -> Contrast:
        made.append(attribute)
        return build(corpus, attribute, *rest)

    monkeypatch.setattr("evenhand.contrasts.declare.build", noting)
    corpus = replace(eec())
    column = Column("odd", Output("valence", low=0, high=1), None)
    values = np.random.default_rng(1).uniform(size=(len(corpus), 1))
    scores = Scores(tuple(corpus.frame["id"]), values, (column,), corpus.digest)
    findings = compare(scores, corpus).findings
    details = Details(corpus, scores, findings)
    assert all(details.spread(finding).points for finding in findings)
    # Names alone are looked at too where noun phrases come in pairs: to plan how many there would have to be.
    assert made == ["gender", "race", "gender"]


def test_what_is_made_once_goes_with_its_corpus() -> None:
    corpus = replace(eec())
    gone = weakref.ref(contrast(corpus, "race"))
    assert gone() is not None
    del corpus
    gc.collect()
    assert gone() is None
