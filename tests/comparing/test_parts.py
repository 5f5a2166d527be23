"""Gaps that differ by part: by hand, against SciPy, what is left out, and how often that is said where they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare
from evenhand.comparing.findings import Finding, PartGap
from evenhand.comparing.general import gap_over_cells, general_p
from evenhand.comparing.parts import corrected_over_parts
from evenhand.contrasts import contrast
from evenhand.corpora import Corpus, eec
from evenhand.report.audit.standing import ON_AVERAGE, look
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.systems.base import Output

COUPLES = 6
WORDS = {"anger": ("mad", "furious", "cross", "livid", "irate"), "joy": ("glad", "merry", "jolly", "happy", "elated")}
TEMPLATES = ("a", "b", "c", "d", "e", "f")
Gap = Callable[[int, str, str, str], float]
"""The gap of a couple in a template, for an emotion and a word."""


def small(words: dict[str, tuple[str, ...]] = WORDS, *, neutral: bool = False) -> Corpus:
    """Couples in all templates with all words of some emotions, and in a sentence without any."""
    cells = [(template, emotion, word) for template in TEMPLATES for emotion in words for word in words[emotion]]
    cells += [("n", None, None)] if neutral else []
    rows = [
        {
            "text": f"{template} {word} {gender} {couple}",
            "source": f"{template} {word}",
            "person": f"{gender} {couple}",
            "pair": f"couple {couple}",
            "gender": gender,
            "template": template,
            "emotion": emotion,
            "emotion_word": word,
        }
        for template, emotion, word in cells
        for couple in range(COUPLES)
        for gender in ("female", "male")
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_row_index("id").cast({"id": pl.String})
    return Corpus(frame, "small", {"gender": ("female", "male")}, ("template", "emotion_word"))


def found(corpus: Corpus, gap: Gap) -> Finding:
    """What is found of a system in which only women's scores move."""
    columns = ("person", "gender", "template", "emotion", "emotion_word")
    matrix = [
        [gap(int(who.split()[1]), template, emotion, word) if gender == "female" else 0.0]
        for who, gender, template, emotion, word in corpus.frame.select(columns).iter_rows()
    ]
    scores = Scores(tuple(corpus.frame["id"]), np.array(matrix), (Column("toy", Output("score"), None),), corpus.digest)
    return compare(scores, corpus).findings[0]


def part(finding: Finding, level: str) -> PartGap:
    (one,) = (one for one in finding.parts if one.level == level)
    return one


def test_persons_alone_are_a_test_of_their_differences() -> None:
    own = {"anger": [0.10, 0.14, 0.08, 0.12, 0.09, 0.13], "joy": [0.02, 0.08, 0.01, 0.02, 0.05, 0.03]}
    finding = found(small(), lambda couple, _, emotion, __: own[emotion][couple])
    anger, joy = part(finding, "anger"), part(finding, "joy")
    test = stats.ttest_rel(own["anger"], own["joy"])
    assert (anger.gap, anger.rest) == pytest.approx((np.mean(own["anger"]), np.mean(own["joy"])))
    assert anger.difference == pytest.approx(np.mean(own["anger"]) - np.mean(own["joy"])) == -joy.difference
    assert anger.p == pytest.approx(test.pvalue)
    # Of two parts each is the other's rest, and the corpus asks one comparison: there is nothing to correct for.
    assert anger.p_adjusted == pytest.approx(test.pvalue) == joy.p_adjusted
    assert anger.interval == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert finding.parts_asked == ("emotion",)
    assert finding.differing == ("emotion",)


def test_words_vary_within_their_emotion() -> None:
    of_word = dict(zip((word for words in WORDS.values() for word in words), np.arange(10) ** 2 / 300, strict=True))
    finding = found(small(), lambda _, __, ___, word: of_word[word])
    anger, joy = ([of_word[word] for word in WORDS[emotion]] for emotion in ("anger", "joy"))
    assert part(finding, "joy").p == pytest.approx(stats.ttest_ind(joy, anger, equal_var=False).pvalue)


EVERYWHERE = dict(zip(TEMPLATES, (0.1, -0.2, 0.05, 0.3, 0.0, 0.11), strict=True))


