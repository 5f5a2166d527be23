"""The published tables and what stands beside them, against what was planted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import evenhand
from evenhand.comparing import Settings
from evenhand.comparing.findings import Withheld
from evenhand.contrasts import contrast
from evenhand.corpora import eec
from evenhand.studies import Study
from evenhand.studies.synthetic import Planted, write_study
from evenhand.studies.tables import ALL, GROUPS, general_group

# A digit less than the files have.
CLOSE = 2e-6


def expected(members: Sequence[Planted], attribute: str, n: int, threshold: float) -> dict[str, list[Planted]]:
    """Sort planted systems into groups by a t-test worked out by hand: the wobble is the spread of the differences."""
    groups: dict[str, list[Planted]] = {group: [] for group in GROUPS}
    for one in members:
        gap, wobble = one.gaps[attribute]
        error = wobble * np.sqrt(n / (n - 1)) / np.sqrt(n)
        p = 2 * stats.t.sf(abs(gap) / error, n - 1)
        groups["not_significant" if p >= threshold else "first_higher" if gap > 0 else "second_higher"].append(one)
    return {**groups, ALL: list(members)}


def mean_of_sign(gap: float, wobble: float, sign: int) -> float | None:
    """The mean of a planted system's differences of one sign: half of them are gap + wobble, half gap − wobble."""
    mine = [difference for difference in (gap + wobble, gap - wobble) if difference * sign > 0]
    return float(np.mean(mine)) if mine else None


@pytest.mark.parametrize(
    ("table", "attribute", "n"), [("gender", "gender", 1584), ("race", "race", 144), ("gender_neutral", "gender", 44)]
)
def test_every_cell_of_a_table_is_what_was_planted(tmp_path: Path, table: str, attribute: str, n: int) -> None:
    rng = np.random.default_rng(7)
    systems = [
        Planted(
            f"team{number}",
            dimension,
            {"gender": (float(rng.normal(0, 0.008)), 0.02), "race": (float(rng.normal(0, 0.004)), 0.008)},
        )
        for number in range(6)
        for dimension in ("anger", "joy", "valence")
    ]
    write_study(tmp_path, systems, tweets=5, mystery=5, manifest=False)
    found = evenhand.study(tmp_path / "submissions", progress=False)
    assert found.assessments == len(systems) * 2
    assert found.threshold == 0.05 / found.assessments
    filled = 0
    for dimension in ("anger", "joy", "valence"):
        mine = [one for one in systems if one.dimension == dimension]
        for group, members in expected(mine, attribute, n, found.threshold).items():
            cell = found.to_dict()["tables"][table][dimension][group]
            assert cell["submissions"] == len(members), (dimension, group)
            for sign, name in ((1, "mean_positive"), (-1, "mean_negative")):
                means = [mean for one in members if (mean := mean_of_sign(*one.gaps[attribute], sign)) is not None]
                assert cell[name] == (pytest.approx(np.mean(means), abs=CLOSE) if means else None)
            filled += bool(members)
    assert filled > 6  # every kind of group occurs


def test_published_groups_of_one_hand_picked_study(small_study: Study) -> None:
    gender = small_study.tables["gender"].rows
    assert {group: row.submissions for group, row in gender["anger"].items()} == {
        "not_significant": 1, "first_higher": 2, "second_higher": 1, "all": 4,
    }  # fmt: skip
    assert gender["anger"]["first_higher"].mean_positive == pytest.approx((0.030 + 0.026) / 2, abs=CLOSE)
    # birch: the gap of 0.03 exceeds the wobble, so no difference is negative.
    alone = gender["valence"]["first_higher"]
    assert (alone.submissions, alone.mean_negative) == (1, None)
    assert alone.mean_positive == pytest.approx(0.030, abs=CLOSE)


def test_own_words_are_those_of_the_dimension_and_valence_has_none(small_study: Study) -> None:
    own = small_study.tables["gender_own_words"]
    assert list(own.rows) == ["anger"]
    assert own.n == {"anger": 385}
    assert "valence" in own.not_there
    assert small_study.tables["race_own_words"].n == {"anger": 35}
    assert small_study.tables["race_neutral"].n == {"anger": 4, "valence": 4}


def test_other_tables_reuse_the_threshold_of_the_full_corpus(small_study: Study) -> None:
    finding = next(one.findings["gender_neutral"] for one in small_study.submissions if one.system == "amber")
    assert finding.p_adjusted == pytest.approx(min(1.0, finding.p * small_study.assessments))


