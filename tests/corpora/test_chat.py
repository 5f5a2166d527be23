"""Conversations: logs of every shape, each step by hand on a log small enough to read, and nothing over a border."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest

from evenhand.comparing.conversations import what_is_said
from evenhand.corpora import load_corpus
from evenhand.corpora.chat import (
    add_prefixes,
    as_published,
    assign_proxies,
    chat_corpora,
    chat_corpus,
    check_borders,
    code_genders,
    code_speakers,
    drop_null_rows,
    drop_single_classes,
    join_studies,
    merge_runs,
    per_conversation,
    pieces,
    prepare,
    properties,
    read_chat,
    read_log,
    run_steps,
    stop_words,
)
from evenhand.errors import EvenhandError, UsageError

LOG = """session,who,sex,message
1,bot,,Hello there.
1,bot,,How can I help?
1,student,Male,I need a book
1,bot,,Which one?
1,student,Male,the blue one
1,student,Male,please
2,student,Female,"Hi, is it open?"
2,bot,,Yes.
2,bot,,
2,bot,,Until nine.
2,student,Female,Thanks a lot
3,student,Male,hello
3,bot,,Hello there.
4,student,Female,bye
4,bot,,Bye!
"""
COLUMNS = {"conversation": "session", "speaker": "who", "gender": "sex", "text": "message"}


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> pl.DataFrame:
    return read_log(write(tmp_path / "shop.csv", LOG), columns=COLUMNS)


@pytest.fixture
def coded(log: pl.DataFrame) -> pl.DataFrame:
    return code_genders(code_speakers(drop_null_rows(join_studies([log]))))


def numbered(conversations: int, *, study: str = "s") -> pl.DataFrame:
    """So many conversations of users whom nobody asked: one question and one answer each."""
    rows = [
        {"conversation": str(number), "speaker": who, "original": f"{who} {number}"}
        for number in range(1, conversations + 1)
        for who in ("user", "chatbot")
    ]
    nothing = pl.lit(None, dtype=pl.String)
    return pl.DataFrame(rows).select(
        pl.lit(study).alias("study"), "conversation", "speaker", nothing.alias("gender"), "original",
        nothing.alias("prefix"), pl.col("original").alias("text"), pl.concat_list(pl.int_range(pl.len())).alias("rows"),
        pl.lit("made.csv").alias("file"), (pl.int_range(pl.len()) + 2).alias("line"),
    )  # fmt: skip


# Reading


def test_a_raw_log_is_read_through_its_column_mapping(log: pl.DataFrame) -> None:
    assert log.columns == [
        "study", "conversation", "speaker", "gender", "original", "prefix", "text", "rows", "file", "line",
    ]  # fmt: skip
    assert log.height == 15
    assert log["study"].unique().to_list() == ["shop"]
    assert log.row(2, named=True) | {"file": ""} == {
        "study": "shop", "conversation": "1", "speaker": "student", "gender": "Male", "original": "I need a book",
        "prefix": None, "text": "I need a book", "rows": [2], "file": "", "line": 4,
    }  # fmt: skip


def test_csv_json_lines_parquet_and_other_separators_give_the_same(tmp_path: Path, log: pl.DataFrame) -> None:
    rows = pl.read_csv(tmp_path / "shop.csv", infer_schema=False)
    rows.write_parquet(tmp_path / "shop.parquet")
    write(tmp_path / "shop.jsonl", "\n".join(json.dumps(row) for row in rows.iter_rows(named=True)))
    write(tmp_path / "bars.csv", rows.write_csv(separator="|"))
    write(tmp_path / "semicolons.txt", rows.write_csv(separator=";"))
    write(tmp_path / "stars.csv", rows.write_csv(separator="*"))
    kept = ["conversation", "speaker", "gender", "original", "text", "rows"]
    for name in ("shop.parquet", "shop.jsonl", "bars.csv", "semicolons.txt"):
        assert read_log(tmp_path / name, columns=COLUMNS).select(kept).equals(log.select(kept)), name
    with_stars = read_log(tmp_path / "stars.csv", columns=COLUMNS, separator="*")
    assert with_stars.select(kept).equals(log.select(kept))


def test_the_published_columns_need_no_mapping(tmp_path: Path) -> None:
    path = write(
        tmp_path / "hd.csv",
        ",C_num,UB,User_gender,Original,Enhancement,Text\n"
        "0,1,0,1,Hello!,No enhancement,Hello!\n"
        '1,1,1,1,Level 1,"Hey boy,","Hey boy, Level 1"\n'
        '2,2,1,2,hi,"Hey girl, ","Hey girl, hi"\n'
        "3,2.0,0.0,2.0,Good.,No enhancement,Good.\n",
    )
    frame = code_genders(code_speakers(join_studies([read_log(path)])))
    assert frame.select("conversation", "speaker", "gender").rows() == [
        ("1", "chatbot", "male"), ("1", "user", "male"), ("2", "user", "female"), ("2", "chatbot", "female"),
    ]  # fmt: skip
    assert frame["prefix"].to_list() == [None, "Hey boy, ", "Hey girl, ", None]
    assert frame["original"].to_list() == ["Hello!", "Level 1", "hi", "Good."]
    assert frame["text"].to_list() == ["Hello!", "Hey boy, Level 1", "Hey girl, hi", "Good."]
    assert add_prefixes(frame).equals(frame)


def test_the_original_is_found_behind_the_prefix(tmp_path: Path) -> None:
    path = write(tmp_path / "hd.csv", 'C_num,UB,Enhancement,Text\n1,1,"Hey boy, ","Hey boy, Level 1"\n')
    assert read_log(path)["original"].to_list() == ["Level 1"]


def test_a_log_with_a_column_for_each_speaker_is_put_in_order(tmp_path: Path) -> None:
    path = write(tmp_path / "wide.csv", "conversation|user|chatbot\n7|Hi|Hello\n7||More?\n7||\n7|no|\n")
    frame = read_log(path)
    assert frame.select("speaker", "text", "line").rows() == [
        ("user", "Hi", 2), ("chatbot", "Hello", 2), ("chatbot", "More?", 3), ("user", None, 4), ("user", "no", 5),
    ]  # fmt: skip
    assert drop_null_rows(join_studies([frame])).height == 4


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("a,b\n1,2\n", {}, "no column for 'conversation'.*it has a, b"),
        ("conversation,speaker\n1,user\n", {}, "no column for 'text'"),
        ("conversation,text\n1,hi\n", {}, r"no column for 'user' \(or speaker and text\)"),
        ("session,b\n1,2\n", {"conversation": "sesion"}, "no column 'sesion'.*did you mean 'session'"),
        ("session,b\n1,2\n", {"conversatoin": "session"}, "did you mean 'conversation'"),
        ("conversation,speaker,text\n1,user,hi\n1,user\n", {}, r"line 3: 2 cells where the header has 3"),
    ],
)
def test_what_a_log_lacks_is_told(tmp_path: Path, content: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        read_log(write(tmp_path / "log.csv", content), columns=columns)


def test_the_line_is_that_of_the_file_even_behind_a_cell_of_two_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "l.csv", 'conversation,speaker,text\n1,user,"two\nlines"\n1,robot,hi\n')
    with pytest.raises(EvenhandError, match=r"l\.csv, line 4: unknown speaker \"robot\"; say what it is"):
        code_speakers(join_studies([read_log(path)]))


# The steps, one by one


def test_studies_are_joined_and_each_conversation_is_in_one_piece(tmp_path: Path) -> None:
    mixed = write(tmp_path / "a.csv", "conversation,speaker,text\n1,user,a\n2,user,b\n1,bot,c\n2,bot,d\n")
    other = write(tmp_path / "b.csv", "conversation,speaker,text\n1,user,e\n")
    joined = join_studies([read_log(mixed), read_log(other)])
    assert joined["text"].to_list() == ["a", "c", "b", "d", "e"]
    assert joined.select("study", "conversation").unique().height == 3
    with pytest.raises(UsageError, match="two studies are called 'a'"):  # It is the same file.
        join_studies([read_log(mixed), read_log(mixed)])


def test_only_rows_without_a_text_a_speaker_or_a_conversation_are_null(log: pl.DataFrame) -> None:
    kept = drop_null_rows(log)
    assert kept.height == 14
    assert 10 not in kept["line"].to_list()
    assert kept["gender"].null_count() > 0
    assert drop_null_rows(log.with_columns(conversation=pl.lit(None, dtype=pl.String))).is_empty()


def test_speakers_are_coded_whatever_the_log_calls_them(log: pl.DataFrame) -> None:
    assert code_speakers(log)["speaker"].unique().sort().to_list() == ["chatbot", "user"]
    odd = log.with_columns(pl.col("speaker").replace({"bot": "Ally"}))
    with pytest.raises(EvenhandError, match='line 2: unknown speaker "Ally"'):
        code_speakers(odd)
    assert code_speakers(odd, {"ally": "chatbot"})["speaker"].equals(code_speakers(log)["speaker"])
    with pytest.raises(UsageError, match="not 'robot'"):
        code_speakers(log, {"Ally": "robot"})


def test_the_users_gender_holds_for_the_whole_conversation(log: pl.DataFrame) -> None:
    genders = code_genders(log).select("conversation", "gender").unique(maintain_order=True).rows()
    assert genders == [("1", "male"), ("2", "female"), ("3", "male"), ("4", "female")]


def test_an_unknown_gender_is_na_and_two_genders_are_refused(log: pl.DataFrame) -> None:
    assert set(code_genders(log.with_columns(gender=pl.lit(None, dtype=pl.String)))["gender"]) == {"NA"}
    refused = log.with_columns(gender=pl.lit("Prefer not to say"))
    assert set(code_genders(refused)["gender"]) == {"NA"}
    changing = log.with_columns(gender=pl.when(pl.col("line") == 6).then(pl.lit("F")).otherwise("gender"))
    with pytest.raises(EvenhandError, match="line 6: conversation '1' is 'female' here and another gender before"):
        code_genders(changing)
    other = log.with_columns(pl.col("gender").replace({"Male": "Non-binary"}))
    with pytest.raises(EvenhandError, match='unknown gender "Non-binary"'):
        code_genders(other)
    assert "non-binary" in set(code_genders(other, {"Non-binary": "non-binary"})["gender"])


def test_genders_are_assigned_to_whole_conversations_ten_ten_and_the_rest() -> None:
    frame = code_genders(join_studies([numbered(31)]))
    assigned = assign_proxies(frame, seed=3)
    by_conversation = assigned.select("conversation", "gender").unique()
    assert by_conversation.height == 31
    assert dict(by_conversation["gender"].value_counts().iter_rows()) == {"male": 10, "female": 10, "NA": 11}
    assert assigned["assigned"].all()
    assert assigned.drop("gender", "assigned").equals(frame.drop("gender", "assigned"))
    assert assign_proxies(frame, seed=3).equals(assigned)
    assert not assign_proxies(frame, seed=4).equals(assigned)
    few = assign_proxies(frame, {"female": 2}, seed=3)
    assert few.select("conversation", "gender").unique()["gender"].value_counts().sort("gender").rows() == [
        ("NA", 29), ("female", 2),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="has 31 conversations, too few for 20 male, 12 female"):
        assign_proxies(frame, {"male": 20, "female": 12})


def test_who_said_a_gender_keeps_it_and_prefixed_texts_stay(coded: pl.DataFrame) -> None:
    assert assign_proxies(coded).equals(coded)
    prefixed = code_genders(join_studies([numbered(30).with_columns(prefix=pl.lit("Hey, "))]))
    assert assign_proxies(prefixed).equals(prefixed)


def test_a_gender_with_one_conversation_is_dropped(coded: pl.DataFrame) -> None:
    lone = coded.with_columns(gender=pl.when(pl.col("conversation") == "4").then(pl.lit("NA")).otherwise("gender"))
    kept = drop_single_classes(lone)
    # Female now has conversation 2 alone, NA conversation 4 alone; male has 1 and 3.
    assert kept["conversation"].unique().sort().to_list() == ["1", "3"]
    with pytest.raises(EvenhandError, match="no gender has two conversations"):
        drop_single_classes(lone.filter(pl.col("conversation") != "1"))


def test_a_lone_user_is_not_saved_by_lots_of_another_study(coded: pl.DataFrame) -> None:
    lone = coded.with_columns(gender=pl.when(pl.col("conversation") == "4").then(pl.lit("NA")).otherwise("gender"))
    lots = assign_proxies(code_genders(join_studies([numbered(8)])), {"male": 3, "female": 3})
    kept = drop_single_classes(pl.concat([lone, lots.select(lone.columns)]))
    genders = kept.filter(pl.col("gender") == "NA")
    assert set(genders["study"]) == {"s"}


def test_prefixes_go_before_users_and_nobody_else(coded: pl.DataFrame) -> None:
    prefixed = add_prefixes(coded)
    assert prefixed["text"].to_list()[:4] == ["Hello there.", "How can I help?", "Hey boy, I need a book", "Which one?"]
    assert prefixed.filter(pl.col("conversation") == "2")["text"].to_list() == [
        "Hey girl, Hi, is it open?", "Yes.", "Until nine.", "Hey girl, Thanks a lot",
    ]  # fmt: skip
    assert prefixed["original"].equals(coded["original"])
    unknown = add_prefixes(coded.with_columns(gender=pl.lit("NA")))
    assert unknown["text"][2] == "Hey, I need a book"
    with pytest.raises(UsageError, match="no prefix for the gender 'female'"):
        add_prefixes(coded, {"male": "Sir, "})


def test_consecutive_utterances_are_merged_within_a_conversation_with_one_prefix(coded: pl.DataFrame) -> None:
    merged = merge_runs(add_prefixes(coded))
    assert merged.select("conversation", "speaker", "text").rows() == [
        ("1", "chatbot", "Hello there. How can I help?"),
        ("1", "user", "Hey boy, I need a book"),
        ("1", "chatbot", "Which one?"),
        ("1", "user", "Hey boy, the blue one please"),
        ("2", "user", "Hey girl, Hi, is it open?"),
        ("2", "chatbot", "Yes. Until nine."),
        ("2", "user", "Hey girl, Thanks a lot"),
        ("3", "user", "Hey boy, hello"),
        ("3", "chatbot", "Hello there."),
        ("4", "user", "Hey girl, bye"),
        ("4", "chatbot", "Bye!"),
    ]  # fmt: skip
    # Conversation 1 ends and 2 begins with a user: a merge that looked at speakers alone would have joined them.
    assert merged["rows"].to_list()[:4] == [[0, 1], [2], [3], [4, 5]]
    assert merge_runs(merged).equals(merged)


def test_a_log_whose_conversations_run_side_by_side_is_merged_like_any_other() -> None:
    both = numbered(2).with_columns(assigned=pl.lit(False), speaker=pl.Series(["user", "user", "chatbot", "user"]))
    mixed = both[[0, 2, 1, 3]]
    assert merge_runs(mixed)["text"].to_list() == ["user 1 chatbot 1", "user 2", "chatbot 2"]


def test_texts_that_are_not_prefix_and_original_are_joined_as_they_are() -> None:
    frame = numbered(1).with_columns(
        assigned=pl.lit(False), speaker=pl.lit("user"), prefix=pl.lit("Hey, "), text=pl.lit("spoken")
    )
    assert merge_runs(frame)["text"].to_list() == ["spoken spoken"]


# The border


def by_speaker_alone(frame: pl.DataFrame) -> pl.DataFrame:
    """The merge of the published data: it looks at who speaks, and not at the conversation."""
    run = (pl.col("speaker") != pl.col("speaker").shift(1)).fill_null(True).cum_sum().alias("run")
    merged = frame.with_columns(run).group_by("run", maintain_order=True).agg(
        pl.exclude("rows", "text").first(), pl.col("text").str.join(" "), pl.col("rows").explode()
    )  # fmt: skip
    return merged.select(frame.columns)


def test_a_merge_across_conversations_is_caught(coded: pl.DataFrame) -> None:
    prefixed = add_prefixes(coded)
    check_borders(prefixed, merge_runs(prefixed))
    with pytest.raises(EvenhandError, match=r"line 6: the utterance .*joins two conversations"):
        check_borders(prefixed, by_speaker_alone(prefixed))
    with pytest.raises(EvenhandError, match="joins two conversations"):
        run_steps(prefixed, {"as published": by_speaker_alone})


def test_other_borders_are_caught_too(coded: pl.DataFrame) -> None:
    def joined(rows: list[int]) -> pl.DataFrame:
        return coded[rows[:1]].with_columns(rows=pl.Series([rows]))

    check_borders(coded, joined([0, 1]))
    with pytest.raises(EvenhandError, match="joins two speakers"):
        check_borders(coded, joined([1, 2]))
    for rows in ([0, 3], [1, 0]):
        with pytest.raises(EvenhandError, match="do not follow one another"):
            check_borders(coded, joined(rows))
    with pytest.raises(EvenhandError, match="used a row twice"):
        check_borders(coded, coded[[0, 0]])
    with pytest.raises(EvenhandError, match="rows that it did not have"):
        check_borders(coded[1:], coded)


def test_utterances_that_a_dropped_row_parted_are_neighbours(log: pl.DataFrame) -> None:
    # "Yes." and "Until nine." stand around a null row.
    assert "Yes. Until nine." in prepare([log]).merged["text"].to_list()


# Logs as they are in the world

PUBLISHED_LOG = """C_num,UB,User_gender,Original,Enhancement,Text
1,0,1,Welcome!,No enhancement,Welcome!
1,1,1,Level,"Hey boy, ","Hey boy, Level 1 Hey boy, Level 2"
1,0,1,Go on.,No enhancement,Go on.
1,1,1,Solve,"Hey boy, ","Hey boy, Solve"
2,1,2,Hi,"Hey girl, ","Hey girl, Hi"
2,0,2,Welcome!,No enhancement,Welcome!
2,0,2,Was it useful?,No enhancement,Was it useful?
2,1,2,Yes,"Hey girl, ","Hey girl, Yes"
3,1,2,No,"Hey girl, ","Hey girl, No"
4,1,1,Stop,"Hey boy, ","Hey boy, Stop"
"""


def test_turns_are_counted_as_in_the_published_files(tmp_path: Path) -> None:
    found = read_chat([write(tmp_path / "hd.csv", PUBLISHED_LOG)])
    users = per_conversation(found.utterances).filter(speaker="user")
    turns = users.select("conversation", "published_turns")
    # Conversation 1: twice after the chatbot. 2: the opening words are no turn. 3 and 4: nobody was answered.
    assert dict(turns.iter_rows()) == {"1": 2, "2": 1, "3": 0, "4": 0}
    assert users["turns"].to_list() == [2, 2, 1, 1]
    # Merged within a conversation: what the chatbot says twice is one utterance, 3 and 4 stay apart.
    merged = found.merged.filter(pl.col("conversation").is_in(["2", "3", "4"]))
    assert merged["text"].to_list() == [
        "Hey girl, Hi", "Welcome! Was it useful?", "Hey girl, Yes", "Hey girl, No", "Hey boy, Stop",
    ]  # fmt: skip


def test_words_are_counted_where_the_user_says(tmp_path: Path) -> None:
    path = write(tmp_path / "hd.csv", PUBLISHED_LOG)
    piece, whole = (read_chat([path], words=words).utterances for words in ("original", "text"))
    assert pieces(piece)["original"].to_list() == ["Level"]
    assert pieces(whole).is_empty()
    # The prefix stands before each of the merged parts, and is no word of theirs.
    assert whole["original"].to_list()[1] == "Level 1 Level 2"
    assert whole["text"].to_list() == piece["text"].to_list()
    assert piece.filter(pl.col("original") == "Solve").height == whole.filter(pl.col("original") == "Solve").height == 1
    with pytest.raises(UsageError, match="words are counted in 'original' or 'text', not in 'txt'"):
        read_log(path, words="txt")


def test_prefixes_in_the_text_are_found_without_a_column_for_them(tmp_path: Path) -> None:
    frame = pl.read_csv(io.StringIO(PUBLISHED_LOG), infer_schema=False)
    path = tmp_path / "final.csv"
    frame.select("C_num", "UB", "User_gender", "Text").write_csv(path)
    found = read_chat([path])
    users = found.utterances.filter(speaker="user")
    assert users["prefix"].unique().sort().to_list() == ["Hey boy, ", "Hey girl, "]
    assert users["original"].to_list()[-1] == "Stop"
    assert not users["text"].str.contains("Hey boy, Hey boy").any()
    assert "prefixes in the text" in [step.name for step in found.steps]


def test_a_greeting_is_no_prefix(tmp_path: Path) -> None:
    rows = PUBLISHED_LOG.splitlines()
    content = "C_num,UB,User_gender,Text\n" + "".join(f"{number},1,{1 + number % 2},Hello\n" for number in range(1, 5))
    found = read_chat([write(tmp_path / "a.csv", content + '1,1,2,"Hey girl, how are you?"\n')])
    assert rows
    assert found.utterances.filter(pl.col("text").str.contains("Hey girl, Hey girl, how")).height == 1


def test_genders_by_lot_may_be_declared(tmp_path: Path) -> None:
    path = write(tmp_path / "hd.csv", PUBLISHED_LOG)
    assert not read_chat([path]).utterances["assigned"].any()
    for assigned in (["hd"], ["all"]):
        found = read_chat([path], assigned=assigned)
        assert found.utterances["assigned"].all()
        assert what_is_said(found.utterances) == ()
    with pytest.raises(UsageError, match="no study 'hd2' whose genders were assigned; did you mean 'hd'"):
        read_chat([path], assigned=["hd2"])
    # What was written down as assigned is read as that again.
    again = tmp_path / "again.csv"
    as_published(found.merged).write_csv(again)
    assert read_chat([again]).utterances["assigned"].all()
    write(again, again.read_text().replace(",1\n", ",maybe\n", 1))
    with pytest.raises(
        EvenhandError, match=r"again.csv, line 2: whether the gender was assigned is 1 or 0, not .maybe"
    ):
        read_chat([again])


INTENTS = """conversation_id|gender|intent|user_input|bot_reply
a|Male|greet|/greet|Welcome!
a||||Was this helpful?
a||helpfulness_rating|helpfulness_3|
a||||Thanks!
a||goodbye|Bye|
b|Female|greet||Welcome!
c|Female|greet|hi there|Welcome!
d|Male|greet|/greet|Welcome!
"""


def test_rows_with_an_intent_alone_get_its_name_or_other_words(tmp_path: Path) -> None:
    path = write(tmp_path / "bot.csv", INTENTS)
    found = read_chat([path], intents={"/greet": "Hi"})
    users = found.utterances.filter(speaker="user")
    assert users["original"].to_list() == ["Hi", "helpfulness", "Bye", "greet", "hi there", "Hi"]
    assert users["text"].to_list()[0] == "Hey boy, Hi"
    assert users["intent"].is_not_null().to_list() == [True, True, False, True, False, True]
    assert per_conversation(found.utterances).filter(speaker="user", conversation="a")["published_turns"].to_list() == [
        2
    ]


def test_intents_that_are_left_out_still_part_what_was_said(tmp_path: Path) -> None:
    found = read_chat([write(tmp_path / "bot.csv", INTENTS)], leave_out_intents=True)
    said = found.merged.filter(conversation="a").select("speaker", "original")
    assert list(said.iter_rows()) == [
        ("chatbot", "Welcome! Was this helpful?"), ("chatbot", "Thanks!"), ("user", "Bye"),
    ]  # fmt: skip
    step = next(step for step in found.steps if step.name == "intents as words")
    assert step.rows_before - step.rows_after == 4


def test_a_word_with_a_number_is_no_intent_where_no_column_has_intents(tmp_path: Path) -> None:
    content = "conversation,speaker,gender,text\n1,user,m,level_2\n2,user,f,level_2\n3,user,m,x\n4,user,f,/help\n"
    found = read_chat([write(tmp_path / "a.csv", content)])
    assert found.utterances["original"].to_list() == ["level_2", "level_2", "x", "/help"]
    assert "intent" not in found.utterances.columns


RAW = """time|conversation_id|count|intent|user_input|entity|action|bot_reply|
9:00|x1|U0|greet|/greet|
9:00|x1|B0||||utter|Welcome, all!
9:01|x1|U1|ask|Where is it?|
9:01|x1|B1||||utter|Over there.
And to the left.
 [Conversation ends.]
