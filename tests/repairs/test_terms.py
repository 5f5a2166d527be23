"""Per-term corrections: by hand, the share against plain loops, and who is left to the groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.contrasts import EVERYBODY, Contrast, general_contrast, general_contrasts
from evenhand.corpora import Corpus
from evenhand.repairs.calibrator import load_calibrator
from evenhand.repairs.layers import Layers
from evenhand.repairs.own_parts import LEVEL, Own, _more_than_chance, _variances
from evenhand.repairs.rows import Rows
from evenhand.repairs.terms import Terms
from evenhand.systems.base import Array, Output

FREE = Output("mood", low=None, high=None, unit=1.0)
Person = Mapping[str, str | None]

ANN, BEA, CAL, DAN = ({"person": name, "gender": "female" if name < "C" else "male"} for name in "ABCD")
SHE, HE = ({"person": name, "gender": group, "pair": "p1"} for name, group in (("she", "female"), ("he", "male")))
AUNT, UNCLE = ({"person": n, "gender": g, "pair": "p2"} for n, g in (("aunt", "female"), ("uncle", "male")))
NAMES = {"A": 2.1, "B": 1.9, "C": 1.1, "D": 0.9}


def corpus_of(people: Sequence[Person], *, templates: int = 2, words: int = 1) -> Corpus:
    """Every person in every sentence; a sentence is a template with a word."""
    columns = list(dict.fromkeys(["person", "pair", *(key for person in people for key in person)]))
    rows = [
        {"text": f"{t} {w} {person}", "source": f"{t} {w}", "template": f"t{t}", "word": f"w{w}"}
        | {column: person.get(column) for column in columns}
        for t in range(templates)
        for w in range(words)
        for person in people
    ]
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(columns, pl.String))
    attributes = {
        column: tuple(frame[column].drop_nulls().unique(maintain_order=True))
        for column in columns
        if column not in ("person", "pair")
    }
    groupings = ("template", "word") if words > 1 else ("template",)
    return Corpus(frame.with_row_index("id").cast({"id": pl.String}), "tiny", attributes, groupings)


def scores_of(corpus: Corpus, values: Mapping[str, float] | Array) -> Scores:
    matrix = values if isinstance(values, np.ndarray) else np.array([[values[who]] for who in corpus.frame["person"]])
    return Scores(tuple(corpus.frame["id"]), matrix, (Column("toy", FREE, "1"),), corpus.digest)


def repaired(corpus: Corpus, values: Mapping[str, float], **asked: Sequence[str]) -> dict[str, float]:
    scores = scores_of(corpus, values)
    after = Terms.fit(scores, corpus, **asked).apply(scores, corpus).matrix[:, 0]
    return dict(zip(corpus.frame["person"], after, strict=True))


def test_names_go_to_the_mean_of_the_groups_and_pairs_to_their_own() -> None:
    corpus = corpus_of([ANN, BEA, CAL, DAN, SHE, HE, AUNT, UNCLE, {"person": "somebody"}])
    values = NAMES | {"she": 1.8, "he": 0.5, "aunt": 1.6, "uncle": 0.5, "somebody": 7.0}
    # Persons score the same in both templates: nothing of what sets them apart is chance.
    after = repaired(corpus, values)
    assert after == pytest.approx(
        {**dict.fromkeys("ABCD", 1.5), "she": 1.15, "he": 1.15, "aunt": 1.05, "uncle": 1.05, "somebody": 7.0}
    )
    assert after["somebody"] == 7.0


def test_persons_who_do_not_differ_get_what_their_group_gets() -> None:
    corpus = corpus_of([ANN, BEA, CAL, DAN])
    values = {"A": 0.7, "B": 0.7, "C": 0.5, "D": 0.5}
    scores = scores_of(corpus, values)
    fitted = Terms.fit(scores, corpus)
    assert set(fitted.own[0].share.values()) == {0.0}
    after = fitted.apply(scores, corpus).matrix
    assert (after == Layers.fit(scores, corpus).apply(scores, corpus).matrix).all()
    # Of two persons a group, dealing anew often gives as large a gap: nothing is taken off.
    assert after == pytest.approx(scores.matrix)


def test_own_and_group_are_pooled_by_the_share() -> None:
    corpus = corpus_of([ANN, BEA, CAL, DAN, {"person": "E", "gender": "female"}])
    scores = scores_of(corpus, NAMES | {"E": 3.0})
    seen = corpus_of([ANN, BEA, CAL, DAN])
    groups = Layers.fit(scores_of(seen, NAMES), seen)
    share = dict.fromkeys("ABCD", 0.25)
    own = Own("mood", {"A": np.array([0.6]), "B": np.array([0.4]), "C": np.array([-0.4]), "D": np.array([-0.6])}, share)
    fitted = Terms(groups.fitted_for, groups, (own,))
    after = dict(zip(corpus.frame["person"], fitted.corrected(scores.matrix, Rows.of(corpus))[:, 0], strict=True))
    # The layer moves women by −0.49, men by +0.49 (see test_layers.py).
    assert after["A"] == pytest.approx(2.1 - 0.25 * 0.6 - 0.75 * 0.49, abs=1e-5)
    assert after["D"] == pytest.approx(0.9 + 0.25 * 0.6 + 0.75 * 0.49, abs=1e-5)
    assert after["E"] == pytest.approx(3.0 - 0.49, abs=1e-5)  # who was not seen gets what the group gets


def test_pairs_of_three_go_to_the_mean_of_the_three() -> None:
    people = [
        {"person": f"{group}{number}", "gender": group, "pair": f"p{number}"}
        for number in range(2)
        for group in ("female", "male", "other")
    ]
    values = dict(zip([one["person"] for one in people], [0.9, 0.3, 0.6, 0.8, 0.3, 0.1], strict=True))
    after = repaired(corpus_of(people), values)
    assert list(after.values()) == pytest.approx([0.6] * 3 + [0.4] * 3)


def test_what_is_not_asked_for_stays() -> None:
    people = [
        {"person": f"{gender}{race}{number}", "gender": gender, "race": race}
        for gender in ("f", "m")
        for race in ("x", "y")
        for number in range(2)
    ]
    level = {"f": 0.1, "m": 0.0, "x": 0.4, "y": 0.2}
    values = {one["person"]: level[one["gender"]] + level[one["race"]] + 0.01 * int(one["person"][2]) for one in people}
    corpus = corpus_of(people)
    by_gender = repaired(corpus, values, attributes=["gender"])
    assert by_gender == pytest.approx({who: (0.455 if who[1] == "x" else 0.255) for who in values})
    assert repaired(corpus, values) == pytest.approx(dict.fromkeys(values, 0.355))


def test_persons_of_other_attributes_have_a_mean_of_their_own() -> None:
    jobs = [{"person": f"{job}{number}", "job": job} for job in ("nurse", "miner") for number in range(2)]
    values = NAMES | {"nurse0": 5.1, "nurse1": 4.9, "miner0": 4.1, "miner1": 3.9}
    after = repaired(corpus_of([ANN, BEA, CAL, DAN, *jobs]), values)
    assert after == pytest.approx(dict.fromkeys("ABCD", 1.5) | {one["person"]: 4.5 for one in jobs})


def test_groups_count_the_same_whatever_their_size() -> None:
    more = [{"person": name, "gender": "male"} for name in "EF"]
    after = repaired(corpus_of([ANN, BEA, CAL, DAN, *more]), NAMES | {"E": 1.2, "F": 0.8})
    assert after == pytest.approx(dict.fromkeys("ABCDEF", 1.5))


def test_who_stands_on_both_sides_is_left_to_the_groups() -> None:
    people = [{"person": name, "age": age} for name in ("friend", "boss") for age in ("young", "old")]
    corpus = corpus_of(people)
    young = (corpus.frame["age"] == "young").to_numpy()
    boss = (corpus.frame["person"] == "boss").to_numpy()
    scores = scores_of(corpus, (0.5 + 0.2 * young + 0.1 * young * boss)[:, None])
    fitted = Terms.fit(scores, corpus)
    assert dict(fitted.own[0].far) == {}
    after = fitted.apply(scores, corpus).matrix
    assert (after == Layers.fit(scores, corpus).apply(scores, corpus).matrix).all()


def crossed(seed: int, *, own: float = 0.0) -> tuple[Corpus, Array]:
    """Three pairs and three + three names in 4 templates × 3 words; reactions to templates and words, and noise."""
    people = [{"person": f"{g}{n}", "gender": g, "pair": f"p{n}"} for n in range(3) for g in ("female", "male")]
    people += [{"person": f"{g} name {n}", "gender": g} for n in range(3) for g in ("female", "male")]
    corpus = corpus_of(people, templates=4, words=3)
    rng = np.random.default_rng(seed)
    who, template, word = (
        corpus.frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("person", "template", "word")
    )
    cells = rng.normal(scale=0.1, size=(12, 4))[who, template] + rng.normal(scale=0.1, size=(12, 3))[who, word]
    return corpus, (cells + rng.normal(scale=own, size=12)[who] + rng.normal(scale=0.1, size=len(corpus)))[:, None]


def in_loops(corpus: Corpus, values: Array, *, pairs: bool) -> tuple[float, float, float, float]:
    """Between and chance with their degrees of freedom, written from the formulas."""
    frame = corpus.frame.with_columns(value=pl.Series(values[:, 0]))

    def cell(person: str, template: int, word: int) -> float:
        return float(frame.filter(person=person, template=f"t{template}", word=f"w{word}")["value"][0])

    def table(person: str) -> Array:
        return np.array([[cell(person, t, w) for w in range(3)] for t in range(4)])

    if pairs:
        strata = [[table(f"female{n}") - table(f"male{n}") for n in range(3)]]
    else:
        strata = [[table(f"{g} name {n}") for n in range(3)] for g in ("female", "male")]
    freedom = sum(len(units) - 1 for units in strata)
    between = sum(np.var([unit.mean() for unit in units], ddof=1) * (len(units) - 1) for units in strata) / freedom

    def reaction(groups: list[tuple[slice, slice]]) -> float:
        weight, total = 1 / len(groups), 0.0
        for units in strata:
            means = np.array([[unit[group].mean() for group in groups] for unit in units])
            residuals = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
            total += weight**2 / (1 - weight) * float((residuals**2).sum())
        return total / freedom

    all_of = slice(None)
    by_template = reaction([(slice(t, t + 1), all_of) for t in range(4)])
    by_word = reaction([(all_of, slice(w, w + 1)) for w in range(3)])
    by_sentence = reaction([(slice(t, t + 1), slice(w, w + 1)) for t in range(4) for w in range(3)])
    chance = max(by_template, by_word, by_template + by_word - by_sentence)
    return between, chance, freedom, chance**2 / (by_template**2 / (freedom * 3) + by_word**2 / (freedom * 2))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pairs", [True, False])
def test_what_is_chance_agrees_with_plain_loops(seed: int, pairs: bool) -> None:
    corpus, values = crossed(seed)
    made = general_contrast(corpus, "gender", ("female", "male"), EVERYBODY)
    assert isinstance(made, Contrast)
    found = _variances(made, values, pairs=pairs)
    assert found == pytest.approx(in_loops(corpus, values, pairs=pairs))


def test_the_share_is_what_is_more_than_chance_if_that_is_significant() -> None:
    shares = {}
    for seed in range(10):
        corpus, values = crossed(seed, own=0.2)
        made = general_contrasts(corpus, "gender", EVERYBODY)
        for pairs in (True, False):
            between, chance, freedom, other = in_loops(corpus, values, pairs=pairs)
            p = stats.f.sf(between / chance, freedom, other)
            share = _more_than_chance(made, values, pairs=pairs)
            assert share == pytest.approx(1 - chance / between if p < LEVEL else 0.0)
            shares[seed, pairs] = share
    assert 0 < sum(share > 0 for share in shares.values()) < len(shares)


def test_several_comparisons_of_one_attribute_are_no_larger_sample() -> None:
    corpus, values = crossed(2, own=0.2)
    (made,) = general_contrasts(corpus, "gender", EVERYBODY)
    for pairs in (True, False):
        once, twice = (_more_than_chance([made] * times, values, pairs=pairs) for times in (1, 2))
        assert once == twice


def test_without_anything_to_see_chance_by_nothing_is_believed() -> None:
    corpus = corpus_of([ANN, BEA, CAL, DAN], templates=2)
    same = replace(corpus, frame=corpus.frame.with_columns(template=pl.lit("t0")))
    scores = scores_of(same, NAMES)
    assert set(Terms.fit(scores, same).own[0].share.values()) == {0.0}


def test_saved_and_read_back(tmp_path: Path) -> None:
    corpus = corpus_of([ANN, BEA, CAL, DAN, SHE, HE, AUNT, UNCLE])
    scores = scores_of(corpus, NAMES | {"she": 1.8, "he": 0.5, "aunt": 1.6, "uncle": 0.5})
    fitted = Terms.fit(scores, corpus)
    fitted.save(tmp_path / "terms.json")
    back = load_calibrator(tmp_path / "terms.json")
    assert isinstance(back, Terms)
    assert (back.apply(scores, corpus).matrix == fitted.apply(scores, corpus).matrix).all()
    assert dict(back.own[0].share) == dict(fitted.own[0].share)
