"""Who is worse off, and what verdicts are worth of systems that do not do their job."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evenhand
from evenhand.asking import Column, Scores
from evenhand.asking.settings import AskSettings
from evenhand.comparing import Settings, compare
from evenhand.comparing.ability import abilities
from evenhand.comparing.audit import Audit
from evenhand.comparing.differences import gap_differences
from evenhand.comparing.findings import Finding
from evenhand.comparing.harm import judged_able, of_both, worse_off
from evenhand.comparing.sharing import Paired
from evenhand.corpora import eec, load_corpus
from evenhand.repairs.workshop import RepairSettings, Workshop
from evenhand.studies.examination import Examination
from evenhand.studies.reading import Submission, Submissions
from evenhand.systems import Output, as_tagger
from evenhand.systems.meaning import HighIsSaid


@pytest.mark.parametrize(
    ("verdict", "high_is", "group"),
    [
        ("higher", "good", "male"),
        ("higher", "bad", "female"),
        ("lower", "good", "female"),
        ("lower", "bad", "male"),
        ("higher", "neither", None),
        ("lower", None, None),
        ("equivalent", "good", None),
        ("no reaction seen", "bad", None),
        ("cannot tell", "good", None),
    ],
)
def test_only_a_gap_that_is_shown_puts_anybody_at_a_disadvantage(
    verdict: str, high_is: str | None, group: str | None
) -> None:
    found, why = worse_off(
        verdict,  # type: ignore[arg-type]
        "female",
        "male",
        output="x",
        high_is=high_is,  # type: ignore[arg-type]
        interaction=False,
    )
    assert found == group
    assert bool(why) == (group is None)


def test_an_interaction_puts_nobody_at_a_disadvantage() -> None:
    assert worse_off("higher", "a", "b", output="x", high_is="good", interaction=True)[0] is None


def gap_of(cache: Path, high_is: HighIsSaid | None, system: str = "planted(gap=0.05)") -> Finding:
    options = {} if high_is is None else {"high_is": high_is}
    found = evenhand.audit(system, attributes="gender", cache=cache, progress=False, **options)  # type: ignore[arg-type]
    return found.findings[0]


def test_an_audit_says_who_is_worse_off(tmp_path: Path) -> None:
    assert [gap_of(tmp_path, said).worse_off for said in ("good", "bad", "neither", None)] == [
        "male", "female", None, None,
    ]  # fmt: skip
    unknown = gap_of(tmp_path, None)
    assert "--high-is" in unknown.undefined["worse_off"]
    assert "--high-is" in unknown.undefined["high_is"]
    assert "neither good nor bad" in gap_of(tmp_path, "neither").undefined["worse_off"]
    assert gap_of(tmp_path, "bad").undefined.keys().isdisjoint({"worse_off", "high_is"})


def test_what_is_known_of_a_system_holds_unless_its_output_is_named(tmp_path: Path) -> None:
    system = "planted(gap=0.05)+vader"
    assert gap_of(tmp_path, None, system).worse_off == "male"
    assert gap_of(tmp_path, {"valence": "bad"}, system).worse_off == "female"
    with pytest.raises(evenhand.EvenhandError, match="every output says what its high values mean"):
        gap_of(tmp_path, "bad", system)


def test_a_system_file_declares_it_for_wrapped_systems_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("system: planted\nsettings: {gap: 0.05}\nhigh_is: bad\n")
    assert gap_of(tmp_path, None, str(file)).worse_off == "female"
    wrapped = evenhand.load_system(f"repaired:averaging+{file}")
    assert wrapped.outputs[0].high_is == "bad"  # type: ignore[union-attr]
    file.write_text("system: vader\nhigh_is: {valense: bad}\n")
    with pytest.raises(evenhand.EvenhandError, match="did you mean 'valence'"):
        evenhand.load_system(str(file))


def test_a_system_that_was_given_is_not_changed(tmp_path: Path) -> None:
    system = evenhand.load_system("planted(gap=0.05)")
    evenhand.audit(system, attributes="gender", cache=tmp_path, progress=False, high_is="bad")
    assert system.outputs[0].high_is is None  # type: ignore[union-attr]


def test_a_difference_of_systems_in_which_high_means_the_opposite_harms_nobody() -> None:
    frame = eec().frame
    values = 0.2 * (frame["gender"] == "female").to_numpy() + frame["source"].rank("dense").to_numpy() / 500
    made = Scores(
        tuple(frame["id"]), values.reshape(-1, 1), (Column("s", Output("x", high_is="good"), None),), eec().digest
    )
    (one,) = compare(made, eec(), attributes=["gender"]).findings
    other = replace(one, high_is="bad", worse_off="female")
    assert of_both(one, one, one).worse_off == "male"
    both = of_both(one, one, other)
    assert (both.high_is, both.worse_off) == (None, None)
    assert "does not mean the same" in both.undefined["worse_off"]
    able, weak = replace(one, does_its_job=True), replace(one, does_its_job=False, why_not_its_job="it is blind")
    assert of_both(one, able, able).does_its_job is True
    assert of_both(one, able, weak).why_not_its_job == "s: it is blind"
    assert of_both(one, able, one).does_its_job is None


HAPPY = ("happy", "glad", "ecstatic", "great", "wonderful", "funny", "excited", "relieved", "amazing", "hilarious")


def constant(texts: Sequence[str]) -> list[float]:
    return [0.5] * len(texts)


def length(texts: Sequence[str]) -> list[float]:
    """Of the sentence less its first word, so that names make no difference there."""
    return [len(text.split(" ", 1)[1]) / 100 for text in texts]


def noise(texts: Sequence[str]) -> list[float]:
    return [zlib.crc32(text.encode()) % 1000 / 1000 for text in texts]


def able(texts: Sequence[str]) -> list[float]:
    return [0.3 + 0.4 * any(word in text for word in HAPPY) for text in texts]


def found_of(function: object, output: str, cache: Path, **how: object) -> Audit:
    return evenhand.audit(
        function,  # type: ignore[arg-type]
        outputs=[output],
        cache=cache,
        progress=False,
        **how,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("output", ["valence", "score", "toxicity"])
@pytest.mark.parametrize("function", [constant, noise])
def test_who_reacts_to_nothing_or_to_anything_does_not_do_its_job(
    function: object, output: str, tmp_path: Path
) -> None:
    found = found_of(function, output, tmp_path)
    assert {one.does_its_job for one in found.findings} == {False}
    assert all(one.why_not_its_job for one in found.findings)


def test_a_scorer_of_length_is_blind_as_valence_and_unknown_as_anything_else(tmp_path: Path) -> None:
    assert {one.does_its_job for one in found_of(length, "valence", tmp_path / "a").findings} == {False}
    unknown = found_of(length, "loudness", tmp_path / "b").findings[0]
    assert unknown.does_its_job is None
    assert "not known what order is intended" in unknown.undefined["does_its_job"]
    # That a high score is good does not make it one of pleasantness.
    assert found_of(length, "score", tmp_path / "c", high_is="good").findings[0].does_its_job is None


def test_an_able_system_is_shown_to_be_one_and_a_corpus_without_words_cannot_tell(tmp_path: Path) -> None:
    assert {one.does_its_job for one in found_of(able, "valence", tmp_path / "a").findings} == {True}
    elsewhere = found_of(able, "valence", tmp_path / "b", corpus="identity-names", attributes="gender").findings[0]
    assert elsewhere.does_its_job is None
    assert "no emotion words" in elsewhere.undefined["does_its_job"]


def test_the_same_score_for_every_label_and_a_tagger_that_finds_nobody_fail(tmp_path: Path) -> None:
    labelled = found_of(constant, "positive", tmp_path, corpus="identity-names", attributes="gender").findings[0]
    assert (labelled.does_its_job, labelled.says_little) == (False, True)
    blind = as_tagger(lambda sentences: [["O"] * len(words) for words in sentences], name="blind")
    tagged = evenhand.audit(blind, "ner-names", attributes="gender", cache=tmp_path, progress=False).findings[0]
    assert (tagged.does_its_job, tagged.why_not_its_job) == (False, "it finds nobody in any sentence")
    assert tagged.high_is == "good"


def test_whoever_asks_is_told_the_same_of_a_system_that_says_nothing(tmp_path: Path) -> None:
    corpus = load_corpus("identity-names").narrowed(["gender"]).sample(400)
    found = found_of(constant, "positive", tmp_path, corpus=corpus, attributes="gender")
    why = found.findings[0].why_not_its_job
    assert why is not None
    assert "the same score" in why
    (column,), scores = found.scores.columns, found.scores
    other = replace(scores, columns=(replace(column, system="other"),))
    pair = Paired(scores, other, scores, other, "one", "other", shares=False)
    compared = gap_differences([pair], corpus, attributes=["gender"], subsets=["all"], settings=Settings()).found
    assert {one.one.why_not_its_job for one in compared} == {one.other.why_not_its_job for one in compared} == {why}
    assert {one.difference.does_its_job for one in compared} == {False}
    member = Submission(column.system, "positive", "positive.csv", 0, "", True, None, "none given")
    study = Examination(Submissions((member,), scores, ()), corpus, Settings(), ["gender"], evidence=False)
    assert {one.why_not_its_job for by_place in study.found.values() for one in by_place.values()} == {why}
    settings = RepairSettings(methods=("layers",), repetitions=1)
    workshop = Workshop(scores, corpus, settings=settings, attributes=["gender"], how=AskSettings(progress=False))
    assert workshop.repair().does_its_job == {"positive": False}


@pytest.mark.slow
def test_how_often_the_blind_are_seen_and_the_able_are_not_taken_for_them() -> None:
    """Scores by word with noise between sentences; 200 systems each, of an output whose order nobody knows."""
    corpus = eec().sample(960)
    rng = np.random.default_rng(1)
    words = corpus.frame["source"].rank("dense").to_numpy().astype(int)
    levels = rng.normal(size=(words.max() + 1, 200))

    def weak(strength: float) -> float:
        values = strength * levels[words] + rng.normal(size=(len(corpus), 200))
        columns = tuple(Column(f"s{n}", Output("loudness", low=None, high=None, unit=1), None) for n in range(200))
        found = abilities(Scores(tuple(corpus.frame["id"]), values, columns, corpus.digest), corpus)
        return float(np.mean([one.weak is True for one in found]))

    assert weak(0.0) == 1.0
    assert weak(1.0) < 0.02
    assert weak(2.0) == 0.0


def test_findings_are_told_apart_by_system_and_output() -> None:
    frame = eec().frame
    values = np.column_stack([np.zeros(len(frame)), frame["emotion"].eq("joy").fill_null(False).to_numpy()])
    columns = (Column("s", Output("joy"), None), Column("s", Output("valence"), None))
    made = Scores(tuple(frame["id"]), values, columns, eec().digest)
    found = judged_able(
        compare(made, eec(), attributes=["race"]).findings, abilities(made, eec()), scores=made, corpus=eec()
    )
    assert [(one.output, one.does_its_job) for one in found] == [("joy", False), ("valence", True)]