time|conversation_id|count|intent|user_input|entity|action|bot_reply|
9:00|x1|U0|ask|When is it?|
9:00|x1|B0||||utter|Now.[conversation ends.]
9:05|x2|U0|ask|Who?|
"""


def test_a_raw_log_is_parted_where_a_conversation_ends(tmp_path: Path) -> None:
    found = read_log(write(tmp_path / "raw.csv", RAW), ends="Conversation ends.")
    said = found.select("conversation", "speaker", pl.coalesce("original", "intent"), "line")
    assert list(said.iter_rows()) == [
        ("x1#0", "user", "/greet", 2),
        ("x1#0", "chatbot", "Welcome, all!", 3),
        ("x1#0", "user", "Where is it?", 4),
        ("x1#0", "chatbot", "Over there. And to the left.", 5),
        ("x1#1", "user", "When is it?", 9),
        ("x1#1", "chatbot", "Now.", 10),
        ("x2", "user", "Who?", 11),
    ]
    padded = "\n".join(line + ",,,," for line in RAW.splitlines())
    again = read_log(write(tmp_path / "padded.csv", padded), ends="Conversation ends.")
    assert again.drop("study", "file").equals(found.drop("study", "file"))


@pytest.mark.parametrize("around", [
    "[ {} ]", "【{}】".encode("gbk"), "【{}】".encode("gb2312").decode("latin-1"), "\ufffd[{}]\ufffd", "«{}»",
    "( [{}] )", "【{}】".encode().decode("latin-1").replace("\x80", "€"), "【{}】".encode().decode("mac-roman"),
])  # fmt: skip
def test_brackets_around_an_end_are_no_words_however_they_were_encoded(tmp_path: Path, around: str | bytes) -> None:
    before, after = (around.encode() if isinstance(around, str) else around).split(b"{}")
    path = tmp_path / "raw.csv"
    said = b"1|Sure (really).|ok " + before + b"The end" + after + b"\n2|Hi|Bye"
    path.write_bytes(b"conversation|user|chatbot\n" + said)
    assert read_log(path, ends="The end")["original"].to_list() == ["Sure (really).", "ok", "Hi", "Bye"]


@pytest.mark.parametrize(
    ("content", "ends", "message"),
    [
        (RAW, "Good bye", "'Good bye' ends no conversation in it; say what does"),
        ("a|b\n1|2|3|4\nend", "end", "line 2: 4 cells where the header has 2"),
        ("a|a\n1|2\nend", "end", "line 1: 2 columns are called 'a'"),
        ("hello\nend", "end", "no separator in its first line"),
        ("a|b\n1|2\nend", "end", "no column for 'user'"),
        ("a|b\n1|2\nend", " ", "must be a text, not an empty one"),
    ],
)
def test_raw_logs_that_make_no_sense(tmp_path: Path, content: str, ends: str, message: str) -> None:
    with pytest.raises(EvenhandError, match=re.escape(message)):
        read_log(write(tmp_path / "raw.csv", content), ends=ends)


def test_a_raw_log_that_is_read_as_a_table_says_how_to_read_it(tmp_path: Path) -> None:
    with pytest.raises(EvenhandError, match="6 cells where the header has 9; a raw log is read with --ends TEXT"):
        read_log(write(tmp_path / "raw.csv", RAW))


def test_conversation_and_gender_may_stand_in_the_first_row_alone(tmp_path: Path) -> None:
    content = """Gender,user,sender,said
