"""The same estimator makes the same bytes, whenever it is saved."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from skops import io as skops_io

from evenhand.systems.training.skops_bytes import skops_bytes


def test_neither_the_time_nor_addresses_are_in_it_and_it_is_read_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(0).normal(size=(9, 3)), np.arange(9.0)
    first, kept = skops_bytes(RidgeCV().fit(x, y)), [np.ones(number) for number in range(99)]
    now = time.localtime(time.time() + 9_999)
    monkeypatch.setattr(time, "localtime", lambda *_: now)
    assert skops_bytes(RidgeCV().fit(x, y)) == first
    assert len(kept) == 99
    (read,) = [skops_io.load(io.BytesIO(first), trusted=skops_io.get_untrusted_types(data=first))]
    np.testing.assert_array_equal(read.predict(x), RidgeCV().fit(x, y).predict(x))
