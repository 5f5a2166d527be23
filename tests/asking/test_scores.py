from __future__ import annotations

import dataclasses
import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import Output

VALENCE = Column("hf:org/model", Output("valence", low=-1, high=1, high_is="good"), "f1")
LOGIT = Column("py:mine", Output("logit", low=None, high=None, unit=2.5), None)


def scores(columns: tuple[Column, ...] = (VALENCE, LOGIT), digest: str = "digest") -> Scores:
    matrix = np.array([[0.1, -0.0], [1 / 3, 1e300], [-1, 5e-324]])[:, : len(columns)]
    return Scores(("b", "a", "ü"), matrix, columns, digest)


def test_saved_scores_come_back_bit_for_bit(tmp_path: Path) -> None:
    saved = scores()
    saved.save(tmp_path / "scores.parquet")
    loaded = Scores.load(tmp_path / "scores.parquet")
    assert loaded.matrix.tobytes() == saved.matrix.tobytes()
    assert (loaded.ids, loaded.columns, loaded.corpus_digest) == (saved.ids, saved.columns, saved.corpus_digest)


def test_how_often_was_asked_comes_back_and_older_files_were_asked_once(tmp_path: Path) -> None:
    drawn = dataclasses.replace(VALENCE, draws=5, draw_spread=0.125)
    scores((drawn, LOGIT)).save(tmp_path / "scores.parquet")
    assert Scores.load(tmp_path / "scores.parquet").columns == (drawn, LOGIT)
    frame = pl.read_parquet(tmp_path / "scores.parquet")
    metadata = json.loads(pl.read_parquet_metadata(tmp_path / "scores.parquet")["evenhand"])
    for column in metadata["columns"]:
        del column["draws"], column["draw_spread"]
    frame.write_parquet(tmp_path / "older.parquet", metadata={"evenhand": json.dumps(metadata)})
    assert Scores.load(tmp_path / "older.parquet").columns == (VALENCE, LOGIT)


def test_the_same_scores_give_the_same_bytes(tmp_path: Path) -> None:
    scores().save(tmp_path / "one")
    Scores.load(tmp_path / "one").save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_file_is_a_plain_table_with_provenance(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores().save(path)
    frame = pl.read_parquet(path)
    assert frame.schema == {"id": pl.String, "hf:org/model/valence": pl.Float64, "py:mine/logit": pl.Float64}
    provenance = json.loads(pl.read_parquet_metadata(path)["evenhand"])
    assert provenance["corpus_digest"] == "digest"
    assert [column["fingerprint"] for column in provenance["columns"]] == ["f1", None]
    assert [(c["output"]["low"], c["output"]["high"]) for c in provenance["columns"]] == [(-1, 1), (None, None)]
    assert set(provenance["packages"]) == {"evenhand", "numpy", "polars", "python"}


def test_scores_without_a_row_come_back(tmp_path: Path) -> None:
    Scores((), np.empty((0, 1)), (VALENCE,), "digest").save(tmp_path / "scores.parquet")
    assert Scores.load(tmp_path / "scores.parquet").matrix.shape == (0, 1)


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.parquet"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(EvenhandError, match=r"scores\.parquet cannot be written: No space left on device$"):
        scores().save(path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("scores.parquet", "old")]


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvenhandError, match=r"file/scores\.parquet cannot be written: File exists$"):
        scores().save(tmp_path / "file" / "scores.parquet")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no such file: .*scores\.parquet"):
        Scores.load(tmp_path / "scores.parquet")


@pytest.mark.parametrize("cut", [0, 10, 500])
def test_a_damaged_file_is_named(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "scores.parquet"
    scores().save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(EvenhandError, match=r"scores\.parquet is not a Parquet file, or a damaged one"):
        Scores.load(path)


def test_another_table_is_not_taken_for_scores(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"id": ["a"]}).write_parquet(path)
    with pytest.raises(UsageError, match="not one of scores that Evenhand saved"):
        Scores.load(path)


@pytest.mark.parametrize(
    "metadata",
    ["not json", "[]", "{}", '{"format": 99}', '{"format": 1, "corpus_digest": "d", "columns": [{"system": "s"}]}'],
)
def test_metadata_that_cannot_be_read_is_one_clear_line(tmp_path: Path, metadata: str) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"id": ["a"]}).write_parquet(path, metadata={"evenhand": metadata})
    with pytest.raises(EvenhandError, match="does not hold scores that this version of Evenhand can read"):
        Scores.load(path)


def test_join_puts_systems_side_by_side() -> None:
    whole = scores()
    parts = [Scores(whole.ids, whole.matrix[:, [k]], whole.columns[k : k + 1], "digest") for k in (0, 1)]
    joined = Scores.join(parts)
    assert joined.columns == whole.columns
    assert joined.matrix.tobytes() == whole.matrix.tobytes()


