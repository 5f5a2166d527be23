"""Every reader of files, fed what is damaged: it reads, or refuses in one line that names the file."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from fuzzing import damaged, fuzzed, mutated, nasty, read_or_refused
from hypothesis import given
from hypothesis import strategies as st

from evenhand.asking.recorded import read_predictions
from evenhand.corpora import load_corpus, read_suite
from evenhand.corpora.chat.catalogue import read_chat
from evenhand.corpora.language import Language
from evenhand.corpora.names import own_draw
from evenhand.corpora.recipe import read_recipe
from evenhand.corpora.text import Perturber
from evenhand.corpora.text.files import check_edited, corpus_of_texts, perturb_file
from evenhand.files.structured import json_values, read_yaml, validated, yaml_values
from evenhand.files.tables import TableFile
from evenhand.gating.config import checked, read_config
from evenhand.measuring import MeasureSettings, measure_file, quality_of_file
from evenhand.metrics.conllu import read_trees
from evenhand.metrics.tag_reading import read_tags
from evenhand.rating import rate_scores
from evenhand.rating.folder import ScoreMapping, read_folder, read_mapping
from evenhand.repairs.gold import read_gold_texts
from evenhand.repairs.references import read_references
from evenhand.specs.system_file import read_system_file, read_translator_file
from evenhand.studies.entries import Entry, find_entries
from evenhand.studies.gold import read_gold
from evenhand.studies.reading import Reader
from evenhand.systems.few_shot.task import read_task
from evenhand.systems.people.annotations import read_annotations
from evenhand.systems.training.conll import read_tagged
from evenhand.systems.training.labelled import read_labelled
from evenhand.systems.training.lesson import read_lesson

pytestmark = pytest.mark.slow
PROMISES = Path(__file__).parents[1] / "promises"
INPUTS = PROMISES / "inputs"
VERSIONS = INPUTS / "versions.csv"
TREE = "# group = a\n1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\trained\train\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def rated(path: Path) -> Any:
    return rate_scores(path, attributes=["gender"], bootstrap=0)


def measured(path: Path) -> Any:
    return measure_file(path, settings=MeasureSettings(relabellings=0))


@cache
def corpus() -> Any:
    return load_corpus(PROMISES / "saved" / "texts.csv")


def recorded(path: Path) -> Any:
    return read_predictions(path, corpus(), low=-9, high=99)


def foldered(path: Path) -> Any:
    mapping = ScoreMapping(files=[path.name], columns={"Score": "sentiment"})
    return read_folder(path.parent, mapping, attributes=["gender"])


def perturbed(path: Path) -> Any:
    perturb_file(path, path.with_name("versions.jsonl"), Perturber("gender"))
    return corpus_of_texts(path, Perturber("gender"))


def edited(path: Path) -> Any:
    return check_edited(path, path.with_name("checked.jsonl"), Perturber("gender"))


SUITE = {
    "hats_templates.csv": b'TEMPLATE,DOMAIN,SENT,NER\n"Now, {a:hats_np} sneezed.",,1,\n{Hats_bakers} bake.,,0,\n',
    "hats.csv": b"TERM,GROUP,POS,TYPE\norange-hatted,bright,adj,\ntopper,dark,n,\ngrey-hatted,dark,adj,\n",
}


def suite(path: Path) -> Any:
    """The templates and the terms of a suite, of which one file is the one that is fed."""
    templates, terms = (path.parent / name for name in SUITE)
    for place in {templates, terms} - {path}:
        place.write_bytes(SUITE[place.name])
    return read_suite(templates, terms, attribute="hats").digest


def submission(path: Path) -> Any:
    """Read for a study of a corpus of five sentences."""
    reader = Reader(corpus(), strict=True)
    return reader.read([Entry("one", path)], root=path.parent, advance=lambda count: None)


def submitted() -> bytes:
    rows = [f"{row}\t{text}\tjoy\t0.{row}" for row, text in enumerate(corpus().frame["text"], start=1)]
    return "\n".join(["ID\tTweet\tAffect Dimension\tIntensity Score", *rows, ""]).encode()


def rows_of(name: str) -> pl.DataFrame:
    """The first rows of what is read under this name, with predictions where these are read."""
    frame = TableFile(TABLES[name][0]).frame.head(40)
    if TABLES[name][0] == VERSIONS:
        return frame
    return frame.with_columns(joy=pl.Series([str(row / 100) for row in range(frame.height)]))


TABLES: dict[str, tuple[Path, Callable[[Path], Any]]] = {
    "table": (INPUTS / "scores.csv", lambda path: [TableFile(path).frame, TableFile(path).lines()]),
    "predictions": (INPUTS / "predictions.csv", measured),
    "scores": (INPUTS / "scores.csv", measured),
    "corpus": (INPUTS / "remarks.csv", lambda path: load_corpus(path).digest),
    "quality of classes": (INPUTS / "classes.csv", lambda path: quality_of_file(path, by="who")),
    "quality of numbers": (INPUTS / "regression.csv", lambda path: quality_of_file(path, by="dialect")),
    "ratings": (INPUTS / "rated-2.csv", rated),
    "gold": (INPUTS / "gold.csv", read_gold_texts),
    "recorded": (PROMISES / "saved" / "texts.csv", recorded),
    "labels": (INPUTS / "sheets" / "annotator-1.csv", lambda path: read_annotations([path])),
    "classes": (INPUTS / "labels.csv", lambda path: read_labelled([path])),
    "lesson": (INPUTS / "anger-train.txt", lambda path: read_lesson([path], dimension="anger")),
    "folder": (INPUTS / "rated-2.csv", foldered),
    "texts": (VERSIONS, perturbed),
    "edited": (VERSIONS, edited),
    "versions": (VERSIONS, lambda path: load_corpus(path).digest),
}
"""What tables are read for; each is fed in all four formats."""
CHAT = b"conversation,user,chatbot\n1,Hi,Hello\n1,How are you?,Fine\n2,My name is Ann,Hi Ann\n"
TEXTS: dict[str, tuple[str, bytes, Callable[[Path], Any]]] = {
    "tags": ("tags.jsonl", (INPUTS / "tags.jsonl").read_bytes(), read_tags),
    "trees": ("trees.conllu", 3 * TREE.encode(), read_trees),
    "spans": ("spans.conll", (INPUTS / "places.conll").read_bytes(), lambda path: read_tagged([path])),
    "gate": ("evenhand.toml", (INPUTS / "evenhand.toml").read_bytes(), read_config),
    "templates": ("hats_templates.csv", SUITE["hats_templates.csv"], suite),
    "terms": ("hats.csv", SUITE["hats.csv"], suite),
    "labelled trees": (
        "labels.txt",
        b"(3 (2 It) (4 works))\n(0 (1 It) (0 fails))\n",
        lambda path: read_labelled([path]),
    ),
    "submission": ("joy.txt", submitted(), submission),
    "gold of a study": ("joy-gold.txt", submitted(), read_gold),
    "chat": ("chat.csv", CHAT, lambda path: read_chat([str(path)], assign={})),
}
"""What is read line by line."""


def packaged(*parts: str) -> bytes:
    return files("evenhand").joinpath("data", *parts).read_bytes()


def language(path: Path) -> Any:
    return validated(Language, read_yaml(path), path)


def perturber(path: Path) -> Any:
    return Perturber("age", lexicon_file=path).versions("The old man and a 70-year-old, they said.")


def drawn(path: Path) -> Any:
    return read_recipe(path), own_draw(path)


LISTED = b"submissions:\n  - {system: a, dimension: joy, path: a.csv}\n"
THERE_AND_BACK = b"there: apertium:en-es\nback: {translator: x, settings: {a: [1]}}\n"
DECLARED = b"system: vader\nname: v\nsettings: {a: 1}\nhigh_is: {x: good}\n"
STRUCTURED: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
    "recipe": ((PROMISES / "saved" / "friends.yaml").read_bytes(), load_corpus),
    "drawn": (packaged("corpora", "surnames.yaml"), drawn),
    "references": (packaged("references", "phrases.yaml"), read_references),
    "system": (DECLARED, read_system_file),
    "translator": (THERE_AND_BACK, read_translator_file),
    "task": (packaged("prompts", "intensity.yaml"), read_task),
    "mapping": (packaged("rating_layout.yaml"), lambda path: read_mapping(path, path.parent)),
    "language": (packaged("languages", "en.yaml"), language),
    "manifest": (LISTED, find_entries),
    "lexicon": (packaged("lexicons", "age.yaml"), perturber),
}
"""What is written in YAML; files go by these names."""


def in_format(frame: pl.DataFrame, ending: str) -> bytes:
    content = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(content)
    elif ending == ".jsonl":
        frame.write_ndjson(content)
    else:
        frame.write_csv(content, separator="," if ending == ".csv" else "\t")
    return content.getvalue()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_damaged_tables_are_read_or_refused(name: str, ending: str, tmp_path: Path) -> None:
    read = TABLES[name][1]
    frame = rows_of(name)
    frame = frame.with_columns(
        frame[column].cast(pl.Float64, strict=False) for column in frame.columns
        if not frame[column].cast(pl.Float64, strict=False).has_nulls()
    ) if ending in (".jsonl", ".parquet") else frame  # fmt: skip
    content, path = in_format(frame, ending), tmp_path / f"fuzzed{ending}"

    @fuzzed(12)
    @given(damaged(content))
    def fed(given_: bytes) -> None:
        path.write_bytes(given_)
        read_or_refused(lambda: read(path), path)

    path.write_bytes(content)
    read(path)
    fed()


CELLS = st.one_of(nasty(), st.text(max_size=8), st.floats(), st.integers(), st.lists(st.integers(), max_size=3))


@pytest.mark.parametrize("name", TABLES)
def test_odd_cells_are_read_or_refused(name: str, tmp_path: Path) -> None:
    read = TABLES[name][1]
    rows = rows_of(name).head(12).to_dicts()
    path = tmp_path / "fuzzed.jsonl"

    @fuzzed(25)
    @given(mutated(rows), st.sampled_from([True, False]))
    def fed(made: Any, ascii_: bool) -> None:
        lines = [json.dumps(row, ensure_ascii=ascii_) for row in made] if isinstance(made, list) else ["{}"]
        path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
        read_or_refused(lambda: read(path), path)

    fed()


COLUMNS: dict[str, Callable[[int], pl.Series]] = {
    "lists": lambda n: pl.Series([[1]] * n),
    "arrays": lambda n: pl.Series([[1, 2]] * n, dtype=pl.Array(pl.Int64, 2)),
    "mappings": lambda n: pl.Series([{"a": 1}] * n),
    "bytes": lambda n: pl.Series([b"\xff"] * n),
    "categories": lambda n: pl.Series(["a", "b"] * n)[:n].cast(pl.Categorical),
    "nothing": lambda n: pl.Series([None] * n),
    "dates": lambda n: pl.Series(["2020-01-01"] * n).str.to_date(),
    "durations": lambda n: pl.Series([1] * n).cast(pl.Duration),
    "times": lambda n: pl.Series([1] * n).cast(pl.Time),
    "decimals": lambda n: pl.Series(["0.5"] * n).cast(pl.Decimal(10, 2)),
    "truths": lambda n: pl.Series([True] * n),
    "large": lambda n: pl.Series([1e308] * n),
    "no numbers": lambda n: pl.Series([float("nan"), float("inf")] * n)[:n],
    "unsigned": lambda n: pl.Series([2**64 - 1] * n, dtype=pl.UInt64),
    "long integers": lambda n: pl.Series([2**100] * n, dtype=pl.Int128),
    "single precision": lambda n: pl.Series([0.5] * n, dtype=pl.Float32),
    "surrounded": lambda n: pl.Series([" a\x1b]0;x\x07 "] * n),
}
"""What a column may hold instead."""


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("held", COLUMNS)
def test_columns_of_every_type_are_read_or_refused(name: str, held: str, tmp_path: Path) -> None:
    read = TABLES[name][1]
    frame = rows_of(name).head(12)
    for column in frame.columns:
        path = tmp_path / f"{frame.columns.index(column)}.parquet"
        frame.with_columns(COLUMNS[held](frame.height).alias(column)).write_parquet(path)
        read_or_refused(lambda path=path: read(path), path)


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_texts_are_read_or_refused(name: str, tmp_path: Path) -> None:
    file, content, read = TEXTS[name]
    path = tmp_path / file

    @fuzzed(100)
    @given(damaged(content))
    def fed(given_: bytes) -> None:
        path.write_bytes(given_)
        read_or_refused(lambda: read(path), path)

    path.write_bytes(content)
    read(path)
    fed()


@pytest.mark.parametrize("name", STRUCTURED)
def test_damaged_yaml_is_read_or_refused(name: str, tmp_path: Path) -> None:
    content, read = STRUCTURED[name]
    path = tmp_path / f"{name}.yaml"

    @fuzzed(50)
    @given(damaged(content))
    def fed(given_: bytes) -> None:
        path.write_bytes(given_)
        read_or_refused(lambda: read(path), path)

    fed()


@pytest.mark.parametrize("name", STRUCTURED)
def test_odd_values_in_yaml_are_read_or_refused(name: str, tmp_path: Path) -> None:
    content, read = STRUCTURED[name]
    path = tmp_path / f"{name}.yaml"

    @fuzzed(100)
    @given(mutated(yaml.safe_load(content)))
    def fed(values: Any) -> None:
        path.write_text(yaml.safe_dump(values, allow_unicode=False), encoding="utf-8")
        read_or_refused(lambda: read(path), path)

    fed()


@fuzzed(100)
@given(mutated(tomllib.loads((INPUTS / "evenhand.toml").read_text(encoding="utf-8"))))
def test_odd_settings_of_a_gate_are_taken_or_refused(values: Any) -> None:
    read_or_refused(lambda: checked(values, "evenhand.toml"), "evenhand.toml")


@fuzzed(300)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_text_is_json_or_refused(content: bytes) -> None:
    read_or_refused(lambda: json_values(content, "fuzzed.json"), "fuzzed.json")


@fuzzed(300)
@given(st.text(alphabet="[]{}:,-&*<!|>?#%@`'\"\\ \n\tab019.e+~=", max_size=120))
def test_any_text_is_yaml_or_refused(text: str) -> None:
    read_or_refused(lambda: yaml_values(text, "fuzzed.yaml"), "fuzzed.yaml")


SCALARS = (st.none(), st.booleans(), st.integers(-(2**63) + 1, 2**63 - 1), st.text(), st.floats(allow_nan=False))
PLAIN = st.recursive(
    st.one_of(*SCALARS).filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
)


@fuzzed(200)
@given(PLAIN)
def test_what_json_can_hold_comes_back(values: Any) -> None:
    assert json_values(json.dumps(values), "x.json") == values
    assert json_values(json.dumps(values, ensure_ascii=False).encode(), "x.json") == values


@fuzzed(200)
@given(PLAIN)
def test_what_yaml_can_hold_comes_back(values: Any) -> None:
    text = yaml.safe_dump(values)
    read = read_or_refused(lambda: yaml_values(text, "x.yaml"), "x.yaml")
    assert read is None or read == values
