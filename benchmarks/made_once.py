"""What an audit and a repair make again and again: counts, which no busy machine changes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np

from evenhand.asking import Scores
from evenhand.contrasts import declare
from evenhand.corpora import Corpus, eec
from evenhand.corpora.persons import Directory
from evenhand.repairs import layers
from evenhand.verbs.audit import audit
from evenhand.verbs.repair import repair

CONTRASTS, DIRECTORIES, FITS, COPIES = "contrasts", "directories of persons", "fits of layers", "copies of scores"
MOST = {
    "repair vader": {CONTRASTS: 124, DIRECTORIES: 32, FITS: 31, COPIES: 3},
    "audit vader textblob": {CONTRASTS: 2, DIRECTORIES: 0, COPIES: 1},
}
"""What was counted when these goals were set: a repair asks four questions of the corpus and of each of its 30 halves.
Before, it made 240 directories, 125 fits and 532 copies; an audit made four contrasts and five copies."""


def run() -> list[tuple[str, str, str, str]]:
    """Count in one repair and one audit with its page, of systems that answer at once."""
    chains: dict[str, Callable[[], object]] = {
        "repair vader": lambda: repair("vader", _fresh(), progress=False),
        "audit vader textblob": _audited_with_pictures,
    }
    rows = []
    for chain, work in chains.items():
        with counted() as made:
            work()
        for what, most in MOST[chain].items():
            rows.append(
                (f"{what} in `{chain}`", str(made[what]), f"at most {most}", "yes" if made[what] <= most else "no")
            )
    return rows


def _fresh() -> Corpus:
    """A corpus from which nothing was made yet."""
    return replace(eec())


def _audited_with_pictures() -> None:
    with tempfile.TemporaryDirectory() as folder:
        audit(["vader", "textblob"], _fresh(), progress=False, out=folder)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How often each of these is made while this is open."""
    made: Counter[str] = Counter()

    def noted(what: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*arguments: Any, **named: Any) -> Any:
            made[what] += 1
            return call(*arguments, **named)

        return noting

    checked = Scores.__post_init__

    def checking(scores: Scores) -> None:
        given = scores.matrix
        checked(scores)
        made[COPIES] += not np.shares_memory(given, scores.matrix)

    with ExitStack() as stack:
        stack.enter_context(patch.object(declare, "build", noted(CONTRASTS, declare.build)))
        stack.enter_context(patch.object(Directory, "__init__", noted(DIRECTORIES, Directory.__init__)))
        stack.enter_context(patch.object(layers, "_fitted", noted(FITS, layers._fitted)))
        stack.enter_context(patch.object(Scores, "__post_init__", checking))
        yield made
