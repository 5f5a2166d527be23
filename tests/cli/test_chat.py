"""`evenhand chat`: a log in, tables, charts and prepared conversations out."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
import vl_convert
from typer.testing import CliRunner, Result

from evenhand.cli.app import app
from evenhand.corpora.chat import read_chat
from evenhand.errors import EvenhandError, UsageError
from evenhand.report.chat import chat_figures
from evenhand.verbs.chat import chat as examine_chat


def chat(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["chat", *arguments])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rows = [
        f"{number}|{who}|{sex}|{text} {number}"
        for number, sex in enumerate(["M", "M", "M", "W", "W", "W"], 1)
        for who, text in (("Ally", "Welcome"), ("guest", "what a great day"), ("Ally", "Bye"))
    ]
    path = tmp_path / "talks.csv"
    path.write_text("\n".join(["nr|who|sex|said", *rows]) + "\n", encoding="utf-8")
    return path


OPTIONS = (
    *("--column", "conversation=nr", "--column", "speaker=who", "--column", "gender=sex", "--column", "text=said"),
    *("--speaker", "Ally=chatbot", "--speaker", "guest=user", "--gender", "W=female"),
)


def test_a_log_of_ones_own_goes_all_the_way(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = chat(str(log), *OPTIONS, "--system", "random", "--out", str(out), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert set(found) == {"kind", "steps", "properties", "said", "sentiment", "settings", "notes", "provenance"}
    assert {(d["speaker"], d["system"]) for d in found["sentiment"]} == {
        ("user", "random/score"), ("chatbot", "random/score"),
    }  # fmt: skip
    assert {path.name for path in out.iterdir()} == {
        "chat.html", "chat.json", "utterances.parquet", "conversations.csv",
        "properties-by-gender.csv", "properties-by-study.csv",
        *("turns.png", "turns.svg", "utterances-chatbot.png", "utterances-chatbot.svg"),
        *("utterances-user.png", "utterances-user.svg"),
    }  # fmt: skip
    assert pl.read_csv(out / "conversations.csv")["Text"][1] == "Hey boy, what a great day 1"
    assert json.loads((out / "chat.json").read_text(encoding="utf-8")) == found


def test_the_example_is_shown_in_tables() -> None:
    done = chat("example", "--full")
    assert done.exit_code == 0, done.output
    for said in (
        "classes with one conversation  300 → 291  37 → 36",
        "turns in a conversation",
        "by chance",
        "Assigned:",
    ):
        assert said in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "no column for 'conversation'"),
        ((*OPTIONS[:8],), "line 2: unknown speaker"),
        (("--column", "nr"), "does not read as KEY=VALUE"),
        (("--assign", "male=some"), "--assign male: 'some' is not a whole number"),
        (("--separator", "||"), "must be one character"),
        ((*OPTIONS, "--assign", "male=2"), "there are none to assign"),
        (("--range", "0,1"), "is for systems that are asked: name one with --system NAME"),
        (("--cache", "c"), "is for systems that are asked: name one with --system NAME"),
        (("--seed", "-4"), "a seed must be a whole number from 0, not -4"),
    ],
)
def test_what_is_wrong_is_told(log: Path, options: tuple[str, ...], message: str) -> None:
    done = chat(str(log), *options)
    assert isinstance(done.exception, EvenhandError)
    assert message in str(done.exception)


@pytest.mark.parametrize("option", [("--column", "text=said"), ("--separator", ";")])
def test_the_example_is_not_read_otherwise(option: tuple[str, str]) -> None:
    done = chat("example", *option)
    assert isinstance(done.exception, UsageError)
    assert "say how a log is read" in str(done.exception)


def test_what_is_wrong_in_python_is_told_too() -> None:
    with pytest.raises(UsageError, match="bounds says how systems are asked, and none is"):
        examine_chat(["example"], bounds=(0.0, 1.0))
    with pytest.raises(UsageError, match="the number of relabellings must be a whole number from 1"):
        examine_chat(["example"], relabellings=0)


def test_answers_are_kept_where_they_are_asked_to_be(log: Path, tmp_path: Path) -> None:
    done = chat(str(log), *OPTIONS, "--system", "vader", "--cache", str(tmp_path / "answers"), "--json")
    assert done.exit_code == 0, done.output
    assert list((tmp_path / "answers").rglob("*"))
    provenance = json.loads(done.stdout)["provenance"]
    assert [one["name"] for one in provenance["files"]] == ["talks.csv"]
    assert [one["system"] for one in provenance["systems"]] == ["vader"]
    assert provenance["corpus"]["name"] == "talks"


def test_too_few_conversations_for_the_lots_are_told(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("conversation,user,chatbot\n" + "".join(f"{n},hi,hello\n" for n in range(8)), encoding="utf-8")
    done = chat(str(path))
    assert isinstance(done.exception, UsageError)
    assert "8 conversations, too few for 10 male, 10 female" in str(done.exception)
    done = chat(str(path), "--assign", "male=3", "--assign", "female=3")
    assert done.exit_code == 0, done.output
    assert "what is said, user" not in done.stdout


def test_the_charts_hold_a_bar_for_each_conversation() -> None:
    figures = chat_figures(read_chat(["example"]).utterances)
    assert set(figures) == {"utterances-user", "utterances-chatbot", "turns"}
    for name, figure in figures.items():
        rows = figure["data"]["values"]
        assert len(rows) == 36, name
        genders = [row["gender"] for row in rows]
        assert genders == ["female"] * 16 + ["male"] * 16 + ["NA"] * 4
        assert vl_convert.vegalite_to_svg(figure).startswith("<svg")
    assert sum(row["count"] for row in figures["utterances-user"]["data"]["values"]) == 141


RAW = """conversation_id|intent|user_input|bot_reply|gender|
a|greet|/greet|
a|||Welcome! [Conversation ended]
a|ask|Where is it?|
a|||There. [Conversation ended]
b|ask|When?|
b|||Now. [Conversation ended]
b|greet|/greet|
b|||Welcome! [Conversation ended]
"""


def test_a_raw_log_with_intents_and_lots_goes_all_the_way(tmp_path: Path) -> None:
    log, out = tmp_path / "raw.csv", tmp_path / "out"
    log.write_text(RAW, encoding="utf-8")
    options = ["--ends", "Conversation ended", "--intent", "/greet=Hi", "--assign", "male=2", "--assign", "female=2"]
    done = chat(str(log), *options, "--out", str(out), "--json")
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    notes = {note["text"] for note in found["notes"]}
    assert "genders were assigned by lot, not stated by the users" in notes
    assert "2 utterances are known by their intent alone; its name stands for what was said" in notes
    assert found["settings"]["ends"] == "Conversation ended"
    assert found["steps"][0]["conversations_after"] == 4
    assert found["said"] == []
    shown = " ".join(chat(str(log), *options, "--full").stdout.split())
    assert "raw: genders were assigned by lot, not stated by the users." in shown
    assert "assigned by lot" in (out / "chat.html").read_text(encoding="utf-8")
    # What was made ready is read again, with what is known of it.
    again = read_chat([out / "conversations.csv"]).utterances
    assert again["assigned"].all()
    assert again["conversation"].n_unique() == 4
    rated = CliRunner().invoke(
        app, ["rate", "random", "--groups", "", "--chat", str(out / "conversations.csv"), "--bootstrap", "0", "--json"]
    )
    assert rated.exit_code == 0, rated.exception
    assert "assigned by lot" in json.loads(rated.stdout)["notes"][0]["text"]


def test_pieces_are_flagged_and_the_whole_text_counted_on_request(tmp_path: Path) -> None:
    log = tmp_path / "hd.csv"
    users = [f"{number},1,{1 + number % 2},Level,Level {number} and on" for number in range(4)]
    log.write_text("\n".join(["C_num,UB,User_gender,Original,Text", *users]), encoding="utf-8")
    mean = {}
    for words in ("", "original", "text"):
        done = chat(str(log), *(["--words", words] if words else []), "--json")
        assert done.exit_code == 0, done.exception
        found = json.loads(done.stdout)
        assert any("--words text counts" in note["text"] for note in found["notes"]) == (words == "")
        rows = {(one["speaker"], one["property"]): one["mean"] for one in found["properties"]["by_study"]}
        mean[words] = rows["user", "words in an utterance"]
    assert mean == {"": 1.0, "original": 1.0, "text": 4.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--words", "whole"], "words are counted in 'original' or 'text', not in 'whole'"),
        (["--assigned", "other"], "no study 'other' whose genders were assigned"),
        (["--intent", "/greet=Hi"], "no row of these logs holds only an intent"),
        (["--intent", "/greet=Hi", "--leave-out-intents"], "either given words or left out"),
        (["--intent", "greet"], "'greet' does not read as KEY=VALUE"),
        (["--ends", "Good night"], "'Good night' ends no conversation in it"),
    ],
)
def test_what_is_said_of_a_log_must_hold(log: Path, options: list[str], message: str) -> None:
    done = chat(str(log), *OPTIONS, *options)
    assert isinstance(done.exception, EvenhandError)
    assert message in str(done.exception)


def test_people_who_labelled_a_part_are_compared_on_that(log: Path, tmp_path: Path) -> None:
    texts = read_chat(
        [log],
        columns={"conversation": "nr", "speaker": "who", "gender": "sex", "text": "said"},
        speakers={"Ally": "chatbot", "guest": "user"},
        genders={"W": "female"},
    ).merged.filter(speaker="user")["text"]
    sheet = tmp_path / "one.csv"
    pl.DataFrame({"text": texts, "label": [1 if "girl" in text else 0 for text in texts]}).write_csv(sheet)
    done = chat(str(log), *OPTIONS, "--system", f"human:{sheet}", "--system", "random", "--json")
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    told = f"compared on the labelled utterances alone: {len(texts)} of the {3 * len(texts)} utterances are labelled"
    assert told in [note["text"] for note in found["notes"]]
    people = {one["speaker"]: one for one in found["sentiment"] if str(one["system"]).startswith("human")}
    assert people["user"]["difference"] == 1.0
    assert people["chatbot"]["difference"] is None
    # Nobody who labelled nothing of it.
    pl.DataFrame({"text": ["It rained."], "label": [1]}).write_csv(sheet)
    nothing = json.loads(chat(str(log), *OPTIONS, "--system", f"human:{sheet}", "--json").stdout)
    assert nothing["sentiment"] == []
    assert "0 of the 18 utterances are labelled, which leaves no two genders" in nothing["notes"][0]["text"]
