"""People write their own corpora in the same format, and are told what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evenhand.corpora import load_corpus
from evenhand.errors import EvenhandError, UsageError

RECIPE = {
    "name": "own",
    "attributes": {"age": ["young", "old"]},
    "persons": [
        {"kind": "noun_phrase", "age": "young", "terms": ["the student", "the teenager"]},
        {"kind": "noun_phrase", "age": "old", "terms": ["the pensioner", "the grandparent"]},
    ],
    "slots": {"thing": {"words": ["hour", "unicorn", "apple"]}},
    "templates": ["{person} has {a} {thing}.", "We gave {person.object} {a} {thing} for {person.reflexive}."],
}


def write(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(RECIPE | changes))
    return path


def test_a_recipe_becomes_sentences(tmp_path: Path) -> None:
    corpus = load_corpus(write(tmp_path))
    assert len(corpus) == 2 * 3 * 4
    texts = set(corpus.frame["text"])
    assert {"The student has an hour.", "The pensioner has a unicorn."} <= texts
    assert "We gave the student an apple for themself." in texts
    assert corpus.frame["thing"].n_unique() == 3


def test_order_and_ids_are_fixed(tmp_path: Path) -> None:
    one, two = (load_corpus(write(tmp_path)) for _ in range(2))
    assert one.frame.equals(two.frame)
    assert one.digest == two.digest
    assert one.frame["id"].to_list()[:2] == ["own-00001", "own-00002"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"templates": ["{person} has {a} {think}."]}, r"unknown slot \{think\}; did you mean 'thing'"),
        ({"templates": ["Nobody has {a} {thing}."]}, r"has no \{person\}"),
        ({"templates": ["{person} naps.", "{person} naps."]}, "'The student naps.' more than once"),
        ({"persons": RECIPE["persons"][:1]}, "no sentence has age = 'old'"),  # type: ignore[index]
        ({"persons": [{"terms": ["x"], "age": "middle"}]}, "persons have age 'middle'"),
        ({"persons": [{"terms": ["x"], "gender": "female"}]}, "'gender', which is not among the attributes"),
        ({"persons": [{"paired": "age", "pairs": [["a", "b", "c"]]}]}, "has 3 places; 'age' has 2 groups"),
        ({"persons": [{"pairs": [["a", "b"]]}]}, "pairs need 'paired: ATTRIBUTE'"),
        ({"persons": [{"terms": [True]}]}, r"persons\.0\.terms\.0: .*string"),
        ({"attributes": {"age": ["young"]}}, "'age' needs at least two different groups"),
        ({"attributes": {"text": ["a", "b"]}}, "'text' is a column of every corpus"),
        ({"groupings": ["templat"]}, "grouping 'templat' is not a column; did you mean 'template'"),
        ({"subsets": {"odd": {"thin": "x"}}}, "subset 'odd': no column 'thin'"),
        ({"language": "tlh"}, "no rules for the language 'tlh'"),
        ({"templats": []}, "templats: unknown key; did you mean 'templates'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        load_corpus(write(tmp_path, **changes))


def test_broken_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("name: [")
    with pytest.raises(EvenhandError, match="not valid YAML"):
        load_corpus(path)


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(UsageError, match="unknown corpus 'ecc'; did you mean 'eec'"):
        load_corpus("ecc")
    with pytest.raises(UsageError, match=r"no such corpus file: nowhere\.csv"):
        load_corpus("nowhere.csv")
    with pytest.raises(UsageError, match="no spelling 'releasd'; did you mean 'released'"):
        load_corpus("eec", spelling="releasd")


def test_a_file_that_is_no_mapping_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("just words")
    with pytest.raises(EvenhandError, match="a recipe is a mapping with the keys name, attributes, persons"):
        load_corpus(path)
