"""The one door for files: what is no plain file is refused, as is what is larger than may be."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import MOST, MOST_YAML, VARIABLE, _up_to, most_bytes, read_bytes, read_text
from evenhand.files.structured import read_json, read_yaml
from evenhand.files.tables import TableFile
from evenhand.verbs.saved import load_result


@pytest.mark.parametrize("name", ["report.json", "p.yaml", "p.csv", "p.jsonl", "p.parquet", "p.skops"])
def test_devices_pipes_and_folders_are_refused_at_once(name: str, tmp_path: Path) -> None:
    for what, make in {
        "a device": lambda path: path.symlink_to("/dev/zero"),
        "a pipe": lambda path: os.mkfifo(path),
        "a folder": lambda path: path.mkdir(),
    }.items():
        path = tmp_path / what / name
        path.parent.mkdir()
        make(path)
        with pytest.raises(EvenhandError, match=f"cannot be read: it is {what}"):
            read_bytes(path)


def test_a_name_that_cannot_be_one_is_no_file() -> None:
    for name in ("nowhere.csv", "a\0b.csv"):
        with pytest.raises(UsageError, match="no such file: "):
            read_bytes(Path(name))


@pytest.mark.parametrize(
    ("said", "bytes_"), [("500MB", 5 * 10**8), ("1.5 gb", 15 * 10**8), ("12", 12), ("64k", 64_000), ("2T", 2 * 10**12)]
)
def test_the_size_that_is_allowed_is_said_in_bytes_or_units(
    said: str, bytes_: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, said)
    assert most_bytes() == most_bytes(MOST_YAML) == bytes_


def test_without_it_half_of_the_memory_is_allowed_and_less_of_what_is_written_by_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert most_bytes(MOST_YAML) == MOST_YAML < most_bytes() <= MOST


@pytest.mark.parametrize("said", ["much", "-1", "0", "1e9", "9" * 50, "1 PB"])
def test_a_size_that_is_none_is_refused(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, said)
    with pytest.raises(UsageError, match=f"{VARIABLE} must be a size such as 500MB"):
        most_bytes()


def test_files_that_are_too_large_are_refused_with_what_allows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.json", "a.yaml", "a.csv", "a.jsonl", "a.parquet", "a.txt"):
        (tmp_path / name).write_bytes(b" " * 1_001)
    monkeypatch.setenv(VARIABLE, "1kB")
    reads = {"a.json": read_json, "a.yaml": read_yaml, "a.txt": read_text}
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(EvenhandError, match=rf"{path.name} has 1 kB.*1 kB are read at most.*{VARIABLE}=20GB"):
            reads.get(path.name, lambda path: TableFile(path).whole)(path)


def test_a_sparse_file_of_a_terabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "report.json").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(EvenhandError, match=r"report\.json has 1 TB"):
        load_result(tmp_path)


def test_parquet_that_unpacks_to_more_than_there_may_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes that stand for millions of rows."""
    path = tmp_path / "bomb.parquet"
    pl.select(id=pl.repeat(1, 30_000_000, dtype=pl.Int64)).write_parquet(path, row_group_size=30_000_000)
    assert path.stat().st_size < 200_000
    monkeypatch.setenv(VARIABLE, "100MB")
    with pytest.raises(EvenhandError, match=r"bomb\.parquet unpacks to 30,000,000 rows in 1 columns, about "):
        _ = TableFile(path).whole


def test_parquet_whose_texts_are_one_text_many_times_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.parquet"
    pl.DataFrame({"text": pl.repeat("x" * 10_000, 20_000, eager=True)}).write_parquet(path)
    monkeypatch.setenv(VARIABLE, "50MB")
    with pytest.raises(EvenhandError, match=r"bomb\.parquet: the texts of column 'text' take more than 50 MB"):
        _ = TableFile(path).whole


def test_rows_that_each_name_another_column_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wide.jsonl"
    path.write_text("\n".join(f'{{"{row}": 1}}' for row in range(3_000)))
    monkeypatch.setenv(VARIABLE, "20MB")
    with pytest.raises(EvenhandError, match=r"wide\.jsonl has 9,000,000 cells, which do not fit in memory"):
        _ = TableFile(path).frame


def test_a_footer_that_lies_is_found_out(tmp_path: Path) -> None:
    """Whichever count of three is made a count of two: the file is refused, or all rows are there."""
    path = tmp_path / "lying.parquet"
    pl.DataFrame({"id": [1, 2, 3]}).write_parquet(path, compression="uncompressed")
    content, refused = path.read_bytes(), 0
    for place in [place for place, byte in enumerate(content) if byte == 6]:  # three, in zigzag
        path.write_bytes(content[:place] + b"\x04" + content[place + 1 :])
        try:
            read = TableFile(path).whole
        except EvenhandError:
            refused += 1
        else:
            assert read.height == 3
    assert refused >= 3


def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_most(tmp_path: Path) -> None:
    class Growing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return b"x" * (size or 0)

    assert len(_up_to(1_000_000, Growing(), 10)) == 1_000_001


def test_no_more_memory_is_asked_for_than_a_file_needs(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text("a\n1\n")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); from pathlib import Path; "
        "from evenhand.files.opened import read_bytes; read_bytes(Path('small.csv'))"
    )
    largest = {VARIABLE: "999999999999999T"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, env=os.environ | largest)


def test_a_panic_within_polars_is_reported_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def panics(*_: object, **__: object) -> None:
        os.write(2, b"thread panicked at src/lib.rs\n")
        raise pl.exceptions.PanicException("index out of bounds")

    path = tmp_path / "odd.parquet"
    pl.DataFrame({"a": ["x"]}).write_parquet(path)
    with (
        patch("polars.read_parquet", panics),
        pytest.raises(EvenhandError, match=r"odd\.parquet cannot be read"),
    ):
        _ = TableFile(path).frame
    os.write(2, b"heard again\n")
    assert capfd.readouterr().err == "heard again\n"
