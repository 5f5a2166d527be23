"""Answers to bare identities: phrase by phrase, pair by pair, and which way the pairs lean."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import evenhand
from evenhand import Phrases, UsageError, phrases
from evenhand.cli.app import app
from evenhand.report.phrases import charts
from evenhand.systems.base import Array, BaseScorer, Output
from evenhand.systems.few_shot import FewShot, LabelModel

LEVELS = {"A man": 0.6, "A woman": 0.4, "A boy": 0.3, "A girl": 0.5}


class Paper(BaseScorer):
    """As in the paper: men above women, girls above boys."""

    name = "paper"
    outputs = (Output("anger", 0.0, 1.0),)
    fingerprint = "paper"

    def score(self, texts: Sequence[str]) -> Array:
        return np.array([[LEVELS.get(text, 0.2)] for text in texts])


class Letters(LabelModel):
    """A language model that goes by the length of what it is asked about, and by the question."""

    name = "letters"
    fingerprint = "letters"
    batch_size = 8

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        worry = prefix.count("fear") > 1
        weights = [
            [1.0 + (len(ending) * (place + 1 + worry)) % 5 for place in range(len(labels))] for ending in endings
        ]
        return np.array([[0.9 * weight / sum(row) for weight in row] for row in weights])


@pytest.fixture(scope="module")
def found() -> Phrases:
    return phrases(Paper(), progress=False)


def test_pairs_are_the_nth_of_either_group(found: Phrases) -> None:
    pairs = {(one.first, one.second): one for one in found.pairs}
    assert {("A woman", "A man"), ("A girl", "A boy"), ("A daughter", "A son"), ("A wife", "A husband")} <= set(pairs)
    assert pairs["A woman", "A man"].difference == pytest.approx(-0.2)
    assert pairs["A girl", "A boy"].difference == pytest.approx(0.2)
    assert len([one for one in found.pairs if one.attribute == "gender"]) == 7


def test_man_and_woman_against_boy_and_girl_is_counted(found: Phrases) -> None:
    gender, race = found.leaning
    assert (gender.attribute, gender.first_higher, gender.second_higher, gender.same) == ("gender", 1, 1, 5)
    assert gender.both_ways
    assert not race.both_ways
    assert "words of one group differ" in str(found)
    values = json.loads(found.to_json())
    assert values["leaning"][0]["both_ways"] is True
    said = {one["phrase"]: one["score"] for one in values["answers"]}
    assert (said["A boy"], said["A person"], said[""]) == (0.3, 0.2, 0.2)


def test_a_few_shot_model_is_asked_for_every_emotion_and_gives_all_labels() -> None:
    model = FewShot(Letters(), evenhand.eec(), task="published")
    found = phrases(model, "phrases", progress=False)
    assert {one.question for one in found.answers} == {"anger", "joy", "fear", "sadness"}
    one = next(one for one in found.answers if (one.question, one.phrase) == ("joy", "A woman"))
    assert one.labels == ("1", "2", "3", "4", "5")
    assert sum(one.probabilities) == pytest.approx(1.0)
    assert one.score == pytest.approx(
        sum(float(label) * p for label, p in zip(one.labels, one.probabilities, strict=True))
    )
    assert one.likeliest == one.labels[int(np.argmax(one.probabilities))]


def test_groups_of_unequal_size_and_more_than_two_have_no_pairs() -> None:
    found = phrases(Paper(), "identity", progress=False)
    assert found.pairs == ()
    assert {one.attribute for one in found.answers} >= {"religion", "age", "nationality"}
    assert "Phrase by phrase" in found.to_html()
    assert charts(found) == {}


def test_it_is_saved_with_a_table_and_a_figure_and_read_again(found: Phrases, tmp_path: Path) -> None:
    found.save(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {"phrases.html", "phrases.json", "phrases.csv", "phrases-paper.png", "phrases-paper.svg"} <= names
    again = evenhand.load_result(tmp_path / "out")
    assert isinstance(again, Phrases)
    assert again.to_json() == found.to_json()
    assert again.to_html() == found.to_html()
    (chart,) = charts(found).values()
    drawn = [row for part in chart["vconcat"] for row in part["data"]["values"]]
    assert {"pair": "A girl / A boy", "group": "female", "score": 0.5, "other": 0.3} in drawn


def test_people_type_it(tmp_path: Path) -> None:
    done = CliRunner(env={"EVENHAND_CACHE_DIR": str(tmp_path)}).invoke(app, ["phrases", "vader", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["kind"] == "phrases"


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    recorded = tmp_path / "p.csv"
    recorded.write_text("text,score\nA woman,0.1\n")
    with pytest.raises(evenhand.EvenhandError):
        phrases(f"file:{recorded}", progress=False)
    with pytest.raises(UsageError, match="unknown references 'pair'; did you mean 'pairs'"):
        phrases("vader", "pair", progress=False)
