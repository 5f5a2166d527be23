"""Judging repairs: nobody is judged by what they saw, and every number by hand or against the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing import compare
from evenhand.contrasts import EVERYBODY, PAIRED, UNPAIRED, Contrast, general_contrast
from evenhand.corpora import Corpus, eec
from evenhand.repairs.calibrator import Calibrator, FittedFor
from evenhand.repairs.held_out import Question, _within_folds, looked_at, questions, whole_gap
from evenhand.repairs.judging import Candidate, Judgement, judge
from evenhand.repairs.layers import Layers
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.prices import prices
from evenhand.repairs.rows import Rows
from evenhand.repairs.splits import Split, part, splits
from evenhand.repairs.terms import Terms
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, Output

pytestmark = pytest.mark.slow

FREE = Output("mood", low=None, high=None, unit=1.0)
(MOOD,) = variables([FREE])
WOMEN = {"Ann": 2.1, "Bea": 1.9, "Cat": 2.3, "Dot": 2.0}
MEN = {"Ed": 1.1, "Fay": 0.9, "Gus": 1.0, "Hal": 1.3}


def tiny(values: Mapping[str, float] = WOMEN | MEN, *, extra: Mapping[str, str] | None = None) -> Corpus:
    """Names in four templates."""
    gender = dict.fromkeys(WOMEN, "female") | dict.fromkeys(MEN, "male") | (extra or {})
    rows = [
        {"text": f"{t} {person}", "source": f"{t}", "person": person, "gender": gender[person], "template": f"{t}"}
        for t in range(4)
        for person in values
    ]
    groups = tuple(dict.fromkeys(gender[person] for person in values))
    return Corpus(
        pl.DataFrame(rows).with_row_index("id").cast({"id": pl.String}), "tiny", {"gender": groups}, ("template",)
    )


def scores_of(corpus: Corpus, values: Mapping[str, float]) -> Scores:
    matrix = np.array([[values[person]] for person in corpus.frame["person"]])
    return Scores(tuple(corpus.frame["id"]), matrix, (Column("toy", FREE, None),), corpus.digest)


@cache
def whole() -> Corpus:
    return eec()


@cache
def biased() -> Scores:
    """On the whole corpus: a gap of 0.1 by gender, persons, and a level for each source."""
    rng = np.random.default_rng(3)
    frame = whole().frame
    source, person = (frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("source", "person"))
    values = rng.normal(scale=0.1, size=144)[source] + rng.normal(scale=0.02, size=60)[person]
    values += 0.1 * (frame["gender"] == "female").to_numpy() + rng.normal(scale=0.01, size=len(whole()))
    return Scores(tuple(frame["id"]), values[:, None], (Column("toy", FREE, None),), whole().digest)


def by_gender(size: float) -> Array:
    """Women up by half of it, men down."""
    return np.where((whole().frame["gender"] == "female").to_numpy(), size / 2, -size / 2)[:, None]


@cache
def judged() -> Judgement:
    candidates = [
        Candidate("layers", "fitted", fit=Layers.fit),
        Candidate("terms", "fitted", fit=Terms.fit),
        Candidate("none", "exact", after=biased().matrix),
        Candidate("flat", "exact", after=np.zeros_like(biased().matrix)),
        Candidate("too far", "published", after=biased().matrix - by_gender(0.2)),
    ]
    return judge(biased(), whole(), candidates, splits(whole(), repetitions=1), attributes=["gender"])


def outcome_of(method: str, *, new: str = "person", scope: str = UNPAIRED) -> Outcome:
    (found,) = (one for one in judged().outcomes if (one.method, one.new, one.scope) == (method, new, scope))
    return found


def test_by_hand() -> None:
    # Two persons a side that lie close together leave one degree of freedom, so the gap is large beside their spread.
    women = {who: 1.8 + value / 10 for who, value in WOMEN.items()}
    men = {who: 0.9 + value / 10 for who, value in MEN.items()}
    values = women | men
    corpus = tiny(values)
    found = [split for split in splits(corpus, repetitions=1, seed=1) if split.new == "person"]
    judgement = judge(scores_of(corpus, values), corpus, [Candidate("layers", "fitted", fit=Layers.fit)], found)
    (one,) = judgement.outcomes

    def half(split: Split) -> tuple[float, float]:
        """The gap of two women and two men, and what of it is taken off."""
        there = set(corpus.frame["person"][split.fit])
        one_side, other = ([values[who] for who in group if who in there] for group in (WOMEN, MEN))
        assert len(one_side) == len(other) == 2
        gap = np.mean(one_side) - np.mean(other)
        own = np.var(one_side, ddof=1), np.var(other, ddof=1)
        shared = sum(own) / 2
        # Each side has its own variance or the shared one, whichever is larger.
        variance = sum(max(one, shared) / 2 for one in own)
        p = 2 * stats.t.sf(abs(gap) / np.sqrt(variance), 1)
        return float(gap), float(gap - variance / gap if p < 0.05 else 0.0)

    (gap_one, off_one), (gap_two, off_two) = (half(split) for split in found)
    assert off_one > 0
    assert off_two > 0
    # What one half showed is taken off the other.
    assert one.after is not None
    assert one.after.value == pytest.approx(((gap_two - off_one) + (gap_one - off_two)) / 2, abs=1e-5)
    assert one.before is not None
    assert one.before.value == pytest.approx(np.mean(list(women.values())) - np.mean(list(men.values())))
    assert one.reduction == pytest.approx(1 - one.after.value / one.before.value)
    # Two persons a group and half: one pooled variance with four degrees of freedom, and four means that count a half.
    squares = 0.0
    for split in found:
        for group in (WOMEN, MEN):
            squares += np.var([values[who] for who in group if who in set(corpus.frame["person"][split.fit])], ddof=1)
    assert one.after.variance == pytest.approx(squares / 4 / 2)
    assert one.after.freedom == pytest.approx(4.0)
    singles = [gap_two - off_one, gap_one - off_two]
    assert one.spread == pytest.approx(np.std(singles, ddof=1), abs=1e-5)
    assert (one.splits, one.left_alone) == (2, 0.0)
    assert (one.method, one.family, one.output, one.new, one.scope) == ("layers", "fitted", "mood", "person", EVERYBODY)


@pytest.mark.parametrize(("scope", "subset"), [(EVERYBODY, "all"), (PAIRED, "noun-phrases"), (UNPAIRED, "names")])
def test_the_gap_before_is_that_of_the_audit_whatever_is_new(scope: str, subset: str) -> None:
    audit = compare(biased(), whole(), attributes=["gender"], subsets=[subset])
    (general,) = (one.generalising for one in audit.findings if one.subset == subset)
    assert general is not None
    for new in ("person", "template", "emotion_word"):
        before = outcome_of("none", new=new, scope=scope).before
        assert before is not None
        assert before.value == pytest.approx(general.estimate)
        assert before.interval(0.05) == pytest.approx(general.interval)


@pytest.mark.parametrize("new", ["person", "template", "emotion_word"])
def test_doing_nothing_reduces_nothing(new: str) -> None:
    found = outcome_of("none", new=new)
    assert found.before is not None
    assert found.after is not None
    assert found.after.value == pytest.approx(found.before.value)
    assert found.reduction == pytest.approx(0.0, abs=1e-12)
    assert found.reduction_interval == pytest.approx((0.0, 0.0), abs=1e-6)
    assert (found.verdict, found.left_alone, found.reversed_share) == ("not reduced", 1.0, 0.0)
    (price,) = (one for one in judged().prices if (one.method, one.new) == ("none", new))
    assert (price.overall, price.within, price.words, price.spread_kept) == pytest.approx((1.0, 1.0, 1.0, 1.0))


def test_answers_that_do_not_vary_have_no_gap_and_no_order() -> None:
    found = outcome_of("flat")
    assert (found.reduction, found.verdict, found.left_alone) == (1.0, "closed", 0.0)
    assert found.reduction_interval == (1.0, 1.0)
    (price,) = (one for one in judged().prices if (one.method, one.new) == ("flat", "person"))
    assert (price.overall, price.within, price.words, price.spread_kept) == (None, None, None, 0.0)


def test_going_too_far_is_called_so() -> None:
    found = outcome_of("too far")
    assert found.reduction is not None
    assert found.before is not None
    assert found.reduction == pytest.approx(0.2 / found.before.value)
    assert (found.verdict, found.reversed_share, found.family) == ("reversed", 1.0, "published")
    (price,) = (one for one in judged().prices if (one.method, one.new) == ("too far", "person"))
    assert price.within == pytest.approx(1.0)
    assert price.overall is not None
    assert price.overall < 0.95


@pytest.mark.parametrize("new", ["person", "template", "emotion_word"])
@pytest.mark.parametrize("scope", [PAIRED, UNPAIRED])
def test_layers_close_a_gap_where_they_have_not_seen_it(new: str, scope: str) -> None:
    found = outcome_of("layers", new=new, scope=scope)
    assert found.reduction is not None
    assert 0.9 < found.reduction < 1.1
    assert found.verdict == "closed"
    (price,) = (one for one in judged().prices if (one.method, one.new) == ("layers", new))
    assert price.within == pytest.approx(1.0)


def test_terms_take_persons_apart_only_where_they_were_seen() -> None:
    new_names, new_words = (outcome_of("terms", new=new).after for new in ("person", "emotion_word"))
    before = outcome_of("terms").before
    assert before is not None
    assert new_names is not None
    assert new_words is not None
    assert new_names.variance == pytest.approx(before.variance, rel=0.3)
    assert new_words.variance < 0.1 * before.variance


@dataclass(frozen=True, eq=False)
class Witness(Calibrator):
    """Marks what it saw: adds one to the sentences about persons it was fitted on, two to all others."""

    fitted_for: FittedFor
    seen: frozenset[str]

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus) -> Self:
        return cls(FittedFor.of(scores, corpus), frozenset(corpus.frame["source"] + corpus.frame["person"]))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        assert rows.sources is not None
        known = [source + person in self.seen for source, person in zip(rows.sources, rows.persons, strict=True)]
        return columns + np.where(known, 1.0, 2.0)[:, None]

    def content(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        raise NotImplementedError


def test_no_sentence_is_judged_by_a_fit_that_saw_it() -> None:
    corpus = tiny()
    scores = scores_of(corpus, WOMEN | MEN)
    steps: list[int] = []
    after: list[Array] = []

    class Seen(Witness):
        def corrected(self, columns: Array, rows: Rows) -> Array:
            after.append(super().corrected(columns, rows))
            return after[-1]

    found = splits(corpus, repetitions=2)
    judge(scores, corpus, [Candidate("witness", "fitted", fit=Seen.fit)], found, advance=steps.append)
    assert steps == [1] * len(found) == [1] * 8
    for split, each in zip(found, after, strict=True):
        assert (each[split.judge] - scores.matrix[split.judge] == pytest.approx(2.0)) is True
        assert (each[split.fit] - scores.matrix[split.fit] == pytest.approx(1.0)) is True


def test_one_changed_sentence_is_not_left_alone() -> None:
    corpus = tiny()
    scores = scores_of(corpus, WOMEN | MEN)
    after = scores.matrix.copy()
    after[0] += 0.1
    found = judge(scores, corpus, [Candidate("one", "exact", after=after)], splits(corpus, repetitions=2))
    assert {one.left_alone for one in found.outcomes} == {0.5}  # the half without it is


def test_every_sentence_must_be_held_out() -> None:
    corpus = tiny()
    one_half = splits(corpus, repetitions=1)[:1]
    with pytest.raises(ValueError, match="does not hold out every sentence"):
        judge(scores_of(corpus, WOMEN | MEN), corpus, [Candidate("layers", "fitted", fit=Layers.fit)], one_half)


def test_a_candidate_is_fitted_or_has_answers() -> None:
    with pytest.raises(ValueError, match="either a fit or answers"):
        Candidate("nothing", "fitted")
    with pytest.raises(ValueError, match="either a fit or answers"):
        Candidate("both", "fitted", fit=Layers.fit, after=np.zeros((1, 1)))


def test_what_cannot_be_compared_is_undefined() -> None:
    values = WOMEN | MEN | {"Kim": 1.5}
    corpus = tiny(values, extra={"Kim": "other"})
    scores = scores_of(corpus, values)
    found = judge(scores, corpus, [Candidate("layers", "fitted", fit=Layers.fit)], splits(corpus, repetitions=1))
    by_groups = {(one.first, one.second, one.new): one for one in found.outcomes}
    assert len(by_groups) == 6
    assert by_groups["female", "other", "person"].verdict == "undefined"
    assert "single person (Kim)" in (by_groups["female", "other", "template"].undefined or "")
    # Three pairs of groups are asked about: with two women and two men a half, that is more than a gap can show.
    assert by_groups["female", "male", "template"].verdict == "closed"


def test_labels_that_are_no_numbers_are_judged_one_by_one() -> None:
    labels = [Output(name, kind="probability", of="class") for name in ("good", "bad", "ugly")]
    corpus = tiny()
    good = scores_of(corpus, WOMEN | MEN).matrix / 4
    columns = tuple(Column("toy", label, None) for label in labels)
    matrix = np.hstack([good, (1 - good) * 0.7, (1 - good) * 0.3])
    scores = Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)
    found = judge(scores, corpus, [Candidate("layers", "fitted", fit=Layers.fit)], splits(corpus, repetitions=1))
    assert {one.output for one in found.outcomes} == {"good", "bad", "ugly"}
    assert {one.output for one in found.prices} == {"good", "bad", "ugly"}
    after = {one.output: one.after for one in found.outcomes if one.new == "template"}
    # Shares of a whole: what one label loses, the others gain.
    assert sum(one.value for one in after.values() if one is not None) == pytest.approx(0.0, abs=1e-12)


def test_questions_are_asked_among_the_kinds_that_are_there() -> None:
    found = list(questions(whole(), ["gender", "race"]))
    assert [(one.attribute, one.scope) for one in found] == [
        ("gender", EVERYBODY),
        ("gender", PAIRED),
        ("gender", UNPAIRED),
        ("race", EVERYBODY),
    ]


GENDER = Question("gender", "female", "male", EVERYBODY)


def folds(new: str) -> np.ndarray:
    split = next(split for split in splits(whole(), repetitions=1) if split.new == new)
    fold = np.zeros(len(whole()), dtype=np.int64)
    fold[split.judge] = 1
    return fold


def test_what_sets_folds_apart_is_not_how_persons_vary() -> None:
    fold = folds("person")
    after = biased().matrix + by_gender(0.2) * fold[:, None]
    ((apart,),) = looked_at(biased(), whole(), [after], MOOD, GENDER, fold) or []
    ((mixed,),) = looked_at(biased(), whole(), [after], MOOD, GENDER) or []
    assert apart.after.value == pytest.approx(apart.before.value + 0.1)  # half of the persons moved by 0.2
    assert mixed.after.value == pytest.approx(apart.after.value)
    assert apart.after.variance == pytest.approx(apart.before.variance)
    assert apart.shared == pytest.approx(apart.before.variance)
    assert mixed.after.variance > 2 * apart.after.variance


def test_strata_are_parted_by_fold_where_persons_are_new() -> None:
    made = general_contrast(whole(), "gender", ("female", "male"), EVERYBODY)
    assert isinstance(made, Contrast)
    strata = _within_folds(made, folds("person"))
    assert strata is not None
    assert np.bincount(strata.of_unit).tolist() == [5] * 10
    assert strata.pairs.tolist() == [True] * 2 + [False] * 8
    assert strata.coefficients == pytest.approx(
        [5 / 11] * 2 + [1 / 44] * 2 + [-1 / 44] * 2 + [1 / 44] * 2 + [-1 / 44] * 2
    )
    assert _within_folds(made, folds("template")) is None
    alone = np.zeros(len(whole()), dtype=np.int64)
    alone[(whole().frame["person"] == "Ebony").to_numpy()] = 1
    assert _within_folds(made, alone) is None


def test_before_and_after_vary_together_as_they_do() -> None:
    ((found,),) = looked_at(biased(), whole(), [0.3 * biased().matrix], MOOD, GENDER) or []
    assert found.after.variance == pytest.approx(0.09 * found.before.variance)
    assert found.shared == pytest.approx(0.3 * found.before.variance)


def test_several_methods_and_readings_are_not_mixed_up() -> None:
    outputs = [FREE, *(Output(name, kind="probability", of="class") for name in ("good", "bad", "ugly"))]
    _, kind = variables(outputs)
    good = 0.5 + by_gender(0.1)
    matrix = np.hstack([biased().matrix, good, (1 - good) * 0.75, (1 - good) * 0.25])
    scores = Scores(biased().ids, matrix, tuple(Column("toy", one, None) for one in outputs), whole().digest)
    halved = matrix.copy()
    halved[:, 1:] = 0.5 * matrix[:, 1:]
    found = looked_at(scores, whole(), [matrix, halved], kind, GENDER)
    assert found is not None
    assert [[one.before.value for one in each] for each in found] == [
        pytest.approx([size, size]) for size in (0.1, -0.075, -0.025)
    ]
    assert [[one.after.value for one in each] for each in found] == [
        pytest.approx([size, size / 2]) for size in (0.1, -0.075, -0.025)
    ]
    assert whole_gap(scores, whole(), kind, GENDER)[1].value == pytest.approx(-0.075)  # type: ignore[union-attr]


def test_prices_by_hand() -> None:
    corpus = tiny()
    values = WOMEN | MEN
    scores = scores_of(corpus, values)
    # Swaps two women; men are as they were.
    swapped = np.array([[(values | {"Ann": 1.9, "Bea": 2.1})[who]] for who in corpus.frame["person"]])
    found = prices(scores, corpus, [scores.matrix, swapped], MOOD)["mood"]
    women = (corpus.frame["gender"] == "female").to_numpy()
    within = stats.spearmanr(scores.matrix[women, 0], swapped[women, 0]).statistic
    overall = stats.spearmanr(scores.matrix[:, 0], swapped[:, 0]).statistic
    assert found[0, :2] == pytest.approx([1.0, 1.0])
    assert found[1, :2] == pytest.approx([overall, within])
    assert np.isnan(found[:, 2]).all()  # there are no emotion words to order


def test_what_flattens_everything_keeps_as_much_of_the_spread() -> None:
    corpus = whole()
    scores = scores_of(corpus, dict.fromkeys(corpus.frame["person"], 0.0))
    level = corpus.frame["source"].rank("dense").to_numpy()[:, None] / 200
    scores = replace(scores, matrix=scores.matrix + level)
    halved, moved = 0.4 + scores.matrix / 2, scores.matrix + 0.1
    kept = prices(scores, corpus, [halved, moved, scores.matrix * 0], MOOD)["mood"][:, 3]
    assert kept == pytest.approx([0.5, 1.0, 0.0])
    flat = replace(scores, matrix=scores.matrix * 0)
    assert np.isnan(prices(flat, corpus, [scores.matrix], MOOD)["mood"][:, 3]).all()


def test_a_group_without_an_order_has_none_to_lose() -> None:
    corpus = tiny()
    scores = scores_of(corpus, dict.fromkeys(WOMEN, 1.0) | MEN)
    found = prices(scores, corpus, [scores.matrix + 1, -scores.matrix], MOOD)["mood"]
    assert found[:, 1] == pytest.approx([1.0, -1.0])


def test_the_order_of_words_is_that_of_their_means() -> None:
    frame = whole().frame
    # Some words stand in fewer sentences than others.
    kept = np.flatnonzero(~((frame["emotion"] == "joy") & (frame["gender"] == "male")).fill_null(False).to_numpy())
    scores, corpus = part(replace(biased(), matrix=biased().matrix + 5), whole(), kept)
    happy = (corpus.frame["emotion_word"] == "happy").fill_null(False).to_numpy()
    after = np.where(happy[:, None], -9.0, scores.matrix)
    found = prices(scores, corpus, [after], MOOD)["mood"]
    values = corpus.frame.with_columns(before=pl.Series(scores.matrix[:, 0]), after=pl.Series(after[:, 0]))
    means = values.drop_nulls("emotion_word").group_by("emotion_word").agg(pl.mean("before"), pl.mean("after"))
    assert found[0, 2] == pytest.approx(stats.spearmanr(means["before"], means["after"]).statistic)


def test_the_same_seed_gives_the_same_judgement() -> None:
    corpus = tiny()
    scores = scores_of(corpus, WOMEN | MEN)
    candidates = [Candidate("layers", "fitted", fit=Layers.fit)]
    one, same = (judge(scores, corpus, candidates, splits(corpus, repetitions=2, seed=9)) for _ in range(2))
    assert one == same


def test_rows_in_another_order_are_judged_the_same_when_halved_the_same() -> None:
    corpus = tiny()
    scores = scores_of(corpus, WOMEN | MEN)
    order = np.random.default_rng(2).permutation(len(corpus))
    place = np.argsort(order)
    shuffled = replace(corpus, frame=corpus.frame[order])
    found = splits(corpus, repetitions=1, seed=3)
    moved = [Split(one.new, one.repetition, np.sort(place[one.fit]), np.sort(place[one.judge])) for one in found]
    candidates: Sequence[Candidate] = [Candidate("layers", "fitted", fit=Layers.fit)]
    one = judge(scores, corpus, candidates, found)
    other = judge(scores_of(shuffled, WOMEN | MEN), shuffled, candidates, moved)
    for mine, theirs in zip(one.outcomes, other.outcomes, strict=True):
        assert mine.after is not None
        assert theirs.after is not None
        assert theirs.after.value == pytest.approx(mine.after.value, abs=1e-6)
        assert theirs.verdict == mine.verdict
