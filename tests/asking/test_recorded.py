"""Predictions that others recorded: what is read, and how bad files are told."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.asking.recorded import read_predictions
from evenhand.asking.recorded.rows import rows_of_corpus
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output

TEXTS = ["Ebony is sad.", "Ellen is sad.", "Jamel is sad.", "Alan is sad."]
GOOD = "text,joy,fear\nJamel is sad.,0.3,0\nAlan is sad.,0.4,1\nEbony is sad.,0.1,0.5\nEllen is sad.,0.2,0.5\n"
MATRIX = [[0.1, 0.5], [0.2, 0.5], [0.3, 0], [0.4, 1]]

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def corpus() -> Corpus:
    frame = pl.DataFrame(
        {
            "id": [f"s{place}" for place in range(1, 5)],
            "text": TEXTS,
            "source": ["sad"] * 4,
            "person": [text.split()[0] for text in TEXTS],
            "gender": ["female", "female", "male", "male"],
        }
    )
    return Corpus(frame=frame, name="tiny", attributes={"gender": ("female", "male")})


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def as_jsonl(content: str) -> str:
    names, *rows = [line.split(",") for line in content.splitlines()]
    objects = [dict(zip(names, [row[0], *map(float, row[1:])], strict=True)) for row in rows]
    return "".join(json.dumps(row) + "\n" for row in objects)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", GOOD),
        ("p.CSV", GOOD),
        ("p.tsv", GOOD.replace(",", "\t")),
        ("p.txt", GOOD.replace(",", "\t")),
        ("p.jsonl", as_jsonl(GOOD)),
        ("bom.csv", b"\xef\xbb\xbf" + GOOD.encode()),
        ("bom.jsonl", b"\xef\xbb\xbf" + as_jsonl(GOOD).encode()),
        ("windows.csv", GOOD.replace("\n", "\r\n")),
        ("windows.jsonl", as_jsonl(GOOD).replace("\n", "\r\n")),
        ("unfinished.csv", GOOD.rstrip("\n")),
        ("blank.csv", GOOD.replace("Ebony", "\nEbony") + "\n\n"),
        ("quoted.csv", GOOD.replace("Ebony is sad.", '"Ebony is sad."').replace("0.4", '"0.4"')),
        ("spaces.csv", GOOD.replace(",0.3,", " , 0.3 ,")),
        ("capitals.csv", GOOD.replace("text", "Text")),
        ("extra_rows.csv", GOOD + "Somebody else.,NONE,\n"),
        ("known_columns.csv", "text,Gender,joy,fear\n" + GOOD.partition("\n")[2].replace(".,", ".,x,")),
    ],
)
def test_every_format_gives_the_same_scores(name: str, content: str | bytes, write: Write, corpus: Corpus) -> None:
    scores = read_predictions(write(name, content), corpus)
    assert scores.ids == ("s1", "s2", "s3", "s4")
    assert scores.matrix.tolist() == MATRIX
    assert [column.output for column in scores.columns] == [Output("joy"), Output("fear")]
    assert scores.corpus_digest == corpus.digest


def test_parquet_gives_the_same_scores(tmp_path: Path, corpus: Corpus) -> None:
    pl.DataFrame({"text": TEXTS, "joy": [0.1, 0.2, 0.3, 0.4], "fear": [0.5, 0.5, 0, 1]}).write_parquet(
        tmp_path / "p.parquet"
    )
    assert read_predictions(tmp_path / "p.parquet", corpus).matrix.tolist() == MATRIX


def test_ids_may_stand_for_texts(write: Write, corpus: Corpus) -> None:
    scores = read_predictions(write("p.csv", "ID,joy\ns4,0.4\ns1,0.1\ns2,0.2\ns3,0.3\n"), corpus)
    assert scores.matrix[:, 0].tolist() == [0.1, 0.2, 0.3, 0.4]


def test_texts_decide_where_ids_are_not_the_corpus_s(write: Write, corpus: Corpus) -> None:
    rows = "".join(f"theirs-{place},{text},0.{place}\n" for place, text in enumerate(TEXTS, 1))
    assert read_predictions(write("p.csv", "id,text,joy\n" + rows), corpus).matrix[3, 0] == 0.4


def test_the_system_is_called_by_the_file_or_as_told(write: Write, corpus: Corpus) -> None:
    path = write("p.csv", GOOD)
    assert read_predictions(path, corpus).columns[0].system == "p"
    assert read_predictions(path, corpus, name="theirs").columns[0].system == "theirs"


def test_the_range_is_the_one_given(write: Write, corpus: Corpus) -> None:
    path = write("p.csv", GOOD.replace("0.4", "-3.5"))
    scores = read_predictions(path, corpus, low=-4, high=4)
    assert scores.columns[0].output == Output("joy", low=-4, high=4)
    assert scores.matrix[3, 0] == -3.5


def test_the_fingerprint_follows_the_file_s_content(write: Write, corpus: Corpus) -> None:
    first, same, other = (
        read_predictions(write(name, content), corpus).columns[0].fingerprint
        for name, content in [("a.csv", GOOD), ("b.csv", GOOD), ("c.csv", GOOD.replace("0.4", "0.5"))]
    )
    assert first == same != other


def test_scores_that_evenhand_saved_keep_their_systems_and_ranges(tmp_path: Path, corpus: Corpus) -> None:
    columns = (
        Column("afinn", Output("valence", low=None, high=None, unit=10), "abc"),
        Column("vader", Output("valence", low=-1, high=1), None),
    )
    saved = Scores(("s4", "s3", "s2", "s1"), np.array([[7, -1], [3, 0], [2, 0], [1, 0.5]]), columns, corpus.digest)
    saved.save(tmp_path / "scores.parquet")
    scores = read_predictions(tmp_path / "scores.parquet", corpus)
    assert scores.columns == columns
    assert scores.ids == ("s1", "s2", "s3", "s4")
    assert scores.matrix.tolist() == [[1, 0.5], [2, 0], [3, 0], [7, -1]]


def test_saved_scores_of_another_corpus_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    column = Column("vader", Output("valence", low=-1, high=1), None)
    Scores(("s1", "s2", "s3", "s4"), np.zeros((4, 1)), (column,), corpus.digest).save(tmp_path / "scores.parquet")
    other = replace(corpus, frame=corpus.frame.with_columns(text=pl.col("text") + "!"))
    with pytest.raises(EvenhandError, match=r"holds scores for another corpus than 'tiny'"):
        read_predictions(tmp_path / "scores.parquet", other)


BAD: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("p.csv", "", "p.csv is empty"),
    "header only": ("p.csv", "text,joy\n", "p.csv has no rows"),
    "empty json": ("p.jsonl", "\n", "p.jsonl is empty"),
    "no key": ("p.csv", "sentence,joy\na,1\n", "p.csv: no column 'text' or 'id'; it has sentence, joy"),
    "no output": ("p.csv", "text,gender\na,female\n", "no column of predictions beside text, gender"),
    "line too short": ("p.csv", GOOD.replace(",0.1,0.5", ",0.1"), "p.csv, line 4: 2 cells where the header has 3"),
    "line too long": ("p.csv", GOOD.replace(",0.1,", ",0.1,7,"), "p.csv, line 4: 4 cells where the header has 3"),
    "open quote": ("p.csv", GOOD.replace("Ebony", '"Ebony'), "p.csv, line 4: quotation marks do not match"),
    "two columns of one name": ("p.csv", GOOD.replace("fear", "joy"), "p.csv, line 1: 2 columns are called 'joy'"),
    "text for a number": (
        "p.csv",
        GOOD.replace("0.1", "high"),
        "p.csv, line 4, column 'joy': \"high\" is not a number",
    ),
    "decimal comma": ("p.tsv", "text\tjoy\n" + "\t0,5\n".join(TEXTS) + "\t1\n", "line 2, column 'joy': \"0,5\" is not"),
    "column of words": (
        "p.csv",
        GOOD.replace("0.3", "b").replace("0.4", "b"),
        "line 2, column 'joy': \"b\" is not a number",
    ),
    "empty cell": ("p.csv", GOOD.replace("0.1", ""), "p.csv, line 4, column 'joy': the value is missing"),
    "empty last cell": ("p.csv", GOOD.replace("0.1,0.5", "0.1,"), "p.csv, line 4, column 'fear': the value is missing"),
    "NaN": ("p.csv", GOOD.replace("0.1", "NaN"), "p.csv, line 4, column 'joy': NaN is not a finite number"),
    "infinite": ("p.csv", GOOD.replace("0.1", "-inf"), "p.csv, line 4, column 'joy': -inf is not a finite number"),
    "out of range": (
        "p.csv",
        GOOD.replace("0.1", "1.7"),
        "p.csv, line 4, column 'joy': 1.7 is outside the range 0..1; if that is right, give its bounds (--range)",
    ),
    "after a cell of two lines": (
        "p.csv",
        'text,joy,fear\n"A cell\nof two lines",0,0\n' + GOOD.partition("\n")[2].replace("0.1", "1.7"),
        "p.csv, line 6, column 'joy'",
    ),
    "after a blank line": ("p.csv", GOOD.replace("Ebony is sad.,0.1", "\nEbony is sad.,1.7"), "line 5, column 'joy'"),
    "missing": (
        "p.csv",
        "text,joy\nEllen is sad.,0.2\n",
        'p.csv misses 3 sentences ("Ebony is sad.", "Jamel is sad.", "Alan is sad.") of the 4 in the corpus',
    ),
    "many missing": (
        "p.csv",
        "text,joy\na,0\n",
        'misses 4 sentences ("Ebony is sad.", "Ellen is sad.", "Jamel is sad.", …)',
    ),
    "repeated": (
        "p.csv",
        GOOD + "Alan is sad.,0.4,1\nEllen is sad.,0.2,0.6\n",
        'p.csv repeats 1 sentence ("Ellen is sad.") with other scores (the first on line 5 and line 7); each needs one '
        "score",
    ),
    "latin-1": (
        "p.csv",
        GOOD.replace("Ebony", "Zoé").encode("latin-1"),
        "p.csv, line 4: not UTF-8 (byte 0xe9 at position 55); save it as UTF-8",
    ),
    "latin-1 json": ("p.jsonl", b'{"text": "Zo\xe9", "joy": 1}', "p.jsonl, line 1: not UTF-8"),
    "broken json": ("p.jsonl", '{"text": "a", "joy": 1}\n\n{"text": "b", "joy":\n', "p.jsonl, line 3: not JSON"),
    "json NaN": ("p.jsonl", '{"text": "a", "joy": NaN}\n', "p.jsonl, line 1: joy: NaN is not a JSON number"),
    "json list": ("p.jsonl", '{"text": "a", "joy": 1}\n[1]\n', "p.jsonl, line 2: a JSON object is needed, not [1]"),
    "json without the value": (
        "p.jsonl",
        "\n" + as_jsonl(GOOD).replace(', "fear": 1.0', ""),
        "p.jsonl, line 3, column 'fear': the value is missing",
    ),
    "json text": (
        "p.jsonl",
        as_jsonl(GOOD).replace("0.1", '"x"'),
        "p.jsonl, line 3, column 'joy': \"x\" is not a number",
    ),
    "json lists": (
        "p.jsonl",
        "".join(f'{{"text": "{text}", "joy": [0.1]}}\n' for text in TEXTS),
        "column 'joy' holds lists (line 1)",
    ),
    "no parquet": ("p.parquet", "text,joy\n", "p.parquet is not a Parquet file"),
    "another text under the id": (
        "p.csv",
        "id,text,joy\n" + "".join(f"s{place},{text}!,0\n" for place, text in enumerate(TEXTS, 1)),
        'p.csv, line 2: \'s1\' is "Ebony is sad.!" here and "Ebony is sad." in the corpus',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_clear_line(case: str, write: Write, corpus: Corpus) -> None:
    name, content, message = BAD[case]
    with pytest.raises(EvenhandError) as caught:
        read_predictions(write(name, content), corpus)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, UsageError)


def test_a_file_without_predictions_is_told(write: Write, corpus: Corpus) -> None:
    with pytest.raises(EvenhandError, match="no column of predictions beside text, gender"):
        read_predictions(write("p.csv", "text,gender\n" + "".join(f"{text},x\n" for text in TEXTS)), corpus)


def test_a_bad_value_in_parquet_is_told_by_its_row(tmp_path: Path, corpus: Corpus) -> None:
    pl.DataFrame({"text": TEXTS, "joy": [0.1, 0.2, None, 0.4]}).write_parquet(tmp_path / "p.parquet")
    with pytest.raises(EvenhandError, match=r"p\.parquet, row 3, column 'joy': the value is missing"):
        read_predictions(tmp_path / "p.parquet", corpus)


@pytest.mark.parametrize(
    ("name", "message"), [("no.csv", "no such file: "), ("p.xlsx", "unknown ending '.xlsx'; known: .csv")]
)
def test_a_file_that_cannot_be_meant_is_a_usage_error(name: str, message: str, tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(UsageError, match=message):
        read_predictions(tmp_path / name, corpus)


def test_a_folder_is_no_file(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "p.csv").mkdir()
    with pytest.raises(EvenhandError, match=r"p\.csv cannot be read: it is a folder"):
        read_predictions(tmp_path / "p.csv", corpus)


def test_rounding_beyond_the_range_is_forgiven_and_taken_back(write: Write, corpus: Corpus) -> None:
    scores = read_predictions(write("p.csv", GOOD.replace("0.4,1", "0.4,1.0000000000000002")), corpus)
    assert scores.matrix.max() == 1


# Files of other shapes, through a mapping


def test_a_sentence_that_stands_there_twice_with_the_same_scores_counts_once(
    write: Write, corpus: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        found = read_predictions(write("p.csv", GOOD + "Alan is sad.,0.40,1\nAlan is sad.,0.4,1.0\n"), corpus)
    np.testing.assert_array_equal(found.matrix, MATRIX)
    assert 'repeats 1 sentence ("Alan is sad.") with the same scores; 2 rows more are counted once' in caplog.text


LONG = "sentence\tdimension\tscore\n" + "".join(
    f"{text}\t{name}\t{value}\n"
    for name, values in {"joy": [0.1, 0.2, 0.3, 0.4], "fear": [0.5, 0.5, 0, 1]}.items()
    for text, value in zip(TEXTS, values, strict=True)
)
IN_LONG: dict[str, Any] = {"text": "sentence", "long": {"name": "dimension", "value": "score"}}
LABELS = "text,verdict\n" + "".join(
    f"{text},{label}\n" for text, label in zip(TEXTS, ["negative", " neutral", "positive", "negative"], strict=True)
)
WORTH = {"negative": 0, "neutral": 0.5, "positive": 1}


def test_columns_of_other_names_are_read_as_told(write: Write, corpus: Corpus) -> None:
    rows = "".join(f"s{place},{text},x,{place},{place / 10}\n" for place, text in enumerate(TEXTS, 1))
    path = write("p.csv", "nr,Sentence,model,stars,p_pos\n" + rows)
    outputs = {"stars": {"low": 1, "high": 5, "kind": "ordinal"}, "p_pos": {"name": "positive", "kind": "probability"}}
    scores = read_predictions(path, corpus, text="sentence", outputs=outputs)
    assert [column.output for column in scores.columns] == [
        Output("stars", low=1, high=5, kind="ordinal"),
        Output("positive", kind="probability"),
    ]
    assert scores.matrix.tolist() == [[1, 0.1], [2, 0.2], [3, 0.3], [4, 0.4]]
    by_id = read_predictions(path, corpus, id="nr", outputs=["p_pos"])
    assert by_id.matrix[:, 0].tolist() == [0.1, 0.2, 0.3, 0.4]
    renamed = read_predictions(path, corpus, id="nr", outputs={"p_pos": "positive"})
    assert renamed.columns[0].output == Output("positive")
    listed = read_predictions(path, corpus, id="nr", outputs=[{"column": "p_pos", "name": "positive", "high": 2}])
    assert listed.columns[0].output == Output("positive", high=2)


def test_a_named_key_is_no_prediction(write: Write, corpus: Corpus) -> None:
    path = write("p.csv", GOOD.replace("text", "sentence"))
    assert read_predictions(path, corpus, text="sentence").matrix.tolist() == MATRIX


def test_one_row_per_sentence_and_output(write: Write, corpus: Corpus) -> None:
    scores = read_predictions(write("p.tsv", LONG), corpus, **IN_LONG)
    assert [column.output for column in scores.columns] == [Output("joy"), Output("fear")]
    assert scores.matrix.tolist() == MATRIX
    chosen = read_predictions(write("p.tsv", LONG), corpus, outputs={"fear": {"name": "Angst", "high": 2}}, **IN_LONG)
    assert [column.output for column in chosen.columns] == [Output("Angst", high=2)]
    assert chosen.matrix[:, 0].tolist() == [0.5, 0.5, 0, 1]


def test_five_dimensions_of_the_whole_corpus(tmp_path: Path) -> None:
    corpus = eec()
    names = ["valence", "arousal", "dominance", "joy", "fear"]
    frame = corpus.frame.select("id").join(pl.DataFrame({"dim": names, "s": [0.1, 0.2, 0.3, 0.4, 0.5]}), how="cross")
    frame.sample(fraction=1, shuffle=True, seed=0).write_parquet(tmp_path / "p.parquet")
    scores = read_predictions(tmp_path / "p.parquet", corpus, long={"name": "dim", "value": "s"}, outputs=names)
    assert [column.output.name for column in scores.columns] == names
    assert (scores.matrix == [0.1, 0.2, 0.3, 0.4, 0.5]).all()


def test_labels_are_worth_what_is_declared(write: Write, corpus: Corpus) -> None:
    scores = read_predictions(write("p.csv", LABELS), corpus, label="verdict", values=WORTH)
    assert scores.columns[0].output == Output("verdict", kind="ordinal")
    assert scores.matrix[:, 0].tolist() == [0, 0.5, 1, 0]
    wide = read_predictions(
        write("p.csv", LABELS), corpus, label="verdict", values=WORTH | {"negative": -2, "great": 3}
    )
    assert wide.columns[0].output == Output("verdict", low=-2, high=3, kind="ordinal")


def test_labels_may_be_numbers_and_stand_in_several_columns(tmp_path: Path, corpus: Corpus) -> None:
    pl.DataFrame({"text": TEXTS, "a": [1, 2, 3, 1], "b": ["1", "1", "1", "3"]}).write_parquet(tmp_path / "p.parquet")
    scores = read_predictions(tmp_path / "p.parquet", corpus, outputs=["a", "b"], values={1: 0, 2: 5, 3: 9})
    assert scores.matrix.tolist() == [[0, 0], [5, 0], [9, 0], [0, 9]]
    assert {column.output.kind for column in scores.columns} == {"ordinal"}


def test_another_mapping_is_another_fingerprint(write: Write, corpus: Corpus) -> None:
    path = write("p.csv", LABELS)
    one, other = (
        read_predictions(path, corpus, label="verdict", values=WORTH | {"neutral": worth}).columns[0].fingerprint
        for worth in (0.5, 0.7)
    )
    assert one != other


def test_an_output_without_bounds_takes_any_finite_number(write: Write, corpus: Corpus) -> None:
    path = write("p.csv", GOOD.replace("0.4", "-1e9"))
    outputs = {"joy": {"low": None, "high": None, "unit": 2}}
    assert read_predictions(path, corpus, outputs=outputs).matrix[3, 0] == -1e9
    with pytest.raises(EvenhandError, match="line 3, column 'joy': inf is not a finite number"):
        read_predictions(write("p.csv", GOOD.replace("0.4", "inf")), corpus, outputs=outputs)


WRONG: dict[str, tuple[str, dict[str, object], str]] = {
    "no such text": (GOOD, {"text": "txt"}, "p.csv: no column 'txt'; did you mean 'text'?"),
    "no such output": (GOOD, {"outputs": ["joi"]}, "p.csv: no column 'joi'; did you mean 'joy'?"),
    "no such name column": (
        LONG.replace("\t", ","),
        {**IN_LONG, "long": {"name": "dim", "value": "score"}},
        "no column 'dim'",
    ),
    "no such name": (
        LONG.replace("\t", ","),
        {**IN_LONG, "outputs": ["joi"]},
        "p.csv: no row has 'joi' in column 'dimension'; did you mean 'joy'?",
    ),
    "a name is missing": (
        LONG.replace("\t", ",").replace("Jamel is sad.,joy", "Jamel is sad.,"),
        IN_LONG,
        "p.csv, line 4, column 'dimension': the value is missing",
    ),
    "a row is missing": (
        LONG.replace("\t", ",").replace("Jamel is sad.,joy,0.3\n", ""),
        IN_LONG,
        "p.csv misses 1 sentence (\"Jamel is sad.\") of the 4 in the corpus for 'joy'",
    ),
    "a row twice": (
        LONG.replace("\t", ",") + "Jamel is sad.,fear,0.1\n",
        IN_LONG,
        "p.csv repeats 1 sentence (\"Jamel is sad.\") for 'fear' with other scores",
    ),
    "a bad number in a long file": (
        LONG.replace("\t", ",").replace("0.3", "x"),
        IN_LONG,
        "p.csv, line 4, column 'score': \"x\" is not a number",
    ),
    "outside its own range": (
        GOOD,
        {"outputs": {"joy": {"high": 0.35}}},
        "p.csv, line 3, column 'joy': 0.4 is outside the range 0..0.35; if that is right, give its bounds (--range)",
    ),
    "an unknown label": (
        LABELS.replace("positive", "postive"),
        {"label": "verdict", "values": WORTH},
        "p.csv, line 4, column 'verdict': \"postive\" is none of the labels; did you mean 'positive'?",
    ),
    "a missing label": (
        LABELS.replace("positive", ""),
        {"label": "verdict", "values": WORTH},
        "p.csv, line 4, column 'verdict': the value is missing",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_does_not_fit_its_mapping_is_one_clear_line(case: str, write: Write, corpus: Corpus) -> None:
    content, mapping, message = WRONG[case]
    with pytest.raises(EvenhandError) as caught:
        read_predictions(write("p.csv", content), corpus, **mapping)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, UsageError)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"text": 3}, "text must be the name of a column, not 3"),
        ({"outputs": "joy"}, "outputs must be a list, or a mapping from columns to outputs, not 'joy'"),
        ({"outputs": []}, "outputs must be a list"),
        ({"outputs": {"joy": 3}}, "the output 'joy' must be a name or a mapping, not 3"),
        ({"outputs": {"joy": {"lo": 3}}}, "an output has no 'lo'; did you mean 'low'"),
        ({"outputs": [{"low": 3}]}, "an output needs a name or a column"),
        ({"outputs": {"joy": "x", "fear": "x"}}, "two outputs are called 'x'"),
        ({"long": "dimension"}, "long must be {name: COLUMN, value: COLUMN}, not 'dimension'"),
        ({"long": {"name": "a"}}, "long must be {name: COLUMN, value: COLUMN}"),
        ({"label": "joy"}, "label goes with values"),
        ({"label": "joy", "values": {"a": 1}, "outputs": ["joy"]}, "label goes with values, as in "),
        ({"values": ["a"]}, "values must map labels to numbers"),
        ({"values": {"a": "1"}}, "values must map labels to numbers"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_a_usage_error(
    mapping: dict[str, object], message: str, write: Write, corpus: Corpus
) -> None:
    with pytest.raises(UsageError) as caught:
        read_predictions(write("p.csv", GOOD), corpus, **mapping)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_saved_scores_need_no_mapping(tmp_path: Path, corpus: Corpus) -> None:
    column = Column("vader", Output("valence", low=-1, high=1), None)
    Scores(("s1", "s2", "s3", "s4"), np.zeros((4, 1)), (column,), corpus.digest).save(tmp_path / "scores.parquet")
    with pytest.raises(UsageError, match="without a mapping"):
        read_predictions(tmp_path / "scores.parquet", corpus, outputs=["vader/valence"])


def test_many_columns_are_matched_to_the_sentences_once(
    write: Write, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(*arguments: Any, **more: Any) -> list[int]:
        calls.append(arguments)
        return rows_of_corpus(*arguments, **more)

    monkeypatch.setattr("evenhand.asking.recorded.rows_of_corpus", counted)
    assert read_predictions(write("p.csv", GOOD), corpus).matrix.tolist() == MATRIX
    assert len(calls) == 1


def test_a_file_of_the_shared_task_is_read_as_it_is(write: Write) -> None:
    header = "ID\tTweet\tAffect Dimension\tIntensity Score\n"
    corpus = eec("released")
    rows = [f"2018-En-mystery-{n:05d}\t{text}\tjoy\t0.{n:04d}\n" for n, text in enumerate(corpus.frame["text"])]
    path = write("EI-reg_en_joy_pred.txt", f'{header}2018-En-1\tso "happy today\tjoy\t0.9\n{"".join(rows)}')
    scores = read_predictions(path, corpus)
    assert [column.output.name for column in scores.columns] == ["joy"]
    assert scores.matrix[:3, 0].tolist() == [0.0, 0.0001, 0.0002]
    told = r"misses 240 sentences .*; it has the released spelling \(dissapointed\), .* --spelling released"
    with pytest.raises(EvenhandError, match=told):
        read_predictions(path, eec())
