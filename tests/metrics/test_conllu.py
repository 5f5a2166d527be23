"""Dependency trees: which arcs are right, LAS and UAS by group, and files that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import evenhand
from evenhand import EvenhandError, MeasureSettings, UsageError
from evenhand.cli.app import app
from evenhand.measuring import quality_of_file
from evenhand.metrics.conllu import BOTH, HEAD, NEITHER, predictions_of_parses, read_parses, read_trees

Arc = tuple[str, int, str]

RAIN: list[Arc] = [("It", 2, "expl"), ("rains", 0, "root"), (".", 2, "punct")]
SHE: list[Arc] = [("She", 2, "nsubj:pass"), ("was", 0, "root")]


def sentence(arcs: Sequence[Arc], **comments: str) -> str:
    said = "".join(f"# {name} = {value}\n" for name, value in comments.items())
    rows = "".join(
        f"{place}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n" for place, (form, head, label) in enumerate(arcs, 1)
    )
    return f"{said}{rows}\n"


def write(path: Path, *sentences: str) -> Path:
    path.write_text("".join(sentences), encoding="utf-8")
    return path


def test_an_arc_is_right_by_head_and_label_or_by_head_alone(tmp_path: Path) -> None:
    gold = write(tmp_path / "g.conllu", sentence(RAIN), sentence(SHE))
    wrong_label: list[Arc] = [("It", 2, "nsubj"), ("rains", 0, "root"), (".", 1, "punct")]
    subtype: list[Arc] = [("She", 2, "nsubj"), ("was", 0, "root")]
    found = read_parses(write(tmp_path / "p.conllu", sentence(wrong_label), sentence(subtype)), gold)
    assert [one.right for one in found] == [(HEAD, BOTH, NEITHER), (BOTH, BOTH)]


def test_multi_word_tokens_and_empty_nodes_are_no_words(tmp_path: Path) -> None:
    row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
    text = (
        row.format("1-2", "don't", "_", "_") + row.format(1, "do", 2, "aux") + row.format(2, "n't", 0, "root")
        + row.format("2.1", "went", "_", "_") + "\n"
    )  # fmt: skip
    (tree,) = read_trees(write(tmp_path / "g.conllu", text))
    assert (tree.forms, tree.heads, tree.labels) == (("do", "n't"), (2, 0), ("aux", "root"))


def test_sentences_are_matched_by_their_ids_in_any_order(tmp_path: Path) -> None:
    gold = write(tmp_path / "g.conllu", sentence(RAIN, sent_id="a"), sentence(SHE, sent_id="b"))
    predicted = write(tmp_path / "p.conllu", sentence(SHE, sent_id="b"), sentence(RAIN, sent_id="a"))
    assert [len(one.right) for one in read_parses(predicted, gold)] == [3, 2]
    with pytest.raises(EvenhandError, match=r"lacks 1 of the sentences of .*; the first is 'a'"):
        read_parses(write(tmp_path / "q.conllu", sentence(SHE, sent_id="b")), gold)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Dialect b is parsed worse: of its five arcs, three heads and two labels are right."""
    poor_rain: list[Arc] = [("It", 3, "expl"), ("rains", 0, "root"), (".", 2, "obj")]
    poor_she: list[Arc] = [("She", 1, "nsubj"), ("was", 0, "root")]
    gold = [sentence(RAIN, group="a"), sentence(SHE, group="a"), sentence(RAIN, group="b"), sentence(SHE, group="b")]
    said = [sentence(RAIN), sentence(SHE), sentence(poor_rain), sentence(poor_she)]
    return write(tmp_path / "p.conllu", *said), write(tmp_path / "g.conllu", *gold, sentence(RAIN))


def test_las_and_uas_by_group_by_hand(files: tuple[Path, Path]) -> None:
    predicted, gold = files
    predicted.write_text(predicted.read_text(encoding="utf-8") + sentence(RAIN), encoding="utf-8")
    found = quality_of_file(predicted, by="group", settings=MeasureSettings(bootstrap=200), gold=gold)
    assert (found.kind, found.left_out) == ("arcs", 3)  # the words of the sentence without a group
    assert (found["a"].measures["las"].value, found["a"].measures["uas"].value) == (1.0, 1.0)
    assert found["b"].measures["las"].value == pytest.approx(2 / 5)
    assert found["b"].measures["uas"].value == pytest.approx(3 / 5)
    assert found["b"].clusters == 2
    assert found.difference("a", "b").measures["las"].value == pytest.approx(3 / 5)
    interval = found.difference("a", "b").measures["las"].interval
    assert interval is not None
    assert interval[0] <= 3 / 5 <= interval[1]


