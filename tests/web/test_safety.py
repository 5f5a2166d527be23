"""The door: who may come in, what may be sent, and what every answer carries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from evenhand.errors import UsageError
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry
from evenhand.web.safety import Guard, check_token, cookie_of, host_of
from evenhand.web.serving import is_loopback, serve

TOKEN = "correct-horse-battery-staple"  # noqa: S105 - of these tests alone
SENTENCE = {"text": "My sister feels angry.", "system": "vader"}


@pytest.fixture(scope="module")
def guarded(explorer: Explorer) -> Guard:
    return application(explorer, token=TOKEN, loopback=False, names=("audits.example",))


def visitor(app: Guard, host: str = "http://localhost", **settings: object) -> TestClient:
    return TestClient(app, base_url=host, follow_redirects=False, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("localhost:8377", 200), ("127.0.0.1:1", 200), ("127.8.8.8", 200), ("[::1]:80", 200),
        ("LOCALHOST", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421),
        ("192.168.1.2", 421), ("10.0.0.1", 421), ("", 421), ("a@localhost", 421), ("localhost:x", 421),
        ("localhost/..", 421), ("evenhand", 421),
    ],
)  # fmt: skip
def test_names_that_somebody_points_here_are_refused(client: TestClient, host: str, status: int) -> None:
    assert client.get("/api/systems", headers={"host": host}).status_code == status


@pytest.mark.parametrize("host", ["audits.example", "10.0.0.7:8377", "localhost"])
def test_where_others_may_come_in_its_own_names_and_addresses_are_known(guarded: Guard, host: str) -> None:
    headers = {"host": host, "authorization": f"Bearer {TOKEN}"}
    assert visitor(guarded).get("/api/systems", headers=headers).status_code == 200
    assert visitor(guarded).get("/api/systems", headers=headers | {"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://localhost:9999"},
        {"origin": "https://localhost.evil.example"}, {"origin": "file://localhost"},
        {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "null"}, {"sec-fetch-site": "none", "origin": "null"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/try", "/api/uploads", "/try", "/upload", "/login"])
def test_no_other_site_can_change_or_compute_anything(client: TestClient, headers: dict[str, str], path: str) -> None:
    answer = client.post(path, json=SENTENCE, headers=headers)
    assert answer.status_code == 403
    assert "other sites" in answer.text


def test_other_sites_may_link_here_and_no_more(client: TestClient) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/api/results", headers=link | {"sec-fetch-mode": "cors"}).status_code == 403
    assert client.get("/static/style.css", headers=link | {"sec-fetch-mode": "no-cors"}).status_code == 403


def test_its_own_pages_can(client: TestClient) -> None:
    for origin in ("http://localhost", "null"):  # pages without referrers send their forms as from nowhere
        own = {"origin": origin, "sec-fetch-site": "same-origin"}
        assert client.post("/api/try", json=SENTENCE, headers=own).status_code == 200


def test_no_page_of_another_site_reads_anything(client: TestClient) -> None:
    for method in ("GET", "OPTIONS"):
        answer = client.request(method, "/api/results", headers={"access-control-request-method": "GET"})
        assert not [name for name in answer.headers if name.startswith("access-control-allow")]


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ü"])
def test_without_the_token_nobody_comes_in(guarded: Guard, given: str) -> None:
    answer = visitor(guarded).get("/api/results", headers={"authorization": given.encode("latin-1")})
    assert answer.status_code == 401
    assert TOKEN not in answer.text


def test_every_address_but_the_login_needs_the_token(guarded: Guard) -> None:
    known = visitor(guarded).get("/api/openapi.json", headers={"authorization": f"Bearer {TOKEN}"})
    paths = [re.sub(r"\{.*?\}", "0" * 16, path) for path in json.loads(known.text)["paths"]]
    assert len(paths) > 15
    for path in [*paths, "/try", "/upload", "/nothing", "/api/openapi.json", "/api"]:
        assert visitor(guarded).post(path).status_code == 401, path
        answer = visitor(guarded).get(path)
        assert answer.status_code == (401 if path.startswith("/api/") else 303), path
    assert visitor(guarded).get("/login").status_code == visitor(guarded).get("/static/style.css").status_code == 200


def test_the_token_opens_the_door_and_is_kept_nowhere(guarded: Guard) -> None:
    browser = visitor(guarded)
    sent_away = browser.get("/")
    assert (sent_away.status_code, sent_away.headers["location"]) == (303, "/login")
    assert browser.post("/login", data={"token": "wrong-wrong-wrong-wrong"}).status_code == 403
    assert browser.get("/").status_code == 303
    opened = browser.post("/login", data={"token": TOKEN})
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    cookie = opened.headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert browser.get("/").status_code == 200
    assert cookie_of(TOKEN) != cookie_of(f"{TOKEN}x")


@pytest.mark.parametrize("token", ["short", "has spaces in its middle", "ünïcödé-ünïcödé-x", "line\nbreak-line-break"])
def test_tokens_that_can_be_guessed_or_not_be_sent_are_refused(token: str) -> None:
    with pytest.raises(UsageError, match="a token needs at least 16 characters"):
        check_token(token)


@pytest.mark.parametrize(
    ("host", "alone"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False)]
)
def test_who_listens_elsewhere_needs_a_token(explorer: Explorer, host: str, alone: bool) -> None:
    assert is_loopback(host) is alone
    if not alone:
        with pytest.raises(UsageError, match="needs a token"):
            serve(explorer, host=host, port=0, ready=lambda _: pytest.fail("it listens"))


def test_every_answer_carries_its_headers(client: TestClient, entries: dict[str, Entry]) -> None:
    id_ = entries["both"].id
    paths = ["/", f"/results/{id_}", "/try", "/nothing", "/api/results", "/api/nothing", "/static/style.css", "/api"]
    for path in paths:
        headers = client.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    refused = client.get("/", headers={"host": "evil.example"})
    assert "content-security-policy" in refused.headers


def test_no_page_has_a_script_or_a_style_in_it(client: TestClient, entries: dict[str, Entry]) -> None:
    ids = {place: one.id for place, one in entries.items()}
    paths = ["/", "/try", "/follow", "/upload", "/jobs", "/corpora", "/api", "/login", "/nothing"]
    paths += [f"/results/{ids[place]}" for place in ("both", "study", "compared", "broken", "model/v1")]
    paths += [f"/compare?id={ids['model/v1']}&id={ids['model/v2']}", f"/results/{ids['both']}/differences?finding=0"]
    for path in paths:
        page = client.get(path).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), path
        assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""], path
        assert re.findall(r'(?:src|href)="(?:https?:)?//', page) == [], path


def test_names_from_results_are_text_on_pages(client: TestClient, entries: dict[str, Entry]) -> None:
    page = client.get(f"/results/{entries['study'].id}?dimension=valence").text
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def too_long(size: int) -> Iterator[bytes]:
    for _ in range(size // 1000):
        yield b"x" * 1000


@pytest.mark.parametrize("path", ["/api/try", "/try", "/login", "/api/uploads", "/upload"])
@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in pieces"])
def test_what_is_too_long_is_refused(client: TestClient, path: str, announced: bool) -> None:
    """Whether its length is said beforehand or not; what may be sent is 1 MB here."""
    size = 1_100_000 if "upload" in path else 70_000
    kind = "multipart/form-data; boundary=x" if "upload" in path else "application/x-www-form-urlencoded"
    kind = "application/json" if path == "/api/try" else kind
    sent: object = b"x" * size if announced else too_long(size)
    answer = client.post(path, content=sent, headers={"content-type": kind})  # type: ignore[arg-type]
    assert answer.status_code == 413, answer.text
    assert "at most" in answer.text


@pytest.mark.parametrize("length", ["-1", "x", "1e9", "٣", "9" * 40])
def test_lengths_that_are_none_are_refused(client: TestClient, length: str) -> None:
    headers = {"content-length": length.encode(), "content-type": b"application/json"}
    assert client.post("/api/try", content=b"{}", headers=headers).status_code in (400, 413)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "id_", ["../../etc/passwd", "%2e%2e%2f", "broken", "0" * 15, "0" * 17, "0" * 16, "G" * 16, "both/report.json"]
)
def test_names_never_become_paths(client: TestClient, id_: str) -> None:
    for path in ("/results/{}", "/api/results/{}", "/api/jobs/{}", "/api/corpora/{}", "/static/{}", "/results/{}/page"):
        answer = client.get(path.format(id_))
        assert answer.status_code in (404, 422), (path, answer.status_code)
        assert "root:" not in answer.text


def test_tables_and_charts_are_found_by_name_alone(client: TestClient, entries: dict[str, Entry]) -> None:
    base = f"/api/results/{entries['both'].id}"
    for name in ("..%2freport.json", "report.json", "findings.csv", "%00"):
        assert client.get(f"{base}/tables/{name}").status_code == 404
        assert client.get(f"{base}/figures/{name}").status_code == 404


@pytest.mark.parametrize(("header", "host"), [("a.b:1", "a.b"), ("[::1]", "::1"), ("a@b", None), ("a/b", None)])
def test_hosts_are_read_as_browsers_mean_them(header: str, host: str | None) -> None:
    assert host_of(header) == host
