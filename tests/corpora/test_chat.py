"""Conversations: logs of every shape, each step by hand on a log small enough to read, and nothing over a border."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

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
    with pytest.raises(UsageError, match="two studies are called 'a'"):
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
