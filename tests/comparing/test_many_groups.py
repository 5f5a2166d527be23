"""Many groups, each against the rest: verdicts that depend on nothing else, on few terms and on groups of one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare
from evenhand.comparing import tested as tests_of
from evenhand.comparing.findings import Finding
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus, load_corpus
from evenhand.report.audit.many import shown_order, tables_of, told_all
from evenhand.report.audit.words import in_words
from evenhand.systems.base import Output

SIZES = {"a": 6, "b": 1, "c": 5, "d": 7, "e": 4}
SCORE = Column("system", Output("score", 0.0, 1.0), None)


def corpus(sizes: dict[str, int] = SIZES, sources: int = 12) -> Corpus:
    rows = [
        {
            "id": f"{source}-{group}{number}", "text": f"{group}{number} in {source}", "source": f"s{source}",
            "person": f"{group}{number}", "group": group,
        }
        for source in range(sources) for group, size in sizes.items() for number in range(size)
    ]  # fmt: skip
    return Corpus(frame=pl.DataFrame(rows), name="many", attributes={"group": tuple(sizes)})


def scores(asked: Corpus, gap: float = 0.0, *, odd: str = "", seed: int = 0) -> Scores:
    """Persons differ (sd .01), group a is higher by `gap`, the person `odd` by 0.3."""
    rng = np.random.default_rng(seed)
    effect = {person: rng.normal(0, 0.01) for person in sorted(set(asked.frame["person"]))}
    values = [
        0.5 + effect[person] + gap * (group == "a") + 0.3 * (person == odd) + rng.normal(0, 0.01)
        for person, group in asked.frame.select("person", "group").iter_rows()
    ]
    return Scores(tuple(asked.frame["id"]), np.array(values)[:, None], (SCORE,), asked.digest)


def found(asked: Corpus, given: Scores, **how: object) -> dict[tuple[str, str], Finding]:
    return {(one.first, one.second): one for one in compare(given, asked, **how).findings}  # type: ignore[arg-type]


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh"])
def test_verdicts_against_the_rest_do_not_depend_on_pairs(correction: str) -> None:
    asked = corpus()
    given, settings = scores(asked, 0.05), Settings(correction=correction)
    plain, both = found(asked, given, settings=settings), found(asked, given, settings=settings, pairs=True)
    assert len(plain) == 5
    assert len(both) == 5 + 10
    for key, finding in plain.items():
        assert both[key].verdict == finding.verdict
        assert both[key].generalising == finding.generalising
        assert both[key].equivalence == finding.equivalence
    # Pairs come on top, for themselves.
    assert {one.generalising.comparisons for one in plain.values()} == {5}
    assert both["a", "c"].generalising.comparisons == 15
    assert plain["a", "rest"].verdict == "higher"
    assert plain["a", "rest"].rest == ("b", "c", "d", "e")
    assert plain["a", "rest"].mean_difference == pytest.approx(0.05, abs=0.02)


def test_a_group_of_one_stands_in_the_rest_and_has_no_verdict_of_its_own() -> None:
    asked = corpus()
    findings = found(asked, scores(asked, 0.05))
    alone = findings["b", "rest"]
    assert (alone.verdict, alone.generalising.interval) == ("cannot tell", None)
    assert "single person (b0)" in alone.undefined["generalising.interval"]
    assert findings["a", "rest"].generalising.n_first == 6
    assert findings["a", "rest"].power.persons_per_group == 23 / 5


def test_leaving_out_a_group_of_one_is_leaving_out_its_group() -> None:
    asked = corpus({"a": 6, "b": 1, "c": 5, "d": 7})
    given = scores(asked, odd="b0")
    finding = found(asked, given)["a", "rest"]
    without = asked.frame["group"] != "b"
    means = {
        group: float(given.matrix[(asked.frame["group"] == group).to_numpy(), 0].mean()) for group in ("a", "c", "d")
    }
    assert without.any()
    assert finding.rests_on.person == "b0"
    assert finding.rests_on.without == pytest.approx(means["a"] - (means["c"] + means["d"]) / 2)


def test_one_odd_term_among_the_rest_decides_nothing() -> None:
    asked = corpus({"a": 6, "b": 5, "c": 5, "d": 7})
    finding = found(asked, scores(asked, odd="d3"))["a", "rest"]
    assert finding.verdict == "cannot tell"


def test_labels_are_those_of_the_corpus_against_the_other_groups() -> None:
    asked = load_corpus("identity").narrowed(["religion"])
    given = Scores(
        tuple(asked.frame["id"]), np.random.default_rng(0).uniform(size=(len(asked), 1)), (SCORE,), asked.digest
    )
    finding = compare(given, asked).findings[0]
    assert (finding.first_label, finding.second_label) == ("atheists", "the other groups")
    assert "sentences about atheists" in in_words(finding)
    assert "than the same sentences about the other groups" in in_words(finding)
    assert finding.generalising.comparisons == 51


def test_the_largest_gaps_come_first_and_what_is_common_is_said_once() -> None:
    asked = corpus()
    findings = compare(scores(asked, 0.05), asked).findings
    sizes = [abs(one.mean_difference) for one in shown_order(findings)]
    assert sizes == sorted(sizes, reverse=True)
    told = told_all(findings)
    assert told[0].verdict == "higher"
    assert told[0].text.startswith("system (score) scores sentences of the group a ")
    assert "than the same sentences of the other groups" in told[0].text
    spoken = [one for one in findings if one.verdict in ("higher", "lower") or one.withheld is not None]
    assert len(told) <= 1 + len(spoken)
    assert "each group against the others: cannot tell for" in told[-1].text
    assert "A group has 1 to 7 people" in told[-1].text
    assert "Undefined for b: a group has a single person (b0)" in told[-1].text


def test_a_system_that_reacts_to_nobody_has_no_table_but_a_sentence() -> None:
    asked = corpus({"a": 6, "b": 5, "c": 5, "d": 7})
    flat = Scores(tuple(asked.frame["id"]), np.full((len(asked), 1), 0.5), (SCORE,), asked.digest)
    findings = compare(flat, asked).findings
    assert tables_of(findings) == []
    (told,) = told_all(findings)
    assert told.verdict == "no reaction seen"
    assert "no reaction seen for 4 of 4" in told.text
    # Five persons of a group none of whom reacts: 1 − 0.05^(1/5).
    assert "up to 45 % of a group's people could react" in told.text


def test_groups_that_are_equivalent_say_together_what_others_could_do() -> None:
    asked = corpus({"a": 6, "b": 5, "c": 5, "d": 7})
    findings = compare(scores(asked), asked, settings=Settings(equivalence=0.05)).findings
    assert {one.verdict for one in findings} == {"equivalent"}
    (told,) = told_all(findings)
    # Five to seven persons of a group, at 95 %: 1 − 0.05^(1/5) and 1 − 0.05^(1/7).
    least, most = (
        f"{end(one.equivalence.unseen_reaction or 0.0 for one in findings):.3f}".rstrip("0") for end in (min, max)
    )
    condition = f"unless other people (up to 35 to 45 % of a group's) react by {least} to {most} more than those tested"
    assert f"“Equivalent” holds {condition}." in told.text


def test_many_pairs_that_are_equivalent_say_together_what_others_could_do() -> None:
    asked = corpus({"a": 6, "b": 5, "c": 5, "d": 7, "e": 6})
    findings = compare(scores(asked), asked, pairs=True, settings=Settings(equivalence=0.05)).findings
    pairs = [one for one in findings if not one.rest]
    assert len(pairs) == 10
    assert "“Equivalent” holds unless other people (up to 39 to 45 % of a group's)" in told_all(pairs)[-1].text


def test_false_alarms_and_coverage_against_the_rest() -> None:
    """The identity corpus's disability, persons with unequal spreads, gaps that differ by template: no true gap."""
    asked = load_corpus("identity").narrowed(["disability"])
    frame, systems = asked.frame, 600
    rng = np.random.default_rng(3)
    source, person, group = (
        frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("source", "person", "disability")
    )
    spread = np.exp(0.7 * rng.normal(size=(group.max() + 1, systems)))[group]
    values = 0.5 + 0.02 * rng.normal(size=(person.max() + 1, systems))[person] * spread
    values += (
        0.02 * rng.normal(size=((source.max() + 1) * (group.max() + 1), systems))[source * (group.max() + 1) + group]
    )
    columns = tuple(Column(f"s{number}", Output("score", 0.0, 1.0), None) for number in range(systems))
    given = Scores(tuple(frame["id"]), values, columns, asked.digest)
    tested = [tests_of.Tested(one, asked, given, Settings()) for one in contrasts(asked, "disability")]
    assert (np.min([one.general_p for one in tested], axis=0) < 0.05 / len(tested)).mean() <= 0.065
    ends = [one.components.interval(0.95) for one in tested if one.components is not None]
    assert np.mean([(low <= 0) & (high >= 0) for low, high in ends]) >= 0.935
