"""The published calibrations: by hand, against their definitions, and with the over-correction they are known for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus, eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.calibrator import FittedFor, load_calibrator
from evenhand.repairs.from_references import FromReferences
from evenhand.repairs.paired_means import EXPECTED, LIKELY, baseline_gaps, paired_means
from evenhand.repairs.published import (
    BASELINE,
    VARIANTS,
    Additive,
    AdditiveMean,
    AdditiveRatio,
    Contextual,
    Multiplicative,
    MultiplicativeMean,
    MultiplicativeRatio,
    fit_published,
)
from evenhand.repairs.reference_answers import NotDefined
from evenhand.repairs.references import reference_corpus
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, Output

pytestmark = pytest.mark.slow

EMOTIONS = ("anger", "fear", "joy", "sadness")
MOOD = tuple(Output(f"mood={value}", kind="probability", of="mood", value=float(value)) for value in (1, 2, 3))
GAPS = {"mood": {"gender": 0.3, "race": -0.1}}

# What is said to the references; two phrases of a group say it on average, each by itself something else.
SAID = {
    "female": (0.2, 0.3, 0.5),
    "male": (0.4, 0.4, 0.2),
    "African American": (0.25, 0.25, 0.5),
    "European American": (0.5, 0.25, 0.25),
    "neutral": (0.4, 0.3, 0.3),
    "content-free": (0.5, 0.3, 0.2),
}


def scores_of(corpus: Corpus, matrix: Array, outputs: Sequence[Output], system: str = "model") -> Scores:
    columns = tuple(Column(system, output, f"of {system}") for output in outputs)
    return Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)


def said_to_references(said: Mapping[str, Sequence[float]], outputs: Sequence[Output] = MOOD) -> Scores:
    corpus = reference_corpus()
    matrix, count = [], dict.fromkeys(said, 0)
    for row in corpus.frame.iter_rows(named=True):
        what = row["gender"] or row["race"] or row["reference"]
        apart = np.zeros(len(outputs))
        if what != "content-free":  # there are three of those
            apart[:2] = (0.05, -0.05) if count[what] == 0 else (-0.05, 0.05)
        count[what] += 1
        matrix.append(np.array(said[what]) + apart)
    return scores_of(corpus, np.array(matrix), outputs)


PEOPLE = (
    # who, gender, race, distribution
    ("Tia", "female", "African American", (0.1, 0.3, 0.6)),
    ("Roger", "male", "European American", (0.5, 0.3, 0.2)),
    ("she", "female", None, (0.1, 0.3, 0.6)),
    (None, None, None, (0.1, 0.3, 0.6)),
)


def sentences(emotion: Sequence[str | None] = ("anger", "joy", None, "fear")) -> Corpus:
    rows = [
        {"id": f"s-{n}", "text": f"{who or 'It'} rained.", "source": "a", "person": who, "gender": gender, "race": race}
        for n, (who, gender, race, _) in enumerate(PEOPLE)
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(emotion=pl.Series(emotion, dtype=pl.String))
    attributes = {"gender": ("female", "male"), "race": ("African American", "European American")}
    return Corpus(frame, "sentences", attributes)


def said_to_sentences() -> Scores:
    return scores_of(sentences(), np.array([said for *_, said in PEOPLE]), MOOD)


def softmax(*numbers: float) -> list[float]:
    """By the definition, number by number."""
    total = sum(math.exp(number) for number in numbers)
    return [math.exp(number) / total for number in numbers]


def fit(variant: type[FromReferences], **settings: object) -> FromReferences:
    gaps = GAPS if variant.by_ratio else None
    made: FromReferences = variant.fit(said_to_references(SAID), reference_corpus(), gaps=gaps, **settings)  # type: ignore[arg-type]
    return made


def after(calibrator: FromReferences) -> list[list[float]]:
    return calibrator.apply(said_to_sentences(), sentences()).matrix.tolist()


@pytest.mark.parametrize(
    ("variant", "tia", "she"),
    [
        # W_g = (2, 1, 0.6), W_r = (1.6, 1.2, 0.6); b_g = (0.2, 0, −0.2), b_r = (0.15, 0.05, −0.2); p = (0.1, 0.3, 0.6).
        (Multiplicative, (0.32, 0.36, 0.216), (0.2, 0.3, 0.36)),
        (MultiplicativeMean, (0.18, 0.33, 0.36), (0.2, 0.3, 0.36)),
        (Additive, (0.45, 0.35, 0.2), (0.3, 0.3, 0.4)),
        (AdditiveMean, (0.275, 0.325, 0.4), (0.3, 0.3, 0.4)),
        # Weights ¾ for gender and ¼ for race, as the gaps are 0.3 and −0.1.
        (MultiplicativeRatio, (0.19, 0.315, 0.36), (0.2, 0.3, 0.36)),
        (AdditiveRatio, (0.2875, 0.3125, 0.4), (0.3, 0.3, 0.4)),
        # W = (2, 10/3, 5).
        (Contextual, (0.2, 1.0, 3.0), (0.2, 1.0, 3.0)),
    ],
)
def test_by_hand(variant: type[FromReferences], tia: tuple[float, ...], she: tuple[float, ...]) -> None:
    found = after(fit(variant))
    assert found[0] == pytest.approx(softmax(*tia), abs=1e-12)
    assert found[2] == pytest.approx(softmax(*she), abs=1e-12)


def test_a_number_that_somebody_worked_out_with_a_pen() -> None:
    # exp(0.45) = 1.56831, exp(0.35) = 1.41907, exp(0.2) = 1.22140; their sum is 4.20878.
    assert after(fit(Additive))[0] == pytest.approx([0.37263, 0.33717, 0.29020], abs=5e-6)


def test_the_other_group_gets_the_layer_of_the_other_group() -> None:
    # W_g = (1, 0.75, 1.5), W_r = (0.8, 1.2, 1.2), p = (0.5, 0.3, 0.2).
    assert after(fit(Multiplicative))[1] == pytest.approx(softmax(0.4, 0.27, 0.36), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "contextual"])
def test_sentences_without_a_person_come_back_bit_for_bit(name: str) -> None:
    assert after(fit(VARIANTS[name]))[3] == list(PEOPLE[3][3])


def test_contextual_calibration_knows_no_persons() -> None:
    found = after(fit(Contextual))
    assert found[3] == found[0] == found[2]


@pytest.mark.parametrize(
    ("target", "tia"),
    [
        ("uniform", (0.1 + 2 / 3 - 0.45, 0.3 + 2 / 3 - 0.55, 0.6 + 2 / 3 - 1.0)),
        ("mean", (0.1 + 0.1 + 0.125, 0.3 + 0.05, 0.6 - 0.15 - 0.125)),
        ("male, European American", (0.1 + 0.2 + 0.25, 0.3 + 0.1, 0.6 - 0.3 - 0.25)),
        ("female,African American", (0.1, 0.3, 0.6)),
    ],
)
def test_other_targets(target: str, tia: tuple[float, ...]) -> None:
    assert after(fit(Additive, target=target))[0] == pytest.approx(softmax(*tia), abs=1e-12)


@pytest.mark.parametrize("target", ["uniform", "neutral", "mean"])
@pytest.mark.parametrize("variant", [Multiplicative, Additive])
def test_a_layer_carries_the_group_to_the_target(variant: type[FromReferences], target: str) -> None:
    """What a layer is for, by whatever target: with shares of the sum, what bare identities get becomes the target."""
    calibrator = fit(variant, target=target, normalise="sum")
    corpus = sentences()
    said = scores_of(corpus, np.array([SAID["female"]] * len(corpus)), MOOD)
    she = calibrator.apply(said, corpus).matrix[2]
    wanted = {
        "uniform": [1 / 3] * 3,
        "neutral": SAID["neutral"],
        "mean": np.mean([SAID["female"], SAID["male"]], axis=0),
    }
    assert she.tolist() == pytest.approx(list(wanted[target]), abs=1e-12)


def test_shares_of_the_sum_instead_of_softmax() -> None:
    assert after(fit(Multiplicative, normalise="sum"))[0] == pytest.approx(
        [z / 0.896 for z in (0.32, 0.36, 0.216)], abs=1e-12
    )
    # p + b_r + b_g = (0.85, 0.45, −0.3): what is below zero counts as nothing.
    corpus = sentences()
    said = scores_of(corpus, np.array([(0.5, 0.4, 0.1)] * len(corpus)), MOOD)
    found = fit(Additive, normalise="sum").apply(said, corpus).matrix[0]
    assert found.tolist() == pytest.approx([0.85 / 1.3, 0.45 / 1.3, 0.0], abs=1e-12)


def test_nothing_left_has_no_shares() -> None:
    without_third = SAID | {"neutral": (0.5, 0.5, 0.0)}
    calibrator = Multiplicative.fit(said_to_references(without_third), reference_corpus(), normalise="sum")
    corpus = sentences()
    said = scores_of(corpus, np.array([(0.0, 0.0, 1.0)] * len(corpus)), MOOD)
    with pytest.raises(EvenhandError, match=r'nothing is left of the probabilities of "Tia rained\."'):
        calibrator.apply(said, corpus)


distributions = st.lists(st.floats(0.001, 1.0), min_size=5, max_size=5).map(lambda p: np.array(p) / sum(p))


@given(p=distributions, same=distributions)
@pytest.mark.parametrize("variant", [Multiplicative, MultiplicativeMean, Additive, AdditiveMean])
def test_softmax_alone_keeps_the_most_likely_label_and_flattens(
    variant: type[FromReferences], p: Array, same: Array
) -> None:
    """Where all references are answered alike, W is the identity and b is zero: what is left is softmax(p)."""
    outputs = tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in range(1, 6))
    references, corpus = reference_corpus(), sentences()
    said = scores_of(references, np.array([same] * len(references)), outputs)
    before = np.array([p] * len(corpus))
    found = variant.fit(said, references).apply(scores_of(corpus, before, outputs), corpus).matrix[0]
    assert found.tolist() == pytest.approx(softmax(*p), abs=1e-12)
    assert found[p.argmax()] == found.max()
    assert found.max() <= p.max() + 1e-12
    assert found.max() <= math.e / (math.e + 4) + 1e-12


def test_of_a_single_score_an_addition_is_a_shift() -> None:
    """With shares of the sum, the additive layers move a score by what the references of its groups lie apart."""
    outputs = (Output("mood", 0.0, 10.0),)
    references, corpus = reference_corpus(), sentences()
    level = {"female": 6.0, "male": 5.0, "African American": 5.5, "European American": 4.0, "neutral": 5.0}
    said = [[level[row["gender"] or row["race"] or "neutral"]] for row in references.frame.iter_rows(named=True)]
    calibrator = Additive.fit(scores_of(references, np.array(said), outputs), references, normalise="sum")
    before = scores_of(corpus, np.array([[3.0], [9.5], [0.5], [7.0]]), outputs)
    found = calibrator.apply(before, corpus).matrix[:, 0]
    # Tia: −1 and −0.5; Roger: 0 and +1, but not beyond 10; she: −1, but not below 0.
    assert found.tolist() == pytest.approx([1.5, 10.0, 0.0, 7.0], abs=1e-12)


def test_of_a_single_score_a_multiplication_is_of_the_odds() -> None:
    outputs = (Output("mood", 0.0, 1.0),)
    references, corpus = reference_corpus(), sentences()
    level = {"female": 0.6, "male": 0.5, "African American": 0.5, "European American": 0.5, "neutral": 0.5}
    said = [[level[row["gender"] or row["race"] or "neutral"]] for row in references.frame.iter_rows(named=True)]
    calibrator = Multiplicative.fit(scores_of(references, np.array(said), outputs), references, normalise="sum")
    found = calibrator.apply(scores_of(corpus, np.full((4, 1), 0.75), outputs), corpus).matrix[:, 0]
    # Odds of 3 against 1 become 3 · (0.5/0.6) / (0.5/0.4) = 2.
    assert found.tolist() == pytest.approx([2 / 3, 0.75, 2 / 3, 0.75], abs=1e-12)


def of_emotions() -> tuple[Output, ...]:
    return tuple(
        Output(f"{emotion}={value}", kind="probability", of=emotion, value=float(value))
        for emotion in EMOTIONS
        for value in (1, 2, 3)
    )


def said_by_emotion() -> Scores:
    """Each emotion's references are those above with their labels turned round once more."""
    turned = {what: np.concatenate([np.roll(p, turn) for turn in range(4)]) for what, p in SAID.items()}
    corpus = reference_corpus()
    matrix = [turned[row["gender"] or row["race"] or row["reference"]] for row in corpus.frame.iter_rows(named=True)]
    return scores_of(corpus, np.array(matrix), of_emotions())


