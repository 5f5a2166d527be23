"""What holds for every method of repair that is registered, on a score, a probability and a distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand.repairs  # noqa: F401 - enters all methods into the table
from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.repairs.calibrator import METHODS, Calibrator, FittedFor, load_calibrator
from evenhand.repairs.cells import crossed_groups
from evenhand.repairs.evidence import readings
from evenhand.repairs.published import VARIANTS, fit_published
from evenhand.repairs.references import reference_corpus
from evenhand.repairs.rows import Rows
from evenhand.stats import spearman
from evenhand.systems.base import Array, Output

pytestmark = pytest.mark.slow

KINDS = ("score", "probability", "distribution")
BY_SENTENCE = [method for method in METHODS if method != "neutral"]
"""Neutral substitution needs other answers than those to the sentences themselves; see its own tests."""

OF_PERSONS = [method for method in BY_SENTENCE if method != "contextual"]
"""Contextual calibration knows no identities, and corrects every sentence."""

KEEPS_ORDER = {"layers": 1 - 1e-9, "alignment": 1 - 1e-9, "sentence-weights": 0.95}
"""The rank correlation of the scores before and after, among persons of the same groups and kind."""

OUTPUTS = {
    "score": (Output("mood", low=-1.0, high=1.0),),
    "two scores": (Output("anger"), Output("joy", high_is="good")),
    "probability": (Output("glad", kind="probability"),),
    "distribution": tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in (1, 2, 3)),
}
OTHER_NAMES = {
    "female": "f", "male": "m", "African American": "x y", "European American": "z",
}  # fmt: skip


@cache
def whole() -> Corpus:
    return eec()


@cache
def small() -> Corpus:
    frame = whole().frame.filter(
        pl.col("emotion_word").is_in(["angry", "furious", "happy", "sad", "annoying", "gloomy"])
    )
    return replace(whole(), frame=frame)


def hidden(corpus: Corpus) -> Array:
    """What a biased system would say: a level by source, a gap by gender that depends on the emotion, and by race."""
    frame = corpus.frame
    rng = np.random.default_rng(5)
    own = {name: rng.normal() for column in ("source", "person") for name in whole().frame[column].unique().sort()}
    level = np.array([0.4 * own[source] for source in frame["source"]])
    person = np.array([0.05 * own[name] for name in frame["person"]])
    women = (frame["gender"] == "female").to_numpy()
    gap = np.where(women, np.where((frame["emotion"] == "anger").fill_null(False).to_numpy(), 0.8, 0.5), 0.0)
    race = 0.4 * (frame["race"] == "African American").fill_null(False).to_numpy()
    return np.asarray(level + person + gap + race)


def answers(tilt: Array, kind: str) -> Array:
    if kind == "score":
        return np.tanh(tilt / 2)[:, None]
    if kind == "two scores":
        return np.column_stack([1 / (1 + np.exp(-tilt)), 0.5 - tilt / 20])
    if kind == "probability":
        return np.asarray(1 / (1 + np.exp(-tilt)))[:, None]
    odds = np.exp(np.outer(tilt, [-1.0, 0.0, 1.0]))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def scored(corpus: Corpus, matrix: Array, kind: str) -> Scores:
    columns = tuple(Column("biased", output, "biased 1") for output in OUTPUTS[kind])
    return Scores(tuple(corpus.frame["id"].cast(pl.String)), matrix, columns, corpus.digest)


@cache
def scores_of(kind: str) -> Scores:
    return scored(small(), answers(hidden(small()), kind), kind)


def fitted_on(method: str, scores: Scores, corpus: Corpus) -> Calibrator:
    if method not in VARIANTS:
        fit: Callable[..., Calibrator] = METHODS[method].fit  # type: ignore[attr-defined]
        return fit(scores, corpus)
    references = reference_corpus()
    names = dict(zip(corpus.attributes["gender"], ("female", "male"), strict=True))
    gender = references.frame["gender"].replace({old: new for new, old in names.items()})
    races = dict(zip(("African American", "European American"), corpus.attributes["race"], strict=True))
    frame = references.frame.with_columns(gender, references.frame["race"].replace(races))
    groups = {"gender": corpus.attributes["gender"], "race": corpus.attributes["race"]}
    references = replace(references, frame=frame, attributes=groups)
    kind = next(kind for kind, outputs in OUTPUTS.items() if outputs == tuple(c.output for c in scores.columns))
    tilt = np.linspace(-0.5, 0.8, len(references))
    gaps = {variable: {"gender": 0.3, "race": 0.1} for variable in ("mood", "glad", "anger", "joy")}
    made = fit_published(
        scored(references, answers(tilt, kind), kind), references, fitted_for=FittedFor.of(scores, corpus), gaps=gaps
    )
    return made.calibrators[method]


@cache
def calibrator(method: str, kind: str) -> Calibrator:
    return fitted_on(method, scores_of(kind), small())


each = pytest.mark.parametrize("kind", KINDS)
each_and_two = pytest.mark.parametrize("kind", [*KINDS, "two scores"])
every = pytest.mark.parametrize("method", BY_SENTENCE)
of_persons = pytest.mark.parametrize("method", OF_PERSONS)


def corrected(method: str, kind: str) -> Array:
    return calibrator(method, kind).corrected(scores_of(kind).matrix, Rows.of(small()))


@each_and_two
@every
def test_it_does_something_here(method: str, kind: str) -> None:
    after = corrected(method, kind)
    assert after.shape == scores_of(kind).matrix.shape
    assert (after != scores_of(kind).matrix).any(axis=0).all()


@each
@pytest.mark.parametrize("method", METHODS)
def test_saved_and_read_again_it_corrects_to_the_last_bit_the_same(method: str, kind: str, tmp_path: Path) -> None:
    calibrator(method, kind).save(tmp_path / "c.json")
    read = load_calibrator(tmp_path / "c.json")
    assert (type(read), read.fitted_for) == (METHODS[method], calibrator(method, kind).fitted_for)
    assert read.content() == calibrator(method, kind).content()
    if method in BY_SENTENCE:
        assert (read.corrected(scores_of(kind).matrix, Rows.of(small())) == corrected(method, kind)).all()
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "c.json").read_bytes()


@each
@of_persons
def test_rows_without_persons_are_returned_as_they_are(method: str, kind: str) -> None:
    nobody = np.full(len(small()), None, dtype=object)
    rows = replace(Rows.of(small()), persons=nobody, groups=dict.fromkeys(small().attributes, nobody), terms=nobody)
    assert (calibrator(method, kind).corrected(scores_of(kind).matrix, rows) == scores_of(kind).matrix).all()
    unknown = replace(rows, groups={}, sources=None, slots=None, terms=None)
    assert (calibrator(method, kind).corrected(scores_of(kind).matrix, unknown) == scores_of(kind).matrix).all()


@each
@of_persons
def test_some_rows_without_persons_are_returned_as_they_are(method: str, kind: str) -> None:
    rows = Rows.of(small())
    gone = np.arange(len(small())) % 3 == 0
    groups = {name: np.where(gone, None, labels) for name, labels in rows.groups.items()}
    after = calibrator(method, kind).corrected(
        scores_of(kind).matrix, replace(rows, groups=groups, persons=np.where(gone, None, rows.persons))
    )
    assert (after[gone] == scores_of(kind).matrix[gone]).all()
    assert (after[~gone] != scores_of(kind).matrix[~gone]).any()


@each
@every
def test_answers_stay_finite_and_in_their_range(method: str, kind: str) -> None:
    extreme = answers(50 * hidden(small()), kind)
    for after in (corrected(method, kind), calibrator(method, kind).corrected(extreme, Rows.of(small()))):
        assert np.isfinite(after).all()
        for place, output in enumerate(OUTPUTS[kind]):
            assert output.low is not None
            assert output.high is not None
            assert output.low <= after[:, place].min()
            assert after[:, place].max() <= output.high


@every
def test_a_distribution_still_adds_up_to_one(method: str) -> None:
    assert corrected(method, "distribution").sum(axis=1) == pytest.approx(np.ones(len(small())), abs=1e-12)


def shuffled(corpus: Corpus) -> Array:
    return np.random.default_rng(3).permutation(len(corpus))


@each
@every
def test_the_order_of_rows_does_not_matter_to_the_correction(method: str, kind: str) -> None:
    order = shuffled(small())
    rows = Rows.of(replace(small(), frame=small().frame[order]))
    after = calibrator(method, kind).corrected(scores_of(kind).matrix[order], rows)
    assert after == pytest.approx(corrected(method, kind)[order], abs=1e-12)


@pytest.mark.parametrize("kind", ["score", "distribution"])
@every
def test_the_order_of_rows_does_not_matter_to_the_fit(method: str, kind: str) -> None:
    order = shuffled(small())
    other = replace(small(), frame=small().frame[order])
    scores = scored(other, scores_of(kind).matrix[order], kind)
    after = fitted_on(method, scores, other).corrected(scores.matrix, Rows.of(other))
    assert after == pytest.approx(corrected(method, kind)[order], abs=1e-6)


@pytest.mark.parametrize("kind", ["score", "distribution"])
@every
def test_the_names_of_groups_do_not_matter(method: str, kind: str) -> None:
    frame = small().frame.with_columns(pl.col("gender", "race").replace(OTHER_NAMES))
    groups = {name: tuple(OTHER_NAMES[one] for one in each) for name, each in small().attributes.items()}
    other = replace(small(), frame=frame, attributes=groups)
    scores = scored(other, scores_of(kind).matrix, kind)
    after = fitted_on(method, scores, other).corrected(scores.matrix, Rows.of(other))
    assert after == pytest.approx(corrected(method, kind), abs=1e-12)


@each_and_two
@pytest.mark.parametrize("method", ["alignment", "layers", "sentence-weights", "terms", "averaging"])
def test_the_gap_is_closed_and_the_order_within_groups_kept(method: str, kind: str) -> None:
    corpus, before = small(), scores_of(kind)
    after = calibrator(method, kind).apply(before, corpus)
    women = (corpus.frame["gender"] == "female").to_numpy()
    for variable in calibrator(method, kind).variables:
        was, now = (readings(one, variable).matrix for one in (before, after))
        gaps = [np.abs(one[women].mean(axis=0) - one[~women].mean(axis=0)) for one in (was, now)]
        assert (gaps[1] < 0.15 * gaps[0]).all()
        for crossing in np.unique(crossed_groups(Rows.of(corpus))) if method in KEEPS_ORDER else ():
            own = crossed_groups(Rows.of(corpus)) == crossing
            for place in range(was.shape[1]):
                assert float(spearman(now[own][:, [place]], was[own, place])[0]) > KEEPS_ORDER[method]


@each
@pytest.mark.parametrize("method", METHODS)
def test_scores_of_another_system_or_of_other_labels_are_refused(method: str, kind: str) -> None:
    scores = scores_of(kind)
    columns = tuple(replace(column, fingerprint="biased 2", system="better") for column in scores.columns)
    with pytest.raises(UsageError, match=r"^this calibrator was fitted for 'biased' as it was then, and 'better' is "):
        calibrator(method, kind).apply(replace(scores, columns=columns), small())
    unnamed = tuple(replace(column, fingerprint=None) for column in scores.columns)
    with pytest.raises(
        UsageError, match="in a version that was named, and 'biased' comes without one; name the version"
    ):
        calibrator(method, kind).apply(replace(scores, columns=unnamed), small())
    renamed = tuple(replace(c, output=replace(c.output, name=f"{c.output.name}!")) for c in scores.columns)
    with pytest.raises(UsageError, match=r"^this calibrator was fitted for the outputs .*, but 'biased' gives .*!$"):
        calibrator(method, kind).apply(replace(scores, columns=renamed), small())


@each
@pytest.mark.parametrize("method", ["alignment", "layers", "sentence-weights", "terms"])
def test_a_fair_system_is_left_alone(method: str, kind: str) -> None:
    corpus = small()
    level = dict(zip(corpus.frame["source"].unique(maintain_order=True), np.linspace(-1, 1, 51), strict=False))
    fair = scored(corpus, answers(np.array([level[source] for source in corpus.frame["source"]]), kind), kind)
    after = fitted_on(method, fair, corpus).apply(fair, corpus)
    assert (after.matrix == fair.matrix).all()
