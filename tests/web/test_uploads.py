"""What somebody sends: audited in a process of its own, or refused in one clear line; nothing is left behind."""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from starlette.testclient import TestClient

from evenhand.corpora import load_corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import table_bytes
from evenhand.verbs.saved import load_result
from evenhand.web import jobs as jobs_room
from evenhand.web.app import application
from evenhand.web.explorer import Explorer

CORPUS = "es-emotions"
PATIENCE = 300
"""Seconds that a job may take on a busy machine."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def taking(folder: Path, store: Path) -> Iterator[Explorer]:
    made = Explorer(folder, systems=["vader"], cache=store, most_upload=3_000_000)
    yield made
    made.close()


@pytest.fixture(scope="module")
def sender(taking: Explorer) -> TestClient:
    return TestClient(application(taking), base_url="http://localhost", raise_server_exceptions=False)


def predictions() -> pl.DataFrame:
    """Women are scored 0.05 higher."""
    frame = load_corpus(CORPUS).frame
    return pl.DataFrame({"id": frame["id"], "score": [0.5 + 0.05 * (one == "female") for one in frame["gender"]]})


def send(sender: TestClient, content: bytes, file: str, **said: Any) -> Any:
    about = {"name": "mine", "corpus": CORPUS} | said
    return sender.post("/api/uploads", files={"file": (file, content)}, data=about)


def over(sender: TestClient, id_: str) -> dict[str, Any]:
    """A job once nothing more will happen."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        job: dict[str, Any] = sender.get(f"/api/jobs/{id_}").json()
        if job["state"] not in ("waiting", "running"):
            return job
        time.sleep(0.05)
    pytest.fail("it takes too long")


