"""Whether a verdict hangs on one of many texts: told from sums, and the same as by calculating anew without each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.comparing import hanging
from evenhand.comparing.findings import Verdict
from evenhand.contrasts import contrasts
from evenhand.corpora import Corpus
from evenhand.stats import Components

TEXTS = 40


def _corpus(texts: int) -> Corpus:
    """Texts with a version about a woman and one about a man, as `perturb` makes them."""
    source = [f"t{place}" for place in range(texts) for _ in range(3)]
    frame = pl.DataFrame(
        {
            "id": [f"{one}-{place % 3}" for place, one in enumerate(source)],
            "text": [f"{one} says version {place % 3}" for place, one in enumerate(source)],
            "source": source,
            "person": source,
            "kind": "text",
            "gender": ["female", "male", None] * texts,
        }
    )
    return Corpus(frame, "texts", {"gender": ("female", "male")})


def _scores(corpus: Corpus, gaps: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Scores in which each text has these gaps, a column each."""
    scores = np.full((len(corpus), gaps.shape[1]), 0.5)
    scores[0::3] += gaps
    return scores


def _judge(width: int, level: float, small: float) -> Callable[[Components, Any], Any]:
    def judge(parts: Components, p: Any) -> tuple[list[Verdict], Any]:
        bound = np.maximum(*(np.abs(end) for end in parts.interval(0.9)))
        verdicts: list[Verdict] = [
            "no reaction seen"
            if estimate == 0 and variance == 0
            else "equivalent"
            if end <= small
            else ("higher" if estimate > 0 else "lower")
            if one < level
            else "cannot tell"
            for estimate, variance, end, one in zip(parts.estimate, parts.variance, bound, p, strict=True)
        ]
        return verdicts, bound

    return judge


def _both_ways(
    monkeypatch: pytest.MonkeyPatch, gaps: np.ndarray[Any, Any], verdicts: list[Verdict]
) -> tuple[hanging.Steadiness, hanging.Steadiness, list[int]]:
    corpus = _corpus(len(gaps))
    contrast = contrasts(corpus, "gender")[0]
    numbers = _scores(corpus, gaps)
    anew: list[int] = []
    calculate = hanging.variance_components

    def counted(*given: Any, **named: Any) -> Components:
        anew.append(1)
        return calculate(*given, **named)

    monkeypatch.setattr(hanging, "variance_components", counted)

    def found() -> hanging.Steadiness:
        return hanging.steadiness(
            contrast, numbers, scale=np.ones(gaps.shape[1]), judge=_judge(gaps.shape[1], 0.05, 0.02),
            verdicts=verdicts, bound=np.zeros(gaps.shape[1]),
        )  # fmt: skip

    from_sums, times = found(), len(anew)
    monkeypatch.setattr(hanging, "_is_one_sample", lambda *_: False)
    return from_sums, found(), [times, len(anew) - times]


def test_leaving_texts_out_by_sums_is_leaving_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    near = rng.normal(0.0, 0.01, TEXTS)  # equivalent
    clear = rng.normal(0.1, 0.05, TEXTS)  # higher, whoever is left out
    hangs = rng.normal(0.0, 0.02, TEXTS)
    hangs[7] += 0.9  # so much of the gap is one text's that nothing is shown without it
    hangs += 0.013
    monkeypatch.setattr(hanging, "AT_A_TIME", 9)
    verdicts: list[Verdict] = ["equivalent", "higher", "higher"]
    quick, slow, times = _both_ways(monkeypatch, np.stack([near, clear, hangs], axis=1), verdicts)
    np.testing.assert_allclose(quick.bound, slow.bound, rtol=1e-12)
    assert [None if one is None else one.label for one in quick.withheld] == [
        None if one is None else one.label for one in slow.withheld
    ]
    assert quick.withheld[1] is None
    assert quick.withheld[2] is not None
    assert quick.withheld[2].label == "t7"
    assert quick.withheld[2].gap == pytest.approx(slow.withheld[2].gap, rel=1e-12)  # type: ignore[union-attr]
    assert times == [0, TEXTS]


def test_the_only_text_that_reacts_is_left_out_by_calculating_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The squares of the others would be the difference of two numbers that are nearly one."""
    gaps = np.zeros((TEXTS, 2))
    gaps[3, 0] = 0.9
    gaps[:, 1] = 0.1  # all alike: nothing varies, whoever is left out
    quick, slow, _ = _both_ways(monkeypatch, gaps[:, :1], ["higher"])
    assert quick.withheld == slow.withheld
    np.testing.assert_allclose(quick.bound, slow.bound, rtol=1e-12)
    quick, slow, _ = _both_ways(monkeypatch, gaps, ["higher", "higher"])
    assert quick.withheld == slow.withheld
    np.testing.assert_allclose(quick.bound, slow.bound, rtol=1e-12)


def test_many_texts_are_left_out_in_turn_without_calculating_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = np.random.default_rng(1).normal(0.01, 0.1, (20_000, 1))
    corpus = _corpus(len(gaps))

    def anew(*_: Any, **__: Any) -> Components:
        raise AssertionError("it would take hours")

    monkeypatch.setattr(hanging, "variance_components", anew)
    found = hanging.steadiness(
        contrasts(corpus, "gender")[0], _scores(corpus, gaps), scale=np.ones(1), judge=_judge(1, 0.05, 0.001),
        verdicts=["higher"], bound=np.zeros(1),
    )  # fmt: skip
    assert found.withheld == (None,)
