"""Scores in many files: the authors' layout, other layouts by a mapping, and what is wrong with a file or a mapping."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from fuzzing import in_time
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError
from evenhand.published.rating_figures import published_scores
from evenhand.rating import rate_scores
from evenhand.rating.folder import ScoreMapping, read_folder, read_mapping

CODES = {
    "gender": {"NA": 0, "male": 1, "female": 2},
    "race": {"NA": 0, "European American": 1, "African American": 2},
    "emotion": {"negative": 0, "positive": 1},
}
FOLDERS = {"S_b": "biased", "S_r": "random", "S_t": "textblob", "S_d": "dbert", "S_g": "gru"}
ENDS = {"S_b": "bf", "S_r": "random", "S_t": "tb", "S_d": "dbert", "S_g": "gru"}
NAMES = {"gender": "Gender", "race": "Race", "emotion": "Emotion", "sentiment": "Sentiment"}


def authors_layout(folder: Path, groups: tuple[str, ...] = ("Group-1", "Group-2", "Group-3", "Group-4")) -> Path:
    """The published scores, in files like those in which they were published."""
    for (group, system, dataset), part in (
        published_scores().partition_by("group", "system", "dataset", as_dict=True).items()
    ):
        if group not in groups:
            continue
        # The shipped scores leave out the emotion where only one kind of word occurs, and the race where there is none.
        known = [name for name in NAMES if name != "race" or group in ("Group-3", "Group-4")]
        # In groups 1 and 3 the emotion is the number of the word: 1 and 3 are negative, 2 and 4 positive.
        codes = CODES | ({"emotion": {"negative": 1, "positive": 4}} if group in ("Group-1", "Group-3") else {})
        coded = part.with_columns(pl.col("emotion").fill_null("negative")).select(
            pl.col(name).replace_strict(codes[name], return_dtype=pl.Int64).alias(NAMES[name])
            if name in codes
            else pl.col(name).alias(NAMES[name])
            for name in known
        )
        path = folder / str(group).lower().replace("-", "") / FOLDERS[str(system)]
        path.mkdir(parents=True, exist_ok=True)
        coded.write_csv(path / f"{str(dataset).lower()}_{ENDS[str(system)]}.csv")
    return folder


@pytest.fixture(scope="module")
def authors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # In a folder of its own: some tests look around it, and what others leave beside it is not theirs.
    return authors_layout(tmp_path_factory.mktemp("published") / "continuous")


def run(*arguments: str) -> dict[str, object]:
    done = CliRunner().invoke(app, ["rate", *arguments, "--bootstrap", "0", "--json"])
    if isinstance(done.exception, EvenhandError):
        raise done.exception
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_the_authors_layout_needs_no_mapping(authors: Path) -> None:
    found = rate_scores(authors, preset="published", supported_only=True, bootstrap=0)
    assert [(one.group, one.attribute, one.method) for one in found.results] == [
        ("Group-1", "gender", "rejection"),
        ("Group-2", "gender", "deconfounding"),
        ("Group-3", "race", "rejection"),
        ("Group-3", "gender", "rejection"),
        ("Group-3", "race+gender", "rejection"),
        ("Group-4", "race+gender", "deconfounding"),
    ]
    # The same as of one joined table.
    whole = {
        group: rate_scores(
            published_scores().filter(group=group), attributes=[attribute], confounders=confounders,
            preset="published", supported_only=True, bootstrap=0,
        ).results[0]
        for group, attribute, confounders in (("Group-1", "gender", None), ("Group-4", "race+gender", ["race+gender"]))
    }  # fmt: skip
    for group, one in whole.items():
        (mine,) = (result for result in found.results if result.group == group)
        assert {system: mine.raw[FOLDERS[system]] for system in one.raw} == pytest.approx(one.raw)
    assert len(found.provenance.files) == 5 * (5 + 3 + 5 + 3)


def test_the_command_reads_a_folder(authors: Path) -> None:
    found = run("--scores", str(authors), "--preset", "published")
    first = found["results"][0]  # type: ignore[index]
    assert first["raw"] == {"biased": 23, "dbert": 0, "gru": 0.6, "random": 1.9, "textblob": 0}
    pattern = mapping(authors.parent, "{system}/{dataset}_*.csv")
    group = ["--scores", str(authors / "group1"), "--mapping", str(pattern), "--attribute", "gender"]
    one = run(*group, "--preset", "published")
    assert one["results"][0]["raw"] == first["raw"]  # type: ignore[index]


def test_files_that_were_saved_again_by_a_spreadsheet_say_the_same(authors: Path, tmp_path: Path) -> None:
    for path in (authors / "group1").rglob("*.csv"):
        header, *rows = path.read_text().split()
        again = tmp_path / path.relative_to(authors)
        again.parent.mkdir(parents=True, exist_ok=True)
        # 3 is a word that only the column Emotion of this group knows.
        cells = [row.split(",") for row in rows]
        lines = [header.upper(), "", *(f"{gender},3,{score}" for gender, _, score in cells), ",,", ""]
        again.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).replace(",", ";").encode())
    was, now = (run("--scores", str(folder), "--preset", "published") for folder in (authors, tmp_path))
    assert now["results"][0]["raw"] == was["results"][0]["raw"]  # type: ignore[index]


def test_groups_that_number_the_emotion_and_not_the_word_say_the_same(authors: Path, tmp_path: Path) -> None:
    for path in (authors / "group1").rglob("*.csv"):
        frame = pl.read_csv(path)
        again = tmp_path / path.relative_to(authors)
        again.parent.mkdir(parents=True, exist_ok=True)
        # Files of positive words alone hold nothing but 1, which is a negative word where words are numbered.
        frame.with_columns(pl.col("Emotion").replace_strict({1: 0, 4: 1})).write_csv(again)
    was, now = (rate_scores(folder, preset="published", bootstrap=0) for folder in (authors, tmp_path))
    assert now.results[0].raw == was.results[0].raw
    emotions = rate_scores(tmp_path, preset="published", bootstrap=0, attributes=["gender"], confounders=["gender"])
    words = rate_scores(authors, preset="published", bootstrap=0, attributes=["gender"], confounders=["gender"])
    assert emotions.results[0].raw == words.results[0].raw


def test_groups_with_race_and_gender_in_one_column_are_those_with_two(authors: Path, tmp_path: Path) -> None:
    for path in [*(authors / "group3").rglob("*.csv"), *(authors / "group4").rglob("*.csv")]:
        group, system, name = path.relative_to(authors).parts
        again = tmp_path / f"{group}_combined" / system / f"comb_{name}"
        again.parent.mkdir(parents=True, exist_ok=True)
        # 1 and 2 are the European American man and woman, 3 and 4 the African American ones.
        both = pl.when(pl.col("Race") == 0).then(0).otherwise(pl.col("Race") * 2 - 2 + pl.col("Gender"))
        pl.read_csv(path).with_columns(RG=both).write_csv(again)
    was, now = (rate_scores(folder, preset="published", bootstrap=0) for folder in (authors, tmp_path))
    assert [(one.group, one.attribute, one.method) for one in now.results] == [
        ("Group-3 combined", "race+gender", "rejection"),
        ("Group-4 combined", "race+gender", "deconfounding"),
    ]
    assert [one.raw for one in now.results] == [one.raw for one in was.results[-2:]]


def test_scores_of_conversations_have_their_speakers_as_groups(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "rating.md").read_text(encoding="utf-8")
    (example,) = [part for part in docs.split("```yaml\n") if part.startswith('files: ["{data}/{system}/*.csv"]')]
    folder = tmp_path / "real-world"
    (folder / "allure" / "gru").mkdir(parents=True)
    rows = [f"{talk},{who},{talk % 2 + 1},Hi,{0.1 * talk * (who == 1)}" for talk in range(8) for who in (0, 1)]
    table = "\n".join(["C_num,UB,User_gender,Text,Sentiment", *rows])
    (folder / "allure" / "gru" / "gru.csv").write_text(table + "\n")
    (tmp_path / "talks.yaml").write_text(example.split("```")[0], encoding="utf-8")
    found = rate_scores(folder, mapping=tmp_path / "talks.yaml", bootstrap=0)
    assert [(one.data, one.group, one.attribute) for one in found.results] == [
        ("allure", "chatbot", "gender"),
        ("allure", "user", "gender"),
    ]
    assert found.results[0].raw == {"gru": 0}


def test_one_data_set_in_two_files_is_refused(authors: Path, tmp_path: Path) -> None:
    for name in ("e1_rand.csv", "e1_random.csv"):
        again = tmp_path / "group1" / "random" / name
        again.parent.mkdir(parents=True, exist_ok=True)
        again.write_bytes((authors / "group1" / "random" / "e1_random.csv").read_bytes())
    with pytest.raises(EvenhandError, match=r"e1_rand.csv and group1/random/e1_random.csv are the same data set"):
        rate_scores(tmp_path, bootstrap=0)


@pytest.mark.parametrize("seen_from", ["..", "group1"])
def test_another_folder_is_told_which_one_to_name(authors: Path, seen_from: str) -> None:
    with pytest.raises(EvenhandError, match=rf"seen from {authors} they are: name that folder"):
        rate_scores((authors / seen_from).resolve(), bootstrap=0)


def mapping(folder: Path, pattern: str, more: str = "") -> Path:
    path = folder / "mine.yaml"
    columns = "columns: {Gender: gender, Emotion: emotion, Sentiment: sentiment}\n"
    codes = "codes: {gender: {0: NA, 1: male, 2: female}, emotion: {0: negative, 1: negative, 4: positive}}\n"
    path.write_text(f'files: ["{pattern}"]\n{columns}{codes}{more}', encoding="utf-8")
    return path


def test_a_layout_of_ones_own(tmp_path: Path) -> None:
    folder = tmp_path / "scores"
    folder.mkdir()
    for system in ("a", "b"):
        rows = [f"{number % 3},{number % 2},{number * (system == 'b')},x" for number in range(24)]
        (folder / f"names {system}.tsv").write_text("\n".join(["who,mood,said,note", *rows]).replace(",", "\t"))
    (folder / "notes.csv").write_text("x\n1\n")
    (folder / "mapping.yaml").write_text(
        """files: ["{group} {system}.tsv"]