def test_join_refuses_another_corpus_and_the_same_column_twice() -> None:
    with pytest.raises(UsageError, match="different corpora"):
        Scores.join([scores((VALENCE,)), scores((LOGIT,), digest="another")])
    with pytest.raises(UsageError, match="'hf:org/model/valence' 2 times"):
        Scores.join([scores((VALENCE,)), scores((VALENCE,))])
    with pytest.raises(UsageError, match="no scores"):
        Scores.join([])


def test_select_gives_the_rows_asked_for_in_that_order() -> None:
    chosen = scores().select(["ü", "b"])
    assert chosen.ids == ("ü", "b")
    assert chosen.matrix.tolist() == scores().matrix[[2, 0]].tolist()
    assert scores().select([]).matrix.shape == (0, 2)
    with pytest.raises(UsageError, match="no score for 1 of 2 sentences, the first of them 'z'"):
        scores().select(["a", "z"])


def test_scores_cannot_be_changed() -> None:
    mine = np.zeros((3, 2))
    kept = Scores(("a", "b", "c"), mine, (VALENCE, LOGIT), "digest")
    mine[:] = 1
    assert not kept.matrix.any()
    with pytest.raises(ValueError, match="read-only"):
        kept.matrix[0, 0] = 1
    field: Any = "ids"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(kept, field, ())


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    with pytest.raises(EvenhandError, match="do not fit 1 ids and 1 columns"):
        Scores(("a",), np.zeros((2, 1)), (VALENCE,), "digest")
    with pytest.raises(UsageError, match="the id 'a' 2 times"):
        Scores(("a", "a"), np.zeros((2, 1)), (VALENCE,), "digest")


def three() -> Scores:
    """Two columns of one system and one of another, side by side."""
    second = Column("hf:org/model", Output("joy"), "f1")
    return Scores(("b", "a"), np.arange(6.0).reshape(2, 3), (VALENCE, second, LOGIT), "digest")


def test_the_columns_of_a_system_are_seen_where_they_are() -> None:
    whole = three()
    one, other = whole.of_system("hf:org/model"), whole.of_system("py:mine")
    assert one.matrix.tolist() == [[0.0, 1.0], [3.0, 4.0]]
    assert other.matrix.tolist() == [[2.0], [5.0]]
    assert np.shares_memory(one.matrix, whole.matrix)
    with pytest.raises(ValueError, match="read-only"):
        one.matrix[0, 0] = 1
    apart = whole.pick([0, 2])
    assert (apart.matrix.tolist(), apart.columns) == ([[0.0, 2.0], [3.0, 5.0]], (VALENCE, LOGIT))


def test_columns_of_one_matrix_are_joined_without_a_copy() -> None:
    whole = three()
    one, other = whole.of_system("hf:org/model"), whole.of_system("py:mine")
    again = Scores.join([one, other])
    assert np.shares_memory(again.matrix, whole.matrix)
    assert again.matrix.tolist() == whole.matrix.tolist()
    turned = Scores.join([other, one])
    assert turned.matrix.tolist() == whole.matrix[:, [2, 0, 1]].tolist()
    assert np.shares_memory(Scores.join([other]).matrix, whole.matrix)


def test_rows_upside_down_are_not_taken_for_the_matrix_itself() -> None:
    whole = three()
    columns = [Scores(whole.ids, whole.matrix[::-1, [k]], whole.columns[k : k + 1], "digest") for k in (0, 1)]
    views = [Scores(whole.ids, whole.matrix[::-1, k : k + 1], whole.columns[k : k + 1], "digest") for k in (0, 1)]
    for parts in (columns, views):
        assert Scores.join(parts).matrix.tolist() == [[3.0, 4.0], [0.0, 1.0]]


def test_scores_share_what_nobody_can_write_to_and_copy_what_somebody_can() -> None:
    whole = three()
    assert dataclasses.replace(whole, corpus_digest="another").matrix is whole.matrix
    assert whole.select(["b", "a"]) is whole
    mine = np.zeros((2, 3))
    view = mine[:]
    view.flags.writeable = False
    kept = dataclasses.replace(whole, matrix=view)
    mine[:] = 1
    assert not kept.matrix.any()


def test_what_was_not_asked_is_known_after_loading_and_nothing_else_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    answers = np.array([[0.1, np.nan], [0.2, 1.0], [np.nan, np.nan]])
    some = Scores(("b", "a", "ü"), answers, (VALENCE, LOGIT), "digest")
    some.save(path)
    assert Scores.load(path).to_bytes() == some.to_bytes()
    frame, kept = pl.read_parquet(path), pl.read_parquet_metadata(path)
    for changed, complaint in (
        (frame.with_columns(pl.col("py:mine/logit").fill_nan(float("inf"))), "row 1: inf is not a finite number"),
        (frame.with_columns(pl.lit(float("nan")).alias("hf:org/model/valence")), "row 1: nan is not a finite number"),
        (frame.with_columns(pl.col("py:mine/logit").fill_nan(0.0)), "no number is missing, and 2 should be"),
    ):
        changed.write_parquet(path, metadata=kept)
        with pytest.raises(EvenhandError, match=complaint):
            Scores.load(path)
