"""The one place where results become JSON text: it never fails on a number, and never writes one that JSON has not."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from typing import Any

UNDEFINED = "undefined"
"""The key that says why what stands beside it is null."""

log = logging.getLogger(__name__)


def json_text(values: Any, *, indent: int | None = 1, compact: bool = False) -> str:
    """Plain values as JSON. NaN and the infinities become null, and `undefined` beside them says what was there.

    Every statistic says by itself why it is undefined; a number that slips through is a mistake of ours. It must not
    cost anybody the result, so it is written as what it is, not a number, and a warning names its place.

    >>> json_text({"p": float("nan"), "undefined": None}, indent=None)
    '{"p": null, "undefined": "p is not a finite number (nan)"}'
    """
    slips: list[str] = []
    plain = _finite(values, (), slips)
    if slips:
        more = f" and {len(slips) - 1:,} more" if len(slips) > 1 else ""
        log.warning("not a finite number, so it is saved as null: %s%s; please report this", slips[0], more)
    separators = (",", ":") if compact else None
    return json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False, separators=separators)


def _finite(value: Any, place: tuple[str, ...], slips: list[str]) -> Any:
    """The value without numbers that JSON has not; their places are appended to `slips`."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        slips.append(f"{'.'.join(place) or 'the value'} ({value})")
        return None
    if isinstance(value, Mapping):
        made = {key: _finite(one, (*place, str(key)), slips) for key, one in value.items()}
        return _with_reason(value, made) if slips else made
    if isinstance(value, list | tuple):
        return [_finite(one, (*place, str(number)), slips) for number, one in enumerate(value)]
    return value


def _with_reason(given: Mapping[Any, Any], made: dict[Any, Any]) -> dict[Any, Any]:
    """Where the mapping has a place for reasons that says nothing yet, why its numbers are null."""
    lost = [key for key, one in given.items() if isinstance(one, float) and made[key] is None]
    if lost and UNDEFINED in made and made[UNDEFINED] is None:
        said = "; ".join(f"{key} is not a finite number ({given[key]})" for key in lost)
        return {**made, UNDEFINED: said}
    return made