def test_each_sentence_gets_the_layer_of_the_emotion_that_it_was_asked_for() -> None:
    fitted_for = FittedFor.of(said_to_sentences(), sentences())
    calibrator = Additive.fit(said_by_emotion(), reference_corpus(), asked_for="emotion", fitted_for=fitted_for)
    found = after(calibrator)
    assert found[0] == after(fit(Additive))[0]  # anger: not turned
    # Roger is asked for joy, turned twice: b_g = (0, −0.1, 0.1) and b_r = (−0.1, 0.05, 0.05) begin with their second.
    assert found[1] == pytest.approx(softmax(0.5 - 0.1 + 0.05, 0.3 + 0.1 + 0.05, 0.2 + 0.0 - 0.1), abs=1e-12)
    # She has no emotion: the mean of four turns of b_g = (0.2, 0, −0.2), of which the first counts twice.
    assert found[2] == pytest.approx(softmax(0.1 + 0.05, 0.3 + 0.0, 0.6 - 0.05), abs=1e-12)
    assert found[3] == list(PEOPLE[3][3])


def test_without_an_emotion_the_answers_are_averaged_before_the_ratio() -> None:
    fitted_for = FittedFor.of(said_to_sentences(), sentences())
    calibrator = Multiplicative.fit(said_by_emotion(), reference_corpus(), asked_for="emotion", fitted_for=fitted_for)

    def mean(p: Sequence[float]) -> Array:
        return np.mean([np.roll(p, turn) for turn in range(4)], axis=0)

    layer = mean(SAID["neutral"]) / mean(SAID["female"])
    assert after(calibrator)[2] == pytest.approx(softmax(*(layer * PEOPLE[2][3])), abs=1e-12)
    rows = replace(Rows.of(sentences()), slots=None)
    unknown = calibrator.corrected(said_to_sentences().matrix, rows)
    assert unknown[2].tolist() == after(calibrator)[2]
    assert unknown[0].tolist() != after(calibrator)[0]