def parquet() -> bytes:
    return table_bytes(predictions(), ".parquet")


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_predictions_are_audited(sender: TestClient, taking: Explorer, folder: Path, ending: str) -> None:
    content = table_bytes(predictions(), ending)
    sent = send(sender, content, f"../../my predictions{ending}", high_is="good")
    assert sent.status_code == 202, sent.text
    job = over(sender, sent.json()["id"])
    assert job["state"] == "done", job
    page = sender.get(f"/jobs/{job['id']}")  # which looks for the result
    assert f"/results/{job['result']}" in page.text
    found = sender.get(f"/api/results/{job['result']}").json()
    assert found["result"]["headline"] == "Scores sentences about women 0.050 higher than sentences about men"
    assert found["result"]["systems"] == ["mine"]
    saved = load_result(folder / found["result"]["place"])
    assert "men" in str(saved)
    assert list(taking.jobs._places.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["uploads"]


def zipped() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("x.csv", "id,score\n")
    return content.getvalue()


def csv_with(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[], bytes]:
    return lambda: table_bytes(change(predictions()))


BAD: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "nothing": ("x.csv", lambda: b"", "the file is empty"),
    "another ending": ("x.pkl", lambda: b"\x80\x04", "send a file that ends in .csv, .tsv, .jsonl, .parquet"),
    "no ending": ("predictions", lambda: b"id,score\n", "send a file that ends in"),
    "a script": ("x.py", lambda: b"print(1)", "send a file that ends in"),
    "an archive": ("x.csv", zipped, "x.csv"),
    "too large": ("x.csv", lambda: b"id,score\n" + b"1,2\n" * 800_000, "at most"),
    "noise": ("x.csv", lambda: bytes(range(256)) * 40, "x.csv"),
    "another encoding": ("x.csv", lambda: "id,score\nä,1\n".encode("utf-16"), "x.csv"),
    "NUL bytes": ("x.csv", lambda: b"id,score\n\x00,\x00\n", "x.csv"),
    "a head alone": ("x.csv", lambda: b"id,score\n", "x.csv"),
    "no id and no text": ("x.csv", lambda: b"a,b\n1,2\n", "no column 'text' or 'id'"),
    "no prediction": ("x.csv", csv_with(lambda frame: frame.select("id")), "no column of predictions"),
    "words for numbers": ("x.csv", csv_with(lambda frame: frame.with_columns(score=pl.lit("many"))), "many"),
    "beyond the range": ("x.csv", csv_with(lambda frame: frame.with_columns(pl.col("score") * 10)), "x.csv"),
    "not a number": ("x.csv", csv_with(lambda frame: frame.with_columns(score=pl.lit(float("nan")))), "x.csv"),
    "half of the rows": ("x.csv", csv_with(lambda frame: frame.head(frame.height // 2)), "x.csv"),
    "of another corpus": ("x.csv", csv_with(lambda frame: frame.with_columns(id="z" + pl.col("id"))), "x.csv"),
    "rows that disagree": (
        "x.csv", csv_with(lambda frame: pl.concat([frame, frame.head(1).with_columns(score=pl.lit(0.9))])), "x.csv",
    ),
    "rows of other lengths": ("x.csv", lambda: b"id,score\n1,2,3,4\n5\n", "x.csv"),
    "JSON of another shape": ("x.jsonl", lambda: b'[[["deep"]]]\n{"id": 1\n', "x.jsonl"),
    "JSON without an end": ("x.jsonl", lambda: b'{"a":' * 20_000, "x.jsonl"),
    "CSV called Parquet": ("x.parquet", lambda: b"id,score\n1,2\n", "x.parquet"),
    "Parquet cut off": ("x.parquet", lambda: parquet()[:-40], "x.parquet"),
    "Parquet with damaged pages": (
        "x.parquet", lambda: parquet()[:4] + b"\xff" * 60 + parquet()[64:], "x.parquet",
    ),
}  # fmt: skip


def test_there_are_more_than_twenty_kinds_of_bad_uploads() -> None:
    assert len(BAD) > 20


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_upload_is_told_in_a_line_and_leaves_nothing(
    sender: TestClient, taking: Explorer, folder: Path, kind: str
) -> None:
    name, make, message = BAD[kind]
    before = sorted(folder.rglob("*"))
    sent = send(sender, make(), name)
    if sent.status_code == 202:
        job = over(sender, sent.json()["id"])
        assert job["state"] == "failed", job
        said = job["message"]
        assert said in sender.get(f"/jobs/{job['id']}").text.replace("&#39;", "'").replace("&#34;", '"')
    else:
        assert sent.status_code in (413, 422), sent.text
        said = sent.json()["detail"]
    assert message in said
    assert "\n" not in said
    assert "Traceback" not in said
    for hidden in (str(taking.jobs._places), str(folder), "upload."):
        assert hidden not in said
    assert sender.get("/api/systems").status_code == 200
    assert sorted(folder.rglob("*")) == before
    assert list(taking.jobs._places.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"corpus": "../eec"}, "there is no corpus '../eec'"),
        ({"corpus": "chat:/etc/passwd"}, "there is no corpus"),
        ({"name": " "}, "give the system a name"),
        ({"name": "x" * 101}, "give the system a name"),
        ({"name": "a\x1b[31m"}, "give the system a name"),
        ({"low": "0"}, "give both ends"),
        ({"low": "1", "high": "0"}, "the lower first"),
        ({"low": "nan", "high": "1"}, "the range of the scores"),
        ({"low": "x", "high": "1"}, "low: "),
        ({"high_is": "great"}, "high_is: "),
    ],
)
def test_what_is_said_of_it_is_checked(sender: TestClient, said: dict[str, str], message: str) -> None:
    answer = send(sender, b"id,score\n1,1\n", "x.csv", **said)
    assert answer.status_code == 422
    assert message in answer.json()["detail"]


def test_a_form_without_a_file_is_refused(sender: TestClient) -> None:
    answer = sender.post("/api/uploads", data={"name": "mine"})
    assert answer.status_code == 422
    assert sender.post("/upload", data={"name": "mine"}).status_code == 422


def test_the_form_of_the_page_says_what_is_wrong(sender: TestClient) -> None:
    answer = sender.post("/upload", files={"file": ("x.pkl", b"x")}, data={"name": "mine"})
    assert answer.status_code == 422
    assert "send a file that ends in .csv" in answer.text
    assert "<form" in answer.text


