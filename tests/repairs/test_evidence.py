"""How much there is to repair: gaps among kinds of persons by hand, against the audit's, and what they deserve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing import compare
from evenhand.contrasts import (
    EVERYBODY,
    PAIRED,
    UNPAIRED,
    Contrast,
    contrast,
    general_contrast,
    general_contrasts,
    joined,
    kinds_of,
)
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.repairs.estimates import Estimate, mean_of
from evenhand.repairs.evidence import (
    DIFFERENCE,
    Evidence,
    Gap,
    attributes_in,
    evidence,
    gaps_by_scope,
    readings,
    weighed,
)
from evenhand.repairs.held_out import Question, looked_at, whole_gap
from evenhand.repairs.judging import Candidate, judge
from evenhand.repairs.splits import splits
from evenhand.repairs.variables import variables
from evenhand.stats import two_sided_p
from evenhand.systems.base import Output

FREE = Output("mood", low=None, high=None, unit=1.0)

NAMES = {"Ann": 2.1, "Bea": 1.9, "Cal": 1.1, "Dan": 0.9}
PAIRS = {"she": 1.8, "he": 0.5, "aunt": 1.6, "uncle": 0.5}
GENDER = dict.fromkeys(("Ann", "Bea", "she", "aunt"), "female") | dict.fromkeys(("Cal", "Dan", "he", "uncle"), "male")
PAIR = {"she": "she/he", "he": "she/he", "aunt": "aunt/uncle", "uncle": "aunt/uncle"}


def corpus_of(
    persons: Sequence[str],
    gender: Mapping[str, str] = GENDER,
    pair: Mapping[str, str] | None = PAIR,
    templates: Sequence[str] = ("one", "two"),
) -> Corpus:
    """Every person in every template."""
    rows = [
        {"text": f"{template}: {person}", "source": template, "person": person, "gender": gender[person]}
        | ({} if pair is None else {"pair": pair.get(person)})
        | {"template": template}
        for template in templates
        for person in persons
    ]
    schema = {"pair": pl.String, "gender": pl.String}
    frame = pl.DataFrame(rows, schema_overrides={k: v for k, v in schema.items() if k in rows[0]})
    groups = tuple(dict.fromkeys(gender[person] for person in persons))
    return Corpus(frame.with_row_index("id").cast({"id": pl.String}), "tiny", {"gender": groups}, ("template",))


def scores_of(corpus: Corpus, values: Mapping[str, float], output: Output = FREE) -> Scores:
    """The same score for a person in every template."""
    matrix = np.array([[values[person]] for person in corpus.frame["person"]])
    return Scores(tuple(corpus.frame["id"]), matrix, (Column("toy", output, None),), corpus.digest)


def scores_with(corpus: Corpus, values: Mapping[str, float], noise: np.ndarray) -> Scores:
    """A score for each person, and noise in each sentence."""
    plain = scores_of(corpus, values)
    return Scores(plain.ids, plain.matrix + noise, plain.columns, plain.corpus_digest)


def found(corpus: Corpus, scores: Scores) -> tuple[Evidence, ...]:
    (variable,) = variables([column.output for column in scores.columns])
    return evidence(scores, corpus, variable, "gender")


def gap_of(estimate: Sequence[float], variance: Sequence[float], freedom: Sequence[float]) -> Gap:
    """Of which nobody knows the sentences."""
    parts = np.array(estimate), np.array(variance), np.array(freedom)
    return Gap("a", "b", np.zeros(2), 0, *parts, two_sided_p(*parts))


@cache
def whole() -> Corpus:
    return eec()


@cache
def noisy() -> Scores:
    """On the whole corpus: noise, persons, a gap that depends on the template; three systems."""
    rng = np.random.default_rng(3)
    frame = whole().frame
    person, template = (frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("person", "template"))
    women = (frame["gender"] == "female").to_numpy()[:, None]
    matrix = 0.5 + rng.normal(scale=0.05, size=(len(whole()), 3))
    matrix += rng.normal(scale=0.03, size=(60, 3))[person] + women * rng.normal(0.02, 0.02, size=(11, 3))[template]
    columns = tuple(Column(f"system {number}", FREE, None) for number in range(3))
    return Scores(tuple(frame["id"]), matrix, columns, whole().digest)


def test_names_by_hand() -> None:
    corpus = corpus_of(list(NAMES))
    (one,) = found(corpus, scores_of(corpus, NAMES))
    # 2.0 − 1.0; the variance within a group is 0.02, so V = 0.02/2 + 0.02/2, with 1 + 1 degrees of freedom.
    (gap,) = one.gaps
    assert (one.kind, gap.first, gap.second) == (EVERYBODY, "female", "male")
    assert gap.estimate == pytest.approx([1.0])
    assert gap.variance == pytest.approx([0.02])
    assert gap.freedom == pytest.approx([2.0])
    # t = 1/√0.02; with two degrees of freedom, p = 1 − t/√(t² + 2).
    assert one.p == pytest.approx(1 - 1 / np.sqrt(1 + 2 * 0.02))
    assert one.weight == pytest.approx(1 - 0.02)
    # Each of the 2 + 2 women's sentences counts a quarter, each man's minus a quarter.
    assert gap.operator.tolist() == [0.25, 0.25, -0.25, -0.25] * 2
    assert one.layer(np.arange(8.0)[:, None])["female"] == pytest.approx([-1.0])  # ½ · (mean 2.5 − mean 4.5)


def test_two_kinds_by_hand() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    paired, unpaired = found(corpus, scores_of(corpus, NAMES | PAIRS))
    # Pairs differ by 1.3 and 1.1: V = 0.02/2 with one degree of freedom, t = 12, p = 2/π · atan(1/12) = 0.0529. All
    # together, four persons in pairs and four names: ½ · 1.2 + ½ · 1.0 = 1.1, V = ¼ · 0.01 + ¼ · 0.02 = 0.0075 with
    # 0.0075² / (0.0025²/1 + 0.005²/2) = 3 degrees of freedom, p = 0.0014. That is below 80 % of the level, so there is
    # a gap; names also find it by themselves (p = 0.0194), pairs do not.
    assert (paired.kind, unpaired.kind) == (PAIRED, UNPAIRED)
    (gap,) = paired.gaps
    assert gap.estimate == pytest.approx([1.1])
    assert gap.variance == pytest.approx([0.0075])
    assert gap.freedom == pytest.approx([3.0])
    assert paired.weight == pytest.approx(1 - 0.0075 / 1.21)
    x = 1.1 / np.sqrt(0.0075) / np.sqrt(3)
    assert paired.p == pytest.approx((1 - 2 / np.pi * (x / (1 + x**2) + np.arctan(x))) / 0.8, rel=1e-9)
    (gap,) = unpaired.gaps
    assert gap.estimate == pytest.approx([1.0])
    assert unpaired.weight == pytest.approx(0.98)
    assert unpaired.p == pytest.approx(1 - 1 / np.sqrt(1.04))


def test_kinds_vary_each_in_its_own_way() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    scores = scores_of(corpus, NAMES | PAIRS | {"she": 1.75, "aunt": 1.65})
    gaps = {scope: each[0] for scope, each in gaps_by_scope(scores, corpus, "gender").items()}
    # Pairs differ by 1.25 and 1.15: V = 0.005/2.
    assert gaps[PAIRED].variance == pytest.approx([0.0025])
    assert gaps[EVERYBODY].variance == pytest.approx([0.0025 / 4 + 0.02 / 4])
    assert gaps[EVERYBODY].freedom == pytest.approx([0.005625**2 / (0.000625**2 / 1 + 0.005**2 / 2)])
    assert gaps[DIFFERENCE].variance == pytest.approx([0.0025 + 0.02])


def test_kinds_that_differ_do_not_speak_for_each_other() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    # Pairs show the opposite of what names show; pairs are all but certain of it: V = 2 · 0.001²/2.
    values = NAMES | {"she": 0.5, "he": 1.501, "aunt": 0.6, "uncle": 1.599}
    paired, unpaired = found(corpus, scores_of(corpus, values))
    assert (paired.kind, unpaired.kind) == (PAIRED, UNPAIRED)
    assert paired.gaps[0].estimate == pytest.approx([-1.0])
    # t = 1000 with one degree of freedom; pairs are asked with a tenth of the level.
    assert paired.p == pytest.approx(10 * (1 - 2 / np.pi * np.arctan(1000)))
    assert paired.weight == pytest.approx(1 - 1e-6)
    assert unpaired.gaps[0].estimate == pytest.approx([1.0])


def test_who_finds_nothing_does_not_follow_those_who_differ() -> None:
    values = dict(zip(["Ann", "Bea", "Cal", "Dan"], [0.52, 0.48, 0.52, 0.48], strict=True))
    values |= {"she": 1.501, "he": 0.5, "aunt": 1.599, "uncle": 0.6}
    corpus = corpus_of([*NAMES, *PAIRS])
    paired, unpaired = found(corpus, scores_of(corpus, values))
    assert paired.weight == pytest.approx(1 - 1e-6)
    assert unpaired.weight == 0.0


def gap_with(p: float) -> Gap:
    """A gap of 1 with this p."""
    t = stats.t.isf(p / 2, 10)
    return gap_of([1.0], [1 / t**2], [10.0])


def adjusted(**p: float) -> dict[str, float | None]:
    gaps = {scope: [gap_with(one)] for scope, one in p.items()}
    return {one.kind: one.p for one in weighed(gaps | ({DIFFERENCE: [gap_with(0.01)]} if len(p) == 3 else {}))}


def test_each_kind_is_asked_once_there_is_any_gap_at_all() -> None:
    # All together at 4 %, each kind at ½ %.
    assert adjusted(paired=0.03, unpaired=0.6, everybody=0.0399)[PAIRED] == pytest.approx(0.0399 / 0.8)
    assert adjusted(paired=0.03, unpaired=0.6, everybody=0.02) == pytest.approx({PAIRED: 0.03, UNPAIRED: 0.6})
    assert adjusted(paired=0.006, unpaired=0.6, everybody=0.9) == pytest.approx({PAIRED: 0.06, UNPAIRED: 0.6})
    assert adjusted(paired=0.004, unpaired=0.03, everybody=0.9) == pytest.approx({PAIRED: 0.04, UNPAIRED: 0.04})
    # Without all together, each has half of the level; one by itself has all of it.
    assert adjusted(paired=0.02, unpaired=0.03) == pytest.approx({PAIRED: 0.04, UNPAIRED: 0.04})
    assert adjusted(everybody=0.03) == pytest.approx({EVERYBODY: 0.03})


def test_equal_groups_deserve_nothing() -> None:
    corpus = corpus_of(list(NAMES))
    (one,) = found(corpus, scores_of(corpus, dict.fromkeys(NAMES, 0.3)))
    assert (one.p, one.weight) == (1.0, 0.0)


def test_a_gap_that_is_not_significant_deserves_nothing() -> None:
    corpus = corpus_of(list(NAMES))
    (one,) = found(corpus, scores_of(corpus, {"Ann": 0.7, "Bea": 0.5, "Cal": 0.4, "Dan": 0.2}))
    # t = 0.3/√0.02; p = 1 − t/√(t² + 2) = 0.168.
    assert one.p == pytest.approx(0.168, abs=1e-3)
    assert one.weight == 0.0


def test_a_constant_gap_between_few_persons_is_not_there_as_in_an_audit() -> None:
    corpus = corpus_of(list(NAMES))
    scores = scores_of(corpus, {"Ann": 0.6, "Bea": 0.6, "Cal": 0.5, "Dan": 0.5})
    (finding,) = compare(scores, corpus, attributes=["gender"]).findings
    # Of the six ways to deal the labels, two give as large a gap.
    assert (finding.verdict, finding.generalising.p) == ("cannot tell", pytest.approx(2 / 6))
    (one,) = found(corpus, scores)
    assert (one.p, one.weight) == (pytest.approx(2 / 6), 0.0)
    (gap,) = whole_gap(scores, corpus, variables([FREE])[0], Question("gender", "female", "male", EVERYBODY))
    assert (gap.value, gap.variance) == (pytest.approx(0.1), 0.0)
    assert (gap.p, gap.is_there(0.05), gap.is_there(0.4)) == (pytest.approx(2 / 6), False, True)
    assert (gap.ends(0.05), gap.ends(0.4)) == (None, pytest.approx((0.1, 0.1)))  # no interval where it may be chance
    assert Estimate.from_dict(gap.to_dict(0.05)) == mean_of([gap, gap]) == gap


def test_a_constant_gap_between_many_persons_deserves_all() -> None:
    persons = {f"{sex}{number}": 0.6 if sex == "w" else 0.5 for sex in "wm" for number in range(5)}
    corpus = corpus_of(list(persons), {person: {"w": "female", "m": "male"}[person[0]] for person in persons}, None)
    scores = scores_of(corpus, persons)
    # 2/252 is small enough.
    assert compare(scores, corpus, attributes=["gender"]).findings[0].verdict == "higher"
    (one,) = found(corpus, scores)
    assert (one.p, one.weight) == (pytest.approx(2 / 252), 1.0)
    (gap,) = whole_gap(scores, corpus, variables([FREE])[0], Question("gender", "female", "male", EVERYBODY))
    assert (gap.p, gap.is_there(0.001), gap.is_there(0.01)) == (pytest.approx(2 / 252), False, True)


def test_the_weight_is_never_below_zero() -> None:
    # One reading is significant, all readings together are mostly chance.
    gap = gap_of([1.0, 0.0], [0.01, 9.0], [50.0, 50.0])
    assert Evidence(EVERYBODY, (gap,), 0.001).weight == 0.0


def test_less_than_one_degree_of_freedom_says_nothing() -> None:
    gap = gap_of([1.0], [1e-9], [0.5])
    (one,) = weighed({EVERYBODY: [gap]})
    assert (one.p, one.weight) == (None, 0.0)


def test_a_reading_that_says_nothing_counts_as_one_that_was_asked() -> None:
    gap = gap_of([1.0, 0.2], [1e-9, 0.01], [0.5, 30.0])
    (one,) = weighed({EVERYBODY: [gap]})
    assert one.p == pytest.approx(2 * 2 * stats.t.sf(2.0, 30))


def test_many_groups_are_compared_with_the_rest_and_corrected_for_as_in_an_audit() -> None:
    persons = [f"{group}{number}" for group in "abcd" for number in (1, 2, 3)]
    corpus = corpus_of(persons, {person: person[0] for person in persons}, None)
    values = dict(zip(persons, [0.91, 0.90, 0.89, 0.31, 0.30, 0.29, 0.61, 0.60, 0.59, 0.5, 0.49, 0.48], strict=True))
    scores = scores_of(corpus, values)
    (one,) = found(corpus, scores)
    assert [(gap.first, gap.second, gap.rest) for gap in one.gaps] == [(group, "rest", 3) for group in "abcd"]
    asked = compare(scores, corpus, attributes=["gender"]).findings
    assert [gap.estimate[0] for gap in one.gaps] == pytest.approx([each.generalising.estimate for each in asked])
    assert one.p == pytest.approx(min(each.generalising.p_adjusted for each in asked))
    # The mean of the groups is 0.5725; nobody counts twice.
    far = {group: far[0] for group, far in one.layer(scores.matrix).items()}
    assert far == pytest.approx({"a": 0.3275, "b": -0.2725, "c": 0.0275, "d": -0.0825})
    # Another attribute of four groups asks four more questions, whatever is repaired.
    more = replace(corpus, whole={"gender": tuple("abcd"), "age": tuple("wxyz")})
    scores = scores_of(more, values)
    (other,) = found(more, scores)
    assert one.p is not None
    assert other.p == pytest.approx(2 * one.p)
    judged = judge(
        scores,
        more,
        [Candidate("none", "exact", after=scores.matrix)],
        splits(more, repetitions=1),
        attributes=["gender"],
    )
    assert judged.comparisons == 8
    assert {(each.first, each.second) for each in judged.outcomes} == {(group, "rest") for group in "abcd"}


@pytest.mark.slow
def test_fair_systems_with_many_groups_are_left_alone_and_gaps_of_one_group_are_found() -> None:
    groups = "abcde"
    persons = [f"{group}{number}" for group in groups for number in range(6)]
    corpus = corpus_of(persons, {person: person[0] for person in persons}, None, ("one", "two", "three"))
    random, runs = np.random.default_rng(13), 300
    changed = {"fair": 0, "gap": 0}
    for _ in range(runs):
        own = dict(zip(persons, random.normal(0.0, 1.0, len(persons)), strict=True))
        noise = random.normal(0.0, 0.5, (len(corpus), 1))
        for kind, gap in (("fair", 0.0), ("gap", 3.0)):
            shifted = {person: value + gap * (person[0] == "a") for person, value in own.items()}
            (one,) = found(corpus, scores_with(corpus, shifted, noise))
            changed[kind] += one.weight > 0
    assert changed["fair"] <= 0.065 * runs
    assert changed["gap"] >= 0.9 * runs


@pytest.mark.slow
def test_what_is_left_against_a_rest_holds_the_truth_where_one_group_varies_more() -> None:
    persons = [f"{group}{number}" for group in "abcde" for number in range(8)]
    corpus = corpus_of(persons, {person: person[0] for person in persons}, None, ("one", "two", "three"))
    (variable,) = variables([FREE])
    fold = np.zeros(len(corpus), dtype=np.int64)
    fold[[split for split in splits(corpus, repetitions=1) if split.new == "person"][1].judge] = 1
    random, runs, held = np.random.default_rng(5), 200, 0
    for _ in range(runs):
        own = {person: random.normal(0.0, 3.0 if person[0] == "a" else 1.0) for person in persons}
        scores = scores_with(corpus, own, random.normal(0.0, 0.5, (len(corpus), 1)))
        asked = Question("gender", "a", "rest", EVERYBODY, against_rest=True)
        found = looked_at(scores, corpus, [scores.matrix], variable, asked, fold)
        assert found is not None
        held += not found[0][0].after.is_there(0.05)
    assert held >= 0.935 * runs


def test_groups_of_three_are_moved_to_their_mean() -> None:
    persons = ["a1", "a2", "b1", "b2", "c1", "c2"]
    group = {person: person[0] for person in persons}
    corpus = corpus_of(persons, group, None)
    values = dict(zip(persons, [0.91, 0.89, 0.31, 0.29, 0.61, 0.59], strict=True))
    scores = scores_of(corpus, values)
    (one,) = found(corpus, scores)
    assert [(gap.first, gap.second) for gap in one.gaps] == [("a", "b"), ("a", "c"), ("b", "c")]
    layer = one.layer(scores.matrix)
    assert {name: far[0] for name, far in layer.items()} == pytest.approx({"a": 0.3, "b": -0.3, "c": 0.0})
    # V = 2 · 0.0002/2 for each of three gaps of 0.6, 0.3 and 0.3.
    assert one.weight == pytest.approx(1 - 3 * 0.0002 / (0.36 + 0.09 + 0.09))


def test_a_group_of_one_person_is_left_out() -> None:
    persons = ["a1", "a2", "b1", "b2", "c1"]
    corpus = corpus_of(persons, {person: person[0] for person in persons}, None)
    (one,) = found(corpus, scores_of(corpus, dict(zip(persons, [0.91, 0.89, 0.31, 0.29, 0.6], strict=True))))
    assert [(gap.first, gap.second) for gap in one.gaps] == [("a", "b")]
    assert general_contrasts(corpus_of(["a1", "b1"], {"a1": "a", "b1": "b"}, None), "gender", EVERYBODY) == []


def test_nobody_to_speak_for_others_is_no_evidence() -> None:
    corpus = corpus_of(["Ann", "Cal"], pair=None)
    assert found(corpus, scores_of(corpus, NAMES)) == ()


def test_one_kind_that_can_speak_for_others_speaks_for_all() -> None:
    corpus = corpus_of([*NAMES, "she", "he"])
    (one,) = found(corpus, scores_of(corpus, NAMES | PAIRS))
    assert (one.kind, one.gaps[0].estimate.tolist()) == (EVERYBODY, pytest.approx([1.0]))


def test_kinds_of_one_group_each_are_compared_with_each_other() -> None:
    persons = ["Ann", "Bea", "Cal", "Dan"]
    corpus = corpus_of(persons, pair={"Ann": "Ann/Amy", "Bea": "Bea/Bob"})  # whose counterparts are not asked about
    (one,) = found(corpus, scores_of(corpus, NAMES))
    assert (one.kind, one.gaps[0].estimate.tolist()) == (EVERYBODY, pytest.approx([1.0]))


def test_kinds_with_other_groups_speak_for_themselves() -> None:
    gender = GENDER | {"they": "other", "pibling": "other"}
    pair = PAIR | {"they": "she/he", "pibling": "aunt/uncle"}
    corpus = corpus_of([*NAMES, *PAIRS, "they", "pibling"], gender, pair)
    paired, unpaired = found(corpus, scores_of(corpus, NAMES | PAIRS | {"they": 1.0, "pibling": 1.0}))
    assert (len(paired.gaps), len(unpaired.gaps)) == (3, 1)


def test_of_two_labels_one_is_tested() -> None:
    corpus = corpus_of(list(NAMES))
    labels = tuple(Output(name, kind="probability", of="class") for name in ("good", "bad"))
    good = np.array([[NAMES[person] / 4] for person in corpus.frame["person"]])
    columns = tuple(Column("toy", label, None) for label in labels)
    scores = Scores(tuple(corpus.frame["id"]), np.hstack([good, 1 - good]), columns, corpus.digest)
    (one,) = found(corpus, scores)
    # As with one score; but an audit asks about both outputs, and its family is that of the repair.
    assert one.p == pytest.approx(2 * (1 - 1 / np.sqrt(1.04)))
    assert [len(gap.estimate) for gap in one.gaps] == [1]
    (variable,) = variables(labels)
    assert [column.output.name for column in readings(scores, variable).columns] == ["good", "bad"]


def test_it_is_read_once() -> None:
    corpus = corpus_of(list(NAMES))
    scores = scores_of(corpus, NAMES)
    assert found(corpus, scores) is found(corpus, scores)
    assert general_contrast(corpus, "gender", ("female", "male"), EVERYBODY) is general_contrast(
        corpus, "gender", ("female", "male"), EVERYBODY
    )


def test_attributes_that_lost_a_group_are_passed_over_and_unknown_ones_refused() -> None:
    corpus = replace(corpus_of(list(NAMES)), attributes={})
    assert attributes_in(corpus, ["gender"]) == ()
    assert attributes_in(corpus_of(list(NAMES)), None) == ("gender",)
    assert attributes_in(corpus_of(list(NAMES)), []) == ()
    with pytest.raises(UsageError, match=r"no attribute 'gendre'.*did you mean 'gender'"):
        attributes_in(corpus_of(list(NAMES)), ["gendre"])


def test_kinds_are_told_apart_where_the_attribute_has_both() -> None:
    assert kinds_of(whole(), "gender") == (PAIRED, UNPAIRED)
    assert kinds_of(whole(), "race") == (EVERYBODY,)
    assert kinds_of(corpus_of(list(NAMES), pair=None), "gender") == (EVERYBODY,)


@pytest.mark.parametrize(
    ("attribute", "scope", "subset"),
    [
        ("gender", EVERYBODY, "all"),
        ("gender", PAIRED, "noun-phrases"),
        ("gender", UNPAIRED, "names"),
        ("race", EVERYBODY, "all"),
    ],
)
def test_gaps_are_those_of_the_audit(attribute: str, scope: str, subset: str) -> None:
    pair = whole().attributes[attribute]
    made = general_contrast(whole(), attribute, (pair[0], pair[1]), scope)
    assert isinstance(made, Contrast)
    gap = Gap.of(made, noisy())
    assert gap.operator @ noisy().matrix == pytest.approx(gap.estimate, abs=1e-12)
    audit = compare(noisy(), whole(), attributes=[attribute], subsets=[subset])
    findings = [one for one in audit.findings if one.subset == subset]
    assert len(findings) == 3
    for number, finding in enumerate(findings):
        general = finding.generalising
        assert general is not None
        assert gap.estimate[number] == pytest.approx(general.estimate)
        assert np.sqrt(gap.variance[number]) == pytest.approx(general.standard_error)
        assert gap.freedom[number] == pytest.approx(general.df)
        assert gap.p[number] == pytest.approx(general.p)


def test_kinds_joined_as_published_are_the_published_mixture() -> None:
    paired, unpaired = (general_contrast(whole(), "gender", ("female", "male"), kind) for kind in (PAIRED, UNPAIRED))
    everybody = general_contrast(whole(), "gender", ("female", "male"), EVERYBODY)
    assert isinstance(paired, Contrast)
    assert isinstance(unpaired, Contrast)
    assert isinstance(everybody, Contrast)
    mixed, published = (Gap.of(one, noisy()) for one in (joined(paired, unpaired, (10 / 11, 1 / 11)), everybody))
    assert mixed.estimate == pytest.approx(published.estimate)
    assert mixed.variance == pytest.approx(published.variance)
    assert mixed.freedom == pytest.approx(published.freedom)
    assert mixed.operator == pytest.approx(published.operator, abs=1e-15)
    assert contrast(whole(), "gender").unit_weights == pytest.approx(
        joined(paired, unpaired, (10 / 11, 1 / 11)).unit_weights
    )


def test_all_together_counts_persons_and_the_difference_is_a_difference() -> None:
    gaps = {scope: each[0] for scope, each in gaps_by_scope(noisy(), whole(), "gender").items()}
    assert set(gaps) == {PAIRED, UNPAIRED, EVERYBODY, DIFFERENCE}
    # Twenty persons in pairs, forty names.
    together = (20 * gaps[PAIRED].estimate + 40 * gaps[UNPAIRED].estimate) / 60
    assert gaps[EVERYBODY].estimate == pytest.approx(together)
    assert gaps[DIFFERENCE].estimate == pytest.approx(gaps[PAIRED].estimate - gaps[UNPAIRED].estimate)


def test_a_gap_that_varies_by_template_varies_in_both_kinds_at_once() -> None:
    frame = whole().frame
    template = frame["template"].rank("dense").to_numpy().astype(int) - 1
    women = (frame["gender"] == "female").to_numpy()
    by_template = np.random.default_rng(1).normal(scale=0.05, size=11)
    scores = replace(noisy(), matrix=np.repeat((women * by_template[template])[:, None], 3, axis=1))
    gaps = {scope: each[0] for scope, each in gaps_by_scope(scores, whole(), "gender").items()}
    # Persons do not vary: pooling takes nothing off the variance, and the kinds do not differ.
    assert gaps[EVERYBODY].variance == pytest.approx(gaps[PAIRED].variance)
    assert gaps[DIFFERENCE].variance == pytest.approx([0.0, 0.0, 0.0], abs=1e-20)


def test_a_source_that_lacks_a_kind_is_left_out_of_what_is_joined() -> None:
    corpus = corpus_of([*NAMES, *PAIRS], templates=[f"t{number}" for number in range(20)])
    smaller = replace(corpus, frame=corpus.frame.filter(~((pl.col("source") == "t3") & pl.col("pair").is_not_null())))
    scores = scores_of(smaller, NAMES | PAIRS)
    gaps = gaps_by_scope(scores, smaller, "gender")
    assert gaps[EVERYBODY][0].estimate == pytest.approx([1.1])
    without = (smaller.frame["source"] == "t3").to_numpy()
    assert (gaps[EVERYBODY][0].operator[without] == 0).all()
    assert (gaps[UNPAIRED][0].operator[without] != 0).all()


def test_a_constant_added_to_all_scores_changes_no_weight() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    one = found(corpus, scores_of(corpus, NAMES | PAIRS))
    other = found(corpus, scores_of(corpus, {person: value + 7 for person, value in (NAMES | PAIRS).items()}))
    assert [each.weight for each in other] == pytest.approx([each.weight for each in one])


def test_the_order_of_rows_and_the_names_of_groups_do_not_matter() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    one = found(corpus, scores_of(corpus, NAMES | PAIRS))
    order = np.random.default_rng(0).permutation(len(corpus))
    shuffled = replace(corpus, frame=corpus.frame[order])
    renamed = {person: {"female": "x y", "male": "z"}[group] for person, group in GENDER.items()}
    other_names = corpus_of([*NAMES, *PAIRS], renamed)
    for other in (found(shuffled, scores_of(shuffled, NAMES | PAIRS)),
                  found(other_names, scores_of(other_names, NAMES | PAIRS))):  # fmt: skip
        assert [each.weight for each in other] == pytest.approx([each.weight for each in one])
        assert [each.p for each in other] == pytest.approx([each.p for each in one])


def test_groups_the_other_way_round_turn_the_sign_alone() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    turned = replace(corpus, attributes={"gender": ("male", "female")})
    one, other = found(corpus, scores_of(corpus, NAMES | PAIRS)), found(turned, scores_of(turned, NAMES | PAIRS))
    assert [each.gaps[0].estimate[0] for each in other] == pytest.approx([-each.gaps[0].estimate[0] for each in one])
    assert [each.weight for each in other] == pytest.approx([each.weight for each in one])
