"""What pages and API show is what the library finds, and every table and chart can be had."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import polars as pl
import pytest
from starlette.testclient import TestClient

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.verbs.saved import load_result
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry
from evenhand.web.kept import Kept


@pytest.fixture(scope="module")
def both(saved: Path) -> Audit:
    found = load_result(saved / "both")
    assert isinstance(found, Audit)
    return found


def test_an_audit_is_shown_with_all_its_gaps(client: TestClient, entries: dict[str, Entry], both: Audit) -> None:
    found = client.get(f"/api/results/{entries['both'].id}").json()
    assert found["text"] == str(both)
    assert [one["gap"] for one in found["gaps"]] == pytest.approx(
        [100 * one.mean_difference / one.span for one in both.findings]
    )
    page = client.get(f"/results/{entries['both'].id}").text
    assert page.count('class="strip-of') == len(both.findings) + 2  # each gap, and the boxes of the system chosen


def test_all_tables_and_charts_can_be_had(client: TestClient, entries: dict[str, Entry]) -> None:
    for place in ("both", "study", "compared"):
        base = f"/api/results/{entries[place].id}"
        about = client.get(base).json()
        assert "main" in about["tables"]
        assert about["figures"]
        for name in about["tables"]:
            answer = client.get(f"{base}/tables/{name}")
            assert answer.headers["content-type"] == "text/csv; charset=utf-8"
            assert pl.read_csv(io.BytesIO(answer.content), infer_schema=False).height > 0
        answer = client.get(f"{base}/figures/{about['figures'][0]}")
        assert answer.content.startswith(b"<svg")
        assert answer.headers["content-disposition"].startswith("attachment")


def test_boxes_hold_what_lies_between_their_ends(client: TestClient, entries: dict[str, Entry], both: Audit) -> None:
    base = f"/api/results/{entries['both'].id}/differences"
    everything = client.get(base, params={"finding": 1, "most": 1000}).json()
    assert everything["count"] == both.findings[1].n
    sizes = [abs(one["difference"]) for one in everything["differences"]]
    assert sizes == sorted(sizes, reverse=True)
    middle = sorted(one["difference"] for one in everything["differences"])[len(sizes) // 2]
    above = client.get(base, params={"finding": 1, "most": 1000, "low": middle}).json()
    assert all(one["difference"] >= middle for one in above["differences"])
    assert above["count"] == sum(one["difference"] >= middle for one in everything["differences"])
    one = client.get(f"{base}/{above['differences'][0]['row']}", params={"finding": 1}).json()
    assert one["difference"] == pytest.approx(above["differences"][0]["difference"])


def test_a_comparison_is_the_librarys(client: TestClient, entries: dict[str, Entry], saved: Path) -> None:
    one, other = (entries[f"model/{version}"].id for version in ("v1", "v2"))
    found = client.get("/api/compare", params={"one": one, "other": other}).json()
    asked = evenhand.compare(saved / "model" / "v1", saved / "model" / "v2")
    assert found["text"] == str(asked)
    assert found["gaps"][0]["difference"]["gap"] == asked.gaps[0].difference.generalising.estimate
    same = client.get("/api/compare", params={"one": one, "other": one})
    assert same.status_code == 422
    assert "compared with itself" in same.json()["detail"]
    study = client.get("/api/compare", params={"one": one, "other": entries["study"].id})
    assert "of the kind study" in study.json()["detail"]


def test_systems_of_one_audit_are_compared_once_they_are_chosen(client: TestClient, entries: dict[str, Entry]) -> None:
    id_ = entries["both"].id
    assert "Choose one on each side" in client.get(f"/compare?one={id_}&other={id_}").text
    asked = {"one": id_, "other": id_, "one_system": "vader", "other_system": "planted(gap=0.05)"}
    page = client.get("/compare", params=asked).text
    assert "<h1>planted(gap=0.05) against vader</h1>" in page


def test_versions_are_followed_in_the_order_of_their_dates(client: TestClient, entries: dict[str, Entry]) -> None:
    ids = [entries[f"model/{version}"].id for version in ("v2", "v1")]
    found = client.get("/api/follow", params={"id": ids}).json()
    assert [one["called"] for one in found] == ["v1", "v2"]
    assert found[0]["gap"] > found[1]["gap"]
    by_system = client.get("/api/follow", params={"system": "planted(gap=0.05)"}).json()
    assert {one["result"] for one in by_system} == {entries["both"].id}
    assert client.get("/api/follow").status_code == 422


def test_a_result_whose_scores_are_damaged_is_told(tmp_path: Path, saved: Path) -> None:
    shutil.copytree(saved / "model", tmp_path / "runs" / "model")
    scores = tmp_path / "runs" / "model" / "v1" / "scores.parquet"
    scores.write_bytes(scores.read_bytes()[:-30])
    (tmp_path / "runs" / "model" / "v2" / "scores.parquet").unlink()
    explorer = Explorer(tmp_path / "runs", systems=["vader"], cache=tmp_path / "cache")
    explorer.index.refresh()
    visitor = TestClient(application(explorer), base_url="http://localhost", raise_server_exceptions=False)
    listed = {one["place"]: one["id"] for one in visitor.get("/api/results").json()["results"]}
    broken = visitor.get(f"/results/{listed['model/v1']}")
    assert (broken.status_code, "model/v1/scores.parquet" in broken.text) == (422, True)
    assert str(tmp_path) not in broken.text
    without = visitor.get(f"/results/{listed['model/v2']}")
    assert (without.status_code, "saved without its scores" in without.text) == (200, True)
    assert visitor.get("/").status_code == 200
    explorer.close()


def test_what_is_kept_is_made_once_and_the_oldest_goes() -> None:
    kept: Kept[int] = Kept(2)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    for number in (1, 1, 2, 1, 3, 1, 2):
        assert kept.get(number, lambda number=number: make(number)) == number  # type: ignore[misc]
    assert made == [1, 2, 3, 2]
    with pytest.raises(ZeroDivisionError):
        kept.get(9, lambda: 1 // 0)
    assert kept.get(9, lambda: 9) == 9
