"""What systems answer, as JSON and bytes: arrays of numbers as they are, the rest as far as JSON has it."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

DEEPEST = 50
"""Lists within lists within lists; what lies deeper is shown as text."""

ARRAY, LIST, MAPPING, SHOWN = "array", "list", "mapping", "shown"


class Shown:
    """Something that JSON has no form for; it looks as it looked where it was made, for messages."""

    def __init__(self, look: str) -> None:
        self._look = look

    def __repr__(self) -> str:
        return self._look


def packed(value: object) -> tuple[Any, bytes]:
    """A value as JSON and bytes.

    >>> unpacked(*packed(np.array([[0.5, 1.0]])))
    array([[0.5, 1. ]])
    >>> unpacked(*packed([None, (1, "a"), {2: 0.5}, object]))
    [None, [1, 'a'], {2: 0.5}, <class 'object'>]
    """
    if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray) and value.dtype.kind in "biuf":
        if value.dtype.itemsize <= 8:
            whole = np.ascontiguousarray(value)
            return {ARRAY: whole.dtype.str, "shape": list(value.shape)}, whole.tobytes()
        return packed(value.astype(np.float64))
    return _plain(value, DEEPEST), b""


def unpacked(form: Any, payload: bytes) -> Any:
    """The value again; `ValueError` or the like where the form is not one that `packed` gives."""
    if isinstance(form, Mapping):
        if ARRAY in form:
            kind = np.dtype(form[ARRAY])
            if kind.kind not in "biuf":
                raise ValueError("no array of numbers")
            return np.frombuffer(payload, dtype=kind).reshape(form["shape"]).copy()
        if LIST in form:
            return [unpacked(one, b"") for one in form[LIST]]
        if MAPPING in form:
            return {_key(unpacked(key, b"")): unpacked(one, b"") for key, one in form[MAPPING]}
        return Shown(str(form[SHOWN]))
    return form


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else repr(value)


def _plain(value: object, deep: int) -> Any:
    if value is None or type(value) in (bool, float, str):
        return value
    if type(value) is int:
        return value if value.bit_length() < 1024 else _shown(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), deep) if value.ndim else _shown(value.item())
    if isinstance(value, np.generic):
        return _plain(value.item(), deep) if isinstance(value, np.bool_ | np.number | np.str_) else _shown(value)
    if deep and is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), deep - 1)
    if deep and isinstance(value, Mapping):
        return {MAPPING: [[_plain(key, deep - 1), _plain(one, deep - 1)] for key, one in value.items()]}
    if deep and isinstance(value, list | tuple):
        return {LIST: [_plain(one, deep - 1) for one in value]}
    if isinstance(value, numbers.Real):
        return float(value)
    return _shown(value)


def _shown(value: object) -> dict[str, str]:
    try:
        return {SHOWN: repr(value)[:1000]}
    except Exception:  # the object's own code
        return {SHOWN: f"<{type(value).__name__}>"}