def test_what_a_sentence_was_asked_for_must_be_known() -> None:
    fitted_for = FittedFor.of(said_to_sentences(), sentences())
    with pytest.raises(
        UsageError, match="asked for anger, fear, joy, sadness, and the system to repair answers 'mood'"
    ):
        Additive.fit(said_by_emotion(), reference_corpus(), fitted_for=fitted_for)
    calibrator = Additive.fit(said_by_emotion(), reference_corpus(), asked_for="emotoin", fitted_for=fitted_for)
    with pytest.raises(UsageError, match="did you mean 'emotion'"):
        after(calibrator)
    calibrator = Additive.fit(said_by_emotion(), reference_corpus(), asked_for="emotion", fitted_for=fitted_for)
    disgusted = sentences(["anger", "disgust", None, None])
    with pytest.raises(UsageError, match="not for 'disgust'"):
        calibrator.apply(scores_of(disgusted, said_to_sentences().matrix, MOOD), disgusted)


def test_it_repairs_the_system_it_was_fitted_for_and_no_other() -> None:
    calibrator = fit(Additive)
    assert calibrator.fitted_for.corpus == "phrases"
    with pytest.raises(UsageError, match="is another system"):
        calibrator.apply(scores_of(sentences(), said_to_sentences().matrix, MOOD, system="other"), sentences())
    other = FittedFor.of(scores_of(sentences(), said_to_sentences().matrix, MOOD, system="other"), sentences())
    theirs = fit(Additive, fitted_for=other)
    assert (theirs.fitted_for.system, theirs.fitted_for.corpus) == ("other", "phrases")


