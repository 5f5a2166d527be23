"""How many questions at once an endpoint is asked: it grows, shrinks, waits, and stays within its bound."""

from __future__ import annotations

import http.client
import math

import pytest

from evenhand.systems.http.pace import LONGEST_WAIT, PATIENCE, Allowance, Pace, allowance_in


class Clock:
    """Goes on when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def full_round(pace: Pace, clock: Clock, seconds: float = 0.02) -> int:
    """As many answers as are asked for at once, each after so long, with another question in its place at once."""
    begun = [pace.begin() for _ in range(pace.at_once)]
    assert pace.wait() == math.inf
    clock.now += seconds
    for _ in range(pace.at_once):
        pace.end(begun.pop(0), "answered")
        begun.append(pace.begin())
    for began in begun:
        pace.end(began, "failed")
    return len(begun)


def test_it_starts_where_it_is_told_and_grows_by_one_a_round_up_to_its_bound(clock: Clock) -> None:
    pace = Pace(2, 5, clock)
    assert [full_round(pace, clock) and pace.at_once for _ in range(6)] == [3, 4, 5, 5, 5, 5]


def test_it_does_not_start_above_its_bound(clock: Clock) -> None:
    assert Pace(4, 1, clock).at_once == 1


def test_no_more_may_begin_than_at_once(clock: Clock) -> None:
    pace = Pace(3, 8, clock)
    for _ in range(3):
        assert pace.wait() == 0
        pace.begin()
    assert pace.wait() == math.inf


def test_it_does_not_grow_while_answers_take_longer(clock: Clock) -> None:
    pace = Pace(2, 9, clock)
    full_round(pace, clock, 0.02)
    assert pace.at_once == 3
    full_round(pace, clock, 0.031)
    assert pace.at_once == 3
    full_round(pace, clock, 0.029)
    assert pace.at_once == 4


def test_it_does_not_grow_when_fewer_are_asked_than_it_allows(clock: Clock) -> None:
    pace = Pace(4, 9, clock)
    for _ in range(50):
        began = pace.begin()
        clock.now += 0.02
        pace.end(began, "answered")
    assert pace.at_once == 4


def test_a_refusal_leaves_seven_tenths_and_only_once_for_what_was_under_way(clock: Clock) -> None:
    pace = Pace(10, 16, clock)
    begun = [pace.begin() for _ in range(10)]
    clock.now += 0.02
    for began in begun:
        pace.end(began, "refused")
    assert pace.at_once == 7
    began = pace.begin()
    clock.now += 0.02
    pace.end(began, "refused")
    assert pace.at_once == 4


def test_it_never_falls_below_one(clock: Clock) -> None:
    pace = Pace(2, 16, clock)
    for _ in range(5):
        clock.now += 1
        pace.end(pace.begin(), "refused")
    assert pace.at_once == 1


def test_a_failure_says_nothing_of_how_many_it_takes(clock: Clock) -> None:
    pace = Pace(4, 16, clock)
    pace.end(pace.begin(), "failed")
    assert pace.at_once == 4


def test_it_stays_below_what_was_refused_for_a_while_and_for_longer_each_time(clock: Clock) -> None:
    pace = Pace(4, 16, clock)
    rounds = []
    for _ in range(3):  # a server that takes four
        waited = 0
        while pace.at_once < 5:
            full_round(pace, clock)
            waited += 1
        clock.now += 0.02
        pace.end(pace.begin(), "refused")
        assert pace.at_once == 3
        rounds.append(waited)
    # From three to four takes a round, from four to five one more than it has patience.
    assert rounds == [1, PATIENCE + 2, 2 * PATIENCE + 2]


def test_all_wait_as_long_as_the_endpoint_asks_one_to(clock: Clock) -> None:
    pace = Pace(4, 4, clock)
    pace.end(pace.begin(), "refused", wait=7)
    assert pace.wait() == 7
    clock.now += 6.5
    assert pace.wait() == 0.5
    clock.now += 0.5
    assert pace.wait() == 0


def test_no_wait_is_longer_than_the_longest(clock: Clock) -> None:
    pace = Pace(4, 4, clock)
    pace.end(pace.begin(), "refused", wait=1e9)
    assert pace.wait() == LONGEST_WAIT


def test_no_more_are_asked_than_an_allowance_leaves_until_it_is_renewed(clock: Clock) -> None:
    pace = Pace(8, 8, clock)
    pace.end(pace.begin(), "answered", allowance=Allowance(left=3, renewed_in=10))
    begun = []
    while pace.wait() == 0:
        begun.append(pace.begin())
    assert (len(begun), pace.wait()) == (3, 10)
    clock.now += 10
    assert pace.wait() == 0


def test_those_under_way_are_taken_from_the_allowance(clock: Clock) -> None:
    pace = Pace(8, 8, clock)
    begun = [pace.begin() for _ in range(4)]
    pace.end(begun.pop(), "answered", allowance=Allowance(left=3, renewed_in=10))
    assert pace.wait() == 10
    pace.end(begun.pop(), "answered", allowance=Allowance(left=3, renewed_in=10))  # it had counted them already
    assert pace.wait() == 0


@pytest.mark.parametrize(
    ("left", "renewed", "expected"),
    [
        ("5", "1", Allowance(5, 1.0)),
        ("5", "0.25", Allowance(5, 0.25)),
        ("5", "20ms", Allowance(5, 0.02)),
        ("5", "1m2.5s", Allowance(5, 60.0)),
        ("0", "2s", Allowance(0, 2.0)),
        ("0", "6h0m0s", Allowance(0, 60.0)),
        ("0", "1000000000", Allowance(0, 0.0)),
        ("-1", "1", None),
        ("many", "1", None),
        ("5", "soon", None),
        ("5", "1s\x1b", None),
        ("5", "", None),
        ("9" * 400, "1", None),
        ("5", "9" * 400, None),
        ("٣", "1", None),
    ],
)
@pytest.mark.parametrize(
    "names",
    [
        ("X-RateLimit-Remaining-Requests", "X-RateLimit-Reset-Requests"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        ("RateLimit-Remaining", "RateLimit-Reset"),
    ],
)
def test_what_is_left_is_read_from_headers(
    names: tuple[str, str], left: str, renewed: str, expected: Allowance | None
) -> None:
    headers = http.client.HTTPMessage()
    headers[names[0]], headers[names[1]] = left, renewed
    assert allowance_in(headers) == expected


def test_without_headers_nothing_is_known() -> None:
    assert allowance_in(http.client.HTTPMessage()) is None