def test_findings_agree_with_scipy(small_study: Study) -> None:
    corpus = eec("released")
    for attribute in ("gender", "race"):
        differences = contrast(corpus, attribute).matrix @ small_study.scores.matrix
        for place, one in enumerate(small_study.submissions):
            finding = one.findings[attribute]
            test = stats.ttest_1samp(differences[:, place], 0)
            assert finding.mean_difference == pytest.approx(differences[:, place].mean(), abs=1e-12)
            assert finding.p == pytest.approx(test.pvalue, rel=1e-6, abs=1e-300)
            assert finding.largest_difference == pytest.approx(np.abs(differences[:, place]).max())


def test_holm_and_benjamini_hochberg_stand_beside(small_study: Study) -> None:
    from statsmodels.stats.multitest import multipletests

    p, who = [], []
    for attribute in ("gender", "race"):
        for one in small_study.submissions:
            p.append(one.findings[attribute].p)
            who.append((attribute, one))
    for correction, method in (("holm", "holm"), ("bh", "fdr_bh")):
        rejected = multipletests(p, alpha=0.05, method=method)[0]
        counts = small_study.tables["race"].corrections[correction]
        for dimension in ("anger", "valence"):
            mine = [
                one
                for (attribute, one), yes in zip(who, rejected, strict=True)
                if yes and attribute == "race" and one.dimension == dimension
            ]
            higher = sum(one.findings["race"].mean_difference > 0 for one in mine)
            assert counts[dimension]["first_higher"] == higher
            assert counts[dimension]["second_higher"] == len(mine) - higher
            assert counts[dimension]["all"] == 4


def test_the_second_set_of_tables_follows_the_generalising_test(small_study: Study) -> None:
    for name, table in small_study.general_tables.items():
        for dimension, rows in table.rows.items():
            mine = [one.findings[name] for one in small_study.submissions if one.dimension == dimension]
            assert rows["all"].submissions == len(mine)
            shown = [
                one.generalising.significant_in_study and one.verdict != "equivalent" and one.withheld is None
                for one in mine
            ]
            assert rows["not_significant"].submissions == len(mine) - sum(map(bool, shown))
            assert rows["all"].equivalent == sum(one.verdict == "equivalent" for one in mine)


def test_a_gap_that_is_equivalent_or_withheld_is_not_counted_as_one(small_study: Study) -> None:
    found = next(
        one.findings["gender"] for one in small_study.submissions if (one.system, one.dimension) == ("birch", "valence")
    )
    assert found.generalising.significant_in_study
    assert general_group(found) == "first_higher"
    assert general_group(replace(found, verdict="equivalent")) == "not_significant"
    withheld = Withheld("higher", "person", "Tia", 0.001, "cannot tell")
    assert general_group(replace(found, verdict="cannot tell", withheld=withheld)) == "not_significant"


def test_a_planted_gap_that_is_the_same_everywhere_is_found_in_general_too(small_study: Study) -> None:
    finding = next(
        one.findings["gender"] for one in small_study.submissions if (one.system, one.dimension) == ("birch", "valence")
    )
    assert finding.verdict == "higher"
    assert finding.generalising.estimate == pytest.approx(0.03, abs=CLOSE)


def test_quality_and_rank_are_those_of_scipy(small: Path, small_study: Study) -> None:
    from evenhand.files.task_files import TaskFile

    gold = TaskFile(small / "gold" / "2018-EI-reg-En-anger-test-gold.txt").scores().drop_nulls().to_numpy()
    ranks = {}
    for one in small_study.submissions:
        if one.dimension == "anger":
            predicted = TaskFile(small / "submissions" / one.file).scores().to_numpy()[: len(gold)]
            assert one.quality.pearson == pytest.approx(stats.pearsonr(predicted, gold).statistic)
            assert one.quality.spearman == pytest.approx(stats.spearmanr(predicted, gold).statistic)
            assert (one.quality.n, one.quality.ranked) == (200, 4)
            ranks[one.system] = one.quality.rank
    assert ranks == {"amber": 1, "birch": 2, "SVM-Unigrams": 3, "cedar": 4}
    assert [one.system for one in small_study.of("anger")] == ["amber", "birch", "SVM-Unigrams", "cedar"]


def test_without_gold_there_are_no_ranks_and_it_says_why(small: Path) -> None:
    found = evenhand.study(small / "submissions", progress=False)
    assert not found.has_ranks
    quality = found.submissions[0].quality
    assert (quality.rank, quality.spearman, quality.undefined) == (None, None, "no gold was given")
    assert all(one.top is None for one in found.statements)


