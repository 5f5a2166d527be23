"""From a verdict to its sentences: what is shown behind a gap is what the gap was made of."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.report.explorer.marks import marked
from evenhand.web.evidence import Evidence


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    cache = tmp_path_factory.mktemp("cache")
    systems = ["vader", "planted(gap=0.05, person_sd=0.01)"]
    return evenhand.audit(
        systems, attributes=["gender", "race", "gender+race"], sample=1200, cache=cache, progress=False
    )


def test_the_mean_of_the_differences_is_the_gap(audit: Audit) -> None:
    evidence = Evidence(audit)
    for finding in audit.findings:
        found = evidence.differences(finding)
        assert len(found) == finding.n
        assert found.mean() == pytest.approx(finding.mean_difference, abs=1e-12)
        assert np.abs(found).max() == pytest.approx(abs(finding.largest_difference), abs=1e-12)


def test_the_sentences_of_a_difference_make_it(audit: Audit) -> None:
    evidence = Evidence(audit)
    assert audit.corpus is not None
    text_of = dict(audit.corpus.frame.select("text", "source").iter_rows())
    for finding in audit.findings:
        values = evidence.differences(finding)
        for row in (0, len(values) // 2, int(np.abs(values).argmax())):
            behind = evidence.behind(finding, row)
            sides = [sum(one.weight * one.score for one in side) for side in (behind.first, behind.second)]
            assert sides[0] - sides[1] == pytest.approx(values[row], abs=1e-12)
            assert behind.difference == pytest.approx(values[row], abs=1e-12)
            assert {text_of[one.text] for one in behind.first + behind.second} == {behind.source}


def test_both_sides_are_of_the_groups_that_are_compared(audit: Audit) -> None:
    evidence = Evidence(audit)
    assert audit.corpus is not None
    (finding,) = [one for one in audit.findings if one.system == "vader" and one.attribute == "gender"]
    gender = dict(audit.corpus.frame.select("text", "gender").iter_rows())
    behind = evidence.behind(finding, 0)
    assert {gender[one.text] for one in behind.first} == {finding.first}
    assert {gender[one.text] for one in behind.second} == {finding.second}


def test_a_cell_shows_each_sentence_beside_the_typical_one(audit: Audit) -> None:
    evidence = Evidence(audit)
    assert audit.corpus is not None
    frame = audit.corpus.frame
    person = "Tia"
    template = frame.filter(frame["person"] == person)["template"][0]
    found = evidence.cell("vader", "valence", person, template)
    assert len(found) == ((frame["person"] == person) & (frame["template"] == template)).sum()
    assert audit.scores is not None
    answers = dict(zip(frame["text"], audit.scores.of_system("vader").matrix[:, 0], strict=True))
    source = dict(frame.select("text", "source").iter_rows())
    for one in found:
        together = [answers[text] for text, where in source.items() if where == source[one.own.text]]
        assert one.away == pytest.approx(answers[one.own.text] - np.median(together))
        assert source[one.typical.text] == source[one.own.text]
        assert one.typical.person != person
        assert abs(one.typical.score - np.median(together)) == min(abs(np.array(together) - np.median(together)))
    assert [abs(one.away) for one in found] == sorted((abs(one.away) for one in found), reverse=True)


def test_what_is_not_there_is_refused(audit: Audit) -> None:
    evidence = Evidence(audit)
    with pytest.raises(UsageError, match="there is no 100000"):
        evidence.behind(audit.findings[0], 100_000)
    with pytest.raises(UsageError, match="no sentence of this audit"):
        evidence.cell("vader", "valence", "nobody", "nothing")
    with pytest.raises(UsageError, match="no scores of"):
        evidence.cell("nobody", "valence", "Tia", "nothing")


def test_audits_in_waves_show_the_sentences_that_each_system_was_asked(tmp_path: object) -> None:
    waves = evenhand.Waves(names=(2, 4))
    audit = evenhand.audit(
        ["vader", "planted(gap=0.2)"], attributes="gender", waves=waves, cache=str(tmp_path), progress=False
    )
    evidence = Evidence(audit)
    for finding in audit.findings:
        assert np.isfinite(evidence.differences(finding)).all()
        assert evidence.differences(finding).mean() == pytest.approx(finding.mean_difference, abs=1e-12)


def test_every_word_that_differs_is_marked() -> None:
    found = marked("The old man told his boss that Marci left.", "The old woman told her boss that Mohammed left.")
    assert [text for text, differs in found if differs] == ["man", "his", "Marci"]
    assert "".join(text for text, _ in found) == "The old man told his boss that Marci left."
    assert marked("the same", "the same") == [("the same", False)]