def test_references_with_other_labels_are_refused() -> None:
    two = tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in (1, 2))
    fitted_for = FittedFor.of(scores_of(sentences(), np.full((4, 2), 0.5), two), sentences())
    with pytest.raises(UsageError, match="'mood' has 2 labels, and the references were answered with 3"):
        fit(Additive, fitted_for=fitted_for)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_it_is_kept_as_json(name: str, tmp_path: Path) -> None:
    calibrator = fit(VARIANTS[name])
    calibrator.save(tmp_path / "kept.json")
    again = load_calibrator(tmp_path / "kept.json")
    assert type(again) is VARIANTS[name]
    assert again.method == name
    assert again.apply(said_to_sentences(), sentences()).matrix.tolist() == after(calibrator)


@pytest.mark.parametrize(
    "damage",
    [
        lambda fitted: fitted["references"]["mood"]["groups"]["gender"].update(female=[0.0, 0.3, 0.7]),
        lambda fitted: fitted["references"]["mood"]["groups"]["gender"].update(female=[0.3, 0.7]),
        lambda fitted: fitted["references"]["mood"]["groups"]["gender"].update(female=[0.3, 0.3, "x"]),
        lambda fitted: fitted.update(weights={"mood": {"gender": 1.0}}),
        lambda fitted: fitted.update(weights=None),
        lambda fitted: fitted.update(normalise="maximum"),
        lambda fitted: fitted.pop("references"),
    ],
)
def test_a_damaged_file_is_refused(damage: object, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    fit(MultiplicativeRatio).save(path)
    content = json.loads(path.read_text())
    damage(content["fitted"])  # type: ignore[operator]
    path.write_text(json.dumps(content))
    with pytest.raises(EvenhandError, match="does not hold a whole calibrator"):
        load_calibrator(path)


def test_a_ratio_over_zero_is_undefined_and_says_so() -> None:
    certain = said_to_references(SAID | {"female": (0.5, 0.5, 0.0)})
    with pytest.raises(NotDefined, match=r"'mood=3' has no probability after the identity 'female' \(gender\)"):
        Multiplicative.fit(certain, reference_corpus())
    found = fit_published(certain, reference_corpus(), gaps=GAPS)
    assert set(found.undefined) == {"multiplicative", "multiplicative-mean", "multiplicative-ratio"}
    assert set(found.versions(said_to_sentences(), sentences())) == {BASELINE, *VARIANTS} - set(found.undefined)
    empty = said_to_references(SAID | {"content-free": (0.5, 0.5, 0.0)})
    with pytest.raises(NotDefined, match="after inputs without content"):
        Contextual.fit(empty, reference_corpus())


def test_all_variants_at_once() -> None:
    found = fit_published(said_to_references(SAID), reference_corpus(), gaps=GAPS, target="mean", normalise="sum")
    assert list(found.calibrators) == list(VARIANTS)
    assert {name: (one.target, one.normalise) for name, one in found.calibrators.items()} == {
        name: ("uniform" if name == "contextual" else "mean", "sum") for name in VARIANTS
    }
    versions = found.versions(said_to_sentences(), sentences())
    assert versions[BASELINE].matrix.tolist() == said_to_sentences().matrix.tolist()
    assert versions["additive"].matrix.tolist() == after(fit(Additive, target="mean", normalise="sum"))
    with pytest.raises(UsageError, match="unknown way to normalise 'sums'; did you mean 'sum'"):
        fit_published(said_to_references(SAID), reference_corpus(), normalise="sums")


def test_the_ratio_needs_gaps() -> None:
    def fit_ratio(gaps: Mapping[str, Mapping[str, float]] | None) -> None:
        AdditiveRatio.fit(said_to_references(SAID), reference_corpus(), gaps=gaps)

    with pytest.raises(NotDefined, match="need the gaps before"):
        fit_ratio(None)
    with pytest.raises(NotDefined, match="no gap of 'mood' is known for race"):
        fit_ratio({"mood": {"gender": 0.1}})
    with pytest.raises(NotDefined, match="no gap of 'mood' is known for race"):
        fit_ratio({"mood": {"gender": 0.1, "race": math.nan}})
    with pytest.raises(NotDefined, match="all zero"):
        fit_ratio({"mood": {"gender": 0.0, "race": 0.0}})
    found = fit_published(said_to_references(SAID), reference_corpus())
    assert set(found.undefined) == {"multiplicative-ratio", "additive-ratio"}


def test_a_layer_without_weight_still_counts_alone() -> None:
    gaps = {"mood": {"gender": 0.0, "race": 0.2}}
    calibrator = AdditiveRatio.fit(said_to_references(SAID), reference_corpus(), gaps=gaps)
    found = after(calibrator)
    assert found[0] == pytest.approx(softmax(0.1 + 0.15, 0.3 + 0.05, 0.6 - 0.2), abs=1e-12)
    assert found[2] == after(fit(Additive))[2]


def test_mistaken_settings_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown target 'femal'; did you mean 'female'"):
        fit(Additive, target="femal,European American")
    with pytest.raises(UsageError, match="names 0 groups of race; name one of African American, European American"):
        fit(Additive, target="male")
    with pytest.raises(UsageError, match="names 2 groups of gender"):
        fit(Additive, target="male,female")
    with pytest.raises(UsageError, match="aims at equal probabilities"):
        fit(Contextual, target="neutral")


def test_a_group_that_the_references_do_not_know_is_an_error_not_a_gap() -> None:
    frame = sentences().frame.with_columns(gender=pl.col("gender").replace("male", "non-binary"))
    corpus = Corpus(frame, "others", {"gender": ("female", "non-binary")})
    said = scores_of(corpus, said_to_sentences().matrix, MOOD)
    message = "no input for gender 'non-binary'; they know female, male"
    with pytest.raises(UsageError, match=message):
        fit(Additive).apply(said, corpus)
    found = fit_published(
        said_to_references(SAID), reference_corpus(), fitted_for=FittedFor.of(said, corpus), gaps=GAPS
    )
    assert list(found.calibrators) == ["contextual"]
    assert all(message in why for why in found.undefined.values())


def test_attributes_that_the_references_do_not_name_are_left_alone() -> None:
    frame = sentences().frame.with_columns(age=pl.col("gender").replace({"female": "old", "male": "young"}))
    corpus = Corpus(frame.drop("gender", "race"), "aged", {"age": ("old", "young")})
    said = scores_of(corpus, said_to_sentences().matrix, MOOD)
    assert fit(Additive).apply(said, corpus).matrix.tolist() == said.matrix.tolist()
    found = fit_published(
        said_to_references(SAID), reference_corpus(), fitted_for=FittedFor.of(said, corpus), gaps=GAPS
    )
    assert list(found.calibrators) == ["contextual"]
    assert set(found.undefined.values()) == {"the references are about gender, race, and the corpus about age"}


def test_every_variable_has_layers_of_its_own() -> None:
    fitted_for = FittedFor.of(scores_of(sentences(), np.full((4, 12), 1 / 3), of_emotions()), sentences())
    calibrator = Additive.fit(said_by_emotion(), reference_corpus(), fitted_for=fitted_for)
    before = np.tile(said_to_sentences().matrix, 4)
    found = calibrator.apply(scores_of(sentences(), before, of_emotions()), sentences()).matrix
    anger, fear = (list(variable.places) for variable in variables(of_emotions())[:2])
    assert found[:, anger].tolist() == after(fit(Additive))
    assert found[2, fear].tolist() == pytest.approx(softmax(0.1 - 0.2, 0.3 + 0.2, 0.6 + 0.0), abs=1e-12)


# The over-correction of the paper.

FIVE = tuple(Output(f"intensity={n}", kind="probability", of="intensity", value=float(n)) for n in range(1, 6))


def leaning(level: Array) -> Array:
    """Distributions over five labels around a level from 1 to 5."""
    weights = np.exp(-1.5 * (np.arange(1, 6) - level[:, None]) ** 2)
    shares: Array = weights / weights.sum(axis=1, keepdims=True)
    return shares


def biased(corpus: Corpus, gap: float, *, level: float = 3.0) -> Scores:
    """Men and African Americans are scored higher by that much, as the paper found."""
    frame = corpus.frame
    sides = [
        (frame[name] == group).fill_null(False).to_numpy().astype(float)
        for name, group in (
            ("gender", "male"),
            ("gender", "female"),
            ("race", "African American"),
            ("race", "European American"),
        )
    ]
    shift = gap * (sides[0] - sides[1] + sides[2] - sides[3]) / 2
    words = frame["emotion_word"].to_list() if "emotion_word" in frame.columns else [None] * len(corpus)
    own = np.array([0.0 if word is None else (len(word) % 5 - 2) / 2 for word in words])
    return scores_of(corpus, leaning(level + own + shift), FIVE)


@pytest.fixture(scope="module")
def over_corrected() -> dict[tuple[str, str, str], float]:
    corpus, references = eec(), reference_corpus()
    before = biased(corpus, 0.1)
    fitted = fit_published(
        biased(references, 1.2), references, fitted_for=FittedFor.of(before, corpus), gaps=baseline_gaps(before, corpus)
    )
    tests = paired_means(fitted.versions(before, corpus), corpus)
    assert all(one.significant for one in tests if one.reading == EXPECTED)
    return {(one.question, one.version, one.reading): one.mean for one in tests}


@pytest.mark.parametrize("question", ["gender, with names", "gender, without names", "race"])
@pytest.mark.parametrize("reading", [EXPECTED, LIKELY])
def test_identity_phrases_more_biased_than_sentences_reverse_the_gap(
    over_corrected: Mapping[tuple[str, str, str], float], question: str, reading: str
) -> None:
    before = over_corrected[question, BASELINE, reading]
    assert before <= 0
    assert over_corrected[question, BASELINE, EXPECTED] < 0
    for version in ("multiplicative", "additive", "multiplicative-mean", "additive-mean"):
        assert over_corrected[question, version, reading] > 0, version


def test_references_as_biased_as_the_sentences_do_not_reverse_it() -> None:
    corpus, references = eec().sample(960), reference_corpus()
    before = biased(corpus, 0.1)
    fitted = Multiplicative.fit(
        biased(references, 0.1), references, fitted_for=FittedFor.of(before, corpus), normalise="sum"
    )
    tests = paired_means({BASELINE: before, "repaired": fitted.apply(before, corpus)}, corpus)
    gaps = {(one.question, one.version): one.mean for one in tests if one.reading == EXPECTED}
    for question in ("gender, with names", "gender, without names", "race"):
        assert abs(gaps[question, "repaired"]) < 0.25 * abs(gaps[question, BASELINE])