def test_the_metric_compares_las_of_two_groups(files: tuple[Path, Path]) -> None:
    predicted, gold = files
    gold.write_text(gold.read_text(encoding="utf-8").rpartition("1\tIt")[0].rstrip() + "\n\n", encoding="utf-8")
    rows = predictions_of_parses(read_parses(predicted, gold), gold)
    assert rows.arcs is not None
    np.testing.assert_array_equal(rows.arcs, [[3, 3], [2, 2], [1, 3], [1, 2]])
    found = evenhand.measure(predicted, gold=gold, settings=MeasureSettings(groups=("a", "b"), bootstrap=50))
    assert found["las_difference"]["all"].value == pytest.approx(3 / 5)
    for _ in range(2):  # the same command, run again
        again = MeasureSettings(groups=("a", "b"), bootstrap=50)
        evenhand.measure(predicted, gold=gold, settings=again, out=gold.parent / "out")


def test_people_type_it(files: tuple[Path, Path]) -> None:
    predicted, gold = files
    predicted.write_text(predicted.read_text(encoding="utf-8") + sentence(RAIN), encoding="utf-8")
    words = ["measure", str(predicted), "--gold", str(gold), "--by", "group", "--bootstrap", "50"]
    values = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert values["by_group"]["b"]["measures"]["las"]["value"] == pytest.approx(0.4)
    shown = CliRunner().invoke(app, words).stdout
    assert "las" in shown
    assert "0.400" in shown


BAD = {
    "spaces for tabs": ("1 It _ _ _ _ 0 root _ _\n\n", "line 1: 1 columns where CoNLL-U has 10"),
    "a head that is none": (
        sentence([("It", 0, "root")]).replace("\t0\t", "\t_\t"),
        "line 1: the head '_' is no number",
    ),
    "a head too far": (sentence([("It", 7, "root")]), "line 1: the head 7 in a sentence of 1 words"),
    "a word is missing": (sentence(RAIN).partition("\n")[2], "line 1: the word '2' where 1 should come"),
    "comments only": ("# group = a\n\n", "line 1: a sentence without words"),
    "nothing": ("\n\n", "holds no sentence"),
    "other words": (sentence([*RAIN[:2], ("!", 2, "punct")]), "the sentences differ from word 3 on"),
    "fewer words": (sentence([("It", 2, "expl"), ("rains", 0, "root")]), "the sentences differ from word 3 on"),
    "more sentences": (sentence(RAIN) * 2, "holds 2 sentences, and"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_clear_line(case: str, tmp_path: Path) -> None:
    text, message = BAD[case]
    gold = write(tmp_path / "g.conllu", sentence(RAIN, group="a"))
    with pytest.raises(EvenhandError) as caught:
        read_parses(write(tmp_path / "p.conllu", text), gold)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    trees = write(tmp_path / "p.conllu", sentence(RAIN))
    table = write(tmp_path / "p.csv", "source,group,score\n")
    with pytest.raises(UsageError, match="name the file of the gold trees"):
        evenhand.measure(trees)
    with pytest.raises(UsageError, match="does not"):
        evenhand.measure(table, gold=trees)
    with pytest.raises(UsageError, match="one file of predicted trees"):
        evenhand.measure([trees, trees], gold=trees)
    with pytest.raises(EvenhandError, match="no sentence has a comment '# group"):
        evenhand.measure(trees, gold=trees)
    with pytest.raises(EvenhandError, match="no such file"):
        read_trees(tmp_path / "none.conllu")
    (tmp_path / "latin.conllu").write_bytes("# é\n".encode("latin-1"))
    with pytest.raises(EvenhandError, match="not UTF-8"):
        read_trees(tmp_path / "latin.conllu")