class Slow:
    """In the place of a worker: it works until it is killed."""

    def __init__(self, what: str) -> None:
        self._killed = threading.Event()

    def call(self, *given: object) -> None:
        self._killed.wait(30)
        raise EvenhandError("its process was killed by SIGKILL")

    def kill(self) -> None:
        self._killed.set()

    def close(self) -> None:
        pass


def waiting_upload(jobs: jobs_room.Jobs) -> jobs_room.Job:
    return jobs.enter(jobs_room.Upload("x.csv", ".csv", "mine", CORPUS), lambda path: path.write_bytes(b"id") and None)


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., jobs_room.Jobs]:
    monkeypatch.setattr(jobs_room, "Child", Slow)
    return lambda **settings: jobs_room.Jobs(tmp_path / "store", tmp_path, most=1000, **settings)


def test_what_a_stop_leaves_unfinished_is_told_as_that(slow: Callable[..., jobs_room.Jobs], tmp_path: Path) -> None:
    jobs = slow()
    one, other = waiting_upload(jobs), waiting_upload(jobs)
    while jobs.get(one.id).state == "waiting":
        time.sleep(0.01)
    jobs.close()
    assert [path.name for path in tmp_path.rglob("upload*")] == []
    again = slow()
    for job in (one, other):
        told = again.get(job.id)
        assert (told.state, told.over) == ("interrupted", True)
        assert "send it again" in told.message
    again.close()


def test_what_takes_too_long_is_stopped(slow: Callable[..., jobs_room.Jobs]) -> None:
    jobs = slow(longest=0.1)
    job = waiting_upload(jobs)
    while not jobs.get(job.id).over:
        time.sleep(0.01)
    assert jobs.get(job.id).message.startswith("it took more than ")
    jobs.close()


def test_there_is_room_for_so_many_jobs(slow: Callable[..., jobs_room.Jobs]) -> None:
    jobs = slow()
    for _ in range(jobs_room.MOST_WAITING + 1):
        waiting_upload(jobs)
        while jobs._waiting.qsize() == 1 and jobs.all()[-1].state == "waiting":
            time.sleep(0.01)
    with pytest.raises(UsageError, match="jobs are waiting already"):
        waiting_upload(jobs)
    jobs.close()


def test_what_is_still_being_sent_takes_room_too(
    slow: Callable[..., jobs_room.Jobs], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = slow()
    monkeypatch.setattr(jobs_room, "MOST_WAITING", 1)

    def write(path: Path) -> None:
        path.touch()
        with pytest.raises(UsageError, match="jobs are waiting already"):
            jobs.refuse_more()

    jobs.enter(jobs_room.Upload("x.csv", ".csv", "x", "eec"), write)
    jobs.close()


def test_two_explorers_do_not_take_each_others_jobs_away(slow: Callable[..., jobs_room.Jobs]) -> None:
    jobs = slow()
    with pytest.raises(UsageError, match="another explorer is serving this folder"):
        slow()
    jobs.close()
    slow().close()


def test_a_worker_that_dies_fails_its_job_alone(sender: TestClient, taking: Explorer) -> None:
    sent = send(sender, table_bytes(predictions()), "x.csv").json()
    while taking.jobs.get(sent["id"]).state == "waiting" or taking.jobs._child is None:
        time.sleep(0.01)
    taking.jobs._child.kill()
    job = over(sender, sent["id"])
    assert job["state"] == "failed"
    assert "its process was killed by SIGKILL" in job["message"]
    assert list(taking.jobs._places.iterdir()) == []
    assert sender.get("/api/jobs").status_code == 200


def test_a_corpus_can_be_scored_elsewhere_and_comes_back(sender: TestClient) -> None:
    corpus = sender.get(f"/api/corpora/{CORPUS}")
    frame = pl.read_csv(corpus.content, infer_schema=False)
    assert frame["text"].to_list() == load_corpus(CORPUS).frame["text"].to_list()
    assert CORPUS in [one["name"] for one in json.loads(sender.get("/api/corpora").text)]
