"""Who answers: a scikit-learn model that was saved with skops (`skops:FILE`), which holds no code to run."""

from __future__ import annotations

import hashlib
import io
import logging
import warnings
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.opened import read_bytes
from evenhand.systems.base import BaseScorer, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.yours.callables import CallableScorer, as_scorer

TRUSTWORTHY = ("sklearn.", "numpy.", "scipy.")
"""Whose types may be trusted at all; a file that needs those of others could run anything."""

log = logging.getLogger(__name__)


@system("skops", address="FILE", apart=True)
def from_skops_file(
    path: str, *, trusted: Any = None, outputs: Any = None, low: float = 0.0, high: float = 1.0
) -> BaseScorer:
    """A scikit-learn pipeline from texts to numbers or classes, saved with skops.

    A classifier gives the probability of each class (of two, of the second), a regressor one number from `low` to
    `high`. `trusted` names types of scikit-learn, NumPy or SciPy that skops does not trust by itself.
    """
    content = read_content(Path(path).expanduser())
    scorer = as_scorer(
        load_skops(content, path, trusted=trusted), name=f"skops:{path}", outputs=outputs, low=low, high=high
    )
    if isinstance(scorer, CallableScorer):
        digest = hashlib.sha256(content).hexdigest()
        scorer.fingerprint = fingerprint_of(CallableScorer, "scikit-learn", "numpy", "scipy", content=digest)
    return scorer


def read_content(path: Path) -> bytes:
    """The bytes of a file, or why there are none."""
    return read_bytes(path)


def load_skops(content: bytes, path: object, *, trusted: object = None) -> Any:
    """What a skops file holds; types that are not trusted are refused, and warnings are logged with the path."""
    from skops import io as skops_io

    allowed = _allowed(trusted)
    try:
        untrusted = skops_io.get_untrusted_types(data=content)
    except Exception as error:  # a damaged archive fails in a dozen ways
        raise EvenhandError(f"{path} is not a skops file, or a damaged one ({_said(error)})") from error
    never = [name for name in untrusted if not name.startswith(TRUSTWORTHY)]
    if never:
        raise EvenhandError(
            f"{path} needs {', '.join(never)}: only types of scikit-learn, NumPy and SciPy are ever loaded"
        )
    needed = [name for name in untrusted if name not in allowed]
    if needed:
        raise UsageError(
            f"{path} needs types that skops does not trust by itself; if you do, name them in a system file, as in "
            f"settings: {{trusted: [{', '.join(needed)}]}}"
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = skops_io.load(io.BytesIO(content), trusted=untrusted)
        except Exception as error:
            raise EvenhandError(f"{path} cannot be loaded ({_said(error)})") from error
    for warning in caught:  # scikit-learn only warns about a model that another version saved
        log.warning("%s: %s", path, one_line(warning.message))
    return model


def _allowed(trusted: object) -> set[str]:
    if trusted is None:
        return set()
    if not isinstance(trusted, list | tuple) or not all(isinstance(name, str) for name in trusted):
        raise UsageError(f"'skops': trusted must be a list of types' names, not {trusted!r}")
    for name in trusted:
        if not name.startswith(TRUSTWORTHY):
            raise UsageError(f"'skops': {name!r} cannot be trusted: only types of scikit-learn, NumPy and SciPy can")
    return set(trusted)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {one_line(error)}"