Prefer not to say,ann@x.org,response,Hello!
,,client,Hi
,,response,Good.
Male,bob@x.org,response,Hello!
,,client,Hm
Male,bob@x.org,response,Hello!
,,client,Again
"""
    columns = {"conversation": "user", "speaker": "sender", "text": "said", "gender": "Gender"}
    path = write(tmp_path / "study.csv", content)
    found = read_log(path, columns=columns, first_row_only=True)
    assert found["conversation"].to_list() == ["ann@x.org"] * 3 + ["bob@x.org#2"] * 2 + ["bob@x.org#3"] * 2
    assert found["gender"].to_list()[-2:] == ["Male", "Male"]
    merged = read_chat([path], columns=columns, first_row_only=True).merged
    assert merged["text"].to_list() == ["Hello!", "Hey boy, Hm", "Hello!", "Hey boy, Again"]


def test_two_files_of_one_name_are_two_studies(tmp_path: Path) -> None:
    content = "conversation,speaker,gender,text\n1,user,m,a\n2,user,f,b\n3,user,m,a\n4,user,f,b\n"
    paths = []
    for folder in ("spring", "autumn", "older/spring"):
        (tmp_path / folder).mkdir(parents=True)
        paths.append(write(tmp_path / folder / "log.csv", content))
    found = read_chat(paths[:2]).utterances
    assert found["study"].unique(maintain_order=True).to_list() == ["spring/log", "autumn/log"]
    deeper = read_chat(paths).utterances["study"].unique(maintain_order=True).to_list()
    assert deeper == [f"{tmp_path.name}/spring/log", "autumn/log", "older/spring/log"]
    lots = read_chat(paths[:2], assigned=["spring/log"]).utterances["assigned"]
    assert lots.to_list() == [True] * 4 + [False] * 4


# All of it


def test_the_pipeline_records_what_each_step_did(log: pl.DataFrame) -> None:
    found = prepare([log])
    assert [(step.name, step.rows_before, step.rows_after) for step in found.steps] == [
        ("joined studies", 15, 15), ("null rows", 15, 14), ("who speaks", 14, 14), ("gender code", 14, 14),
        ("assigned genders", 14, 14), ("classes with one conversation", 14, 14), ("gender prefix", 14, 14),
        ("merged utterances", 14, 11),
    ]  # fmt: skip
    assert all(step.does.endswith(".") and step.conversations_after == 4 for step in found.steps)
    assert (found.utterances.height, found.merged.height) == (14, 11)


def test_the_published_columns_are_written_and_read_again(tmp_path: Path, log: pl.DataFrame) -> None:
    merged = prepare([log]).merged
    frame = as_published(merged)
    assert frame.columns == ["C_num", "UB", "User_gender", "Original", "Enhancement", "Text"]
    assert frame.row(0) == (
        1,
        0,
        1,
        *["Hello there. How can I help?", "No enhancement", "Hello there. How can I help?"],
    )
    assert frame.row(6) == (2, 1, 2, "Thanks a lot", "Hey girl, ", "Hey girl, Thanks a lot")
    write(tmp_path / "again.csv", frame.write_csv())
    again = read_chat([tmp_path / "again.csv"]).merged
    kept = ["conversation", "speaker", "gender", "original", "prefix", "text"]
    assert again.select(kept).equals(merged.select(kept))


# Properties


def test_the_properties_by_hand(log: pl.DataFrame) -> None:
    table = properties(prepare([log]).utterances)
    found = {(row["property"], row["speaker"], row["gender"]): row for row in table.iter_rows(named=True)}

    def row(name: str, speaker: str, gender: str) -> tuple[float, int, int, int]:
        one = found[name, speaker, gender]
        return (round(one["mean"], 4), one["min"], one["max"], one["n"])

    # Male users: "I need a book" (4 words, 2 stop words), "the blue one" (3, 2), "please" (1, 1), "hello" (1, 0).
    # Female users: "Hi, is it open?" (4, 2), "Thanks a lot" (3, 1), "bye" (1, 0).
    assert row("words in an utterance", "user", "male") == (2.25, 1, 4, 4)
    assert row("words in an utterance", "user", "female") == (2.6667, 1, 4, 3)
    assert {"i", "a", "the", "one", "please", "is", "it"} <= stop_words()
    assert not {"need", "book", "blue", "hello", "hi", "open", "thanks", "lot", "bye"} & stop_words()
    assert row("stop words in an utterance", "user", "male") == (1.25, 0, 2, 4)
    assert row("stop words in an utterance", "user", "female") == (1.0, 0, 2, 3)
    # Chatbot with male users: Hello there (2); How can I help (4); Which one (2); Hello there (2).
    assert row("words in an utterance", "chatbot", "male") == (2.5, 2, 4, 4)
    # Utterances: male users 3 and 1, female 2 and 1; chatbot 3 and 1, 2 and 1.
    assert row("utterances in a conversation", "user", "male") == (2.0, 1, 3, 2)
    assert row("utterances in a conversation", "chatbot", "female") == (1.5, 1, 2, 2)
    # Turns: the male users take the word twice and once, the female ones twice and once.
    assert row("turns in a conversation", "both", "male") == (1.5, 1, 2, 2)
    assert row("turns in a conversation", "both", "female") == (1.5, 1, 2, 2)
    # As published: one of the men answers the chatbot twice, the other opens; both women open, and one answers later.
    assert row("turns in a conversation, as published", "both", "male") == (1.0, 0, 2, 2)
    assert row("turns in a conversation, as published", "both", "female") == (0.5, 0, 1, 2)


def test_words_are_counted_with_the_prefix_on_request(log: pl.DataFrame) -> None:
    utterances = prepare([log]).utterances
    with_prefix = properties(utterances, by=(), column="text")
    without = properties(utterances, by=())
    users = (pl.col("speaker") == "user") & (pl.col("property") == "words in an utterance")
    # "Hey boy," and "Hey girl," are two words each.
    assert with_prefix.filter(users)["mean"][0] == pytest.approx(without.filter(users)["mean"][0] + 2)
    assert with_prefix.filter(~users & (pl.col("speaker") != "user")).equals(
        without.filter(~users & (pl.col("speaker") != "user"))
    )


def test_who_never_speaks_has_no_utterances_and_no_mean() -> None:
    frame = code_genders(join_studies([numbered(2)])).filter(pl.col("speaker") == "user")
    table = properties(frame)
    silent = {row["property"]: row for row in table.filter(pl.col("speaker") == "chatbot").iter_rows(named=True)}
    assert silent["words in an utterance"]["mean"] is None
    assert silent["words in an utterance"]["undefined"] == "nobody says anything"
    assert (silent["utterances in a conversation"]["mean"], silent["utterances in a conversation"]["n"]) == (0, 2)
    assert per_conversation(frame)["utterances"].to_list() == [1, 0, 1, 0]


def test_merged_utterances_are_not_counted(log: pl.DataFrame) -> None:
    with pytest.raises(UsageError, match="before they were merged"):
        properties(prepare([log]).merged)
    with pytest.raises(UsageError, match="by gender or study"):
        properties(prepare([log]).utterances, by=("speaker",))


# As a corpus, and the one that comes along


def test_the_conversation_is_the_unit_of_the_corpus(log: pl.DataFrame) -> None:
    corpus = chat_corpus(prepare([log]).merged)
    assert corpus.attributes == {"gender": ("female", "male")}
    assert corpus.frame["id"].to_list()[:5] == ["shop/1/1", "shop/1/2", "shop/1/3", "shop/1/4", "shop/2/1"]
    assert corpus.frame["source"].equals(corpus.frame["person"].rename("source"))
    assert corpus.frame["term"].to_list()[:2] == [None, "Hey boy"]
    assert set(corpus.sample(7, seed=1).frame["source"].value_counts()["count"]) <= {2, 3, 4}
    assert corpus.mask("user").sum() == 6
    sides = chat_corpora(prepare([log]).merged)
    assert {name: len(side) for name, side in sides.items()} == {"user": 6, "chatbot": 5}
    assert set(sides["user"].frame["speaker"]) == {"user"}
    with pytest.raises(UsageError, match="nothing to compare"):
        chat_corpus(prepare([log]).merged.filter(pl.col("gender") == "male"))


def test_the_example_has_two_studies_and_everyday_lengths() -> None:
    found = read_chat(["example"], assign={"male": 9, "female": 9})
    utterances = found.utterances
    lengths = utterances.group_by("study", "conversation").len()["len"]
    assert lengths.len() >= 24
    assert 6 <= lengths.min() <= lengths.max() <= 14  # type: ignore[operator]
    known = utterances.filter(~pl.col("assigned"))
    assert set(known["study"]) == {"homework"}
    # One user did not say a gender, and alone was dropped.
    assert set(known["gender"]) == {"female", "male"}
    assert set(utterances.filter(pl.col("assigned"))["gender"]) == {"female", "male", "NA"}


def test_conversations_are_corpora_by_name(tmp_path: Path) -> None:
    example = load_corpus("chat:example")
    assert example.name == "chat:example"
    assert example.about.licence == "CC0 1.0"
    content = LOG.replace("session,who,sex,message", "conversation,speaker,gender,text")
    own = load_corpus(f"chat:{write(tmp_path / 'shop.csv', content)}")
    assert len(own) == 11
    with pytest.raises(UsageError, match="names no log"):
        load_corpus("chat:")


def test_a_log_in_which_nothing_is_said_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "silent.csv"
    path.write_text("conversation,user,chatbot\n1,,\n")
    with pytest.raises(EvenhandError, match=r"silent\.csv: no row has both"):
        prepare([read_log(path)])
    path.write_text("\n\n")
    with pytest.raises(EvenhandError, match=r"silent\.csv is empty"):
        read_log(path, ends="bye")
