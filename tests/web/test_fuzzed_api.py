"""The API under requests that are made up from its own description: whatever comes, it never fails."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from starlette.testclient import TestClient

from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry

pytestmark = pytest.mark.slow
EXAMPLES = 12
"""Requests of each call and kind; each is made again about results that there are."""

PLAIN = ("/api/systems", "/api/corpora", "/api/jobs")
"""Calls that take nothing, so that nothing can be wrong."""


@pytest.fixture(scope="module")
def described(explorer: Explorer) -> Any:
    return schemathesis.openapi.from_asgi("/api/openapi.json", application(explorer, names=("testserver",)))


def statuses(operation: Any, mode: GenerationMode, entries: dict[str, Entry]) -> set[int]:
    """What a call answers to requests that are made up."""
    seen = set()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case: Any) -> None:
        for known in (None, "both", "study"):
            if known is not None:
                if "id" not in case.path_parameters or "/jobs/" in case.path:
                    continue
                case.path_parameters["id"] = entries[known].id
            answer = case.call()
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            seen.add(answer.status_code)

    asked()
    return seen


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["as described", "otherwise"])
def test_no_request_makes_it_fail(described: Any, entries: dict[str, Entry], mode: GenerationMode) -> None:
    operations = [made.ok() for made in described.get_all_operations()]
    assert len(operations) > 15
    answered = set()
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and operation.path in PLAIN:
            continue
        answered |= statuses(operation, mode, entries)
    assert 422 in answered
    if mode is GenerationMode.POSITIVE:
        assert 200 in answered


def test_the_description_names_every_call(client: TestClient) -> None:
    calls = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/results", "/api/results/{id}/differences", "/api/try", "/api/uploads", "/api/jobs/{id}"} <= set(calls)
    page = client.get("/api").text
    assert all(path in page for path in calls)
