"""Spreads: read from what people type, and estimated from pilots whose spreads are known."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.contrasts import contrasts
from evenhand.corpora.asked_names import Names
from evenhand.corpora.balanced import balanced_sources
from evenhand.errors import UsageError
from evenhand.planning import Spreads, read_spreads, seen_in
from evenhand.planning.spreads import _nested, upper_factor


@pytest.mark.parametrize(("given", "why"), [
    (["nmes=.03"], "unknown spread 'nmes'.*did you mean 'names'"),
    (["names"], "give names and numbers"),
    (["names=x"], "'x': give a number"),
    (["names=-.03"], "a share of the range, from 0 to 1"),
    (["names=nan"], "a share of the range, from 0 to 1"),
    (["names=3"], "a share of the range, from 0 to 1"),
    (["names=.03,names=.04"], "more than once"),
    ([""], "give names and numbers"),
])  # fmt: skip
def test_spreads_that_cannot_be_read_are_refused(given: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_spreads(given)


def test_mean_squares_by_hand() -> None:
    """Two templates with two sources each: 1, 3 and 5, 7. Within, 2·1 + 2·1 by 2; between, 2·2² + 2·2² by 1."""
    within, between, repeats = _nested(np.array([[1.0, 3.0, 5.0, 7.0]]), np.array([0, 0, 1, 1]))
    assert (within[0], between[0], repeats) == (2, 16, 2)


def test_the_bound_is_held_four_times_in_five() -> None:
    rng = np.random.default_rng(2)
    seen = rng.normal(size=(20_000, 9)).var(axis=1, ddof=1)
    assert float((seen * upper_factor(8) >= 1).mean()) == pytest.approx(0.8, abs=0.012)


def test_spreads_that_are_known_are_found_on_average() -> None:
    corpus = balanced_sources(Names(6).corpus("eec"))
    (contrast,) = contrasts(corpus, "gender")
    known = Spreads(names=0.03, noise=0.05, name_template=0.02, template=0.04, word=0.02)
    rng, systems, frame = np.random.default_rng(1), 400, corpus.frame
    person, source, template = (frame[name].rank("dense").to_numpy() - 1 for name in ("person", "source", "template"))
    side = np.where((frame["gender"] == "female").to_numpy(), 0.5, -0.5)[:, None]

    def drawn(sd: float, number: int) -> np.ndarray:
        return rng.normal(0, sd, size=(number, systems))

    pairs = person * 100 + template
    values = side * (0.01 + drawn(known.template, 11)[template] + drawn(known.word, 44)[source])
    values += drawn(known.names, 24)[person] + drawn(known.name_template, 2_400)[pairs]
    values += drawn(known.noise, len(frame)) + 3 * drawn(0.1, 44)[source]
    seen = list(seen_in(contrast, values * 5, np.full(systems, 5.0)))
    assert np.mean([one.estimate for one in seen]) == pytest.approx(0.01, abs=0.003)
    for name, sd in (("names", 0.03), ("noise", 0.05), ("name_template", 0.02), ("template", 0.04), ("word", 0.02)):
        found = np.mean([getattr(one.spreads, name) ** 2 for one in seen]) ** 0.5
        assert found == pytest.approx(sd, rel=0.15), name
    assert np.mean([one.cautious.names >= 0.03 for one in seen]) == pytest.approx(0.8, abs=0.07)
    assert {one.reacting for one in seen} == {20}  # nobody is answered like anybody else, so one a stratum is the rule


def test_where_no_name_makes_a_difference_nothing_varies() -> None:
    corpus = balanced_sources(Names(4).corpus("eec"))
    (contrast,) = contrasts(corpus, "race")
    by_source = corpus.frame["source"].rank("dense").to_numpy()[:, None] / 100
    (seen,) = seen_in(contrast, by_source, np.ones(1))
    assert seen.spreads == seen.cautious == Spreads()
    assert (seen.estimate, seen.interval, seen.reacting, seen.names) == (0, None, 0, 16)
