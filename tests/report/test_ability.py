"""Whether systems do their job, and what they say about their own scores: in words, JSON, terminal and page."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import evenhand
from evenhand.comparing.ability import Ability, WordScore
from evenhand.comparing.audit import Audit
from evenhand.corpora import eec
from evenhand.errors import EvenhandError
from evenhand.report.audit.ability import ability_in_words, drawn_on_demand, word_chart, word_figures, word_rows
from evenhand.report.audit.figures import figure_files
from evenhand.report.audit.terminal import print_report
from evenhand.systems import HeldOut, Output

WORDS = (
    WordScore("glad", "joy", 2.0, 0.4, 8),
    WordScore("ecstatic", "joy", 5.0, 0.9, 8),
    WordScore("sad", "sadness", -3.0, -0.2, 8),
    WordScore("blue", "sadness", None, -0.1, 8),
)
ABLE = Ability("one", "valence", 1.0, "pleasant", WORDS, 0.84, 0.0001, False, None)


class Talker:
    """Scores by what a sentence says, and has something to say itself."""

    name = "talker"
    outputs = (Output("valence", -5, 5), Output("gloom"), Output("gloom=1", of="gloom", value=1))
    fingerprint = None
    batch_size = 10_000

    def __init__(self) -> None:
        self._asked = 0

    def score(self, texts: Sequence[str]) -> np.ndarray:
        self._asked += len(texts)
        happy = [sum(word in text for word in ("happy", "glad", "great", "wonderful")) for text in texts]
        return np.column_stack([happy, np.zeros(len(texts)), np.ones(len(texts))])

    def remarks(self) -> tuple[str, ...]:
        return (f"I was asked about {self._asked:,} sentences", "I say <b>bold</b>\nthings [red]in red[/red]")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    cache = tmp_path_factory.mktemp("cache")
    corpus = replace(
        eec(), frame=eec().frame.filter(eec().frame["kind"] != "name"), attributes={"gender": ("female", "male")}
    )
    systems = [Talker(), "random", "vader"]
    return evenhand.audit(systems, corpus, cache=cache, progress=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ability", "words"),
    [
        (ABLE, "one (valence) does its job: its scores separate pleasant words from unpleasant ones (rank correlation "
               "0.84 over 3 words; less than 0.1 % of random orders reach that)."),
        (replace(ABLE, order="anger", rho=0.12, p=0.23, weak=True),
         "one (valence) is too weak for its bias to mean anything: its scores do not separate stronger words from "
         "weaker ones (rank correlation 0.12 over 3 words; 23 % of random orders reach that)."),
        (replace(ABLE, rho=None, p=None, weak=True, undefined="it gives all 3 words the same score"),
         "one (valence) is too weak for its bias to mean anything: it gives all 3 words the same score."),
        (replace(ABLE, rho=None, p=None, weak=None, order=None, undefined="nobody knows"),
         "one (valence): cannot tell whether it does its job, because nobody knows."),
        (replace(ABLE, rho=0.5, p=0.0612, weak=None, undefined="it may be chance"),
         "one (valence): cannot tell whether it does its job, because it may be chance (rank correlation 0.50 "
         "over 3 words; 6.1 % of random orders reach that)."),
    ],
)  # fmt: skip
def test_in_words(ability: Ability, words: str) -> None:
    assert ability_in_words(ability) == words


def test_words_stand_in_the_intended_order() -> None:
    assert [row["word"] for row in word_rows(ABLE)] == ["ecstatic (5)", "glad (2)", "sad (−3)", "blue (not judged)"]
    apart = replace(
        ABLE, order="intensity", words=tuple(replace(word, intended=abs(word.intended or 1)) for word in WORDS)
    )
    assert [row["word"] for row in word_rows(apart)] == ["ecstatic (5)", "glad (2)", "sad (3)", "blue (1)"]


def test_an_emotion_looks_the_same_in_every_chart() -> None:
    def looks(*emotions: str) -> dict[str, str]:
        rows = [row for row in word_rows(ABLE) if row["emotion"] in emotions]
        encoding = word_chart(rows)["layer"][0]["encoding"]
        assert encoding["color"]["legend"]["values"] == sorted(emotions)
        scale = encoding["color"]["scale"]
        return {emotion: scale["range"][scale["domain"].index(emotion)] for emotion in emotions}

    assert looks("joy", "sadness") == looks("joy") | looks("sadness")
    assert len(set(looks("joy", "sadness").values())) == 2


@pytest.mark.slow
def test_figures_are_drawn(tmp_path: Path) -> None:
    figures = word_figures([ABLE, replace(ABLE, system="two")], {("one", "valence"): "one"})
    assert list(figures) == ["words-one", "words-two valence"]
    svg = figure_files(figures)["figures/words-one.svg"]
    assert callable(svg)
    assert b"ecstatic" in svg()


def test_words_of_one_order_are_embedded_once() -> None:
    data = drawn_on_demand([ABLE, replace(ABLE, system="two"), replace(ABLE, order=None)])
    assert sorted(data["orders"]) == ["", "pleasant"]
    assert data["orders"]["pleasant"][0] == ["ecstatic (5)", "joy", 8]
    assert data["outputs"][0]["means"] == [0.9, 0.4, -0.2, -0.1]
    assert data["emotions"] == ["anger", "fear", "joy", "sadness"]


def test_an_audit_says_who_is_able_and_what_systems_say(report: Audit) -> None:
    assert [(one.system, one.output, one.weak) for one in report.abilities] == [
        ("talker", "valence", False),
        ("talker", "gloom", True),  # the same for every sentence
        ("random", "score", True),  # blind to what is said
        ("vader", "valence", False),
    ]
    assert [str(note) for note in report.notes] == [
        "talker: I was asked about 2,880 sentences",
        "talker: I say <b>bold</b> things [red]in red[/red]",
    ]


def test_it_survives_saving(report: Audit, tmp_path: Path) -> None:
    report.save(tmp_path)
    content = json.loads((tmp_path / "report.json").read_text())
    assert list(content) == ["kind", "findings", "abilities", "remarks", "notes", "provenance"]
    loaded = Audit.load(tmp_path)
    assert loaded.abilities == report.abilities
    assert loaded.notes == report.notes
    assert loaded.to_json() == report.to_json()
    for broken in ({"abilities": [{"system": "x"}]}, {"abilities": 3}, {"notes": [3]}):
        (tmp_path / "report.json").write_text(json.dumps(content | broken))
        with pytest.raises(EvenhandError, match="this version of Evenhand can read"):
            Audit.load(tmp_path)
    # Reports of earlier versions have neither.
    (tmp_path / "report.json").write_text(json.dumps({key: content[key] for key in ("findings", "provenance")}))
    assert Audit.load(tmp_path).abilities == ()


def shown(report: Audit, width: int = 200) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width))
    return out.getvalue()


def test_the_terminal_shows_one_line_each(report: Audit) -> None:
    text = shown(replace(report, abilities=(ABLE, replace(ABLE, rho=0.1, p=0.3, weak=True))))
    assert "Does the system do its job?\n• one (valence) does its job" in text
    assert "• one (valence) is too weak for its bias to mean anything" in text
    assert "• talker: I say <b>bold</b> things [red]in red[/red]" in text
    without = shown(replace(report, abilities=(), notes=()))
    assert "Does the system do its job?" not in without
    assert "about their own scores" not in without


def body(report: Audit) -> str:
    return re.sub(r"<script.*?</script>", "", report.to_html(), flags=re.DOTALL)


def test_the_page_warns_and_shows_remarks_as_text(report: Audit) -> None:
    weak = replace(ABLE, system="talker", rho=0.1, p=0.3, weak=True)
    page = body(replace(report, abilities=(weak, *report.abilities[1:])))
    assert '<h2 id="ability-title">Does the system do its job?</h2>' in page
    assert "<strong>Note:</strong> talker valence is too weak for its bias to mean anything" not in page  # three are
    assert "<strong>Note:</strong> talker valence, talker gloom, random are too weak for their bias" in page
    assert "I say &lt;b&gt;bold&lt;/b&gt; things" in page
    assert "<b>bold" not in page
    assert page.count("<option") == 4 + 5  # outputs whose words are shown, and all outputs
    assert "Note:" not in body(replace(report, abilities=(ABLE,)))


def test_a_page_without_emotion_words_or_remarks_has_no_such_section(report: Audit) -> None:
    page = body(replace(report, abilities=(), notes=()))
    assert "Does the system do its job?" not in page
    assert 'href="#ability"' not in page
    remarks_only = body(replace(report, abilities=()))
    assert "What systems say about their own scores" in remarks_only
    assert 'id="words-of"' not in remarks_only


def test_of_many_outputs_the_weak_are_named(report: Audit) -> None:
    many = tuple(
        replace(ABLE, system=f"s{number}", rho=0.1 if number < 10 else 0.9, weak=number < 10) for number in range(60)
    )
    page = body(replace(report, abilities=many, notes=()))
    assert "10 of these outputs are too weak for their bias" in page
    assert page.count('<span class="tag">too weak</span>') == 10
    assert '<span class="tag">does its job</span>' not in page


def test_provenance_says_nothing_new(report: Audit) -> None:
    assert set(report.provenance.to_dict()) == {"corpus", "corpora", "systems", "files", "settings", "assessments",
        "threshold", "generalising_threshold", "families", "packages", "python"}  # fmt: skip


def test_what_is_known_of_other_texts_is_said_first() -> None:
    known = replace(ABLE, held_out=HeldOut(1_000, 0.6, 0.55, "five folds"))
    assert ability_in_words(known) == (
        "one (valence) does its job: its scores of 1,000 other texts go with people's (rank correlation 0.55, five "
        "folds); on the 3 emotion words of this corpus, the rank correlation is 0.84."
    )
    assert ability_in_words(replace(known, rho=None, p=None)).endswith("(rank correlation 0.55, five folds).")
    faint = replace(ABLE, held_out=HeldOut(20, 0.3, 0.3, "five folds"))
    assert ability_in_words(faint) == ability_in_words(ABLE)