def test_statements_count_what_the_tables_hold(small_study: Study) -> None:
    anger = next(one for one in small_study.statements if (one.attribute, one.dimension) == ("gender", "anger"))
    assert (anger.submissions, anger.significant, anger.first_higher, anger.second_higher) == (4, 3, 2, 1)
    assert anger.share_significant == 0.75
    assert anger.largest_difference == pytest.approx(0.032, abs=CLOSE)
    assert anger.largest_difference_of == "birch"
    assert anger.largest_spread == pytest.approx(0.04, abs=CLOSE)
    # All four are among the best five, and cedar shows no difference.
    assert (anger.top, anger.top_not_significant) == (4, 1)
    everything = next(one for one in small_study.statements if (one.attribute, one.dimension) == ("gender", None))
    assert (everything.submissions, everything.top) == (8, None)


def test_systems_are_held_against_the_baseline(small_study: Study) -> None:
    assert small_study.baseline == "SVM-Unigrams"
    effects = {
        (one.system, one.dimension): one.against["gender"].effect for one in small_study.submissions if one.against
    }
    assert effects == {
        ("amber", "anger"): "accentuates",  # 0.010 beside 0.006
        ("birch", "anger"): "reverses",
        ("cedar", "anger"): "mitigates",
        ("amber", "valence"): "accentuates",
        ("birch", "valence"): "reverses",
        ("cedar", "valence"): "mitigates",
    }
    beside = next(one.against["gender"] for one in small_study.submissions if one.system == "amber")
    assert beside.baseline_gap == pytest.approx(0.006, abs=CLOSE)
    assert beside.change == pytest.approx(0.004, abs=CLOSE)
    assert beside.interval == pytest.approx((0.004, 0.004), abs=CLOSE)  # both wobble alike


def test_another_baseline_can_be_named_however_it_is_spelled(small: Path) -> None:
    found = evenhand.study(small / "submissions", baseline="CEDAR", progress=False)
    assert found.baseline == "cedar"


def test_gaps_are_compared_by_what_the_manifest_says(small_study: Study) -> None:
    found = {(one.attribute, one.descriptor, one.value): one for one in small_study.descriptors}
    one = found["gender", "architecture", "svr"]  # amber and SVM-Unigrams
    assert (one.systems, one.others) == (2, 2)
    assert one.mean_size == pytest.approx(((0.010 + 0.012) / 2 + (0.006 + 0.004) / 2) / 2, abs=CLOSE)
    assert one.mean_size_others == pytest.approx(((0.012 + 0.030) / 2 + 0.0) / 2, abs=CLOSE)
    assert one.difference == pytest.approx(one.mean_size - one.mean_size_others)
    test = stats.ttest_ind([0.011, 0.005], [0.021, 0.0], equal_var=False).confidence_interval(0.95)
    assert one.interval == pytest.approx((test.low, test.high), abs=1e-3)
    lonely = found["gender", "architecture", "lstm"]
    assert (lonely.systems, lonely.difference) == (1, None)
    assert lonely.undefined is not None


def test_json_has_the_promised_shape_and_no_nan(small_study: Study) -> None:
    values = json.loads(small_study.to_json(), parse_constant=pytest.fail)
    assert {"tables", "systems", "assessments", "threshold"} <= set(values)
    assert values["assessments"] == 16
    assert list(values["tables"]) == [
        "gender", "gender_neutral", "gender_own_words", "race", "race_neutral", "race_own_words",
    ]  # fmt: skip
    for dimension in ("anger", "valence"):
        rows = values["tables"]["gender"][dimension]
        assert list(rows) == ["not_significant", "first_higher", "second_higher", "all"]
        assert set(rows["all"]) == {"submissions", "mean_positive", "mean_negative", "equivalent"}
    assert len(values["systems"]) == 8
    assert values["systems"][0]["findings"]["gender"]["group"] == "first_higher"


def test_settings_reach_the_tests(small: Path) -> None:
    strict = evenhand.study(small / "submissions", settings=Settings(alpha=0.01, correction="holm"), progress=False)
    assert strict.tables["gender"].corrections.keys() == {"bonferroni", "bh"}
    assert strict.provenance.settings["alpha"] == 0.01


def test_a_study_can_be_about_one_attribute(small: Path) -> None:
    found = evenhand.study(small / "submissions", attributes=["race"], progress=False)
    assert found.assessments == 8
    assert set(found.tables) == {"race", "race_neutral", "race_own_words"}


def test_the_same_study_gives_the_same_bytes(small: Path, small_study: Study) -> None:
    again = evenhand.study(small / "submissions", gold=small / "gold", progress=False)
    assert again.to_json() == small_study.to_json()
