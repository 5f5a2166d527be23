"""Where one system fails, the others go on: what is found about them is saved, shown, and comes with the failure."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from evenhand.asking.going_on import without
from evenhand.errors import SystemsFailed
from evenhand.results import Result
from evenhand.specs.resolving import name_of_given
from evenhand.verbs.ask import listed_systems

P = ParamSpec("P")
R = TypeVar("R", bound=Result)


def others_go_on(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb with the argument `systems`, done for the others where some of them fail.

    It still raises, as they did fail; the result about the others, saved where it was to be, is in the error's
    `result`. All have been asked by then, so that doing it once more costs no answers.
    """
    takes = signature(verb)

    @wraps(verb)
    def going_on(*args: P.args, **kwargs: P.kwargs) -> R:
        call: Any = takes.bind(*args, **kwargs)
        failed: dict[str, str] = {}
        first: SystemsFailed | None = None
        while True:
            try:
                with without(failed):
                    found = verb(*call.args, **call.kwargs)
            except SystemsFailed as error:
                first = first or error
                failed = failed | error.failed
                given = listed_systems(call.arguments["systems"])
                left = [one for one in given if name_of_given(one) not in error.failed]
                if not left or len(left) == len(given):
                    raise SystemsFailed(failed) from first
                call.arguments["systems"] = left
                continue
            if first is None:
                return found
            raise SystemsFailed(failed, result=found) from first

    return going_on
