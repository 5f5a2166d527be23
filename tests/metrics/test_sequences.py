"""Tags: schemes and their repair, spans that match exactly, tokens of a term as one, and every metric on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics import METRICS, Measurements, measure
from evenhand.metrics.measuring import STEADY
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence, measure_tags
from evenhand.metrics.tag_reading import holds_tags, read_tags
from evenhand.schemes import BILOU, BIO, IOBES, Scheme, Span, converted, scheme_named, scheme_of, stretched

SPANS_OF = {
    # tags: (spans as start, end and class; places that do not fit)
    "B-X L-X": ([(0, 2, "X")], []),
    "B-X I-X I-X L-X": ([(0, 4, "X")], []),
    "U-X U-X": ([(0, 1, "X"), (1, 2, "X")], []),
    "O O": ([], []),
    # An entity that begins in its middle or at its end.
    "O I-X O": ([(1, 2, "X")], [1, 2]),
    "I-X L-X": ([(0, 2, "X")], [0]),
    "O L-X O": ([(1, 2, "X")], [1]),
    # An entity that nothing ends: by O, by the end of the sentence, by the beginning of another.
    "B-X O": ([(0, 1, "X")], [1]),
    "B-X": ([(0, 1, "X")], [1]),
    "B-X I-X": ([(0, 2, "X")], [2]),
    "B-X B-X L-X": ([(0, 1, "X"), (1, 3, "X")], [1]),
    "B-X U-X": ([(0, 1, "X"), (1, 2, "X")], [1]),
    # The class changes on the way.
    "B-X L-Y": ([(0, 1, "X"), (1, 2, "Y")], [1]),
    "B-X I-Y L-Y": ([(0, 1, "X"), (1, 3, "Y")], [1]),
    # Something goes on after the end.
    "B-X L-X L-X": ([(0, 2, "X"), (2, 3, "X")], [2]),
    "U-X I-X": ([(0, 1, "X"), (1, 2, "X")], [1, 2]),
    "U-X L-Y": ([(0, 1, "X"), (1, 2, "Y")], [1]),
}


@pytest.mark.parametrize("tags", SPANS_OF)
@pytest.mark.parametrize("scheme", [BILOU, IOBES])
def test_every_ill_formed_pattern_is_repaired_by_the_one_rule_and_its_places_told(tags: str, scheme: Scheme) -> None:
    spans, misfits = SPANS_OF[tags]
    written = tags if scheme is BILOU else tags.replace("L-", "E-").replace("U-", "S-")
    read = scheme.read(written.split())
    assert list(read.spans) == [Span(*span) for span in spans]
    assert list(read.misfits) == misfits


@pytest.mark.parametrize(
    ("tags", "spans", "misfits"),
    [
        ("B-X I-X B-X O", [(0, 2, "X"), (2, 3, "X")], []),
        ("I-X I-X O", [(0, 2, "X")], [0]),
        ("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")], [1]),
        ("O I-X", [(1, 2, "X")], [1]),
    ],
)
def test_in_bio_only_an_inside_that_continues_nothing_is_ill_formed(
    tags: str, spans: list[tuple[int, int, str]], misfits: list[int]
) -> None:
    read = BIO.read(tags.split())
    assert (list(read.spans), list(read.misfits)) == ([Span(*span) for span in spans], misfits)


@st.composite
def entities(draw: st.DrawFn) -> tuple[int, list[Span]]:
    """A number of tokens and entities that do not overlap."""
    parts = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from(["LOC", "PER"])), max_size=5))
    spans, place = [], 0
    for gap, length, label in parts:
        spans.append(Span(place + gap, place + gap + length, label))
        place += gap + length
    return place + draw(st.integers(0, 2)), spans


@given(entities())
def test_spans_survive_every_scheme_and_the_way_from_one_to_another(given: tuple[int, list[Span]]) -> None:
    length, spans = given
    for scheme in (BILOU, BIO, IOBES):
        tags = scheme.write(spans, length)
        assert len(tags) == length
        assert scheme.read(tags) == (tuple(spans), ())
        for other in (BILOU, BIO, IOBES):
            assert converted(converted(tags, to=other, scheme=scheme), to=scheme, scheme=other) == tags


@given(st.lists(st.sampled_from(["O", *(f"{letter}-{label}" for letter in "BILU" for label in "XY")]), max_size=8))
def test_whatever_is_predicted_every_tag_stays_in_a_span_of_its_class(tags: list[str]) -> None:
    spans = BILOU.read(tags).spans
    covered = {place: span.label for span in spans for place in range(span.start, span.end)}
    assert covered == {place: tag[2:] for place, tag in enumerate(tags) if tag != "O"}
    repaired = BILOU.write(spans, len(tags))
    assert BILOU.read(repaired).misfits == ()
    assert (repaired == tags) == (not BILOU.read(tags).misfits)


@given(entities(), st.data())
def test_a_token_that_becomes_several_moves_the_rest_and_grows_its_entity(
    given: tuple[int, list[Span]], data: st.DataObject
) -> None:
    length, spans = given
    if not length:
        return
    place, width = data.draw(st.integers(0, length - 1)), data.draw(st.integers(1, 4))
    tags = BILOU.write(spans, length)
    longer = stretched(tags, place, width)
    before, inside, after = longer[:place], longer[place : place + width], longer[place + width :]
    assert len(longer) == length + width - 1
    assert BILOU.read(longer).misfits == ()
    assert [tag[1:] for tag in before + after] == [tag[1:] for tag in tags[:place] + tags[place + 1 :]]
    assert {tag[1:] for tag in inside} == {tags[place][1:]}


def test_schemes_by_name_and_by_letters() -> None:
    assert scheme_named("IOBES") is IOBES
    assert scheme_of(["O"]) is BILOU
    with pytest.raises(UsageError, match="no tag scheme 'BILUO'; did you mean 'BILOU'"):
        scheme_named("BILUO")
    with pytest.raises(UsageError, match="mix BILOU"):
        scheme_of(["U-LOC", "S-LOC"])
    for tag in ("LOC", "X-LOC", "B-", "BB-LOC", ""):
        with pytest.raises(UsageError, match="is not a tag of BILOU: O, B-CLASS"):
            BILOU.read([tag])


# Two sources: "T is big ." and "I saw T . ". Groups: rich (Oman, New Zealand), poor (Mali, Papua New Guinea).
TERMS = {"rich": ["Oman", "New Zealand"], "poor": ["Mali", "Papua New Guinea"]}
SOURCES = {"big": ([], ["is", "big", "."]), "saw": (["I", "saw"], ["."])}
Tagger = Callable[[str, str, list[str], list[str]], tuple[Sequence[str], Sequence[Mapping[str, float]] | None]]


def certain(tags: Sequence[str]) -> list[dict[str, float]]:
    return [{tag: 1.0} for tag in tags]


def asked(tagger: Tagger) -> TaggedPredictions:
    sentences = []
    for source, (before, after) in SOURCES.items():
        for group, terms in TERMS.items():
            for term in terms:
                words = term.split()
                tokens = [*before, *words, *after]
                slot = (len(before), len(before) + len(words))
                gold = BILOU.write([Span(*slot, "LOC")], len(tokens))
                predicted, probabilities = tagger(source, term, tokens, gold)
                sentences.append(
                    TaggedSentence(
                        source,
                        group,
                        tuple(tokens),
                        slot,
                        tuple(gold),
                        tuple(predicted),
                        None if probabilities is None else tuple(probabilities),
                        term=term,
                    )
                )
    return TaggedPredictions(tuple(sentences))


def perfect(source: str, term: str, tokens: list[str], gold: list[str]) -> Any:
    return gold, certain(gold)


NEED_NEGATIVES = {
    "accuracy_difference", "accuracy_gap", "fped", "fped_normalised", "fpr_range", "fpr_ratio", "tnr_gap",
}  # fmt: skip


ON_SPANS = {"fned", "tpr_gap", "disparity_score", "parity_gap", "f1_ratio", "f1_difference", "recall_difference"}
ON_PROBABILITIES = {
    "avg_gf", "avg_gf_tc", "avg_eg", "cf_gap", "cf_gap_tc", "pert_ss", "pert_sd", "pert_sr", "avg_if", "bpsn_auc",
    "bnsp_auc", "label_flip_rate",
}  # fmt: skip


def values(found: Measurements, label: str) -> dict[str, float | None]:
    return {name: (by_class.get(label) or by_class["all"]).value for name, by_class in found.metrics.items()}


def test_a_perfect_tagger_has_every_gap_at_its_ideal() -> None:
    found = measure_tags(asked(perfect), groups=["rich", "poor"])
    assert found.classes == ("LOC",)
    measured = values(found, "LOC")
    defined = {name: value for name, value in measured.items() if value is not None}
    assert defined == {name: pytest.approx(METRICS[name].ideal, abs=1e-12) for name in defined}
    assert set(defined) >= ON_SPANS | ON_PROBABILITIES


def test_only_what_needs_true_negatives_is_undefined_for_that_reason() -> None:
    found = measure_tags(asked(perfect), groups=["rich", "poor"])
    reason = "true negatives are not defined for spans"
    assert {name for name, _, one in found if one.undefined == reason} == NEED_NEGATIVES


def misses_the_poor(source: str, term: str, tokens: list[str], gold: list[str]) -> Any:
    """Finds no poor country of one word, and of Papua New Guinea only a part."""
    if term == "Mali":
        tags = ["O"] * len(tokens)
        return tags, [{"O": 0.7, "U-LOC": 0.2, "B-LOC": 0.1} if token == term else {"O": 1.0} for token in tokens]
    if term == "Papua New Guinea":
        tags = [{"New": "B-LOC", "Guinea": "L-LOC"}.get(token, "O") for token in tokens]
        return tags, [{"I-LOC": 0.6, "L-LOC": 0.3} if tag != "O" else {"O": 1.0} for tag in tags]
    return gold, certain(gold)


def test_a_tagger_that_misses_one_group_as_computed_by_hand() -> None:
    tagged = asked(misses_the_poor)
    # Each of the two sources: 2 of 2 rich countries found; of 2 poor ones none, and one span that is not there.
    assert tagged.counts.tp[:, :, 0].tolist() == [[2, 0], [2, 0]]
    assert tagged.counts.fn[:, :, 0].tolist() == [[0, 2], [0, 2]]
    assert tagged.counts.fp[:, :, 0].tolist() == [[0, 1], [0, 1]]
    assert tagged.counts.tn is None
    found = measure_tags(tagged, groups=["rich", "poor"])
    measured = values(found, "LOC")
    expected = {
        "tpr_gap": 1.0,  # 4 of 4 against 0 of 4
        "tpr_difference": 1.0,
        "fned": 1.0,  # FNR 0 and 1 against 4/8 of everyone
        "fned_normalised": 0.5,
        "fnr_range": 1.0,
        "disparity_score": 0.5,  # F1 1 against 0, over two groups
        "disparity_score_normalised": 1.0,
        "parity_gap": 0.5,  # spans a sentence: 4 in 4 against 2 in 4
        # p(LOC) of the term: 1 for the rich; 0.3 for Mali; (0 + 0.9 + 0.9)/3 = 0.6 for Papua New Guinea. Means over the
        # pairs of terms: (0.7 + 0.4)/2. Over all tokens, a source of 4 positions has it at one of them.
        "cf_gap_tc": 0.55,
        "cf_gap": 0.55 / 4,
        "avg_score_difference": 0.55 / 4,
        # p(gold) at the term as p(LOC); 1 elsewhere but for the tokens that are O.
        "pert_ss": 0.55 / 4,
        "pert_sr": 0.55 / 4,
        "pert_sd": 0.55 / 8,  # of two numbers, half their difference
        "avg_if_tc": 0.55,
        "avg_gf_tc": 0.55,
        "avg_eg": 0.0,  # a mean of the groups' numbers: +½ and −½
    }
    assert {name: measured[name] for name in expected} == {name: pytest.approx(v) for name, v in expected.items()}
    assert found["avg_eg"]["LOC"].by_group == {"rich": pytest.approx(0.5), "poor": pytest.approx(-0.5)}
    # Predicted: Mali O, Papua New Guinea mixed and so O; both differ from LOC at one of four positions.
    assert found["label_flip_rate"]["all"].value == pytest.approx(1 / 4)


def test_long_sentences_weigh_no_more_than_short_ones() -> None:
    def sentence(source: str, group: str, probability: float, after: int) -> TaggedSentence:
        tokens = ("X", *["w"] * after)
        gold = ("U-LOC", *["O"] * after)
        probabilities = ({"U-LOC": probability, "O": 1 - probability}, *[{"O": 1.0}] * after)
        return TaggedSentence(source, group, tokens, (0, 1), gold, gold, probabilities, term=group)

    tagged = TaggedPredictions(
        (sentence("s", "a", 1.0, 1), sentence("s", "b", 0.6, 1), sentence("l", "a", 1.0, 9), sentence("l", "b", 0.2, 9))
    )
    found = measure_tags(tagged, ["cf_gap", "cf_gap_tc", "avg_if"])
    assert found["cf_gap"]["LOC"].value == pytest.approx((0.4 / 2 + 0.8 / 10) / 2)
    assert found["cf_gap_tc"]["LOC"].value == pytest.approx((0.4 + 0.8) / 2)
    assert found["cf_gap"]["LOC"].sources == 2
    assert found["avg_if"]["LOC"].value == pytest.approx((0.4 / 2 + 0.8 / 10) / 2)


def test_tuples_never_mix_one_token_with_another() -> None:
    """Position by position the groups agree; a comparison of all tokens with all would find gaps."""

    def tagger(source: str, term: str, tokens: list[str], gold: list[str]) -> Any:
        return gold, [{"U-LOC": 0.9, "O": 0.1} if tag != "O" else {"U-LOC": 0.2, "O": 0.8} for tag in gold]

    found = measure_tags(asked(tagger), ["cf_gap", "pert_ss", "pert_sr", "pert_sd", "log_odds_gap"])
    assert [one.value for _, _, one in found] == pytest.approx([0.0] * 5, abs=1e-12)


def test_the_order_of_the_sentences_changes_nothing() -> None:
    tagged = asked(misses_the_poor)
    backwards = TaggedPredictions(tagged.sentences[::-1])
    groups = ["rich", "poor"]
    first, second = (measure_tags(one, groups=groups, bootstrap=20).to_dict() for one in (tagged, backwards))
    assert first == second


def test_the_terms_alone_have_one_row_a_sentence() -> None:
    terms = asked(misses_the_poor).terms
    assert len(terms) == 8
    assert terms.position is None
    assert terms.probabilities is not None
    assert terms.probabilities[:, 0].tolist() == pytest.approx([1, 1, 0.3, 0.6] * 2)
    assert measure(terms, ["cf_gap"])["cf_gap"]["LOC"].value == pytest.approx(0.55)


def test_intervals_resample_whole_sentences() -> None:
    tagged = asked(misses_the_poor)
    found = measure_tags(tagged, ["tpr_gap", "cf_gap_tc", "cf_gap"], bootstrap=50, seed=1)
    # Both sources give the same numbers, so that no resample differs.
    for name, label, one in found:
        expected = ((0.0, 0.0), None) if one.value == 0 else (None, STEADY)
        assert (one.interval, one.undefined) == expected, (name, label)


def test_sampled_tuples_and_weights_by_tuples_work_on_tags() -> None:
    tagged = asked(misses_the_poor)
    for settings in ({"sample": 1, "seed": 3}, {"weight": "tuples"}):
        value = measure_tags(tagged, ["cf_gap_tc"], **settings)["cf_gap_tc"]["LOC"].value
        assert value is not None
        assert 0.4 <= value <= 0.7


def test_the_standard_deviation_of_many_terms_is_estimated_and_its_error_told() -> None:
    rng = np.random.default_rng(5)
    sentences = [
        TaggedSentence(
            "s", f"g{group}", ("X", "."), (0, 1), ("U-LOC", "O"), ("U-LOC", "O"),
            ({"U-LOC": p, "O": 1 - p}, {"O": 1.0}), term=f"{group}{term}",
        )
        for group in range(6) for term, p in enumerate(rng.random(6))
    ]  # fmt: skip
    tagged = TaggedPredictions(tuple(sentences))
    both = measure_tags(tagged, ["pert_sd"])["pert_sd"]["all"]
    slot = tagged.predictions.select(tagged.predictions.position == 0)  # type: ignore[arg-type]
    alone = measure(slot, ["pert_sd"])["pert_sd"]["all"]
    assert both.value is not None
    assert both.error is not None
    assert alone.value is not None
    assert alone.error is not None
    # The second token is certain, so the mean of two positions is half of the first. With half of the draws for each of
    # them, the error of the first is √2 times as large, and half of that counts.
    assert both.error == pytest.approx(alone.error * np.sqrt(2) / 2, rel=0.1)
    assert abs(both.value - alone.value / 2) < 4 * (both.error + alone.error / 2)


def test_without_probabilities_metrics_on_them_are_undefined() -> None:
    found = measure_tags(asked(lambda source, term, tokens, gold: (gold, None)), groups=["rich", "poor"])
    reasons = {name: one.undefined for name, _, one in found if METRICS[name].basis == "probabilities"}
    assert set(reasons.values()) <= {
        "no probabilities are given",
        "there is no unperturbed sentence to compare with (a row without a group)",
        "the classes have no order, or no values for their grades are given",
        reasons["expected_label_gap"],
    }
    assert found["tpr_gap"]["LOC"].value == 0


def test_other_entities_of_the_sentence_have_classes_of_their_own() -> None:
    def sentence(group: str, term: str, predicted: Sequence[str]) -> TaggedSentence:
        gold = ("U-LOC", "O", "B-ORG", "L-ORG")
        return TaggedSentence("s", group, (term, "and", "Red", "Cross"), (0, 1), gold, tuple(predicted), term=term)

    tagged = TaggedPredictions(
        (
            sentence("a", "Mali", ("U-LOC", "O", "B-ORG", "L-ORG")),
            sentence("b", "Oman", ("U-LOC", "O", "U-PER", "U-ORG")),
        )
    )
    assert tagged.classes == ("LOC", "ORG", "PER")
    found = measure_tags(tagged, ["tpr_gap", "fned"])
    assert found["tpr_gap"]["LOC"].value == 0
    assert found["tpr_gap"]["ORG"].value == 1
    assert found["tpr_gap"]["PER"].undefined == "no example has the gold class 'PER' (in a, b)"


def test_repairs_are_counted_by_group_and_gold_and_predictions_may_differ_in_scheme() -> None:
    def tagger(source: str, term: str, tokens: list[str], gold: list[str]) -> Any:
        tags = converted(gold, to=BIO)
        return [tag.replace("B-", "I-") if term == "Papua New Guinea" else tag for tag in tags], None

    tagged = asked(tagger)
    assert tagged.repaired == {"rich": 0, "poor": 2}
    assert measure_tags(tagged, ["tpr_gap"])["tpr_gap"]["LOC"].value == 0
    named = TaggedPredictions(tagged.sentences, scheme=BILOU)
    assert named.repaired == {"rich": 4, "poor": 4}  # a B that nothing ends


def test_the_unperturbed_sentence_is_a_background() -> None:
    def sentence(group: str | None, probability: float) -> TaggedSentence:
        probabilities = ({"U-LOC": probability, "O": 1 - probability}, {"O": 1.0})
        tags = ("U-LOC", "O")
        return TaggedSentence("s", group, ("X", "."), (0, 1), tags, tags, probabilities, term=str(group))

    tagged = TaggedPredictions((sentence(None, 0.9), sentence("a", 0.5), sentence("b", 0.8)))
    found = measure_tags(tagged, ["cf_gap_background", "label_distance"])
    assert found["cf_gap_background"]["LOC"].by_group == {"a": pytest.approx(0.2), "b": pytest.approx(0.05)}
    assert found["label_distance"]["LOC"].undefined == "it compares labels of whole sentences, not of tokens"


ROW: dict[str, Any] = {
    "source": "big", "group": "poor", "term": "Mali", "tokens": ["Mali", "is", "big"], "slot_span": [0, 1],
    "gold": ["U-LOC", "O", "O"], "pred": ["U-LOC", "O", "O"],
    "probs": [{"U-LOC": 0.5, "B-LOC": 0.25, "O": 0.25}, {"O": 1}, {"O": 1}],
}  # fmt: skip
OTHER = ROW | {
    "group": "rich", "term": "New Zealand", "tokens": ["New", "Zealand", "is", "big"], "slot_span": [0, 2],
    "gold": ["B-LOC", "L-LOC", "O", "O"], "pred": ["B-LOC", "L-LOC", "O", "O"],
    "probs": [{"B-LOC": 0.9, "O": 0.1}, {"L-LOC": 0.7, "O": 0.3}, {"O": 1}, {"O": 1}],
}  # fmt: skip


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_is_read_and_measured(tmp_path: Path) -> None:
    tagged = read_tags(write(tmp_path / "tags.jsonl", ROW, "\n", OTHER))
    assert len(tagged) == 2
    assert tagged.predictions.probabilities is not None
    # Sums of B and U; the mean of (0.9, 0.7) for the term of two tokens.
    assert tagged.predictions.probabilities[:, 0].tolist() == pytest.approx([0.75, 0, 0, 0.8, 0, 0])
    assert tagged.predictions.position is not None
    assert tagged.predictions.position.tolist() == [0, 1, 2, 0, 1, 2]
    found = measure_tags(tagged, ["cf_gap_tc", "tpr_gap"])
    assert found["cf_gap_tc"]["LOC"].value == pytest.approx(0.05)
    assert found["tpr_gap"]["LOC"].value == 0


def test_tags_may_be_named_once_and_predictions_follow_from_probabilities(tmp_path: Path) -> None:
    header = {"tags": ["O", "B-LOC", "L-LOC", "U-LOC"]}
    lists = [
        {key: value for key, value in row.items() if key not in ("pred", "term")}
        | {"probs": [[entry.get(tag, 0) for tag in header["tags"]] for entry in row["probs"]]}
        for row in (ROW, OTHER)
    ]
    tagged = read_tags(write(tmp_path / "tags.jsonl", header, *lists))
    whole = read_tags(write(tmp_path / "whole.jsonl", ROW, OTHER))
    assert [one.predicted for one in tagged.sentences] == [one.predicted for one in whole.sentences]
    assert [one.term for one in tagged.sentences] == ["Mali", "New Zealand"]
    np.testing.assert_array_equal(tagged.predictions.probabilities, whole.predictions.probabilities)  # type: ignore[arg-type]


def test_the_example_in_the_docs_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "taggers.md").read_text(encoding="utf-8")
    line = page.partition("```json\n")[2].partition("\n```")[0]
    tagged = read_tags(write(tmp_path / "tags.jsonl", json.loads(line)))
    assert tagged.counts.fn[0, 0, 0] == tagged.counts.fp[0, 0, 0] == 1
    assert tagged.terms.probabilities is not None
    assert tagged.terms.probabilities[0, 0] == pytest.approx(0.7)


def test_files_of_tags_are_told_from_tables(tmp_path: Path) -> None:
    assert holds_tags(write(tmp_path / "tags.jsonl", ROW))
    assert holds_tags(write(tmp_path / "header.jsonl", {"tags": ["O"]}, ROW))
    assert not holds_tags(write(tmp_path / "table.jsonl", {"source": "1", "group": "a", "pred": "x"}))
    assert not holds_tags(write(tmp_path / "broken.jsonl", "{nothing"))
    assert not holds_tags(write(tmp_path / "table.csv", "source,group\n"))


BAD = [
    ({"tokens": None}, "'tokens' is a list of texts, not null"),
    ({"slot_span": [0, 0]}, r"slot_span \[0, 0\] is not a part of 3 tokens; it counts from 0, and its end"),
    ({"slot_span": [2, 4]}, r"slot_span \[2, 4\] is not a part of 3 tokens"),
    ({"slot_span": 0}, r"'slot_span' is \[start, end\], not 0"),
    ({"slot_span": [0, 2]}, "the term's tokens have the gold classes LOC, O; a term has one"),
    ({"gold": ["U-LOC", "O"]}, "3 tokens and 2 entries of 'gold'"),
    ({"gold": ["B-LOC", "O", "O"]}, "the gold tags are ill-formed: 'O' of the token 'is' does not fit"),
    ({"gold": ["U-LOC", "O", "B-LOC"]}, "the gold tags are ill-formed: 'B-LOC' of the token 'big' does not fit"),
    ({"gold": ["LOC", "O", "O"]}, "'LOC' is not a tag of BILOU"),
    ({"pred": ["U-LOC", "O", "X-LOC"]}, "'X-LOC' is not a tag of BILOU"),
    ({"pred": ["U-LOC"]}, "3 tokens and 1 entries of 'pred'"),
    ({"pred": None, "probs": None}, "there is neither 'pred' nor 'probs'"),
    ({"probs": [{"O": 1}]}, "3 tokens and 1 entries of 'probs'"),
    ({"probs": {"O": 1}}, "'probs' is a list with an entry for each token"),
    ({"probs": [{"O": "x"}, {"O": 1}, {"O": 1}]}, "the probability of 'O' is a number, not \"x\""),
    ({"probs": [{"O": 1.5}, {"O": 1}, {"O": 1}]}, "token 'Mali': the probability 1.5 of 'O' is outside 0..1"),
    ({"probs": [{"O": 0.9, "U-LOC": 0.9}, {"O": 1}, {"O": 1}]}, "token 'Mali': its probabilities add up to 1.8"),
    ({"probs": [[1], [1], [1]]}, "'probs' holds lists; a first line"),
    ({"probs": None}, "it has no probabilities, and others have"),
    ({"source": ""}, "'source' is a name, not \"\""),
    ({"group": ["a"]}, r"'group' is a name, not \[\"a\"\]"),
    (
        {"tokens": ["Mali", "is"], "gold": ["U-LOC", "O"], "pred": ["O", "O"], "probs": [{"O": 1}, {"O": 1}]},
        "source 'big' has 0 tokens before the term and 1 after it, where .*tags.jsonl, line 1 has 0 and 2",
    ),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "tags.jsonl", OTHER, ROW | change)
    with pytest.raises(EvenhandError, match=f"tags.jsonl, line 2: {message}"):
        read_tags(path).repaired  # noqa: B018 - predictions are read when they are needed


@pytest.mark.parametrize("name", ["source", "group", "tokens", "slot_span", "gold"])
def test_missing_keys_are_named(tmp_path: Path, name: str) -> None:
    row = {key: value for key, value in ROW.items() if key != name}
    with pytest.raises(EvenhandError, match=f"line 1: there is no '{name}'"):
        read_tags(write(tmp_path / "tags.jsonl", row))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{nothing\n"], "line 1: not JSON"),
        (["[1]\n"], r"line 1: a JSON object is needed, not \[1\]"),
        ([json.dumps(ROW).replace("0.5", "NaN")], "line 1: probs.0.U-LOC: NaN is not a JSON number"),
        ([{"tags": ["O"]}], "has no tagged sentences"),
        ([{"tags": ["O", "U-LOC"]}, ROW | {"probs": [[1], [1], [1]]}], "line 2: 1 probabilities for the 2 tags"),
    ],
)
def test_lines_that_are_no_sentences(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        read_tags(write(tmp_path / "tags.jsonl", *rows))


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "tags.jsonl"
    path.write_bytes(json.dumps(ROW).encode() + b"\n" + b'{"source": "\xe9"}')
    with pytest.raises(EvenhandError, match="line 2: not UTF-8"):
        read_tags(path)
    with pytest.raises(UsageError, match="no such file"):
        read_tags(tmp_path / "nowhere.jsonl")
