"""Weighted layers: by hand, against least squares, and what they must never touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.contrasts import EVERYBODY, PAIRED, UNPAIRED, Contrast, general_contrast
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.repairs.calibrator import load_calibrator
from evenhand.repairs.evidence import Gap, readings
from evenhand.repairs.layers import ANYBODY, Layer, Layers
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, Output

FREE = Output("mood", low=None, high=None, unit=1.0)
LABELS = tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in (1, 2, 3))

NAMES = {"Ann": 2.1, "Bea": 1.9, "Cal": 1.1, "Dan": 0.9}
PAIRS = {"she": 1.8, "he": 0.5, "aunt": 1.6, "uncle": 0.5}
GENDER = dict.fromkeys(("Ann", "Bea", "she", "aunt"), "female") | dict.fromkeys(("Cal", "Dan", "he", "uncle"), "male")
PAIR = {"she": "she/he", "he": "she/he", "aunt": "aunt/uncle", "uncle": "aunt/uncle"}


def corpus_of(persons: Sequence[str], *, bystander: bool = False) -> Corpus:
    """Every person in two templates; a bystander has no group."""
    rows = [
        {"text": f"{template}: {person}", "source": template, "person": person, "pair": PAIR.get(person)}
        | {"gender": GENDER.get(person), "template": template}
        for template in ("one", "two")
        for person in (*persons, *(["somebody"] if bystander else []))
    ]
    frame = pl.DataFrame(rows, schema_overrides={"pair": pl.String, "gender": pl.String})
    return Corpus(
        frame.with_row_index("id").cast({"id": pl.String}), "tiny", {"gender": ("female", "male")}, ("template",)
    )


def scores_of(corpus: Corpus, values: Mapping[str, float]) -> Scores:
    matrix = np.array([[values[person]] for person in corpus.frame["person"]])
    return Scores(tuple(corpus.frame["id"]), matrix, (Column("toy", FREE, "1"),), corpus.digest)


@cache
def whole() -> Corpus:
    return eec()


def tilted(*, gap: float = 0.3, race: float = 0.0, sd: float = 0.02) -> Array:
    """A level for each source, a gap for each attribute, and persons."""
    rng = np.random.default_rng(8)
    frame = whole().frame
    source, person = (frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("source", "person"))
    tilt = rng.normal(scale=0.5, size=144)[source] + rng.normal(scale=sd, size=60)[person]
    tilt += gap * (frame["gender"] == "female").to_numpy()
    return np.asarray(tilt + race * (frame["race"] == "African American").fill_null(False).to_numpy())


def scored(matrix: Array, outputs: Sequence[Output]) -> Scores:
    return Scores(tuple(whole().frame["id"]), matrix, tuple(Column("toy", one, "1") for one in outputs), whole().digest)


def distribution(tilt: Array) -> Array:
    odds = np.exp(np.outer(tilt, [-1.0, 0.0, 1.0]))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def gap_in(scores: Scores, kind: str = EVERYBODY, attribute: str = "gender") -> float:
    (variable,) = variables([column.output for column in scores.columns])
    groups = whole().attributes[attribute]
    made = general_contrast(whole(), attribute, (groups[0], groups[1]), kind)
    assert isinstance(made, Contrast)
    return float(Gap.of(made, readings(scores, variable)).estimate[0])


def test_by_hand() -> None:
    corpus = corpus_of([*NAMES, *PAIRS], bystander=True)
    scores = scores_of(corpus, NAMES | PAIRS | {"somebody": 1.23})
    fitted = Layers.fit(scores, corpus)
    paired, unpaired = fitted.layers
    # See test_evidence.py: pairs alone find nothing, and follow what all find together.
    assert paired.kind == PAIRED
    assert (paired.far["female"][0], paired.far["male"][0]) == pytest.approx((0.55, -0.55))
    assert paired.deserved == pytest.approx(1 - 0.0075 / 1.21)
    assert (unpaired.kind, unpaired.far["female"][0]) == (UNPAIRED, pytest.approx(0.5))
    assert unpaired.deserved == pytest.approx(0.98)
    # On the scale of the numbers themselves, the gap is closed by itself.
    assert (paired.closing, unpaired.closing) == pytest.approx((1.0, 1.0), abs=1e-5)
    after = dict(zip(corpus.frame["person"], fitted.apply(scores, corpus).matrix[:, 0], strict=True))
    assert after["Ann"] == pytest.approx(2.1 - 0.49, abs=1e-5)
    assert after["Dan"] == pytest.approx(0.9 + 0.49, abs=1e-5)
    assert after["she"] == pytest.approx(1.8 - 0.55 * (1 - 0.0075 / 1.21), abs=1e-5)
    assert after["uncle"] == pytest.approx(0.5 + 0.55 * (1 - 0.0075 / 1.21), abs=1e-5)
    assert after["somebody"] == 1.23


def test_layers_are_those_of_least_squares() -> None:
    scores = scored(tilted(gap=0.3, race=-0.2)[:, None], [FREE])
    layers = {(one.attribute, one.kind): one for one in Layers.fit(scores, whole()).layers}
    names = whole().frame["race"].is_not_null().to_numpy()
    frame = whole().frame.filter(pl.Series(names))
    sides = frame.select(pl.col("gender") == "female", pl.col("race") == "African American").to_numpy().astype(float)
    # Sources have a level each: all is taken less the source's mean (Frisch, Waugh and Lovell).
    source = frame["source"].rank("dense").to_numpy().astype(int) - 1
    both = np.column_stack([sides, scores.matrix[names]])
    means = np.stack([np.bincount(source, weights=column) / np.bincount(source) for column in both.T], axis=1)
    both -= means[source]
    solved, *_ = np.linalg.lstsq(both[:, :2], both[:, 2], rcond=None)
    assert 2 * layers["gender", UNPAIRED].far["female"] == pytest.approx(solved[:1])
    assert 2 * layers["race", EVERYBODY].far["African American"] == pytest.approx(solved[1:])


@pytest.mark.parametrize("kind", ["score", "probability", "distribution"])
def test_what_is_left_is_what_is_not_deserved(kind: str) -> None:
    tilt = tilted(gap=0.3)
    matrix, outputs = {
        "score": (tilt[:, None], [FREE]),
        "probability": (1 / (1 + np.exp(-tilt))[:, None], [Output("glad", kind="probability")]),
        "distribution": (distribution(tilt), LABELS),
    }[kind]
    scores = scored(matrix, outputs)
    fitted = Layers.fit(scores, whole(), attributes=["gender"])
    for layer in fitted.layers:
        assert layer.kind in (PAIRED, UNPAIRED)
        assert 0.9 < layer.deserved < 1
        before, after = gap_in(scores, layer.kind), gap_in(fitted.apply(scores, whole()), layer.kind)
        assert after / before == pytest.approx(1 - layer.deserved, abs=0.01)


def test_where_answers_are_cut_off_the_layer_weighs_more() -> None:
    values = np.clip(0.9 + tilted(gap=0.3) / 2, 0, 1)  # a good part of them at the upper end
    scores = scored(values[:, None], [Output("mood")])
    fitted = Layers.fit(scores, whole(), attributes=["gender"])
    assert all(layer.closing > 1.02 for layer in fitted.layers)
    after = fitted.apply(scores, whole()).matrix
    assert 0 <= after.min() <= after.max() <= 1


def test_two_attributes_close_their_gaps_side_by_side() -> None:
    scores = scored(1 / (1 + np.exp(-tilted(gap=0.5, race=0.6)))[:, None], [Output("glad", kind="probability")])
    fitted = Layers.fit(scores, whole())
    after = fitted.apply(scores, whole())
    assert {layer.attribute for layer in fitted.layers if layer.weight} == {"gender", "race"}
    for attribute, kind in (("gender", UNPAIRED), ("race", EVERYBODY)):
        assert abs(gap_in(after, kind, attribute)) < 0.02 * abs(gap_in(scores, kind, attribute))


def test_a_fair_system_is_left_alone_to_the_last_bit() -> None:
    scores = scored(tilted(gap=0.0, sd=0.03)[:, None], [FREE])
    fitted = Layers.fit(scores, whole())
    assert [layer.weight for layer in fitted.layers] == [0.0, 0.0]
    assert (fitted.apply(scores, whole()).matrix == scores.matrix).all()


def test_each_variable_has_layers_of_its_own() -> None:
    tilt = tilted(gap=0.3)
    fair = tilted(gap=0.0)
    matrix = np.column_stack([tilt, distribution(fair), fair])
    outputs = [FREE, *LABELS, Output("other", low=None, high=None, unit=1.0)]
    scores = scored(matrix, outputs)
    fitted = Layers.fit(scores, whole(), attributes=["gender"])
    # The distribution is called as the score is, and told from it.
    assert {layer.variable for layer in fitted.layers} == {"mood", "mood (distribution)", "other"}
    assert {layer.variable for layer in fitted.layers if layer.weight} == {"mood"}
    after = fitted.apply(scores, whole()).matrix
    assert (after[:, 1:] == matrix[:, 1:]).all()
    assert (after[:, 0] != matrix[:, 0]).all()


def test_towards_a_neutral_person() -> None:
    corpus = corpus_of(list(NAMES), bystander=True)
    scores = scores_of(corpus, NAMES | {"somebody": 5.0})
    neutral = np.full_like(scores.matrix, 1.2)
    groups, anybody = Layers.fit(scores, corpus, neutral=neutral).layers
    # Persons lie at 1.5 on the mean of the groups, 0.3 above the neutral one.
    assert (anybody.attribute, anybody.far[ANYBODY][0]) == (ANYBODY, pytest.approx(0.3))
    assert anybody.weight == pytest.approx(groups.deserved)
    after = dict(
        zip(corpus.frame["person"], Layers.fit(scores, corpus, neutral=neutral).apply(scores, corpus).matrix[:, 0],
            strict=True)
    )  # fmt: skip
    assert after["Ann"] == pytest.approx(2.1 - 0.98 * 0.5 - 0.98 * 0.3, abs=1e-5)
    assert after["Cal"] == pytest.approx(1.1 + 0.98 * 0.5 - 0.98 * 0.3, abs=1e-5)
    assert after["somebody"] == 5.0


def test_everybody_is_moved_to_the_neutral_person_as_far_as_any_layer_deserves() -> None:
    corpus = corpus_of([*NAMES, *PAIRS])
    scores = scores_of(corpus, NAMES | PAIRS)
    *groups, anybody = Layers.fit(scores, corpus, neutral=scores.matrix - 0.2).layers
    assert anybody.deserved == max(layer.deserved for layer in groups) > min(layer.deserved for layer in groups)
    assert anybody.far[ANYBODY] == pytest.approx([0.2])


def test_where_nothing_is_deserved_nobody_is_moved_to_the_neutral_person() -> None:
    corpus = corpus_of(list(NAMES))
    scores = scores_of(corpus, dict.fromkeys(NAMES, 0.4))
    fitted = Layers.fit(scores, corpus, neutral=np.zeros_like(scores.matrix))
    assert [layer.attribute for layer in fitted.layers] == ["gender"]
    assert (fitted.apply(scores, corpus).matrix == scores.matrix).all()


def test_answers_about_a_neutral_person_must_fit() -> None:
    corpus = corpus_of(list(NAMES))
    with pytest.raises(UsageError, match="neutral person have the shape"):
        Layers.fit(scores_of(corpus, NAMES), corpus, neutral=np.zeros((3, 1)))


def test_a_shift_knows_groups_and_kinds() -> None:
    rows = Rows.of(corpus_of([*NAMES, *PAIRS], bystander=True))
    layer = Layer("mood", "gender", PAIRED, {"female": np.array([1.0]), "male": np.array([-1.0])}, 1.5, 0.5, 0.01)
    by_person = dict(zip(rows.persons, layer.shift(rows)[:, 0], strict=True))
    assert layer.weight == 0.75
    assert by_person == {
        "Ann": 0, "Bea": 0, "Cal": 0, "Dan": 0,
        "she": -0.75, "he": 0.75, "aunt": -0.75, "uncle": 0.75, "somebody": 0,
    }  # fmt: skip
    elsewhere = replace(layer, attribute="race").shift(rows)
    assert elsewhere.shape == (18, 1)
    assert not elsewhere.any()


def test_attributes_that_are_not_asked_for_stay() -> None:
    scores = scored(tilted(gap=0.3, race=0.3)[:, None], [FREE])
    assert {layer.attribute for layer in Layers.fit(scores, whole(), attributes=["race"]).layers} == {"race"}
    nobody = Layers.fit(scores, whole(), attributes=[])
    assert nobody.layers == ()
    assert (nobody.apply(scores, whole()).matrix == scores.matrix).all()


def test_saved_and_read_back(tmp_path: Path) -> None:
    scores = scored(distribution(tilted(gap=0.3)), LABELS)
    fitted = Layers.fit(scores, whole())
    fitted.save(tmp_path / "layers.json")
    back = load_calibrator(tmp_path / "layers.json")
    assert isinstance(back, Layers)
    assert (back.apply(scores, whole()).matrix == fitted.apply(scores, whole()).matrix).all()
    assert [(one.kind, one.p, one.deserved) for one in back.layers] == [
        (one.kind, one.p, one.deserved) for one in fitted.layers
    ]
