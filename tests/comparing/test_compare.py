"""Findings: planted bias is found, its absence is shown, and what cannot be known is said."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.comparing import Compared, Settings, compare
from evenhand.comparing.findings import Finding
from evenhand.corpora import Corpus, eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.report.audit.amounts import interval_of
from evenhand.report.audit.verdicts import interval_shown, these_alone, verdict_shown
from evenhand.report.audit.words import in_words
from evenhand.systems import Output

FRAME = eec().frame
WORD_BASE = FRAME["source"].rank("dense").to_numpy() / 300 + 0.2


def scores(matrix: np.ndarray, output: Output | None = None, corpus: Corpus | None = None) -> Scores:
    corpus = corpus or eec()
    columns = tuple(Column(f"s{k}", output or Output("valence"), None) for k in range(matrix.shape[1]))
    return Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)


def one(values: np.ndarray, attribute: str, **options: object) -> Finding:
    found = compare(scores(values[:, None]), eec(), attributes=[attribute], **options)  # type: ignore[arg-type]
    return found.findings[0]


def person_effects(sd: float, seed: int = 0) -> np.ndarray:
    persons = FRAME["person"].unique(maintain_order=True).to_list()
    effects = dict(zip(persons, np.random.default_rng(seed).normal(0, sd, len(persons)), strict=True))
    return np.array([effects[person] for person in FRAME["person"]])


def where(column: str, value: str) -> np.ndarray:
    return (FRAME[column] == value).fill_null(False).to_numpy().astype(float)


def noise(sd: float, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, sd, len(FRAME))


def test_a_planted_gap_is_found_and_the_other_attribute_stays_clean() -> None:
    values = WORD_BASE + 0.02 * where("gender", "female") + person_effects(0.005) + noise(0.002)
    gender, race = (one(values, attribute) for attribute in ("gender", "race"))
    assert gender.verdict == "higher"
    assert gender.generalising.interval is not None
    assert gender.generalising.interval[0] < 0.02 < gender.generalising.interval[1]
    assert race.verdict == "equivalent"


def test_a_system_without_a_gap_is_equivalent() -> None:
    values = WORD_BASE + person_effects(0.005) + noise(0.002)
    assert [one(values, attribute).verdict for attribute in ("gender", "race")] == ["equivalent", "equivalent"]


def test_second_higher_is_lower() -> None:
    finding = one(WORD_BASE - 0.05 * where("race", "African American") + noise(0.01), "race")
    assert (finding.verdict, finding.direction) == ("lower", "second_higher")
    assert finding.mean_difference == pytest.approx(-0.05, abs=0.002)


def test_one_reacting_name_is_no_general_gap() -> None:
    """The Tia story: the published test is sure, the general answer is that one cannot tell."""
    finding = one(WORD_BASE + 0.3 * where("person", "Tia") + noise(0.0005), "race")
    assert finding.significant
    assert finding.p < 1e-50
    assert finding.verdict == "cannot tell"
    assert finding.rests_on.person == "Tia"
    assert finding.rests_on.alone
    assert finding.rests_on.without == pytest.approx(0, abs=1e-4)
    assert finding.rests_on.persons[0].label == "Tia"
    assert finding.power.persons_needed is not None
    assert finding.power.persons_needed > 20


def test_a_constant_difference_is_reported_as_such() -> None:
    finding = one(WORD_BASE + 0.01 * where("person", "Tia"), "race")
    assert finding.t is None
    assert finding.p == 0
    assert finding.undefined["t"].startswith("constant")
    assert finding.mean_difference == pytest.approx(0.0005)


def test_rounding_noise_is_identical_not_significant() -> None:
    finding = one(WORD_BASE + np.random.default_rng(0).choice([0, 1e-16, -1e-16], len(FRAME)), "gender")
    assert (finding.p, finding.t, finding.mean_difference, finding.direction) == (1, None, 0, "none")
    assert finding.undefined["t"].startswith("identical")
    assert finding.verdict == "no reaction seen"
    assert finding.rests_on.person is None
    assert finding.rests_on.sentences == ()


def test_a_gap_without_variance_is_certain() -> None:
    finding = one(np.where(FRAME["gender"] == "female", 1.0, -1.0), "gender")
    assert finding.verdict == "higher"
    assert finding.mean_difference == 2
    # Ten pairs whose signs may flip, and two cells in which ten of twenty names may trade places: all ways but two are
    # further from what was seen.
    assert finding.generalising.p == pytest.approx(2 / (2**10 * math.comb(20, 10) ** 2))
    assert finding.generalising.interval == pytest.approx((2, 2))
    assert finding.undefined["generalising.df"].startswith("constant")
    assert finding.effect_size is None
    assert "effect_size" in finding.undefined


def test_cancelling_parts_are_shown() -> None:
    sign = where("emotion", "joy") - where("emotion", "anger")
    finding = one(WORD_BASE + 0.05 * sign * where("gender", "female") + noise(0.001), "gender")
    parts = {part.label: part.gap for part in finding.rests_on.parts}
    assert abs(finding.mean_difference) < 0.001
    assert parts["joy"] == pytest.approx(0.05, abs=0.002)
    assert parts["anger"] == pytest.approx(-0.05, abs=0.002)
    assert set(parts) == {"anger", "fear", "joy", "sadness", "neutral"}


def test_shares_add_up_to_the_gap() -> None:
    values = WORD_BASE + person_effects(0.03) + noise(0.05)
    for attribute in ("gender", "race"):
        finding = one(values, attribute)
        # Five are kept; the exact sum is checked on a system in which only five reach.
        assert len(finding.rests_on.persons) == 5
    reacts = 0.1 * where("person", "Tia") + 0.2 * where("person", "Alan") + 0.3 * where("person", "my mom")
    gender = one(WORD_BASE + reacts, "gender")
    assert {share.label for share in gender.rests_on.persons} == {"my mom/my dad", "Alan", "Tia"}
    assert sum(share.share for share in gender.rests_on.persons) == pytest.approx(gender.mean_difference)


def test_the_most_different_sentences_are_from_one_source() -> None:
    values = WORD_BASE + 0.3 * where("person", "Tia") * where("emotion_word", "angry")
    pair = one(values, "race").rests_on.sentences[0]
    assert "Tia" in pair.first_text
    assert "angry" in pair.second_text
    assert pair.difference == pytest.approx(0.3)
    assert pair.first_score - pair.second_score == pytest.approx(pair.difference)


def test_effect_size_is_the_gap_over_the_spread_of_cell_means() -> None:
    values = WORD_BASE + 0.1 * where("gender", "female")
    finding = one(values, "gender")
    means = FRAME.with_columns(score=pl.Series(values)).group_by("source").agg(pl.col("score").mean())["score"]
    assert finding.effect_size == pytest.approx(0.1 / means.std())


def family(**options: object) -> Compared:
    rng = np.random.default_rng(3)
    matrix = WORD_BASE[:, None] + rng.normal(0, 0.05, (len(FRAME), 4))
    return compare(scores(matrix), eec(), **options)  # type: ignore[arg-type]


def test_the_family_is_systems_times_comparisons_on_the_full_corpus() -> None:
    found = family(subsets=["all", "neutral"])
    assert found.assessments == 4 * 2
    assert found.threshold == 0.05 / 8
    for finding in found.findings:
        assert finding.p_adjusted == pytest.approx(min(1, 8 * finding.p))
        assert finding.generalising.p is not None
        assert finding.generalising.p_adjusted == pytest.approx(min(1, 2 * finding.generalising.p))


def test_a_subset_alone_still_uses_the_threshold_of_the_full_corpus() -> None:
    found = family(subsets=["neutral"])
    assert found.assessments == 8
    assert {finding.subset for finding in found.findings} == {"neutral"}
    assert {finding.n for finding in found.findings} == {44, 4}


@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_other_corrections_never_adjust_more_than_bonferroni(correction: str) -> None:
    strict, other = family(), family(settings=Settings(correction=correction))
    for one_, two in zip(strict.findings, other.findings, strict=True):
        assert two.p_adjusted <= one_.p_adjusted + 1e-12


def test_all_systems_at_once_give_what_each_gives_alone() -> None:
    matrix = WORD_BASE[:, None] + np.random.default_rng(3).normal(0, 0.05, (len(FRAME), 3))
    together = compare(scores(matrix), eec(), attributes=["race"]).findings
    for number in range(3):
        alone = compare(scores(matrix[:, [number]]), eec(), attributes=["race"]).findings[0]
        assert together[number].p == pytest.approx(alone.p)
        assert together[number].generalising.p == pytest.approx(alone.generalising.p)
        assert together[number].generalising.p_permutation == alone.generalising.p_permutation


def test_row_order_and_group_names_do_not_matter() -> None:
    values = WORD_BASE + person_effects(0.03) + noise(0.02)
    order = np.random.default_rng(0).permutation(len(FRAME))
    renamed = FRAME[order].with_columns(gender=pl.col("gender").replace({"female": "f", "male": "m"}))
    corpus = Corpus(
        frame=renamed, name="shuffled", attributes={"gender": ("f", "m"), "race": eec().attributes["race"]},
        groupings=eec().groupings,
    )  # fmt: skip
    shuffled = compare(scores(values[order, None], corpus=corpus), corpus, attributes=["gender"]).findings[0]
    straight = one(values, "gender")
    assert shuffled.mean_difference == pytest.approx(straight.mean_difference)
    assert shuffled.p == pytest.approx(straight.p)
    assert shuffled.generalising.p == pytest.approx(straight.generalising.p)
    assert shuffled.generalising.df == pytest.approx(straight.generalising.df)


def test_swapping_the_groups_turns_the_sign_and_nothing_else() -> None:
    values = WORD_BASE + person_effects(0.03) + noise(0.02)
    turned = Corpus(
        frame=FRAME,
        name="turned",
        attributes={"race": eec().attributes["race"][::-1], "gender": ("female", "male")},
        groupings=eec().groupings,
    )
    back = compare(scores(values[:, None], corpus=turned), turned, attributes=["race"]).findings[0]
    straight = one(values, "race")
    assert back.mean_difference == pytest.approx(-straight.mean_difference)
    assert back.generalising.p == pytest.approx(straight.generalising.p)


def test_pieces_are_shown_with_the_adjusted_gap() -> None:
    names = FRAME.filter(pl.col("kind") == "name")["person"].unique(maintain_order=True).to_list()
    pieces = {person: 1 + len(person) % 3 for person in FRAME["person"].unique()}
    effect = np.array([0.01 * pieces[person] for person in FRAME["person"]])
    found = compare(scores((WORD_BASE + effect)[:, None]), eec(), attributes=["race"], pieces={"s0": pieces})
    shown = found.findings[0].rests_on.pieces
    assert shown is not None
    assert set(shown.by_person) == set(names)
    assert shown.adjusted_gap == pytest.approx(0, abs=1e-12)
    assert found.findings[0].mean_difference == pytest.approx(0.01 * (shown.first_mean - shown.second_mean))


def test_findings_survive_json() -> None:
    values = WORD_BASE + person_effects(0.03) + noise(0.02)
    for finding in compare(scores(values[:, None]), eec(), attributes=["race+gender", "gender"]).findings:
        text = json.dumps(finding.to_dict(), allow_nan=False)
        assert Finding.from_dict(json.loads(text)) == finding


def reasons_complete(finding: Finding) -> None:
    """Every None has its reason, and every reason a None."""

    def walk(values: dict[str, object], path: str = "") -> set[str]:
        found = set()
        for name, value in values.items():
            if value is None:
                found.add(path + name)
            elif isinstance(value, dict) and name not in ("undefined", "by_person"):
                found |= walk(value, f"{path}{name}.")
        return found

    assert walk(finding.to_dict()) == set(finding.undefined)


@pytest.mark.parametrize("attribute", ["gender", "race", "race+gender"])
@pytest.mark.parametrize("kind", ["noisy", "constant", "flat", "unbounded"])
def test_every_undefined_value_has_its_reason(attribute: str, kind: str) -> None:
    values = {
        "noisy": WORD_BASE + noise(0.05),
        "constant": WORD_BASE + 0.01 * where("person", "Tia"),
        "flat": np.full(len(FRAME), 0.5),
        "unbounded": 10 * WORD_BASE + noise(1),
    }[kind]
    output = Output("points", low=None, high=None, unit=5) if kind == "unbounded" else None
    for finding in compare(scores(values[:, None], output), eec(), attributes=[attribute]).findings:
        reasons_complete(finding)


def test_a_corpus_that_cannot_generalise_says_so() -> None:
    rows = [
        {"id": f"{source}{person}", "text": f"{person} {source}", "source": source, "person": person, "gender": gender}
        for source in "xyz"
        for person, gender in (("Ann", "female"), ("Bob", "male"))
    ]
    corpus = Corpus(frame=pl.DataFrame(rows), name="tiny", attributes={"gender": ("female", "male")})
    values = np.array([[0.5], [0.4], [0.6], [0.3], [0.7], [0.1]])
    finding = compare(scores(values, corpus=corpus), corpus).findings[0]
    assert finding.n == 3
    assert finding.verdict == "cannot tell"
    assert "single person" in finding.undefined["generalising.p"]
    reasons_complete(finding)
    # Persons are no sample; the three sentences are: differences 0.1, 0.3 and 0.6, with an interval that holds zero.
    assert "For the people tested, over sentences like these: cannot tell (alone, the gap could be" in in_words(finding)
    apart = compare(scores(values - [[0], [0.3], [0], [0.1], [0], [0]], corpus=corpus), corpus).findings[0]
    low, high = apart.interval
    assert low > 0
    said = f"higher (the gap is {low:.3f} to {high:.3f}, for this comparison alone)"
    assert f"For the people tested, over sentences like these: {said}" in in_words(apart)
    # So do the tables: marked, with the verdict for people like these as it is.
    assert interval_shown(apart, "*") == f"{low:.3f} to {high:.3f}*"
    assert [verdict_shown(one, "*") for one in (finding, apart)] == ["cannot tell", "cannot tell; higher*"]
    assert "for those tested alone, over sentences like these" in these_alone([finding])
    # A system that adds up word weights gives every sentence the same difference: there is no t, and nothing to doubt.
    same = compare(scores(np.array([[0.5], [0.4], [0.6], [0.5], [0.7], [0.6]]), corpus=corpus), corpus).findings[0]
    assert same.t is None
    assert "over sentences like these: higher (the gap is 0.100 in every one of them)" in in_words(same)
    assert (interval_shown(same, "*"), verdict_shown(same, "*")) == ("0.100 to 0.100*", "cannot tell; higher*")
    other = compare(
        scores(np.random.default_rng(1).random((eec().frame.height, 1))), eec(), attributes=["race"]
    ).findings[0]
    assert (interval_shown(other, "*"), these_alone([other])) == (interval_of(other), "")


def test_other_corpora_and_bad_settings_are_refused() -> None:
    good = scores(WORD_BASE[:, None])
    with pytest.raises(EvenhandError, match="another corpus"):
        compare(good, eec("released"))
    with pytest.raises(UsageError, match="unknown correction 'bonferoni'; did you mean 'bonferroni'"):
        Settings(correction="bonferoni")
    with pytest.raises(UsageError, match="alpha"):
        Settings(alpha=5)
    with pytest.raises(UsageError, match="equivalence"):
        Settings(equivalence=0)


def test_many_columns_are_tested_as_each_alone() -> None:
    # More than are tested at a time, on scales of their own.
    corpus = eec()
    rng = np.random.default_rng(5)
    width = 70
    scales = np.geomspace(1e-3, 1e3, width)
    matrix = rng.normal(size=(len(corpus), width)) * scales
    columns = tuple(Column(f"s{k}", Output("x", None, None, unit=float(scales[k])), None) for k in range(width))
    ids = tuple(corpus.frame["id"])
    together = compare(Scores(ids, matrix, columns, corpus.digest), corpus, attributes=["race"])
    for k in (0, 63, 64, 69):
        alone = compare(
            Scores(ids, matrix[:, [k]], (columns[k],), corpus.digest), corpus, attributes=["race"]
        ).findings[0]
        found = together.findings[k]
        assert (found.system, found.p) == (alone.system, pytest.approx(alone.p))
        assert found.generalising.p == pytest.approx(alone.generalising.p)
        assert found.generalising.p_permutation == pytest.approx(alone.generalising.p_permutation)
        assert found.generalising.interval == pytest.approx(alone.generalising.interval)
    # Differences of 1e-11 are none beside scores of 1e3, and are some beside scores of 1e-3.
    tiny = np.where((corpus.frame["race"] == "African American").fill_null(False).to_numpy(), 1e-11, 0.0)
    levels = np.zeros((len(corpus), width)) + tiny[:, None]
    levels[:, -1] += 1e3
    found = compare(Scores(ids, levels, columns, corpus.digest), corpus, attributes=["race"]).findings
    assert (found[0].significant, found[-1].significant) == (True, False)
