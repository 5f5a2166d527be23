"""Every number of a finding, recomputed from the parts it is made of."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import special, stats
from statsmodels.stats.multitest import multipletests

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare, tested
from evenhand.comparing.findings import Finding
from evenhand.contrasts import contrast
from evenhand.corpora import Corpus, eec
from evenhand.stats import Components
from evenhand.systems import Output

FRAME = eec().frame
BASE = FRAME["source"].rank("dense").to_numpy() / 300 - 0.2
WIDE = Output("valence", low=-1, high=3)


def scores(*columns: np.ndarray, output: Output = WIDE, corpus: Corpus | None = None) -> Scores:
    corpus = corpus or eec()
    named = tuple(Column(f"s{number}", output, None) for number in range(len(columns)))
    return Scores(tuple(corpus.frame["id"]), np.column_stack(columns), named, corpus.digest)


def noisy(seed: int, gap: float = 0.0, sd: float = 0.03) -> np.ndarray:
    rng = np.random.default_rng(seed)
    persons = FRAME["person"].unique(maintain_order=True).to_list()
    effect = dict(zip(persons, rng.normal(0, sd, len(persons)), strict=True))
    first = (FRAME["race"] == "African American").fill_null(False).to_numpy()
    return BASE + gap * first + np.array([effect[p] for p in FRAME["person"]]) + rng.normal(0, 0.02, len(FRAME))


def race(made: Scores, settings: Settings, subset: str = "all") -> tuple[list[Finding], Components, float]:
    found = compare(made, eec(), attributes=["race"], subsets=[subset], settings=settings)
    parts = tested.Tested(contrast(eec(), "race", subset=subset), eec(), made, settings).components
    assert parts is not None
    return list(found.findings), parts, found.generalising_threshold


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_intervals_bounds_and_power_have_their_levels(alpha: float) -> None:
    made = scores(noisy(0), noisy(1, gap=0.05), noisy(2, gap=0.02))
    findings, parts, threshold = race(made, Settings(alpha=alpha))
    assert threshold == pytest.approx(alpha / 2)
    for number, finding in enumerate(findings):
        estimate, error = parts.estimate[number], np.sqrt(parts.variance[number])
        df = parts.degrees_of_freedom[number]
        assert finding.generalising.interval == pytest.approx(stats.t.interval(1 - alpha, df, estimate, error))
        narrower = stats.t.interval(1 - 2 * alpha, df, estimate, error)
        if finding.verdict == "equivalent":
            held = (min(narrower[0], 0), max(narrower[1], 0))
            assert finding.generalising.shown_interval == pytest.approx(held)
            assert finding.generalising.shown_level == pytest.approx(1 - alpha)
        else:
            corrected = stats.t.interval(1 - alpha / 2, df, estimate, error)
            assert finding.generalising.shown_interval == pytest.approx(corrected)
            assert finding.generalising.shown_level == pytest.approx(1 - alpha / 2)
        assert finding.equivalence.bound == pytest.approx(max(abs(end) for end in narrower))
        assert finding.equivalence.delta == pytest.approx(0.01 * 4)
        assert finding.equivalence.equivalent == (finding.equivalence.bound <= 0.04)
        critical = stats.t.ppf(1 - threshold / 2, df)
        assert stats.nct.sf(critical, df, finding.power.smallest_gap / error) == pytest.approx(0.8, abs=1e-4)
        quantiles = special.ndtri(1 - alpha) + special.ndtri(0.9)
        rest, total = parts.variance[number] - parts.persons[number], 20 * parts.persons[number]
        # The interval, and what the person farthest out (2.5 standard deviations) moves it by, fit within ±0.04.
        fits = [quantiles * np.sqrt(total / n + rest) + 2.5 * np.sqrt(total / 2) / n <= 0.04 for n in range(1, 2000)]
        assert finding.power.persons_needed == max(fits.index(True) + 1, 5)
        assert finding.power.persons_per_group == 20
        published = stats.ttest_1samp(contrast(eec(), "race").matrix @ made.matrix[:, number], 0)
        assert finding.interval == pytest.approx(tuple(published.confidence_interval(1 - alpha)))


def test_shown_small_comes_before_shown_different() -> None:
    # A gap that is surely not zero and surely below 4 % of the range.
    finding = race(scores(noisy(0, gap=0.02, sd=0.001)), Settings())[0][0]
    assert finding.generalising.significant
    assert finding.verdict == "equivalent"
    wider = race(scores(noisy(0, gap=0.02, sd=0.001)), Settings(equivalence=0.001))[0][0]
    assert wider.verdict == "higher"


def same_verdict(one: Finding, other: Finding) -> None:
    assert (one.verdict, one.withheld) == (other.verdict, other.withheld)
    for name in ("p", "p_adjusted", "shown_interval", "shown_level", "comparisons"):
        assert getattr(one.generalising, name) == pytest.approx(getattr(other.generalising, name)), name


def test_a_verdict_depends_on_the_system_alone() -> None:
    """Neither other systems nor other attributes beside it change it; the published test keeps its own family."""
    settings = Settings(equivalence=0.0001)
    values = noisy(3, gap=0.04)
    alone = race(scores(values), settings)[0][0]
    assert alone.verdict == "higher"
    among = race(scores(values, *(noisy(1000 + n) for n in range(9))), settings)[0][0]
    same_verdict(among, alone)
    both = compare(scores(values), eec(), attributes=["gender", "race", "race+gender"], settings=settings)
    same_verdict(next(f for f in both.findings if f.attribute == "race"), alone)
    assert alone.generalising.p_adjusted == pytest.approx(2 * (alone.generalising.p or 1))
    assert alone.p_adjusted == pytest.approx(alone.p)
    assert among.p_adjusted == pytest.approx(min(1, 10 * among.p))


def test_crossed_attributes_come_on_top_for_their_own_comparisons_only() -> None:
    found = compare(scores(noisy(3)), eec(), attributes=["race", "race+gender"])
    counts = {f.attribute: f.generalising.comparisons for f in found.findings}
    crossed = sum(f.attribute == "race+gender" for f in found.findings)
    assert counts == {"race": 2, "race+gender": 2 + crossed}


@pytest.mark.parametrize("method", ["holm", "bh"])
def test_stepwise_corrections_look_at_all_that_the_corpus_asks(method: str) -> None:
    settings = Settings(correction=method)
    values = noisy(3, gap=0.03)
    alone = race(scores(values), settings)[0][0]
    beside = compare(scores(values), eec(), settings=settings)
    same_verdict(next(f for f in beside.findings if f.attribute == "race"), alone)
    adjusted = multipletests([f.generalising.p for f in beside.findings], method={"bh": "fdr_bh"}.get(method, method))[
        1
    ]
    assert [f.generalising.p_adjusted for f in beside.findings] == pytest.approx(adjusted.tolist())


def test_a_verdict_that_hangs_on_one_person_is_withheld_and_the_person_named() -> None:
    first = (FRAME["race"] == "African American").fill_null(False).to_numpy()
    for size in np.arange(0.05, 0.6, 0.01):
        values = noisy(0, gap=0.012, sd=0.012) + size * (FRAME["person"] == "Ebony").to_numpy() * first
        finding = race(scores(values), Settings(equivalence=0.0001))[0][0]
        if finding.withheld is not None:
            break
    assert finding.verdict == "cannot tell"
    withheld = finding.withheld
    assert withheld is not None
    assert (withheld.verdict, withheld.kind) == ("higher", "person")
    assert withheld.without == "cannot tell"
    assert abs(withheld.gap) < abs(finding.generalising.estimate or 0)


def test_a_verdict_that_hangs_on_one_template_falls_without_it() -> None:
    """As an audit of the corpus without that template shows."""
    first = (FRAME["race"] == "African American").fill_null(False).to_numpy()[:, None]
    rng = np.random.default_rng(0)
    templates = sorted(set(FRAME["template"]))
    number = np.array([templates.index(one) for one in FRAME["template"]])
    gaps = rng.normal(0.012, 0.012, (len(templates), 40))
    values = BASE[:, None] + first * gaps[number] + rng.normal(0, 0.002, (len(FRAME), 40))
    found = race(scores(*values.T), Settings(equivalence=0.0005))[0]
    hanging = [(n, one.withheld) for n, one in enumerate(found) if one.withheld and one.withheld.kind == "template"]
    assert len(hanging) >= 3
    for place, withheld in hanging:
        kept = (FRAME["template"] != withheld.label).to_numpy()
        part = Corpus(
            frame=FRAME.filter(pl.Series(kept)),
            name="part",
            attributes=eec().attributes,
            groupings=eec().groupings,
        )
        again = compare(scores(values[kept, place], corpus=part), part, attributes=["race"])
        general = again.findings[0].generalising
        assert general.estimate == pytest.approx(withheld.gap)
        assert not general.significant


def test_no_reaction_is_not_equivalence_and_says_what_others_could_do() -> None:
    finding = race(scores(BASE), Settings())[0][0]
    assert finding.verdict == "no reaction seen"
    assert finding.equivalence.equivalent is None
    assert finding.generalising.interval is None
    # 0.95 ** 20 of 20 names that react with a chance of 0.139 do not.
    assert finding.equivalence.unseen_share == pytest.approx(1 - 0.05 ** (1 / 20))
    assert finding.equivalence.unseen_reaction == pytest.approx(0.04 / (1 - 0.05 ** (1 / 20)))


def test_an_equivalence_leaves_less_room_for_names_that_react_otherwise() -> None:
    finding = race(scores(noisy(0, sd=0.001)), Settings())[0][0]
    assert finding.verdict == "equivalent"
    room = finding.equivalence.delta - (finding.equivalence.bound or 0)
    assert finding.equivalence.unseen_reaction == pytest.approx(room / (1 - 0.05 ** (1 / 20)))


def test_groups_treated_alike_within_and_differently_between_need_enough_persons() -> None:
    """Two persons a side: one in three ways to deal the labels gives as large a gap."""
    rows = [
        {"id": f"{s}{p}", "text": f"{p} {s}", "source": s, "person": p, "gender": g}
        for s in "xyz"
        for p, g in (("Ann", "female"), ("Eve", "female"), ("Bob", "male"), ("Tom", "male"))
    ]
    corpus = Corpus(frame=pl.DataFrame(rows), name="tiny", attributes={"gender": ("female", "male")})
    values = (corpus.frame["gender"] == "female").to_numpy() * 0.5
    finding = compare(scores(values, corpus=corpus), corpus).findings[0]
    assert finding.generalising.p == pytest.approx(1 / 3)
    assert finding.verdict == "cannot tell"
    # Nor is an interval of no width one that can be right, or a small gap shown to be small.
    assert finding.generalising.shown_interval is None
    assert "so few" in finding.undefined["generalising.shown_interval"]
    small = compare(scores(values / 100, corpus=corpus), corpus).findings[0]
    assert (small.verdict, small.equivalence.bound) == ("cannot tell", None)


@pytest.mark.parametrize("method", ["bonferroni", "holm", "bh"])
def test_the_interval_shown_is_that_of_the_verdict(method: str) -> None:
    """What is significant has an interval without zero, and nothing else has."""
    rng = np.random.default_rng(8)
    settings = Settings(correction=method, permutations=1)
    for gap in np.linspace(0.01, 0.03, 12):
        women = (FRAME["gender"] == "female").to_numpy() * gap
        values = noisy(int(rng.integers(1_000)), gap=gap) + women
        for finding in compare(scores(values), eec(), settings=settings).findings:
            low, high = finding.generalising.shown_interval
            if finding.verdict != "equivalent":
                assert (low > 0 or high < 0) == finding.generalising.significant


def test_a_subset_reuses_the_threshold_of_holm_and_bh() -> None:
    made = scores(noisy(0, gap=0.1))
    for method, threshold in (("holm", 0.05), ("bh", 0.025)):
        found = compare(made, eec(), subsets=["all", "emotional"], settings=Settings(correction=method))
        full = [f for f in found.findings if f.subset == "all"]
        assert [f.generalising.significant for f in full] == [False, True]
        assert found.generalising_threshold == pytest.approx(threshold)
        adjusted = multipletests([f.generalising.p for f in full], method={"bh": "fdr_bh"}.get(method, method))[1]
        assert [f.generalising.p_adjusted for f in full] == pytest.approx(adjusted.tolist())
        for finding in found.findings:
            if finding.subset == "emotional":
                p = finding.generalising.p
                assert p is not None
                assert finding.generalising.p_adjusted == pytest.approx(min(1, p * 0.05 / threshold))


def test_effect_size_is_of_the_subset_and_the_system() -> None:
    values = noisy(0, gap=0.1)
    finding = race(scores(values), Settings(), "emotion=joy")[0][0]
    cells = FRAME.with_columns(score=pl.Series(values)).filter(pl.col("emotion") == "joy")
    spread = cells.group_by("source").agg(pl.col("score").mean())["score"].std()
    assert finding.effect_size == pytest.approx(finding.mean_difference / spread)


def test_exactly_cancelling_differences_have_no_direction() -> None:
    word = FRAME["source"].rank("dense").to_numpy().astype(int) % 2
    first = (FRAME["race"] == "African American").fill_null(False).to_numpy()
    finding = race(scores(BASE + np.where(word, 0.1, -0.1) * first), Settings())[0][0]
    assert finding.direction == "none"
    assert finding.effect_size == 0
    assert finding.delta_spread == pytest.approx(0.2)


def test_rounding_is_told_from_findings_at_any_size_of_number() -> None:
    huge = Output("points", low=None, high=None, unit=1)
    noise = np.random.default_rng(0).choice([0, 1, -1], len(FRAME)) * 1e-11
    finding = race(scores(1e5 + noise, output=huge), Settings())[0][0]
    assert finding.undefined["t"].startswith("identical")
    assert finding.equivalence.delta == pytest.approx(0.01)


def test_an_identical_system_promises_nothing_about_power() -> None:
    finding = race(scores(BASE), Settings())[0][0]
    assert finding.power.smallest_gap is None
    assert finding.power.persons_needed is None
    assert "power.persons_needed" in finding.undefined
    assert finding.verdict == "no reaction seen"


def test_an_undefined_test_is_neither_significant_nor_not() -> None:
    rows = [
        {"id": f"{s}{p}", "text": f"{p} {s}", "source": s, "person": p, "gender": g}
        for s in "xyz"
        for p, g in (("Ann", "female"), ("Bob", "male"))
    ]
    corpus = Corpus(frame=pl.DataFrame(rows), name="tiny", attributes={"gender": ("female", "male")})
    finding = compare(scores(np.arange(6) / 10, corpus=corpus), corpus).findings[0]
    assert finding.generalising.significant is None
    assert finding.equivalence.equivalent is None
    for name in ("generalising.significant", "equivalence.equivalent", "equivalence.bound"):
        assert "single person" in finding.undefined[name]


def test_the_number_of_permutations_and_the_seed_are_obeyed() -> None:
    made = scores(noisy(0, gap=0.01))
    few = race(made, Settings(permutations=6))[0][0].generalising.p_permutation
    assert few is not None
    assert few * 7 == pytest.approx(round(few * 7))
    seeds = {race(made, Settings(seed=seed))[0][0].generalising.p_permutation for seed in range(4)}
    assert len(seeds) > 1


def test_most_of_a_gap_is_not_all_of_it() -> None:
    """Alone means that less than a twentieth is left."""
    reacts = np.where(FRAME["person"] == "Tia", 0.3, 0.0) + np.where(FRAME["person"] == "Ebony", 0.03, 0.0)
    finding = race(scores(BASE + reacts), Settings())[0][0]
    assert finding.rests_on.person == "Tia"
    assert not finding.rests_on.alone
    assert finding.rests_on.without == pytest.approx(0.5 * 0.03 / 9)


def test_templates_and_words_share_the_gap_by_their_sentences() -> None:
    first = (FRAME["race"] == "African American").fill_null(False).to_numpy()
    angry = (FRAME["emotion_word"] == "angry").fill_null(False).to_numpy()
    finding = race(scores(BASE + 0.36 * (first & angry)), Settings())[0][0]
    # Angry stands in four of 144 sources.
    assert finding.mean_difference == pytest.approx(0.01)
    assert [(share.label, share.share) for share in finding.rests_on.words] == [("angry", pytest.approx(0.01))]
    assert len(finding.rests_on.templates) == 4
    assert sum(share.share for share in finding.rests_on.templates) == pytest.approx(0.01)
    parts = {part.label: part for part in finding.rests_on.parts}
    assert parts["anger"].gap == pytest.approx(0.36 * 4 / 35)
    assert sum(part.gap * part.weight for part in parts.values()) == pytest.approx(0.01)
    assert parts["neutral"].weight == pytest.approx(4 / 144)


def test_sentences_that_differ_downwards_are_found_too() -> None:
    lower = np.where((FRAME["person"] == "Tia") & (FRAME["emotion_word"] == "sad"), -0.2, 0.0)
    pair = race(scores(BASE + lower), Settings())[0][0].rests_on.sentences[0]
    assert "Tia" in pair.first_text
    assert pair.difference == pytest.approx(-0.2)


def test_an_interaction_has_no_permutation_no_sentences_and_no_pieces() -> None:
    pieces = dict.fromkeys(FRAME["person"].unique(), 2)
    found = compare(scores(noisy(0)), eec(), attributes=["race+gender"], pieces={"s0": pieces})
    last = found.findings[-1]
    assert last.interaction
    assert (last.first, last.second) == ("race gap (female)", "race gap (male)")
    assert last.generalising.p_permutation is None
    assert last.rests_on.sentences == ()
    assert last.rests_on.pieces is None
    assert found.findings[0].rests_on.pieces is not None


def test_pieces_of_pairs_are_differences() -> None:
    pieces = dict.fromkeys(FRAME["person"].unique(), 1)
    for _, male in (pair.split("/") for pair in FRAME["pair"].drop_nulls().unique()):
        pieces[male] = 2
    finding = compare(
        scores(noisy(0)), eec(), attributes=["gender"], subsets=["noun-phrases"], pieces={"s0": pieces}
    ).findings[0]
    assert finding.rests_on.pieces is not None
    assert (finding.rests_on.pieces.first_mean, finding.rests_on.pieces.second_mean) == (1, 2)
    assert finding.rests_on.pieces.adjusted_gap is None
    assert "not separable" in finding.undefined["rests_on.pieces.adjusted_gap"]


def test_the_most_different_sentences_are_alike_but_for_the_attribute() -> None:
    gap = np.where((FRAME["gender"] == "male").fill_null(False), 0.4, 0.0)
    gender = dict(FRAME.select("text", "gender").iter_rows())
    for pair in race(scores(noisy(0) + gap), Settings())[0][0].rests_on.sentences:
        assert gender[pair.first_text] == gender[pair.second_text]


def test_findings_say_what_their_groups_are_called_and_old_ones_go_by_code_names() -> None:
    finding = race(scores(noisy(0)), Settings())[0][0]
    assert (finding.first_label, finding.second_label) == ("African American names", "European American names")
    assert Finding.from_dict(finding.to_dict()) == finding
    old = {name: value for name, value in finding.to_dict().items() if not name.endswith("_label")}
    assert Finding.from_dict(old).first_label == "African American"