def test_what_a_template_does_everywhere_cancels_out() -> None:
    one = part(found(small(), lambda _, template, __, ___: EVERYWHERE[template]), "anger")
    assert (one.difference, one.p, one.significant) == (pytest.approx(0.0, abs=1e-12), 1.0, False)


def test_templates_that_do_not_treat_emotions_alike_are_a_sample() -> None:
    extra = dict(zip(TEMPLATES, (0.02, 0.05, 0.01, 0.04, 0.03, 0.06), strict=True))
    finding = found(small(), lambda _, t, emotion, __: EVERYWHERE[t] + (emotion == "anger") * extra[t])
    one = part(finding, "anger")
    assert one.p == pytest.approx(stats.ttest_1samp(list(extra.values()), 0.0).pvalue)


def test_a_template_with_more_words_of_one_emotion_does_not_differ_for_that_reason() -> None:
    corpus = small()
    missing = (pl.col("template") == "a") & pl.col("emotion_word").is_in(["glad", "merry", "jolly"])
    one = part(found(replace(corpus, frame=corpus.frame.filter(~missing)), lambda *_: 0.2), "anger")
    assert one.gap == pytest.approx(0.2) == one.rest
    assert one.interval == pytest.approx((0.0, 0.0), abs=1e-12)


def test_templates_of_one_emotion_each_vary_within_it() -> None:
    corpus = small()
    frame = corpus.frame.filter((pl.col("template").is_in(["a", "b", "c"])) == (pl.col("emotion") == "anger"))
    of = {"a": 0.02, "b": 0.05, "c": 0.01, "d": 0.10, "e": 0.17, "f": 0.12}
    one = part(found(replace(corpus, frame=frame), lambda _, template, __, ___: of[template]), "anger")
    values = list(of.values())
    assert one.p == pytest.approx(stats.ttest_ind(values[:3], values[3:], equal_var=False).pvalue)


def test_sentences_without_an_emotion_and_emotions_of_one_word_are_in_no_part() -> None:
    words = WORDS | {"fear": ("scared",)}
    finding = found(small(words, neutral=True), lambda couple, _, emotion, __: 0.01 * couple + 0.1 * (emotion is None))
    assert [one.level for one in finding.parts] == ["anger", "joy"]
    assert part(finding, "anger").rest == pytest.approx(0.025)


def test_one_kind_of_sentences_has_no_parts() -> None:
    finding = found(small({"anger": WORDS["anger"]}), lambda couple, *_: 0.01 * couple)
    assert (finding.parts, finding.parts_asked, finding.differing) == ((), (), ())


FRAME = eec().frame
BASE = np.random.default_rng(1).normal(0.5, 0.05, size=144)[FRAME["source"].rank("dense").to_numpy().astype(int) - 1]
WOMEN = np.where(FRAME["gender"] == "female", 0.5, -0.5)
SIGN = {"anger": 1.0, "fear": 1.0, "joy": -1.0, "sadness": -1.0}
FLIP = np.array([SIGN.get(emotion, 0.0) for emotion in FRAME["emotion"]])


def audited(values: np.ndarray, **settings: object) -> Finding:
    scores = Scores(tuple(FRAME["id"]), values[:, None], (Column("toy", Output("score"), None),), eec().digest)
    return compare(scores, eec(), attributes=["gender"], settings=Settings(**settings)).findings[0]  # type: ignore[arg-type]


def test_a_flip_by_emotion_is_told_though_the_average_cannot_be() -> None:
    rng = np.random.default_rng(2)
    persons = rng.normal(scale=0.03, size=60)[FRAME["person"].rank("dense").to_numpy().astype(int) - 1]
    finding = audited(BASE + 0.05 * FLIP * WOMEN + persons + rng.normal(scale=0.02, size=len(FRAME)))
    assert finding.verdict == "cannot tell"
    assert {one.level: bool(one.significant) for one in finding.parts} == dict.fromkeys(
        ("anger", "fear", "joy", "sadness"), True
    )
    assert part(finding, "anger").gap - part(finding, "joy").gap == pytest.approx(0.1, abs=0.005)
    assert "The gap differs by emotion: +0.0" in in_words(finding)
    assert short_verdict(finding) == "cannot tell, differs by emotion"


