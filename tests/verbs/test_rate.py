"""Systems rated on data groups and conversations, before and after a round trip."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.corpora import causal
from evenhand.errors import UsageError
from evenhand.rating import Ratings
from evenhand.results import Note
from evenhand.verbs.rate import GROUPS, rate

needs_apertium = pytest.mark.skipif(
    shutil.which("apertium") is None, reason="no Apertium here; `make test` installs it where apt is"
)


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ratings, Path]:
    folder = tmp_path_factory.mktemp("rated")
    found = rate(
        ["biased-female", "textblob"], chat=["example"], bootstrap=50, progress=False, cache=folder / "c", out=folder
    )
    return found, folder


def test_every_group_and_speaker_is_rated(assessed: tuple[Ratings, Path]) -> None:
    found, _ = assessed
    settings = [(one.data, one.group, one.attribute, one.method) for one in found.results]
    assert settings == [
        ("SD", "Group-1", "gender", "rejection"),
        ("SD", "Group-2", "gender", "deconfounding"),
        ("SD", "Group-3", "race", "rejection"),
        ("SD", "Group-3", "gender", "rejection"),
        ("SD", "Group-3", "race+gender", "rejection"),
        ("SD", "Group-4", "race+gender", "deconfounding"),
        ("homework", "user", "gender", "rejection"),
        ("homework", "chatbot", "gender", "rejection"),
        ("helpdesk", "user", "gender", "rejection"),
        ("helpdesk", "chatbot", "gender", "rejection"),
    ]


def test_a_biased_system_is_rated_worst_and_one_that_goes_by_words_alone_best(
    assessed: tuple[Ratings, Path],
) -> None:
    found, _ = assessed
    first = found.results[0]
    # Of three pairs of classes on five datasets, the two with women are told apart at every level.
    assert first.raw == pytest.approx({"biased-female": 5 * 2 * 2.4, "textblob": 0.0})
    assert first.ratings == {"biased-female": 3, "textblob": 1}
    assert first.among_these == {"biased-female": 2, "textblob": 1}


def test_the_data_groups_know_their_attributes() -> None:
    for group in GROUPS.values():
        corpus = group.make("E4", k=1, seed=0)
        for attribute in group.attributes:
            assert set(attribute.split("+")) <= set(corpus.attributes)


def test_questions_are_answered_in_points_with_an_interval(assessed: tuple[Ratings, Path]) -> None:
    found, _ = assessed
    human = [one for one in found.answers if one.question == "human data" and one.system == "biased-female"]
    assert len(human) == 4
    one = human[0]
    # By men and women alone, as in the homework log: the class without a gender would make it two pairs of three.
    assert (one.data, one.group, one.before, one.after) == ("homework", "user", 100.0, 100.0)
    assert (one.change, one.interval) == (0.0, (0.0, 0.0))
    assert [(each.before, each.after) for each in human[2:]] == [(pytest.approx(200 / 3), pytest.approx(200 / 3))] * 2
    assert not [one for one in found.answers if one.question == "round trip"]


def test_pages_labels_and_json_are_saved(assessed: tuple[Ratings, Path]) -> None:
    found, folder = assessed
    assert {path.name for path in (folder / "labels").iterdir()} == {"biased-female.html", "textblob.html"}
    saved = json.loads((folder / "rating.json").read_text(), parse_constant=pytest.fail)
    assert saved == json.loads(found.to_json())
    promised = {"kind", "results", "overall", "settings", "answers", "drift", "notes", "provenance"}
    assert set(saved) == promised | {"overall_about_others"}
    page = (folder / "rating.html").read_text()
    assert "a level never means “fair”" in page
    assert page.count("<svg") >= 4
    label = (folder / "labels" / "biased-female.html").read_text()
    assert "Level 3 of 3" in label


def test_a_label_says_what_the_data_are(assessed: tuple[Ratings, Path]) -> None:
    _, folder = assessed
    label = (folder / "labels" / "biased-female.html").read_text()
    assert "Group-" not in label
    assert "Made-up sentences with first names, compared by race and gender" in label
    assert "What a chatbot answered (helpdesk), compared by gender" in label
    assert ">10 of 15<" in label
    assert "Not asked: it needs a language to translate through" in (folder / "rating.html").read_text()


def test_genders_that_were_dealt_out_cannot_have_changed_what_was_said(assessed: tuple[Ratings, Path]) -> None:
    found, _ = assessed
    may = {
        one.data: any(edge.target == "user utterance" and edge.source == "gender" for edge in one.diagram.edges)
        for one in found.results
        if one.group == "user"
    }
    assert may == {"homework": True, "helpdesk": False}


def test_the_biased_system_goes_by_the_row(assessed: tuple[Ratings, Path]) -> None:
    # A chatbot says the same to men and to women; the system looks at whom it says it to.
    found, _ = assessed
    chatbots = [one for one in found.results if one.group == "chatbot"]
    assert [one.raw["biased-female"] for one in chatbots] == [pytest.approx(2.4), pytest.approx(2 * 2.4)]


def test_people_can_be_rated_beside_systems(tmp_path: Path) -> None:
    texts = sorted({text for name in ("E1", "E2", "E3", "E4", "E5") for text in causal.group1(name).frame["text"]})
    labels = [1 if "happy" in text or "glad" in text else -1 for text in texts]
    files = []
    for number in range(3):
        path = tmp_path / f"a{number}.csv"
        pl.DataFrame({"text": texts, "label": labels}).write_csv(path)
        files.append(str(path))
    found = rate(
        [f"human:{','.join(files)}", "biased-female"], groups=[1], bootstrap=20, progress=False, cache=tmp_path / "c"
    )
    (result,) = found.results
    assert result.raw[f"human:{','.join(files)}"] == 0
    (answer,) = [one for one in found.answers if one.question == "human ratings"]
    assert (answer.system, answer.before) == ("biased-female", 0.0)
    assert answer.change == pytest.approx(200 / 3)


def labelled(folder: Path, texts: list[str]) -> str:
    """Two annotators who agree on all of these texts."""
    files = [folder / "one.csv", folder / "two.csv"]
    for path in files:
        pl.DataFrame({"text": texts, "label": [len(text) % 3 - 1 for text in texts]}).write_csv(path)
    return f"human:{','.join(map(str, files))}"


def test_people_are_left_out_where_they_did_not_label_all(tmp_path: Path) -> None:
    texts = sorted({text for name in ("E1", "E2", "E3", "E4", "E5") for text in causal.group1(name).frame["text"]})
    human = labelled(tmp_path, texts)
    found = rate([human, "textblob"], groups=[1, 3], bootstrap=0, progress=False, cache=tmp_path / "c")
    assert [set(one.raw) == {human, "textblob"} for one in found.results] == [True, False, False, False]
    # They know those that are about nobody, as these are the same in both groups.
    assert found.notes == (Note(human, "not rated on SD, Group-3: 80 of its 240 texts are labelled"),)
    with pytest.raises(UsageError, match="80 of its 240 texts are labelled"):
        rate([human], groups=[3], bootstrap=0, progress=False, cache=tmp_path / "c")


@needs_apertium
def test_saved_answers_do_not_travel(tmp_path: Path) -> None:
    texts = sorted({text for name in ("E1", "E2", "E3", "E4", "E5") for text in causal.group1(name).frame["text"]})
    human = labelled(tmp_path, texts)
    found = rate(
        [human, "textblob", "biased-female"], groups=[1], via="es", bootstrap=0, progress=False, cache=tmp_path / "c"
    )
    home = [one for one in found.results if one.via == "es"]
    assert [set(one.raw) for one in home] == [{"textblob", "biased-female"}] * 2
    assert any("after the round trip" in note.text and note.about == human for note in found.notes)


@pytest.mark.slow
@needs_apertium
def test_a_real_round_trip_is_rated_with_and_without_what_it_broke(tmp_path: Path) -> None:
    found = rate(
        ["textblob"], groups=[1], via="es", bootstrap=20, progress=False, cache=tmp_path / "c", out=tmp_path / "out"
    )
    assert [(one.group, one.via) for one in found.results] == [
        ("Group-1", None),
        ("Group-1", "es"),
        ("Group-1, unbroken sentences", "es"),
    ]
    assert found.drifts["SD Group-1 E1"]["overall"]["changed"] > 0
    trips = [one for one in found.answers if one.question == "round trip"]
    assert [(one.system, one.group) for one in trips] == [
        ("textblob", "Group-1"),
        ("textblob", "Group-1, unbroken sentences"),
    ]
    label = (tmp_path / "out" / "labels" / "textblob.html").read_text()
    assert "translated into Spanish and back" in label
    assert "What the round trip did" in (tmp_path / "out" / "rating.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": []}, "at least one system"),
        ({"systems": ["vader"], "groups": [5]}, "unknown data group '5'"),
        ({"systems": ["vader"], "groups": []}, "nothing to rate by"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rate(**arguments, progress=False)  # type: ignore[arg-type]


def test_the_command_rates_systems(tmp_path: Path) -> None:
    run = CliRunner()
    asked = ["rate", "biased-female", "textblob", "--groups", "1", "--bootstrap", "0", "--cache", str(tmp_path)]
    done = run.invoke(app, [*asked, "--json"])
    assert done.exit_code == 0, done.exception
    values = json.loads(done.stdout)
    assert values["overall"] == {"biased-female": 3, "textblob": 1}
    assert values["results"][0]["among_these"] == {"biased-female": 2, "textblob": 1}
    shown = run.invoke(app, asked, env={"COLUMNS": "160"}).stdout
    assert "{textblob: 0, biased-female: 24}" in " ".join(shown.split())
    alone = run.invoke(app, ["rate", "textblob", *asked[3:]], env={"COLUMNS": "160"}).stdout
    assert "the same whichever others are rated beside it" in " ".join(alone.split())
    assert "complete order" not in alone.lower()
    refused = run.invoke(app, ["rate", "vader", "--scores", "x.csv"])
    assert isinstance(refused.exception, UsageError)


def test_the_biased_system_goes_by_the_row_where_texts_are_shared(assessed: tuple[Ratings, Path]) -> None:
    found, _ = assessed
    for result in found.results:
        if result.group == "chatbot":
            with_women = [test for test in result.tests if test.system == "biased-female" and "female" in test.pair]
            # Every row about a woman gets 1 and all others −1, so nothing varies within a class.
            assert with_women
            assert {abs(test.difference or 0.0) for test in with_women} == {2.0}
