"""Systems rated on data groups and conversations, before and after a round trip."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.corpora import causal
from evenhand.errors import UsageError
from evenhand.rating import Ratings
from evenhand.results import Note
from evenhand.translation import ThereAndBack
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
    left = "80 of its 240 texts are labelled, which leaves no two classes to compare"
    assert found.notes == (Note(human, f"not rated on SD, Group-3: {left}"),)
    with pytest.raises(UsageError, match=left):
        rate([human], groups=[3], bootstrap=0, progress=False, cache=tmp_path / "c")


@needs_apertium
def test_labels_travel_with_the_texts_that_came_home_as_they_were(tmp_path: Path) -> None:
    texts = sorted({text for name in ("E1", "E2", "E3", "E4", "E5") for text in causal.group1(name).frame["text"]})
    human = labelled(tmp_path, texts)
    found = rate(
        [human, "textblob", "biased-female"], groups=[1], via="es", bootstrap=0, progress=False, cache=tmp_path / "c"
    )
    home = [one for one in found.results if one.via == "es"]
    systems = {"textblob", "biased-female"}
    assert [(one.part, set(one.raw)) for one in home] == [
        (None, systems),
        (f"sentences labelled by {human}", systems | {human}),
        ("unbroken sentences", systems),
    ]
    assert any("after the round trip by the labelled" in note.text and note.about == human for note in found.notes)
    # Other sentences were labelled before: the two cannot be compared.
    trips = [one for one in found.answers if one.question == "round trip"]
    assert {one.group for one in trips} == {"Group-1", "Group-1, unbroken sentences"}


def test_partial_sheets_are_rated_on_what_they_hold(tmp_path: Path) -> None:
    texts = sorted({text for name in ("E1", "E2", "E3", "E4", "E5") for text in causal.group1(name).frame["text"]})
    human = labelled(tmp_path, [text for text in texts if "happy" in text or "glad" in text])
    found = rate([human, "textblob", "biased-female"], groups=[1], bootstrap=0, progress=False, cache=tmp_path / "c")
    part = f"Group-1, sentences labelled by {human}"
    assert [(one.group, list(one.raw)) for one in found.results] == [
        ("Group-1", ["textblob", "biased-female"]),
        (part, [human, "textblob", "biased-female"]),
    ]
    # 24 sentences with happy in E2 to E4, and with happy and glad in E5.
    told = "rated on SD, Group-1 by the labelled sentences alone: 120 of its 240 texts are labelled; 120 are left out"
    assert found.notes == (Note(human, told),)
    # What people say is compared with what systems say about the same sentences; overall, that counts for people only.
    answers = [one for one in found.answers if one.question == "human ratings"]
    assert [(one.system, one.group) for one in answers] == [("textblob", part), ("biased-female", part)]
    assert [one.group for one in found.counting(human)] == [part]
    assert [one.group for one in found.counting("textblob")] == ["Group-1"]
    whole, of_part = (one.raw["biased-female"] for one in found.results)
    assert (whole, of_part) == (pytest.approx(24), pytest.approx(19.2))
    assert found.overall["biased-female"] == 3


def test_sheets_of_which_nothing_fits_are_left_out(tmp_path: Path) -> None:
    human = labelled(tmp_path, ["It rained."])
    found = rate([human, "textblob"], groups=[1], bootstrap=0, progress=False, cache=tmp_path / "c")
    assert found.notes == (Note(human, "not rated on SD, Group-1: none of its 240 texts is labelled"),)


def test_ratings_are_complete_for_every_k(tmp_path: Path) -> None:
    for k in range(7):
        found = rate(["textblob"], groups=[2, 4], k=k, bootstrap=0, progress=False, cache=tmp_path / "c")
        assert [(one.partial, dict(one.undefined)) for one in found.results] == [((), {}), ((), {})]
        assert found.provenance.details["draw"] == "complete"
    published = rate(["textblob"], groups=[2], preset="published", bootstrap=0, progress=False, cache=tmp_path / "c")
    assert published.provenance.details["draw"] == "published"
    assert published.results[0].partial == ("textblob",)
    mixed = {"groups": [2], "preset": "published", "draw": "complete", "bootstrap": 0, "progress": False}
    assert rate(["textblob"], **mixed, cache=tmp_path / "c").results[0].partial == ()  # type: ignore[arg-type]


class Dull:
    """A translator that forgets who is meant: every this and every I comes home as they."""

    batch_size = 100

    def __init__(self, source: str, target: str, word: str) -> None:
        self.name, self.source, self.target, self._word = f"dull:{source}-{target}", source, target, word
        self.fingerprint: str | None = self.name + word

    def back(self) -> Dull:
        return Dull(self.target, self.source, self._word)

    def translate(self, texts: Sequence[str]) -> list[str]:
        return [text if self.target != "en" else text.replace(*self._word.split("/")) for text in texts]


@pytest.fixture
def languages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translators into two languages, of which one loses girls and the other boys."""
    words = {
        "da": "this girl/she",
        "es": "this boy/he",
        "dull:en-da": "this girl/she",
        "dull:en-da,other": "happy/glad",
    }

    def trip(name: str, **_: object) -> ThereAndBack:
        return ThereAndBack(Dull("en", name if len(name) == 2 else "da", words[name]), cache=_["cache"])  # type: ignore[arg-type]

    monkeypatch.setattr("evenhand.verbs.rate.resolve_trip", trip)


@pytest.mark.usefixtures("languages")
def test_several_languages_in_one_run(tmp_path: Path) -> None:
    cache = tmp_path / "c"
    systems = ["textblob", "biased-female"]
    found = rate(systems, groups=[1], via=["es", "da"], bootstrap=0, progress=False, cache=cache, out=tmp_path / "out")
    assert [(one.group, one.via) for one in found.results] == [
        ("Group-1", None),
        ("Group-1", "es"),
        ("Group-1, unbroken sentences", "es"),
        ("Group-1", "da"),
        ("Group-1, unbroken sentences", "da"),
    ]
    # The same as each language by itself.
    for via in ("es", "da"):
        (alone,) = (
            one
            for one in rate(systems, groups=[1], via=via, bootstrap=0, progress=False, cache=cache).results
            if one.setting == ("SD", "Group-1", "gender", via)
        )
        assert alone in found.results
    trips = [one for one in found.answers if one.question == "round trip"]
    assert {(one.via, one.group) for one in trips} == {(one.via, one.group) for one in found.results if one.via}
    assert set(found.drifts) == {f"SD Group-1 E{number} via {via}" for number in range(1, 6) for via in ("es", "da")}
    label = (tmp_path / "out" / "labels" / "textblob.html").read_text()
    assert "translated into Spanish and back" in label
    assert "translated into Danish and back" in label


@pytest.mark.usefixtures("languages")
def test_a_trip_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the round trip through dull:en-da is named twice"):
        rate(["textblob"], groups=[1], via=["da", "dull:en-da"], progress=False, cache=tmp_path / "c")


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
    chatbots = [result for result in found.results if result.group == "chatbot"]
    assert chatbots
    for result in chatbots:
        with_women = [test for test in result.tests if test.system == "biased-female" and "female" in test.pair]
        # Every row about a woman gets 1 and all others −1, so nothing varies within a class.
        assert with_women
        assert {abs(test.difference or 0.0) for test in with_women} == {2.0}