def test_an_equivalence_that_hides_opposite_gaps_says_so() -> None:
    finding = audited(BASE + 0.009 * FLIP * WOMEN + np.random.default_rng(3).normal(scale=0.005, size=len(FRAME)))
    assert finding.verdict == "equivalent"
    assert "But the gap differs by emotion: +0.009 on " in in_words(finding)
    assert short_verdict(finding) == "equivalent ±0.010, differs by emotion"
    assert look(replace(finding, does_its_job=True)) == ON_AVERAGE  # it is not shown in green


def test_parts_are_corrected_as_the_verdict_is_and_over_each_other() -> None:
    finding = audited(BASE + 0.004 * FLIP * WOMEN + np.random.default_rng(4).normal(scale=0.03, size=len(FRAME)))
    raw = np.array([one.p for one in finding.parts])
    # The EEC asks two comparisons, whatever was typed.
    assert [one.p_adjusted for one in finding.parts] == pytest.approx(
        np.minimum(1.0, 2 * corrected_over_parts(raw)).tolist()
    )
    assert finding.generalising.comparisons == 2
    comparison = contrast(eec(), "gender")
    (parts,) = comparison.parts
    scores = BASE + 0.004 * FLIP * WOMEN + np.random.default_rng(4).normal(scale=0.03, size=len(FRAME))
    over = parts.difference(parts.levels.index("joy"))
    components = gap_over_cells(comparison, comparison.cell_values(scores[:, None]), over, scale=np.ones(1))
    low, high = components.interval(1 - 0.05 / 2 / 4)
    assert part(finding, "joy").interval == pytest.approx((low[0], high[0]))


def test_a_finding_with_parts_survives_being_saved() -> None:
    finding = audited(BASE + 0.05 * FLIP * WOMEN)
    assert Finding.from_dict(finding.to_dict()) == finding
    assert finding.flat()["differs_by"] == "emotion"


SYSTEMS = 500


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
@pytest.mark.parametrize(
    "sd",
    [
        {"person": 0.03, "person × template": 0.03, "gap by template": 0.02},
        {"person": 0.03, "gap by word": 0.02},
        {"person": 0.03, "person × emotion": 0.02},
    ],
    ids=" and ".join,
)
def test_parts_are_rarely_called_different_where_they_are_not(sd: dict[str, float], attribute: str) -> None:
    assert called_different(sd, attribute, flip=0.0) <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_a_flip_is_found(attribute: str) -> None:
    everything = {"person": 0.03, "person × template": 0.03, "gap by template": 0.02, "gap by word": 0.02}
    assert called_different(everything, attribute, flip=0.05) >= 0.99


def called_different(sd: dict[str, float], attribute: str, *, flip: float) -> float:
    """How often some part is called different from the rest, at 5 % for one comparison."""
    rng = np.random.default_rng([len(attribute), *(ord(name[0]) for name in sd)])
    comparison = contrast(eec(), attribute)
    (parts,) = comparison.parts
    first, second = eec().attributes[attribute]
    side = ((FRAME[attribute] == first).fill_null(False).to_numpy() * 0.5)[:, None]
    side = side - ((FRAME[attribute] == second).fill_null(False).to_numpy() * 0.5)[:, None]
    number = {name: _numbers(name) for name in ("person", "template", "emotion", "emotion_word")}
    by = {
        "person": number["person"],
        "person × template": number["person"] * 200 + number["template"],
        "person × emotion": number["person"] * 200 + number["emotion"],
        "gap by template": number["template"],
        "gap by word": number["emotion_word"],
    }
    called = []
    for _ in range(SYSTEMS // 250):
        scores = rng.normal(scale=0.05, size=(len(FRAME), 250)) + flip * side * FLIP[:, None]
        for name, scale in sd.items():
            drawn = rng.normal(scale=scale, size=(by[name].max() + 1, 250))[by[name]]
            scores += side * drawn if name.startswith("gap") else drawn
        values = comparison.cell_values(scores)
        p = [
            general_p(gap_over_cells(comparison, values, parts.difference(level), scale=np.ones(250)), comparison)
            for level in range(len(parts.levels))
        ]
        called.append((np.apply_along_axis(corrected_over_parts, 0, np.array(p)) < 0.05).any(axis=0))
    return float(np.mean(called))


def _numbers(column: str) -> np.ndarray:
    filled = [value or source for value, source in zip(FRAME[column], FRAME["source"], strict=True)]
    return np.unique(filled, return_inverse=True)[1]
