"""One claim of a paper beside what this tool computes, as far as there is something to compute it from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from evenhand.files.structured import read_yaml

Outcome = Literal["reproduced", "differs", "needs data"]


@dataclass(frozen=True)
class Check:
    """One claim: what was printed, what comes out here (None where nothing can), and what would be needed."""

    claim: str
    where: str
    printed: str
    here: str | None
    outcome: Outcome
    needs: str | None = None
    errata: tuple[str, ...] = ()
    """Why the printed figure is not to be trusted, where that is known: each an id, a colon and the reason."""
    counted: bool = False
    """Whether another check counts it, with all the others of its table."""
    taken_from: str | None = None
    """Whose scores it was computed from, where there is a choice."""


@cache
def published(paper: str) -> dict[str, Any]:
    """The printed figures of a paper."""
    content: dict[str, Any] = read_yaml(files("evenhand") / "data" / "published" / f"{paper}.yaml")
    return content


def errata(paper: str, ids: str | None) -> tuple[str, ...]:
    """Errata by id (several with spaces between): `E20: the larger of …`."""
    return tuple(f"{one}: {published(paper)['errata'][one]}" for one in (ids or "").split())


def checked(claim: str, where: str, printed: object, here: object, *, agree: bool, **more: Any) -> Check:
    """A claim that could be held against something."""
    return Check(claim, where, _text(printed), _text(here), "reproduced" if agree else "differs", **more)


def same(claim: str, where: str, printed: int, here: int) -> Check:
    """A claim that is a whole number."""
    return checked(claim, where, printed, here, agree=printed == here)


def counted(claim: str, where: str, checks: Sequence[Check], *, what: str) -> Iterator[Check]:
    """A line that counts many checks of what stands in a table, and those."""
    agreeing = sum(check.outcome == "reproduced" for check in checks)
    why = tuple(dict.fromkeys(one for check in checks for one in check.errata))
    agree = agreeing == len(checks)
    yield checked(claim, where, f"{len(checks)} {what}", f"{agreeing} agree", agree=agree, errata=why)
    yield from checks


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else str(value)