columns: {who: gender+race, mood: emotion, said: sentiment}
codes:
  emotion: {0: negative, 1: positive}
  gender+race: {0: [NA, NA], 1: [male, green], 2: [female, blue]}
systems: {a: Alpha}
groups: {names: {name: Names, attributes: [gender, race], confounders: [gender]}}
"""
    )
    found = rate_scores(folder, bootstrap=0)
    assert [(one.group, one.attribute, one.method) for one in found.results] == [
        ("Names", "gender", "deconfounding"), ("Names", "race", "deconfounding"),
    ]  # fmt: skip
    assert set(found.systems) == {"Alpha", "b"}
    assert found.notes[0].text == "1 files that no pattern of the mapping fits were not read: notes.csv"
    by_rejections = rate_scores(folder, attributes=["race"], bootstrap=0)
    assert [(one.attribute, one.method) for one in by_rejections.results] == [("race", "rejection")]


@pytest.mark.parametrize(
    ("pattern", "more", "message"),
    [
        ("{group}/{sytem}/*.csv", "", "a path has no {sytem}; did you mean 'system'"),
        ("{group}/{group}.csv", "", "names {group} twice"),
        ("{group}/{system}.csv", "", "no file is called like '{group}/{system}.csv'; it holds group1/biased/e1_bf.csv"),
        ("{group}/{system}/*.csv", "", "by what is the group 'group1' to be rated"),
        ("{group}/*/{dataset}_*.csv", "", "neither its path nor a column says whose scores these are"),
        ("{group}/{system}/*.csv", "grops: {}\n", "mine.yaml: grops: unknown key; did you mean 'groups'"),
        ("{group}/{system}/*.csv", "groups: [1\n", "mine.yaml, line 5: not valid YAML"),
    ],
)
def test_a_mapping_that_does_not_fit(authors: Path, tmp_path: Path, pattern: str, more: str, message: str) -> None:
    with pytest.raises(EvenhandError) as told:
        run("--scores", str(authors), "--mapping", str(mapping(tmp_path, pattern, more)))
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_what_is_wrong_in_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    folder = authors_layout(tmp_path / "c", ("Group-1",))
    path = folder / "group1" / "gru" / "e3_gru.csv"
    content = path.read_text()
    path.write_text(content.replace("\n1,", "\n7,", 1))
    told = "e3_gru.csv, line 18, column 'Gender': the code .7. has no meaning in the mapping"
    with pytest.raises(EvenhandError, match=told):
        rate_scores(folder, bootstrap=0)
    path.write_text(content.replace("Sentiment", "Score"))
    with pytest.raises(EvenhandError, match=r"e3_gru.csv: no column says the sentiment; it has Gender, Emotion, Score"):
        rate_scores(folder, bootstrap=0)
    path.write_text(content.replace("Gender", "Sex"))
    with pytest.raises(EvenhandError, match=r"e3_gru.csv: no column says 'gender'"):
        rate_scores(folder, bootstrap=0)


def test_a_mapping_is_for_folders(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    published_scores().write_csv(table)
    with pytest.raises(EvenhandError, match="a mapping is for a folder of score files; this is a table"):
        rate_scores(table, attributes=["gender"], mapping=tmp_path / "m.yaml", bootstrap=0)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(EvenhandError, match="no file is called like"):
        rate_scores(empty, bootstrap=0)


@pytest.mark.parametrize("pattern", ["*" * 40 + ".csv", "a*" * 20 + ".csv", "{group}{system}{dataset}{via}{data}*.csv"])
def test_a_pattern_that_may_stand_for_anything_takes_no_longer(tmp_path: Path, pattern: str) -> None:
    (tmp_path / ("a" * 240 + ".jsonl")).write_text("{}")
    with in_time(), pytest.raises(EvenhandError, match="no file is called like"):
        read_folder(tmp_path, ScoreMapping(files=[pattern]))


def test_a_pattern_of_too_many_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mapping.yaml").write_text(f"files: ['{'*a' * 40}']\n")
    with pytest.raises(EvenhandError, match="more than 50 parts"):
        read_mapping(None, tmp_path)
